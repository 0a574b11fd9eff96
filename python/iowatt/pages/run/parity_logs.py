"""What logs of parity updates did, as tables from the summary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from iowatt.base.units import format_bytes
from iowatt.render import numbers
from iowatt.render.figure import Cell, Table, text_columns


def tables(summary: Mapping[str, Any]) -> Iterator[tuple[str, Table]]:
    """Of each log what was written to it, what its reintegration took, who waited, and what is left in it."""
    for one in summary.get("parity_logs") or ():
        rows: list[list[Cell]] = [
            ["Small writes logged", _counted(one["updates"], one["update_bytes"])],
            ["Written to the log", _counted(one["log_writes"], one["log_bytes"])],
            ["Logs reintegrated", numbers.count(one["reintegrations"])],
            ["Parity read and written for that", format_bytes(one["parity_bytes"])],
            ["Stale parity rewritten by larger writes", format_bytes(one["superseded_bytes"])],
            ["Requests that waited for the log", _waited(one)],
            ["Updates in the log at the end", _counted(one["pending_updates"], one["pending_bytes"])],
            ["Parity to be updated for these", format_bytes(one["pending_parity_bytes"])],
        ]
        yield f"Parity log of {one['pool']}", Table(text_columns("Item", "Amount"), rows)


def _counted(count: int, size: int) -> str:
    return f"{numbers.count(count)}, {format_bytes(size)}"


def _waited(one: Mapping[str, Any]) -> str:
    if not one["waits"]:
        return numbers.count(0)
    return f"{numbers.count(one['waits'])}, {numbers.with_unit(one['wait_mean_ms'], 'ms')} on average"
