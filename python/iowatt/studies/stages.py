"""Tables and Runs of the stages of a study, points made of their rows, and the idle lens on their Runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from iowatt.base.errors import IowattError
from iowatt.evaluate.search.tasks import Report, Threads, cores

if TYPE_CHECKING:
    import polars as pl

    from iowatt.evaluate.search import SweepAxis
    from iowatt.evaluate.search.rate import RateRequest
    from iowatt.lenses.idle.result import IdlePeriods, OraclePoint
    from iowatt.render.figure import Cell
    from iowatt.run.bundle import Run

Row = dict[str, Any]

TRANSITIONS_S: Final = (41.0, 9.0, 2.0)
"""Times for stopping and starting in s at which the oracles are asked besides the lens's own curve: the
server drive of the 2002 study, the laptop drive (4.5 + 4.5 s), and what no drive of its time could do."""


@dataclass(frozen=True)
class StudyStage:
    """One sweep of a study: a scenario and what varies in it."""

    key: str
    text: str
    #: Directory that file names in ``text`` are relative to.
    base: Path
    axes: Sequence[SweepAxis]
    #: Columns that distinguish its points from those of other stages in the table of all points.
    labels: Mapping[str, Cell]
    #: Whether the Runs themselves are kept, for what no table of a sweep holds.
    bundles: bool = False
    #: Whether each point is also run on a live volume, as long as its work takes. Needs ``bundles``.
    live: bool = False
    #: How points are judged at a response limit; None: as their scenarios say.
    within: RateRequest | None = None


def scenario_text(study: str, **values: str | float) -> str:
    """The scenario of a study (``scenario.toml`` in its package) with these values for its ``${names}``."""
    template = (files("iowatt.studies") / study / "scenario.toml").read_text("utf-8")
    return filled(template, values)


def filled(template: str, values: Mapping[str, str | float]) -> str:
    """A template with these values for its ``${names}``."""
    shown = {name: f"{value:g}" if isinstance(value, float) else value for name, value in values.items()}
    return Template(template).substitute(shown)


def captured_traces(*names: str) -> Path | None:
    """Where these captured traces lie: below the current directory, or beside the package's sources."""
    for place in (Path.cwd(), Path(__file__).resolve().parents[3]):
        folder = place / "examples" / "traces"
        if all((folder / name).is_file() for name in names):
            return folder
    return None


@dataclass(frozen=True)
class RecordedIdle:
    """What the idle lens found in a Run, and its oracles at :data:`TRANSITIONS_S`."""

    periods: IdlePeriods
    oracles: Sequence[OraclePoint]


class Results:
    """Tables by stage, with the paths from which the Runs that were kept can be opened."""

    def __init__(
        self,
        stages: Sequence[StudyStage],
        frames: dict[str, pl.DataFrame],
        root: Path,
        live_root: Path | None = None,
    ) -> None:
        self.stages = {stage.key: stage for stage in stages}
        self.frames = frames
        self._root = root
        self._live_root = live_root
        self._idle: dict[Path, RecordedIdle] = {}

    def rows(self, **labels: Any) -> Iterator[tuple[StudyStage, Row]]:
        """The points that were simulated of the stages with these labels, stage by stage."""
        for key, stage in self.stages.items():
            if key in self.frames and all(stage.labels.get(name) == value for name, value in labels.items()):
                yield from ((stage, row) for row in self.frames[key].to_dicts() if row["status"] == "done")

    def table(self) -> pl.DataFrame:
        """Every point of every sweep, after the labels of its sweep."""
        import polars as pl

        frames = [
            frame.select(
                pl.lit(key).alias("study.sweep"),
                *(pl.lit(value).alias(f"study.{name}") for name, value in self.stages[key].labels.items()),
                pl.all(),
            )
            for key, frame in self.frames.items()
        ]
        return pl.concat(frames, how="diagonal_relaxed")

    def run(self, stage: StudyStage, row: Row) -> Run:
        """The Run of a point, of a stage that keeps them."""
        from iowatt.run.bundle import Run

        return Run.open(self._path(stage, row))

    def live(self, stage: StudyStage, row: Row) -> Run:
        """The Run of a point on a live volume, of a stage that has them."""
        from iowatt.run.bundle import Run

        return Run.open(self.live_path(stage, row))

    def live_path(self, stage: StudyStage, row: Row) -> Path:
        """Where that Run is."""
        assert self._live_root is not None
        return self._live_root / stage.key / Path(str(row["run"])).name

    def scenario(self, stage: StudyStage, row: Row) -> tuple[Path, list[str]]:
        """The scenario of a point, of a stage that keeps its Runs, and what is set in it."""
        columns = [column for axis in stage.axes for column in axis.columns]
        return self._path(stage, row) / "scenario.toml", [f"{column}={row[column]}" for column in columns]

    def _path(self, stage: StudyStage, row: Row) -> Path:
        return self._root / stage.key / str(row["run"])

    def analyse_idle(self, points: Iterable[tuple[StudyStage, Row]], jobs: int | None = None) -> None:
        """Apply the idle lens to these points, several at a time."""
        paths = {self._path(stage, row) for stage, row in points} - self._idle.keys()
        if not paths:
            return
        threads = Threads(min(jobs or cores(), len(paths)))
        try:
            tickets = {threads.submit(_analyse, str(path)): path for path in sorted(paths)}
            for finished in threads.as_completed():
                if finished.error is not None:
                    raise IowattError("internal", None, f"idle periods: {finished.error}") from finished.error
                self._idle[tickets[finished.ticket]] = finished.result
        finally:
            threads.close()

    def idle(self, stage: StudyStage, row: Row) -> RecordedIdle:
        """What the idle lens found in the Run of a point."""
        self.analyse_idle([(stage, row)], jobs=1)
        return self._idle[self._path(stage, row)]


P = TypeVar("P")


def select(points: Iterable[P], **values: Any) -> list[P]:
    """The points whose attributes have these values."""
    return [one for one in points if all(getattr(one, name) == value for name, value in values.items())]


class StudyPoints(Generic[P]):
    """All points of a study; what :meth:`of` selects is in the order of its sweep."""

    def __init__(self, points: Sequence[P]) -> None:
        self.all = list(points)

    def of(self, kind: str, **values: Any) -> list[P]:
        """The points of a sweep with these values."""
        return select(self.all, kind=kind, **values)

    def one(self, kind: str, **values: Any) -> P:
        """The only such point; raises ``LookupError`` unless there is exactly one."""
        found = self.of(kind, **values)
        if len(found) != 1:
            raise LookupError(f"{len(found)} points of {kind} with {values}")
        return found[0]


def figure(path: str, *, optional: bool = False) -> Any:
    """A field that :func:`figures` reads: a label, a table column, or a key path of ``run.json``."""
    return field(metadata={"path": path, "optional": optional})


def figures(point: type, *sources: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a point that are declared by :func:`figure`, each from the first source that has it."""
    found = {}
    for one in fields(point):
        if "path" in one.metadata:
            values = (_look_up(source, one.metadata["path"]) for source in sources)
            found[one.name] = next((value for value in values if value is not _MISSING), _MISSING)
            if found[one.name] is _MISSING:
                if not one.metadata["optional"]:
                    raise LookupError(one.metadata["path"])
                found[one.name] = None
    return found


_MISSING: Final = object()


def _look_up(source: Mapping[str, Any], path: str) -> Any:
    if path in source:
        return source[path]
    key, _, rest = path.partition(".")
    return _look_up(source[key], rest) if rest and isinstance(source.get(key), Mapping) else _MISSING


@dataclass(frozen=True, kw_only=True)
class ArrayPoint:
    """What a row of a sweep says of an array under load."""

    kind: str = figure("kind")
    iops: float = figure("throughput.iops")
    mib_per_s: float = figure("throughput.mib_per_s")
    #: Mean response time.
    ms: float = figure("response_time_ms.all.mean")
    wall_w: float = figure("power_w.wall_mean")
    idle_w: float = figure("power_w.wall_idle")
    raw_gb: float = figure("capacity_gb.raw")
    #: Mean utilisation of the drives.
    busy: float = figure("devices.utilisation.mean")


def _analyse(path: str, _report: Report) -> RecordedIdle:
    from iowatt.lenses.idle import analyse, oracle_bound
    from iowatt.run.bundle import Run

    run = Run.open(path)
    return RecordedIdle(analyse(run), oracle_bound(run, TRANSITIONS_S))
