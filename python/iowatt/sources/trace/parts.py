"""Formats that recorded when the device began: waiting and service, from a second reading of the trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

#: Their response time is from the enqueue with the event Q, the usual one, and from the start with D.
FORMATS: Final = frozenset(("hp-srt", "etw"))
NOTE: Final = (
    "of the response time, host queue is that before the device began with a request, as recorded, and "
    "device the rest"
)
_ROWS: Final = 262_144
#: What selects requests by their stamps, which differ between the events.
_BY_STAMP: Final = ("event", "from_s", "to_s", "speed")


def device_s(trace: Mapping[str, Any]) -> list[tuple[int, int]] | None:
    """By direction: requests of a trace (a spec) and their time at the device, ns; None where not told."""
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
