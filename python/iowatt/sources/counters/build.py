"""Counters of an array or a host as an Observation: rates and means of intervals, and no single request."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from iowatt.base.errors import InputError
from iowatt.counters.activity import activity
from iowatt.counters.log import CountersLog
from iowatt.counters.read import FORMATS
from iowatt.run.histogram import Histogram
from iowatt.sources.counters.buckets import OPS, ResponseBuckets
from iowatt.sources.counters.request import (
    CountersRequest,
    chosen_devices,
    interval_starts,
    read_counters,
    used_intervals,
)
from iowatt.sources.counters.sums import CountedDevice, DeviceSums
from iowatt.sources.observation import Interval, Observation, ObservedHop

NS_PER_S: Final = 1e9


def observe(request: CountersRequest) -> Observation:
    """The requests that a log counted, of its devices together.

    Requests are rates times the lengths of intervals, whole over the log; means are weighted by requests.

    Raises ``InputError``: no such device, several of a host, reads and writes or bytes not counted, an
    interval of unknown length, a figure that is unknown in some interval.
    """
    log = read_counters(request)
    devices = chosen_devices(log, request)
    where = ", ".join(str(path) for path in request.paths)
    try:
        parts = [CountedDevice.of(log, activity(log, device)) for device in devices]
    except InputError as error:
        raise error.at(where) from None
    starts, dated = interval_starts(log, request, where)
    used = used_intervals(log, starts, [part.act for part in parts], request, where)
    counted = DeviceSums(parts, used, starts[used].tolist(), np.frombuffer(log.seconds)[used])
    buckets = ResponseBuckets.of(log, devices, used)
    intervals = counted.intervals(buckets)
    read, write = (buckets.total(op) if buckets else Histogram.of([], [], []) for op in OPS)
    return Observation(
        name=request.paths[0].stem,
        tool="counters",
        version=log.format,
        start=intervals[0].start,
        end=intervals[-1].end,
        intervals=intervals,
        read=read,
        write=write,
        histogram_note=None
        if buckets is None
        else "the array's own buckets: a percentile is the upper end of its bucket",
        warnings=_notes(log, parts, devices),
        files=tuple(request.paths),
        series=[] if buckets is None else buckets.blocks(intervals),
        series_note=None if buckets is None else "response times over time are the array's own buckets",
        hops=_hops(intervals, read, write, "device" if log.format in FORMATS else "array"),
        hops_of=log.format,
        hops_note="of the response time the log knows no parts: all of it is one hop, waiting included",
        dated=dated,
    )


def _hops(intervals: Sequence[Interval], read: Histogram, write: Histogram, hop: str) -> list[ObservedHop]:
    """All of the response time as one part; none where it is not known of every request and direction."""
    found = []
    for op, histogram in zip(OPS, (read, write), strict=True):
        parts = [part.read if op == "read" else part.write for part in intervals]
        if any(part.known < part.requests for part in parts):
            return []
        count = sum(part.requests for part in parts)
        total = math.fsum(part.requests * (part.response_mean_s or 0.0) for part in parts)
        longest = int(histogram.high_ns[-1]) if histogram.total else round(total * NS_PER_S)
        found.append(ObservedHop(hop, "storage", op, count, 0, round(total * NS_PER_S), (0, longest)))
    return found


def _notes(log: CountersLog, parts: Sequence[CountedDevice], devices: Sequence[str]) -> list[str]:
    notes = [
        f"counted by {log.format}, not request by request: requests are rates times time, whole over the log"
    ]
    if len(devices) > 1:
        notes.append(f"{len(devices)} objects of the log are one: {', '.join(devices[:8])}")
    if any(part.act.split != "counted" for part in parts):
        notes.append(
            "reads and writes are not counted apart: they are told apart by bytes, as of equal sizes"
        )
    elif any(part.act.same_sizes for part in parts):
        notes.append("bytes of reads and writes are not counted apart: they are of equal sizes here")
    if all(wait is None for part in parts for wait in part.waits.values()):
        notes.append(
            "the log has no response times: they are unknown, and so is how many requests were in flight"
        )
    return notes + list(log.notes)
