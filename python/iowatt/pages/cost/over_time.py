"""Figures over time: dollars added up, bills by month, and the hours of a year of a duty cycle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from iowatt.lenses.cost.result import BilledMonth, Cost, SystemCost
from iowatt.lenses.cost.result_year import DutyYear, LoadBand
from iowatt.lenses.wear import SECONDS_PER_YEAR
from iowatt.pages.cost import words
from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain

Floats = NDArray[np.float64]

#: Instants of a curve; with more steps than that, its steps are seen at these instants only.
_MOST: Final = 400
_GRID: Final = 41
#: Bills that have a figure each; more are drawn as lines of one.
_APART: Final = 2
_KINDS: Final[Sequence[tuple[Callable[[BilledMonth], float], str, str]]] = (
    (lambda month: month.energy_usd, "Energy", "energy"),
    (lambda month: month.demand_usd, "Demand", "demand"),
    (lambda month: month.fixed_usd, "Fixed", "fixed"),
    (lambda month: month.other_usd, "Other", "cooling"),
)


def added_up(system: SystemCost) -> tuple[Floats, Floats]:
    """Years, rising (twice the same where a sum is due at once), and dollars paid until then."""
    flows = [flow for component in system.components for flow in component.flows]
    usd = np.array([flow.usd for flow in flows])
    begins = np.array([flow.at_s for flow in flows])
    ends = np.array([flow.at_s if flow.until_s is None else flow.until_s for flow in flows])
    end = max([system.seconds, *ends.tolist()])
    corners = np.unique(np.concatenate([begins, ends, np.linspace(0.0, end, _GRID)]))
    if len(corners) > _MOST:
        corners = np.linspace(0.0, end, _MOST)
    at_once = ends <= begins
    spread = ~at_once
    lengths = np.where(at_once, 1.0, ends - begins)
    until: list[float] = []
    before: list[float] = []
    for corner in corners:
        paid = usd[spread] * np.clip((corner - begins[spread]) / lengths[spread], 0.0, 1.0)
        even = float(paid.sum())
        before.append(even + float(usd[at_once & (begins < corner)].sum()))
        until.append(even + float(usd[at_once & (begins <= corner)].sum()))
    years = np.repeat(corners / SECONDS_PER_YEAR, 2)
    dollars = np.empty(2 * len(corners))
    dollars[0::2], dollars[1::2] = before, until
    keep = np.ones(len(years), dtype=bool)
    keep[1::2] = dollars[1::2] != dollars[0::2]
    return years[keep], dollars[keep]


def cumulative(found: Cost) -> Figure:
    """Dollars paid until each year, a line for each system."""
    data: list[dict[str, Any]] = []
    rows: list[list[Cell]] = []
    for at, (name, system) in enumerate(zip(words.labels(found), found.systems, strict=True)):
        years, dollars = added_up(system)
        data.append(
            {
                "type": "scatter", "mode": "lines", "name": plain(name), "x": years.tolist(),
                "y": dollars.tolist(), "line": {"color": palette.RUNS[at % len(palette.RUNS)]},
                "hovertemplate": "%{x:,.3~r} years: %{y:,.4~r} USD<extra>%{fullData.name}</extra>",
            }
        )  # fmt: skip
        rows += [[name, float(year), float(usd)] for year, usd in zip(years, dollars, strict=True)]
    caption = (
        "All components as they are paid, not discounted; a step is a purchase, a replacement or what is "
        f"due at the end. {_compared(found)}"
    )
    columns = [Column("System", text=True), Column("Until", "years"), Column("Paid", "USD")]
    drawn = layout(
        axis("Years", rangemode="tozero"), axis("Paid until then (USD)", rangemode="tozero"),
        showlegend=len(data) > 1,
    )  # fmt: skip
    return Figure(
        "cumulative", "Dollars over time", caption, Table(columns, rows), {"data": data, "layout": drawn},
        wide=True,
    )  # fmt: skip


def _compared(found: Cost) -> str:
    """What two lines of one year may be compared for."""
    if found.horizon.basis == "time":
        return "Where lines cross, the other system has become the cheaper one so far."
    return (
        "The work is equal at the ends of the lines, not at the same year: where lines cross, one system has "
        "done more than the other."
    )


def bills(found: Cost) -> list[Figure]:
    """The bill of each system by month, stacked by kind of charge; of many systems a line each.

    Bills that are long are by year and drawn apart from those by month.
    """
    named = list(enumerate(zip(words.labels(found), found.systems, strict=True)))
    made: list[Figure] = []
    for by in ("month", "year"):
        here = [(at, name, system) for at, (name, system) in named if system.bill.by == by]
        if len(here) > _APART:
            made.append(_together(found, by, here))
        else:
            made += [_bill(found, at, name, system) for at, name, system in here]
    return made


BILL_COLUMNS: Final = (
    Column("Month", text=True), Column("Energy", "kWh"), *(Column(title, "USD") for _, title, _ in _KINDS),
    Column("Bill", "USD"),
)  # fmt: skip


def bill_rows(system: SystemCost) -> list[list[Cell]]:
    """The rows of a bill: a month each, or a year where it is long."""
    return [
        [
            one.month, one.kwh, *(charged(one) for charged, _, _ in _KINDS), one.usd,
        ]
        for one in system.bill.months
    ]  # fmt: skip


def bill_table(named: Iterable[tuple[str, SystemCost]]) -> Table:
    """The rows of several bills, each with the name of its system."""
    rows: list[list[Cell]] = [[name, *row] for name, system in named for row in bill_rows(system)]
    return Table([Column("System", text=True), *BILL_COLUMNS], rows)


def _billed(system: SystemCost) -> str:
    bill = system.bill
    return (
        f"{words.figure(bill.energy_kwh, 4)} kWh, at most "
        f"{words.figure(1000 * bill.peak_kw, 4)} W in a demand window"
    )


def _alone(found: Cost) -> str:
    """How the bill differs from the dollars of the costs."""
    text = "The system's own power, before PUE, factors and escalation."
    if found.assumed("energy.site_kw"):
        text += " The costs are those beside the site's other load (energy.site_kw), which is not in it."
    fixed, site = found.assumed("energy.fixed"), found.assumed("energy.site_kw")
    if fixed == "none" or (fixed == "share" and not site):
        text += " Fixed charges are on the bill and not in the costs (energy.fixed)."
    return text


def _bill(found: Cost, at: int, name: str, system: SystemCost) -> Figure:
    months, by = system.bill.months, system.bill.by
    data = [
        {
            "type": "bar", "name": title, "x": [one.month for one in months],
            "y": [charged(one) for one in months], "marker": {"color": words.COLOURS[group]},
            "hovertemplate": "%{x}: %{y:,.4~r} USD<extra>%{fullData.name}</extra>",
        }
        for charged, title, group in _KINDS
        if any(charged(one) for one in months)
    ]  # fmt: skip
    spec = {
        "data": data,
        "layout": layout(
            axis("", type="category", nticks=12), axis(f"USD a {by}"), barmode="relative",
            showlegend=len(data) > 1, bargap=0.1,
        ),
    }  # fmt: skip
    return Figure(
        f"bill-{at}",
        f"Bill by {by}: {name}",
        f"{_billed(system)}. {_alone(found)}",
        Table(list(BILL_COLUMNS), bill_rows(system)),
        spec if data else None,
        wide=len(found.systems) == 1,
    )


def _together(found: Cost, by: str, here: Sequence[tuple[int, str, SystemCost]]) -> Figure:
    """Many bills: a line for each, in the colour that the system has over time."""
    table = bill_table((name, system) for _, name, system in here)
    data = [
        {
            "type": "scatter", "mode": "lines+markers", "name": plain(name),
            "x": [row[0] for row in bill_rows(system)], "y": [row[-1] for row in bill_rows(system)],
            "line": {"color": palette.RUNS[at % len(palette.RUNS)]}, "marker": {"size": 4},
            "hovertemplate": "%{x}: %{y:,.4~r} USD<extra>%{fullData.name}</extra>",
        }
        for at, name, system in here
    ]  # fmt: skip
    spec = {
        "data": data,
        "layout": layout(
            axis("", type="category", nticks=12), axis(f"USD a {by}", rangemode="tozero"), showlegend=True
        ),
    }
    return Figure(
        f"bills-by-{by}",
        f"Bill by {by}",
        f"All charges; by kind in the table. {_alone(found)}",
        table,
        spec,
        remarks=["; ".join(f"{name}: {_billed(system)}" for _, name, system in here) + "."],
        wide=True,
    )


def hours(found: Cost) -> list[Figure]:
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
