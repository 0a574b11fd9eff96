"""Figures of the drives: wear, replacements, when stopping them pays, and carbon."""

from __future__ import annotations

from typing import Final

from iowatt.lenses.cost.result import Cost
from iowatt.pages.cost import words
from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain

#: Kinds of drives in the chart; the table has all.
_MOST: Final = 24


def wear(found: Cost) -> Figure | None:
    """How often each kind of drive wears out over the horizon; None where no drives are known."""
    rows: list[list[Cell]] = []
    bars: list[tuple[str, float, str]] = []
    for name, system in zip(words.labels(found), found.systems, strict=True):
        for drives in words.drive_groups(system):
            drive = words.worst(drives)
            life = drive.wear.life_years
            used = None if life is None else system.years / life
            first = drive.replacements[0] if drive.replacements else None
            replaced = sum(one.replaced for one in drives)
            rows.append(
                [
                    name, drive.pool, drive.model, len(drives), drive.capacity_gb,
                    drive.price_usd, drive.price_source, drive.price_date or "", life,
                    (drive.wear.by or "").replace("_", " "), None if used is None else 100 * used, replaced,
                    None if first is None else first.at_years,
                    "" if first is None else first.reason.replace("_", " "),
                ]
            )  # fmt: skip
            bars.append((f"{name}: {drive.pool}", 0.0 if used is None else 100 * used, drive.kind))
    columns = [
        Column("System", text=True), Column("Pool", text=True), Column("Model", text=True), Column("Drives"),
        Column("Capacity", "GB"), Column("Price", "USD"), Column("Price by", text=True),
        Column("of", text=True), Column("Lasts", "years"), Column("By", text=True),
        Column("Worn over the horizon", "%"), Column("Replaced"), Column("First after", "years"),
        Column("Because", text=True),
    ]  # fmt: skip
    data = [
        {
            "type": "bar", "orientation": "h", "name": title,
            "y": [plain(label) for label, _, one in bars[:_MOST] if one == kind],
            "x": [used for _, used, one in bars[:_MOST] if one == kind], "marker": {"color": colour},
            "hovertemplate": "%{y}: %{x:,.4~r} %<extra></extra>",
        }
        for kind, title, colour in (("ssd", "SSDs", palette.WRITE), ("hdd", "Disks", palette.BAR))
        if any(one == kind for _, _, one in bars[:_MOST])
    ]  # fmt: skip
    order = [plain(label) for label, _, _ in bars[:_MOST]]
    drawn = layout(
        axis("Of a life (%), over the horizon", rangemode="tozero"),
        axis("", type="category", categoryorder="array", categoryarray=order, autorange="reversed"),
        showlegend=len(data) > 1, bargap=0.35,
        shapes=[
            {"type": "line", "xref": "x", "yref": "paper", "x0": 100, "x1": 100, "y0": 0, "y1": 1,
             "line": {"color": palette.ALL, "width": 1, "dash": "dash"}}
        ],
    )  # fmt: skip
    if not rows:
        return None
    spec = {"data": data, "layout": drawn} if any(used for _, used, _ in bars) else None
    remarks = [f"{len(bars) - _MOST} more kinds of drives are in the table."] if len(bars) > _MOST else []
    return Figure(
        "wear", "Wear",
        "How much of a drive's life the work takes over the horizon, by the rating that binds; beyond 100 % "
        "(dashed) it is replaced. Of like drives the one that wears fastest.",
        Table(columns, rows), spec, remarks, wide=True,
    )  # fmt: skip


def spin_down(found: Cost) -> Figure | None:
    """From which length on a rest at a lower level saves joules, and dollars."""
    rows: list[list[Cell]] = [
        [
            name, one.pool, one.model, one.drives, pays.level.replace("_", " "), pays.saved_w,
            pays.energy_s, pays.dollars_s, (pays.by or "").replace("_", " "), one.stops,
            one.saved_usd, one.wear_usd, one.net_usd,
        ]
        for name, system in zip(words.labels(found), found.systems, strict=True)
        for one in system.spin_down
        for pays in one.break_even
    ]  # fmt: skip
    if not rows:
        return None
    columns = [
        Column("System", text=True), Column("Pool", text=True), Column("Model", text=True), Column("Drives"),
        Column("Level", text=True), Column("Saves", "W"), Column("Saves energy after", "s"),
        Column("Saves dollars after", "s"), Column("Worn by", text=True), Column("Stops in the work"),
        Column("Energy saved in it", "USD"), Column("Wear in it", "USD"), Column("Net", "USD"),
    ]  # fmt: skip
    return Figure(
        "spin-down", "When it pays to stop a disk",
        "A stop saves energy once it lasts longer than starting again costs, and dollars once the energy "
        "saved is worth the start and stop that it takes of the disk's life. No number: never.",
        Table(columns, rows), wide=True,
    )  # fmt: skip


def carbon(found: Cost) -> Figure:
    """Stacked bars, for each system one of each estimate of embodied carbon."""
    rows: list[list[Cell]] = []
    for name, system in zip(words.labels(found), found.systems, strict=True):
        told = system.carbon
        choices = [(one.estimate, one.embodied_kg) for one in told.choices]
        rows += [
            [
                name, estimate, "yes" if estimate == told.estimate else "no", told.operational_kg, embodied,
                None if embodied is None else told.operational_kg + embodied,
            ]
            for estimate, embodied in choices or [(told.estimate, told.embodied_kg)]
        ]  # fmt: skip
    columns = [
        Column("System", text=True), Column("Estimate", text=True), Column("In use", text=True),
        Column("In operation", "kg CO2e"), Column("Embodied", "kg CO2e"), Column("Together", "kg CO2e"),
    ]  # fmt: skip
    bars = [f"{row[0]}: {row[1]}{' (used)' if row[2] == 'yes' else ''}" for row in rows]
    data = [
        {
            "type": "bar", "orientation": "h", "name": title, "y": [plain(bar) for bar in bars],
            "x": [row[at] or 0.0 for row in rows], "marker": {"color": colour},
            "hovertemplate": "%{y}: %{x:,.4~r} kg<extra>%{fullData.name}</extra>",
        }
        for title, at, colour in (("In operation", 3, "#e69f00"), ("Embodied", 4, "#6b4f3a"))
    ]  # fmt: skip
    drawn = layout(
        axis("kg CO2e over the horizon"), axis("", type="category", autorange="reversed"), barmode="stack",
        showlegend=True, bargap=0.3,
    )  # fmt: skip
    return Figure(
        "carbon", "Carbon",
        "Electricity by the grid's intensity, and what making the drives emitted by each estimate: "
        "those of SSDs differ fifty-fold.",
        Table(columns, rows), {"data": data, "layout": drawn}, wide=len(rows) > 6,
    )  # fmt: skip
