"""How response times are spread on both sides: bins, the distribution, its tail, percentiles."""

from __future__ import annotations

import math
from typing import Any

from iowatt.lenses.compare.result import BeforeAfter, ScaleBins
from iowatt.pages.compare import words
from iowatt.render import numbers, plot
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, text_columns

#: What each scale is, for its caption.
_CAPTIONS = {
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
            cells += [one.requests, words.percent(one.share), words.percent(one.share_to)]
        rows.append(cells)
    columns = text_columns("Response time")
    for _, title in words.SIDES:
        columns += [
            Column(f"{title}, requests", rank=2), Column(title, "%"), Column(f"{title}, up to", "%", rank=1),
        ]  # fmt: skip
    table = Table(columns, rows)
    names = [words.bin_end(row.to_ms) for row in scale.bins]
    traces = [
        plot.bar(
            names, table.column(title), name=title, colour=words.COLOURS[key],
            hover="%{x}: %{y:.4~r} %<extra>%{fullData.name}</extra>",
        )
        for key, title in words.SIDES
    ]  # fmt: skip
    straddling = scale.straddling.before + scale.straddling.after
    remark = (
        f"{numbers.count(straddling)} requests lie in fine bins that reach over an edge, and count by "
        "their upper end."
    )
    x = axis("Response time up to", type="category", nticks=len(names))
    drawn = layout(x, axis("Requests (%)"), barmode="group", showlegend=True)
    first = scale.scale == "array"
    return Figure(
        f"histogram-{scale.scale}", scale.title, _CAPTIONS[scale.scale], table, plot.spec(traces, drawn),
        [remark] if straddling else [], wide=first, brief=first,
    )  # fmt: skip


def distribution(found: BeforeAfter) -> Figure | None:
    """Cumulative distribution of both sides."""
    return _curves(
        found, "distribution", "Distribution", share=1,
        caption="Share of requests that finished within a response time; further left is faster.",
        y=axis("Finished within (%)", range=[0, 101]),
    )  # fmt: skip


def tail(found: BeforeAfter) -> Figure | None:
    """Share of requests beyond a response time, on a logarithmic scale."""
    shares = (point[2] for key, _ in words.SIDES for point in found.distribution.of(key) if point[2] > 0)
    decades = [math.floor(math.log10(100 * min(shares, default=1.0))), 2.05]
    return _curves(
        found, "tail", "The slow tail", share=2,
        caption="Share of requests that took longer: p99 is where a line crosses 1\u00a0%, p99.99 where it "
        "crosses 0.01\u00a0%.",
        y=axis("Took longer (%, log scale)", type="log", range=decades, dtick=1),
    )  # fmt: skip


def _curves(
    found: BeforeAfter, key: str, title: str, *, share: int, caption: str, y: dict[str, Any]
) -> Figure | None:
    curves, limit = found.distribution, found.asked.spike_ms
    if not any(curves.of(side) for side, _ in words.SIDES):
        return None
    rows: list[list[Cell]] = [
        [name, point[0], 100 * point[1], 100 * point[2]]
        for side, name in words.SIDES
        for point in curves.of(side)
    ]
    columns = [
        *text_columns("Side"), Column("Response time up to", "ms"), Column("Finished within", "%"),
        Column("Took longer", "%"),
    ]  # fmt: skip
    traces = [
        plot.line(
            [point[0] for point in curves.of(side)],
            [100 * point[share] or None for point in curves.of(side)], name=name,
            colour=words.COLOURS[side], width=2, dash=words.DASHES[side],
            hover="%{x:,.4~r} ms: %{y:.4~r} %<extra>%{fullData.name}</extra>",
        )
        for side, name in words.SIDES
    ]  # fmt: skip
    x = axis("Response time (ms, log scale)", type="log")
    return Figure(
        key, title,
        f"{caption} The dotted line is the threshold of {numbers.with_unit(limit, 'ms')}.",
        Table(columns, rows),
        plot.spec(traces, layout(x, y, showlegend=True, shapes=[plot.reference_line(x=limit, dash="dot")])),
        ["Thinned to points that can be told apart."],
    )  # fmt: skip


def percentiles(found: BeforeAfter) -> Figure:
    """Percentiles of both sides with the requests beyond them."""
    rows: list[list[Cell]] = []
    for name in ["mean", *found.response_time_ms.before.beyond, "max"]:
        row: list[Cell] = [{"mean": "Mean", "max": "Longest"}.get(name, name)]
        for key, _ in words.SIDES:
            times = found.response_time_ms.of(key)
            row += [times.named(name), times.beyond.get(name)]
        rows.append(row)
    columns = text_columns("")
    for _, title in words.SIDES:
        columns += [Column(title, "ms"), Column(f"Requests beyond, {title.lower()}")]
    return Figure(
        "percentiles", "Percentiles",
        "From merged histograms: no percentile is a mean of others. A percentile is the upper end of its "
        "bin.",
        Table(columns, rows),
    )  # fmt: skip


def directions(found: BeforeAfter) -> Figure | None:
    """Reads and writes apart, as each Run's own report has them."""
    if len(found.directions) < 2:
        return None
    rows: list[list[Cell]] = []
    for one in found.directions:
        for key, title in words.SIDES:
            times = one.of(key)
            name = f"{one.title.capitalize()}, {title.lower()}"
            rows.append([name, times.count, times.mean, times.p50, times.p95, times.p99, times.p999])
    ranks = {"Mean": 0, "p50": 1, "p95": 0, "p99": 0, "p99.9": 1}
    columns = [
        *text_columns("Requests"), Column("Number", rank=2),
        *(Column(name, "ms", rank=rank) for name, rank in ranks.items()),
    ]  # fmt: skip
    return Figure(
        "directions", "Reads and writes",
        "Of all workloads at the host, without verdicts: `--op` compares one of them.", Table(columns, rows),
        brief=True,
    )  # fmt: skip
