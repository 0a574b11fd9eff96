"""Figures that decide: ranges of totals and differences, tornados, crossovers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from iowatt.lenses.cost.result import (
    Cost,
    CostCrossing,
    CostCurve,
    Crossover,
    PairCrossings,
    Quantiles,
    Tornado,
)
from iowatt.pages.cost import sentences, words
from iowatt.render import palette, plot
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain, text_columns

_ENDS: Final = {"p5": "5 %", "p25": "25 %", "p50": "Median", "p75": "75 %", "p95": "95 %"}
_BARS: Final = 12
#: Tornados that are shown.
_TORNADOS: Final = 6
#: Decades from which totals are drawn on a logarithmic axis, and beyond which only powers of ten are
#: labelled.
_LOG_FROM: Final = 1.3
_MANY: Final = 3.0


def _quantiles(ends: Quantiles) -> list[Cell]:
    return [getattr(ends, end) for end in _ENDS]


def totals(cost: Cost) -> Figure | None:
    """Each system's total over the draws, as a box."""
    spread = cost.uncertainty
    if spread is None:
        return None
    colours, equal = words.colours(cost), words.at_equal(cost)
    names = [plain(one.name) for one in spread.systems]
    rows: list[list[Cell]] = [
        [
            one.name, one.usd, one.mean, one.sd, *_quantiles(one.quantiles), 100 * one.cheapest_share,
            None if one.cheapest_per_tb_share is None else 100 * one.cheapest_per_tb_share,
            *([100 * one.cheapest_equal_share] if equal else []),
        ]
        for one in spread.systems
    ]  # fmt: skip
    columns = [
        *text_columns("System"), *_dollar_columns("At the book's values", "Mean", "Standard deviation"),
        *_dollar_columns(*_ENDS.values()), Column("Cheapest in total", "% of draws"),
        Column("Cheapest per usable TB", "% of draws"),
        *([Column(f"Cheapest {equal}", "% of draws")] if equal else []),
    ]  # fmt: skip
    traces: list[dict[str, Any]] = [
        {
            "type": "box", "orientation": "h", "name": name, "y": [name], "q1": [one.quantiles.p25],
            "median": [one.quantiles.p50], "q3": [one.quantiles.p75], "lowerfence": [one.quantiles.p5],
            "upperfence": [one.quantiles.p95], "line": {"color": colours[one.name]},
        }
        for name, one in zip(names, spread.systems, strict=True)
    ]  # fmt: skip
    traces.append(
        plot.markers(
            [one.usd for one in spread.systems], names, name="At the book's values", colour=palette.ALL,
            size=9, symbol="diamond", hover="%{y}: %{x:,.4~r} USD<extra></extra>",
        )
    )  # fmt: skip
    count = len(spread.figures)
    drawn = "the one figure with a range" if count == 1 else f"the {count} figures with a range"
    caption = (
        f"{spread.samples:,} draws of {drawn}, the same for all systems. Whiskers span 5 to 95 %, the box "
        "half of the draws; a diamond is the total at the book's values. "
        f"{spread.method.removesuffix('.')}."
    )
    shape = layout(axis(_dollars(cost)), words.SYSTEMS_AXIS, showlegend=False, boxgap=0.4)
    return Figure(
        "totals", "Range of the totals", caption, Table(columns, rows), plot.spec(traces, shape),
        sentences.leaning(cost),
    )  # fmt: skip


def _dollar_columns(*titles: str) -> list[Column]:
    return [Column(title, "USD") for title in titles]


def _dollars(cost: Cost) -> str:
    return "Total (USD of today)" if words.discounted(cost) else "Total (USD)"


def _at_equal(cost: Cost) -> str:
    """``, at equal work``; empty where nothing differs."""
    return f", {equal}" if (equal := words.at_equal(cost)) else ""


def differences(cost: Cost) -> Figure | None:
    """How much more each later system costs than the first, over the draws."""
    spread = cost.uncertainty
    if spread is None or not spread.differences:
        return None
    colours = words.colours(cost)
    titles = [f"{one.b} less {one.a}" for one in spread.differences]
    rows: list[list[Cell]] = [
        [title, one.usd, one.mean, *_quantiles(one.quantiles), 100 * one.share_b_cheaper]
        for title, one in zip(titles, spread.differences, strict=True)
    ]
    columns = [
        *text_columns("Difference"), *_dollar_columns("At the book's values", "Mean", *_ENDS.values()),
        Column("The former is cheaper", "% of draws"),
    ]  # fmt: skip
    traces = [
        plot.line(
            one.curve, list(range(1, 100)), name=plain(title), colour=colours[one.b],
            hover="in %{y} % of draws up to %{x:,.4~r} USD<extra>%{fullData.name}</extra>",
        )
        for title, one in zip(titles, spread.differences, strict=True)
    ]  # fmt: skip
    drawn = layout(
        axis("More than the first (USD)", zeroline=True), axis("Share of draws (%)", range=[0, 100]),
        showlegend=True,
    )  # fmt: skip
    return Figure(
        "differences", "Range of the differences",
        "Share of draws in which a system costs at most this much more than the first"
        f"{_at_equal(cost)}. Left of zero it is cheaper.",
        Table(columns, rows), plot.spec(traces, drawn),
    )  # fmt: skip


def tornados(cost: Cost) -> list[Figure]:
    """The first tornados, as many as are shown."""
    return every_tornado(cost)[:_TORNADOS]


def every_tornado(cost: Cost) -> list[Figure]:
    """All tornados, differences first."""
    drawn = sorted((one for one in cost.tornado if one.bars), key=lambda one: one.of != "difference")
    return [_tornado(at, one) for at, one in enumerate(drawn)]


def _tornado(at: int, one: Tornado) -> Figure:
    difference = one.of == "difference"
    title = f"the difference: {one.b} less {one.a}" if difference else f"the total: {one.system}"
    columns = [
        *text_columns("Figure", "Unit"), Column("Low"), Column("Value"), Column("High"),
        *_dollar_columns("With the low one", "With the high one", "Swing"),
        *text_columns(*(["Changes which is cheaper"] if difference else [])),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            bar.key, bar.unit, bar.low, bar.value, bar.high, bar.usd_low, bar.usd_high, bar.swing,
            *(["yes" if bar.flips else "no"] if difference else []),
        ]
        for bar in one.bars
    ]  # fmt: skip
    bars = one.bars[:_BARS]
    ends = [
        ("At the low end", "#56b4e9", [(bar.low, bar.usd_low) for bar in bars]),
        ("At the high end", "#e69f00", [(bar.high, bar.usd_high) for bar in bars]),
    ]
    traces = [
        plot.bar(
            [usd - one.usd for _, usd in values], [plain(bar.key) for bar in bars], name=name, colour=colour,
            hover="%{y} = %{customdata[0]:.4~r}: %{customdata[1]:,.4~r} USD<extra>%{fullData.name}</extra>",
            orientation="h", base=[one.usd] * len(bars), customdata=[list(value) for value in values],
        )
        for name, colour, values in ends
    ]  # fmt: skip
    remarks = []
    if len(one.bars) > _BARS:
        remarks.append(f"{len(one.bars) - _BARS} more figures are in the table.")
    if one.without_effect:
        remarks.append(f"Without effect: {', '.join(one.without_effect)}.")
    drawn = layout(
        axis("Difference (USD)" if difference else "Total (USD)", zeroline=difference), words.SYSTEMS_AXIS,
        barmode="overlay", showlegend=True, bargap=0.25,
    )  # fmt: skip
    return Figure(
        f"tornado-{at}", f"What moves {title}",
        f"Each figure alone at the ends of its range, the rest at the book's values ({words.usd(one.usd)}).",
        Table(columns, rows), plot.spec(traces, drawn), remarks,
    )  # fmt: skip


def crossovers(cost: Cost) -> list[Figure]:
    """Totals along each assumption that was varied, and a table of where the ranking changes."""
    if not cost.crossovers:
        return []
    return [_places(cost), *(_curve(at, one, cost) for at, one in enumerate(cost.crossovers))]


def _places(cost: Cost) -> Figure:
    columns = [
        *text_columns("Varied", "Unit"), Column("In force"), Column("From"), Column("To"),
        *text_columns("Cheapest", "Systems"), Column("Crossover at"), Column("5 % of draws"),
        Column("95 % of draws"), Column("Of the draws", "%"), *text_columns("What happens"),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    for one in cost.crossovers:
        for pair in one.pairs:
            drawn: list[Cell] = [None, None, None]
            if pair.range is not None:
                drawn = [pair.range.p5, pair.range.p95, 100 * pair.range.share_crossing]
            crossings: Sequence[CostCrossing | None] = pair.crossings or [None]
            for number, crossing in enumerate(crossings):
                rows.append(
                    [
                        words.varied(one.of), one.unit, one.value, one.low, one.high,
                        sentences.stretches(one), f"{pair.a}, {pair.b}",
                        None if crossing is None else crossing.at,
                        *([None, None, None] if number else drawn), _change(crossing, pair),
                    ]
                )  # fmt: skip
    return Figure(
        "crossovers", "Which system is cheapest",
        f"Found by root finding between the bounds{_at_equal(cost)}. The range is that of the first change, "
        "over draws of all other figures.",
        Table(columns, rows), wide=True,
    )  # fmt: skip


def _change(crossing: CostCrossing | None, pair: PairCrossings) -> str:
    if crossing is None:
        return pair.why or ""
    if crossing.kind == "tie":
        return "they cost the same"
    jumps = ", at a jump" if crossing.kind == "jump" else ""
    below, above = crossing.cheaper_below, crossing.cheaper_above
    return f"{below} cheaper below, {above} above{jumps}{sentences.elsewhere(crossing)}"


def _curve(number: int, one: Crossover, cost: Cost) -> Figure:
    curve, varied, colours = one.course, words.varied(one.of), words.colours(cost)
    rows: list[list[Cell]] = [[at, *usd] for at, *usd in zip(curve.at, *curve.usd.values(), strict=True)]
    traces = [
        plot.line(
            curve.at, usd, name=plain(name), colour=colours[name],
            hover="%{x:,.4~r}: %{y:,.4~r} USD<extra>%{fullData.name}</extra>",
        )
        for name, usd in curve.usd.items()
    ]  # fmt: skip
    crossings = [c for pair in one.pairs for c in pair.crossings if c.kind != "tie"]
    shapes = [plot.reference_line(x=crossing.at, colour=palette.P99, dash="dot") for crossing in crossings]
    marks = "Dotted: where two systems cross over. " if crossings else ""
    if one.value is not None:
        shapes.append(plot.reference_line(x=one.value, dash="dash"))
        marks += "Dashed: the value in force. "
    ended = f"End of the search: {one.ended_by}." if one.ended_by else ""
    log = one.axis == "log"
    drawn = layout(
        axis(
            words.sentence(f"{varied} ({one.unit})" if one.unit else varied),
            **({"type": "log", "dtick": 1} if log else {}),
        ),
        axis(_dollars(cost), **(_scale(curve) if log else {})), showlegend=True, shapes=shapes,
    )  # fmt: skip
    return Figure(
        f"course-{number}", f"Totals along {varied}",
        f"{words.sentence(one.text).removesuffix('.')}{_at_equal(cost)}: {sentences.stretches(one)}. "
        f"{marks}{ended}".strip(),
        Table([Column(varied, one.unit), *_dollar_columns(*curve.usd)], rows), plot.spec(traces, drawn),
    )  # fmt: skip


def _scale(curve: CostCurve) -> dict[str, Any]:
    """A logarithmic axis for totals of more than a decade, with few ticks."""
    values = [value for usd in curve.usd.values() for value in usd]
    decades = math.log10(max(values) / min(values)) if values and min(values) > 0 else 0.0
    if decades < _LOG_FROM:
        return {}
    return {"type": "log", "dtick": 1 if decades > _MANY else "D2"}
