"""How response times are spread on both sides: bins, the distribution, its tail, percentiles."""

from __future__ import annotations

import math
from typing import Any

from iowatt.lenses.compare.result import BeforeAfter, ScaleBins
from iowatt.pages.compare import words
from iowatt.render import numbers, palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout

#: What each scale is, for its caption.
_SAID = {
    "array": "Share of requests by response time, in the buckets that array reporters use.",
    "powers-of-two": "The same in powers of two, as block-layer tools print it.",
    "fio": "The same in the steps of fio\u2019s summary.",
}


def histograms(found: BeforeAfter) -> list[Figure]:
    """Both sides on every scale."""
    return [_histogram(scale) for scale in found.histograms]


def _histogram(scale: ScaleBins) -> Figure:
    rows: list[list[Cell]] = []
    for row in scale.bins:
        cells: list[Cell] = [words.bin_name(row.over_ms, row.to_ms)]
        for key, _ in words.SIDES:
            one = row.of(key)
            cells += [one.requests, _percent(one.share), _percent(one.share_to)]
        rows.append(cells)
    columns = [Column("Response time", text=True)]
    for _, title in words.SIDES:
        columns += [
            Column(f"{title}, requests", rank=2),
            Column(title, "%"),
            Column(f"{title}, up to", "%", rank=1),
        ]
    names = [words.bin_end(row.to_ms) for row in scale.bins]
    data = [
        {
            "type": "bar",
            "name": title,
            "x": names,
            "y": [row[2 + 3 * at] for row in rows],
            "marker": {"color": words.COLOURS[key]},
            "hovertemplate": "%{x}: %{y:.4~r} %<extra>%{fullData.name}</extra>",
        }
        for at, (key, title) in enumerate(words.SIDES)
    ]
    straddling = scale.straddling.before + scale.straddling.after
    remarks = (
        [
            f"{numbers.count(straddling)} requests lie in fine bins that reach over an edge, and count by "
            "their upper end."
        ]
        if straddling
        else []
    )
    x = axis("Response time up to", type="category", nticks=len(names))
    return Figure(
        f"histogram-{scale.scale}",
        scale.title,
        _SAID[scale.scale],
        Table(columns, rows),
        {"data": data, "layout": layout(x, axis("Requests (%)"), barmode="group", showlegend=True)},
        remarks,
        wide=scale.scale == "array",
        brief=scale.scale == "array",
    )


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def distribution(found: BeforeAfter) -> Figure | None:
    """Cumulative distribution of both sides."""
    return _curves(
        found,
        1,
        key="distribution",
        title="Distribution",
        caption="Share of requests that finished within a response time; further left is faster.",
        y=axis("Finished within (%)", range=[0, 101]),
    )


def tail(found: BeforeAfter) -> Figure | None:
    """Share of requests beyond a response time, on a logarithmic scale."""
    lowest = min(
        (point[2] for key, _ in words.SIDES for point in found.distribution.of(key) if point[2] > 0),
        default=1.0,
    )
    decades = [math.floor(math.log10(100 * lowest)), 2.05]
    return _curves(
        found,
        2,
        key="tail",
        title="The slow tail",
        caption="Share of requests that took longer: p99 is where a line crosses 1\u00a0%, "
        "p99.99 where it crosses 0.01\u00a0%.",
        y=axis("Took longer (%, log scale)", type="log", range=decades, dtick=1),
    )


def _curves(
    found: BeforeAfter, share: int, *, key: str, title: str, caption: str, y: dict[str, Any]
) -> Figure | None:
    curves = found.distribution
    if not any(curves.of(side) for side, _ in words.SIDES):
        return None
    rows: list[list[Cell]] = [
        [name, point[0], 100 * point[1], 100 * point[2]]
        for side, name in words.SIDES
        for point in curves.of(side)
    ]
    columns = [
        Column("Side", text=True),
        Column("Response time up to", "ms"),
        Column("Finished within", "%"),
        Column("Took longer", "%"),
    ]
    data = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": name,
            "x": [point[0] for point in curves.of(side)],
            "y": [100 * point[share] or None for point in curves.of(side)],
            "line": {"color": words.COLOURS[side], "width": 2, "dash": words.DASHES[side]},
            "hovertemplate": "%{x:,.4~r} ms: %{y:.4~r} %<extra>%{fullData.name}</extra>",
        }
        for side, name in words.SIDES
    ]
    limit = {
        "type": "line",
        "x0": found.asked.spike_ms,
        "x1": found.asked.spike_ms,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"color": palette.ALL, "width": 1, "dash": "dot"},
    }
    return Figure(
        key,
        title,
        f"{caption} The dotted line is the threshold of {numbers.with_unit(found.asked.spike_ms, 'ms')}.",
        Table(columns, rows),
        {
            "data": data,
            "layout": layout(
                axis("Response time (ms, log scale)", type="log"), y, showlegend=True, shapes=[limit]
            ),
        },
        ["Thinned to points that can be told apart."],
    )


def percentiles(found: BeforeAfter) -> Figure:
    """Percentiles of both sides with the requests beyond them."""
    names = ["mean", *found.response_time_ms.before.beyond, "max"]
    rows: list[list[Cell]] = []
    for name in names:
        row: list[Cell] = [{"mean": "Mean", "max": "Longest"}.get(name, name)]
        for key, _ in words.SIDES:
            times = found.response_time_ms.of(key)
            row += [times.named(name), times.beyond.get(name)]
        rows.append(row)
    columns = [Column("", text=True)]
    for _, title in words.SIDES:
        columns += [Column(title, "ms"), Column(f"Requests beyond, {title.lower()}")]
    return Figure(
        "percentiles",
        "Percentiles",
        "From merged histograms: no percentile is a mean of others. A percentile is the upper end of its "
        "bin.",
        Table(columns, rows),
    )


def directions(found: BeforeAfter) -> Figure | None:
    """Reads and writes apart, as each Run's own report has them."""
    shown = found.directions
    if len(shown) < 2:
        return None
    rows: list[list[Cell]] = []
    for one in shown:
        for key, title in words.SIDES:
            times = one.of(key)
            rows.append(
                [
                    f"{one.title.capitalize()}, {title.lower()}",
                    times.count,
                    times.mean,
                    times.p50,
                    times.p99,
                    times.p999,
                ]
            )
    columns = [
        Column("", text=True),
        Column("Requests"),
        *(Column(name, "ms") for name in ("Mean", "p50", "p99", "p99.9")),
    ]
    return Figure(
        "directions",
        "Reads and writes",
        "Of all workloads at the host, without verdicts: `op` compares one of them.",
        Table(columns, rows),
    )
