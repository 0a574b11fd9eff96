"""The one owner of the signals that end the command."""

from __future__ import annotations

import importlib
import signal
import sys

import pytest

from iowatt.base import signals


@pytest.fixture
def owner():
    before = {number: signal.getsignal(number) for number in signals.NUMBERS}
    yield signals._Owner()
    for number, handler in before.items():
        signal.signal(number, handler)


def test_what_comes_while_they_are_held_interrupts_once_they_are_let_through(owner):
    owner.hold()
    signal.raise_signal(signal.SIGTERM)
    signal.raise_signal(signal.SIGHUP)
    with pytest.raises(KeyboardInterrupt):
        owner.let_through()
    assert owner.received == signal.SIGTERM
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("last", ["", "raise ImportError"])
def test_what_comes_during_an_import_interrupts_when_the_outermost_ends(owner, tmp_path, monkeypatch, last):
    (tmp_path / "outer_one.py").write_text(f"import inner_one\ncounted = len(inner_one.after)\n{last}")
    (tmp_path / "inner_one.py").write_text(
        "import signal\nsignal.raise_signal(signal.SIGTERM)\nafter = [str(i) for i in range(3)]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("inner_one", "outer_one"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    traced = sys.gettrace()
    owner.hold()
    owner.let_through()
    ended = False
    try:
        with pytest.raises(KeyboardInterrupt):
            importlib.import_module("outer_one")
            ended = True
        assert not ended and sys.gettrace() is None
        assert sys.modules["inner_one"].after == ["0", "1", "2"]
        assert ("outer_one" in sys.modules) == (not last)
        assert last or sys.modules["outer_one"].counted == 3
    finally:
        sys.settrace(traced)


def test_a_signal_during_an_import_does_nothing_once_the_outcome_is_settled(owner, tmp_path, monkeypatch):
    (tmp_path / "settled_one.py").write_text("import signal\nsignal.raise_signal(signal.SIGTERM)\nsettle()\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("builtins.settle", owner.ignore, raising=False)
    traced = sys.gettrace()
    owner.hold()
    owner.let_through()
    try:
        importlib.import_module("settled_one")
    finally:
        sys.settrace(traced)
        del sys.modules["settled_one"]


def test_what_was_ignored_from_the_start_stays_so(owner):
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # nohup
    owner.hold()
    owner.let_through()
    signal.raise_signal(signal.SIGHUP)
    assert owner.received is None


def test_nothing_interrupts_once_the_outcome_is_settled(owner):
    owner.hold()
    owner.let_through()
    owner.ignore()
    for number in signals.NUMBERS:
        signal.raise_signal(number)


def test_a_program_that_imports_iowatt_keeps_its_signals(monkeypatch):
    before = [signal.getsignal(number) for number in signals.NUMBERS]
    for argv in ([], ["-c"], ["/usr/bin/python"], ["notebook.py"]):
        monkeypatch.setattr("sys.argv", argv)
        signals.hold_in_command()
        assert [signal.getsignal(number) for number in signals.NUMBERS] == before
