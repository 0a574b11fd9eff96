"""The one owner of the signals that end the command."""

from __future__ import annotations

import signal

import pytest

from iowatt import signals


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
