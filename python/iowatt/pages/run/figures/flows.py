"""Workloads and volumes side by side, where a run has several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from iowatt.render.figure import Column, Figure, Table

if TYPE_CHECKING:
    from iowatt.run.bundle import Run


def workloads(run: Run) -> Figure | None:
    """A row for each workload, where there are several."""
    return _flows(run.summary["workloads"], "workloads", "Workload", "Volume", "volume")


def volumes(run: Run) -> Figure | None:
    """A row for each volume, where there are several."""
    return _flows(run.summary["volumes"], "volumes", "Volume", "Pool", "pool")


def _flows(flows: Sequence[Mapping[str, Any]], key: str, title: str, on: str, on_key: str) -> Figure | None:
    if len(flows) < 2:
        return None
    columns = [
        Column(title, text=True),
        Column(on, text=True),
        Column("Requests"),
        Column("Reads", "%"),
        Column("Throughput", "IOPS"),
        Column("Data rate", "MiB/s"),
        Column("Mean", "ms"),
        Column("p50", "ms"),
        Column("p95", "ms"),
        Column("p99", "ms"),
        Column("Maximum", "ms"),
        Column("In flight, mean"),
        Column("In flight at end"),
    ]
    rows = []
    for flow in flows:
        requests, time = flow["requests"], flow["response_time_ms"]["all"]
        rows.append(
            [
                flow["name"],
                flow[on_key],
                requests["count"],
                100 * requests["reads"] / requests["count"] if requests["count"] else None,
                flow["throughput"]["iops"],
                flow["throughput"]["mib_per_s"],
                *(time[rank] for rank in ("mean", "p50", "p95", "p99", "max")),
                flow["in_flight_mean"],
                requests["in_flight_at_end"],
            ]
        )
    return Figure(
        key,
        f"By {title.lower()}",
        f"The same figures for each {title.lower()}.",
        Table(columns, rows),
        wide=True,
    )
