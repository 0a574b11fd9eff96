"""The result of an optimization as a document: ``iowatt.optimize/1`` (docs/reference/optimize.md).

Values are in the unit of their metric; points go by their numbers in the space.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, Final, Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.evaluate.search.axes import Cell
from iowatt.evaluate.search.metrics.names import metric_column
from iowatt.render.figure import Column

_HOLDS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<=": operator.le,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
    "==": operator.eq,
    "=": operator.eq,
    "!=": operator.ne,
}


def number(value: Any) -> float | None:
    """A finite number, or nothing."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


class ObjectiveResult(Result):
    """A metric to maximize or minimize."""

    metric: str
    direction: Literal["maximize", "minimize"]
    title: str
    unit: str

    @property
    def column(self) -> Column:
        """Title and unit; those of the metric where the document has none."""
        return _column(self.metric, self.title, self.unit)

    @property
    def maximize(self) -> bool:
        """Whether more is better."""
        return self.direction == "maximize"

    def gain(self, value: float, against: float) -> float:
        """How much better ``value`` is, in the metric's unit; negative where it is worse."""
        return value - against if self.maximize else against - value


class ConstraintResult(Result):
    """A limit that every feasible point keeps; ``text`` is as it was given."""

    metric: str
    operator: str
    value: Cell
    text: str
    title: str
    unit: str

    @property
    def column(self) -> Column:
        """Title and unit; those of the metric where the document has none."""
        return _column(self.metric, self.title, self.unit)

    def holds(self, value: Any) -> bool | None:
        """Whether a value keeps it; ``None`` where that is unknown."""
        test = _HOLDS.get(self.operator)
        if test is None or value is None:
            return None
        try:
            return bool(test(value, self.value))
        except TypeError:
            return None

    def slack(self, value: Any) -> float | None:
        """Slack to the limit, in the metric's unit; negative where it is broken."""
        here, limit = number(value), number(self.value)
        if here is None or limit is None:
            return None
        if self.operator in ("<=", "<"):
            return limit - here
        return here - limit if self.operator in (">=", ">") else None


def _column(metric: str, title: str, unit: str) -> Column:
    usual = metric_column(metric)
    return Column(title or usual.title, unit or usual.unit)


class RateLimitUsed(Result):
    """The limit at whose highest rate each point is judged; None: at the scenario's load."""

    within_ms: float | None
    statistic: str | None


class AxisResult(Result):
    """Keys that vary together, with their values."""

    columns: list[str]
    names: list[str]
    values: list[list[Cell]]
    ordered: bool


class SpaceCounts(Result):
    """Points of the space by outcome; all but ``size`` and ``estimated`` add up to ``size``."""

    size: int
    refused: int
    known_infeasible: int
    pruned: int
    estimated: int
    simulated: int
    failed: int
    untouched: int


class MetricErrors(Result):
    """Estimates against simulation over ``points`` points, in per cent of the simulated value."""

    points: int
    median_percent: float
    p95_percent: float
    worst_percent: float
    bias_percent: float


class EstimatorUse(Result):
    """Whether points were screened by the estimator, and how far it was off."""

    used: bool
    why_not: str | None
    #: Points that were both estimated and simulated.
    points: int
    #: Short simulations of single drives.
    pilots: int
    #: By metric.
    errors: dict[str, MetricErrors]


class PricingHorizon(Result):
    """Years (``time``), or how often the work is done (``work``)."""

    basis: str
    amount: float


class PricingBasis(Result):
    """The assumptions of dollars."""

    horizon: PricingHorizon
    book: str
    tariff: str
    usd_per_kwh: float | None
    #: Parts without a price, which cost nothing here.
    unpriced: list[str]
    #: Whether nothing but drives has a price.
    drives_only: bool


class ObjectiveChange(Result):
    """An objective of a point against the winner's; ``gain`` is positive where the point is better."""

    metric: str
    value: float | None
    #: ``simulated``, ``known``, ``estimated`` or ``corrected estimate``.
    basis: str | None
    change: float | None
    percent: float | None
    gain: float | None
    gain_percent: float | None


class ConstraintStatus(Result):
    """A constraint at a point, and what is left to the limit."""

    metric: str
    text: str
    limit: Cell
    value: Cell | None
    basis: str | None
    holds: bool | None
    slack: float | None
    slack_percent: float | None


class SettingDifference(Result):
    """An axis on which a point is not as the winner."""

    name: str
    columns: list[str]
    setting: str
    winner: str


class WinnerWithout(Result):
    """The point that would win without a constraint."""

    point: int
    differs: list[SettingDifference]
    objectives: list[ObjectiveChange]
    constraint: ConstraintStatus


class WinnerConstraint(ConstraintStatus):
    """A constraint at the winner; it ``binds`` where it keeps out a better point."""

    tight: bool
    binds: bool
    without: WinnerWithout | None


class Neighbour(Result):
    """Another setting of an axis with all else as the winner; ``point`` is None where none was seen."""

    setting: str
    #: Settings from the winner's, in the order of the axis.
    steps: int | None
    point: int | None = None
    status: str | None = None
    feasible: bool | None = None
    #: Texts of the constraints that it breaks.
    breaks: list[str] = Field(default_factory=list)
    bottleneck: str | None = None
    why_not: str | None = None
    overloaded: bool = False
    objectives: list[ObjectiveChange] = Field(default_factory=list)
    constraints: list[ConstraintStatus] = Field(default_factory=list)


class OtherPoint(Result):
    """A feasible simulated point beside the winner."""

    point: int
    differs: list[SettingDifference]
    objectives: list[ObjectiveChange]
    bottleneck: str | None


class AxisExplanation(Result):
    """The effect of other settings of an axis."""

    columns: list[str]
    name: str
    ordered: bool
    setting: str
    neighbours: list[Neighbour]
    #: Where the winner is at an end of the axis and the step inwards is worse.
    edge: Literal["first", "last"] | None
    #: The best point with another setting.
    otherwise: OtherPoint | None


class ConstraintCoverage(Result):
    """How many of the known points keep a constraint, and which point comes nearest."""

    text: str
    known: int
    kept: int
    nearest: float | None
    point: int | None


class AxisShare(Result):
    """The share of an axis in a variance."""

    name: str
    share: float


class ObjectiveShares(Result):
    """Shares of the axes in the variance of an objective; None where too few points are known."""

    metric: str
    simulated: int
    estimated: int
    axes: list[AxisShare] | None
    #: Share that only combinations of axes explain.
    together: float | None
    std: float | None


class WinnerExplanation(Result):
    """Why the winner wins; without one only ``limits`` and ``shares``."""

    winner: int | None
    #: The winner's busiest station by the estimate.
    bottleneck: str | None
    constraints: list[WinnerConstraint]
    axes: list[AxisExplanation]
    runner_up: OtherPoint | None
    limits: list[ConstraintCoverage]
    shares: list[ObjectiveShares]


class Optimization(ResultDocument):
    """The best of many configurations."""

    schema_id: Literal["iowatt.optimize/1"] = Field(default="iowatt.optimize/1", alias="schema")
    version: str
    command: str | None
    scenario: str
    method: str
    seed: int
    objectives: list[ObjectiveResult]
    constraints: list[ConstraintResult]
    judged: RateLimitUsed
    axes: list[AxisResult]
    space: SpaceCounts
    estimator: EstimatorUse
    front: list[int]
    knee: int | None
    winner: int | None
    winner_by: str | None
    #: The simulated point that violates least, where none is feasible.
    nearest: int | None
    proof: Literal["exact", "not proven"]
    #: Doubts about the winner.
    warnings: list[Note]
    #: Whose watts the figures are, and which models are stand-ins.
    basis: str | None
    pricing: PricingBasis | None
    notes: list[Note]
    why: WinnerExplanation
