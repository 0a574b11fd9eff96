"""What ``iowatt devices calibrate`` shows: verdict, measured against fitted where held out, figures."""

from __future__ import annotations

from collections.abc import Iterator

from iowatt.base.units import format_bytes, format_duration
from iowatt.evaluate.calibration import DeviceCalibration
from iowatt.evaluate.calibration.result import CheckedCell
from iowatt.render import numbers, palette, plot
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain


def document(found: DeviceCalibration) -> Document:
    """The document of one calibration."""
    return Document(
        key="calibration",
        kind="device-calibration",
        title=f"{found.device}, based on {found.based_on}",
        meta=f"{numbers.counted(len(found.cells), 'cell')}, {len(found.held_out)} held out",
        verdict=list(_verdict(found)),
        chart=_held_out(found),
        sections=[
            Section("figures", "Figures", [_figures(found), *_flat(found), *_observed(found)]),
            Section("cells", "Cells", [_cells(found)]),
        ],
        caveats=[Caveat(note.text, note.decides) for note in found.notes],
    )


def _verdict(found: DeviceCalibration) -> Iterator[str]:
    mean = next((one for one in found.errors if one.of == "mean"), None)
    if mean is None:
        yield "No cell was held out: nothing says how far off the device is."
    else:
        ends = f"{numbers.percent(mean.low)} to {numbers.percent(mean.high)}"
        yield (
            f"On {numbers.counted(mean.cells, 'cell')} held out, mean response times are off by "
            f"{numbers.percent(mean.value)} on average (95 %: {ends})."
        )
    tails = [
        (abs(error), cell.name) for cell in found.held_out if (error := cell.error_of("p99")) is not None
    ]
    if "tail" in found.good_for:
        yield f"Good for the tail: no held-out p99 is off by more than {numbers.percent(max(tails)[0])}."
    elif tails:
        worst, name = max(tails)
        yield (
            f"Not good for the tail: p99 of {name} is off by {numbers.percent(worst)}, more than "
            f"{numbers.percent(found.tail_bar)}."
        )
    else:
        yield "Not good for the tail: no held-out p99 was measured."
    if "mean" not in found.good_for and mean is not None:
        yield f"Not good for means either: more than {numbers.percent(found.mean_bar)}."


def _held_out(found: DeviceCalibration) -> Figure:
    """Measured against fitted mean response times of the held-out cells."""
    rows: list[list[Cell]] = [
        [cell.name, 1e6 * one, 1e6 * other, 100 * cell.error]
        for cell in found.held_out
        if (one := _time(cell, measured=True)) and (other := _time(cell, measured=False))
    ]
    columns = [
        Column("Cell", text=True),
        Column("Measured", "us"),
        Column("Fitted", "us"),
        Column("Error", "%"),
    ]
    table = Table(columns, rows)
    times = [*table.column("Measured"), *table.column("Fitted")]
    ends = [min(times), max(times)] if times else [1.0, 2.0]
    data = [
        plot.markers(
            table.column("Measured"), table.column("Fitted"), colour=palette.RUNS[0], size=9,
            hover="%{text}: %{x:,.4~r} us measured, %{y:,.4~r} us fitted<extra></extra>",
            text=[plain(str(name)) for name in table.column("Cell")],
        ),
        plot.line(
            ends, ends, name="equal", colour=palette.STATE_COLOURS["idle"], dash="dot", width=1, hover="",
        ),
    ]  # fmt: skip
    drawn = layout(
        axis("Measured mean (us)", type="log"), axis("Fitted mean (us)", type="log"), showlegend=False
    )
    caption = "Mean response times of the cells that nothing was fitted to; on the line they are equal."
    return Figure("held-out", "Held-out cells", caption, table, plot.spec(data, drawn), wide=True)


def _time(cell: CheckedCell, *, measured: bool) -> float | None:
    mean = cell.measured_mean_s if measured else cell.simulated_mean_s
    return mean or 1 / (cell.measured_iops if measured else cell.simulated_iops)


def _figures(found: DeviceCalibration) -> Figure:
    columns = [Column(name, text=True) for name in ("Figure", "Fitted", "95 % interval", "Base")]
    columns += [Column("Quality", text=True, rank=2), Column("From", text=True, rank=1)]
    rows: list[list[Cell]] = [
        [
            one.figure, shown(one.value, one.unit),
            f"{shown(one.low, one.unit)} to {shown(one.high, one.unit)}", _end(one.based_on, one.unit),
            one.quality, one.method,
        ]
        for one in found.figures
    ]  # fmt: skip
    caption = f"The drive is simulated by its {found.simulated_by}."
    return Figure("fitted", "Fitted figures", caption, Table(columns, rows), wide=True, brief=True)


def _flat(found: DeviceCalibration) -> Iterator[Figure]:
    if not found.flat:
        return
    rows: list[list[Cell]] = [
        [one.figure, *(_end(end, one.unit) for end in (one.low, one.high)), one.why] for one in found.flat
    ]
    columns = [Column(name, text=True) for name in ("Figure", "No less than", "No more than", "Sought by")]
    caption = "Their profiles are flat: the measurements fit as well with others. They are as in the base."
    yield Figure("flat", "Figures not determined", caption, Table(columns, rows), wide=True, brief=True)


def _end(value: float | None, unit: str) -> str:
    return numbers.NO_VALUE if value is None else shown(value, unit)


def _observed(found: DeviceCalibration) -> Iterator[Figure]:
    if not found.observed:
        return
    rows: list[list[Cell]] = [[one.name, shown(one.value, one.unit), one.text] for one in found.observed]
    columns = [Column(name, text=True) for name in ("What", "Value", "Detail")]
    yield Figure("observed", "Also seen", "", Table(columns, rows), brief=True)


def _cells(found: DeviceCalibration) -> Figure:
    columns = [
        Column("Cell", text=True), Column("", text=True), Column("Measured", "us"), Column("Fitted", "us"),
        Column("Error", "%"), Column("p50", "%", rank=3), Column("p99", "%", rank=1),
        Column("p99.9", "%", rank=2),
        Column("Demerit", "%", rank=2), Column("Measured", "W", rank=4), Column("Fitted", "W", rank=4),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            cell.name, "held out" if cell.held_out else "fitted", _us(_time(cell, measured=True)),
            _us(_time(cell, measured=False)), 100 * cell.error,
            *(_percent(cell.error_of(name)) for name in ("p50", "p99", "p99.9")),
            _percent(cell.demerit_fraction), cell.measured_w, cell.simulated_w,
        ]
        for cell in sorted(found.cells, key=lambda cell: not cell.held_out)
    ]  # fmt: skip
    caption = "Errors are simulated over measured, less one; the demerit is of the measured mean."
    return Figure("cells", "Measured and fitted", caption, Table(columns, rows), wide=True, brief=True)


def _us(value: float | None) -> float | None:
    return None if value is None else 1e6 * value


def _percent(value: float | None) -> float | None:
    return None if value is None else 100 * value


def shown(value: float, unit: str) -> str:
    """A figure in the unit that people use."""
    if unit == "bytes/s":
        return f"{value / 1e6:,.4g} MB/s"
    if unit == "bytes":
        return format_bytes(round(value), binary=True)
    if unit == "s":
        return format_duration(float(f"{value:.3g}"))
    if unit == "1":
        return f"{value:.3g}"
    return f"{value:,.0f} IOPS" if unit == "1/s" else f"{value:.4g} {unit}"
