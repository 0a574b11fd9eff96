"""Where the joules go: by state, by cause, by drive, and by component at the wall."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from iowatt.pages.run.drives import bar_gap, drive_axis, shared_bars
from iowatt.render import numbers, palette, plot
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain
from iowatt.run.tables import ARRAY_STATES

if TYPE_CHECKING:
    from iowatt.run.bundle import Run


def by_state(run: Run) -> Figure | None:
    """Energy by state, with the share of energy and of time; None where joules are not known."""
    table = run.table("energy")
    if table["energy_j"].null_count():
        return None
    sums = table.group_by("state").agg(pl.col("energy_j", "time_s").sum()).filter(pl.col("time_s") > 0)
    if sums.height == 0:
        return None
    by_name = {
        state: (joules, time) for state, joules, time in sums.select("state", "energy_j", "time_s").rows()
    }
    states = palette.in_order(list(by_name))
    total = sum(joules for joules, _ in by_name.values())
    seconds = sum(time for _, time in by_name.values())
    factor, unit = numbers.scale_for(total, "J")
    rows: list[list[Cell]] = []
    for state in states:
        joules, time = by_name[state]
        share = 100 * joules / total if total else 0.0
        rows.append([palette.state_name(state), joules / factor, share, 100 * time / seconds, joules / time])
    columns = [
        Column("State", text=True), Column("Energy", unit), Column("Share of energy", "%"),
        Column("Share of time", "%"), Column("Mean power in the state", "W"),
    ]  # fmt: skip
    return Figure(
        "energy-by-state",
        "Energy by state",
        "Energy and time of all components, summed by state.",
        Table(columns, rows),
        shared_bars(rows, "Energy", unit, [palette.state_colour(state) for state in states]),
    )


def by_cause(run: Run) -> Figure | None:
    """Energy by what it was spent for; None where a Run does not know, as a measured one."""
    by_cause_j = run.summary["energy"]["by_cause_j"]
    if None in by_cause_j.values():
        return None
    causes = {cause: joules for cause, joules in by_cause_j.items() if joules > 0}
    if not causes:
        return None
    total = sum(causes.values())
    factor, unit = numbers.scale_for(total, "J")
    rows: list[list[Cell]] = [
        [palette.cause_name(cause), joules / factor, 100 * joules / total] for cause, joules in causes.items()
    ]
    return Figure(
        "energy-by-cause",
        "Energy by cause",
        "The same energy by purpose: requests, redundancy, power level changes, waiting for work.",
        Table([Column("Cause", text=True), Column("Energy", unit), Column("Share of energy", "%")], rows),
        shared_bars(rows, "Energy", unit, palette.BAR),
        wide=True,
    )


def by_component(run: Run) -> Figure | None:
    """Energy of each drive stacked by state; drives of which some joules are unknown are left out."""
    table = run.table("energy").filter(~pl.col("state").is_in(ARRAY_STATES))
    unknown = table.filter(pl.col("energy_j").is_null())["component"].unique()
    table = table.filter(~pl.col("component").is_in(unknown.implode()))
    used = table.filter(pl.col("time_s") > 0)
    if used.height == 0:
        return None
    states = palette.in_order(used["state"].unique().to_list())
    names = table["component"].unique(maintain_order=True).to_list()
    sums = used.group_by("component", "state").agg(pl.col("energy_j").sum()).rows()
    joules = {(name, state): energy for name, state, energy in sums}
    totals = [sum(joules.get((name, state), 0.0) for state in states) for name in names]
    factor, unit = numbers.scale_for(max(totals), "J")
    rows: list[list[Cell]] = [
        [name, *(joules.get((name, state), 0.0) / factor for state in states), total / factor]
        for name, total in zip(names, totals, strict=True)
    ]
    by_state_columns = [Column(palette.state_name(state), unit) for state in states]
    cells = Table([Column("Component", text=True), *by_state_columns, Column("Total", unit)], rows)
    x_axis, labels = drive_axis(names)
    bars = [
        plot.bar(
            labels, cells.column(palette.state_name(state)), name=plain(palette.state_name(state)),
            colour=palette.state_colour(state),
            hover=f"%{{x}}: %{{y:,.4~r}} {unit}<extra>%{{fullData.name}}</extra>",
        )
        for state in palette.from_below(states)
    ]  # fmt: skip
    y_axis = axis(f"Energy ({unit})", rangemode="tozero")
    shape = layout(x_axis, y_axis, barmode="stack", bargap=bar_gap(len(names)), showlegend=True)
    caption = "One bar for each drive, stacked by state."
    return Figure("energy-by-component", "Energy by drive", caption, cells, plot.spec(bars, shape), wide=True)


def at_wall(run: Run) -> Figure | None:
    """Mean power at the wall by component: each pool's drives, each part, the losses of the supplies."""
    summary = run.summary
    span = summary["window"]["duration_s"]
    table = run.table("energy")
    if summary["power_w"]["wall_mean"] is None or span <= 0:
        return None
    if table.filter(pl.col("state").is_in(ARRAY_STATES)).height == 0:
        return None
    pools = {device["name"]: f"{device['pool']} (drives)" for device in summary["devices"]}
    joules: dict[str, tuple[str, float]] = {}
    for component, kind, energy in table.select("component", "kind", "energy_j").iter_rows():
        name, group = (pools[component], "drives") if component in pools else (component, kind)
        joules[name] = (group, joules.get(name, ("", 0.0))[1] + energy)
    total = sum(energy for _, energy in joules.values())
    rows: list[list[Cell]] = [
        [name, group, energy / span, 100 * energy / total if total else None]
        for name, (group, energy) in joules.items()
    ]
    columns = [
        Column("Component", text=True), Column("Kind", text=True), Column("Mean", "W"), Column("Share", "%"),
    ]  # fmt: skip
    drawn = [[name, mean, share] for name, _, mean, share in rows]
    return Figure(
        "power-at-the-wall",
        "Power at the wall by component",
        f"Mean over the window, {numbers.with_unit(total / span, 'W', 4)} in all. Supplies are their losses.",
        Table(columns, rows),
        shared_bars(drawn, "Mean power", "W", _kind_colours([group for group, _ in joules.values()])),
        wide=True,
    )


def _kind_colours(kinds: Sequence[str]) -> list[str]:
    known = {"drives": palette.STATE_COLOURS["active"], "supply": palette.ARRAY_COLOURS["supply_loss"]}
    return [known.get(kind, palette.ARRAY_COLOURS["parts"]) for kind in kinds]
