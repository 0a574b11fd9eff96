"""What ``iowatt devices validate --ssd`` shows: SSDs against their data sheets."""

from __future__ import annotations

from collections.abc import Sequence

from iowatt.base.units import format_duration
from iowatt.evaluate.validation.result import DataSheet, DataSheets, ReadsAtDepth
from iowatt.render import numbers, palette, plot
from iowatt.render.document import Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain


def document(found: DataSheets) -> Document:
    """The document of one or several data sheets."""
    compared = len(found.compared)
    worst = max((abs(figure.error or 0.0) for figure in found.compared), default=0.0)
    over = sum(abs(figure.error or 0.0) > found.bar for figure in found.compared)
    within = "all" if not over else f"{compared - over} of {compared}"
    queueing = [figure for sheet in found.devices for figure in _queueing(sheet)]
    return Document(
        key="data-sheets",
        kind="validation",
        title="SSDs against their data sheets" if len(found.devices) > 1 else found.devices[0].title,
        meta=f"{numbers.counted(compared, 'figure')} of {numbers.counted(len(found.devices), 'drive')}",
        verdict=[
            f"The largest error is {numbers.percent(worst)}; {within} figures are within "
            f"{numbers.percent(found.bar)}."
        ],
        chart=_errors(found),
        sections=[
            Section("figures", "Published and simulated", [_figures(sheet) for sheet in found.devices]),
            Section("queueing", "Saturation and garbage collection", queueing),
        ],
    )


def _errors(found: DataSheets) -> Figure:
    """The error of every figure that the model has."""
    rows: list[list[Cell]] = [
        [sheet.title, label(figure.figure), 100 * figure.error]
        for sheet in found.devices
        for figure in sheet.figures
        if figure.error is not None
    ]
    table = Table([Column("Drive", text=True), Column("Figure", text=True), Column("Error", "%")], rows)
    several = len(found.devices) > 1
    names, others = ("Drive", "Figure") if several else ("Figure", "Drive")
    data = [
        plot.markers(
            table.column("Error"), [plain(name) for name in table.column(names)], colour=palette.RUNS[0],
            size=9, hover="%{y}, %{text}: %{x:.3~r} %<extra></extra>", text=table.column(others),
        )
    ]  # fmt: skip
    height = 120 + 28 * len(set(data[0]["y"]))
    drawn = layout(
        axis("Error (%)", zeroline=True),
        axis("", type="category", autorange="reversed", dtick=1),
        showlegend=False,
        height=height,
    )
    caption = f"Simulated over published, less one; up to {numbers.percent(found.bar)} is accepted."
    return Figure("errors", "Errors", caption, table, plot.spec(data, drawn), wide=True)


def _figures(sheet: DataSheet) -> Figure:
    columns = [Column(name, text=True) for name in ("Figure", "Published", "Simulated")]
    columns += [Column("Error", "%"), Column("Work", text=True, rank=1)]
    rows: list[list[Cell]] = [
        [
            label(one.figure), _shown(one.published, one.unit),
            numbers.NO_VALUE if one.simulated is None else _shown(one.simulated, one.unit),
            None if one.error is None else 100 * one.error, one.work,
        ]
        for one in sheet.figures
    ]  # fmt: skip
    amplified = sheet.write_amplification
    beside = "" if amplified is None else f" Write amplification of random writes is {amplified:.2f}."
    caption = f"Simulated by its {sheet.simulated_by}.{beside}"
    key = f"figures-{sheet.device}"
    return Figure(
        key, f"{sheet.device} ({sheet.title})", caption, Table(columns, rows), wide=True, brief=True
    )


def label(figure: str) -> str:
    """The key of a figure of a device file in words: ``Random read IOPS``."""
    group, _, name = figure.partition(".")
    words = name.replace("_", " ").replace("iops", "IOPS")
    return f"Power, {words}" if group == "power" else words[:1].upper() + words[1:]


def _queueing(sheet: DataSheet) -> list[Figure]:
    """Reads at growing depth, and reads during writes, where requested."""
    found = []
    if sheet.reads:
        found.append(_depths(sheet.reads))
    if sheet.beside_writes:
        columns = [
            Column("Drive", text=True),
            *(Column(name, text=True) for name in ("Mean", "p99", "p99.9")),
        ]
        rows: list[list[Cell]] = [
            [state, *(_time(times[name]) for name in ("mean", "p99", "p999"))]
            for state, times in sheet.beside_writes.items()
        ]
        caption = "Response times of random reads during random writes at 0.7 of the published rate."
        table = Table(columns, rows)
        found.append(Figure("beside-writes", "Reads during random writes", caption, table, brief=True))
    return found


def _depths(reads: Sequence[ReadsAtDepth]) -> Figure:
    columns = [Column("Outstanding"), Column("IOPS"), Column("Mean", text=True), Column("p99", text=True)]
    rows: list[list[Cell]] = [
        [one.outstanding, round(one.iops), _time(one.mean_s), _time(one.p99_s)] for one in reads
    ]
    caption = "Random reads of 4 KiB, so many at a time."
    return Figure("reads", "Random reads", caption, Table(columns, rows), brief=True)


def _shown(value: float, unit: str) -> str:
    """A figure with its unit."""
    if unit == "bytes/s":
        return f"{value / 1e6:,.4g} MB/s"
    if unit == "s":
        return _time(value)
    return f"{value:,.0f} IOPS" if unit == "1/s" else f"{value:.3g} {unit}"


def _time(seconds: float) -> str:
    return format_duration(float(f"{seconds:.3g}"))
