"""Parts of an outcome in words: what was asked, how much was done, and what a point does with its limits."""

from __future__ import annotations

from iowatt.evaluate.search.optimize.result import PricingBasis
from iowatt.evaluate.search.optimize.result_view import FIRM, OptimizationView, ViewRow, number
from iowatt.pages.cost.words import years
from iowatt.pages.optimize import explanation
from iowatt.render import numbers
from iowatt.render.phrases import listed

USABLE = "capacity_gb.usable"


def asked(explored: OptimizationView) -> str:
    """The problem in a sentence."""
    goals = [
        f"{'maximize' if goal.maximize else 'minimize'} {explanation.title(explored, goal.metric)}"
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
        (space.untouched, "not looked at"),
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


def settings(explored: OptimizationView, row: ViewRow) -> list[tuple[str, str]]:
    """The settings of a point."""
    return [(axis.name, axis.of(row)) for axis in explored.axes]


def capacity(explored: OptimizationView, row: ViewRow) -> list[tuple[str, str]]:
    """The usable capacity of a point, where no objective or constraint says it."""
    known = None if USABLE in explored.metrics else explored.known(row, USABLE)
    if known is None:
        return []
    return [(explored.column(USABLE).title, explanation.value(explored, USABLE, known[0]))]


def dollars(pricing: PricingBasis) -> str:
    """Over how long, at what price of electricity, and what has a price."""
    horizon, price = pricing.horizon, pricing.usd_per_kwh
    over = f"the same work {horizon.amount:,.6g} times" if horizon.basis == "work" else years(horizon.amount)
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
        value = None if known is None else known[0]
        slack = limit.slack(value)
        held = limit.holds(value)
        if slack is None:
            left = {True: "kept", False: "broken", None: "not known"}[held]
        else:
            figure = explanation.value(explored, limit.metric, abs(slack))
            percent = f" ({numbers.percent(abs(slack / float(limit.value)))})" if limit.value else ""
            left = f"{figure}{percent} {'left' if slack >= 0 else 'beyond the limit'}"
        if known is not None and known[1] not in FIRM:
            left += ", estimated"
        found.append(
            (limit.text, explanation.value(explored, limit.metric, value, beside=number(limit.value)), left)
        )
    return found
