"""How response times are spread: the cumulative distribution, its tail, and the percentiles.

Drawn from the run's histogram. At the upper end of a bin the share of requests at or below it is exact,
so a point there is exact too, and leaving points out between two that are kept moves no other.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl

from iowatt.lenses.compare import curve
from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain
from iowatt.run.histogram import Histogram

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

_OP_STYLE = {
    "read": ("Reads", palette.READ, "solid"),
    "write": ("Writes", palette.WRITE, "dash"),
}
_RANKS = (
    ("Median (p50)", "p50"),
    ("p90", "p90"),
    ("p95", "p95"),
    ("p99", "p99"),
    ("p99.9", "p999"),
    ("p99.99", "p9999"),
    ("Maximum", "max"),
)

Point = tuple[float, float, float]
"""Response time in ms, share finished within it in %, share that takes longer in %."""


def points(histogram: pl.DataFrame) -> list[Point]:
    """The distribution of the rows of a ``latency`` table, thinned to what can be seen.

    A point is kept where the share has grown by 0.4 %, the response time by 12 %, or the share that is
    still waiting has shrunk by 10 % since the last kept one; the first and the last always.
    """
    upper = histogram["high_ns"]
    kept = curve(Histogram.of(upper, upper, histogram["count"]))
    return [(ms, 100 * within, 100 * longer) for ms, within, longer in kept]


def distribution(run: Run) -> Figure | None:
    """Cumulative distribution of response times, reads and writes apart."""
    found = _by_op(run)
    if not found:
        return None
    return Figure(
        "response-distribution",
        "Response-time distribution",
        "Share of requests that finished within a response time.",
        _table("Requests", found),
        _spec(found, 1, axis("Finished within (%)", range=[0, 101])),
        [_THINNED],
    )


def tail(run: Run) -> Figure | None:
    """Share of requests that take longer, on a logarithmic scale, where the slow ones show."""
    found = _by_op(run)
    if not found:
        return None
    lowest = min(point[2] for _, _, _, kept in found for point in kept[:-1] or [(0.0, 0.0, 100.0)])
    decades = [math.floor(math.log10(max(lowest, 1e-9))), 2.05]
    return Figure(
        "response-tail",
        "The slow tail",
        "Share of requests that took longer than a response time: p99 is where a line crosses 1\u00a0%.",
        _table("Requests", found),
        _spec(found, 2, axis("Took longer (%, log scale)", type="log", range=decades, dtick=1)),
        [_THINNED],
    )


def by_workload(run: Run) -> Figure | None:
    """Cumulative distribution by workload, where there are several."""
    histogram = run.table("latency")
    names = histogram["workload"].unique(maintain_order=True).to_list()
    if len(names) < 2:
        return None
    found = [
        (
            name,
            palette.RUNS[i % len(palette.RUNS)],
            "solid",
            points(histogram.filter(pl.col("workload") == name)),
        )
        for i, name in enumerate(names)
    ]
    found = [line for line in found if line[3]]
    return Figure(
        "response-by-workload",
        "Response-time distribution by workload",
        "Share of each workload's requests that finished within a response time.",
        _table("Workload", found),
        _spec(found, 1, axis("Finished within (%)", range=[0, 101])),
        [_THINNED],
        wide=True,
    )


def percentiles(run: Run) -> Figure | None:
    """The table of percentiles, the mean and its confidence interval."""
    times = run.summary["response_time_ms"]
    if not times["all"]["count"]:
        return None
    kinds = [(title, times[key]) for title, key in (("All", "all"), ("Reads", "read"), ("Writes", "write"))]
    kinds = [(title, time) for title, time in kinds if time["count"]]

    def end(time: dict[str, list[float] | None], at: int) -> float | None:
        interval = time["mean_ci95"]
        return None if interval is None else interval[at]

    rows: list[list[Cell]] = [
        ["Mean", *(time["mean"] for _, time in kinds)],
        ["95 % confidence from", *(end(time, 0) for _, time in kinds)],
        ["95 % confidence to", *(end(time, 1) for _, time in kinds)],
        ["Standard deviation", *(time["std"] for _, time in kinds)],
        *([title, *(time[key] for _, time in kinds)] for title, key in _RANKS),
    ]
    return Figure(
        "percentiles",
        "Mean and percentiles",
        "From arrival to completion, as the host sees it. Confidence limits are from batch means.",
        Table([Column("", text=True), *(Column(title, "ms") for title, _ in kinds)], rows),
    )


_THINNED = "Thinned to points that can be told apart; latency.parquet and the XLSX report have every bin."

_Line = tuple[str, str, str, list[Point]]


def _by_op(run: Run) -> list[_Line]:
    histogram = run.table("latency")
    lines = [
        (title, colour, dash, points(histogram.filter(pl.col("op") == op)))
        for op, (title, colour, dash) in _OP_STYLE.items()
    ]
    return [line for line in lines if line[3]]


def _table(title: str, lines: list[_Line]) -> Table:
    return Table(
        [
            Column(title, text=True),
            Column("Response time up to", "ms"),
            Column("Finished within", "%"),
            Column("Took longer", "%"),
        ],
        [[name, *point] for name, _, _, kept in lines for point in kept],
    )


def _spec(lines: list[_Line], share: int, y: dict[str, object]) -> dict[str, object]:
    table = _table("", lines)
    data = []
    for name, colour, dash, _ in lines:
        mine = [row for row in table.rows if row[0] == name]
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": plain(name),
                "x": [row[1] for row in mine],
                "y": [
                    row[1 + share] or None for row in mine
                ],  # no share of zero: a log axis has no place for it
                "line": {"color": colour, "width": 2, "dash": dash},
                "hovertemplate": "%{x:,.4~r} ms: %{y:.4~r} %<extra>%{fullData.name}</extra>",
            }
        )
    return {
        "data": data,
        "layout": layout(axis("Response time (ms, log scale)", type="log"), y, showlegend=True),
    }
