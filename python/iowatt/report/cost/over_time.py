"""Figures of when dollars are due: added up over the years, and month by month on the bill."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from iowatt.lenses.wear import SECONDS_PER_YEAR
from iowatt.report.cost import words
from iowatt.report.figures import palette
from iowatt.report.figures.figure import Cell, Column, Figure, Table, axis, layout, plain

Found = dict[str, Any]
Floats = NDArray[np.float64]

#: Instants of a curve; with more steps than that, its steps are seen at these instants only.
_MOST: Final = 400
_GRID: Final = 41
#: Bills that are shown.
_BILLS: Final = 6
_KINDS: Final = (
    ("energy_usd", "Energy", "energy"),
    ("demand_usd", "Demand", "demand"),
    ("fixed_usd", "Fixed", "fixed"),
    ("other_usd", "Other", "cooling"),
)


def added_up(system: Found) -> tuple[Floats, Floats]:
    """Years, rising (twice the same where a sum is due at once), and dollars paid until then."""
    flows = [flow for component in system["components"] for flow in component["flows"]]
    usd = np.array([flow["usd"] for flow in flows])
    begins = np.array([flow["at_s"] for flow in flows])
    ends = np.array([flow["at_s"] if flow["until_s"] is None else flow["until_s"] for flow in flows])
    end = max([system["seconds"], *ends.tolist()])
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


def cumulative(found: Found) -> Figure:
    """Dollars paid until each year, a line for each system."""
    data: list[dict[str, Any]] = []
    rows: list[list[Cell]] = []
    for at, (name, system) in enumerate(zip(words.labels(found), found["systems"], strict=True)):
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
        "due at the end. Where lines cross, the other system has become the cheaper one."
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


def bills(found: Found) -> list[Figure]:
    """The bill of each system by month, stacked by kind of charge."""
    names = words.labels(found)
    made = [
        figure
        for at, (name, system) in enumerate(zip(names, found["systems"], strict=True))
        if (figure := _bill(at, name, system, alone=len(names) == 1)) is not None
    ]
    if len(made) > _BILLS:
        made = made[:_BILLS]
        made[-1].remarks.append(f"Bills of {len(names) - _BILLS} more systems are in the workbook.")
    return made


BILL_COLUMNS: Final = (
    Column("Month", text=True), Column("Energy", "kWh"), *(Column(title, "USD") for _, title, _ in _KINDS),
    Column("Bill", "USD"),
)  # fmt: skip


def bill_rows(system: Found) -> list[list[Cell]]:
    """The rows of a bill: a month each, or a year where it is long."""
    return [
        [
            one["month"], one["kwh"], *(one[key] for key, _, _ in _KINDS),
            sum(one[key] for key, _, _ in _KINDS),
        ]
        for one in system["bill"]["months"]
    ]  # fmt: skip


def _bill(at: int, name: str, system: Found, *, alone: bool) -> Figure | None:
    months = system["bill"]["months"]
    if not months:
        return None
    rows = bill_rows(system)
    data = [
        {
            "type": "bar", "name": title, "x": [one["month"] for one in months],
            "y": [one[key] for one in months], "marker": {"color": words.COLOURS[group]},
            "hovertemplate": "%{x}: %{y:,.4~r} USD<extra>%{fullData.name}</extra>",
        }
        for key, title, group in _KINDS
        if any(one[key] for one in months)
    ]  # fmt: skip
    by = "year" if len(months[0]["month"]) == 4 else "month"
    caption = (
        f"{words.figure(system['bill']['energy_kwh'], 4)} kWh, at most "
        f"{words.figure(1000 * system['bill']['peak_kw'], 4)} W in a demand window; the system's own power, "
        "before PUE, factors and escalation."
    )
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
        caption,
        Table(list(BILL_COLUMNS), rows),
        spec if data else None,
        wide=alone,
    )
