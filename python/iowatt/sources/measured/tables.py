"""The Parquet tables of a measured Run; what only a simulation knows is null."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from iowatt.run.histogram import Histogram
from iowatt.run.tables import DEVICES, HOPS, SERIES, STATES, frame
from iowatt.sources.measured.flow import Span, both_directions, mean_s
from iowatt.sources.measured.instruments import Cut
from iowatt.sources.observation import Observation

_UNKNOWN = ("queue_length_mean", "power_w")
_PERCENTILES = {"response_p50_ms": 0.5, "response_p95_ms": 0.95, "response_p99_ms": 0.99}


def intervals(spans: Sequence[Span], watts: Sequence[float | None]) -> pl.DataFrame:
    """A row for each span; ``watts`` is the power at the wall, None where a meter missed a part of it."""
    origin = spans[0].start
    columns: dict[str, list[Any]] = {}
    for span in spans:
        for key, value in _interval(span, origin).items():
            columns.setdefault(key, []).append(value)
    unknown = dict.fromkeys((*_UNKNOWN, *(f"{state}_j" for state in STATES)), [None] * len(spans))
    return frame("intervals", {**columns, **unknown, "wall_w": list(watts)})


def _interval(span: Span, origin: float) -> dict[str, Any]:
    reads, writes = [p.read for p in span.parts], [p.write for p in span.parts]
    both = both_directions(span.parts)
    done, mean = sum(d.requests for d in both), mean_s(both)
    largest = max((d.response_max_s for d in both if d.response_max_s is not None), default=None)
    return {
        "start_s": span.start - origin,
        "end_s": span.end - origin,
        "arrivals": done,
        "completions": done,
        "reads": sum(d.requests for d in reads),
        "writes": sum(d.requests for d in writes),
        "bytes_read": sum(d.bytes for d in reads),
        "bytes_written": sum(d.bytes for d in writes),
        "response_mean_ms": None if mean is None else mean * 1e3,
        "response_max_ms": None if largest is None else largest * 1e3,
        **_percentiles(span, largest),
        "in_flight_mean": 0.0 if mean is None or span.seconds <= 0 else done * mean / span.seconds,
    }


def _percentiles(span: Span, largest_s: float | None) -> dict[str, float | None]:
    """Percentiles of an interval, where the response times of all of its parts are known as histograms."""
    parts = [part.histogram for part in span.parts]
    known = [part for part in parts if part is not None]
    if not known or len(known) < len(parts):
        return dict.fromkeys(_PERCENTILES)
    whole = Histogram.merged(known)
    values = {name: whole.quantile(q) for name, q in _PERCENTILES.items()}
    most = math.inf if largest_s is None else largest_s * 1e3
    return {name: None if value is None else min(value / 1e6, most) for name, value in values.items()}


def latency(workload: str, volume: str, by_op: Mapping[str, Histogram]) -> pl.DataFrame:
    """The histograms of a Run of one workload."""
    columns: dict[str, list[Any]] = {
        key: [] for key in ("workload", "volume", "op", "low_ns", "high_ns", "count")
    }
    for op, histogram in by_op.items():
        rows = len(histogram.count)
        columns["workload"] += [workload] * rows
        columns["volume"] += [volume] * rows
        columns["op"] += [op] * rows
        columns["low_ns"] += histogram.low_ns.tolist()
        columns["high_ns"] += histogram.high_ns.tolist()
        columns["count"] += histogram.count.tolist()
    return frame("latency", columns)


def energy(cuts: Sequence[Cut], seconds: float) -> pl.DataFrame:
    """What each meter counted; no row at all where one of them missed a part, because a part is no whole."""
    columns: dict[str, list[Any]] = {
        key: [] for key in ("component", "kind", "state", "time_s", "power_w", "energy_j")
    }
    for cut in cuts if all(cut.whole for cut in cuts) else []:
        joules = math.fsum(w * s for w, s in zip(cut.watts, cut.seconds, strict=True) if w is not None)
        columns["component"].append(cut.name)
        columns["kind"].append("meter")
        columns["state"].append("metered")
        columns["time_s"].append(seconds)
        columns["power_w"].append(joules / seconds if seconds > 0 else None)
        columns["energy_j"].append(joules)
    return frame("energy", columns)


def devices() -> pl.DataFrame:
    """No drive is seen from outside."""
    return frame("devices", {key: [] for key in DEVICES})


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
