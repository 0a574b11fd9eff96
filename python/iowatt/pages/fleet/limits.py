"""Figures of a fleet's page: limits that are broken, the power of racks, and alternatives to the plan."""

from __future__ import annotations

from typing import Final

from iowatt.evaluate.fleet.result import Fleet
from iowatt.pages.fleet.over_years import most_racks
from iowatt.render import palette, plot
from iowatt.render.figure import Cell, Column, Exact, Figure, Table, axis, layout, plain

_CODES: Final = {
    "over-capacity": "Capacity",
    "over-load": "Load of a member",
    "rack-power": "Power of a rack",
    "racks": "Racks",
    "site-power": "Power of the site",
    "refresh-late": "Refresh",
    "delivery-late": "Delivery",
}


def limits(found: Fleet) -> Figure | None:
    """Limits that are broken, with the year from which they are."""
    if not found.broken:
        return None
    columns = [
        Column("Limit", text=True),
        Column("Of", text=True),
        Column("From", text=True),
        Exact("Figure", digits=4),
        Exact("Most", digits=4),
        Column("Unit", text=True),
        Column("Meaning", text=True, rank=1),
    ]
    rows: list[list[Cell]] = [
        [_CODES[one.code], one.what, str(one.year), one.value, one.limit, one.unit, one.text]
        for one in found.broken
    ]
    return Figure("limits", "Broken limits", "Each in its first year.", Table(columns, rows), wide=True)


def power(found: Fleet) -> Figure:
    """The most that a rack of each class draws, against its cap."""
    labels = [str(year.year) for year in found.years]
    names = [one.name for one in found.members]
    rows: list[list[Cell]] = [
        [
            label,
            *(one.rack_peak_w / 1000 if one.members else None for one in year.classes),
            year.peak_w / 1000,
        ]
        for label, year in zip(labels, found.years, strict=True)
    ]
    columns = [
        Column("Year", text=True),
        *(Column(name, "kW a rack") for name in names),
        Column("All members", "kW"),
    ]
    table = Table(columns, rows)
    colours = dict(zip(names, palette.of_systems(names), strict=True))
    traces = [
        plot.line(
            labels,
            table.column(name),
            name=plain(name),
            colour=colours[name],
            marks=True,
            hover="%{x}: %{y:,.4~r} kW<extra>%{fullData.name}</extra>",
        )
        for name in names
    ]
    if found.rack_cap_w is not None:
        traces.append(
            plot.line(
                labels,
                [found.rack_cap_w / 1000] * len(labels),
                name="Cap of a rack",
                colour=palette.ALL,
                dash="dash",
                hover="cap %{y:,.4~r} kW",
            )
        )
    drawn = layout(axis("Year", type="category"), axis("Most power of a rack (kW)", rangemode="tozero"))
    caption = "No rack draws more with a probability of 95 %, in the busy hour, peaks coinciding."
    return Figure("rack-power", "Power of a rack", caption, table, plot.spec(traces, drawn))


def alternatives(found: Fleet) -> Figure:
    """The plan and its alternatives side by side."""
    columns = [
        Column("Plan", text=True),
        Column("Dollars", "USD"),
        Column("Difference", "USD"),
        Column("Present value", "USD", rank=2),
        Column("Value left", "USD", rank=2),
        Column("Electricity", "MWh", rank=1),
        Column("Carbon", "t", rank=1),
        Column("Failed drives", rank=2),
        Column("Bought", rank=1),
        Column("Most racks", rank=2),
        Column("Loss of data", rank=2),
        Column("Breaks", text=True),
    ]
    total = found.totals
    rows: list[list[Cell]] = [
        [
            "as planned",
            total.total_usd.expected,
            0.0,
            total.present_usd,
            total.value_left_usd,
            total.kwh.expected / 1000,
            (total.operational_kg + total.embodied_kg) / 1000,
            total.failures.expected,
            sum(total.bought.values()),
            most_racks(found),
            total.loss_probability,
            ", ".join(f"{one.code} {one.year}" for one in found.broken) or "nothing",
        ]
    ]
    rows += [
        [
            "; ".join(one.changes),
            one.total_usd.expected,
            one.total_usd.expected - total.total_usd.expected,
            one.present_usd,
            one.value_left_usd,
            one.kwh / 1000,
            one.carbon_kg / 1000,
            one.failures,
            one.bought,
            one.most_racks,
            one.loss_probability,
            ", ".join(f"{broken.code} {broken.year}" for broken in one.broken) or "nothing",
        ]
        for one in found.alternatives
    ]
    caption = (
        "Value left: straight-line value at the end of members bought in the plan; it is not in the dollars."
    )
    return Figure(
        "alternatives", "What if", caption, Table(columns, rows), wide=True, brief=True, complete=True
    )
