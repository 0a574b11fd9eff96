"""The result of a search, ``iowatt.bff/1``: the peak of each metric, with the curves around it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.emerald.bff.peak import Kind
from iowatt.emerald.bff.point_result import Basis, Judged


class StatedFigure(Result):
    """A figure of the family file by its key path; without a source it is the writer's word."""

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


class RulesNamed(Result):
    """The rules, and the keys of those used that are not verified."""

    profile: str
    version: str
    sha256: str
    unverified: list[str]


class Errors(Result):
    """EP as estimated against simulations, in percent; ``bias_percent`` is the mean with its sign."""

    points: int
    median_percent: float
    p95_percent: float
    worst_percent: float
    bias_percent: float


class Estimator(Result):
    """What was estimated, and how well."""

    used: bool
    pilots: int
    estimated: int
    not_estimated: int
    why_not: list[str]
    errors: Errors | None
    by_metric: dict[str, Errors]


class GroupUsed(Result):
    """Like drives of a configuration."""

    drive: str
    count: int
    raid: str


class Configuration(Result):
    """A configuration of the family."""

    controller: str
    nodes: int
    groups: list[GroupUsed]


class Chosen(Judged):
    """A configuration at a peak, with its figures."""

    configuration: Configuration
    label: str
    drive: str
    raid: str
    controller: str
    drives: int
    nodes: int
    #: By kind.
    shelves: dict[str, int]
    kind: Kind
    why: str
    #: Change of the metric a step below and above, in percent.
    less_percent: float | None
    more_percent: float | None
    #: The busiest station at the peak and beyond it.
    knee: str | None


class MetricFound(Result):
    """A metric and its peaks; None where no configuration has figures."""

    name: str
    title: str
    unit: str
    kind: Literal["random", "sequential", "idle"]
    read_percent: int | None
    #: By whole shelves, or nodes.
    peak: Chosen | None
    by_drive: Chosen | None
    by_level: list[Chosen]
    by_option: list[Chosen]


class PeakAt(Result):
    """The peak of a curve: the position of its point, and its number of drives."""

    kind: Kind
    why: str
    less_percent: float | None
    more_percent: float | None
    at: int
    drives: int


class Point(Result):
    """A configuration on a curve; ``ep`` is the best that is known."""

    drives: int
    nodes: int
    shelves: int
    ep: float | None
    basis: Basis | None
    estimated: Judged | None
    found: Judged | None
    error: str | None

    @property
    def best(self) -> Judged | None:
        """Simulated or calculated, else estimated."""
        return self.found or self.estimated


class Curve(Result):
    """A metric over the drives of one option, level and controller class."""

    metric: str
    by: Literal["shelf", "drive"]
    drive: str
    raid: str
    controller: str
    per_node: int | None
    name: str
    peak: PeakAt | None
    points: list[Point]


class JudgedMetric(Judged):
    """Figures of a named configuration in a metric."""

    metric: str


class NotJudged(Result):
    """A metric in which a named configuration has no figures, and why."""

    metric: str
    error: str


def _absent(value: object) -> bool:
    return value is None


class NamedConfiguration(Result):
    """A configuration that the family file names."""

    name: str
    note: str | None
    configuration: Configuration
    label: str
    drives: int
    shelves: dict[str, int]
    figures: list[JudgedMetric | NotJudged]
    idle_w: float | None = Field(default=None, exclude_if=_absent)
    active_w: float | None = Field(default=None, exclude_if=_absent)
    raw_gb: float | None = Field(default=None, exclude_if=_absent)
    error: str | None = Field(default=None, exclude_if=_absent)


class Projected(Result):
    """The largest configuration of a drive option and controller class, by the power calculator."""

    drive: str
    controller: str
    drives: int
    nodes: int
    shelves: int
    raw_gb: float | None = None
    idle_w: float | None = None
    #: Every drive and part at work: an upper end.
    active_w: float | None = None
    gb_per_w: float | None = None
    error: str | None = None


class Share(Result):
    """How near a configuration comes to the peak of a metric; ``share`` is a fraction."""

    ep: float
    basis: Basis
    share: float


class Worth(Result):
    """A configuration worth testing."""

    configuration: Configuration
    label: str
    drives: int
    shelves: dict[str, int]
    figures: dict[str, Share]
    least_share: float | None


class Covering(Worth):
    """One that reaches the peaks of some metrics."""

    covers: list[str]


class Setup(Result):
    """What has to stand in the lab: the largest of like configurations contains the others."""

    controller: str
    drives_of: list[str]
    drives: int
    nodes: int
    shelves: dict[str, int]
    contains: list[str]


class ReducedList(Result):
    """The fewest configurations that come near every peak, and the best single one."""

    within_percent: float
    configurations: list[Covering]
    uncovered: list[str]
    compromise: Worth | None
    setups: list[Setup]


class BestFootForward(ResultDocument):
    """A search of a product family."""

    schema_id: Literal["iowatt.bff/1"] = Field(default="iowatt.bff/1", alias="schema")
    version: str
    command: str | None
    name: str
    title: str
    family: FamilyUsed
    rules: RulesNamed
    #: What must stand beside every judgement.
    caveat: str | None
    modelled: str
    #: Whether peaks were simulated, or only estimated.
    simulated: bool
    limit_ms: float | None
    tolerance: float
    estimator: Estimator
    metrics: list[MetricFound]
    series: list[Curve]
    configurations: list[NamedConfiguration]
    projection: list[Projected]
    reduced: ReducedList
    notes: list[Note]

    @property
    def peaks(self) -> Iterator[tuple[MetricFound, Chosen]]:
        """The metrics that have a peak."""
        return ((metric, metric.peak) for metric in self.metrics if metric.peak is not None)
