"""Where the joules go: by state over all components, and by component."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from iowatt.pages.run.figures.drives import bar_gap, drive_axis
from iowatt.render import numbers, palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain
from iowatt.run.tables import ARRAY_STATES

if TYPE_CHECKING:
    from iowatt.run.bundle import Run


def by_state(run: Run) -> Figure | None:
    """Bars of energy by state, with the share of energy and of time; none where joules are not known."""
    table = run.table("energy")
    if table["energy_j"].null_count():
        return None
    sums = table.group_by("state").agg(pl.col("energy_j", "time_s").sum()).filter(pl.col("time_s") > 0)
    if sums.height == 0:
        return None
    found = {
        state: (energy, time) for state, energy, time in sums.select("state", "energy_j", "time_s").rows()
    }
    states = palette.in_order(list(found))
    total = sum(energy for energy, _ in found.values())
    time = sum(seconds for _, seconds in found.values())
    factor, unit = numbers.scale_for(total, "J")
    rows = Table(
        [
            Column("State", text=True),
            Column("Energy", unit),
            Column("Share of energy", "%"),
            Column("Share of time", "%"),
            Column("Mean power in the state", "W"),
        ],
        [
            [
                palette.state_name(state),
                found[state][0] / factor,
                100 * found[state][0] / total if total else 0.0,
                100 * found[state][1] / time,
                found[state][0] / found[state][1],
            ]
            for state in states
        ],
    )
    shares = rows.column("Share of energy")
    bar = {
        "type": "bar",
        "orientation": "h",
        "y": [plain(name) for name in rows.column("State")],
        "x": rows.column("Energy"),
        "marker": {"color": [palette.state_colour(state) for state in states]},
        "text": [numbers.percent(share / 100) for share in shares],
        "textposition": "outside",
        "cliponaxis": False,
        "hovertemplate": f"%{{y}}: %{{x:,.4~r}} {unit} (%{{text}})<extra></extra>",
    }
    return Figure(
        "energy-by-state",
        "Energy by state",
        "Energy of all components, added up by the state they were in. Time is added over the components.",
        rows,
        {
            "data": [bar],
            "layout": layout(
                axis(f"Energy ({unit})", range=[0, 1.25 * max(rows.column("Energy")) or 1]),
                axis("", autorange="reversed", ticks="", ticksuffix=" "),
                showlegend=False,
            ),
        },
    )


def by_cause(run: Run) -> Figure | None:
    """Bars of energy by what it was for; none for a run that does not tell, as a measured one."""
    by_cause_j = run.summary["energy"]["by_cause_j"]
    if None in by_cause_j.values():
        return None
    causes = {cause: joules for cause, joules in by_cause_j.items() if joules > 0}
    if not causes:
        return None
    total = sum(causes.values())
    factor, unit = numbers.scale_for(total, "J")
    rows = Table(
        [Column("Cause", text=True), Column("Energy", unit), Column("Share of energy", "%")],
        [
            [palette.cause_name(cause), joules / factor, 100 * joules / total]
            for cause, joules in causes.items()
        ],
    )
    bar = {
        "type": "bar",
        "orientation": "h",
        "y": [plain(name) for name in rows.column("Cause")],
        "x": rows.column("Energy"),
        "marker": {"color": palette.BAR},
        "text": [numbers.percent(share / 100) for share in rows.column("Share of energy")],
        "textposition": "outside",
        "cliponaxis": False,
        "hovertemplate": f"%{{y}}: %{{x:,.4~r}} {unit} (%{{text}})<extra></extra>",
    }
    return Figure(
        "energy-by-cause",
        "Energy by cause",
        "The same energy by what it was for: requests, redundancy, changes of power level, waiting for work.",
        rows,
        {
            "data": [bar],
            "layout": layout(
                axis(f"Energy ({unit})", range=[0, 1.25 * max(rows.column("Energy"))]),
                axis("", autorange="reversed", ticks="", ticksuffix=" "),
                showlegend=False,
            ),
        },
        wide=True,
    )


def by_component(run: Run) -> Figure | None:
    """Stacked bars of energy by state for each drive of which all joules are known."""
    table = run.table("energy")
    table = table.filter(~pl.col("state").is_in(ARRAY_STATES))
    unknown = table.filter(pl.col("energy_j").is_null())["component"].unique()
    table = table.filter(~pl.col("component").is_in(unknown.implode()))
    used = table.filter(pl.col("time_s") > 0)
    if used.height == 0:
        return None
    states = palette.in_order(used["state"].unique().to_list())
    names = table["component"].unique(maintain_order=True).to_list()
    joules = {
        (name, state): energy
        for name, state, energy in used.group_by("component", "state").agg(pl.col("energy_j").sum()).rows()
    }
    totals = [sum(joules.get((name, state), 0.0) for state in states) for name in names]
    factor, unit = numbers.scale_for(max(totals), "J")
    rows = Table(
        [
            Column("Component", text=True),
            *(Column(palette.state_name(state), unit) for state in states),
            Column("Total", unit),
        ],
        [
            [name, *(joules.get((name, state), 0.0) / factor for state in states), total / factor]
            for name, total in zip(names, totals, strict=True)
        ],
    )
    x_axis, labels = drive_axis(names)
    bars = [
        {
            "type": "bar",
            "name": plain(palette.state_name(state)),
            "x": labels,
            "y": rows.column(palette.state_name(state)),
            "marker": {"color": palette.state_colour(state)},
            "hovertemplate": f"%{{x}}: %{{y:,.4~r}} {unit}<extra>%{{fullData.name}}</extra>",
        }
        for state in palette.from_below(states)
    ]
    return Figure(
        "energy-by-component",
        "Energy by drive",
        "One bar for each drive, stacked by state.",
        rows,
        {
            "data": bars,
            "layout": layout(
                x_axis,
                axis(f"Energy ({unit})", rangemode="tozero"),
                barmode="stack",
                bargap=bar_gap(len(names)),
                showlegend=True,
            ),
        },
        wide=True,
    )


def at_wall(run: Run) -> Figure | None:
    """Bars of mean power by component: each pool's drives, each part, the losses of the supplies."""
    summary = run.summary
    if summary["power_w"]["wall_mean"] is None:
        return None
    span = summary["window"]["duration_s"]
    table = run.table("energy")
    ours = pl.col("state").is_in(ARRAY_STATES)
    parts = table.filter(ours)
    if parts.height == 0 or span <= 0:
        return None
    pools = {device["name"]: f"{device['pool']} (drives)" for device in summary["devices"]}
    joules: dict[str, tuple[str, float]] = {}
    for name, kind, energy in table.select("component", "kind", "energy_j").iter_rows():
        shown, sort = (pools[name], "drives") if name in pools else (name, kind)
        joules[shown] = (sort, joules.get(shown, ("", 0.0))[1] + energy)
    total = sum(energy for _, energy in joules.values())
    cells: list[list[Cell]] = [
        [name, kind, energy / span, 100 * energy / total if total else None]
        for name, (kind, energy) in joules.items()
    ]
    rows = Table(
        [
            Column("Component", text=True),
            Column("Kind", text=True),
            Column("Mean", "W"),
            Column("Share", "%"),
        ],
        cells,
    )
    colours = {"drives": palette.STATE_COLOURS["active"], "supply": palette.ARRAY_COLOURS["supply_loss"]}
    bar = {
        "type": "bar",
        "orientation": "h",
        "y": [plain(name) for name in rows.column("Component")],
        "x": rows.column("Mean"),
        "marker": {
            "color": [colours.get(kind, palette.ARRAY_COLOURS["parts"]) for kind in rows.column("Kind")]
        },
        "text": [numbers.percent(share / 100) for share in rows.column("Share") if share is not None],
        "textposition": "outside",
        "cliponaxis": False,
        "hovertemplate": "%{y}: %{x:,.4~r} W (%{text})<extra></extra>",
    }
    return Figure(
        "power-at-the-wall",
        "Power at the wall by component",
        f"Mean over the window, {numbers.with_unit(total / span, 'W', 4)} in all. Supplies are their losses.",
        rows,
        {
            "data": [bar],
            "layout": layout(
                axis("Mean power (W)", range=[0, 1.2 * max(rows.column("Mean")) or 1]),
                axis("", autorange="reversed", ticks="", ticksuffix=" "),
                showlegend=False,
            ),
        },
        wide=True,
    )
