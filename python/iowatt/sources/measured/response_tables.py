"""The tables ``series`` and ``hops`` of a measured Run: response times over time, parts of the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from iowatt.run.tables import HOPS, SERIES, frame
from iowatt.sources.measured.spans import Span
from iowatt.sources.observation import Observation


def series(observation: Observation, spans: Sequence[Span], workload: str) -> pl.DataFrame | None:
    """A row for each block and direction, as the host saw it; None where times are not known.

    Times are s from the start of the first span; blocks of what was before or after the spans are left out.
    """
    origin, end = spans[0].start, spans[-1].end
    found = [block for block in observation.series if block.end > origin and block.start < end]
    if not found:
        return None
    columns: dict[str, list[Any]] = {key: [] for key in SERIES}
    for block in found:
        columns["point"].append("host")
        columns["workload"].append(workload)
        columns["op"].append(block.op)
        # Unix time in s has no more than this; blocks lie on a grid of ms.
        columns["start_s"].append(round(block.start - origin, 6))
        columns["end_s"].append(round(block.end - origin, 6))
        columns["count"].append(block.histogram.total)
        columns["sum_ns"].append(block.sum_ns)
        columns["max_ns"].append(block.max_ns)
        columns["low_ns"].append(block.histogram.low_ns.tolist())
        columns["high_ns"].append(block.histogram.high_ns.tolist())
        columns["bin_count"].append(block.histogram.count.tolist())
    return frame("series", columns)


def hops(observation: Observation, workload: str) -> pl.DataFrame | None:
    """A row for each part, direction and bin of response times; None where no parts are known."""
    if not observation.hops:
        return None
    columns: dict[str, list[Any]] = {key: [] for key in HOPS}
    longest = {"read": observation.read, "write": observation.write}
    for hop in observation.hops:
        highest = longest[hop.op].high_ns
        columns["path"].append(observation.hops_of or observation.tool)
        columns["workload"].append(workload)
        columns["op"].append(hop.op)
        low, high = hop.range_ns or (0, int(highest[-1]) if highest.size else 0)
        columns["low_ns"].append(low)
        columns["high_ns"].append(high)
        columns["hop"].append(hop.name)
        columns["place"].append(hop.place)
        columns["way"].append("")
        columns["requests"].append(hop.requests)
        columns["wait_ns"].append(hop.wait_ns)
        columns["service_ns"].append(hop.service_ns)
    return frame("hops", columns)
