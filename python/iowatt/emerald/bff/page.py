"""The page of ``iowatt emerald bff``: peaks, curves, and the configurations worth testing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from iowatt.emerald.bff import figures
from iowatt.emerald.bff.result import BestFootForward, MetricPeaks, NoFigures, ReducedConfiguration
from iowatt.render import numbers
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Exact, Figure, Table, text_columns
from iowatt.render.headline import Headline


def document(result: BestFootForward) -> Document:
    """The document of a search."""
    metrics = [metric for metric, _ in result.peaks]
    curves = _present(figures.curve(result, metric) for metric in metrics)
    compared = (figures.levels(result), figures.mixes(result), _groups(result), _options(result))
    return Document(
        key="bff",
        kind="best foot forward",
        title=result.title,
        meta=_meta(result),
        verdict=list(_verdict(result)),
        chart=curves[0] if curves else None,
        headlines=[_headline(metric) for metric in result.metrics],
        sections=[
            Section("best", "Peaks", _present((_peaks(result), _reduced(result)))),
            Section("curves", "Against drives", curves[1:]),
            Section(
                "single", "By single drives", _present(figures.granularity(result, one) for one in metrics)
            ),
            Section("compared", "Levels, mixes and drives", _present(compared)),
            Section("variables", "What varies, and what a test covers", _variables(result)),
            Section("named", "Named configurations", _present((_configurations(result),))),
            Section("projection", "Largest configurations", _present((figures.projection(result),))),
            Section("estimator", "Estimates", _present((figures.estimator(result),)), folded=True),
            Section("stated", "Figures of the family file", [_stated(result)], folded=True),
        ],
        caveats=list(_caveats(result)),
        provenance=[
            ("Family", f"{result.family.file}, SHA-256 {result.family.sha256}"),
            ("Rules", f"{result.rules.profile}, SHA-256 {result.rules.sha256}"),
            ("iowatt", result.version),
        ],
    )


def _present(found: Iterable[Figure | None]) -> list[Figure]:
    return [figure for figure in found if figure is not None]


def _meta(result: BestFootForward) -> str:
    points = [point for curve in result.series for point in curve.points]
    simulated = sum(point.found is not None and point.found.basis == "simulated" for point in points)
    parts = [
        numbers.counted(len(result.series), "curve"),
        f"{numbers.counted(result.estimator.estimated, 'point')} estimated",
        f"{simulated} simulated",
        f"rules {result.rules.profile}",
    ]
    if result.limit_ms is not None:
        parts.append(f"mean response time within {result.limit_ms:g} ms")
    return " · ".join(parts)


def _verdict(result: BestFootForward) -> Iterator[str]:
    for metric, peak in result.peaks:
        known = f" ({peak.basis})" if peak.basis != "simulated" else ""
        why = "" if peak.kind == "peak" else f"; {peak.why}"
        busy = f"; {peak.knee}" if peak.knee else ""
        ep = numbers.significant(peak.ep, 4)
        yield f"{metric.name}: {ep} {metric.unit} at {peak.label}{known}{why}{busy}."
    missing = [metric.name for metric in result.metrics if metric.peak is None]
    if missing:
        yield f"No configuration has figures of {', '.join(missing)}."


def _headline(metric: MetricPeaks) -> Headline:
    peak = metric.peak
    if peak is None:
        return Headline(metric.name, metric.title, None, metric.unit, "no configuration")
    return Headline(metric.name, metric.title, peak.ep, metric.unit, f"{peak.label} ({peak.basis})")


def _caveats(result: BestFootForward) -> Iterator[Caveat]:
    for note in sorted(result.notes, key=lambda note: not note.decides):
        yield Caveat(note.text, note.decides)
    yield Caveat(f"{result.modelled[0].upper()}{result.modelled[1:]}.")
    if result.caveat:
        yield Caveat(result.caveat)
    errors = result.estimator.errors
    if errors is not None:
        yield Caveat(
            f"Estimates against simulations, {numbers.counted(errors.points, 'point')}: median error "
            f"{errors.median_percent:.1f} %, worst {errors.worst_percent:.1f} %, bias "
            f"{errors.bias_percent:+.1f} %."
        )
    if result.estimator.not_estimated:
        why = "; ".join(result.estimator.why_not[:3])
        yield Caveat(f"{numbers.counted(result.estimator.not_estimated, 'point')} not estimated: {why}")


def _peaks(result: BestFootForward) -> Figure:
    shelves = "nodes" if result.family.scale_out else "shelves"
    drives = "nodes" if result.family.scale_out else "drives"
    rows: list[list[Cell]] = [
        [
            metric.name, by, one.label, one.ep, metric.unit, one.response_ms, one.wall_w, one.less_percent,
            one.more_percent, one.basis, one.knee,
        ]
        for metric in result.metrics
        for by, one in ((shelves, metric.peak), (drives, metric.by_drive))
        if one is not None
    ]  # fmt: skip
    columns = [
        Column("Metric", text=True), Column("By", text=True, rank=3), Column("Peak at", text=True),
        Exact("EP", digits=4), Column("Unit", text=True), Column("Response", "ms", rank=1),
        Column("Wall", "W", rank=1), Column("A step less", "%", rank=2), Column("A step more", "%", rank=2),
        Column("Basis", text=True), Column("Busiest station", text=True, rank=3),
    ]  # fmt: skip
    caption = "The configuration to put forward for each metric. A step is a shelf, or a drive."
    return Figure("peaks", "Peaks", caption, Table(columns, rows), wide=True, brief=True)


def _reduced(result: BestFootForward) -> Figure | None:
    listed = result.reduced
    if not listed.configurations:
        return None
    metrics = [metric.name for metric in result.metrics if metric.peak]

    def row(kind: str, one: ReducedConfiguration, covers: str) -> list[Cell]:
        shares = (one.figures.get(name) for name in metrics)
        return [kind, one.label, covers, *(None if share is None else 100 * share.share for share in shares)]

    rows = [row("test", one, ", ".join(one.covers)) for one in listed.configurations]
    if listed.compromise is not None:
        rows.append(row("compromise", listed.compromise, "best single configuration"))
    columns = [
        *text_columns("", "Configuration", "For"), *(Column(name, "% of peak", rank=1) for name in metrics)
    ]  # fmt: skip
    remarks = [
        f"In the lab: {one.drives} drives ({', '.join(one.drives_of)}) behind {one.controller} cover "
        f"{len(one.contains)} of them: take shelves out."
        for one in listed.setups
        if len(one.contains) > 1
    ]
    if listed.uncovered:
        remarks.append(f"Not covered: {', '.join(listed.uncovered)}.")
    caption = (
        f"The fewest configurations that reach every metric's peak within {listed.within_percent:g} %, "
        "and the one whose weakest metric comes nearest to its peak."
    )
    table = Table(columns, rows)
    return Figure("reduced", "Worth testing in the lab", caption, table, None, remarks, wide=True, brief=True)


def _options(result: BestFootForward) -> Figure | None:
    """Each drive option at its best in each metric."""
    rows: list[list[Cell]] = [
        [metric.title, one.drive, one.label, one.ep, metric.unit, one.drives, one.wall_w, one.basis]
        for metric in result.metrics
        for one in sorted(metric.by_option, key=lambda one: -one.ep)
    ]
    if len({row[1] for row in rows}) < 2:
        return None
    columns = [
        *text_columns("Metric", "Drive", "Peak at"), Column("EP"), Column("Unit", text=True),
        Column("Drives"), Column("Wall", "W"), Column("Basis", text=True),
    ]  # fmt: skip
    caption = "Each option at its own peak. Only options that come near the best are simulated."
    return Figure("options", "Drive options", caption, Table(columns, rows), wide=True)


def _groups(result: BestFootForward) -> Figure | None:
    """Groups of drive options apart, each at its own peak."""
    rows: list[list[Cell]] = [
        [metric.title, one.group, one.label, one.ep, metric.unit, one.wall_w, one.basis]
        for metric in result.metrics
        for one in metric.by_group
    ]
    if not rows:
        return None
    columns = [
        *text_columns("Metric", "Group", "Peak at"), Column("EP"), Column("Unit", text=True),
        Column("Wall", "W"), Column("Basis", text=True),
    ]  # fmt: skip
    caption = "SSDs and disks, or groups that the family file names, are characterised apart."
    return Figure("groups", "Groups of drives apart", caption, Table(columns, rows), wide=True)


def _variables(result: BestFootForward) -> list[Figure]:
    """The family's variables, and the range around each optimal point."""
    found = result.variables
    nodes = found.nodes
    rows: list[list[Cell]] = [
        ["Controller class", ", ".join(found.controllers), ""],
        ["Level", ", ".join(found.levels), ""],
    ]
    if nodes is not None:
        rows.append(["Nodes", f"{nodes[0]} to {nodes[1]}", ""])
    for drive in found.drives:
        most = ", ".join(f"{count} ({owner})" for owner, count in drive.most.items())
        rows.append([f"Drives {drive.drive} ({drive.group})", f"{drive.least} to {most or 0}", ""])
    for ras in found.ras:
        tested = "not stated" if ras.tested is None else str(ras.tested)
        rows.append([f"RAS: {ras.feature}", f"{ras.least} to {ras.most}", tested])
    for com in found.com:
        rows.append([f"COM: {com.method}", com.offered, "on" if com.during_test else "off"])
    caption = "RAS and COM features are recorded, not modelled: the last column is what the file states."
    table = Table(text_columns("Variable", "Range", "In the configurations"), rows)
    made = [Figure("variables", "Variables of the family", caption, table, wide=True)]
    points: list[list[Cell]] = [
        [
            one.metric, one.group, one.label, f"{one.least} to {one.most}",
            ", ".join(map(str, one.built)), one.standing,
            "; ".join(f"{each.name}: {each.standing} ({each.why})" for each in one.configurations),
        ]
        for one in result.optimal_points
    ]  # fmt: skip
    if points:
        first = result.optimal_points[0]
        caption = (
            f"By {first.rules}: {first.percent[0]:+g} to {first.percent[1]:+g} % of the tested number of "
            "drives, with the same controller class, drive and level"
            + ("." if first.verified else "; nobody has verified that rule.")
        )
        columns = text_columns(
            "Metric", "Group", "Optimal point", "Range", "By whole shelves", "A count in it is",
            "Named configurations",
        )  # fmt: skip
        title = "Configurations that a test at an optimal point covers"
        made.append(Figure("optimal-points", title, caption, Table(columns, points), wide=True))
    return made


def _configurations(result: BestFootForward) -> Figure | None:
    units = {metric.name: metric.unit for metric in result.metrics}
    rows: list[list[Cell]] = []
    for one in result.configurations:
        for figure in one.figures:
            head: list[Cell] = [one.name, one.label, figure.metric]
            unit = units[figure.metric]
            if isinstance(figure, NoFigures):
                rows.append([*head, None, unit, None, None, None, None, figure.error])
            else:
                keys = ("iops", "response_ms", "wall_w", "bottleneck", "basis")
                rows.append([*head, figure.ep, unit, *(getattr(figure, key) for key in keys)])
    if not rows:
        return None
    columns = [
        *text_columns("Name", "Configuration", "Metric"), Column("EP"), Column("Unit", text=True),
        Column("Rate", "IOPS"), Column("Response", "ms"), Column("Wall", "W"),
        *text_columns("Busiest", "Basis"),
    ]  # fmt: skip
    remarks = [f"{one.name}: {one.note}" for one in result.configurations if one.note]
    caption = "The configurations that the family file names, as they are."
    table = Table(columns, rows)
    return Figure("configurations", "Named configurations", caption, table, None, remarks, wide=True)


def _stated(result: BestFootForward) -> Figure:
    rows: list[list[Cell]] = [
        [one.figure, one.quality or "no source given", one.source] for one in result.family.figures
    ]
    caption = "Drives and parts of the library have their sources there."
    table = Table(text_columns("Figure", "Quality", "Source"), rows)
    return Figure("stated", "Figures of the family file", caption, table, wide=True)
