"""What a log says of each device: rates over time, mix, sizes, waits, queues, utilisation, bursts."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from iowatt.base.errors import InputError
from iowatt.counters.activity import Activity, activity, mean_of, merged_share, ratio
from iowatt.counters.arrivals import dispersion
from iowatt.counters.log import Log

SCHEMA: Final = "iowatt.trace-counters/1"
_SHOWN_OVER_TIME: Final = 60
_OF_DIRECTIONS: Final = (
    "read_share",
    "read_share_bytes",
    "read_share_from",
    "read_merged_share",
    "write_merged_share",
    "mean_read_wait",
    "mean_write_wait",
)


def summary(log: Log, read_share: float | None = None) -> dict[str, Any]:
    """All devices in figures: rates in requests and bytes per second, sizes in bytes, waits in seconds.

    Means over time are weighted by seconds, waits and sizes by requests. What the log does not give is
    ``None``.
    """
    seconds = np.frombuffer(log.seconds, dtype=np.float64)
    known = seconds[np.isfinite(seconds)]
    return {
        "schema": SCHEMA,
        "format": log.format,
        "intervals": len(seconds),
        "seconds": float(known.sum()) if len(known) else None,
        "interval_seconds": float(np.median(known)) if len(known) else None,
        "skipped": log.bad,
        "notes": list(log.notes),
        "devices": [_device(log, device, read_share) for device in log.devices],
    }


def _device(log: Log, device: str, read_share: float | None) -> dict[str, Any]:
    lacking = None
    try:
        act = activity(log, device, read_share)
    except InputError as error:
        lacking = error.message
        if not log.has(device, "requests") or not (log.has(device, "bytes") or log.has(device, "size")):
            return {"device": device, "lacking": lacking, **_service(log, device, None)}
        act = activity(log, device, 0.5)  # reads and writes together are known all the same
    found = _of_activity(log, device, act)
    if lacking is not None:
        found.update(dict.fromkeys(_OF_DIRECTIONS))
        for part in found["over_time"]:
            part.update(read_iops=None, write_iops=None)
    return {"device": device, "lacking": lacking, **found}


def _of_activity(log: Log, device: str, act: Activity) -> dict[str, Any]:
    weights = act.weights
    reads, writes = (float(np.sum(rate * weights)) for rate in (act.reads, act.writes))
    read_bytes, write_bytes = (float(np.sum(rate * weights)) for rate in (act.read_bytes, act.write_bytes))
    lasted, requests, moved = float(weights.sum()), reads + writes, read_bytes + write_bytes
    spread = dispersion(np.where(act.known, act.requests, np.nan), act.seconds)
    return {
        "unknown_intervals": int((~act.known).sum()),
        "iops": ratio(requests, lasted),
        "peak_iops": float(act.requests.max(initial=0.0)),
        "bytes_per_second": ratio(moved, lasted),
        "read_share": ratio(reads, requests),
        "read_share_bytes": ratio(read_bytes, moved),
        "read_share_from": act.split,
        "mean_read_bytes": None if act.same_sizes else ratio(read_bytes, reads),
        "mean_write_bytes": None if act.same_sizes else ratio(write_bytes, writes),
        "mean_bytes": ratio(moved, requests),
        "read_merged_share": merged_share(log, device, "read_merged", act.reads, weights),
        "write_merged_share": merged_share(log, device, "write_merged", act.writes, weights),
        "discards_per_second": mean_of(log, device, "discards", weights),
        "discard_bytes_per_second": mean_of(log, device, "discard_bytes", weights),
        "flushes_per_second": mean_of(log, device, "flushes", weights),
        **_service(log, device, act),
        "dispersion": spread.index if spread.known else None,
        "dispersion_limit": spread.limit if spread.known else None,
        "over_time": _over_time(act),
    }


def _service(log: Log, device: str, act: Activity | None) -> dict[str, Any]:
    weights = np.ones(len(log.seconds)) if act is None else act.weights
    queue = mean_of(log, device, "queue", weights)
    busy = mean_of(log, device, "utilisation", weights)
    found = {
        "mean_queue": queue,
        "peak_queue": _peak(log, device, "queue"),
        "utilisation": busy,
        "peak_utilisation": _peak(log, device, "utilisation"),
        # With one request after another it is 1; far above, requests come in bunches or overlap in
        # the device.
        "queue_while_busy": ratio(queue, busy) if queue is not None and busy else None,
    }
    if act is not None:
        waits = {"read_wait": act.reads, "write_wait": act.writes, "wait": act.requests}
        for name, rate in waits.items():
            found[f"mean_{name}"] = mean_of(log, device, name, weights * rate)
        read_wait, write_wait = found["mean_read_wait"], found["mean_write_wait"]
        if found["mean_wait"] is None and read_wait is not None and write_wait is not None:
            r, w = float((weights * act.reads).sum()), float((weights * act.writes).sum())
            found["mean_wait"] = ratio(r * read_wait + w * write_wait, r + w)
    return found


def _peak(log: Log, device: str, name: str) -> float | None:
    values = log.column(device, name)
    values = values[np.isfinite(values)]
    return float(values.max()) if log.has(device, name) and len(values) else None


def _over_time(act: Activity) -> list[dict[str, float | None]]:
    """Up to 60 stretches of equally many intervals: start, seconds, and mean rates."""
    weights = act.weights
    ends = np.cumsum(np.where(np.isfinite(act.seconds), act.seconds, 1.0))
    found: list[dict[str, float | None]] = []
    for part in np.array_split(np.arange(len(weights)), min(_SHOWN_OVER_TIME, len(weights))):
        lasted = float(weights[part].sum())
        if lasted:
            found.append(
                {
                    "end_seconds": float(ends[part[-1]]),
                    "iops": float(np.sum((act.requests * weights)[part])) / lasted,
                    "read_iops": float(np.sum((act.reads * weights)[part])) / lasted,
                    "write_iops": float(np.sum((act.writes * weights)[part])) / lasted,
                    "bytes_per_second": float(np.sum(((act.read_bytes + act.write_bytes) * weights)[part]))
                    / lasted,
                }
            )
    return found
