"""What ``iowatt devices validate --measured`` shows: measured cells of devices against simulated ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, get_args

from iowatt.base.units import format_bytes, format_duration
from iowatt.evaluate.measured.result import (
    CellFigure,
    ComparedCell,
    ComparedDevice,
    FigureErrors,
    MeasuredDevices,
    Purpose,
)
from iowatt.model.library import ENOUGH, PURPOSES
from iowatt.render import numbers, palette, plot
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table, axis, plain, text_columns
from iowatt.render.phrases import listed

METHOD: Final = (
    "Each cell's work on the device alone: so many processes, each with its requests outstanding, or "
    "arrivals at equal gaps. A process spends {host} of processor time on each request, one after another, "
    "as its cells at depth 1 show. Times are from submission to completion. Error: simulated over measured, "
    "less one. Demerit: root mean square of the differences of 1,000 quantiles over the measured mean."
)
SHOWN: Final = {
    "iops": "IOPS",
    "mean": "mean",
    "p50": "p50",
    "p99": "p99",
    "p99.9": "p99.9",
    "watts": "watts",
}
"""Figures that tables show, with their titles."""


def document(found: MeasuredDevices) -> Document:
    """The document of one or several devices."""
    single = found.devices[0] if len(found.devices) == 1 else None
    cells = sum(len(device.cells) for device in found.devices)
    return Document(
        key="measured",
        kind="validation",
        title="Devices against measurements" if single is None else single.title,
        meta=f"{numbers.counted(cells, 'cell')} of {numbers.counted(len(found.devices), 'device')}",
        verdict=[verdict(device) for device in found.devices],
        chart=_chart(found),
        sections=[
            Section("checked", "Errors and bars", [_checked(found)]),
            Section("cells", "Cells", [_cells(device) for device in found.devices]),
        ],
        caveats=[
            Caveat(note.text if single else f"{device.device}: {note.text}", note.decides)
            for device in found.devices
            for note in device.notes
        ],
        provenance=list(_provenance(found)),
    )


def verdict(device: ComparedDevice) -> str:
    """``intel-dc-p4510-1tb: good for mean and throughput; tail: p99 within 25 % in 10 of 20 cells.``"""
    trusted: Sequence[Purpose] = device.trusted_for
    by_figure = {one.figure: one for one in device.checked}
    good = f"good for {listed(trusted)}" if trusted else "good for none of the purposes"
    rest = []
    for purpose in (one for one in get_args(Purpose) if one not in trusted):
        found = [by_figure[name] for name in PURPOSES[purpose] if name in by_figure]
        said = ", ".join(
            f"{SHOWN[one.figure]} within {numbers.percent(one.bar)} in {one.within} of {one.cells} cells"
            for one in found
        )
        rest.append(f"{purpose}: {said or 'not measured'}")
    return f"{device.device}: {'; '.join([good, *rest])}."


def _checked(found: MeasuredDevices) -> Figure:
    columns = [
        *text_columns("Device", "Figure"), Column("Bar", "%"), Column("Cells"), Column("Within"),
        Column("Median error", "%", rank=1), Column("Largest error", "%"),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [device.device, SHOWN[one.figure], *_shown(one)] for device in found.devices for one in device.checked
    ]
    by = "; ".join(
        f"{purpose} by {listed([SHOWN[name] for name in names])}" for purpose, names in PURPOSES.items()
    )
    enough = numbers.percent(ENOUGH)
    caption = f"A device is good for a purpose where {enough} of its cells are within the bar: {by}."
    return Figure("checked", "Errors and bars", caption, Table(columns, rows), wide=True, brief=True)


def _shown(one: FigureErrors) -> list[Cell]:
    return [100 * one.bar, one.cells, one.within, 100 * one.median, 100 * one.worst]


def _chart(found: MeasuredDevices) -> Figure:
    """Mean and p99 of each cell, simulated over measured."""
    rows: list[list[Cell]] = []
    data = []
    ends: list[float] = []
    for device, colour in zip(
        found.devices, palette.of_systems([one.device for one in found.devices]), strict=True
    ):
        for name, symbol in (("mean", "circle"), ("p99", "diamond-open")):
            drawn = [
                (cell, 1e3 * one.measured, 1e3 * one.simulated)
                for cell in device.cells
                for one in cell.figures
                if one.figure == name
            ]
            rows += [[device.device, cell.name, name, x, y] for cell, x, y in drawn]
            ends += [value for _, x, y in drawn for value in (x, y) if value > 0]
            if drawn:
                data.append(
                    plot.markers(
                        plot.positive([x for _, x, _ in drawn]), plot.positive([y for _, _, y in drawn]),
                        name=plain(f"{device.device}, {name}"), colour=colour, symbol=symbol, size=8,
                        text=[plain(cell.name) for cell, _, _ in drawn],
                        hover="%{text}: measured %{x:.4~r} ms, simulated %{y:.4~r} ms"
                        "<extra>%{fullData.name}</extra>",
                    )
                )  # fmt: skip
    if ends:
        span = [min(ends), max(ends)]
        data.insert(0, plot.line(span, span, name="equal", colour=palette.ALL, dash="dot", width=1))
    columns = [*text_columns("Device", "Cell", "Time"), Column("Measured", "ms"), Column("Simulated", "ms")]
    drawn_on = plot.chart(
        data, axis("Measured (ms)", type="log"), axis("Simulated (ms)", type="log"), showlegend=True
    )
    caption = "A point on the line is exact; below it the simulated device is too fast."
    return Figure(
        "simulated-over-measured",
        "Simulated against measured",
        caption,
        Table(columns, rows),
        drawn_on,
        wide=True,
    )


def _cells(device: ComparedDevice) -> Figure:
    """A row for each cell and direction: measured, simulated and error of each figure."""
    known = [name for name in SHOWN if any(cell.error(name) is not None for cell in device.cells)]  # type: ignore[arg-type]
    columns = [Column("Cell", text=True)]
    for name in known:
        unit = {"iops": "", "watts": "W"}.get(name, "us")
        columns += [
            Column(SHOWN[name], unit, rank=1), Column("simulated", unit, rank=2),
            Column(f"{SHOWN[name]} error", "%"),
        ]  # fmt: skip
    columns += [Column("Demerit", "%", rank=3), Column("Work", text=True, rank=4)]
    rows: list[list[Cell]] = []
    for cell in device.cells:
        found = [one.direction for one in cell.figures if one.direction]
        directions: list[str | None] = [*dict.fromkeys(found)] or [None]
        for way in directions:
            of = {one.figure: one for one in cell.figures if one.direction in (None, way)}
            title = cell.name if len(directions) < 2 else f"{cell.name}, {way}s"
            row: list[Cell] = [title]
            for name in known:
                row += _three(of.get(name))  # type: ignore[call-overload]
            row += [None if cell.demerit is None else 100 * cell.demerit, work(cell)]
            rows.append(row)
    caption = "Measured, simulated, and the error in percent of the measured figure."
    return Figure(
        f"cells-{device.device}", device.title, caption, Table(columns, rows), wide=True, brief=True
    )


def _three(one: CellFigure | None) -> list[Cell]:
    if one is None:
        return [None, None, None]
    factor = 1 if one.figure in ("iops", "watts") else 1e6
    return [factor * one.measured, factor * one.simulated, 100 * one.error]


def work(cell: ComparedCell) -> str:
    """``4 KiB random reads, 128 outstanding of each of 10``."""
    op = {"read": "reads", "write": "writes"}.get(cell.op) or f"{numbers.percent(cell.read_share)} reads"
    what = f"{format_bytes(cell.size_bytes)} {cell.pattern} {op}"
    if cell.rate_per_s is not None:
        return f"{what}, {numbers.significant(cell.rate_per_s)} a second"
    each = f" of each of {cell.processes}" if cell.processes > 1 else ""
    return f"{what}, {cell.depth} outstanding{each}"


def _provenance(found: MeasuredDevices) -> Iterator[tuple[str, str]]:
    for device in found.devices:
        host = format_duration(float(f"{device.host_s:.2g}"))
        yield device.device, METHOD.format(host=host)
        if device.measured_by is not None:
            yield f"{device.device}, measured", f"{device.measured_by}; {device.licence}"
