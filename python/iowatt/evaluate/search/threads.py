"""Threads as an executor: the simulator releases the interpreter, so that each has a core of its own."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

from iowatt.evaluate.search.executor import Cancelled, Finished, Work


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Threads:
    """An executor of ``jobs`` threads; see :mod:`iowatt.evaluate.search.executor`.

    ``on_report`` is told of every report of a task: its ticket and how far it is. It is called by the
    threads.
    """

    def __init__(self, jobs: int, on_report: Callable[[int, float], None] | None = None) -> None:
        if jobs < 1:
            raise ValueError(f"an executor needs at least one thread, not {jobs}")
        self._waiting: queue.SimpleQueue[tuple[int, Work, Any] | None] = queue.SimpleQueue()
        self._finished: queue.SimpleQueue[Finished] = queue.SimpleQueue()
        self._cancelled = threading.Event()
        self.on_report = on_report
        self._submitted = self._yielded = 0
        self._closed = False
        self._threads = [
            threading.Thread(target=self._serve, name=f"iowatt-worker-{number}", daemon=True)
            for number in range(jobs)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, work: Work, argument: Any) -> int:
        """Take a task; returns its ticket."""
        if self._closed:
            raise RuntimeError("the executor is closed")
        self._submitted += 1
        self._waiting.put((self._submitted, work, argument))
        return self._submitted

    def as_completed(self) -> Iterator[Finished]:
        """The tasks as they finish."""
        while self._yielded < self._submitted and not self._closed:
            done = self._finished.get()  # a signal (Ctrl-C) interrupts this wait
            self._yielded += 1
            yield done

    def close(self) -> None:
        """Cancel what is left and wait for it."""
        self._closed = True
        self._cancelled.set()
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        while (task := self._waiting.get()) is not None:
            if self._cancelled.is_set():
                continue
            ticket, work, argument = task
            try:
                self._finished.put(Finished(ticket, work(argument, self._reporter(ticket))))
            except BaseException as error:
                self._finished.put(Finished(ticket, error=error))

    def _reporter(self, ticket: int) -> Callable[[float], None]:
        def report(fraction: float) -> None:
            if self._cancelled.is_set():
                raise Cancelled
            if self.on_report is not None:
                self.on_report(ticket, fraction)

        return report
