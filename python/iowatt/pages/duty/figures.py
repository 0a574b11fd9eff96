"""Figures of the duty page, each with its table."""

from __future__ import annotations

from typing import Any

from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain

Found = dict[str, Any]
_COLOURS = {"idle": palette.STATE_COLOURS["idle"], "moderate": "#56b4e9", "heavy": "#0072b2"}


def classes(found: Found) -> Figure:
    """The table of the classes."""
    unit = found["unit"]
    columns = [
        Column("Class", text=True), Column("Idle", "h"), Column("Moderate", "h"), Column("Heavy", "h"),
        Column("Nominal power", "W"), Column("Nominal traffic", unit), Column("Efficiency", f"{unit}/W"),
        Column("Energy", "kWh/year"), Column("Heat", "BTU/h"), Column("Raw capacity", "GB/W"),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            one["class"], *one["hours"].values(), one["nominal_w"], one["nominal_throughput"],
            one["throughput_per_w"], one["annual_kwh"], one["heat_btu_per_h"], one["raw_gb_per_w"],
        ]
        for one in found["classes"]
    ]  # fmt: skip
    caption = (
        "Hours of a day, and their mean power and traffic. Moderate is 50 %, heavy 80 % of the highest load."
    )
    return Figure("classes", "Usage classes", caption, Table(columns, rows), wide=True)


def days(found: Found) -> Figure:
    """Energy of a day by class, stacked by load."""
    watts = {one["load"]: one["watts"] for one in found["loads"]}
    rows: list[list[Cell]] = [
        [one["class"], *(one["hours"][load] * watts[load] / 1000 for load in watts)]
        for one in found["classes"]
    ]
    table = Table([Column("Class", text=True), *(Column(load.capitalize(), "kWh") for load in watts)], rows)
    data = [
        {
            "type": "bar",
            "name": load.capitalize(),
            "x": table.column("Class"),
            "y": table.column(load.capitalize()),
            "marker": {"color": _COLOURS[load]},
            "hovertemplate": "%{y:,.4~r} kWh<extra>%{fullData.name}</extra>",
        }
        for load in watts
    ]
    drawn = layout(axis("Usage class"), axis("Energy of a day (kWh)"), barmode="stack")
    return Figure(
        "days", "Energy of a day", "By the load of its hours.", table, {"data": data, "layout": drawn}
    )


def loads(found: Found) -> Figure:
    """Power and efficiency against load."""
    unit = found["unit"]
    columns = [
        Column("Run", text=True), Column("Of the highest", "%"), Column("Throughput", unit),
        Column("Power", "W"), Column("Efficiency", f"{unit}/W"), Column("Mean response time", "ms"),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            plain(one["name"]), 100 * one["fraction"], one["throughput"], one["watts"],
            one["throughput_per_w"], one["response_ms"],
        ]
        for one in found["points"]
    ]  # fmt: skip
    table = Table(columns, rows)
    used = found["loads"]
    data = [
        {
            "type": "scatter", "mode": "lines+markers", "name": "Runs",
            "x": table.column("Of the highest"), "y": table.column("Power"),
            "line": {"color": palette.BAR}, "hovertemplate": "%{y:,.4~r} W at %{x:.1f} %",
        },
        {
            "type": "scatter", "mode": "markers", "name": "Idle, moderate, heavy",
            "x": [100 * one["fraction"] for one in used], "y": [one["watts"] for one in used],
            "marker": {"color": palette.P95, "size": 12, "symbol": "diamond-open"},
            "hovertemplate": "%{y:,.4~r} W",
        },
    ]  # fmt: skip
    drawn = layout(axis("Share of the highest throughput (%)"), axis("Mean power (W)", rangemode="tozero"))
    caption = "Each Run, and the three loads that the classes weigh."
    return Figure("loads", "Power against load", caption, table, {"data": data, "layout": drawn}, wide=True)
