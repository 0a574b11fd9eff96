"""The result of a search, ``iowatt.bff/1``: the peak of each metric, with the curves around it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from pydantic import Field, computed_field, model_validator

from iowatt.base.results import Note, Result, ResultDocument, is_none
from iowatt.emerald.family import EmeraldMetric, Offered, Standing
from iowatt.emerald.rules import RulesReference

Basis = Literal["estimated", "simulated", "calculated"]
PeakKind = Literal["peak", "largest", "smallest", "plateau", "before roll-off"]


class PointFigures(Result):
    """Figures of one configuration in one metric, estimated, simulated or calculated."""

    basis: Basis
    ep: float  #: EP of the metric: IOPS/W, MiB/s/W or GB/W.
    wall_w: float  #: At the wall.
    iops: float | None = None
    mib_per_s: float | None = None
    response_ms: float | None = None  #: Mean.
    outstanding: float | None = None  #: Mean requests in flight, of a closed loop at its limit.
    half_percent: float | None = None  #: Half of the 95 % interval of the rate, in percent of it.
    #: Utilisation by station: drives, processors, back end ...
    stations: dict[str, float] = Field(default_factory=dict)
    runs: int = 0  #: Simulations that it took.
    notes: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _without_computed(cls, values: Any) -> Any:
        """Values without the computed field, which a journal has too."""
        if not isinstance(values, dict):
            return values
        return {key: value for key, value in values.items() if key != "bottleneck"}

    @computed_field  # type: ignore[prop-decorator]
    @property
    def bottleneck(self) -> str | None:
        """The busiest station."""
        return max(self.stations, key=lambda name: self.stations[name], default=None)


def power_efficiency(
    metric: EmeraldMetric, iops: float | None, mib_per_s: float | None, wall_w: float
) -> float:
    """Operations rate over mean power (Emerald's EP): MiB/s for sequential metrics, else IOPS."""
    rate = mib_per_s if metric.kind == "sequential" else iops
    return (rate or 0.0) / wall_w if wall_w > 0 else 0.0


class StatedFigure(Result):
    """A figure of the family file by its key path; None where the file names no source."""

    figure: str
    quality: str | None
    source: str | None


class FamilyUsed(Result):
    """The family file."""

    file: str
    sha256: str
    set: list[str]
    scale_out: bool
    notes: list[str]
    figures: list[StatedFigure]


class EfficiencyErrors(Result):
    """EP as estimated against simulations, in percent; ``bias_percent`` is the mean with its sign."""

    points: int
    median_percent: float
    p95_percent: float
    worst_percent: float
    bias_percent: float


class EstimatorUsed(Result):
    """The estimates, and their errors."""

    used: bool
    pilots: int  #: Short simulations of single drives.
    estimated: int
    not_estimated: int
    why_not: list[str]
    errors: EfficiencyErrors | None
    by_metric: dict[str, EfficiencyErrors]


class GroupOfDrives(Result):
    """Like drives of a configuration."""

    drive: str
    count: int
    raid: str


class BuiltConfiguration(Result):
    """A configuration of the family."""

    controller: str
    nodes: int
    groups: list[GroupOfDrives]


class PeakPosition(Result):
    """Where a curve has its peak."""

    kind: PeakKind
    why: str
    #: Change of the metric one step below and above, in percent of it; None where there is no such point.
    less_percent: float | None
    more_percent: float | None
    at: int  #: Position on the curve.


class CurvePeak(PeakPosition):
    """The peak of a curve with its number of drives."""

    drives: int


class PeakConfiguration(PointFigures):
    """The configuration at a peak, with its figures."""

    configuration: BuiltConfiguration
    label: str
    drive: str
    group: str  #: Of drive options, characterised apart from others: hdd, ssd.
    raid: str
    controller: str
    drives: int
    nodes: int
    shelves: dict[str, int]  #: By kind.
    kind: PeakKind
    why: str
    less_percent: float | None  #: Change of the metric a step below and above, in percent.
    more_percent: float | None
    knee: str | None  #: The busiest station at the peak and beyond it.


class MetricPeaks(Result):
    """A metric and its peaks; None where no configuration has figures."""

    name: str
    title: str
    unit: str
    kind: Literal["random", "sequential", "idle"]
    read_percent: int | None
    peak: PeakConfiguration | None = None  #: By whole shelves, or nodes.
    by_drive: PeakConfiguration | None = None
    by_level: list[PeakConfiguration] = Field(default_factory=list)
    by_option: list[PeakConfiguration] = Field(default_factory=list)
    #: The best of each group of drive options, where there are several.
    by_group: list[PeakConfiguration] = Field(default_factory=list)


class CurvePoint(Result):
    """A configuration on a curve; ``ep`` is the best that is known."""

    drives: int
    nodes: int
    shelves: int
    ep: float | None
    basis: Basis | None
    estimated: PointFigures | None
    found: PointFigures | None
    error: str | None

    @property
    def best(self) -> PointFigures | None:
        """Simulated or calculated, else estimated."""
        return self.found or self.estimated


class MetricCurve(Result):
    """A metric over the drives of one option, level and controller class."""

    metric: str
    by: Literal["shelf", "drive"]
    drive: str
    raid: str
    controller: str
    per_node: int | None
    name: str
    peak: CurvePeak | None
    points: list[CurvePoint]


class ConfigurationFigures(PointFigures):
    """Figures of a named configuration in a metric."""

    metric: str


class NoFigures(Result):
    """Why a named configuration has no figures in a metric."""

    metric: str
    error: str


class NamedConfiguration(Result):
    """A configuration that the family file names."""

    name: str
    note: str | None
    configuration: BuiltConfiguration
    label: str
    drives: int
    shelves: dict[str, int]
    figures: list[ConfigurationFigures | NoFigures]
    idle_w: float | None = Field(default=None, exclude_if=is_none)
    active_w: float | None = Field(default=None, exclude_if=is_none)
    raw_gb: float | None = Field(default=None, exclude_if=is_none)
    error: str | None = Field(default=None, exclude_if=is_none)


class LargestConfiguration(Result):
    """The largest configuration of a drive option and controller class, by the power calculator."""

    drive: str
    controller: str
    drives: int
    nodes: int
    shelves: int
    raw_gb: float | None = None
    idle_w: float | None = None
    active_w: float | None = None  #: Every drive and part at work: an upper end.
    gb_per_w: float | None = None
    error: str | None = None


class ShareOfPeak(Result):
    """How near a configuration comes to the peak of a metric; ``share`` is a fraction."""

    ep: float
    basis: Basis
    share: float


class ReducedConfiguration(Result):
    """A configuration worth testing."""

    configuration: BuiltConfiguration
    label: str
    drives: int
    shelves: dict[str, int]
    figures: dict[str, ShareOfPeak]
    least_share: float | None


class CoveringConfiguration(ReducedConfiguration):
    """One that reaches the peaks of some metrics."""

    covers: list[str]


class LabSetup(Result):
    """A set-up for the lab: the largest of like configurations, which contains the others."""

    controller: str
    drives_of: list[str]
    drives: int
    nodes: int
    shelves: dict[str, int]
    contains: list[str]


class ReducedList(Result):
    """The fewest configurations that come near every peak, and the best single one."""

    within_percent: float
    configurations: list[CoveringConfiguration]
    uncovered: list[str]
    compromise: ReducedConfiguration | None
    setups: list[LabSetup]


class RasRange(Result):
    """A feature of reliability, availability or serviceability, and how many a configuration may have."""

    feature: str
    least: int
    most: int
    tested: int | None
    note: str | None


class ComOffer(Result):
    """A capacity optimisation method of the family."""

    method: str
    offered: Offered
    during_test: bool
    note: str | None


class DriveRange(Result):
    """A drive option: its group, and how many a configuration of each controller class may have."""

    drive: str
    group: str
    least: int
    most: dict[str, int]  #: By controller class that takes it, over all nodes.


class FamilyVariables(Result):
    """What varies within the family. RAS and COM features are recorded, not modelled."""

    controllers: list[str]
    nodes: list[int] | None  #: Fewest and most of a family that scales out.
    levels: list[str]
    drives: list[DriveRange]
    ras: list[RasRange]
    com: list[ComOffer]


class CoveredConfiguration(Result):
    """A named configuration, and whether the test at an optimal point covers it."""

    name: str
    standing: Standing
    why: str


class OptimalPoint(Result):
    """A peak as an ENERGY STAR optimal point, and the drive counts that its test covers."""

    metric: str
    group: str
    label: str
    drives: int
    least: int
    most: int
    percent: list[float]  #: Below and above the tested count, in percent of it.
    #: Numbers of drives by whole shelves, or nodes, within the range that can be built.
    built: list[int]
    rules: str  #: The rule profile of the range.
    verified: bool  #: Whether that rule was compared with the programme's text.
    standing: Standing  #: Of another count within the range.
    configurations: list[CoveredConfiguration]


class BestFootForward(ResultDocument):
    """A search of a product family."""

    schema_id: Literal["iowatt.bff/1"] = Field(default="iowatt.bff/1", alias="schema")
    version: str
    command: str | None
    name: str
    title: str
    family: FamilyUsed
    rules: RulesReference
    caveat: str | None  #: Unverified rules that the peaks depend on, in words.
    modelled: str
    simulated: bool  #: Whether peaks were simulated, or only estimated.
    limit_ms: float | None
    tolerance: float
    estimator: EstimatorUsed
    metrics: list[MetricPeaks]
    series: list[MetricCurve]
    configurations: list[NamedConfiguration]
    variables: FamilyVariables
    optimal_points: list[OptimalPoint]
    projection: list[LargestConfiguration]
    reduced: ReducedList
    notes: list[Note]

    @property
    def peaks(self) -> Iterator[tuple[MetricPeaks, PeakConfiguration]]:
        """The metrics that have a peak."""
        return ((metric, metric.peak) for metric in self.metrics if metric.peak is not None)
