"""Points being run: handed to an executor, their records kept as they come, one batch or many.

A sweep is one batch, an optimization many; what is in the journal is not run again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from iowatt.base.errors import IowattError
from iowatt.evaluate.search.executor import Cancelled, Executor, MachineError, Threads, Work, cores
from iowatt.evaluate.search.journal import error_record, error_text, load_record
from iowatt.evaluate.search.point import PointTask, described_files, evaluate_point

if TYPE_CHECKING:
    from iowatt.evaluate.search.journal import Journal
    from iowatt.evaluate.search.prepare import CheckedPoint, ScenarioInput


Record = dict[str, Any]


@dataclass(frozen=True)
class Progress:
    """Progress of a search, in points. ``running`` is the sum of the fractions done of running points.

    ``what`` names the phase: an optimization assesses points before it simulates any.
    """

    done: int
    total: int
    failed: int
    running: float
    what: str = "points"


@dataclass(frozen=True)
class PointJob:
    """A task with its name in messages, and the number of points that share it."""

    task: Any
    label: str
    points: int = 1


class JournalFolder(Protocol):
    """A folder that keeps records."""

    journal: Journal


@dataclass
class Evaluator:
    """Runs tasks and keeps their records by key; closes its executor at the end.

    ``total`` is the number of points that are expected; of these ``done`` are done and ``failed`` failed.
    """

    folder: JournalFolder | None
    executor: Executor | None
    jobs: int | None
    progress: Callable[[Progress], None] | None
    total: int
    #: Whether more than one task may read the same trace, so that it is decoded once.
    shared: bool = True
    #: The function that performs a job's task, wherever it runs; its record has the job's key.
    work: Work | None = None
    done: int = 0
    failed: int = 0
    records: dict[str, Record] = field(default_factory=dict)
    #: Faults of ours, which the next resumed search tries again.
    faults: list[str] = field(default_factory=list)
    #: Faults of the machine on which a point was tried, likewise.
    machines: list[str] = field(default_factory=list)
    _fractions: dict[int, float] = field(default_factory=dict)
    _open: ExitStack = field(default_factory=ExitStack)
    _worker: Executor | None = None

    def count(self, records: Iterable[Record]) -> None:
        """Take points into account whose records were there before."""
        for record in records:
            self.done += 1
            self.failed += "error" in record

    def evaluate(
        self, jobs: Mapping[str, PointJob], kept: Callable[[str, Record], None] = lambda key, record: None
    ) -> None:
        """Run jobs without a record; ``kept`` is called with each new record, and may raise to end the
        search."""
        missing = {key: job for key, job in jobs.items() if key not in self.records}
        if not missing:
            return
        worker = self._begun(max(len(missing), self.total - self.done))
        self._tell()
        tickets = {worker.submit(self.work or evaluate_point, job.task): key for key, job in missing.items()}
        for finished in worker.as_completed():
            self._fractions.pop(finished.ticket, None)
            key = tickets[finished.ticket]
            job = missing[key]
            if finished.error is not None:
                record = self._fault(finished.error, key, job.label)
            else:
                # As a resumed search will read it, so that both make the same table.
                kept_by = None if self.folder is None else self.folder.journal
                record = (
                    load_record(json.dumps(finished.result))
                    if kept_by is None
                    else kept_by.append(finished.result)
                )
            self.records[key] = record
            self.done += job.points
            self.failed += job.points * ("error" in record)
            kept(key, record)
            self._tell()

    def close(self) -> None:
        """Cancel what still runs."""
        worker, self._worker = self._worker or self.executor, None
        if worker is not None:
            worker.close()
        self._open.close()

    def _begun(self, most: int) -> Executor:
        from iowatt.trace.shared import SHARED_BYTES, sharing

        if self._worker is None:
            self._open.enter_context(sharing(SHARED_BYTES if self.shared else 0))
            self._worker = self.executor or Threads(min(self.jobs or cores(), most))
            self._worker.on_report = self._advanced
        return self._worker

    def _advanced(self, ticket: int, fraction: float) -> None:
        self._fractions[ticket] = fraction
        self._tell()

    def _tell(self) -> None:
        if self.progress is not None:
            running = sum(list(self._fractions.values()))
            self.progress(Progress(self.done, self.total, self.failed, running))

    def _fault(self, error: BaseException, key: str, label: str) -> Record:
        """A fault of ours or of a machine: the others go on, and a resumed search tries this one again."""
        if isinstance(error, KeyboardInterrupt | SystemExit | Cancelled):
            raise error
        if isinstance(error, MachineError):
            said = error_record(error)
            self.machines.append(f"{label}: {error_text(said)}")
            return {"key": key, "error": said}
        text = f"{type(error).__name__}: {error}"
        self.faults.append(f"{label}: {text}")
        message = f"a fault of iowatt: {text}"
        return {"key": key, "error": error_record(IowattError("internal", None, message))}


def point_task(
    given: ScenarioInput, checked: CheckedPoint, key: str, digests: dict[Path, str], **options: Any
) -> PointTask:
    """The task of a checked point; ``options`` are the other fields of :class:`PointTask`."""
    return PointTask(
        key=key,
        document=checked.document,
        base=str(given.base.resolve()),
        text=given.text,
        overrides=checked.overrides,
        files=described_files(checked.files, digests),
        **options,
    )
