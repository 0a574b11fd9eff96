"""Charts of a search: the curve of each metric with its peak, levels, mixes, the largest configurations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from iowatt.emerald.bff.result import BestFootForward, MetricCurve, MetricPeaks, PeakConfiguration
from iowatt.render import palette, plot
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain, text_columns
from iowatt.render.numbers import significant

_MOST_CURVES: Final = 6  #: Curves that a chart can tell apart.


def _colour(number: int) -> str:
    return palette.RUNS[number % len(palette.RUNS)]


def curve(result: BestFootForward, metric: MetricPeaks) -> Figure | None:
    """A metric against drives, by whole shelves or nodes; None where nothing is known of it."""
    own = _ranked(result, metric, "shelf")
    different = _different(own)
    shown, peak = different[:_MOST_CURVES], metric.peak
    if not shown or peak is None:
        return None
    caption = (
        f"Peak: {peak.label}, {significant(peak.ep, 4)} {metric.unit} ({peak.basis}); {peak.why}. "
        "Marks are simulated or calculated, lines without marks estimated; the star is the peak."
    )
    remarks = []
    if len(different) < len(own):
        alike = len(own) - len(different)
        remarks.append(f"{alike} curves of other controller classes coincide with one shown.")
    if len(different) > len(shown):
        remarks.append(f"The best {len(shown)} of {len(different)} curves; table.csv has all of them.")
    if peak.knee:
        remarks.append(f"Bottleneck: {peak.knee}.")
    title = f"{metric.title}: {metric.unit} against drives"
    return _figure(f"curve-{_key(metric)}", title, caption, shown, metric=metric, peak=peak, remarks=remarks)


def granularity(result: BestFootForward, metric: MetricPeaks) -> Figure | None:
    """The same by single drives around the peak by shelves; None where there is no such curve."""
    peak, by_shelf = metric.by_drive, metric.peak
    if peak is None or by_shelf is None:
        return None
    shown = [
        one
        for one in _ranked(result, metric, "drive")
        if (one.drive, one.raid, one.controller) == (peak.drive, peak.raid, peak.controller)
    ]
    gain = 100 * (peak.ep / by_shelf.ep - 1) if by_shelf.ep else 0.0
    caption = (
        f"Between the shelves beside the peak. By single drives the peak is at {peak.drives}, "
        f"{significant(peak.ep, 4)} {metric.unit} ({peak.basis}): {gain:+.1f} % against "
        f"{by_shelf.drives} drives by shelves."
    )
    title = f"{metric.title} by single drives"
    return _figure(f"drives-{_key(metric)}", title, caption, shown[:1], metric=metric, peak=peak)


def _figure(
    key: str,
    title: str,
    caption: str,
    shown: Sequence[MetricCurve],
    *,
    metric: MetricPeaks,
    peak: PeakConfiguration,
    remarks: Sequence[str] = (),
) -> Figure:
    traces = [trace for number, series in enumerate(shown) for trace in _traces(series, _colour(number))]
    star = plot.markers([peak.drives], [peak.ep], name="Peak", colour=palette.WRITE, size=15, symbol="star")
    columns = [
        Column("Curve", text=True), Column("Drives"), Column("Shelves"), Column("Nodes"),
        Column("Estimated", metric.unit), Column("Simulated", metric.unit), Column("Response", "ms"),
        Column("Rate", "MiB/s" if metric.kind == "sequential" else "IOPS"), Column("Wall", "W"),
        Column("Busiest", text=True),
    ]  # fmt: skip
    rows = [row for series in shown for row in _rows(series, metric)]
    values = [point.ep for series in shown for point in series.points if point.ep is not None]
    from_zero: dict[str, Any] = (
        {"rangemode": "tozero"} if min(values, default=0) < 0.6 * max(values, default=0) else {}
    )
    drawing = plot.spec([*traces, star], layout(axis("Drives"), axis(metric.unit, **from_zero)))
    return Figure(key, title, caption, Table(columns, rows), drawing, list(remarks), wide=True)


def _traces(series: MetricCurve, colour: str) -> list[dict[str, Any]]:
    points = [point for point in series.points if point.ep is not None]
    estimated = [(point.drives, point.estimated.ep) for point in points if point.estimated is not None]
    simulated = [(point.drives, point.found.ep) for point in points if point.found is not None]
    name, traces = plain(series.name), []
    if estimated:
        x, y = map(list, zip(*estimated, strict=True))
        more: dict[str, Any] = {"legendgroup": name, "showlegend": not simulated}
        traces.append(plot.line(x, y, name=name, colour=colour, dash="dot", width=1.5, **more))
    if simulated:
        x, y = map(list, zip(*simulated, strict=True))
        more = {"legendgroup": name, "marker": {"size": 7, "color": colour}}
        traces.append(plot.line(x, y, name=name, colour=colour, width=2, marks=True, **more))
    return traces


def _rows(series: MetricCurve, metric: MetricPeaks) -> list[list[Cell]]:
    return [
        [
            series.name, point.drives, point.shelves, point.nodes,
            point.estimated.ep if point.estimated else None, point.found.ep if point.found else None,
            best.response_ms, best.mib_per_s if metric.kind == "sequential" else best.iops, best.wall_w,
            best.bottleneck,
        ]
        for point in series.points
        if (best := point.best) is not None
    ]  # fmt: skip


def _ranked(result: BestFootForward, metric: MetricPeaks, by: str) -> list[MetricCurve]:
    """A metric's curves from the best peak down."""
    own = [one for one in result.series if one.metric == metric.name and one.by == by and one.peak]
    return sorted(own, key=lambda one: -((one.points[one.peak.at].ep if one.peak else None) or 0.0))


def _different(ranked: Sequence[MetricCurve]) -> list[MetricCurve]:
    """Curves without those of other classes that coincide as far as both go; of these the longest."""
    kept: dict[tuple[Any, ...], MetricCurve] = {}
    for series in ranked:
        assert series.peak is not None
        peak = series.points[series.peak.at]
        like = (series.drive, series.raid, series.per_node, peak.drives, f"{peak.ep:.6g}")
        if like not in kept or len(series.points) > len(kept[like].points):
            kept[like] = series
    return list(kept.values())


def _key(metric: MetricPeaks) -> str:
    return metric.name.replace("/", "-").lower()


def levels(result: BestFootForward) -> Figure | None:
    """Peaks by level of redundancy; None where only one is offered."""
    metrics = [metric for metric in result.metrics if metric.kind != "idle" and metric.by_level]
    names = _levels(result.metrics)
    if len(names) < 2 or not metrics:
        return None
    traces: list[dict[str, Any]] = []
    rows: list[list[Cell]] = []
    for number, name in enumerate(names):
        shares: list[float | None] = []
        for metric in metrics:
            best = max(one.ep for one in metric.by_level)
            own = next((one for one in metric.by_level if one.raid == name), None)
            share = None if own is None or not best else 100 * own.ep / best
            shares.append(share)
            if own is not None:
                rows.append([metric.title, name, own.label, own.ep, metric.unit, share, own.basis])
        traces.append(
            plot.bar([one.name for one in metrics], shares, name=plain(name), colour=_colour(number))
        )
    columns = [
        *text_columns("Metric", "Level", "Peak at"), Column("EP"), Column("Unit", text=True),
        Column("Share of the best", "%"), Column("Basis", text=True),
    ]  # fmt: skip
    drawn = layout(axis("Metric", type="category"), axis("Share of the best level (%)"), barmode="group")
    caption = "Each level at its own peak, as a share of the best level's."
    return Figure(
        "levels", "Levels of redundancy", caption, Table(columns, rows), plot.spec(traces, drawn), wide=True
    )


def _levels(metrics: Sequence[MetricPeaks]) -> list[str]:
    return list(dict.fromkeys(one.raid for metric in metrics for one in metric.by_level))


def mixes(result: BestFootForward) -> Figure | None:
    """Peaks over the share of reads, by level; None with fewer than three mixes."""
    own = [metric for metric in result.metrics if metric.read_percent is not None and metric.name != "MW2"]
    own.sort(key=lambda metric: metric.read_percent or 0)
    if len(own) < 3:
        return None
    traces: list[dict[str, Any]] = []
    rows: list[list[Cell]] = []
    for number, name in enumerate(_levels(own)):
        points = [(metric, one) for metric in own for one in metric.by_level if one.raid == name]
        rows += [
            [name, metric.name, metric.read_percent, one.ep, one.drives, one.label, one.basis]
            for metric, one in points
        ]
        reads, values = [metric.read_percent for metric, _ in points], [one.ep for _, one in points]
        traces.append(plot.line(reads, values, name=plain(name), colour=_colour(number), marks=True))
    columns = [
        *text_columns("Level", "Metric"), Column("Reads", "%"), Column("EP", "IOPS/W"), Column("Drives"),
        *text_columns("Peak at", "Basis"),
    ]  # fmt: skip
    drawing = plot.spec(traces, layout(axis("Reads (%)"), axis("IOPS/W", rangemode="tozero")))
    caption = "Each mix at its own peak, from random writes to reads."
    return Figure("mixes", "Mixes of reads and writes", caption, Table(columns, rows), drawing)


def projection(result: BestFootForward) -> Figure | None:
    """Watts of the largest configurations by the calculator."""
    known = [row for row in result.projection if row.idle_w is not None]
    if not known:
        return None
    names = [plain(f"{row.drives} x {row.drive}, {row.controller}") for row in known]
    traces = [
        plot.bar(
            [getattr(row, key) for row in known],
            names,
            name=title,
            colour=palette.STATE_COLOURS[state],
            orientation="h",
        )
        for title, key, state in (
            ("Ready idle", "idle_w", "idle"),
            ("All at work", "active_w", "positioning"),
        )
    ]
    keys = ("drive", "controller", "drives", "shelves", "nodes", "raw_gb", "idle_w", "active_w", "gb_per_w")
    rows: list[list[Cell]] = [[getattr(row, key) for key in keys] for row in known]
    columns = [
        *text_columns("Drive", "Controller"), Column("Drives"), Column("Shelves"), Column("Nodes"),
        Column("Raw", "GB"), Column("Ready idle", "W"), Column("All at work", "W"),
        Column("Ready idle", "GB/W"),
    ]  # fmt: skip
    refused = [f"{row.drives} x {row.drive}: {row.error}" for row in result.projection if row.error]
    more = {"barmode": "group", "height": 120 + 44 * len(known)}
    drawing = plot.spec(traces, layout(axis("At the wall (W)"), axis("", autorange="reversed"), **more))
    caption = (
        "By the power calculator: every drive and part at rest, and every one at work, an upper end. A lab "
        "that tests a smaller configuration gives these in its notes."
    )
    title = "Largest configurations, projected"
    return Figure("projection", title, caption, Table(columns, rows), drawing, refused, wide=True)


def estimator(result: BestFootForward) -> Figure | None:
    """Estimates against simulations."""
    errors = result.estimator.by_metric
    if not errors:
        return None
    titles = {metric.name: metric.title for metric in result.metrics}
    keys = ("points", "median_percent", "p95_percent", "worst_percent", "bias_percent")
    rows: list[list[Cell]] = [
        [titles[name], *(getattr(one, key) for key in keys)] for name, one in errors.items()
    ]
    columns = [
        Column("Metric", text=True), Column("Points"), Column("Median error", "%"),
        Column("95th percentile", "%"), Column("Worst", "%"), Column("Bias", "%"),
    ]  # fmt: skip
    traces = []
    for number, name in enumerate(errors):
        pairs = [
            (point.drives, 100 * (point.estimated.ep / point.found.ep - 1))
            for series in result.series
            if series.metric == name
            for point in series.points
            if point.estimated and point.found and point.found.ep
        ]
        xy = ([x for x, _ in pairs], [y for _, y in pairs])
        traces.append(plot.markers(*xy, name=name, colour=_colour(number), size=7))
    drawing = plot.spec(traces, layout(axis("Drives"), axis("Estimate against simulation (%)")))
    caption = "Estimates choose what to simulate; these are their errors over all points that have both."
    return Figure("estimator", "Estimates against simulations", caption, Table(columns, rows), drawing)
