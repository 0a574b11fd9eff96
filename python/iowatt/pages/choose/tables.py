"""The chart and the tables of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from iowatt.evaluate.choose.result import Choose, FamilyAnswer, SystemFigures
from iowatt.pages.choose import marks
from iowatt.pages.choose.verdict import brief, is_late, misses, money
from iowatt.render import numbers, palette, plot
from iowatt.render.figure import Cell, Column, Exact, Figure, Significant, Table, axis, layout

FAR: Final = 10.0
"""Systems that cost this many times the cheapest are left out of the charts."""


def chart(found: Choose) -> Figure:
    """Dollars against watts of the best of each family; what misses something is open and paler."""
    shown = [(one, one.watts) for one in _near(found) if one.watts]
    x = axis("Mean power (W)", type="log", **marks.ticks([watts for _, watts in shown]))
    drawn = layout(x, _dollars_axis(found, shown), legend={"orientation": "h", "y": 1.12})
    columns = [
        Column("Family", text=True), Column("System", text=True), Column("Watts", "W"),
        Column("Dollars", "USD"),
    ]  # fmt: skip
    rows: list[list[Cell]] = [[one.family, one.title, one.watts, one.usd] for one, _ in shown]
    caption = (
        "The best of each family that keeps up with the load. Open: it misses a service level or a limit."
    )
    return Figure(
        "choice",
        "Dollars against watts",
        caption,
        Table(columns, rows),
        plot.spec(_marked(found, shown), drawn),
    )


def levels(found: Choose) -> Figure:
    """Dollars against response time as a share of its limit, with the limit as a line."""
    shown = [(one, share) for one in _near(found) if (share := _share(one)) is not None]
    x = axis(
        "Response time over its limit, of the tightest service level", type="log",
        **marks.ticks([1.0, *(share for _, share in shown)]),
    )  # fmt: skip
    limit = [plot.reference_line(x=1, dash="dot")]
    drawn = layout(x, _dollars_axis(found, shown), legend={"orientation": "h", "y": 1.12}, shapes=limit)
    columns = [Column("Family", text=True), Exact("Share of the limit", digits=3), Column("Dollars", "USD")]
    rows: list[list[Cell]] = [[one.family, share, one.usd] for one, share in shown]
    caption = "Left of the line every service level is kept. Open: it misses that, or something else."
    return Figure(
        "levels",
        "Dollars against the service level",
        caption,
        Table(columns, rows),
        plot.spec(_marked(found, shown), drawn),
    )


def _near(found: Choose) -> list[SystemFigures]:
    """The best of each family that keeps up with the load, as far as its dollars are of interest."""
    best = [one.best for one in found.families if one.best is not None]
    shown = [one for one in best if one.usd and not is_late(one)]
    most = FAR * min((one.usd or 0.0 for one in shown), default=0.0)
    return [one for one in shown if (one.usd or 0.0) <= most]


def _share(one: SystemFigures) -> float | None:
    shares = [level.ms / level.limit_ms for level in one.levels if level.ms]
    return max(shares, default=None)


def _dollars_axis(found: Choose, shown: Sequence[tuple[SystemFigures, float]]) -> dict[str, Any]:
    ticks = marks.ticks([one.usd for one, _ in shown if one.usd], "$")
    return axis(f"Dollars over {numbers.years(found.years)}", type="log", **ticks)


def _marked(found: Choose, shown: Sequence[tuple[SystemFigures, float]]) -> list[dict[str, Any]]:
    """Markers of systems at a place along x, with their families as labels."""
    traces = []
    titles = {one.name: one.title for one in found.families}
    names = marks.places([(x, one.usd or 1.0, titles[one.family]) for one, x in shown])
    places = {one.family: place for (one, _), place in zip(shown, names, strict=True)}
    for name, colour, symbol, keeps in (
        ("meets the requirements", palette.P95, "", True),
        ("misses something", palette.BAR, "circle-open", False),
    ):
        chosen = [(one, x) for one, x in shown if one.keeps == keeps]
        if chosen:
            traces.append(
                plot.markers(
                    [x for _, x in chosen], [one.usd for one, _ in chosen], name=name, colour=colour, size=12,
                    symbol=symbol, text=[titles[one.family] for one, _ in chosen], mode="markers+text",
                    textposition=[places[one.family] for one, _ in chosen], cliponaxis=False,
                    hover="%{text}: %{y:$,.0f}, %{x:.4g}<extra></extra>",
                )
            )  # fmt: skip
    return traces


def families(found: Choose) -> Figure:
    """The best of each family."""
    columns = [
        Column("Family", text=True), Column("Dollars", text=True), Significant("Power", "W"),
        Significant("p95", "ms"), Column("Misses", text=True), Column("Best system", text=True, rank=1),
        Column("By how much", text=True, rank=1), Significant("p50", "ms", rank=3),
        Significant("p99", "ms", rank=2), Column("Usable", "TB", rank=2), Column("Height", "U", rank=3),
        Column("Loss a year", text=True, rank=2), Column("Carbon", "kg", rank=3),
        Column("Drive models", text=True, rank=3),
    ]  # fmt: skip
    rows = [_row(one) for one in sorted(found.families, key=_rank)]
    caption = (
        "Of each family the cheapest system that meets the requirements, else the one that comes nearest. "
        "Usable: all that the drives hold with this RAID level or erasure code, without a cache's drives; "
        "drives beyond the data asked for are there for the load or the durability."
    )
    return Figure("families", "The best of each family", caption, Table(columns, rows), wide=True, brief=True)


def _rank(one: FamilyAnswer) -> tuple[bool, bool, float]:
    best = one.best
    return (
        best is None,
        best is None or not best.keeps,
        float("inf") if best is None or best.usd is None else best.usd,
    )


def _row(one: FamilyAnswer) -> list[Cell]:
    best = one.best
    if best is None:
        return [one.title, None, None, None, brief(None), None, one.refused, *[None] * 7]
    usd = None if best.usd is None else money(best.usd)
    loss = None if best.loss_per_year is None else numbers.probability(best.loss_per_year)
    return [
        one.title, usd, best.watts, best.p95_ms, brief(best), best.title, misses(best) or None, best.p50_ms,
        best.p99_ms,
        best.usable_tb, best.rack_units, loss, best.carbon_kg, best.evidence,
    ]  # fmt: skip


def dollars(found: Choose) -> Figure:
    """Dollars of the best of each family by part."""
    best = [one.best for one in sorted(found.families, key=_rank) if one.best is not None]
    titles = {one.name: one.title for one in found.families}
    groups = list(dict.fromkeys(name for one in best for name in one.by_group))
    columns = [Column("Family", text=True), *(Significant(name.capitalize(), "USD") for name in groups)]
    rows: list[list[Cell]] = [
        [titles[one.family], *(one.by_group.get(name) for name in groups)] for one in best
    ]
    return Figure(
        "dollars", "Dollars by part", f"Over {numbers.years(found.years)}.", Table(columns, rows), wide=True
    )


def commands(found: Choose) -> Figure:
    """Commands that make the figures again."""
    columns = [Column("System", text=True), Column("Commands", text=True)]
    rows: list[list[Cell]] = [[one.title, command] for one in found.scenarios for command in one.commands]
    caption = (
        "From the folder in which the answer was made. The table's response times are means of several seeds."
    )
    return Figure("commands", "Commands", caption, Table(columns, rows), wide=True)


def systems(found: Choose) -> Figure:
    """All systems that were simulated."""
    columns = [
        Column("Family", text=True), Column("System", text=True), Exact("Dollars", "USD", digits=6),
        Column("Watts", "W"), Column("p95", "ms"), Column("Misses", text=True),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [one.family, one.title, one.usd, one.watts, one.p95_ms, misses(one) or "nothing"]
        for one in found.systems
    ]
    return Figure("systems", "All systems that were simulated", "", Table(columns, rows), wide=True)
