"""Figures with a mark for each drive, readable for eight drives and for four hundred, and of their flash."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from iowatt.render import numbers, palette, plot
from iowatt.render.figure import Cell, Column, Figure, Spec, Table, axis, layout, plain
from iowatt.run.tables import FLASH_OPERATIONS

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

_OPERATIONS = {
    "read": "Reading pages", "program": "Programming", "erase": "Erasing", "transfer": "Transfers",
    "command": "Commands",
}  # fmt: skip
_COLOURS = dict(zip(FLASH_OPERATIONS, palette.RUNS, strict=False))


def drive_axis(names: list[str]) -> tuple[dict[str, Any], list[str]]:
    """The axis and the labels for drives: numbers where all are ``pool.number`` of one pool, else names."""
    pools = {name.rpartition(".")[0] for name in names}
    title, labels = "Drive", names
    if len(names) > 1 and len(pools) == 1 and "" not in pools:
        title, labels = f"Drive (pool {pools.pop()})", [name.rpartition(".")[2] for name in names]
    marks = {"range": [-0.5, len(names) - 0.5], "nticks": min(len(names), 40), "showgrid": False}
    return axis(plain(title), type="category", **marks), [plain(label) for label in labels]


def bar_gap(drives: int) -> float:
    """Gap between bars, as a share: none for hundreds, and no slabs for a few."""
    return 0.0 if drives > 64 else max(0.25, 1 - drives / 18)


def shared_bars(rows: Sequence[Sequence[Any]], quantity: str, unit: str, colours: str | list[str]) -> Spec:
    """Bars that lie, marked with their share: of rows that begin with a name, a value and a share in %."""
    values = [row[1] for row in rows]
    bars = plot.bar(
        values, [plain(row[0]) for row in rows], colour=colours, orientation="h", textposition="outside",
        text=["" if row[2] is None else numbers.percent(row[2] / 100) for row in rows], cliponaxis=False,
        hover=f"%{{y}}: %{{x:,.4~r}} {unit} (%{{text}})<extra></extra>",
    )  # fmt: skip
    x_axis = axis(f"{quantity} ({unit})", range=[0, 1.25 * max(values) or 1])
    y_axis = axis("", autorange="reversed", ticks="", ticksuffix=" ")
    return plot.spec([bars], layout(x_axis, y_axis, showlegend=False))


def utilisation(run: Run) -> Figure | None:
    """Busy share of each drive."""
    table = run.table("devices")
    if table.height == 0:
        return None
    x_axis, labels = drive_axis(table["name"].to_list())
    busy = (100 * table["utilisation"]).to_list()
    bars = plot.bar(labels, busy, hover="%{x}: %{y:.4~r} %<extra></extra>")
    y_axis = axis("Utilisation (%)", rangemode="tozero")
    return Figure(
        "utilisation",
        "Utilisation by drive",
        "Share of the window in which the drive was busy (positioning and transfer).",
        Table(
            [Column("Drive", text=True), Column("Utilisation", "%")],
            [[name, share] for name, share in zip(table["name"], busy, strict=True)],
        ),
        plot.spec([bars], layout(x_axis, y_axis, bargap=bar_gap(table.height), showlegend=False)),
        wide=True,
    )


def queues(run: Run) -> Figure | None:
    """Queue length of each drive: over time, and as an arrival sees it."""
    table = run.table("devices")
    if table.height == 0:
        return None
    columns = [
        Column("Drive", text=True),
        Column("Mean over time", "requests"),
        Column("Seen on arrival", "requests"),
    ]
    rows = Table(
        columns,
        [list(row) for row in table.select("name", "queue_length_mean", "queue_length_seen").iter_rows()],
    )
    x_axis, labels = drive_axis(rows.column("Drive"))
    marks = [
        plot.markers(
            labels, rows.column(title), name=title, colour=colour, symbol=symbol,
            size=9 if len(labels) <= 64 else 5, hover="%{x}: %{y:,.4~r}<extra>%{fullData.name}</extra>",
        )
        for title, colour, symbol in (
            ("Mean over time", palette.BAR, "circle"), ("Seen on arrival", palette.P99, "diamond-open")
        )
    ]  # fmt: skip
    y_axis = axis("Queue length (requests)", rangemode="tozero")
    return Figure(
        "queue-by-drive",
        "Queue length by drive",
        "Requests at the drive, including the one in service: averaged over time, and as seen by an "
        "arriving request, itself included. A large gap means bursts.",
        rows,
        plot.spec(marks, layout(x_axis, y_axis, showlegend=True)),
        wide=True,
    )


def every_drive(run: Run) -> Figure | None:
    """The table of all drives."""
    table = run.table("devices")
    if table.height == 0:
        return None
    accesses = pl.when(pl.col("accesses") > 0).then(pl.col("accesses"))
    columns = [
        (Column("Drive", text=True), pl.col("name")),
        (Column("Utilisation", "%"), 100 * pl.col("utilisation")), (Column("Accesses"), pl.col("accesses")),
        (Column("Reads"), pl.col("reads")), (Column("Writes"), pl.col("writes")),
        (Column("Service time", "ms"), pl.col("service_time_mean_ms")),
        (Column("Seek", "ms"), 1e3 * pl.col("seek_s") / accesses),
        (Column("Rotation", "ms"), 1e3 * pl.col("rotation_s") / accesses),
        (Column("Transfer", "ms"), 1e3 * pl.col("transfer_s") / accesses),
        (Column("Response time", "ms"), pl.col("response_time_mean_ms")),
        (Column("Seek distance", "cylinders"), pl.col("seek_distance_mean_cylinders")),
        (Column("Spin-ups"), pl.col("spin_ups")), (Column("Energy", "J"), pl.col("energy_total_j")),
    ]  # fmt: skip
    if table["model"].n_unique() > 1:
        columns.insert(1, (Column("Model", text=True), pl.col("model")))
    rows = table.select(value.alias(str(number)) for number, (_, value) in enumerate(columns))
    return Figure(
        "every-drive",
        "Every drive",
        "Times are means over the drive's accesses; seek, rotation and transfer are parts of service.",
        Table([column for column, _ in columns], [list(row) for row in rows.iter_rows()]),
        wide=True,
    )


def _ssds(run: Run) -> pl.DataFrame:
    """The drives that are SSDs; Runs written before SSDs were modelled have none."""
    table = run.table("devices")
    if "flash_modelled" not in table.columns:
        return table.clear()
    return table.filter(pl.col("flash_modelled").is_not_null())


def flash_writes(run: Run) -> Figure | None:
    """What hosts wrote to each SSD and what was programmed beyond that; wear in the table."""
    table = _ssds(run)
    if table.height == 0:
        return None
    factor, unit = numbers.scale_for(float(max(table["flash_flash_bytes_written"])), "B")
    modelled = pl.col("flash_modelled").cast(bool)
    columns = [
        (Column("Drive", text=True), pl.col("name")),
        (Column("Written by hosts", unit), pl.col("flash_host_bytes_written") / factor),
        (Column("Programmed", unit), pl.col("flash_flash_bytes_written") / factor),
        (Column("Write amplification"), pl.col("flash_write_amplification")),
        (Column("Pages moved"), pl.when(modelled).then(pl.col("flash_gc_pages_moved"))),
        (Column("Blocks erased"), pl.when(modelled).then(pl.col("flash_erases"))),
        (Column("Erases of a block, mean"), pl.when(modelled).then(pl.col("flash_erase_count_mean"))),
        (Column("Rated bytes used", "%"), 100 * pl.col("wear_fraction")),
        (Column("Rated cycles used", "%"), 100 * pl.col("flash_pe_cycles_fraction")),
        (Column("Reads that interrupted"), pl.when(modelled).then(pl.col("flash_suspends"))),
    ]
    rows = table.select(value.alias(str(number)) for number, (_, value) in enumerate(columns))
    cells = Table([column for column, _ in columns], [list(row) for row in rows.iter_rows()])
    by_hosts, programmed = cells.column("Written by hosts"), cells.column("Programmed")
    beyond = [max(0.0, every - own) for own, every in zip(by_hosts, programmed, strict=True)]
    x_axis, labels = drive_axis(table["name"].to_list())
    hover = f"%{{x}}: %{{y:,.4~r}} {unit}<extra>%{{fullData.name}}</extra>"
    bars = [
        plot.bar(labels, by_hosts, name="Written by hosts", colour=palette.WRITE, hover=hover),
        plot.bar(labels, beyond, name="Programmed in addition", colour=palette.BAR, hover=hover),
    ]
    y_axis = axis(f"Programmed ({unit})", rangemode="tozero")
    shape = layout(x_axis, y_axis, barmode="stack", bargap=bar_gap(table.height), showlegend=True)
    return Figure(
        "flash-writes",
        "Flash writes",
        "Bytes that hosts wrote to each SSD, and bytes programmed beyond that by garbage collection and to "
        "fill units and pages. Write amplification is their sum over the bytes that hosts wrote. Wear is "
        "that of the window.",
        cells,
        plot.spec(bars, shape),
        wide=True,
    )


def flash_energy(run: Run) -> Figure | None:
    """Joules of operations on flash, beyond what drives draw while they are active."""
    table = _ssds(run)
    if table.height == 0:
        return None
    joules = {name: float(table[f"flash_energy_{name}_j"].sum()) for name in FLASH_OPERATIONS}
    total = sum(joules.values())
    if total <= 0:
        return None
    factor, unit = numbers.scale_for(total, "J")
    used = {name: value for name, value in joules.items() if value > 0}
    rows: list[list[Cell]] = [
        [_OPERATIONS[name], value / factor, 100 * value / total] for name, value in used.items()
    ]
    return Figure(
        "flash-energy",
        "Energy of operations on flash",
        "All SSDs: energy above their active draw, by operation.",
        Table([Column("Operation", text=True), Column("Energy", unit), Column("Share", "%")], rows),
        shared_bars(rows, "Energy", unit, [_COLOURS[name] for name in used]),
    )
