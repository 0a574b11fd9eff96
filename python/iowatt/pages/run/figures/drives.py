"""Figures with one mark for each drive, readable for eight drives and for four hundred."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from iowatt.render import palette
from iowatt.render.figure import Column, Figure, Table, axis, layout, plain

if TYPE_CHECKING:
    from iowatt.run.bundle import Run


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


def utilisation(run: Run) -> Figure | None:
    """Busy share of each drive."""
    table = run.table("devices")
    if table.height == 0:
        return None
    names = table["name"].to_list()
    rows = Table(
        [Column("Drive", text=True), Column("Utilisation", "%")],
        [[name, 100 * busy] for name, busy in table.select("name", "utilisation").iter_rows()],
    )
    x_axis, labels = drive_axis(names)
    bar = {
        "type": "bar",
        "x": labels,
        "y": rows.column("Utilisation"),
        "marker": {"color": palette.BAR},
        "hovertemplate": "%{x}: %{y:.4~r} %<extra></extra>",
    }
    return Figure(
        "utilisation",
        "Utilisation by drive",
        "Share of the window in which the drive worked (positioning and transfer).",
        rows,
        {
            "data": [bar],
            "layout": layout(
                x_axis,
                axis("Utilisation (%)", rangemode="tozero"),
                bargap=bar_gap(len(names)),
                showlegend=False,
            ),
        },
        wide=True,
    )


def queues(run: Run) -> Figure | None:
    """Queue length of each drive: over time, and as an arrival sees it."""
    table = run.table("devices")
    if table.height == 0:
        return None
    rows = Table(
        [
            Column("Drive", text=True),
            Column("Mean over time", "requests"),
            Column("Seen on arrival", "requests"),
        ],
        [list(row) for row in table.select("name", "queue_length_mean", "queue_length_seen").iter_rows()],
    )
    x_axis, labels = drive_axis(rows.column("Drive"))
    marks = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": title,
            "x": labels,
            "y": rows.column(title),
            "marker": {"color": colour, "symbol": symbol, "size": 9 if len(labels) <= 64 else 5},
            "hovertemplate": "%{x}: %{y:,.4~r}<extra>%{fullData.name}</extra>",
        }
        for title, colour, symbol in (
            ("Mean over time", palette.BAR, "circle"),
            ("Seen on arrival", palette.P99, "diamond-open"),
        )
    ]
    return Figure(
        "queue-by-drive",
        "Queue length by drive",
        "Requests at the drive, the one in service included: averaged over time, and what an arriving "
        "request finds, itself included. Far apart means bursts.",
        rows,
        {
            "data": marks,
            "layout": layout(x_axis, axis("Queue length (requests)", rangemode="tozero"), showlegend=True),
        },
        wide=True,
    )


def every_drive(run: Run) -> Figure | None:
    """The table of all drives."""
    table = run.table("devices")
    if table.height == 0:
        return None
    accesses = pl.when(pl.col("accesses") > 0).then(pl.col("accesses"))
    parts = [
        (Column("Utilisation", "%"), 100 * pl.col("utilisation")),
        (Column("Accesses"), pl.col("accesses")),
        (Column("Reads"), pl.col("reads")),
        (Column("Writes"), pl.col("writes")),
        (Column("Service time", "ms"), pl.col("service_time_mean_ms")),
        (Column("Seek", "ms"), 1e3 * pl.col("seek_s") / accesses),
        (Column("Rotation", "ms"), 1e3 * pl.col("rotation_s") / accesses),
        (Column("Transfer", "ms"), 1e3 * pl.col("transfer_s") / accesses),
        (Column("Response time", "ms"), pl.col("response_time_mean_ms")),
        (Column("Seek distance", "cylinders"), pl.col("seek_distance_mean_cylinders")),
        (Column("Spin-ups"), pl.col("spin_ups")),
        (Column("Energy", "J"), pl.col("energy_total_j")),
    ]
    text = [(Column("Drive", text=True), pl.col("name"))]
    if table["model"].n_unique() > 1:
        text.append((Column("Model", text=True), pl.col("model")))
    columns = [*text, *parts]
    rows = table.select(value.alias(str(at)) for at, (_, value) in enumerate(columns))
    return Figure(
        "every-drive",
        "Every drive",
        "Times are means over the drive's accesses; seek, rotation and transfer are parts of service.",
        Table([column for column, _ in columns], [list(row) for row in rows.iter_rows()]),
        wide=True,
    )
