"""The problem of an optimization: a space, objectives and constraints, from the options of a verb."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from iowatt.base.errors import Argument, InputError
from iowatt.evaluate.search import prepare
from iowatt.evaluate.search.axes import SweepAxis
from iowatt.evaluate.search.metrics.names import COST, DURABILITY, check_metric, parse_limit
from iowatt.evaluate.search.prepare import ScenarioInput
from iowatt.evaluate.search.pricing import Pricing, PricingRequest
from iowatt.evaluate.search.rate import RateRequest
from iowatt.evaluate.search.risk import RiskBasis

Operator = Literal["<=", ">="]
Method = Literal["auto", "exact", "search"]

KEEPS_UP: Final = "keeps up with its load"
"""A constraint on every system with open arrivals: without it figures depend on the length of the run."""

MOST_OBJECTIVES: Final = 4
_EXPRESSION: Final = re.compile(
    r"\s*([A-Za-z_][A-Za-z0-9_.%-]*)\s*(<=|>=|==|!=|<|>|=)\s*(\S.*?)\s*", re.ASCII
)
_EXAMPLE: Final = "for example `subject_to=response_time_ms.all.p95 <= 20`"


@dataclass(frozen=True)
class Objective:
    """A metric and which way it improves."""

    metric: str
    lower: bool

    def loss(self, value: float) -> float:
        """The value as something to make small."""
        return value if self.lower else -value


@dataclass(frozen=True)
class Constraint:
    """A limit that a metric must keep; the value is in the metric's own unit."""

    metric: str
    operator: Operator
    value: float

    def kept(self, value: float | None) -> bool:
        """Whether a value keeps it; one that is not known does not."""
        if value is None or math.isnan(value):
            return False
        return value <= self.value if self.operator == "<=" else value >= self.value

    def excess(self, value: float | None) -> float:
        """By how much of the limit a value violates it; infinite where it is not known."""
        if value is None or math.isnan(value):
            return math.inf
        beyond = value - self.value if self.operator == "<=" else self.value - value
        return max(0.0, beyond) / (abs(self.value) or 1.0)

    def possible(self, low: float, high: float) -> bool:
        """Whether some value from ``low`` to ``high`` keeps it."""
        return low <= self.value if self.operator == "<=" else high >= self.value

    @property
    def text(self) -> str:
        """As it would be written."""
        return f"{self.metric} {self.operator} {self.value:.10g}"


@dataclass(frozen=True)
class SearchProblem:
    """An optimization: what varies, what is better, what must hold, and how to search."""

    given: ScenarioInput
    axes: Sequence[SweepAxis]
    objectives: Sequence[Objective]
    constraints: Sequence[Constraint] = ()
    #: Judge each point at its highest rate within a limit; None: as its scenario says.
    within: RateRequest | None = None
    pricing: Pricing | None = None
    #: Assumptions of durability, where it is asked for.
    risk: RiskBasis | None = None
    method: Method = "auto"
    #: Most simulations; None: the default of the method.
    most: int | None = None
    seed: int = 1
    command: str | None = None

    @property
    def metrics(self) -> tuple[str, ...]:
        """All metrics that are asked for, objectives first."""
        named = [one.metric for one in self.objectives] + [one.metric for one in self.constraints]
        return tuple(dict.fromkeys(named))

    def argument_of(self, name: str) -> Argument:
        """The argument that asks for a metric."""
        for one in self.objectives:
            if one.metric == name:
                return Argument("minimize" if one.lower else "maximize")
        return Argument("subject_to")

    def losses(self, row: Mapping[str, Any]) -> tuple[float, ...] | None:
        """The objectives of a row as things to make small; None where one of them is not known."""
        found = []
        for one in self.objectives:
            value = row.get(one.metric)
            if value is None or isinstance(value, str) or math.isnan(value):
                return None
            found.append(one.loss(float(value)))
        return tuple(found)

    def violated(self, row: Mapping[str, Any]) -> list[str]:
        """The constraints that a row breaks, as text; a system that does not keep up with its load breaks one
        too."""
        found = [one.text for one in self.constraints if not one.kept(_number(row.get(one.metric)))]
        return [*found, KEEPS_UP] if row.get("overloaded") is True else found

    def excess(self, row: Mapping[str, Any]) -> float:
        """How much it violates of all of them together."""
        late = 1.0 if row.get("overloaded") is True else 0.0
        return late + math.fsum(one.excess(_number(row.get(one.metric))) for one in self.constraints)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def parse_objectives(maximize: Sequence[str], minimize: Sequence[str]) -> list[Objective]:
    """From the options, those to maximize first.

    Raises ``InputError`` where there are none or too many, one is given twice, or one does not exist.
    """
    found = [Objective(check_metric(name, Argument("maximize")), lower=False) for name in maximize]
    found += [Objective(check_metric(name, Argument("minimize")), lower=True) for name in minimize]
    names = [one.metric for one in found]
    if not found:
        message = "no metric to maximize or minimize is given"
        hint = "for example `maximize=efficiency.iops_per_w`"
        raise InputError("missing", Argument("maximize"), message, hint=hint)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError("duplicate", Argument("maximize"), f"{twice} is given twice as an objective")
    if len(found) > MOST_OBJECTIVES:
        message = f"{len(found)} objectives are too many: nearly every point would be on the front"
        hint = f"give at most {MOST_OBJECTIVES}; others can be constraints: `subject_to=METRIC <= VALUE`"
        raise InputError("too-large", Argument("maximize"), message, hint=hint)
    return found


def parse_constraint(text: str) -> Constraint:
    """One constraint: ``METRIC <= VALUE`` or ``METRIC >= VALUE``, the value with or without a unit.

    Raises ``InputError`` for any other text.
    """
    place = Argument("subject_to", text)
    match = _EXPRESSION.fullmatch(text)
    if match is None:
        raise InputError("bad-syntax", place, "expected METRIC <= VALUE or METRIC >= VALUE", hint=_EXAMPLE)
    name, operator, limit = match.groups()
    if operator not in ("<=", ">="):
        raise InputError("not-accepted", place, f"expected <= or >=, not {operator}", hint=_EXAMPLE)
    check_metric(name, place)
    return Constraint(name, "<=" if operator == "<=" else ">=", parse_limit(name, limit, place))


def parse_constraints(texts: Sequence[str]) -> list[Constraint]:
    """All of them.

    Raises ``InputError`` where two leave no value between them.
    """
    found = [parse_constraint(text) for text in texts]
    for one in found:
        for other in found:
            if (
                one.metric == other.metric
                and (one.operator, other.operator) == (">=", "<=")
                and one.value > other.value
            ):
                raise InputError(
                    "conflict", Argument("subject_to"), f"no value satisfies both {one.text} and {other.text}"
                )
    return found


TOLERANCE: Final = 0.01
"""How near each point's rate comes to the highest one within the limit, as a share."""


#: Arguments that durability takes of those of cost.
_OF_DURABILITY: Final = ("preset", "assume", "years")


def make_problem(
    given: ScenarioInput,
    varied: Iterable[str] | Mapping[Any, Iterable[Any]],
    *,
    maximize: Sequence[str] = (),
    minimize: Sequence[str] = (),
    subject_to: Sequence[str] = (),
    within_s: float | None = None,
    workload: str | None = None,
    method: str = "auto",
    most: int | None = None,
    seed: int = 1,
    pricing: PricingRequest | None = None,
    command: str | None = None,
) -> SearchProblem:
    """The problem of these options.

    Raises ``InputError``: what is wrong with one of them.
    """
    if method not in get_args(Method):
        message = f"there is no method {method!r}; expected one of {', '.join(get_args(Method))}"
        raise InputError("not-accepted", Argument("method"), message)
    if not 0 <= seed < 2**63:
        raise InputError("out-of-range", Argument("seed"), f"expected 0 to 2^63 - 1, not {seed}")
    if workload is not None and within_s is None:
        message = "selects the workload to search, but no limit is given"
        raise InputError("not-applicable", Argument("workload"), message, hint="for example `within=20ms`")
    if within_s is not None and not (math.isfinite(within_s) and within_s > 0):
        raise InputError("out-of-range", Argument("within"), f"expected a time above 0, not {within_s!r} s")
    goals = parse_objectives(maximize, minimize)
    limits = parse_constraints(subject_to)
    named = [one.metric for one in goals] + [one.metric for one in limits]
    priced = any(name.startswith(COST) for name in named)
    pricing = pricing or PricingRequest()
    risky = any(name.startswith(DURABILITY) for name in named)
    unused = [one for one in pricing.changed if not (risky and one in _OF_DURABILITY)]
    if not priced and unused:
        message = "this is an assumption of cost, and no objective or constraint is a cost"
        hint = "for example `minimize=cost.total_usd`"
        raise InputError("not-applicable", Argument(unused[0]), message, hint=hint)
    return SearchProblem(
        given,
        prepare.axes_of(given, varied),
        goals,
        limits,
        None if within_s is None else RateRequest(within_s, workload=workload, tolerance=TOLERANCE),
        pricing.resolve() if priced else None,
        RiskBasis.of(pricing.preset, pricing.assume, pricing.years) if risky else None,
        method,  # type: ignore[arg-type]  # one of them, checked above
        most,
        seed,
        command,
    )
