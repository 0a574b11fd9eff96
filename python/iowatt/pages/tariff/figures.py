"""Figures of the page of a bill, each with its table: the months, the schedules, the items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from iowatt.pages.tariff.text import KINDS, MONTHS, rows
from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout

Found = Mapping[str, Any]
_BY_TIME: Final = (
    ("energy", "Energy", "kWh"), ("demand", "Demand", "kW"), ("coincident", "Coincident demand", "kW"),
)  # fmt: skip
_SHOWN: Final = (
    ("Energy", "energy_usd", palette.RUNS[0]), ("Demand", "demand_usd", palette.RUNS[1]),
    ("Fixed", "fixed_usd", palette.RUNS[2]), ("Credits", "other_usd", palette.RUNS[3]),
)  # fmt: skip


def months(found: Found) -> Figure:
    """Dollars of each month, stacked by what they are charged for."""
    shown = rows(found["months"])
    by_year = len(shown) < len(found["months"])
    columns = [Column("Year" if by_year else "Month", text=True), Column("Use", "kWh"), Column("Peak", "kW")]
    columns += [Column(title, "$") for title, _, _ in _SHOWN] + [Column("In all", "$")]
    cells: list[list[Cell]] = [
        [
            row["month"],
            row["kwh"],
            row["peak_kw"],
            *(_cents(row[key]) for _, key, _ in _SHOWN),
            _cents(row["usd"]),
        ]
        for row in shown
    ]
    table = Table(columns, cells)
    data = [
        {
            "type": "bar",
            "name": title,
            "x": [row["month"] for row in shown],
            "y": table.column(title),
            "marker": {"color": colour},
            "hovertemplate": "%{x}: $%{y:,.2f}<extra>%{fullData.name}</extra>",
        }
        for title, key, colour in _SHOWN
        if any(row[key] for row in shown)
    ]
    drawn = layout(axis("", type="category"), axis("US dollars"), barmode="relative")
    return Figure(
        "months", "The bill by years" if by_year else "The bill by months",
        "Energy with fuel adjustment, demand with coincident demand, fixed charges with minimum bills.",
        table, {"data": data, "layout": drawn}, wide=True,
    )  # fmt: skip


def schedules(tariff: Found) -> Iterator[Figure]:
    """What a kWh, and a kW, costs at each hour of each month, for tariffs that know several periods."""
    for key, title, unit in _BY_TIME:
        charge = tariff[key]
        if charge is None or len(charge["periods"]) < 2:
            continue
        for days, name in (("weekdays", "weekdays"), ("weekends", "weekends")):
            yield _schedule(f"{key}-{days}", f"{title} on {name}", unit, charge["periods"], charge[days])


def _schedule(
    key: str, title: str, unit: str, periods: Sequence[Sequence[Found]], schedule: Sequence[Sequence[int]]
) -> Figure:
    prices = [tiers[0]["price"] for tiers in periods]
    tiered = any(len(tiers) > 1 for tiers in periods)
    cells: list[list[Cell]] = [
        [month, *(prices[period] for period in row)] for month, row in zip(MONTHS, schedule, strict=True)
    ]
    table = Table([Column("Month", text=True), *(Column(f"{hour} h") for hour in range(24))], cells)
    data = [
        {
            "type": "heatmap",
            "x": list(range(24)),
            "y": list(MONTHS),
            "z": [[prices[period] for period in row] for row in schedule],
            "zmin": min(prices),
            "zmax": max(prices),
            "colorscale": "Viridis",
            "xgap": 1,
            "ygap": 1,
            "colorbar": {"title": {"text": f"$/{unit}", "side": "right"}, "thickness": 12, "outlinewidth": 0},
            "hovertemplate": f"%{{y}}, %{{x}} h: $%{{z:.6~g}}/{unit}<extra></extra>",
        }
    ]
    drawn = layout(
        axis("Hour of the day", dtick=3), axis("", autorange="reversed", type="category"), showlegend=False
    )
    caption = f"US dollars for a {unit} by month and hour of the day, without fuel adjustments" + (
        "; of the first tier." if tiered else "."
    )
    return Figure(key, title, caption, table, {"data": data, "layout": drawn}, wide=True)


def items(found: Found) -> Figure:
    """Every line of the bill."""
    columns = [
        Column("Month", text=True), Column("Charge", text=True), Column("Period", text=True),
        Column("Tier", text=True), Column("Quantity"), Column("Unit", text=True), Column("Price", "$"),
        Column("Part of the month"), Column("Amount", "$"),
    ]  # fmt: skip
    cells: list[list[Cell]] = [
        [
            item["month"], KINDS[item["kind"]], _index(item["period"]), _index(item["tier"]),
            item["quantity"], item["unit"], item["price"], item["share"], _cents(item["usd"]),
        ]
        for item in found["items"]
    ]  # fmt: skip
    caption = (
        "Amount = quantity x price x part of the month. Periods and tiers count from 0, as in the record."
    )
    return Figure("items", "Lines of the bill", caption, Table(columns, cells), wide=True)


def _index(value: int | None) -> str:
    return "" if value is None else str(value)


def _cents(value: float) -> float:
    return round(value, 2) + 0.0
