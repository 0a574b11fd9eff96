"""Who does the work of a search: threads of this process, or a cluster.

The contract that every executor keeps (``tests/contract/executor_contract.py`` is its test, which a new
executor has to pass):

- ``submit(work, argument)`` takes a task and returns its ticket, a number that no other task of this executor
  has; it does not wait for the task. ``work`` is a function of a module and ``argument`` a plain value:
  both can be pickled, because they may travel to another machine, and so can the result. Arguments carry no
  bulk: of a trace its path and digest, never its content.
- The task is ``work(argument, report)``. ``report(fraction)`` says how far it is, at least a few times a
  second; it raises :class:`Cancelled` once the task is cancelled, and the task lets that pass.
- ``as_completed()`` yields one :class:`Finished` for each task submitted so far, in order of completion, and
  ends when there are none left; tasks may be submitted meanwhile. An exception of a task is its result
  (``error``), never an exception of the iterator. A task that is lost with its machine is run again or yields
  an error; it yields once in either case. :class:`MachineError` is an error of where a task was tried: the
  executor may have tried it on other machines. The iterator itself raises (``IowattError``) only where all of
  the executor is lost, with every task that it has not yielded.
- ``on_report`` hears of the reports: a ticket and how far it is, from any thread; ``None`` for nobody. It may
  be set until the first task is submitted.
- ``close()`` drops what has not begun, cancels what runs, waits until nothing of it runs, and may be called
  twice; nothing may be submitted afterwards.
- Tasks run at the same time where the executor has room for them; none may depend on another.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from iowatt.base.errors import InputError

Report = Callable[[float], None]
Work = Callable[[Any, Report], Any]


class Cancelled(Exception):
    """The task was cancelled."""


class MachineError(InputError):
    """A task could not be done where it was tried, for a reason of that place: a file that is not there.

    The task itself may be fine: it may be tried again, elsewhere or later.
    """


@dataclass(frozen=True)
class Finished:
    """A task that is done: its result, or the exception that it ended with."""

    ticket: int
    result: Any = None
    error: BaseException | None = None


class Executor(Protocol):
    """See the module for what each method promises."""

    on_report: Callable[[int, float], None] | None

    def submit(self, work: Work, argument: Any) -> int:
        """Take a task; returns its ticket."""

    def as_completed(self) -> Iterator[Finished]:
        """The tasks as they finish."""

    def close(self) -> None:
        """Cancel what is left and wait for it."""


class Threads:
    """An executor of ``jobs`` threads; see :mod:`iowatt.evaluate.search.tasks.executor`.

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
