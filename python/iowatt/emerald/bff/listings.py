"""Tables of the page: peaks, the reduced list, named configurations, errors of estimates, sources."""

from __future__ import annotations

from iowatt.emerald.bff.result import BestFootForward, NotJudged, Worth
from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Exact, Figure, Table, axis, layout


def peaks(found: BestFootForward) -> Figure:
    """Every metric's peak."""
    rows: list[list[Cell]] = []
    for metric in found.metrics:
        for by, one in (("shelves", metric.peak), ("drives", metric.by_drive)):
            if one is not None:
                rows.append(
                    [
                        metric.name, by if not found.family.scale_out else "nodes", one.label,
                        one.ep, metric.unit, one.response_ms, one.wall_w,
                        one.less_percent, one.more_percent, one.basis, one.knee,
                    ]
                )  # fmt: skip
    columns = [
        Column("Metric", text=True), Column("By", text=True, rank=3), Column("Peak at", text=True),
        Exact("EP", digits=4), Column("Unit", text=True), Column("Response", "ms", rank=1),
        Column("Wall", "W", rank=1), Column("A step less", "%", rank=2), Column("A step more", "%", rank=2),
        Column("Basis", text=True), Column("Busiest station", text=True, rank=3),
    ]  # fmt: skip
    return Figure(
        "peaks", "Peaks", "The configuration to put forward for each metric. A step is a shelf, or a drive.",
        Table(columns, rows), wide=True, brief=True,
    )  # fmt: skip


def reduced(found: BestFootForward) -> Figure | None:
    """What is worth testing."""
    listed = found.reduced
    if not listed.configurations:
        return None
    metrics = [metric.name for metric in found.metrics if metric.peak]
    rows: list[list[Cell]] = []
    for one in listed.configurations:
        rows.append(_share_row("test", one, metrics, ", ".join(one.covers)))
    if listed.compromise is not None:
        rows.append(_share_row("compromise", listed.compromise, metrics, "best single configuration"))
    columns = [
        Column("", text=True), Column("Configuration", text=True), Column("For", text=True),
        *(Column(name, "% of peak", rank=1) for name in metrics),
    ]  # fmt: skip
    remarks = [
        f"In the lab: {one.drives} drives ({', '.join(one.drives_of)}) behind {one.controller} hold "
        f"{len(one.contains)} of them: take shelves out."
        for one in listed.setups
        if len(one.contains) > 1
    ]
    if listed.uncovered:
        remarks.append(f"Not covered: {', '.join(listed.uncovered)}.")
    return Figure(
        "reduced", "Worth testing in the lab",
        f"The fewest configurations that reach every metric's peak within {listed.within_percent:g} %, "
        "and the one whose weakest metric comes nearest to its peak.",
        Table(columns, rows), None, remarks, wide=True, brief=True,
    )  # fmt: skip


def _share_row(kind: str, one: Worth, metrics: list[str], covers: str) -> list[Cell]:
    shares = (one.figures.get(name) for name in metrics)
    return [kind, one.label, covers, *(None if share is None else 100 * share.share for share in shares)]


def configurations(found: BestFootForward) -> Figure | None:
    """The family's own configurations."""
    rows: list[list[Cell]] = []
    units = {metric.name: metric.unit for metric in found.metrics}
    for one in found.configurations:
        for figure in one.figures:
            head = [one.name, one.label, figure.metric]
            unit = units[figure.metric]
            if isinstance(figure, NotJudged):
                rows.append([*head, None, unit, None, None, None, None, figure.error])
            else:
                rows.append(
                    [*head, figure.ep, unit, figure.iops, figure.response_ms, figure.wall_w,
                     figure.bottleneck, figure.basis]
                )  # fmt: skip
    if not rows:
        return None
    columns = [
        Column("Name", text=True), Column("Configuration", text=True), Column("Metric", text=True),
        Column("EP"), Column("Unit", text=True), Column("Rate", "IOPS"), Column("Response", "ms"),
        Column("Wall", "W"), Column("Busiest", text=True), Column("Basis", text=True),
    ]  # fmt: skip
    remarks = [f"{one.name}: {one.note}" for one in found.configurations if one.note]
    return Figure(
        "configurations", "Named configurations", "Those that the family file names, evaluated as they are.",
        Table(columns, rows), None, remarks, wide=True,
    )  # fmt: skip


def estimator(found: BestFootForward) -> Figure | None:
    """Estimates against simulations."""
    errors = found.estimator.by_metric
    if not errors:
        return None
    titles = {metric.name: metric.title for metric in found.metrics}
    rows: list[list[Cell]] = [
        [titles[name], one.points, one.median_percent, one.p95_percent, one.worst_percent,
         one.bias_percent]
        for name, one in errors.items()
    ]  # fmt: skip
    columns = [
        Column("Metric", text=True), Column("Points"), Column("Median error", "%"),
        Column("95th percentile", "%"), Column("Worst", "%"), Column("Bias", "%"),
    ]  # fmt: skip
    traces = []
    for number, name in enumerate(errors):
        pairs = [
            (point.drives, 100 * (point.estimated.ep / point.found.ep - 1))
            for series in found.series
            if series.metric == name
            for point in series.points
            if point.estimated and point.found and point.found.ep
        ]
        traces.append(
            {
                "type": "scatter", "mode": "markers", "name": name, "x": [x for x, _ in pairs],
                "y": [y for _, y in pairs],
                "marker": {"color": palette.RUNS[number % len(palette.RUNS)], "size": 7},
            }
        )  # fmt: skip
    spec = {"data": traces, "layout": layout(axis("Drives"), axis("Estimate against simulation (%)"))}
    return Figure(
        "estimator", "Estimates against simulations",
        "Estimates choose what is simulated; this is how far they were off, over all points that have both.",
        Table(columns, rows), spec,
    )  # fmt: skip


def stated(found: BestFootForward) -> Figure:
    """What the family file states."""
    rows: list[list[Cell]] = [
        [one.figure, one.quality or "no source given", one.source] for one in found.family.figures
    ]
    columns = [Column("Figure", text=True), Column("Quality", text=True), Column("From", text=True)]
    return Figure(
        "stated", "What the family file states", "Drives and parts of the library have their sources there.",
        Table(columns, rows), wide=True,
    )  # fmt: skip
