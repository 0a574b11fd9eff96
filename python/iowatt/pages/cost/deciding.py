"""Figures of what decides: ranges of totals and differences, tornado, crossovers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from iowatt.lenses.cost.result import Cost
from iowatt.lenses.cost.result_uncertainty import (
    CostCurve,
    Crossing,
    Crossover,
    PairCrossings,
    Quantiles,
    Tornado,
    Uncertainty,
)
from iowatt.pages.cost import sentences, words
from iowatt.pages.cost.sentences import leaning
from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain

_ENDS: Final = ("p5", "p25", "p50", "p75", "p95")
_HEADS: Final = ("5 %", "25 %", "Median", "75 %", "95 %")
_BARS: Final = 12
#: Tornados that are shown.
_TORNADOS: Final = 6
#: Decades from which totals are drawn logarithmically, and beyond which only powers of ten are named.
_LOG_FROM: Final = 1.3
_MANY: Final = 3.0
_LOW: Final = "#56b4e9"
_HIGH: Final = "#e69f00"


def totals(found: Cost) -> Figure | None:
    """Each system's total over the draws, as a box."""
    spread = found.uncertainty
    if spread is None:
        return None
    names = [str(one.name) for one in spread.systems]
    rows: list[list[Cell]] = [
        [
            name, one.usd, one.mean, one.sd, *(getattr(one.quantiles, end) for end in _ENDS),
            100 * one.cheapest_share,
            None if one.cheapest_per_tb_share is None else 100 * one.cheapest_per_tb_share,
        ]
        for name, one in zip(names, spread.systems, strict=True)
    ]  # fmt: skip
    columns = [
        Column("System", text=True), Column("At the book's values", "USD"), Column("Mean", "USD"),
        Column("Standard deviation", "USD"), *(Column(head, "USD") for head in _HEADS),
        Column("Cheapest in total", "% of draws"), Column("Cheapest per usable TB", "% of draws"),
    ]  # fmt: skip
    data = [
        *(
            _box(name, one.quantiles, palette.RUNS[at % len(palette.RUNS)])
            for at, (name, one) in enumerate(zip(names, spread.systems, strict=True))
        ),
        {
            "type": "scatter", "mode": "markers", "name": "At the book's values",
            "x": [one.usd for one in spread.systems], "y": [plain(name) for name in names],
            "marker": {"symbol": "diamond", "size": 9, "color": palette.ALL},
            "hovertemplate": "%{y}: %{x:,.4~r} USD<extra></extra>",
        },
    ]  # fmt: skip
    caption = (
        f"{spread.samples:,} draws of {_these(spread)}, the same for all systems: from 5 to 95 %, half of "
        "them within the box; a diamond is the total at the book's values. "
        f"{spread.method.removesuffix('.')}."
    )
    drawn = layout(
        axis(_dollars(found)), axis("", type="category", autorange="reversed"), showlegend=False, boxgap=0.4
    )
    return Figure(
        "totals", "Range of the totals", caption, Table(columns, rows), {"data": data, "layout": drawn},
        remarks=leaning(found),
    )  # fmt: skip


def _these(spread: Uncertainty) -> str:
    count = len(spread.figures)
    return "the one figure that has a range" if count == 1 else f"the {count} figures that have a range"


def _dollars(found: Cost) -> str:
    return "Total (USD of today)" if words.discounted(found) else "Total (USD)"


def _box(name: str, ends: Quantiles, colour: str) -> dict[str, Any]:
    return {
        "type": "box", "orientation": "h", "name": plain(name), "y": [plain(name)], "q1": [ends.p25],
        "median": [ends.p50], "q3": [ends.p75], "lowerfence": [ends.p5],
        "upperfence": [ends.p95], "line": {"color": colour},
    }  # fmt: skip


def differences(found: Cost) -> Figure | None:
    """How much more each later system costs than the first, over the draws."""
    spread = found.uncertainty
    if spread is None or not spread.differences:
        return None
    ones = spread.differences
    rows: list[list[Cell]] = [
        [
            f"{one.b} less {one.a}", one.usd, one.mean, *(getattr(one.quantiles, end) for end in _ENDS),
            100 * one.share_b_cheaper,
        ]
        for one in ones
    ]  # fmt: skip
    columns = [
        Column("Difference", text=True), Column("At the book's values", "USD"), Column("Mean", "USD"),
        *(Column(head, "USD") for head in _HEADS), Column("The later one cheaper", "% of draws"),
    ]  # fmt: skip
    data = [
        {
            "type": "scatter", "mode": "lines", "name": plain(f"{one.b} less {one.a}"),
            "x": one.curve, "y": list(range(1, 100)),
            "line": {"color": palette.RUNS[at % len(palette.RUNS)]},
            "hovertemplate": "in %{y} % of draws up to %{x:,.4~r} USD<extra>%{fullData.name}</extra>",
        }
        for at, one in enumerate(ones, 1)
    ]  # fmt: skip
    drawn = layout(
        axis("More than the first (USD)", zeroline=True), axis("Share of draws (%)", range=[0, 100]),
        showlegend=True,
    )  # fmt: skip
    return Figure(
        "differences", "Range of the differences",
        "Share of draws in which a system costs at most that much more than the first. Left of zero it is "
        "cheaper.",
        Table(columns, rows), {"data": data, "layout": drawn},
    )  # fmt: skip


def tornados(found: Cost) -> list[Figure]:
    """What moves each difference most, and each total."""
    return every_tornado(found)[:_TORNADOS]


def every_tornado(found: Cost) -> list[Figure]:
    """All of them: differences first."""
    ones = [one for one in found.tornado if one.bars]
    ones.sort(key=lambda one: one.of != "difference")
    return [_tornado(at, one) for at, one in enumerate(ones)]


def _tornado(at: int, one: Tornado) -> Figure:
    difference = one.of == "difference"
    what = f"{one.b} less {one.a}" if difference else str(one.system)
    columns = [
        Column("Figure", text=True), Column("Unit", text=True), Column("Low"), Column("Value"),
        Column("High"), Column("With the low one", "USD"), Column("With the high one", "USD"),
        Column("Swing", "USD"),
        *([Column("Changes which is cheaper", text=True)] if difference else []),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            bar.key, bar.unit, bar.low, bar.value, bar.high, bar.usd_low, bar.usd_high,
            bar.swing, *(["yes" if bar.flips else "no"] if difference else []),
        ]
        for bar in one.bars
    ]  # fmt: skip
    bars = one.bars[:_BARS]
    data = [
        {
            "type": "bar", "orientation": "h", "name": name, "y": [plain(bar.key) for bar in bars],
            "base": [one.usd] * len(bars), "x": [getattr(bar, key) - one.usd for bar in bars],
            "marker": {"color": colour},
            "customdata": [[getattr(bar, end), getattr(bar, key)] for bar in bars],
            "hovertemplate": "%{y} = %{customdata[0]:.4~r}: %{customdata[1]:,.4~r} USD"
            "<extra>%{fullData.name}</extra>",
        }
        for name, key, end, colour in (
            ("At the low end", "usd_low", "low", _LOW), ("At the high end", "usd_high", "high", _HIGH)
        )
    ]  # fmt: skip
    remarks = []
    if len(one.bars) > _BARS:
        remarks.append(f"{len(one.bars) - _BARS} more figures are in the table.")
    if one.without_effect:
        remarks.append(f"Without effect: {', '.join(one.without_effect)}.")
    caption = (
        f"Each figure alone at the ends of its range, the others as the book has them ({words.usd(one.usd)})."
    )
    title = f"What moves {'the difference' if difference else 'the total'}: {what}"
    kind = "Difference (USD)" if difference else "Total (USD)"
    drawn = layout(
        axis(kind, zeroline=difference), axis("", type="category", autorange="reversed"), barmode="overlay",
        showlegend=True, bargap=0.25,
    )  # fmt: skip
    return Figure(
        f"tornado-{at}", title, caption, Table(columns, rows), {"data": data, "layout": drawn}, remarks
    )


def crossovers(found: Cost) -> list[Figure]:
    """Totals along each assumption that was varied, and a table of where the ranking changes."""
    if not found.crossovers:
        return []
    return [
        _places(found), *(_course(at, one, found) for at, one in enumerate(found.crossovers))
    ]  # fmt: skip


def _places(found: Cost) -> Figure:
    columns = [
        Column("Varied", text=True), Column("Unit", text=True), Column("In force"), Column("From"),
        Column("To"), Column("Cheapest", text=True), Column("Systems", text=True), Column("Change places at"),
        Column("5 % of draws"), Column("95 % of draws"), Column("Of the draws", "%"),
        Column("What happens", text=True),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    for one in found.crossovers:
        for pair in one.pairs:
            ranged = pair.range
            share = None if ranged is None else ranged.share_crossing
            first = [
                words.varied(one.of), one.unit, one.value, one.low, one.high, sentences.stretches(one),
                f"{pair.a}, {pair.b}",
            ]  # fmt: skip
            drawn: list[Cell] = [
                None if ranged is None else ranged.p5, None if ranged is None else ranged.p95,
                None if share is None else 100 * share,
            ]  # fmt: skip
            crossings: Sequence[Crossing | None] = pair.crossings or [None]
            for crossing in crossings:
                at = None if crossing is None else crossing.at
                rows.append([*first, at, *drawn, _happens(crossing, pair)])
                drawn = [None, None, None]
    return Figure(
        "crossovers", "Who is cheapest where",
        "Found by root finding within the bounds looked at; the range is that of the first change over draws "
        "of all other figures.",
        Table(columns, rows), wide=True,
    )  # fmt: skip


def _happens(crossing: Crossing | None, pair: PairCrossings) -> str:
    if crossing is None:
        return str(pair.why or "")
    if crossing.kind == "tie":
        return "they cost the same"
    also = "".join(f"; {more.text} {words.amount(more.value, more.unit)}" for more in crossing.also)
    jumps = ", at a jump" if crossing.kind == "jump" else ""
    return f"{crossing.cheaper_below} cheaper below, {crossing.cheaper_above} above{jumps}{also}"


def _course(number: int, one: Crossover, found: Cost) -> Figure:
    course = one.course
    names = list(course.usd)
    rows: list[list[Cell]] = [
        [at, *(course.usd[name][n] for name in names)] for n, at in enumerate(course.at)
    ]
    data: list[dict[str, Any]] = [
        {
            "type": "scatter", "mode": "lines", "name": plain(name), "x": course.at,
            "y": course.usd[name], "line": {"color": palette.RUNS[at % len(palette.RUNS)]},
            "hovertemplate": "%{x:,.4~r}: %{y:,.4~r} USD<extra>%{fullData.name}</extra>",
        }
        for at, name in enumerate(names)
    ]  # fmt: skip
    crossings = [c for pair in one.pairs for c in pair.crossings if c.kind != "tie"]
    shapes = [_upright(crossing.at, palette.P99, "dot") for crossing in crossings]
    if one.value is not None:
        shapes.append(_upright(one.value, palette.ALL, "dash"))
    marks = "Dotted: where two systems change places. " if crossings else ""
    marks += "Dashed: the value in force. " if one.value is not None else ""
    ended = f"The search ends there: {one.ended_by}." if one.ended_by else ""
    title = f"{words.varied(one.of)} ({one.unit})" if one.unit else words.varied(one.of)
    log = one.axis == "log"
    drawn = layout(
        axis(words.sentence(title), **({"type": "log", "dtick": 1} if log else {})),
        axis(_dollars(found), **_scale(_decades(course) if log else 0.0)),
        showlegend=True, shapes=shapes,
    )  # fmt: skip
    return Figure(
        f"course-{number}", f"Totals along {words.varied(one.of)}",
        f"{words.sentence(one.text).removesuffix('.')}: {sentences.stretches(one)}. {marks}{ended}".strip(),
        Table([Column(words.varied(one.of), one.unit), *(Column(name, "USD") for name in names)], rows),
        {"data": data, "layout": drawn},
    )  # fmt: skip


def _scale(decades: float) -> dict[str, Any]:
    """A logarithmic axis from a good decade on, with few enough ticks to read."""
    if decades < _LOG_FROM:
        return {}
    return {"type": "log", "dtick": 1 if decades > _MANY else "D2"}


def _decades(course: CostCurve) -> float:
    """Powers of ten that totals go over; none where one is not above zero."""
    values = [value for line in course.usd.values() for value in line if value is not None]
    return math.log10(max(values) / min(values)) if values and min(values) > 0 else 0.0


def _upright(at: float, colour: str, dash: str) -> dict[str, Any]:
    return {
        "type": "line", "xref": "x", "yref": "paper", "x0": at, "x1": at, "y0": 0, "y1": 1,
        "line": {"color": colour, "width": 1, "dash": dash},
    }  # fmt: skip
