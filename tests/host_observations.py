"""What one load host saw, by hand."""

from __future__ import annotations

from iowatt.run.histogram import Histogram
from iowatt.sources.observation import Direction, Interval, Observation

NONE = Direction(0, 0, None)


def seen(start, requests, mean_s, *, edges=(0.0, 10.0, 20.0), **keys):
    """Reads of 8 KiB, so many in each interval, with a mean response time."""
    rows = [
        Interval(start + low, start + high, Direction(count, 8192 * count, mean_s, 2 * mean_s), NONE)
        for count, low, high in zip(requests, edges, edges[1:], strict=False)
    ]
    total = sum(requests)
    ns = round(mean_s * 1e9)
    given = {
        "name": "RR",
        "tool": "fio",
        "version": "fio-3.33",
        "start": rows[0].start,
        "end": rows[-1].end,
        "intervals": rows,
        "read": Histogram.of([ns], [ns], [total]),
        "write": Histogram.of([], [], []),
        "asked_iops": total / 20,
        "totals": (Direction(total, 8192 * total, mean_s, 2 * mean_s, 0.0), NONE),
        "outstanding": 64,
        "busy_percent": 10.0,
        **keys,
    }
    return Observation(**given)
