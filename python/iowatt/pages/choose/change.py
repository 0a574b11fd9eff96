"""Tables of an answer: what would change it, what the load keeps of its trace, how good estimates are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from iowatt.evaluate.choose.result import Choose
from iowatt.pages.choose.verdict import amount, apart, missed, money
from iowatt.render.figure import Cell, Column, Exact, Figure, Significant, Table

_SCREENING: Final = 0.15
"""Median error above which estimates are good for screening only."""


def changes(found: Choose) -> Iterator[Figure]:
    """Break-evens, limits that cost money, other data and load."""
    if found.break_evens:
        columns = [
            Column("Assumption", text=True), Column("Now", text=True), Column("Below", text=True),
            Column("Cheapest then", text=True), Column("Above", text=True),
            Column("Cheapest then", text=True),
        ]  # fmt: skip
        rows: list[list[Cell]] = [
            [
                one.text, amount(one.value, one.unit),
                "–" if one.below is None else amount(one.below, one.unit), one.below_winner,
                "–" if one.above is None else amount(one.above, one.unit), one.above_winner,
            ]
            for one in sorted(found.break_evens, key=lambda one: one.of)
        ]  # fmt: skip
        caption = (
            "One assumption at a time, among the systems that meet the requirements. "
            "A dash: the choice stands, down to a fifth or up to five times the figure."
        )
        yield Figure("break-evens", "Break-evens", caption, Table(columns, rows), wide=True)
    if found.relaxed:
        columns = [Column("Limit", text=True), Column("Asked", text=True), Column("Enough", text=True),
                   Column("For", text=True), Column("Dollars", text=True)]  # fmt: skip
        rows = [
            [
                "data loss a year" if one.what == "loss_per_year" else one.what.replace("_", " "),
                *reversed(apart(one.needed, one.limit, one.unit)),
                one.title,
                money(one.usd),
            ]
            for one in found.relaxed
        ]
        yield Figure(
            "relaxed",
            "Limits that cost money",
            "Cheaper systems that miss one limit only.",
            Table(columns, rows),
            wide=True,
        )
    if found.what_if:
        family = None if found.winner is None else found.winner.family
        columns = [Column("If", text=True), Column("Cheapest then", text=True), Column("Dollars", text=True),
                   Column("Family", text=True)]  # fmt: skip
        rows = [
            [
                f"{'half' if one.factor == 0.5 else f'{one.factor:g} times'} the {one.what}", one.winner,
                None if one.usd is None else money(one.usd),
                "stays" if one.family == family else one.family and f"changes to {one.family}",
            ]
            for one in found.what_if
        ]  # fmt: skip
        yield Figure(
            "what-if",
            "Other data and load",
            "Sized and priced by the estimator.",
            Table(columns, rows),
            wide=True,
        )


def footprints(found: Choose) -> Iterator[Figure]:
    """What each workload's stream keeps of its trace, and whether the choice depends on it."""
    if found.footprints:
        columns = [
            Column("Workload", text=True), Column("Stream", text=True), Exact("Rate", "/s", digits=5),
            Significant("Touched", "GB"), Exact("Cache hits", "%", digits=3), Exact("Run", "B", digits=4),
            Exact("Burstiness", digits=3), Column("Not kept", text=True),
        ]  # fmt: skip
        rows: list[list[Cell]] = [
            [
                one.workload, f"{one.stream}{' (chosen)' if one.chosen else ''}", one.rate_iops,
                one.touched_bytes / 1e9, None if one.cache_hits is None else 100 * one.cache_hits,
                one.run_bytes,
                one.burstiness, ", ".join(one.lost) or None,
            ]
            for one in found.footprints
        ]  # fmt: skip
        caption = (
            "Cache hits: of a cache of 1 % of the workload's capacity. "
            "Burstiness: standard deviation of requests per second over their mean. "
            "Not kept: off by more than 20 % of what was recorded. "
            "For clones and stretched traces, one tenant is measured, within its part of the capacity."
        )
        yield Figure("footprint", "What the load keeps of the trace", caption, Table(columns, rows))
    others = [(one.title, one.otherwise) for one in found.families if one.otherwise is not None]
    if others:
        columns = [
            Column("Family", text=True),
            Column("System", text=True),
            Column("Trace scaled as", text=True),
            Significant("p95", "ms"),
            Column("Misses", text=True),
        ]
        rows = [
            [
                title,
                other.title,
                other.footprint,
                other.p95_ms,
                "; ".join(missed(each) for each in other.missed) or "nothing",
            ]
            for title, other in others
        ]
        caption = "The best systems, and those that miss one limit only, with the trace scaled the other way."
        yield Figure("otherwise", "Does the choice depend on it?", caption, Table(columns, rows))


def errors(found: Choose) -> Figure:
    """How far estimates are from simulations."""
    columns = [
        Column("Figure", text=True), Column("Systems"), Exact("Median error", "%", digits=3),
        Exact("95 % within", "%", digits=3), Column("Good for", text=True),
    ]  # fmt: skip
    names = {"usd": "Dollars", "watts": "Watts", "p95_ms": "p95"}
    rows: list[list[Cell]] = [
        [
            names[one.of],
            one.systems,
            100 * one.median,
            100 * one.p95,
            "screening only" if one.median > _SCREENING else "screening and what-ifs",
        ]
        for one in found.errors
    ]
    caption = (
        "Every figure of the verdict is simulated. "
        "An estimated p95 is that of an exponential distribution with the estimated mean."
    )
    return Figure("errors", "Estimates beside simulations", caption, Table(columns, rows))
