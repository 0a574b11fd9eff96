"""What the flash of SSDs did: what garbage collection added to writes, wear, and where joules went."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from iowatt.pages.run.figures.drives import bar_gap, drive_axis
from iowatt.render import numbers, palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain
from iowatt.run.tables import FLASH_OPERATIONS

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

_OPERATIONS = {
    "read": "Reading pages",
    "program": "Programming",
    "erase": "Erasing",
    "transfer": "Transfers",
    "command": "Commands",
}
_COLOURS = dict(zip(FLASH_OPERATIONS, palette.RUNS, strict=False))


def _ssds(run: Run) -> pl.DataFrame:
    """The drives that are SSDs; Runs of before there were any have none."""
    table = run.table("devices")
    if "flash_modelled" not in table.columns:
        return table.clear()
    return table.filter(pl.col("flash_modelled").is_not_null())


def amplification(run: Run) -> Figure | None:
    """What hosts wrote to each SSD, and what was programmed beyond that; with wear in the table."""
    table = _ssds(run)
    if table.height == 0:
        return None
    written, programmed = (
        [float(value) for value in table[f"flash_{key}_bytes_written"]] for key in ("host", "flash")
    )
    factor, unit = numbers.scale_for(max(programmed), "B")
    columns = [
        Column("Drive", text=True),
        Column("Written by hosts", unit),
        Column("Programmed", unit),
        Column("Write amplification"),
        Column("Pages moved"),
        Column("Blocks erased"),
        Column("Erases of a block, mean"),
        Column("Rated bytes used", "%"),
        Column("Rated cycles used", "%"),
        Column("Reads that interrupted"),
    ]
    rows: list[list[Cell]] = [
        [
            row["name"],
            row["flash_host_bytes_written"] / factor,
            row["flash_flash_bytes_written"] / factor,
            row["flash_write_amplification"],
            row["flash_gc_pages_moved"] if row["flash_modelled"] else None,
            row["flash_erases"] if row["flash_modelled"] else None,
            row["flash_erase_count_mean"] if row["flash_modelled"] else None,
            _percent(row["wear_fraction"]),
            _percent(row["flash_pe_cycles_fraction"]),
            row["flash_suspends"] if row["flash_modelled"] else None,
        ]
        for row in table.iter_rows(named=True)
    ]
    x_axis, labels = drive_axis(table["name"].to_list())
    hosts = [own / factor for own in written]
    beyond = [max(0.0, every - own) / factor for own, every in zip(written, programmed, strict=True)]
    bars = [
        {
            "type": "bar",
            "name": plain(name),
            "x": labels,
            "y": values,
            "marker": {"color": colour},
            "hovertemplate": f"%{{x}}: %{{y:,.4~r}} {unit}<extra>%{{fullData.name}}</extra>",
        }
        for name, values, colour in (
            ("Written by hosts", hosts, palette.WRITE),
            ("Programmed beyond that", beyond, palette.BAR),
        )
    ]
    return Figure(
        "flash-writes",
        "What was programmed",
        "Bytes that hosts wrote to each SSD, and what was programmed beyond that: by garbage collection, and "
        "to fill units and pages. Write amplification is all of it over what hosts wrote. Wear is that of "
        "the window.",
        Table(columns, rows),
        {
            "data": bars,
            "layout": layout(
                x_axis,
                axis(f"Programmed ({unit})", rangemode="tozero"),
                barmode="stack",
                bargap=bar_gap(table.height),
                showlegend=True,
            ),
        },
        wide=True,
    )


def operations(run: Run) -> Figure | None:
    """Joules of operations on flash, beyond what drives draw while they are active."""
    table = _ssds(run)
    joules = {
        operation: float(table[f"flash_energy_{operation}_j"].sum()) if table.height else 0.0
        for operation in FLASH_OPERATIONS
    }
    total = sum(joules.values())
    if total <= 0:
        return None
    factor, unit = numbers.scale_for(total, "J")
    used = {operation: value for operation, value in joules.items() if value > 0}
    rows = Table(
        [Column("Operation", text=True), Column("Energy", unit), Column("Share", "%")],
        [[_OPERATIONS[name], value / factor, 100 * value / total] for name, value in used.items()],
    )
    bar = {
        "type": "bar",
        "orientation": "h",
        "y": [plain(name) for name in rows.column("Operation")],
        "x": rows.column("Energy"),
        "marker": {"color": [_COLOURS[name] for name in used]},
        "text": [numbers.percent(value / total) for value in used.values()],
        "textposition": "outside",
        "cliponaxis": False,
        "hovertemplate": f"%{{y}}: %{{x:,.4~r}} {unit} (%{{text}})<extra></extra>",
    }
    return Figure(
        "flash-energy",
        "Energy of operations on flash",
        "All SSDs: joules beyond what they draw while they are active, by what they were spent on.",
        rows,
        {
            "data": [bar],
            "layout": layout(
                axis(f"Energy ({unit})", range=[0, 1.25 * max(rows.column("Energy"))]),
                axis("", autorange="reversed", ticks="", ticksuffix=" "),
                showlegend=False,
            ),
        },
    )


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
