"""Operations on files as the load generator: iowatt's own, in the manner of SPEC SFS, and not it.

operations.parquet  a row for each operation
stage.json          when the stage began, its workload, its rate; of the pre-fill what was made
rest.json           of a stage without requests, instead

The files lie in directories of the target, one for each workload, which the pre-fill makes anew and which are
kept.
"""

from __future__ import annotations

import json
import threading
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np

from iowatt import core
from iowatt.base import input_file
from iowatt.base.errors import InputError
from iowatt.emerald import targets
from iowatt.emerald.conduct.drivers.idle import requests, rest
from iowatt.emerald.driver import DriverError
from iowatt.emerald.phases import FILE_ACCESS, FILL, PHASES
from iowatt.emerald.plan import Plan, PlanStage
from iowatt.emerald.plan.load import outstanding, rate_of
from iowatt.model.library.files import FileWorkload, find_file_workload
from iowatt.run.histogram import Histogram
from iowatt.sources.files import (
    MadeOperations,
    SetRequest,
    draw_timetable,
    observed,
    read_operations,
    refuse_full,
    save_operations,
)
from iowatt.sources.observation import Direction, Interval, Observation

OPERATIONS: Final = "operations.parquet"
STAGE: Final = "stage.json"
_MOST_THREADS: Final = 256


class FilesDriver:
    """Runs stages of file access (the contract is :class:`iowatt.emerald.driver.LoadDriver`)."""

    kind: str = "files"

    def __init__(self) -> None:
        self._sets: dict[str, core.FileSet] = {}

    def version(self) -> str:
        """This program: iowatt-0.1.0."""
        return f"iowatt-{version('iowatt')}"

    def check(self, plan: Plan) -> None:
        """Raises ``InputError`` where the target is no directory, or a stage has no rate or workload."""
        _directory(plan)
        for stage in plan.stages:
            if stage.workload not in (None, FILL):
                _workload(stage)
                rate_of(stage)

    def run(self, plan: Plan, stage: PlanStage, folder: Path, stop: threading.Event) -> None:
        """Run one stage to its end; a stage without requests is a rest, the pre-fill makes all files."""
        if stage.workload is None:
            found = targets.paths(plan)
            rest(stage.seconds or 0.0, folder, stop, lambda: requests(found))
            return
        if stage.workload == FILL:
            self._fill(plan, folder)
            return
        ended = time.monotonic() + (stage.seconds or 0.0)
        workload, rate, seed = _workload(stage), rate_of(stage), _seed(plan, stage)
        due = draw_timetable(workload, rate, stage.seconds or 0.0, seed)

        def watch(_share: float, _done: int) -> None:
            if stop.is_set():
                raise _FilesStopped

        try:
            stamps = self._set(plan, stage.workload).run(due.due_ns, due.code, progress=watch)
            refuse_full(stamps["full"], _directory(plan))
        except _FilesStopped:
            return
        except InputError as error:
            raise DriverError(error.code, error.place, error.message) from None
        made = MadeOperations(due.code, stamps)
        save_operations(made, folder / OPERATIONS)
        _write(
            folder,
            workload=workload.name,
            rate=rate,
            threads=_threads(plan),
            began_unix_ns=stamps["began_unix_ns"],
        )
        # The last operation is due a little before the end.
        stop.wait(max(0.0, ended - time.monotonic()))

    def observe(self, plan: Plan, stage: PlanStage, folder: Path) -> Observation:
        """The figures of a stage that has ended. Raises ``InputError`` with the file and the place."""
        del plan
        record = input_file.json_object(folder / STAGE)
        try:
            if stage.workload == FILL:
                return _filled(stage, record, folder)
            began, rate, threads = int(record["began_unix_ns"]), float(record["rate"]), int(record["threads"])
        except (KeyError, TypeError, ValueError):
            raise InputError("damaged", str(folder / STAGE), "lacks the times of the stage") from None
        made = read_operations(folder / OPERATIONS, began)
        return observed(
            made,
            _workload(stage),
            name=stage.id,
            rate=rate,
            threads=threads,
            seconds=stage.seconds or 0.0,
            interval_s=stage.interval_s,
            files=[folder / OPERATIONS],
        )

    def _set(self, plan: Plan, phase: str) -> core.FileSet:
        """The files of a phase, as the pre-fill left them."""
        if phase not in self._sets:
            self._sets[phase] = _request(plan, phase).open()
        return self._sets[phase]

    def _fill(self, plan: Plan, folder: Path) -> None:
        """Make the files of every workload, in place of those of an earlier measurement."""
        start, files, written = time.time(), 0, 0
        try:
            for phase in _phases(plan):
                request = _request(plan, phase)
                if request.path.exists():
                    request.open().remove()
                made = request.make()
                self._sets[phase] = made
                files, written = files + request.files * request.threads, written + made.bytes
        except InputError as error:
            raise DriverError(error.code, error.place, error.message) from None
        _write(folder, start=start, end=time.time(), files=files, bytes=written)


class _FilesStopped(Exception):
    """The measurement was stopped."""


def _directory(plan: Plan) -> Path:
    """The target. Raises ``InputError`` where it is no directory."""
    found = targets.paths(plan)
    if len(found) != 1 or not found[0].is_dir():
        raise InputError("wrong-kind", plan.target.path, "file access needs one directory that exists")
    return found[0]


def _phases(plan: Plan) -> list[str]:
    """Phases with files of their own, in the order of the plan."""
    return list(dict.fromkeys(stage.workload for stage in plan.stages if stage.workload in FILE_ACCESS))


def _threads(plan: Plan) -> int:
    """Threads of every stage, as files belong to threads: those that the largest needs."""
    most = max(outstanding(stage) for stage in plan.stages if stage.workload in FILE_ACCESS)
    return min(_MOST_THREADS, most)


def _request(plan: Plan, phase: str) -> SetRequest:
    """The files of a phase: an equal part of the plan's size."""
    share = (plan.target.size_bytes or 0) // len(_phases(plan))
    name = f"iowatt-emerald-{phase}"
    return SetRequest(_directory(plan), _profile(phase), share, _threads(plan), seed=plan.seed, name=name)


def _workload(stage: PlanStage) -> FileWorkload:
    """The mix of a stage. Raises ``InputError`` where it is none of file access."""
    if stage.workload not in FILE_ACCESS:
        text = f"{stage.workload!r} is not a file-access workload; expected {', '.join(FILE_ACCESS)}"
        raise InputError("unknown-name", f"stage {stage.id}: workload", text)
    return _profile(stage.workload)


def _profile(phase: str) -> FileWorkload:
    return find_file_workload(str(PHASES[phase].profile))


def _seed(plan: Plan, stage: PlanStage) -> int:
    """A stage's own, as of other load generators."""
    number = next(at for at, one in enumerate(plan.stages) if one.id == stage.id)
    return 1000 * plan.seed + number


def _write(folder: Path, **values: Any) -> None:
    try:
        (folder / STAGE).write_text(json.dumps(values, indent=2) + "\n", "utf-8")
    except OSError as error:
        raise DriverError("unwritable", str(folder / STAGE), f"cannot be written: {error.strerror}") from None


def _filled(stage: PlanStage, record: dict[str, Any], folder: Path) -> Observation:
    """The pre-fill: when, how many files and bytes, spread evenly over its time."""
    start, end = float(record["start"]), float(record["end"])
    files, written = int(record["files"]), int(record["bytes"])
    pieces = max(1, int(np.ceil((end - start) / stage.interval_s)))
    edges = np.linspace(start, end, pieces + 1)
    none, nothing = Histogram.of([], [], []), Direction(0, 0, None, timed=0)
    return Observation(
        name=stage.id,
        tool="files",
        version=f"iowatt-{version('iowatt')}",
        start=start,
        end=end,
        intervals=[
            Interval(
                float(edges[at]),
                float(edges[at + 1]),
                nothing,
                Direction(
                    files * (at + 1) // pieces - files * at // pieces,
                    written * (at + 1) // pieces - written * at // pieces,
                    None,
                    timed=0,
                ),
            )
            for at in range(pieces)
        ],
        read=none,
        write=none,
        warnings=["the files of the pre-fill are spread evenly over its time"],
        files=[folder / STAGE],
    )
