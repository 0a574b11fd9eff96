"""Figures of a year of a duty cycle: watts by hour of the week, and how long each load lasts."""

from __future__ import annotations

from typing import Any

from iowatt.lenses.cost.result import Cost, DutyYear, LoadBand
from iowatt.pages.cost import words
from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain


def figures(found: Cost) -> list[Figure]:
    """For each system that is a year: its mean week, and one chart of loads for all."""
    years = [
        (name, system.year)
        for name, system in zip(words.labels(found), found.systems, strict=True)
        if system.year is not None
    ]
    if not years:
        return []
    return [*(_week(at, name, year) for at, (name, year) in enumerate(years)), _loads(years)]


def _week(at: int, name: str, year: DutyYear) -> Figure:
    """A map of mean watts, days downwards, hours across."""
    days, watts, loads = year.week.days, year.week.watts, year.week.load
    rows: list[list[Cell]] = [
        [day, hour, watts[row][hour], loads[row][hour]] for row, day in enumerate(days) for hour in range(24)
    ]
    data = [
        {
            "type": "heatmap", "x": list(range(24)), "y": [str(day) for day in days], "z": watts,
            "customdata": loads, "colorscale": "Viridis", "xgap": 1, "ygap": 1,
            "colorbar": {"title": {"text": "W", "side": "right"}, "thickness": 12, "outlinewidth": 0},
            "hovertemplate": "%{y}, %{x}:00: %{z:,.4~r} W at %{customdata:,.4~r} "
            f"{plain(year.unit)}<extra></extra>",
        }
    ]  # fmt: skip
    cycle = year.cycle
    caption = (
        f"{cycle.title or cycle.name}: mean power of each hour of the week, "
        f"{words.figure(year.energy_kwh, 4)} kWh in {words.years(year.years)}; the highest hour is "
        f"{year.highest_hour.when} with {words.figure(year.highest_hour.watts)} W."
    )
    drawn = layout(
        axis("Hour of the day", dtick=3), axis("", type="category", autorange="reversed"), showlegend=False
    )
    columns = [Column("Day", text=True), Column("Hour"), Column("Power", "W"), Column("Load", year.unit)]
    return Figure(
        f"week-{at}", f"The week: {name}", caption, Table(columns, rows), {"data": data, "layout": drawn}
    )


def _loads(years: list[tuple[str, DutyYear]]) -> Figure:
    """Hours at each tenth of the highest load, a bar for each system."""
    rows: list[list[Cell]] = []
    data: list[dict[str, Any]] = []
    for at, (name, year) in enumerate(years):
        bands = [_band(one) for one in year.by_load]
        rows += [[name, band, one.hours, one.kwh] for band, one in zip(bands, year.by_load, strict=True)]
        data.append(
            {
                "type": "bar", "name": plain(name), "x": bands,
                "y": [one.hours for one in year.by_load],
                "marker": {"color": palette.RUNS[at % len(palette.RUNS)]},
                "hovertemplate": "%{x}: %{y:,.4~r} h<extra>%{fullData.name}</extra>",
            }
        )  # fmt: skip
    columns = [
        Column("System", text=True), Column("Of its highest load", text=True), Column("Hours", "h"),
        Column("Energy", "kWh"),
    ]  # fmt: skip
    drawn = layout(
        axis("Of the highest load that was run", type="category"), axis("Hours"), showlegend=len(data) > 1
    )
    return Figure(
        "by-load", "How long each load lasts", "Hours at each tenth of the highest load, those without any "
        "apart.", Table(columns, rows), {"data": data, "layout": drawn},
    )  # fmt: skip


def _band(one: LoadBand) -> str:
    return "none" if one.to == 0 else f"to {100 * one.to:.0f} %"
