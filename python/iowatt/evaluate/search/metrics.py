"""Columns of the table as a reader meets them: the common ones with a title, the others by their name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from iowatt.evaluate.search.grid import show_value
from iowatt.render.figure import Cell, Column

if TYPE_CHECKING:
    import polars as pl

COMMON: Final[dict[str, Column]] = {
    "done_share": Column("Share of the offered load that was done", "share"),
    "response_time_ms.all.mean": Column("Mean response time", "ms"),
    "response_time_ms.all.p95": Column("95th percentile", "ms"),
    "response_time_ms.all.p99": Column("99th percentile", "ms"),
    "throughput.iops": Column("Throughput", "IOPS"),
    "throughput.mib_per_s": Column("Data rate", "MiB/s"),
    "power_w.mean": Column("Mean power", "W"),
    "power_w.wall_mean": Column("Mean power at the wall", "W"),
    "energy.per_request_j": Column("Energy per request", "J"),
    "energy.energy_delay_js": Column("Energy-delay", "J·s"),
    "efficiency.iops_per_w": Column("Efficiency", "IOPS/W"),
    "efficiency.raw_gb_per_w": Column("Capacity per watt", "GB/W"),
    "efficiency.effective_gb_per_w": Column("Effective capacity per watt", "GB/W"),
    "capacity_gb.usable": Column("Usable capacity", "GB"),
    "devices.count": Column("Drives", ""),
    "devices.utilisation.max": Column("Utilisation, busiest drive", "share"),
}

RESPONSE: Final = "response_time_ms.all.mean"
EFFICIENCY: Final = "efficiency.iops_per_w"
PER_REQUEST: Final = "energy.per_request_j"


_BRIEF: Final = {
    "done_share": Column("Done", "share"),
    "response_time_ms.all.mean": Column("Mean", "ms"),
    "response_time_ms.all.p95": Column("p95", "ms"),
    "response_time_ms.all.p99": Column("p99", "ms"),
    "throughput.iops": Column("IOPS"),
    "power_w.mean": Column("Power", "W"),
    "power_w.wall_mean": Column("Wall power", "W"),
    "efficiency.iops_per_w": Column("IOPS/W"),
    "energy.per_request_j": Column("J/request"),
}
"""Short headings, for tables of many columns."""

_FIRST: Final = (
    "response_time_ms.all.mean", "response_time_ms.all.p99", "throughput.iops", "power_w.mean",
    "power_w.wall_mean", "efficiency.iops_per_w", "energy.per_request_j",
)  # fmt: skip
"""Figures that are asked for first, in this order."""


class VerbatimColumn(Column):
    """A column of values that somebody gave: shown as given, not rounded."""

    def show(self, cell: Cell) -> str:
        """The value as it was given."""
        return super().show(None) if cell is None else show_value(cell)


def power(frame: pl.DataFrame) -> str:
    """The power that efficiency is taken over: at the wall where that is known of every point."""
    wall = "power_w.wall_mean"
    figures = frame.filter(frame["status"] == "done")
    known = wall in frame.columns and figures.height and figures[wall].null_count() == 0
    return wall if known else "power_w.mean"


def numeric(frame: pl.DataFrame) -> list[str]:
    """Columns with figures to choose from: numbers that are not the same in all points. Common ones first."""
    found = [
        name
        for name, kind in frame.schema.items()
        if kind.is_numeric() and name != "point" and frame[name].drop_nulls().n_unique() > 1
    ]
    return [name for name in COMMON if name in found] + [name for name in found if name not in COMMON]


def brief(name: str) -> Column:
    """The column under a short heading, with the rank that says when a narrow table leaves it out."""
    rank = _FIRST.index(name) // 2 if name in _FIRST else len(_FIRST)
    return replace(_BRIEF.get(name) or column(name), rank=rank)


def column(name: str) -> Column:
    """Title and unit of a column."""
    return COMMON.get(name) or Column(name)
