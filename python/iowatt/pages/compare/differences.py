"""What changed and what that is worth: the table of all figures, and the intervals in one chart."""

from __future__ import annotations

from typing import Final

from iowatt.lenses.compare.result import INDISTINGUISHABLE, NO_VERDICT, BeforeAfter, Verdict
from iowatt.pages.compare import words
from iowatt.render import numbers, palette, plot
from iowatt.render.figure import Cell, Column, Figure, Labelled, Table, axis, text_columns

VERDICTS: Final[tuple[tuple[Verdict, str, str], ...]] = (
    ("better", palette.RUNS[2], "circle"),
    ("worse", palette.RUNS[1], "x"),
    (INDISTINGUISHABLE, palette.STATE_COLOURS["idle"], "diamond-open"),
    (NO_VERDICT, palette.STATE_COLOURS["idle"], "line-ns-open"),
)


def table(found: BeforeAfter) -> Figure:
    """Every figure, before and after, with interval and verdict."""
    columns = [
        *text_columns("Figure"), Column("Before"), Column("After"), Column("Change"),
        Column(f"{100 * found.asked.confidence:g} % interval", rank=1), *text_columns("Verdict"),
        Column("Requests beyond", rank=2),
    ]  # fmt: skip
    doubt = words.tail_doubt(found, "p99")
    rows: list[list[Cell]] = [
        [
            words.checked_title(found, row),
            words.value(row.before, row.unit), words.value(row.after, row.unit),
            numbers.change(row.change), words.interval(row.interval, row.unit),
            words.shown_verdict(row.verdict, found),
            words.beyond(row),
        ]
        for row in found.differences
    ]  # fmt: skip
    return Figure(
        "differences", "Before and after",
        "\u201cBetter\u201d and \u201cworse\u201d are significant with all figures of this table taken "
        "together; \u201cnot testable\u201d is not \u201cno difference\u201d. A percentile rests on the "
        "requests beyond it (before / after): with few, it is anecdotal. The interval is of the "
        "difference.",
        Table(columns, rows), wide=True, brief=True,
        remarks=[] if doubt is None else [words.sentence(doubt)],
    )  # fmt: skip


def intervals(found: BeforeAfter) -> Figure | None:
    """Relative differences with their intervals in one chart."""
    drawn: list[tuple[str, str, float, float, float]] = []
    for row in found.differences:
        if row.interval is not None and row.before and row.difference is not None:
            middle, low, high = (100 * end / row.before for end in (row.difference, *row.interval))
            drawn.append((row.title, words.shown_verdict(row.verdict, found), middle, low, high))
    if not drawn:
        return None
    columns = [
        *text_columns("Figure", "Verdict"), Column("Difference", "%"),
        Column(f"{100 * found.asked.confidence:g} % interval from", "%"), Column("To", "%"),
    ]  # fmt: skip
    traces = []
    for verdict, colour, symbol in VERDICTS:
        name = words.shown_verdict(verdict, found)
        shown = [row for row in drawn if row[1] == name]
        error = {
            "type": "data", "symmetric": False, "color": colour, "thickness": 2, "width": 5,
            "array": [max(0.0, high - middle) for _, _, middle, _, high in shown],
            "arrayminus": [max(0.0, middle - low) for _, _, middle, low, _ in shown],
        }  # fmt: skip
        if shown:
            traces.append(
                plot.markers(
                    [row[2] for row in shown], [row[0] for row in shown], name=name.capitalize(),
                    colour=colour, size=9, symbol=symbol, error_x=error,
                    hover="%{y}: %{x:+.4~r} %<extra>%{fullData.name}</extra>",
                )
            )  # fmt: skip
    names = [row[0] for row in drawn]
    y = axis(
        "", type="category", categoryorder="array", categoryarray=names[::-1], nticks=len(names), dtick=1,
        showgrid=False,
    )  # fmt: skip
    return Figure(
        "intervals", "Differences and their intervals",
        "Difference relative to before; an interval that holds zero may be chance.",
        Table(columns, [list(row) for row in drawn]),
        plot.chart(traces, axis("Change (%)"), y, showlegend=True, shapes=[plot.reference_line(x=0)]),
        wide=True,
    )  # fmt: skip


def changed(found: BeforeAfter) -> Figure | None:
    """The keys of the plan that differ."""
    rows = found.changed.listed
    if not rows:
        return None
    more = found.changed.keys - len(rows)
    return Figure(
        "changed", "What differs",
        "Differences between the resolved plans, seeds excepted.",
        Table(
            text_columns("Key", "Before", "After"),
            [[row.key, words.short(row.before), words.short(row.after)] for row in rows],
        ),
        remarks=[f"{more} more keys differ."] if more else [],
    )  # fmt: skip


def _loss(per_year: float | None) -> Cell:
    return None if per_year is None else Labelled(per_year, numbers.probability(per_year))


RESTS: Final = (
    "What is compared. Data loss is with the rebuild that a Run has, else at the stated rate, which iowatt "
    "durability simulates instead."
)


def runs(found: BeforeAfter) -> Figure:
    """The Runs of both sides."""
    rows: list[list[Cell]] = [
        [
            title, run.label, run.source, str(run.seed), run.window_s, run.requests, run.loop,
            "series" if run.series else "histogram",
            _loss(run.loss_per_year),
        ]
        for key, title in words.SIDES
        for run in found.side(key).runs
    ]  # fmt: skip
    columns = [
        *text_columns("Side", "Run", "Source", "Seed"), Column("Window", "s"), Column("Requests"),
        *text_columns("Loop", "Response times as"), Column("Data loss per year"),
    ]  # fmt: skip
    return Figure("runs", "The Runs", RESTS, Table(columns, rows), wide=True)
