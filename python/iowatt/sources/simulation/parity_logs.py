"""Logs of parity updates in a simulated Run: their counts, and a remark on what is left in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iowatt.base.units import format_bytes
from iowatt.run.summary_parts import ParityLogSummary


def parity_logs(names: Mapping[str, Any], summary: Mapping[str, Any]) -> list[ParityLogSummary]:
    """What each pool logged that logs parity updates."""
    return [
        ParityLogSummary(
            pool=names["pools"][raw["pool"]],
            updates=raw["updates"],
            update_bytes=raw["update_bytes"],
            log_writes=raw["log_writes"],
            log_bytes=raw["log_bytes"],
            reintegrations=raw["reintegrations"],
            parity_bytes=raw["parity_bytes"],
            superseded_bytes=raw["superseded_units"] * raw["unit_bytes"],
            waits=raw["waits"],
            wait_mean_ms=raw["wait_ns"] / raw["waits"] / 1e6 if raw["waits"] else None,
            pending_updates=raw["pending_updates"],
            pending_bytes=raw["pending_bytes"],
            pending_parity_bytes=raw["pending_units"] * raw["unit_bytes"],
        )
        for raw in summary.get("parity_logs", ())
    ]


def remarks(names: Mapping[str, Any], summary: Mapping[str, Any]) -> list[str]:
    """Remarks on parity that is yet to be updated, whose joules a Run does not have."""
    return [
        f"pool {one.pool}: {one.pending_updates:,} parity updates ({format_bytes(one.pending_bytes)}) are in "
        f"the log at the end; {format_bytes(one.pending_parity_bytes)} of parity are to be read and written "
        "for them, which these joules do not include"
        for one in parity_logs(names, summary)
        if one.pending_updates
    ]
