"""How response times spread: percentiles, the cumulative distribution and its tail.

Drawn from the Run's histogram. At the upper end of a bin the share of requests at or below it is exact, so a
point there is exact too, and leaving out points between two others moves neither.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from iowatt.lenses.evidence import run_doubt
from iowatt.render import palette, plot
from iowatt.render.figure import Cell, Column, Exact, Figure, Spec, Table, axis, layout, plain
from iowatt.run.histogram import Histogram

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

_OPERATIONS = {"read": ("Reads", palette.READ, "solid"), "write": ("Writes", palette.WRITE, "dash")}
_RANKS = {
    "Median (p50)": "p50", "p90": "p90", "p95": "p95", "p99": "p99", "p99.9": "p999", "p99.99": "p9999",
    "Maximum": "max",
}  # fmt: skip
_THINNED = "Thinned to points that can be told apart; latency.parquet and the XLSX report have every bin."

Point = tuple[float, float, float]
"""Response time in ms, share finished within it in %, share that takes longer in %."""

Line = tuple[str, str, str, list[Point]]
"""Name, colour, dash and points of a distribution."""


def points(histogram: pl.DataFrame) -> list[Point]:
    """The distribution of the rows of a ``latency`` table, as :meth:`Histogram.curve` thins it."""
    upper = histogram["high_ns"]
    kept = Histogram.of(upper, upper, histogram["count"]).curve()
    return [(ms, 100 * within, 100 * longer) for ms, within, longer in kept]


def distribution(run: Run) -> Figure | None:
    """Cumulative distribution of response times, reads and writes apart."""
    return _within(
        _by_operation(run), "Requests", "response-distribution", "Response-time distribution",
        "Share of requests that finished within a response time.",
    )  # fmt: skip


def by_workload(run: Run) -> Figure | None:
    """Cumulative distribution by workload, where there are several."""
    histogram = run.table("latency")
    names = histogram["workload"].unique(maintain_order=True).to_list()
    if len(names) < 2:
        return None
    lines: list[Line] = [
        (name, colour, "solid", points(histogram.filter(pl.col("workload") == name)))
        for name, colour in zip(names, palette.of_systems(names), strict=True)
    ]
    return _within(
        [line for line in lines if line[3]], "Workload", "response-by-workload",
        "Response-time distribution by workload",
        "Share of each workload's requests that finished within a response time.", wide=True,
    )  # fmt: skip


def tail(run: Run) -> Figure | None:
    """Share of requests that take longer, on a logarithmic scale, where the slow ones show."""
    lines = _by_operation(run)
    if not lines:
        return None
    lowest = min(point[2] for _, _, _, kept in lines for point in kept[:-1] or [(0.0, 0.0, 100.0)])
    decades = [math.floor(math.log10(max(lowest, 1e-9))), 2.05]
    return Figure(
        "response-tail",
        "The slow tail",
        "Share of requests that took longer than a response time: p99 is where a line crosses 1\u00a0%.",
        _table("Requests", lines),
        spec(lines, 2, axis("Took longer (%, log scale)", type="log", range=decades, dtick=1)),
        [_THINNED, *_doubt(run)],
    )


def percentiles(run: Run) -> Figure | None:
    """The table of percentiles, the mean and its confidence interval."""
    times = run.summary["response_time_ms"]
    if not times["all"]["count"]:
        return None
    kinds = [(title, times[key]) for title, key in (("All", "all"), ("Reads", "read"), ("Writes", "write"))]
    kinds = [(title, time) for title, time in kinds if time["count"]]
    limits = [time["mean_ci95"] or (None, None) for _, time in kinds]
    rows: list[list[Cell]] = [
        ["Mean", *(time["mean"] for _, time in kinds)],
        ["95 % confidence from", *(low for low, _ in limits)],
        ["95 % confidence to", *(high for _, high in limits)],
        ["Standard deviation", *(time["std"] for _, time in kinds)],
        *([title, *(time[key] for _, time in kinds)] for title, key in _RANKS.items()),
    ]
    return Figure(
        "percentiles",
        "Mean and percentiles",
        "From arrival to completion, as the host sees it. Confidence limits are from batch means.",
        Table([Column("", text=True), *(Exact(title, "ms", digits=4) for title, _ in kinds)], rows),
        remarks=_doubt(run),
    )


def _doubt(run: Run) -> list[str]:
    doubt = run_doubt(run, "tail")
    return [] if doubt is None else [f"{doubt[:1].upper()}{doubt[1:]}."]


def spec(lines: Sequence[Line], share: int, y: dict[str, Any]) -> Spec:
    """Distributions as lines: ``share`` is which of the shares of a point, 1 within or 2 longer."""
    traces = [
        plot.line(
            [point[0] for point in kept],
            [point[share] or None for point in kept],  # a log axis has no place for a share of zero
            name=plain(name), colour=colour, dash=dash, width=2,
            hover="%{x:,.4~r} ms: %{y:.4~r} %<extra>%{fullData.name}</extra>",
        )
        for name, colour, dash, kept in lines
    ]  # fmt: skip
    return plot.spec(traces, layout(axis("Response time (ms, log scale)", type="log"), y, showlegend=True))


def within_axis() -> dict[str, Any]:
    """The axis of the share that finished within a response time."""
    return axis("Finished within (%)", range=[0, 101])


def _by_operation(run: Run) -> list[Line]:
    histogram = run.table("latency")
    lines = [(*style, points(histogram.filter(pl.col("op") == op))) for op, style in _OPERATIONS.items()]
    return [line for line in lines if line[3]]


def _within(
    lines: list[Line], first: str, key: str, title: str, caption: str, *, wide: bool = False
) -> Figure | None:
    if not lines:
        return None
    drawn = spec(lines, 1, within_axis())
    return Figure(key, title, caption, _table(first, lines), drawn, [_THINNED], wide=wide)


def _table(first: str, lines: Sequence[Line]) -> Table:
    columns = [
        Column(first, text=True), Column("Response time up to", "ms"), Column("Finished within", "%"),
        Column("Took longer", "%"),
    ]  # fmt: skip
    return Table(columns, [[name, *point] for name, _, _, kept in lines for point in kept])
