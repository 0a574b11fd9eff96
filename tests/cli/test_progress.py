"""The progress bar: on a terminal only, in colour only where colour is wanted."""

from __future__ import annotations

import io
import re
import sys
from types import SimpleNamespace

import pytest

from iowatt.cli import progress
from iowatt.cli.progress import bar
from iowatt.evaluate.search.tasks.evaluator import SearchProgress

COLOUR = re.compile(r"\x1b\[[0-9;]*3[0-9]")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def on_a_terminal(monkeypatch, *told):
    """What a terminal shows while the work tells how far it is."""
    terminal = Terminal()
    # Not in a fixture: pytest puts its own stderr back between set-up and test.
    monkeypatch.setattr(sys, "stderr", terminal)
    with bar("simulating") as report:
        for fraction, requests in told:
            report(fraction, requests)
    return terminal.getvalue()


def test_a_terminal_sees_how_far_the_work_is(monkeypatch):
    shown = on_a_terminal(monkeypatch, (None, 10), (0.5, 12_345))
    assert "simulating" in shown
    assert "50%" in shown
    assert "12,345 requests" in shown
    assert COLOUR.search(shown)


def test_the_time_left_follows_from_the_pace(monkeypatch):
    seconds = iter(range(0, 1000, 30))
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    assert "0:00:30 left" in on_a_terminal(monkeypatch, (0.5, 10))
    assert "left" not in on_a_terminal(monkeypatch, (None, 10))


def test_a_search_has_its_share_and_the_time_left(monkeypatch):
    seconds = iter(range(0, 1000, 30))
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress.points_bar("sweeping") as report:
        for done in (0, 2):
            report(SearchProgress(done, 8, 0, 0.0))
    assert "25%" in terminal.getvalue()
    assert " left" in terminal.getvalue()


def test_phases_that_follow_one_another_have_one_share(monkeypatch):
    seconds = iter(range(0, 1000, 30))
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress.points_bar("choosing") as report:
        report(SearchProgress(8, 8, 0, 0.0, "sizing", 0.05))
        report(SearchProgress(1, 4, 0, 0.0, "simulating", 0.4))
    assert "40%" in terminal.getvalue()
    assert "simulating 1/4" in terminal.getvalue()
    assert " left" in terminal.getvalue()


def test_no_colour_where_none_is_wanted(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    shown = on_a_terminal(monkeypatch, (0.5, 1))
    assert "50%" in shown
    assert not COLOUR.search(shown)


def test_a_file_sees_nothing_whatever_the_environment_says(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with bar("simulating") as report:
        assert report is None
    assert sys.stderr.getvalue() == ""
