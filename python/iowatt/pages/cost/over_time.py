"""Figures over time: dollars added up, bills by month, and the hours of a year of a duty cycle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from iowatt.lenses.cost.result import BilledPeriod, Cost, DutyYear, SystemCost
from iowatt.lenses.wear import SECONDS_PER_YEAR
from iowatt.pages.cost import words
from iowatt.render import numbers, plot
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain, text_columns

Floats = NDArray[np.float64]

_HOVER: Final = "%{x}: %{y:,.4~r} USD<extra>%{fullData.name}</extra>"
#: Most instants of a curve.
_MOST: Final = 400
_GRID: Final = 41
#: Most bills with a figure each; more share one.
_APART: Final = 2
_KINDS: Final[Sequence[tuple[Callable[[BilledPeriod], float], str, str]]] = (
    (lambda month: month.energy_usd, "Energy", "energy"),
    (lambda month: month.demand_usd, "Demand", "demand"),
    (lambda month: month.fixed_usd, "Fixed", "fixed"),
    (lambda month: month.other_usd, "Other", "cooling"),
)


def added_up(system: SystemCost) -> tuple[Floats, Floats]:
    """Rising years, with a step twice, and dollars paid until then."""
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
    until, before = [], []
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


def cumulative(cost: Cost) -> Figure:
    """Dollars paid until each year, a line for each system."""
    traces: list[dict[str, Any]] = []
    rows: list[list[Cell]] = []
    colours = words.colours(cost)
    for name, system in words.named(cost):
        years, dollars = (values.tolist() for values in added_up(system))
        traces.append(
            plot.line(
                years, dollars, name=plain(name), colour=colours[name],
                hover="%{x:,.3~r} years: %{y:,.4~r} USD<extra>%{fullData.name}</extra>",
            )
        )  # fmt: skip
        rows += [[name, year, usd] for year, usd in zip(years, dollars, strict=True)]
    compared = "Where lines cross, the other system has cost less so far."
    if cost.horizon.basis == "work":
        compared = (
            "Work is equal at the ends of the lines, not in the same year: where lines cross, one system has "
            "done more than the other."
        )
    columns = [*text_columns("System"), Column("Until", "years"), Column("Paid", "USD")]
    drawn = layout(
        axis("Years", rangemode="tozero"), axis("Paid to date (USD)", rangemode="tozero"),
        showlegend=len(traces) > 1,
    )  # fmt: skip
    return Figure(
        "cumulative", "Dollars over time",
        "All components as paid, not discounted; steps are purchases, replacements and payments at the end. "
        f"{compared}",
        Table(columns, rows), plot.spec(traces, drawn), wide=True,
    )  # fmt: skip


def bills(cost: Cost) -> list[Figure]:
    """The bill of each system by month, or year, stacked by kind of charge; of many systems a line each."""
    numbered = [(at, name, system) for at, (name, system) in enumerate(words.named(cost))]
    figures: list[Figure] = []
    for by in ("month", "year"):
        shown = [one for one in numbered if one[2].bill.by == by]
        if len(shown) > _APART:
            figures.append(_together(cost, by, shown))
        else:
            figures += [_bill(cost, at, name, system) for at, name, system in shown]
    return figures


BILL_COLUMNS: Final = (
    *text_columns("Month"), Column("Energy", "kWh"), *(Column(title, "USD") for _, title, _ in _KINDS),
    Column("Bill", "USD"),
)  # fmt: skip


def bill_rows(system: SystemCost) -> list[list[Cell]]:
    """The rows of a bill: a month each, or a year where it is long."""
    return [
        [one.month, one.kwh, *(charged(one) for charged, _, _ in _KINDS), one.usd]
        for one in system.bill.months
    ]


def bill_table(named: Iterable[tuple[str, SystemCost]]) -> Table:
    """The rows of several bills, each with the name of its system."""
    rows: list[list[Cell]] = [[name, *row] for name, system in named for row in bill_rows(system)]
    return Table([*text_columns("System"), *BILL_COLUMNS], rows)


def _billed(system: SystemCost) -> str:
    energy, peak = numbers.figure(system.bill.energy_kwh, 4), numbers.figure(1000 * system.bill.peak_kw, 4)
    return f"{energy} kWh, at most {peak} W in a demand window"


def _alone(cost: Cost) -> str:
    """How the bill differs from the costs."""
    text = "The system's own power, before PUE, factors and escalation."
    fixed, site = cost.assumed("energy.fixed"), cost.assumed("energy.site_kw")
    if site:
        text += " The costs are what it adds to the site's bill (energy.site_kw)."
    if fixed == "none" or (fixed == "share" and not site):
        text += " The costs leave out the fixed charges of the bill (energy.fixed)."
    return text


def _bill(cost: Cost, at: int, name: str, system: SystemCost) -> Figure:
    months, by = system.bill.months, system.bill.by
    traces = [
        plot.bar(
            [one.month for one in months], [charged(one) for one in months], name=title,
            colour=words.GROUP_COLOURS[group], hover=_HOVER,
        )
        for charged, title, group in _KINDS
        if any(charged(one) for one in months)
    ]  # fmt: skip
    drawn = layout(
        axis("", type="category", nticks=12), axis(f"USD a {by}"), barmode="relative",
        showlegend=len(traces) > 1, bargap=0.1,
    )  # fmt: skip
    return Figure(
        f"bill-{at}", f"Bill by {by}: {name}", f"{_billed(system)}. {_alone(cost)}",
        Table(list(BILL_COLUMNS), bill_rows(system)), plot.spec(traces, drawn) if traces else None,
        wide=len(cost.systems) == 1,
    )  # fmt: skip


def _together(cost: Cost, by: str, shown: Sequence[tuple[int, str, SystemCost]]) -> Figure:
    """Many bills, a line for each."""
    colours = words.colours(cost)
    traces = []
    for _, name, system in shown:
        rows = bill_rows(system)
        traces.append(
            plot.line(
                [row[0] for row in rows], [row[-1] for row in rows], name=plain(name), marks=True,
                colour=colours[name], hover=_HOVER, marker={"size": 4},
            )
        )  # fmt: skip
    drawn = layout(
        axis("", type="category", nticks=12), axis(f"USD a {by}", rangemode="tozero"), showlegend=True
    )
    return Figure(
        f"bills-by-{by}", f"Bill by {by}", f"All charges; by kind in the table. {_alone(cost)}",
        bill_table((name, system) for _, name, system in shown), plot.spec(traces, drawn),
        ["; ".join(f"{name}: {_billed(system)}" for _, name, system in shown) + "."], wide=True,
    )  # fmt: skip


def hours(cost: Cost) -> list[Figure]:
    """For each system that is a year: its mean week, and one chart of loads for all."""
    years = [(name, system.year) for name, system in words.named(cost) if system.year is not None]
    weeks = [_week(at, name, year) for at, (name, year) in enumerate(years)]
    return [*weeks, _loads(years, words.colours(cost))] if years else []


def _week(at: int, name: str, year: DutyYear) -> Figure:
    """A map of mean watts, days downwards, hours across."""
    days, watts, loads = year.week.days, year.week.watts, year.week.load
    rows: list[list[Cell]] = [
        [day, hour, watts[row][hour], loads[row][hour]] for row, day in enumerate(days) for hour in range(24)
    ]
    trace = {
        "type": "heatmap", "x": list(range(24)), "y": days, "z": watts,
        "customdata": loads, "colorscale": "Viridis", "xgap": 1, "ygap": 1,
        "colorbar": {"title": {"text": "W", "side": "right"}, "thickness": 12, "outlinewidth": 0},
        "hovertemplate": "%{y}, %{x}:00: %{z:,.4~r} W at %{customdata:,.4~r} "
        f"{plain(year.unit)}<extra></extra>",
    }  # fmt: skip
    caption = (
        f"{year.cycle.title or year.cycle.name}: mean power of each hour of the week, "
        f"{numbers.figure(year.energy_kwh, 4)} kWh in {numbers.years(year.years)}; the highest hour is "
        f"{year.highest_hour.when} with {numbers.figure(year.highest_hour.watts)} W."
    )
    drawn = layout(axis("Hour of the day", dtick=3), words.SYSTEMS_AXIS, showlegend=False)
    columns = [*text_columns("Day"), Column("Hour"), Column("Power", "W"), Column("Load", year.unit)]
    return Figure(f"week-{at}", f"The week: {name}", caption, Table(columns, rows), plot.spec([trace], drawn))


def _loads(years: list[tuple[str, DutyYear]], colours: Mapping[str, str]) -> Figure:
    """Hours at each tenth of the highest load, a bar for each system."""
    rows: list[list[Cell]] = []
    traces: list[dict[str, Any]] = []
    for name, year in years:
        bands = ["none" if one.to == 0 else f"to {100 * one.to:.0f} %" for one in year.by_load]
        rows += [[name, band, one.hours, one.kwh] for band, one in zip(bands, year.by_load, strict=True)]
        traces.append(
            plot.bar(
                bands, [one.hours for one in year.by_load], name=plain(name), colour=colours[name],
                hover="%{x}: %{y:,.4~r} h<extra>%{fullData.name}</extra>",
            )
        )  # fmt: skip
    columns = [*text_columns("System", "Of its highest load"), Column("Hours", "h"), Column("Energy", "kWh")]
    drawn = layout(
        axis("Of the highest load that was run", type="category"), axis("Hours"), showlegend=len(traces) > 1
    )
    return Figure(
        "by-load", "How long each load lasts", "Hours without load, and at each tenth of the highest load.",
        Table(columns, rows), plot.spec(traces, drawn),
    )  # fmt: skip
