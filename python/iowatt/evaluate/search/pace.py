"""How fast a trace was recorded: one pass over it, kept as long as the file stays the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from iowatt.base.errors import InputError


@dataclass(frozen=True)
class TracePace:
    """A trace as its reader's options make it."""

    requests: int
    #: From the first request to the last.
    seconds: float
    #: Whether it records no times, so that only their order is known.
    untimed: bool
    path: str

    @property
    def rate_iops(self) -> float:
        """Mean rate as recorded, requests per second. Raises ``InputError`` where all arrive at once."""
        if self.seconds <= 0:
            message = "the trace has no rate: all of its requests arrive at once"
            hint = "vary the requests outstanding: `iowatt curve`, `outstanding=1..64:x2`"
            raise InputError("not-applicable", self.path, message, hint=hint)
        return (self.requests - 1) / self.seconds


def trace_pace(trace: Mapping[str, Any]) -> TracePace:
    """The pace of a trace specification, whose path opens from here.

    It is read once as long as the file stays the same. Raises ``InputError`` where there is no such file, or
    it can be read once only.
    """
    path = Path(trace["path"])
    if str(path) == "-":
        message = (
            "the rate of a trace is measured before it is replayed, and standard input can be read only once"
        )
        raise InputError("read-once", "-", message, hint="put the trace in a file")
    if not path.is_file():
        raise InputError("not-found", str(path), "no such trace file")
    changed = tuple(
        (file.stat().st_size, file.stat().st_mtime_ns)
        for file in (path, *map(Path, trace.get("more", ())))
        if file.is_file()
    )
    return _read(json.dumps(trace, sort_keys=True), changed)


@lru_cache(maxsize=256)
def _read(trace: str, _changed: tuple[tuple[int, int], ...]) -> TracePace:
    from iowatt.trace.open import requests

    spec = json.loads(trace)
    count, first, last = 0, 0, 0
    found = requests(spec)
    for batch in found:
        times = batch["time_ns"]
        if count == 0 and len(times):
            first = int(times[0])
        if len(times):
            last = int(times[-1])
        count += len(times)
    return TracePace(count, (last - first) / 1e9, bool(found.summary()["untimed"]), str(spec["path"]))
