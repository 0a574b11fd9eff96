"""Figures of the search: the curve of each metric, by shelves and by single drives, with its peak marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from iowatt.emerald.bff.result import BestFootForward, Chosen, Curve, MetricFound
from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain

#: Curves that a chart can tell apart.
MOST_CURVES: Final = 6
_POINT_COLUMNS: Final = (
    Column("Curve", text=True), Column("Drives"), Column("Shelves"), Column("Nodes"),
)  # fmt: skip


def curve(found: BestFootForward, metric: MetricFound) -> Figure | None:
    """A metric against drives, by whole shelves or nodes; None where nothing is known of it."""
    own = _ranked(found, metric, "shelf")
    different = _different(own)
    shown = different[:MOST_CURVES]
    peak = metric.peak
    if not shown or peak is None:
        return None
    said = (
        f"Peak: {peak.label}, {_number(peak.ep)} {metric.unit} ({peak.basis}); {peak.why}. "
        "Marks are simulated or calculated, lines without marks estimated; the star is the peak."
    )
    remarks = []
    if len(different) < len(own):
        alike = len(own) - len(different)
        remarks.append(f"{alike} curves are the same as one shown, of a class that takes other numbers.")
    if len(different) > len(shown):
        remarks.append(f"The best {len(shown)} of {len(different)} curves; the table of all is table.csv.")
    if peak.knee:
        remarks.append(f"Where the time goes: {peak.knee}.")
    return _figure(
        f"curve-{_key(metric)}", f"{metric.title}: {metric.unit} against drives", said,
        shown=shown, metric=metric, peak=peak, remarks=remarks,
    )  # fmt: skip


def granularity(found: BestFootForward, metric: MetricFound) -> Figure | None:
    """The same by single drives around the peak by shelves; None where there is no such curve."""
    peak, by_shelf = metric.by_drive, metric.peak
    if peak is None or by_shelf is None:
        return None
    shown = [
        one for one in _ranked(found, metric, "drive")
        if (one.drive, one.raid, one.controller) == (peak.drive, peak.raid, peak.controller)
    ]  # fmt: skip
    gain = 100 * (peak.ep / by_shelf.ep - 1) if by_shelf.ep else 0.0
    said = (
        f"Between the shelves beside the peak. By single drives it is at {peak.drives}, "
        f"{_number(peak.ep)} {metric.unit} ({peak.basis}): {gain:+.1f} % of that by shelves, at "
        f"{by_shelf.drives}."
    )
    return _figure(
        f"drives-{_key(metric)}", f"{metric.title} by single drives", said,
        shown=shown[:1], metric=metric, peak=peak,
    )  # fmt: skip


def _figure(
    key: str, title: str, said: str, *, shown: Sequence[Curve], metric: MetricFound, peak: Chosen,
    remarks: Sequence[str] = (),
) -> Figure:  # fmt: skip
    traces: list[dict[str, Any]] = []
    for number, series in enumerate(shown):
        colour = palette.RUNS[number % len(palette.RUNS)]
        traces += _traces(series, colour)
    traces.append(
        {
            "type": "scatter", "mode": "markers", "name": "Peak", "x": [peak.drives], "y": [peak.ep],
            "marker": {"symbol": "star", "size": 15, "color": palette.WRITE},
        }
    )  # fmt: skip
    columns = [
        *_POINT_COLUMNS, Column("Estimated", metric.unit), Column("Simulated", metric.unit),
        Column("Response", "ms"), Column("Rate", "MiB/s" if metric.kind == "sequential" else "IOPS"),
        Column("Wall", "W"), Column("Busiest", text=True),
    ]  # fmt: skip
    rows = [row for series in shown for row in _rows(series, metric)]
    top = max((point.ep for s in shown for point in s.points if point.ep is not None), default=0)
    low = min((point.ep for s in shown for point in s.points if point.ep is not None), default=0)
    span: dict[str, Any] = {"rangemode": "tozero"} if low < 0.6 * top else {}
    spec = {"data": traces, "layout": layout(axis("Drives"), axis(metric.unit, **span))}
    return Figure(key, title, said, Table(columns, rows), spec, list(remarks), wide=True)


def _traces(series: Curve, colour: str) -> list[dict[str, Any]]:
    points = [point for point in series.points if point.ep is not None]
    estimated = [(point.drives, point.estimated.ep) for point in points if point.estimated is not None]
    seen = [(point.drives, point.found.ep) for point in points if point.found is not None]
    name, found = plain(series.name), []
    if estimated:
        found.append(
            {
                "type": "scatter", "mode": "lines", "name": name, "legendgroup": name,
                "x": [drives for drives, _ in estimated],
                "y": [ep for _, ep in estimated],
                "line": {"color": colour, "dash": "dot", "width": 1.5}, "showlegend": not seen,
            }
        )  # fmt: skip
    if seen:
        found.append(
            {
                "type": "scatter", "mode": "lines+markers", "name": name, "legendgroup": name,
                "x": [drives for drives, _ in seen], "y": [ep for _, ep in seen],
                "line": {"color": colour, "width": 2}, "marker": {"size": 7, "color": colour},
            }
        )  # fmt: skip
    return found


def _rows(series: Curve, metric: MetricFound) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    for point in series.points:
        best = point.best
        if best is None:
            continue
        rate = best.mib_per_s if metric.kind == "sequential" else best.iops
        rows.append(
            [
                series.name, point.drives, point.shelves, point.nodes,
                point.estimated.ep if point.estimated else None, point.found.ep if point.found else None,
                best.response_ms, rate,
                best.wall_w, best.bottleneck,
            ]
        )  # fmt: skip
    return rows


def _ranked(found: BestFootForward, metric: MetricFound, by: str) -> list[Curve]:
    """A metric's curves from the best peak down."""
    own = [s for s in found.series if s.metric == metric.name and s.by == by and s.peak]
    return sorted(own, key=lambda s: -((s.points[s.peak.at].ep if s.peak else None) or 0.0))


def _different(ranked: Sequence[Curve]) -> list[Curve]:
    """Curves without those of another class that are the same as far as both go; of these the longest."""
    kept: dict[tuple[Any, ...], Curve] = {}
    for series in ranked:
        if series.peak is None:
            continue
        peak = series.points[series.peak.at]
        like = (series.drive, series.raid, series.per_node, peak.drives, f"{peak.ep:.6g}")
        if like not in kept or len(series.points) > len(kept[like].points):
            kept[like] = series
    return list(kept.values())


def _key(metric: MetricFound) -> str:
    return str(metric.name).replace("/", "-").lower()


def _number(value: float) -> str:
    from iowatt.render.numbers import significant

    return significant(value, 4)
