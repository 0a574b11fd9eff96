"""Figures of the drives: wear, replacements, when stopping them pays, carbon."""

from __future__ import annotations

from typing import Final

from iowatt.lenses.cost.result import Cost
from iowatt.pages.cost import words
from iowatt.render import palette, plot
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain, text_columns

#: Kinds of drives in the chart; the table has all.
_MOST: Final = 24


def wear(cost: Cost) -> Figure | None:
    """Wear of each kind of drive over the horizon; None where no drives are known."""
    rows: list[list[Cell]] = []
    bars: list[tuple[str, float, str]] = []
    for name, system in words.named(cost):
        for drives in words.drive_groups(system):
            drive = words.worst(drives)
            life = drive.wear.life_years
            used = None if life is None else 100 * system.years / life
            first = drive.replacements[0] if drive.replacements else None
            rows.append(
                [
                    name, drive.pool, drive.model, len(drives), drive.capacity_gb, drive.price_usd,
                    drive.price_source, drive.price_date or "", life, (drive.wear.by or "").replace("_", " "),
                    used, sum(one.replaced for one in drives), None if first is None else first.at_years,
                    "" if first is None else first.reason.replace("_", " "),
                ]
            )  # fmt: skip
            bars.append((plain(f"{name}: {drive.pool}"), used or 0.0, drive.kind))
    if not rows:
        return None
    columns = [
        *text_columns("System", "Pool", "Model"), Column("Drives"), Column("Capacity", "GB"),
        Column("Price", "USD"), *text_columns("Price by", "of"), Column("Lasts", "years"),
        *text_columns("By"), Column("Worn over the horizon", "%"), Column("Replaced"),
        Column("First after", "years"), *text_columns("Because"),
    ]  # fmt: skip
    shown = bars[:_MOST]
    traces = [
        plot.bar(
            [used for _, used, one in shown if one == kind],
            [label for label, _, one in shown if one == kind], name=title, colour=colour, orientation="h",
            hover="%{y}: %{x:,.4~r} %<extra></extra>",
        )
        for kind, title, colour in (("ssd", "SSDs", palette.WRITE), ("hdd", "Disks", palette.BAR))
        if any(one == kind for _, _, one in shown)
    ]  # fmt: skip
    labels = [label for label, _, _ in shown]
    drawn = layout(
        axis("Share of drive life used over the horizon (%)", rangemode="tozero"),
        axis("", type="category", categoryorder="array", categoryarray=labels, autorange="reversed"),
        showlegend=len(traces) > 1, bargap=0.35, shapes=[plot.reference_line(x=100, dash="dash")],
    )  # fmt: skip
    return Figure(
        "wear", "Wear",
        "Share of a drive's life that the work uses over the horizon, by the rating that binds; beyond 100 % "
        "(dashed) it is replaced. Of identical drives, the one that wears fastest.",
        Table(columns, rows), plot.spec(traces, drawn) if any(used for _, used, _ in bars) else None,
        [f"{len(bars) - _MOST} more kinds of drives are in the table."] if len(bars) > _MOST else [],
        wide=True,
    )  # fmt: skip


def spin_down(cost: Cost) -> Figure | None:
    """Lengths from which on a rest at a lower level saves joules, and dollars."""
    rows: list[list[Cell]] = [
        [
            name, one.pool, one.model, one.drives, pays.level.replace("_", " "), pays.saved_w, pays.energy_s,
            pays.dollars_s, (pays.by or "").replace("_", " "), one.stops, one.saved_usd, one.wear_usd,
            one.net_usd,
        ]
        for name, system in words.named(cost)
        for one in system.spin_down
        for pays in one.break_even
    ]  # fmt: skip
    if not rows:
        return None
    columns = [
        *text_columns("System", "Pool", "Model"), Column("Drives"), *text_columns("Level"),
        Column("Saves", "W"), Column("Saves energy after", "s"), Column("Saves dollars after", "s"),
        *text_columns("Worn by"), Column("Stops in the work"), Column("Energy saved", "USD"),
        Column("Wear", "USD"), Column("Net", "USD"),
    ]  # fmt: skip
    return Figure(
        "spin-down", "When it pays to stop a disk",
        "A stop saves energy once it saves more than the start draws, and dollars once the energy saved is "
        "worth more than a start and stop of the disk's life. Without a number: never.",
        Table(columns, rows), wide=True,
    )  # fmt: skip


def carbon(cost: Cost) -> Figure:
    """Stacked bars of each system under each estimate of embodied carbon."""
    rows: list[list[Cell]] = []
    for name, system in words.named(cost):
        used, operational = system.carbon.estimate, system.carbon.operational_kg
        choices = [(one.estimate, one.embodied_kg) for one in system.carbon.choices]
        rows += [
            [
                name, estimate, "yes" if estimate == used else "no", operational, embodied,
                None if embodied is None else operational + embodied,
            ]
            for estimate, embodied in choices or [(used, system.carbon.embodied_kg)]
        ]  # fmt: skip
    columns = [
        *text_columns("System", "Estimate", "In use"),
        *(Column(title, "kg CO2e") for title in ("In operation", "Embodied", "Total")),
    ]
    table = Table(columns, rows)
    labels = [plain(f"{row[0]}: {row[1]}{' (used)' if row[2] == 'yes' else ''}") for row in rows]
    traces = [
        plot.bar(
            [kg or 0.0 for kg in table.column(title)], labels, name=title, colour=colour,
            hover="%{y}: %{x:,.4~r} kg<extra>%{fullData.name}</extra>", orientation="h",
        )
        for title, colour in (("In operation", "#e69f00"), ("Embodied", "#6b4f3a"))
    ]  # fmt: skip
    drawn = layout(
        axis("kg CO2e over the horizon"), words.SYSTEMS_AXIS, barmode="stack", showlegend=True, bargap=0.3
    )
    return Figure(
        "carbon", "Carbon",
        "Electricity by the grid's intensity, and the making of the drives by each estimate, which differ "
        "fifty-fold for SSDs.",
        table, plot.spec(traces, drawn), wide=len(rows) > 6,
    )  # fmt: skip
