"""Runs whose table of heat is given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from iowatt.run.bundle import Run
from iowatt.run.tables import frame

MIB = 1 << 20
Row = tuple[str, str, int, float, int, int]


def run_of(
    rows: Iterable[Row],
    spaces: Mapping[tuple[str, str], int],
    *,
    extent_bytes: int = MIB,
    period_s: float = 10.0,
    duration_s: float = 100.0,
) -> Run:
    """A Run in memory with the rows (point, space, extent, start s, reads, writes) of 4 KiB requests."""
    table = table_of(rows)
    return Run(
        summary=summary(table, spaces, extent_bytes, period_s, duration_s),
        plan={},
        scenario_text="",
        tables={"heat": table},
    )


def table_of(rows: Iterable[Row]) -> pl.DataFrame:
    """The table."""
    given = list(rows)
    names = ("point", "space", "extent", "start_s", "reads", "writes")
    columns: dict[str, list[Any]] = {name: [row[at] for row in given] for at, name in enumerate(names)}
    columns["bytes_read"] = [4096 * reads for reads in columns["reads"]]
    columns["bytes_written"] = [4096 * writes for writes in columns["writes"]]
    return frame("heat", columns)


def summary(
    table: pl.DataFrame,
    spaces: Mapping[tuple[str, str], int],
    extent_bytes: int,
    period_s: float,
    duration_s: float,
) -> dict[str, Any]:
    """As much of run.json as the lens reads."""
    told = []
    for (point, name), capacity in spaces.items():
        own = table.filter((pl.col("point") == point) & (pl.col("space") == name))
        sums = {key: int(own[key].sum()) for key in ("reads", "writes", "bytes_read", "bytes_written")}
        told.append({"point": point, "name": name, "capacity_bytes": capacity, **sums})
    return {
        "schema": "iowatt.run/1",
        "name": "made",
        "notes": [],
        "window": {"start_s": 0.0, "end_s": duration_s, "duration_s": duration_s, "warmup_s": 0.0},
        "heat": {"extent_bytes": extent_bytes, "period_s": period_s, "spaces": told},
    }
