"""Figures of virtual pools: where requests found their data, and what was moved for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from iowatt.render import palette
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

GB = 1e9


def hits(run: Run) -> Figure | None:
    """Share of requests and of their bytes that each part of a virtual pool served."""
    tiers = [tier for tier in run.summary.get("tiers", ()) if tier["hit_ratio"] is not None]
    if not tiers:
        return None
    kinds = (
        ("All requests", "hit_ratio"),
        ("Reads", "read_hit_ratio"),
        ("Writes", "write_hit_ratio"),
        ("Bytes", "hit_bytes_ratio"),
    )
    rows = Table(
        [Column("Part", text=True), *(Column(title, "%") for title, _ in kinds)],
        [[tier["name"], *(_percent(tier[key]) for _, key in kinds)] for tier in tiers],
    )
    marks = [
        {
            "type": "bar",
            "name": title,
            "x": [plain(name) for name in rows.column("Part")],
            "y": rows.column(title),
            "marker": {"color": colour},
            "hovertemplate": "%{x}: %{y:.4~r} %<extra>%{fullData.name}</extra>",
        }
        for title, colour in (("All requests", palette.BAR), ("Bytes", palette.P99))
    ]
    return Figure(
        "tier-hits",
        "Where requests found their data",
        "Share of the requests to a virtual pool that one of its parts served wholly, and of their bytes. "
        "Requests over the border of two parts count for neither.",
        rows,
        {
            "data": marks,
            "layout": layout(
                axis("", type="category", showgrid=False),
                axis("Share (%)", range=[0, 100]),
                barmode="group",
                showlegend=True,
            ),
        },
    )


def movement(run: Run) -> Figure | None:
    """Bytes that moved between the parts of virtual pools, and what they were moved with."""
    tiers = run.summary.get("tiers", ())
    if not any(tier["migration_bytes_read"] or tier["migration_bytes_written"] for tier in tiers):
        return None
    kinds = (
        ("Promoted to it", "promoted_bytes", palette.BAR),
        ("Demoted or written back to it", "demoted_bytes", palette.P99),
    )
    more = (
        ("Holds at the end", "occupied_bytes"),
        ("Read by moves", "migration_bytes_read"),
        ("Written by moves", "migration_bytes_written"),
    )
    keys = [(title, key) for title, key, _ in kinds] + list(more)
    rows = Table(
        [Column("Part", text=True), *(Column(title, "GB") for title, _ in keys)],
        [[tier["name"], *(_gigabytes(tier[key]) for _, key in keys)] for tier in tiers],
    )
    marks: list[dict[str, Any]] = [
        {
            "type": "bar",
            "name": title,
            "x": [plain(name) for name in rows.column("Part")],
            "y": rows.column(title),
            "marker": {"color": colour},
            "hovertemplate": "%{x}: %{y:.4~r} GB<extra>%{fullData.name}</extra>",
        }
        for title, _, colour in kinds
    ]
    return Figure(
        "tier-movement",
        "Data moved between parts",
        "What migrations brought to each part of a virtual pool within the window. Their I/O is in the load "
        "of the drives, their energy under migration.",
        rows,
        {
            "data": marks,
            "layout": layout(
                axis("", type="category", showgrid=False),
                axis("Data (GB)", rangemode="tozero"),
                barmode="group",
                showlegend=True,
            ),
        },
    )


def _percent(share: float | None) -> Cell:
    return None if share is None else 100 * share


def _gigabytes(size: int | None) -> Cell:
    return None if size is None else size / GB
