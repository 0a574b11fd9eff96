"""Several runs side by side: the headline figures with their change, and the distributions in one chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from iowatt.pages.run.figures import latency
from iowatt.pages.run.figures.headline import headlines
from iowatt.render import palette
from iowatt.render.figure import Column, Figure, Table, axis, layout, plain
from iowatt.render.headline import Headline

if TYPE_CHECKING:
    from iowatt.run.bundle import Run


WIDE_FROM = 2
"""Runs beyond which a comparison takes the full width of a page."""


def figures(summary: Mapping[str, Any]) -> list[Headline]:
    """The figures of a comparison: the headlines, and the 95th percentile before the 99th."""
    found = headlines(summary)
    p95 = Headline("p95", "95th percentile", summary["response_time_ms"]["all"]["p95"], "ms")
    at = [one.key for one in found].index("p99")
    return [*found[:at], p95, *found[at:]]


def headline_table(runs: Sequence[Run], labels: Sequence[str]) -> Figure:
    """Headline figures, one row for each run, in plain units."""
    by_run = [figures(run.summary) for run in runs]
    columns = [Column("Run", text=True), *(Column(h.title, h.unit) for h in by_run[0])]
    rows = [[label, *(h.value for h in mine)] for label, mine in zip(labels, by_run, strict=True)]
    return Figure(
        "comparison",
        "Side by side",
        "Headline figures; changes are against the first run. Which are more than chance: iowatt compare.",
        Table(columns, list(rows)),
        wide=len(runs) > WIDE_FROM,
    )


def changes(runs: Sequence[Run]) -> list[list[float | None]]:
    """Change of each headline figure against the first run's, as a fraction, one list for each run."""
    by_run = [[h.value for h in figures(run.summary)] for run in runs]
    return [
        [
            None if not base or value is None else value / base - 1
            for base, value in zip(by_run[0], mine, strict=True)
        ]
        for mine in by_run
    ]


def distributions(runs: Sequence[Run], labels: Sequence[str]) -> Figure:
    """Response-time distributions of all runs in one chart."""
    lines = [(label, latency.points(run.table("latency"))) for label, run in zip(labels, runs, strict=True)]
    table = Table(
        [Column("Run", text=True), Column("Response time up to", "ms"), Column("Finished within", "%")],
        [[label, *point[:2]] for label, kept in lines for point in kept],
    )
    data = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": plain(label),
            "x": [row[1] for row in table.rows if row[0] == label],
            "y": [row[2] for row in table.rows if row[0] == label],
            "line": {
                "color": palette.RUNS[i % len(palette.RUNS)],
                "width": 2,
                "dash": _DASHES[i % len(_DASHES)],
            },
            "hovertemplate": "%{x:,.4~r} ms: %{y:.4~r} %<extra>%{fullData.name}</extra>",
        }
        for i, label in enumerate(labels)
    ]
    x = axis("Response time (ms, log scale)", type="log")
    return Figure(
        "comparison-distribution",
        "Response times of all runs",
        "Share of requests that finished within a response time; further left is faster.",
        table,
        {"data": data, "layout": layout(x, axis("Finished within (%)", range=[0, 101]), showlegend=True)},
        wide=len(runs) > WIDE_FROM,
    )


_DASHES = ("solid", "dash", "dot", "dashdot")
