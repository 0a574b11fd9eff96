"""Runs jobs on an executor and keeps their records as they come, in one batch (a sweep) or many.

A job whose record is already in the journal is not run again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from iowatt.base.errors import InputError, IowattError
from iowatt.base.processors import cores
from iowatt.evaluate.search.tasks.executor import Cancelled, Executor, MachineError, Threads, Work
from iowatt.evaluate.search.tasks.journal import error_record, error_text, load_record

if TYPE_CHECKING:
    from iowatt.evaluate.search.tasks.journal import SearchJournal

Record = dict[str, Any]


@dataclass(frozen=True)
class SearchProgress:
    """Progress of a search, in points. ``running`` is the sum of the fractions done of running points.

    ``what`` names the phase: an optimization assesses points before it simulates any.
    """

    done: int
    total: int
    failed: int
    running: float
    what: str = "points"
    #: The share done of all phases together, where it is known; ``done`` and ``total`` are of this one.
    fraction: float | None = None


@dataclass(frozen=True)
class Job:
    """A task with its name in messages, and the number of points that share it."""

    task: Any
    label: str
    points: int = 1


@dataclass
class Evaluator:
    """Runs jobs with ``work``, which returns a record with the job's key; closes its executor at the end.

    Of the ``total`` points expected, ``done`` are done, and ``failed`` of these have no figures.
    """

    work: Work
    journal: SearchJournal | None
    executor: Executor | None
    jobs: int | None
    progress: Callable[[SearchProgress], None] | None
    total: int
    #: Whether more than one task may read the same trace, so that it is decoded once.
    shared: bool = True
    done: int = 0
    failed: int = 0
    records: dict[str, Record] = field(default_factory=dict)
    #: Tasks that failed by a fault of iowatt; a resumed search tries them again.
    faults: list[str] = field(default_factory=list)
    #: Tasks that failed because of the machine that ran them; likewise.
    machines: list[str] = field(default_factory=list)
    _fractions: dict[int, float] = field(default_factory=dict)
    _open: ExitStack = field(default_factory=ExitStack)
    _worker: Executor | None = None

    def count(self, records: Iterable[Record]) -> None:
        """Count points whose records exist already."""
        for record in records:
            self.done += 1
            self.failed += "error" in record

    def evaluate(
        self, jobs: Mapping[str, Job], on_record: Callable[[str, Record], None] = lambda key, record: None
    ) -> None:
        """Run the jobs that have no record yet.

        ``on_record`` is called with each new record, and may raise to end the search.
        """
        missing = {key: job for key, job in jobs.items() if key not in self.records}
        if not missing:
            return
        worker = self._started(max(len(missing), self.total - self.done))
        self._report_progress()
        tickets = {worker.submit(self.work, job.task): key for key, job in missing.items()}
        for finished in worker.as_completed():
            self._fractions.pop(finished.ticket, None)
            key = tickets[finished.ticket]
            job = missing[key]
            if finished.error is not None:
                record = self._error_of(finished.error, key, job.label)
            elif self.journal is not None:
                record = self.journal.append(finished.result)
            else:  # through JSON, as a journal would return it: both make the same table
                record = load_record(json.dumps(finished.result))
            self.records[key] = record
            self.done += job.points
            self.failed += job.points * ("error" in record)
            on_record(key, record)
            self._report_progress()

    def close(self) -> None:
        """Cancel what still runs."""
        worker, self._worker = self._worker or self.executor, None
        if worker is not None:
            worker.close()
        self._open.close()

    def _started(self, most: int) -> Executor:
        from iowatt.trace.shared import SHARED_BYTES, sharing

        if self._worker is None:
            self._open.enter_context(sharing(SHARED_BYTES if self.shared else 0))
            self._worker = self.executor or Threads(min(self.jobs or cores(), most))
            self._worker.on_report = self._advanced
        return self._worker

    def _advanced(self, ticket: int, fraction: float) -> None:
        self._fractions[ticket] = fraction
        self._report_progress()

    def _report_progress(self) -> None:
        if self.progress is not None:
            running = sum(list(self._fractions.values()))
            self.progress(SearchProgress(self.done, self.total, self.failed, running))

    def _error_of(self, error: BaseException, key: str, label: str) -> Record:
        """The record of a task that raised; the others go on, and a resumed search tries this one again."""
        if isinstance(error, KeyboardInterrupt | SystemExit | Cancelled):
            raise error
        if isinstance(error, MachineError):
            self.machines.append(f"{label}: {error_text(error)}")
            return {"key": key, "error": error_record(error)}
        text = f"{type(error).__name__}: {error}"
        self.faults.append(f"{label}: {text}")
        message = f"internal error: {text}"
        return {"key": key, "error": error_record(IowattError("internal", None, message))}


def recorded(key: str, work: Callable[[], Record]) -> Record:
    """The record of a task: what ``work`` returns, or ``error`` where the task cannot be done anywhere.

    Every task function goes through it. ``MachineError`` passes: another machine may succeed.
    """
    try:
        return {"key": key, **work()}
    except MachineError:
        raise
    except InputError as error:
        return {"key": key, "error": error_record(error)}
