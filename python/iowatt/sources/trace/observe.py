"""A trace with response times as an Observation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from iowatt.base.errors import Argument, InputError
from iowatt.sources.observation import Observation
from iowatt.sources.simulation import doubts
from iowatt.sources.trace import recording
from iowatt.sources.trace.count import Progress, RequestCounter, TraceSource, to_observation
from iowatt.trace import columns

#: Their response time is from the enqueue with the event Q, the usual one, and from the start with D.
_SPLIT_FORMATS: Final = frozenset(("hp-srt", "etw"))
_SPLIT_NOTE: Final = (
    "of the response time, host queue is that before the device began with a request, as recorded, and "
    "device the rest"
)
_ROWS: Final = 262_144
#: What selects requests by their stamps, which differ between the events.
_BY_STAMP: Final = ("event", "from_s", "to_s", "speed")


def _device_times(trace: Mapping[str, Any]) -> list[tuple[int, int]] | None:
    """By direction: requests of a trace (a spec) and their time at the device, ns; None where unknown."""
    from iowatt.trace.open import requests

    if any(trace.get(key) is not None for key in _BY_STAMP):
        return None
    found = [[0, 0], [0, 0]]
    for batch in requests({**trace, "event": "D"}, rows=_ROWS):
        for way in (0, 1):
            times = batch["response_ns"][(batch["op"] == way) & (batch["response_ns"] >= 0)]
            found[way][0] += int(times.size)
            found[way][1] += int(times.sum())
    return [(found[0][0], found[0][1]), (found[1][0], found[1][1])]


#: Called with the fraction read, where it is known, and the requests so far.


@dataclass(frozen=True)
class TraceRequest:
    """Which trace, and how it is read."""

    path: Path
    name: str | None = None
    #: Length of the Run's intervals in s; one that suits the trace where it is None.
    interval_s: float | None = None
    #: Further keys of a trace spec (see ``iowatt.trace.open.spec``): format, columns, devices, from_s ...
    options: Mapping[str, Any] = field(default_factory=dict)


def read(request: TraceRequest, progress: Progress | None = None) -> Observation:
    """Read the whole trace, in bounded memory.

    Requests are counted when they completed: their stamp and their response time. Of a recording of blktrace
    the time from the queueing to the completion is the response time, and its parts are the hops.

    Raises ``InputError``: it cannot be read, has no requests, or no response times.
    """
    if request.interval_s is not None and not (
        math.isfinite(request.interval_s) and request.interval_s >= 1e-6
    ):
        raise InputError(
            "out-of-range", Argument("interval", f"{request.interval_s} s"), "an interval is at least 1us"
        )
    interval_ns = None if request.interval_s is None else round(request.interval_s * 1e9)
    if recording.is_recording(request.path, request.options):
        return recording.observe_recording(request.path, request.name, request.options, interval_ns, progress)
    return _of_trace(request, interval_ns, progress)


def _of_trace(request: TraceRequest, interval_ns: int | None, progress: Progress | None) -> Observation:
    from iowatt.trace.open import of_all_devices, requests, spec

    where = str(request.path)
    trace = of_all_devices(spec(request.path, **request.options))
    source = requests(trace, rows=_ROWS)
    count = RequestCounter(interval_ns)
    seen = timed = 0
    for batch in source:
        response = batch["response_ns"]
        seen += response.size
        timed += int((response >= 0).sum())
        count.add(batch["time_ns"], batch["op"], batch["size"].astype(np.int64), response)
        if progress is not None:
            progress(source.progress, seen)
    said = source.summary()
    if said["format"] == recording.FORMAT and request.options.get("event") is None:  # compressed
        return recording.observe_recording(request.path, request.name, request.options, interval_ns, progress)
    if not seen:
        raise InputError("empty", where, "there are no reads and no writes")
    if not timed or said["untimed"]:
        message = (
            f"there are no response times: {_reason(said, request.options)}, so this is a load, not a "
            "measurement"
        )
        hint = "`iowatt trace info` shows what it has, `iowatt run` simulates storage under it"
        raise InputError("missing-figure", where, message, hint=hint)
    notes = [*said["notes"], *doubts(said), *columns.sector_doubt(trace, said), *_left_out(said)]
    if timed < seen:
        notes.append(
            f"{seen - timed} of {seen} requests have no response time: they are counted where they "
            "arrived, and are in no figure of response times"
        )
    found = TraceSource(
        request.path, request.name, said["format"], said.get("origin_unix_ns"), source.devices, notes
    )
    if said["format"] in _SPLIT_FORMATS:
        count.told(_device_times(trace))
        found = replace(found, hops_note=_SPLIT_NOTE)
    return to_observation(found, count)


def _reason(said: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    name = str(said["format"])
    if said["untimed"]:
        return f"the format {name} has no times at all"
    if options.get("event") is not None:
        return f"the event {options['event']} of the format {name} has none, or none that fits"
    return f"the format {name} has none, or this trace left them out"


def _left_out(said: Mapping[str, Any]) -> list[str]:
    found = [f"{said[key]} {key} are left out" for key in ("trims", "flushes") if said.get(key)]
    if said.get("skipped_bad"):
        found.append(f"{said['skipped_bad']} malformed records were skipped, first {said['first_bad'][0]}")
    return found
