"""What ``iowatt duty`` shows: a day of each usage class, and power against load."""

from __future__ import annotations

from iowatt.lenses.duty import Duty
from iowatt.render import numbers, palette, plot
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain
from iowatt.render.headline import Headline

_COLOURS = {"idle": palette.STATE_COLOURS["idle"], "moderate": "#56b4e9", "heavy": "#0072b2"}


def document(duty: Duty) -> Document:
    """The document of a duty cycle."""
    most = max(duty.classes, key=lambda one: one.throughput_per_w or 0.0)
    return Document(
        key="duty",
        kind="duty cycle",
        title="Duty cycle",
        meta=f"highest {numbers.with_unit(duty.highest, duty.unit)} · "
        f"power {'at' if duty.power_basis == 'wall' else 'of'} the {duty.power_basis} · "
        f"{'modelled' if duty.modelled else 'measured'}",
        verdict=[
            f"A year takes {numbers.significant(duty.classes[0].annual_kwh)} kWh in {duty.classes[0].usage} "
            f"use and {numbers.significant(duty.classes[-1].annual_kwh)} kWh in {duty.classes[-1].usage} "
            f"use; the efficiency is highest in {most.usage} use, "
            f"{numbers.with_unit(most.throughput_per_w, f'{duty.unit}/W')}."
        ],
        chart=_days(duty),
        headlines=[
            Headline(
                one.usage,
                f"{one.usage.capitalize()} use",
                one.nominal_w,
                "W",
                f"{numbers.significant(one.annual_kwh)} kWh a year, "
                f"{numbers.with_unit(one.throughput_per_w, f'{duty.unit}/W')}",
            )
            for one in duty.classes
        ],
        sections=[
            Section("classes", "A day of each class", [_classes(duty)]),
            Section("productivity", "Useful work of a kWh", [_productivity(duty)]),
            Section("loads", "Power against load", [_loads(duty)]),
        ],
        caveats=[Caveat(note.text, note.decides) for note in duty.notes],
    )


def _classes(duty: Duty) -> Figure:
    """The table of the classes."""
    unit = duty.unit
    columns = [
        Column("Class", text=True), Column("Idle", "h", rank=1), Column("Moderate", "h", rank=1),
        Column("Heavy", "h", rank=1),
        Column("Nominal power", "W"), Column("Nominal traffic", unit), Column("Efficiency", f"{unit}/W"),
        Column("Energy", "kWh/year"), Column("Heat", "BTU/h", rank=2), Column("Raw capacity", "GB/W", rank=3),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            one.usage, one.hours.idle, one.hours.moderate, one.hours.heavy, one.nominal_w,
            one.nominal_throughput,
            one.throughput_per_w, one.annual_kwh, one.heat_btu_per_h, one.raw_gb_per_w,
        ]
        for one in duty.classes
    ]  # fmt: skip
    caption = (
        "Hours of a day, and their mean power and traffic. Moderate is 50 %, heavy 80 % of the highest load."
    )
    return Figure("classes", "Usage classes", caption, Table(columns, rows), wide=True, brief=True)


def _productivity(duty: Duty) -> Figure:
    """Work of a day over its energy."""
    columns = [
        Column("Class", text=True), Column("GB moved" if duty.work == "GB" else "Requests", "/kWh"),
        Column(f"At PUE {duty.pue:g}" if duty.pue else "Of the facility", "/kWh"),
        Column("Capacity kept", "GB h/kWh"),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [one.usage, one.work_per_kwh, one.facility_work_per_kwh, one.raw_gb_h_per_kwh] for one in duty.classes
    ]
    caption = (
        "Work of a day over its energy, idle hours included: Data Center energy Productivity (The Green "
        "Grid), of storage alone."
    )
    return Figure("productivity", "Useful work of a kWh", caption, Table(columns, rows), brief=True)


def _days(duty: Duty) -> Figure:
    """Energy of a day by class, stacked by load."""
    watts = {one.load: one.watts for one in duty.loads}
    rows: list[list[Cell]] = [
        [one.usage, *(getattr(one.hours, load) * watts[load] / 1000 for load in watts)]
        for one in duty.classes
    ]
    table = Table([Column("Class", text=True), *(Column(load.capitalize(), "kWh") for load in watts)], rows)
    hover = "%{y:,.4~r} kWh<extra>%{fullData.name}</extra>"
    classes = table.column("Class")
    bars = [
        plot.bar(classes, table.column(name), name=name, colour=_COLOURS[name.lower()], hover=hover)
        for name in map(str.capitalize, watts)
    ]
    drawn = layout(axis("Usage class"), axis("Energy of a day (kWh)"), barmode="stack")
    return Figure("days", "Energy of a day", "By the load of its hours.", table, plot.spec(bars, drawn))


def _loads(duty: Duty) -> Figure:
    """Power and efficiency against load."""
    unit = duty.unit
    columns = [
        Column("Run", text=True), Column("Of the highest", "%"), Column("Throughput", unit),
        Column("Power", "W"), Column("Efficiency", f"{unit}/W"), Column("Mean response time", "ms", rank=1),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            plain(one.name), 100 * one.fraction, one.throughput, one.watts,
            one.throughput_per_w, one.response_ms,
        ]
        for one in duty.points
    ]  # fmt: skip
    table = Table(columns, rows)
    shares, watts = table.column("Of the highest"), table.column("Power")
    used = duty.loads
    traces = [
        plot.line(shares, watts, name="Runs", marks=True, hover="%{y:,.4~r} W at %{x:.1f} %"),
        plot.markers(
            [100 * one.fraction for one in used], [one.watts for one in used], name="Idle, moderate, heavy",
            colour=palette.P95, size=12, symbol="diamond-open", hover="%{y:,.4~r} W",
        ),
    ]  # fmt: skip
    drawn = layout(axis("Share of the highest throughput (%)"), axis("Mean power (W)", rangemode="tozero"))
    caption = "Each Run, and the three loads that the classes weigh."
    drawing = plot.spec(traces, drawn)
    return Figure("loads", "Power against load", caption, table, drawing, wide=True, brief=True)
