"""The outcome of an optimization in sentences: why the winner wins, what was asked, and how much was done."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from iowatt.base.digits import apart
from iowatt.evaluate.search import show_value
from iowatt.evaluate.search.metrics import DURABILITY, REBUILD, REBUILD_S
from iowatt.evaluate.search.optimize import FIRM, OptimizationView, ViewRow
from iowatt.evaluate.search.optimize.result import (
    AxisExplanation,
    ConstraintCoverage,
    ConstraintResult,
    ConstraintStatus,
    Neighbour,
    ObjectiveChange,
    OtherPoint,
    PricingBasis,
    WinnerExplanation,
    number,
)
from iowatt.pages.rebuilds import HOW
from iowatt.render import numbers
from iowatt.render.phrases import listed

NOTHING: Final = 0.05
"""Per cent below which a change is called none."""

_FEW: Final = 2
_OTHERS: Final = 4
"""Other settings that are told of an axis."""
_QUOTIENTS: Final = {
    "efficiency.iops_per_w": "throughput.iops",
    "efficiency.mib_per_s_per_w": "throughput.mib_per_s",
    "efficiency.raw_gb_per_w": "capacity_gb.raw",
    "efficiency.effective_gb_per_w": "capacity_gb.effective",
}
"""What efficiencies divide by watts."""
_PROBABILITIES: Final = (f"{DURABILITY}loss_per_year", f"{DURABILITY}loss_over_horizon")
_TIMES: Final = 1000.0
"""Per cent of a change from which it is told in times."""
_COUNT: Final = re.compile(r"array\.pool\.(?:[^.]+\.)?count")


@dataclass(frozen=True)
class Sentence:
    """A sentence about ``station``, ``constraint``, ``edge``, ``spread``, ``neighbour``, ``otherwise`` or
    ``runner-up``.
    """

    about: str
    text: str


def sentences(explored: OptimizationView, why: WinnerExplanation) -> list[Sentence]:
    """Every sentence that explains the winner."""
    told = [("station", text) for text in _station(why)]
    told += [("constraint", text) for text in _constraints(explored, why)]
    told += [("edge", text) for text in edges(why)]
    told += [("spread", text) for text in _shares(explored, why)]
    near = [_near(axis) for axis in why.axes]
    known = {one.point for ones in near for one in ones if one.point is not None}
    for axis, ones in zip(why.axes, near, strict=True):
        told += [("neighbour", _neighbour(explored, why, axis, one)) for one in ones]
        told += [("otherwise", text) for text in _otherwise(explored, axis, known)]
    told += [("runner-up", text) for text in _runner_up(explored, why, known)]
    return [Sentence(about, " ".join(text.replace("\u00a0", " ").split())) for about, text in told if text]


def value(
    explored: OptimizationView, metric: str, found: Any, *, unit: bool = True, beside: float | None = None
) -> str:
    """A figure with its unit, with enough digits to differ from ``beside``, which it is compared with."""
    if (finite := number(found)) is None:
        return numbers.NO_VALUE if found is None else show_value(found)
    if metric in _PROBABILITIES:
        return numbers.probability(finite)
    if explored.column(metric).unit == "B":
        return numbers.with_unit(finite, "B")
    if finite.is_integer():
        said = numbers.count(finite)
    else:
        said = numbers.significant(finite, 4) if beside is None else apart(finite, beside, 4)
    return f"{said} {explored.column(metric).unit}".strip() if unit else said


def title(explored: OptimizationView, metric: str) -> str:
    """The name of a metric inside a sentence."""
    found = explored.column(metric).title
    return found if "." in found or found[:2].isupper() else found[:1].lower() + found[1:]


def setting(columns: Sequence[str], name: str, other: str, own: str) -> str:
    """One setting in place of another: ``2 drives fewer (22)``, ``level 10 instead of 5``."""
    if len(columns) == 1 and _COUNT.fullmatch(columns[0]):
        try:
            more = int(other) - int(own)
        except ValueError:
            pass
        else:
            drives = "drive" if abs(more) == 1 else "drives"
            return f"{abs(more)} {drives} {'more' if more > 0 else 'fewer'} ({other})"
    return f"{name} {other} instead of {own}"


def changed(
    explored: OptimizationView, objectives: Sequence[ObjectiveChange], point: int | None = None
) -> str:
    """What a point would do against the winner: ``would lose 1.8 % in efficiency (72.9 IOPS/W instead of
    74.2)``.
    """
    assert explored.winner is not None
    parts = []
    for goal, one in zip(explored.goals, objectives, strict=True):
        own = explored.known(explored.winner, goal.metric)
        if one.value is None or one.gain is None or own is None:
            continue
        name, share = title(explored, goal.metric), one.gain_percent
        there = value(explored, goal.metric, one.value, beside=number(own[0]))
        here = value(explored, goal.metric, own[0], unit=False, beside=number(one.value))
        figures = f"{there} instead of {here}{_made_of(explored, goal.metric, point)}"
        better, much = one.gain > 0, "" if share is None else _much(abs(share), number(own[0]), one.value)
        if not one.gain or (share is not None and abs(share) < NOTHING):
            parts.append(f"change nothing in {name}")
        elif goal.maximize:
            parts.append(f"{'gain' if better else 'lose'}{much} in {name} ({figures})")
        else:
            parts.append(f"{'lower' if better else 'raise'} {name}{' by' if much else ''}{much} ({figures})")
    return f"would {listed(parts)}" if parts else ""


def _made_of(explored: OptimizationView, metric: str, point: int | None) -> str:
    """Both parts of an efficiency, where both points were simulated: ``: 2,627 IOPS instead of 2,005``."""
    row = explored.by_number.get(point) if point is not None else None
    if row is None or explored.winner is None or metric not in _QUOTIENTS:
        return ""
    told = []
    watts = ("power_w.wall_mean", "power_w.mean")
    for parts in ((_QUOTIENTS[metric],), watts):
        for part in parts:
            here, own = explored.simulated(row, part), explored.simulated(explored.winner, part)
            if here is not None and own is not None:
                instead = f"instead of {value(explored, part, own, unit=False)}"
                told.append(f"{value(explored, part, here)} {instead}")
                break
    return f": {', '.join(told)}" if len(told) > 1 else ""


def bound_of(explored: OptimizationView, limit: ConstraintResult) -> str:
    """The value of a limit as it was given, with its unit."""
    given = number(limit.value)
    said = show_value(limit.value) if given is None else f"{given:,.10g}"
    return f"{said} {explored.column(limit.metric).unit}".strip()


def breach(explored: OptimizationView, limit: ConstraintResult, kept: ConstraintStatus) -> str:
    """How a limit is broken: ``its usable capacity of 7,200 GB is below 9,000 GB``."""
    name = title(explored, limit.metric)
    here = value(explored, limit.metric, kept.value, beside=number(limit.value))
    bound = bound_of(explored, limit)
    way = {"<": "above", ">": "below"}.get(limit.operator[:1])
    if way is None:
        return f"its {name} is {here}, which breaks {limit.text}"
    return f"its {name} of {here} is {way} {bound}"


def _much(share: float, own: float | None, there: float) -> str:
    """How much a figure changes: `` 12 %``, or in times where that says more."""
    if own and there and (share >= _TIMES or abs(own / there) >= _TIMES):
        times = max(abs(there / own), abs(own / there))
        return f" a factor of {numbers.significant(numbers.rounded_to(times, 3))}"
    return f" {_share(share)}"


def _times(limit: ConstraintResult, reached: float | None) -> str:
    """How far a probability is from its limit; empty for other figures."""
    bound = number(limit.value)
    if limit.metric not in _PROBABILITIES or not reached or not bound:
        return ""
    below, times = reached <= bound, max(bound / reached, reached / bound)
    shown = numbers.significant(numbers.rounded_to(times, 3))
    return f"{shown} times {'below' if below else 'above'} the limit"


def _share(figure: float) -> str:
    return f"{numbers.significant(figure, 2 if figure < 10 else 3)} %"


def _station(why: WinnerExplanation) -> Iterator[str]:
    if why.bottleneck:
        yield f"The winner's bottleneck, its busiest station by the estimate, is {why.bottleneck}."


def _constraints(explored: OptimizationView, why: WinnerExplanation) -> Iterator[str]:
    if why.winner is None:
        for limit, kept in zip(explored.limits, why.limits, strict=True):
            yield _unkept(explored, limit, kept)
        return
    loose = []
    for limit, one in zip(explored.limits, why.constraints, strict=True):
        left = one.slack_percent
        at = f"at {value(explored, limit.metric, one.value, beside=number(limit.value))}"
        if times := _times(limit, number(one.value)):
            at += f", {times}"
        elif left is not None:
            at += f", {_share(abs(left))} of the limit {'left' if left >= 0 else 'beyond it'}"
        without = one.without
        if without is not None:
            where = listed([f"{part.name} {part.setting}" for part in without.differs])
            yield (
                f"{limit.text} binds ({at}): it rules out point {without.point} ({where}), which "
                f"{changed(explored, without.objectives)}{_marked(without.objectives)}, but "
                f"{breach(explored, limit, without.constraint)}."
            )
        elif one.tight:
            yield f"{limit.text} is tight ({at}), though it rules out no better point."
        elif one.value is not None:
            loose.append(f"{limit.text} ({at})")
    if loose:
        yield f"No better point is ruled out by {listed(loose)}."


def edges(why: WinnerExplanation) -> Iterator[str]:
    """Where the winner is at the end of what was offered."""
    for axis in why.axes:
        if axis.edge:
            yield (
                f"{axis.name} {axis.setting} is the {axis.edge} value offered, and the next one inwards is "
                "worse: values beyond it may be better still."
            )


def _unkept(explored: OptimizationView, limit: ConstraintResult, one: ConstraintCoverage) -> str:
    """Of a space without a feasible point: how many keep a constraint, and how near the others come."""
    if not one.known:
        return f"{limit.text}: not known for any point."
    best = value(explored, limit.metric, one.nearest, beside=number(limit.value))
    where = f"point {one.point} comes nearest with {best}" if one.point is not None else ""
    if not one.kept:
        return f"No point meets {limit.text}{f'; {where}' if where else ''}."
    return f"{numbers.count(one.kept)} of {numbers.count(one.known)} points meet {limit.text}."


def _otherwise(explored: OptimizationView, axis: AxisExplanation, told: set[int]) -> Iterator[str]:
    """The best with another setting, whatever the others are then: what insisting on another choice costs."""
    found = axis.otherwise
    if found is None or found.point in told or len(found.differs) < 2:
        return
    also = [f"{part.name} {part.setting}" for part in found.differs if part.columns != axis.columns]
    yield (
        f"The best simulated point with {axis.name} other than {axis.setting} is "
        f"point {found.point}, {_place(axis, found)} (with {listed(also)}): "
        f"it {changed(explored, found.objectives)}."
    )


def _place(axis: AxisExplanation, point: OtherPoint) -> str:
    own = next(part for part in point.differs if part.columns == axis.columns)
    return f"{axis.name} {own.setting}"


def _near(axis: AxisExplanation) -> list[Neighbour]:
    """The neighbours that are told: all of few, else the next on either side, without an order the best."""
    known = [one for one in axis.neighbours if one.point is not None]
    if axis.ordered and len(known) > _FEW:
        below = [one for one in known if (one.steps or 0) < 0]
        above = [one for one in known if (one.steps or 0) > 0]
        return [*below[-1:], *above[:1]]

    def worth(one: Neighbour) -> float:
        gains = [part.gain_percent for part in one.objectives if part.gain_percent is not None]
        return -sum(gains) if gains else float("inf")

    return known if len(known) <= _OTHERS else sorted(known, key=worth)[:_OTHERS]


def _neighbour(
    explored: OptimizationView, why: WinnerExplanation, axis: AxisExplanation, one: Neighbour
) -> str:
    place = setting(axis.columns, axis.name, one.setting, axis.setting)
    did = changed(explored, one.objectives, one.point)
    broken = [
        breach(explored, limit, kept)
        for limit, kept in zip(explored.limits, one.constraints, strict=True)
        if kept.holds is False
    ]
    if not did:
        if broken:
            return f"With {place} {listed(broken)}{_marked(one.constraints)}."
        reason = one.why_not or {"failed": "it failed", "refused": "it cannot be built"}.get(
            one.status or "", "nothing is known of it"
        )
        return f"With {place}: {reason.rstrip('.')}."
    if one.overloaded:
        return f"With {place} it is overloaded, so its figures are not those of a steady state."
    text = f"With {place} it {did}{_marked(one.objectives)}"
    better = any((part.gain_percent or 0) >= NOTHING for part in one.objectives)
    if better and not broken and one.feasible is False and one.why_not:
        broken = [f"it is left out: {one.why_not.rstrip('.')}"]
    if broken:
        text += f"{', but' if better else ', and'} {listed(broken)}"
    elif reason := _because(explored, why, one):
        text += f", {reason}"
    return f"{text}."


def _because(explored: OptimizationView, why: WinnerExplanation, one: Neighbour) -> str:
    """What differs inside: the rate within the limit, or the station that limits."""
    assert explored.winner is not None
    parts = []
    within, rate = explored.document.judged.within_ms, "rate_iops"
    told = [rate, "throughput.iops", "efficiency.iops_per_w"]
    if within is not None and not any(goal.metric in told for goal in explored.goals):
        row = {} if one.point is None else explored.by_number.get(one.point, {})
        here, own = explored.simulated(row, rate), explored.simulated(explored.winner, rate)
        if here is not None and own is not None:
            parts.append(
                f"sustaining {numbers.significant(here, 4)} instead of {numbers.significant(own, 4)} "
                f"requests per second within {numbers.significant(within)} ms"
            )
    if one.bottleneck and why.bottleneck and one.bottleneck != why.bottleneck:
        parts.append(f"where the busiest station is {one.bottleneck}")
    return ", ".join(parts)


def _marked(parts: Sequence[ObjectiveChange] | Sequence[ConstraintStatus]) -> str:
    """The mark of figures that were not simulated."""
    bases = {part.basis for part in parts if part.value is not None}
    return "" if bases <= set(FIRM) else " (estimated)"


def _runner_up(explored: OptimizationView, why: WinnerExplanation, known: set[int]) -> Iterator[str]:
    found = why.runner_up
    if found is None:
        if why.winner is not None:
            yield "No other simulated point is feasible."
        return
    where = listed([setting(part.columns, part.name, part.setting, part.winner) for part in found.differs])
    place = f"The runner-up is point {found.point}, {where or 'with the same settings'}"
    # What a neighbour does has been told with the others.
    yield (
        f"{place}."
        if found.point in known
        else f"{place}: it {changed(explored, found.objectives, found.point)}."
    )


def _shares(explored: OptimizationView, why: WinnerExplanation) -> Iterator[str]:
    for one in why.shares:
        if one.axes is None or not one.std:
            continue
        counted = one.simulated + one.estimated
        parts = sorted(one.axes, key=lambda part: -part.share)
        told = [f"{part.name} {numbers.percent(part.share)}" for part in parts]
        told += [f"interactions {numbers.percent(one.together)}"] if len(told) > 1 else []
        basis = "" if not one.estimated else f", {numbers.count(one.simulated)} of them simulated"
        yield (
            f"What sets {title(explored, one.metric)}, by shares of its variance over "
            f"{numbers.count(counted)} points{basis}: {', '.join(told)}."
        )


USABLE = "capacity_gb.usable"


def problem_text(explored: OptimizationView) -> str:
    """The problem in a sentence."""
    goals = [
        f"{'maximize' if goal.maximize else 'minimize'} {title(explored, goal.metric)}"
        for goal in explored.goals
    ]
    said = listed(goals) or "nothing"
    if explored.limits:
        said += f" with {listed([limit.text for limit in explored.limits])}"
    judged = explored.document.judged
    if judged.within_ms is not None:
        said += (
            f", each point at its highest rate within a {judged.statistic or 'mean'} response time "
            f"of {numbers.significant(judged.within_ms)} ms"
        )
    return said


def effort(explored: OptimizationView) -> str:
    """How large the space is and what was done of it."""
    space = explored.document.space
    share = (
        f" ({numbers.percent(space.simulated / space.size)} of {numbers.count(space.size)} points)"
        if space.size
        else ""
    )
    counted = (
        (space.estimated, "estimated"),
        (space.known_infeasible, "known to be infeasible before"),
        (space.pruned, "pruned by bounds"),
        (space.refused, "cannot be built"),
        (space.failed, "failed"),
        (space.untouched, "not evaluated"),
    )
    parts = [f"{numbers.count(space.simulated)} simulated{share}"]
    return ", ".join([*parts, *(f"{numbers.count(count)} {name}" for count, name in counted if count)])


def proof(explored: OptimizationView) -> str:
    """Whether the winner is proven to be the best."""
    if explored.document.proof != "exact":
        return "Not proven: points that were not simulated may be better."
    if explored.winner is None and not explored.front:
        return "Proven: no point of the space is feasible."
    return "Proven: every point was simulated, cannot be built, or cannot be on the front by its bounds."


def point_settings(explored: OptimizationView, row: ViewRow) -> list[tuple[str, str]]:
    """The settings of a point."""
    return [(axis.name, axis.of(row)) for axis in explored.axes]


def usable_capacity(explored: OptimizationView, row: ViewRow) -> list[tuple[str, str]]:
    """The usable capacity of a point, where no objective or constraint says it."""
    known = None if USABLE in explored.metrics else explored.known(row, USABLE)
    if known is None:
        return []
    return [(explored.column(USABLE).title, value(explored, USABLE, known[0]))]


def rebuild(explored: OptimizationView, row: ViewRow) -> list[tuple[str, str, str]]:
    """The rebuild that losses of a point rest on, where they are asked for."""
    basis, seconds = row.get(REBUILD), row.get(REBUILD_S)
    asked = any(metric.startswith(DURABILITY) for metric in explored.metrics)
    if not asked or not isinstance(basis, str) or not isinstance(seconds, float):
        return []
    how = " and ".join(HOW[one] for one in basis.split(" and "))
    return [("Rebuild of a drive", numbers.duration(seconds), how)]


def dollars(pricing: PricingBasis) -> str:
    """Over how long, at what price of electricity, and what has a price."""
    horizon, price = pricing.horizon, pricing.usd_per_kwh
    over = (
        f"the same work {horizon.amount:,.6g} times"
        if horizon.basis == "work"
        else numbers.years(horizon.amount)
    )
    parts = [f"costs are those of {over}", f"electricity by tariff {pricing.tariff}"]
    if price is not None:
        parts[-1] += f", {numbers.significant(price, 4)} $/kWh"
    if pricing.drives_only:
        parts.append("prices of drives only")
    elif pricing.unpriced:
        parts.append(f"without prices of {listed(pricing.unpriced)}")
    return "; ".join(parts)


def constraint_rows(explored: OptimizationView, row: ViewRow) -> list[tuple[str, str, str]]:
    """Each constraint at a point: its text, the value, and what is left."""
    found = []
    for limit in explored.limits:
        known = explored.limited(row, limit)
        reached = None if known is None else known[0]
        slack = limit.slack(reached)
        held = limit.holds(reached)
        if times := _times(limit, number(reached)):
            left = times
        elif slack is None:
            left = {True: "kept", False: "broken", None: "not known"}[held]
        else:
            figure = value(explored, limit.metric, abs(slack))
            percent = f" ({numbers.percent(abs(slack / float(limit.value)))})" if limit.value else ""
            left = f"{figure}{percent} {'left' if slack >= 0 else 'beyond the limit'}"
        if known is not None and known[1] not in FIRM:
            left += ", estimated"
        found.append((limit.text, value(explored, limit.metric, reached, beside=number(limit.value)), left))
    return found
