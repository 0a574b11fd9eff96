"""What schemes that move data for the sake of power did, from the summary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from iowatt.render import numbers
from iowatt.render.figure import Cell, Column, Table

#: Counts by their names in ``run.json``, in the words of a report; bytes are shown with their unit.
WORDS: Final = {
    "reads": "Reads",
    "read_hits": "Reads that the cache answered alone",
    "read_bytes": "Read in all",
    "read_hit_bytes": "Read from the cache",
    "writes": "Writes",
    "logged_writes": "Writes that the cache took alone",
    "logged_bytes": "Written to the cache alone",
    "copied_bytes": "Copied to the cache",
    "destaged_bytes": "Written from the cache to data drives",
    "evictions": "Lines that gave way",
    "dirty_bytes_at_end": "In the cache alone at the end",
    "migrations": "Extents that changed their place",
    "migrated_bytes": "Copied for that",
    "given_up": "Moves that the next period overtook",
    "held_writes": "Writes that waited for a move",
    "off_loaded_writes": "Writes that went to a log",
    "off_loaded_bytes": "Written to logs",
    "refused_writes": "Writes that woke their part, as no log was awake",
    "log_reads": "Reads that logs answered",
    "log_read_bytes": "Read from logs",
    "superseded_bytes": "Written anew before they were reclaimed",
    "reclaimed_bytes": "Moved home",
    "log_bytes_most": "Most in logs at a time",
    "log_bytes_at_end": "In logs at the end",
    "reclaims": "Moves that brought it home",
    "drains": "Times that a full log or cache woke a part",
}


def outcome(summary: Mapping[str, Any]) -> list[tuple[str, Table]]:
    """A titled table for each virtual pool that moves data for the sake of power."""
    tables = []
    for pool in summary.get("virtual_pools") or ():
        counts = pool.get("data_movement")
        if counts is None:
            continue
        rows: list[list[Cell]] = []
        for name, words in WORDS.items():
            if name in counts:
                shown = "bytes" in name.split("_")
                value = counts[name]
                rows.append([words, numbers.with_unit(value, "B", 4) if shown else numbers.count(value)])
        for number, requests in enumerate(counts.get("requests_by_part", ())):
            rows.append([f"Requests to part {number}", numbers.count(requests)])
        columns = [Column("What", text=True), Column("Count", text=True)]
        tables.append((f"Data moved by {pool['name']}", Table(columns, rows)))
    return tables
