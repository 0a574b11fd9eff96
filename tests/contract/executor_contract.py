"""What every executor must do. A new one: subclass ``ExecutorContract`` with a fixture ``executor``."""

from __future__ import annotations

import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from iowatt.evaluate.search.tasks.executor import Cancelled


# Work has to be picklable: functions of a module, arguments and results of plain values.
def double(number, _report):
    return 2 * number


def fail(text, _report):
    raise ValueError(text)


def slow(seconds, report):
    """Works for a while, saying so; it ends early where nobody wants it."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        report(0.5)
        time.sleep(0.01)
    return seconds


def meet(folder, _report):
    """Two of these end only where both run at the same time."""
    mine = Path(folder) / f"{time.monotonic_ns()}-{threading.get_ident()}"
    mine.touch()
    until = time.monotonic() + 30
    while len(list(Path(folder).iterdir())) < 2:
        if time.monotonic() > until:
            return "alone"
        time.sleep(0.01)
    return "met"


def await_file(path, report):
    """Until another task has made the file, a minute at most."""
    until = time.monotonic() + 60
    while not Path(path).exists():
        if time.monotonic() > until:
            raise TimeoutError(path)
        report(0.5)
        time.sleep(0.02)


def mark(path, report):
    slow(0.3, report)
    Path(path).touch()


class ExecutorContract:
    """Tests of the promises in ``iowatt.evaluate.search.tasks.executor``.

    A subclass brings the fixture ``executor``, with room for two tasks at least.
    """

    def test_each_task_is_yielded_once_with_its_result(self, executor):
        tickets = {executor.submit(double, number): number for number in range(25)}
        assert len(tickets) == 25
        found = list(executor.as_completed())
        assert Counter(one.ticket for one in found) == Counter(tickets.keys())
        assert all(one.error is None and one.result == 2 * tickets[one.ticket] for one in found)

    def test_it_ends_when_nothing_is_left_and_takes_more_afterwards(self, executor):
        assert list(executor.as_completed()) == []
        executor.submit(double, 1)
        assert [one.result for one in executor.as_completed()] == [2]
        executor.submit(double, 2)
        assert [one.result for one in executor.as_completed()] == [4]

    def test_tasks_may_be_submitted_while_others_are_yielded(self, executor):
        executor.submit(double, 1)
        found = []
        for one in executor.as_completed():
            found.append(one.result)
            if one.result < 100:
                executor.submit(double, one.result)
        assert found == [2, 4, 8, 16, 32, 64, 128]

    def test_an_exception_is_the_result_of_its_task_alone(self, executor):
        bad, good = executor.submit(fail, "reason"), executor.submit(double, 3)
        found = {one.ticket: one for one in executor.as_completed()}
        assert isinstance(found[bad].error, ValueError)
        assert str(found[bad].error) == "reason"
        assert found[bad].result is None
        assert (found[good].result, found[good].error) == (6, None)

    def test_a_quick_task_does_not_wait_for_a_slow_one(self, executor, tmp_path):
        file = str(tmp_path / "quick")
        executor.submit(await_file, file)
        executor.submit(mark, file)
        assert [one.error for one in executor.as_completed()] == [None, None]

    def test_tasks_run_at_the_same_time(self, executor, tmp_path):
        for _ in range(2):
            executor.submit(meet, str(tmp_path))
        assert [one.result for one in executor.as_completed()] == ["met", "met"]

    def test_closing_cancels_what_runs_and_drops_what_waits(self, executor, tmp_path):
        executor.submit(slow, 600)
        executor.submit(slow, 600)
        marks = [tmp_path / f"mark{number}" for number in range(20)]
        for path in marks:
            executor.submit(mark, str(path))
        executor.close()  # does not take the ten minutes that the first two would
        assert sum(path.exists() for path in marks) < len(marks)
        left = sorted(path for path in marks if path.exists())
        time.sleep(0.5)
        assert sorted(path for path in marks if path.exists()) == left

    def test_closing_twice_is_closing_once(self, executor):
        executor.submit(double, 1)
        assert len(list(executor.as_completed())) == 1
        executor.close()
        executor.close()

    def test_nothing_is_taken_once_closed(self, executor):
        executor.close()
        with pytest.raises(RuntimeError):
            executor.submit(double, 1)

    def test_cancelled_is_what_a_report_raises_when_nobody_listens(self):
        assert issubclass(Cancelled, Exception)
