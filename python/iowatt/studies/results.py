"""What the stages of a study gave: tables, Runs, and the idle lens on those that recorded idle periods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.errors import IowattError
from iowatt.evaluate.search.executor import Report, Threads, cores

if TYPE_CHECKING:
    import polars as pl

    from iowatt.lenses.idle.result import IdlePeriods, OraclePoint
    from iowatt.run.bundle import Run
    from iowatt.studies.stage import Stage

Row = dict[str, Any]

TRANSITIONS_S: Final = (41.0, 9.0, 2.0)
"""Stopping and starting in s at which the oracles are asked besides the lens's own curve: the server drive of
the 2002 study, the laptop drive beside it (4.5 + 4.5 s), and what no drive of its time could do."""


@dataclass(frozen=True)
class RecordedIdle:
    """What the idle lens found in a Run, and its oracles at :data:`TRANSITIONS_S`."""

    found: IdlePeriods
    oracle_at: Sequence[OraclePoint]


class Results:
    """Tables by stage, with the paths from which the Runs that were kept can be opened."""

    def __init__(self, stages: Sequence[Stage], frames: dict[str, pl.DataFrame], root: Path) -> None:
        self.stages = {stage.key: stage for stage in stages}
        self.frames = frames
        self._root = root
        self._idle: dict[Path, RecordedIdle] = {}

    def of(self, **said: Any) -> list[str]:
        """Keys of the stages that say so."""
        return [
            key
            for key, stage in self.stages.items()
            if all(stage.said.get(name) == value for name, value in said.items())
        ]

    def rows(self, key: str) -> list[Row]:
        """The points of a stage that ran; none where this run has no such stage."""
        if key not in self.frames:
            return []
        return [row for row in self.frames[key].to_dicts() if row["status"] == "done"]

    def table(self) -> pl.DataFrame:
        """Every point of every sweep, with what its sweep says of it first."""
        import polars as pl

        frames = [
            frame.select(
                pl.lit(key).alias("study.sweep"),
                *(pl.lit(value).alias(f"study.{name}") for name, value in self.stages[key].said.items()),
                pl.all(),
            )
            for key, frame in self.frames.items()
        ]
        return pl.concat(frames, how="diagonal_relaxed")

    def path(self, key: str, row: Row) -> Path:
        """Where the Run of a point lies."""
        return self._root / key / str(row["run"])

    def run(self, key: str, row: Row) -> Run:
        """The Run of a point, of a stage that keeps them."""
        from iowatt.run.bundle import Run

        return Run.open(self.path(key, row))

    def analyse_idle(
        self,
        wanted: Iterable[tuple[str, Row]],
        jobs: int | None = None,
        told: Callable[[int, int], None] | None = None,
    ) -> None:
        """Apply the idle lens to these points, several at a time."""
        paths = list(dict.fromkeys(self.path(key, row) for key, row in wanted))
        paths = [path for path in paths if path not in self._idle]
        if not paths:
            return
        worker = Threads(min(jobs or cores(), len(paths)))
        try:
            tickets = {worker.submit(_analyse, str(path)): path for path in paths}
            for done, finished in enumerate(worker.as_completed(), 1):
                if finished.error is not None:
                    raise IowattError("internal", None, f"idle periods: {finished.error}") from finished.error
                self._idle[tickets[finished.ticket]] = finished.result
                if told is not None:
                    told(done, len(paths))
        finally:
            worker.close()

    def idle(self, key: str, row: Row) -> RecordedIdle:
        """What the idle lens found."""
        path = self.path(key, row)
        if path not in self._idle:
            self.analyse_idle([(key, row)], jobs=1)
        return self._idle[path]


def _analyse(path: str, _report: Report) -> RecordedIdle:
    from iowatt.lenses.idle import analyse
    from iowatt.lenses.idle.bound import Bound
    from iowatt.lenses.idle.periods import Periods
    from iowatt.lenses.idle.power import of_run
    from iowatt.run.bundle import Run

    run = Run.open(path)
    drives = of_run(run)
    whole_s = max(drive.transition_s for drive in drives)
    periods = Periods(run)
    bound = Bound(drives, periods.short, [seconds / whole_s for seconds in TRANSITIONS_S])
    for batch in periods.batches():
        bound.add(batch)
    points = bound.points(float(run.summary["energy"]["total_j"]))
    return RecordedIdle(analyse(run), points)
