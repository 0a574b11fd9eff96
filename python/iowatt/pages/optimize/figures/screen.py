"""What was looked at and what was not: estimates against simulations, and why points were left out."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Final

from iowatt.evaluate.search import metrics
from iowatt.evaluate.search.optimize import OptimizationView
from iowatt.pages.optimize.figures.points import KINDS, ExploredPoints, kind
from iowatt.render import palette, plot
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain

_EXACT: Final = 1e-9
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")


def estimates(explored: OptimizationView) -> list[Figure]:
    """For each metric that has both, the estimates against the simulations; and the errors."""
    drawn = [
        figure
        for at, metric in enumerate(explored.metrics)
        if (figure := _against(explored, metric, at)) is not None
    ]
    errors = explored.document.estimator.errors
    if errors:
        rows: list[list[Cell]] = [
            [
                explored.column(metric).title, one.median_percent, one.p95_percent, one.worst_percent,
                one.bias_percent,
            ]
            for metric, one in errors.items()
        ]  # fmt: skip
        titles = ("Median error", "95th percentile", "Worst", "Bias")
        columns = [Column("Figure", text=True), *(Column(title, "%") for title in titles)]
        caption = (
            "Of the points that were estimated and simulated; a bias above zero says that estimates are high."
        )
        drawn.append(Figure("errors", "Errors of the estimator", caption, Table(columns, rows), brief=True))
    return drawn


def _percent_off(estimated: float, simulated: float) -> float | None:
    """Error of an estimate in percent; None where the simulated figure is too small for one."""
    error = 100 * (estimated - simulated) / abs(simulated) if simulated else math.inf
    return error if math.isfinite(error) else None


def _against(explored: OptimizationView, metric: str, at: int) -> Figure | None:
    found = []
    for row in explored.rows:
        true, said = explored.simulated(row, metric), explored.estimate(row, metric)
        if true is not None and said is not None and not row.get("overloaded"):
            found.append((row, true, said))
    if not found or all(abs(said - true) <= _EXACT * abs(true) for _, true, said in found):
        return None
    column = explored.column(metric)
    low, high = min(min(t, s) for _, t, s in found), max(max(t, s) for _, t, s in found)
    rows: list[list[Cell]] = [
        [row["point"], explored.label(row), true, said, _percent_off(said, true)] for row, true, said in found
    ]
    columns = [
        metrics.VerbatimColumn("Point"), Column("Where", text=True), Column("Simulated", column.unit),
        Column("Estimated", column.unit), Column("Error", "%"),
    ]  # fmt: skip
    unit = f" ({column.unit})" if column.unit else ""
    traces = [
        plot.line(
            [low, high], [low, high], name="Right", colour=palette.ALL, width=1, dash="dot", hoverinfo="skip"
        ),
        plot.markers(
            [true for _, true, _ in found],
            [said for *_, said in found],
            name="Points",
            text=[f"point {row['point']}: {plain(explored.label(row))}" for row, *_ in found],
            customdata=[row[4] for row in rows],
            marker={"color": palette.BAR, "size": 6, "opacity": 0.7},
            hover="%{text}<br>simulated %{x:,.4~r}, estimated %{y:,.4~r} "
            "(%{customdata:+.2~f} %)<extra></extra>",
        ),
    ]
    return Figure(
        f"estimate-{at}",
        f"Estimate against simulation: {column.title.lower()}",
        "On the line the estimate is exact. Every point of the front was simulated.",
        Table(columns, rows),
        plot.spec(traces, layout(axis(f"Simulated{unit}"), axis(f"Estimated{unit}"), showlegend=False)),
    )


def became(points: ExploredPoints) -> Figure | None:
    """Outcome of the points of the space."""
    if not points.rows:
        return None
    space = points.explored.document.space
    counted = Counter(points.kinds) if len(points.rows) == points.total else _counted(points)
    rows: list[tuple[str, int, str]] = [
        (look.name, counted[key], look.colour) for key, look in KINDS.items() if counted[key]
    ]
    for count, name in (
        (space.known_infeasible, "Known to be infeasible before"),
        (space.untouched, "Not evaluated"),
    ):
        # Those that have a row are counted by their kind already.
        missing = min(count, max(0, space.size - points.total))
        if missing:
            rows.append((name, missing, palette.STATE_COLOURS["idle"]))
    bars = plot.bar(
        [count for _, count, _ in rows],
        [name for name, *_ in rows],
        colour=[colour for *_, colour in rows],
        orientation="h",
        text=[f"{count:,}" for _, count, _ in rows],
        textposition="auto",
        hover="%{y}: %{x:,} points<extra></extra>",
    )
    frame = layout(
        axis("Points", rangemode="tozero"),
        axis("", type="category", autorange="reversed"),
        showlegend=False,
        bargap=0.35,
    )
    return Figure(
        "became",
        "Outcome of the points",
        "Only simulated points can win.",
        Table([Column("What", text=True), Column("Points")], [[name, count] for name, count, _ in rows]),
        plot.spec([bars], frame),
    )


def _counted(points: ExploredPoints) -> Counter[str]:
    """Of a space that the page holds thinned out: the kinds of all points."""
    return Counter(kind(points.explored, row) for row in points.explored.rows)


def reasons(explored: OptimizationView) -> Figure | None:
    """Why points were left out, cannot be built, failed or break a limit."""
    groups: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for row in explored.rows:
        for key, what in (
            ("reason", "left out"),
            ("error", "cannot be built or failed"),
            ("violated", "breaks"),
        ):
            # Those that are known to break a limit have a reason that says more.
            if row.get(key) and not (key == "violated" and row.get("reason")):
                said = str(row[key])
                of_one_kind = groups.setdefault((what, _NUMBER.sub("", said)), [])
                of_one_kind.append((said, f"{row['point']} ({explored.label(row)})"))
    if not groups:
        return None
    ordered = sorted(groups.items(), key=lambda one: -len(one[1]))
    columns = [Column("Why", text=True), Column("What", text=True), Column("Points")]
    columns.append(Column("For example", text=True))
    rows: list[list[Cell]] = [
        [_common([said for said, _ in found]), what, len(found), found[0][1]] for (what, _), found in ordered
    ]
    return Figure(
        "reasons",
        "Why not",
        "What kept points out, the most frequent first, with one of the points. Dots stand for figures that "
        "differ.",
        Table(columns, rows),
        wide=True,
    )


def _common(texts: list[str]) -> str:
    """Texts that differ in their numbers only, as one: the numbers that differ are dots."""
    seen = [_NUMBER.findall(text) for text in texts]
    kept = iter(numbers[0] if len(set(numbers)) == 1 else "…" for numbers in zip(*seen, strict=True))
    return _NUMBER.sub(lambda _: next(kept), texts[0])
