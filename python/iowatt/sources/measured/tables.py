"""The Parquet tables of a measured Run; what only a simulation knows is null."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from iowatt.run.histogram import Histogram
from iowatt.run.tables import DEVICES, HOPS, SERIES, STATES, frame
from iowatt.sources.measured.flow import RunSpan, both_directions, mean_s
from iowatt.sources.measured.instruments import Cut
from iowatt.sources.observation import Observation

_UNKNOWN = ("queue_length_mean", "power_w")
_PERCENTILES = {"response_p50_ms": 0.5, "response_p95_ms": 0.95, "response_p99_ms": 0.99}


def intervals(spans: Sequence[RunSpan], watts: Sequence[float | None]) -> pl.DataFrame:
    """A row for each span; ``watts`` is the power at the wall, None where a meter missed a part of it."""
    origin = spans[0].start
    columns: dict[str, list[Any]] = {}
    for span in spans:
        for key, value in _interval(span, origin).items():
            columns.setdefault(key, []).append(value)
    unknown = dict.fromkeys((*_UNKNOWN, *(f"{state}_j" for state in STATES)), [None] * len(spans))
    return frame("intervals", {**columns, **unknown, "wall_w": list(watts)})


def _interval(span: RunSpan, origin: float) -> dict[str, Any]:
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
        "in_flight_mean": _in_flight(done, mean, span.seconds),
    }


def _in_flight(done: int, mean: float | None, seconds: float) -> float | None:
    """By Little's law; None where there were requests, and no response time is known."""
    if not done or seconds <= 0:
        return 0.0
    return None if mean is None else done * mean / seconds


def _percentiles(span: RunSpan, largest_s: float | None) -> dict[str, float | None]:
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
    bins = [(op, *row) for op, histogram in by_op.items() for row in _bins(histogram)]
    keys = ("op", "low_ns", "high_ns", "count")
    columns: dict[str, list[Any]] = {key: [row[at] for row in bins] for at, key in enumerate(keys)}
    return frame("latency", {"workload": [workload] * len(bins), "volume": [volume] * len(bins), **columns})


def _bins(histogram: Histogram) -> Iterator[tuple[int, int, int]]:
    columns = (histogram.low_ns, histogram.high_ns, histogram.count)
    return zip(*(column.tolist() for column in columns), strict=True)


def energy(cuts: Sequence[Cut], seconds: float) -> pl.DataFrame:
    """The joules of each meter; no row where one of them missed a part: the rest is not the total."""
    rows = []
    for cut in cuts if all(cut.whole for cut in cuts) else []:
        joules = math.fsum(w * s for w, s in zip(cut.watts, cut.seconds, strict=True) if w is not None)
        watts = joules / seconds if seconds > 0 else None
        rows.append((cut.name, "meter", "metered", seconds, watts, joules))
    return _frame("energy", ("component", "kind", "state", "time_s", "power_w", "energy_j"), rows)


def _frame(name: str, keys: Sequence[str], rows: Sequence[Sequence[Any]]) -> pl.DataFrame:
    return frame(name, {key: [row[at] for row in rows] for at, key in enumerate(keys)})


def devices() -> pl.DataFrame:
    """No drive is seen from outside."""
    return frame("devices", {key: [] for key in DEVICES})


def series(observation: Observation, spans: Sequence[RunSpan], workload: str) -> pl.DataFrame | None:
    """A row for each block and direction, as the host saw it; None where times are unknown.

    Times are s from the start of the first span; blocks before or after the spans are left out.
    """
    origin, end = spans[0].start, spans[-1].end
    blocks = [block for block in observation.series if block.end > origin and block.start < end]
    if not blocks:
        return None
    rows = [
        {
            "point": "host",
            "workload": workload,
            "op": block.op,
            # Unix time in s has no more than these digits; blocks lie on a grid of ms.
            "start_s": round(block.start - origin, 6),
            "end_s": round(block.end - origin, 6),
            "count": block.histogram.total,
            "sum_ns": block.sum_ns,
            "max_ns": block.max_ns,
            "low_ns": block.histogram.low_ns.tolist(),
            "high_ns": block.histogram.high_ns.tolist(),
            "bin_count": block.histogram.count.tolist(),
        }
        for block in blocks
    ]
    return frame("series", {key: [row[key] for row in rows] for key in SERIES})


def hops(observation: Observation, workload: str) -> pl.DataFrame | None:
    """A row for each part, direction and bin of response times; None where no parts are known."""
    if not observation.hops:
        return None
    highest = {"read": observation.read.high_ns, "write": observation.write.high_ns}
    rows = []
    for hop in observation.hops:
        longest = highest[hop.op]
        low, high = hop.range_ns or (0, int(longest[-1]) if longest.size else 0)
        rows.append(
            {
                "path": observation.hops_of or observation.tool,
                "workload": workload,
                "op": hop.op,
                "low_ns": low,
                "high_ns": high,
                "hop": hop.name,
                "place": hop.place,
                "way": "",
                "requests": hop.requests,
                "wait_ns": hop.wait_ns,
                "service_ns": hop.service_ns,
            }
        )
    return frame("hops", {key: [row[key] for row in rows] for key in HOPS})
