"""What capacity optimisation did, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iowatt.render import numbers
from iowatt.render.figure import Cell, Column, Table


def outcome(summary: Mapping[str, Any]) -> list[tuple[str, Table]]:
    """Titled tables of reduced virtual pools and of the capacity of all; none where nothing is reduced."""
    reduced = [pool for pool in summary.get("virtual_pools", ()) if pool.get("reduction")]
    if not reduced:
        return []
    tables = [
        (
            f"Capacity optimisation: {pool['name']}",
            _reduction(pool["reduction"], summary["tiers"], pool["name"]),
        )
        for pool in reduced
    ]
    return [*tables, ("Capacity", _capacity(summary["capacity_gb"], summary["efficiency"]))]


def _reduction(found: Mapping[str, Any], tiers: list[dict[str, Any]], name: str) -> Table:
    (store,) = [tier for tier in tiers if tier["virtual_pool"] == name]
    rows: list[list[Cell]] = [
        ["Pages written", numbers.count(found["pages_written"])],
        ["Of these, contents that existed", _share(found["duplicate_ratio"])],
        ["Of these, first writes", numbers.count(found["pages_allocated"])],
        ["Read and never written, no I/O", _bytes(found["unallocated_bytes_read"])],
        ["Read to write a part of a page", _bytes(found["modify_bytes_read"])],
        ["Copied for snapshots", _bytes(found["snapshot_copied_bytes"])],
        ["Read from the part", _bytes(store["bytes_read"] + store["migration_bytes_read"])],
        ["Written to the part", _bytes(store["bytes_written"] + store["migration_bytes_written"])],
        ["Stored by hosts, at the end", _bytes(found["logical_bytes"])],
        ["What that takes, snapshots included", _bytes(found["stored_bytes"])],
        [f"Kept by snapshots ({found['snapshots']} taken)", _bytes(found["snapshot_bytes"])],
    ]
    return Table([Column("What", text=True), Column("How much", text=True)], rows)


def _capacity(capacity: Mapping[str, float], efficiency: Mapping[str, float | None]) -> Table:
    rows: list[list[Cell]] = [
        [title, capacity[key], efficiency[f"{key}_gb_per_w"]]
        for title, key in (
            ("Raw", "raw"),
            ("Usable, after redundancy", "usable"),
            ("Effective, at the ratios assumed", "effective"),
        )
    ]
    return Table([Column("Capacity", text=True), Column("GB"), Column("GB/W")], rows)


def _bytes(count: int) -> str:
    return numbers.with_unit(count, "B")


def _share(ratio: float | None) -> str:
    return numbers.NO_VALUE if ratio is None else numbers.percent(ratio)
