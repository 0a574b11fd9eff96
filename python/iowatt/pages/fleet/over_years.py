"""Figures of a fleet's page by year: dollars, members, power and carbon, purchases."""

from __future__ import annotations

from typing import Final

from iowatt.evaluate.fleet.result import PARTS, Fleet
from iowatt.render import palette, plot
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain

_PB: Final = 1000.0
_COLOURS: Final = {
    "purchase": "#4f7ca8",
    "spares": "#8f7a00",
    "failures": "#d55e00",
    "wear": "#cc79a7",
    "energy": "#e69f00",
    "service": "#009e73",
    "space": "#56b4e9",
    "carbon": "#6b4f3a",
    "residual": "#a9b2bc",
}
_HOVER: Final = "%{x}: $%{y:,.4~r}<extra>%{fullData.name}</extra>"


def _paid(found: Fleet) -> list[str]:
    """Parts of the dollars that any year has."""
    return [part for part in PARTS if any(year.usd[part] for year in found.years)]


def _usable(found: Fleet) -> list[float]:
    return [sum(one.usable_tb for one in year.demands) / _PB for year in found.years]


def _stored(found: Fleet) -> list[float]:
    return [sum(one.stored_tb for one in year.demands) / _PB for year in found.years]


def dollars(found: Fleet) -> Figure:
    """Dollars by year and part, with the data stored and the usable capacity."""
    parts, labels = _paid(found), [str(year.year) for year in found.years]
    columns = [
        Column("Year", text=True),
        *(Column(part.capitalize(), "USD") for part in parts),
        Column("All", "USD"),
        Column("Stored", "PB"),
        Column("Usable", "PB"),
    ]
    rows: list[list[Cell]] = [
        [label, *(year.usd[part] for part in parts), sum(year.usd.values()), stored, usable]
        for label, year, stored, usable in zip(
            labels, found.years, _stored(found), _usable(found), strict=True
        )
    ]
    table = Table(columns, rows)
    traces = [
        plot.bar(
            labels,
            table.column(part.capitalize()),
            name=part.capitalize(),
            colour=_COLOURS[part],
            hover=_HOVER,
        )
        for part in parts
    ]
    for title, dash in (("Usable", "solid"), ("Stored", "dot")):
        traces.append(
            plot.line(
                labels,
                table.column(title),
                name=f"{title} (right)",
                colour=palette.ALL,
                dash=dash,
                marks=True,
                width=2,
                hover="%{x}: %{y:,.4~r} PB<extra>%{fullData.name}</extra>",
                yaxis="y2",
            )
        )
    right = axis(
        "Data at the end of the year (PB)",
        overlaying="y",
        side="right",
        showgrid=False,
        rangemode="tozero",
        tickmode="auto",
    )
    drawn = layout(
        axis("Year", type="category"), axis("Dollars of the year (USD)"), barmode="relative", yaxis2=right
    )
    caption = "As paid. Lines, right: data stored and usable capacity at the end of each year."
    return Figure("dollars", "Dollars by year", caption, table, plot.spec(traces, drawn), wide=True)


def unfit(found: Fleet) -> list[str]:
    """Classes of which the power cap of a rack carries not even one member."""
    return [one.name for one in found.members if one.cap_carries == 0 and one.in_rack == 1]


def most_racks(found: Fleet) -> int | None:
    """The most racks of a year; None where a member fits into none."""
    return None if unfit(found) else max(one.racks for one in found.years)


def years(found: Fleet) -> Figure:
    """Members, data, dollars and racks by year."""
    outside = unfit(found)
    columns = [
        Column("Year", text=True),
        Column("Members"),
        Column("Bought"),
        Column("Retired", rank=2),
        Column("Stored", "PB"),
        Column("Usable", "PB", rank=3),
        Column("Fullest", "%"),
        Column("Dollars", "USD"),
        Column("5 %", "USD", rank=4),
        Column("95 %", "USD", rank=4),
        Column("Failed drives", rank=1),
        Column("Racks"),
        Column("Loss of data", "/year", rank=2),
    ]
    rows: list[list[Cell]] = []
    for year, stored, usable in zip(found.years, _stored(found), _usable(found), strict=True):
        rows.append(
            [
                str(year.year),
                sum(one.members for one in year.classes),
                sum(one.bought for one in year.classes),
                sum(one.retired for one in year.classes),
                stored,
                usable,
                100 * max(one.fill for one in year.demands),
                year.total_usd.expected,
                year.total_usd.low,
                year.total_usd.high,
                year.failures.expected,
                None if any(one.members for one in year.classes if one.name in outside) else year.racks,
                year.loss_probability,
            ]
        )
    caption = (
        "Members and data at the end of a year; fullest and racks are the most of it. 5 and 95 % are of "
        "chance alone: loads and failures, with prices and growth as stated."
    )
    return Figure(
        "years", "Year by year", caption, Table(columns, rows), wide=True, brief=True, complete=True
    )


def energy(found: Fleet) -> Figure:
    """Load, power, electricity and carbon by year."""
    columns = [
        Column("Year", text=True),
        Column("Load", "IOPS"),
        Column("Power", "kW"),
        Column("Busy hour", "kW"),
        Column("Electricity", "MWh"),
        Column("5 %", "MWh", rank=1),
        Column("95 %", "MWh", rank=1),
        Column("Of electricity", "t"),
        Column("Embodied", "t"),
        Column("Present value", "USD"),
    ]
    rows: list[list[Cell]] = [
        [
            str(year.year),
            sum(one.load_iops for one in year.demands),
            year.watts.expected / 1000,
            year.peak_w / 1000,
            year.kwh.expected / 1000,
            year.kwh.low / 1000,
            year.kwh.high / 1000,
            year.operational_kg / 1000,
            year.embodied_kg / 1000,
            year.present_usd,
        ]
        for year in found.years
    ]
    caption = (
        "Mean load and mean power of the IT, and the most of all members in the busy hour; electricity and "
        "its carbon (CO2e) are those of the facility; dollars of the year in dollars of the start. 5 and "
        "95 % are of chance alone."
    )
    return Figure("energy", "Power and carbon by year", caption, Table(columns, rows), wide=True)


def capacity(found: Fleet) -> Figure:
    """Members by class over the years."""
    labels = [str(year.year) for year in found.years]
    names = [one.name for one in found.members]
    colours = dict(zip(names, palette.of_systems(names), strict=True))
    rows: list[list[Cell]] = [
        [label, *(one.members for one in year.classes)]
        for label, year in zip(labels, found.years, strict=True)
    ]
    table = Table([Column("Year", text=True), *(Column(name) for name in names)], rows)
    traces = [
        plot.bar(
            labels,
            table.column(name),
            name=plain(name),
            colour=colours[name],
            hover="%{x}: %{y:,}<extra>%{fullData.name}</extra>",
        )
        for name in names
    ]
    drawn = layout(axis("Year", type="category"), axis("Members at the end of the year"), barmode="stack")
    return Figure(
        "members-by-year", "Members by class", "At the end of each year.", table, plot.spec(traces, drawn)
    )


def purchases(found: Fleet) -> Figure:
    """What to order when."""
    columns = [
        Column("Class", text=True),
        Column("Members"),
        Column("Order by", text=True),
        Column("Delivery", text=True),
        Column("Dollars", "USD"),
    ]
    rows: list[list[Cell]] = [
        [one.name, one.count, one.order_by, one.delivery, one.usd] for one in found.purchases
    ]
    return Figure(
        "purchases",
        "Purchases",
        "Each has what is needed until the next stage.",
        Table(columns, rows),
        brief=True,
        complete=True,
    )
