"""What changed and what that is worth: the table of all figures, and the intervals in one chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from iowatt.lenses.compare.outcome import INDISTINGUISHABLE, NO_VERDICT
from iowatt.lenses.compare.result import BeforeAfter
from iowatt.pages.compare import words
from iowatt.render import numbers, palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout

VERDICTS: Final = (
    ("better", palette.RUNS[2], "circle"),
    ("worse", palette.RUNS[1], "x"),
    (INDISTINGUISHABLE, palette.STATE_COLOURS["idle"], "diamond-open"),
    (NO_VERDICT, palette.STATE_COLOURS["idle"], "line-ns-open"),
)


def table(found: BeforeAfter) -> Figure:
    """Every figure, before and after, with interval and verdict."""
    percent = f"{100 * found.asked.confidence:g} %"
    columns = [
        Column("Figure", text=True),
        Column("Before"),
        Column("After"),
        Column("Change"),
        Column(f"{percent} interval", rank=1),
        Column("Verdict", text=True),
        Column("Requests beyond", rank=2),
    ]
    rows: list[list[Cell]] = [
        [
            row.title,
            words.value(row.before, row.unit),
            words.value(row.after, row.unit),
            numbers.change(row.change),
            words.interval(row.interval, row.unit),
            row.verdict,
            words.beyond(row),
        ]
        for row in found.differences
    ]
    return Figure(
        "differences",
        "Before and after",
        "A verdict other than \u201cnot distinguishable\u201d is beyond chance with all figures of this "
        "table taken together. A percentile rests on the requests beyond it (before / after): with few, it "
        "is an anecdote. The interval is of the difference.",
        Table(columns, rows),
        wide=True,
        brief=True,
    )


def intervals(found: BeforeAfter) -> Figure | None:
    """Relative differences with their intervals in one chart."""
    rows: list[list[Cell]] = [
        [row.title, row.verdict, *(100 * end / row.before for end in (row.difference, *row.interval))]
        for row in found.differences
        if row.interval is not None and row.before and row.difference is not None
    ]
    if not rows:
        return None
    percent = f"{100 * found.asked.confidence:g} %"
    columns = [
        Column("Figure", text=True),
        Column("Verdict", text=True),
        Column("Difference", "%"),
        Column(f"{percent} interval from", "%"),
        Column("To", "%"),
    ]
    names = [row[0] for row in rows]
    data = [
        drawn
        for verdict, colour, symbol in VERDICTS
        if (drawn := _markers([row for row in rows if row[1] == verdict], verdict, colour, symbol))
    ]
    zero = {"type": "line", "x0": 0, "x1": 0, "yref": "paper", "y0": 0, "y1": 1}
    zero["line"] = {"color": palette.ALL, "width": 1}
    y = axis(
        "",
        type="category",
        categoryorder="array",
        categoryarray=names[::-1],
        nticks=len(names),
        dtick=1,
        showgrid=False,
    )
    return Figure(
        "intervals",
        "Differences and their intervals",
        "Difference relative to before; an interval that holds zero may be chance.",
        Table(columns, rows),
        {"data": data, "layout": layout(axis("Change (%)"), y, showlegend=True, shapes=[zero])},
        wide=True,
    )


def _markers(rows: Sequence[Sequence[Any]], name: str, colour: str, symbol: str) -> Mapping[str, Any] | None:
    if not rows:
        return None
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name.capitalize(),
        "x": [row[2] for row in rows],
        "y": [row[0] for row in rows],
        "marker": {"color": colour, "size": 9, "symbol": symbol},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [max(0.0, row[4] - row[2]) for row in rows],
            "arrayminus": [max(0.0, row[2] - row[3]) for row in rows],
            "color": colour,
            "thickness": 2,
            "width": 5,
        },
        "hovertemplate": "%{y}: %{x:+.4~r} %<extra>%{fullData.name}</extra>",
    }


def changed(found: BeforeAfter) -> Figure | None:
    """The keys of the plan that differ."""
    rows = found.changed.listed
    if not rows:
        return None
    more = found.changed.keys - len(rows)
    return Figure(
        "changed",
        "What is different",
        "Keys of the resolved plans in which both sides differ, the seed apart.",
        Table(
            [Column("Key", text=True), Column("Before", text=True), Column("After", text=True)],
            [[row.key, words.short(row.before), words.short(row.after)] for row in rows],
        ),
        remarks=[f"{more} more keys differ."] if more else [],
    )


def runs(found: BeforeAfter) -> Figure:
    """The Runs of both sides."""
    rows: list[list[Cell]] = [
        [
            title,
            run.label,
            run.source,
            str(run.seed),
            run.window_s,
            run.requests,
            run.loop,
            "series" if run.series else "histogram",
        ]
        for key, title in words.SIDES
        for run in found.side(key).runs
    ]
    columns = [
        Column("Side", text=True),
        Column("Run", text=True),
        Column("Source", text=True),
        Column("Seed", text=True),
        Column("Window", "s"),
        Column("Requests"),
        Column("Loop", text=True),
        Column("Response times as", text=True),
    ]
    return Figure("runs", "The Runs", "What is compared.", Table(columns, rows), wide=True)
