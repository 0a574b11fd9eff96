"""One run of the sequence: what it uses, its progress, and the thread that watches it."""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.emerald.conduct.folder import MeasurementFolder
from iowatt.emerald.conduct.page import duration
from iowatt.emerald.conduct.state import read_state
from iowatt.emerald.driver import LoadDriver
from iowatt.emerald.plan import Plan, PlanStage
from iowatt.sources.meters.recording import Recorders

#: With less space left the run stops while its journal can still be written.
LEAST_FREE_BYTES: Final = 16 * 1024 * 1024
_LOOK_S: Final = 0.5


@dataclass(frozen=True)
class MeasurementProgress:
    """Progress of a measurement."""

    stage: PlanStage
    number: int  #: Counted from 1.
    of: int
    elapsed_s: float
    left_s: float  #: Of all stages from this one on that have a length.
    open_ended: int  #: Stages from this one on without a length.
    simulated: bool
    watts: float | None  #: Power by the meters; ``None`` where they have no value.

    @property
    def line(self) -> str:
        """Progress in a line."""
        stage = self.stage
        head = f"{stage.id} ({self.number} of {self.of})"
        length = "until all is written" if stage.seconds is None else duration(stage.seconds)
        if self.simulated:
            return f"{head}, simulated: {length}"
        elapsed = f"{duration(self.elapsed_s)} of {length}" if stage.seconds else length
        left = f"{duration(self.left_s)} left{', plus the pre-fill' if self.open_ended else ''}"
        watts = [] if self.watts is None else [f"{self.watts:.1f} W"]
        return ", ".join([head, elapsed, left, *watts])


@dataclass
class Session:
    """Everything a run of the sequence uses."""

    plan: Plan
    driver: LoadDriver
    folder: MeasurementFolder
    recorders: Recorders
    stop: threading.Event
    progress: Callable[[MeasurementProgress], None]
    gap_limit_s: float
    #: A clock that was set by more than this is a deviation; the rules', the same that `analyze` judges by.
    clock_limit_s: float
    #: Monotonic time at which the previous stage ended, s; None where none has in this session.
    previous_ended_s: float | None = None

    def deviation(self, stage: PlanStage, text: str) -> None:
        """Write a deviation of a stage to the journal."""
        self.folder.note("deviation", stage=stage.id, text=text)


class Watch:
    """A thread beside the stages: reports progress, stops before the disk is full, syncs finished stages."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._done = threading.Event()
        self._at: tuple[int, float] | None = None
        #: Folders of finished stages whose files are synced to the disk during the next stage.
        self.unsynced: queue.SimpleQueue[Path] = queue.SimpleQueue()
        state = read_state(session.folder.path, session.plan)
        self.attempts = {s.stage.id: len(s.attempts) for s in state.stages}
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        self._sync_finished()

    def begin(self, number: int, started: float) -> None:
        """A stage has begun."""
        self._at = (number, started)
        self._report()

    def _run(self) -> None:
        while not self._done.wait(_LOOK_S):
            self._sync_finished()
            try:
                free = shutil.disk_usage(self._session.folder.path).free
            except OSError:
                continue
            if free < LEAST_FREE_BYTES:
                self._session.folder.full.set()
            if self._session.folder.full.is_set():
                self._session.stop.set()
            self._report()

    def _sync_finished(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                place = self.unsynced.get_nowait()
                for file in [*(path for path in place.rglob("*") if path.is_file()), place, place.parent]:
                    with contextlib.suppress(OSError):
                        opened = os.open(file, os.O_RDONLY)
                        try:
                            os.fsync(opened)
                        finally:
                            os.close(opened)

    def _report(self) -> None:
        if self._at is None:
            return
        number, started = self._at
        stages = self._session.plan.stages
        elapsed = time.monotonic() - started
        timed = [stage.seconds for stage in stages[number:] if stage.seconds is not None]
        self._session.progress(
            MeasurementProgress(
                stages[number],
                number + 1,
                len(stages),
                elapsed,
                max(0.0, sum(timed) - min(elapsed, stages[number].seconds or 0.0)),
                len(stages) - number - len(timed),
                self._session.driver.kind == "simulation",
                self._session.recorders.watts,
            )
        )
