"""Coordinated omission: what a driver that waits for completions left out, and percentiles with it put back.

The correction by the expected interval (Tene, "How NOT to Measure Latency", 2013, as HdrHistogram has it):
where one outstanding request was to be followed by the next after ``I`` and took ``v`` instead, the driver
kept back the requests that were due at ``I``, ``2 I`` ... meanwhile; they would have waited ``v - I``,
``v - 2 I`` ... These are added, down to ``I`` itself. It is a model: that the storage would have served them
all when it served the slow one, and that they would have made nothing slower. It is shown next to the
observed percentiles and never replaces them.

``I`` follows from the rate of the driver, if it had one (requests outstanding over the rate); in a closed
loop without one it is the mean time from one request to the next of the same outstanding one: the mean
response time and the think time, or by Little's law requests outstanding over the rate, which holds
whatever a measured driver did between two requests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from iowatt.base.errors import Argument, InputError
from iowatt.lenses.compare import response
from iowatt.lenses.compare.measurement import ComparedRun, Loop, Side
from iowatt.lenses.compare.request import CompareRequest
from iowatt.lenses.compare.result import Modelled, Omission
from iowatt.run.histogram import PERCENTILES, Histogram
from iowatt.run.record import has_own_arrivals

#: Bins for each doubling of what is added: 0.5 % wide, enough for a model.
PER_OCTAVE: Final = 128


@dataclass(frozen=True)
class Expected:
    """The expected interval of an outstanding request in s, and its source; or why there is none."""

    interval_s: float | None
    source: str


_NOT_NEEDED: Final = {
    "open": "nothing was left out: requests came at their own times",
    "replayed": "requests came at their recorded times, and how late they were is in the Run's notes",
    "recorded": "the loop of the recorded application is not known",
}


def expected(
    loop: Loop, mean_ms: float | None, given_s: float | None, measured_iops: float | None = None
) -> Expected:
    """The expected interval of a Run's loop; ``measured_iops`` is the rate that a load generator reached."""
    interval, text = None, ""
    if not loop.waits:
        text = _NOT_NEEDED.get(loop.kind, "how its requests came is not known")
    elif given_s is not None:
        interval, text = given_s, "as given"
    elif loop.kind == "mixed":
        text = "some of its workloads are open: take one with `workload`"
    elif loop.kind == "rate-limited":
        text = "how many requests its driver keeps outstanding is not known: give `expected_interval`"
        if loop.outstanding is not None and loop.asked_iops:
            interval = loop.outstanding / loop.asked_iops
            text = "requests outstanding over the rate asked for"
    elif loop.outstanding is not None and measured_iops:
        interval, text = loop.outstanding / measured_iops, "requests outstanding over the rate it reached"
    elif mean_ms is None:
        text = "its mean response time is not known"
    else:
        interval, text = mean_ms / 1e3 + loop.think_s, "mean response and think time of its loop"
    return Expected(interval, text)


def described(side: Side, request: CompareRequest) -> Omission:
    """The requests that a side's loops left out: in words, and as modelled percentiles if possible.

    Of all requests, reads and writes together: a loop that waits for one keeps back either.
    """
    found = [(part, _expected(part, request)) for part in side.parts]
    kinds = {part.loop.kind for part in side.parts}
    intervals = [one.interval_s for _, one in found]
    modelled = None
    if request.point == "host" and None not in intervals:
        modelled = _modelled(found, request)
    why = None
    if modelled is None:
        why = "; ".join(dict.fromkeys(one.source for _, one in found if one.interval_s is None))
        why = why or f"at the {request.point} nothing is corrected: what was kept back was at the host"
    known = dict.fromkeys(one.source for _, one in found if one.interval_s is not None)
    return Omission(
        loop=kinds.pop() if len(kinds) == 1 else "mixed",
        said="; ".join(dict.fromkeys(part.loop.said for part in side.parts)),
        waits=any(part.loop.waits for part in side.parts),
        expected_interval_ms=[None if value is None else value * 1e3 for value in intervals],
        interval_from="; ".join(known) or None,
        why_not=why,
        modelled=modelled,
    )


def _expected(part: ComparedRun, request: CompareRequest) -> Expected:
    flow = _flow(part, request)
    # A simulated Run knows its think time, a measured one its rate.
    own = has_own_arrivals(part.summary["source"], part.run.plan)
    rate = None if own else float(flow["throughput"]["iops"])
    return expected(part.loop, flow["response_time_ms"]["all"]["mean"], request.expected_interval_s, rate)


def _flow(part: ComparedRun, request: CompareRequest) -> Any:
    if request.workload is None:
        return part.summary
    return next(one for one in part.summary["workloads"] if one["name"] == request.workload)


def _modelled(found: list[tuple[ComparedRun, Expected]], request: CompareRequest) -> Modelled | None:
    import polars as pl

    parts, observed, longest = [], [], []
    for part, one in found:
        table = part.run.table("latency")
        if request.workload is not None:
            table = table.filter(pl.col("workload") == request.workload)
        seen = Histogram.from_table(table)
        if not seen.total or one.interval_s is None:
            return None
        observed.append(seen)
        parts.append(corrected(seen, one.interval_s))
        longest.append(_flow(part, request)["response_time_ms"]["all"]["max"])
    every, seen = Histogram.merged(parts), Histogram.merged(observed)
    most = None if any(value is None for value in longest) else max(longest)
    return Modelled(
        of="all requests",
        requests=seen.total,
        added=every.total - seen.total,
        observed={name: response.percentile_ms(seen, q, most) for name, q in PERCENTILES.items()},
        corrected={name: response.percentile_ms(every, q, most) for name, q in PERCENTILES.items()},
    )


def corrected(histogram: Histogram, interval_s: float) -> Histogram:
    """A histogram with the requests that were kept back; ``InputError`` where the interval is too short.

    A response in a bin counts as its upper end, as percentiles take it.
    """
    interval = interval_s * 1e9
    slow = histogram.high_ns.astype(np.float64) >= 2 * interval
    if not slow.any():
        return histogram
    value, number = histogram.high_ns[slow].astype(np.float64), histogram.count[slow].astype(np.float64)
    most = np.floor(value / interval) - 1  # v - k I >= I
    if float((most * number).sum()) > 2.0**53:
        raise InputError(
            "out-of-range",
            Argument("expected_interval"),
            f"{interval_s:g} s is too short: it adds more requests than can be counted",
        )
    octaves = np.log2(float(value.max()) / interval)
    steps = max(1, int(np.ceil(octaves * PER_OCTAVE)))
    edges = interval * 2.0 ** (np.arange(steps + 1) / PER_OCTAVE)
    edges[-1] = max(edges[-1], float(value.max()))
    # Added responses up to t are those with k >= (v - t) / I, of k = 1 .. most.
    within = np.zeros(edges.size)
    for at, edge in enumerate(edges):
        least = np.maximum(np.ceil((value - edge) / interval - 1e-9), 1.0)
        within[at] = float((np.clip(most - least + 1, 0, None) * number).sum())
    added = np.diff(within, prepend=0.0).round().astype(np.uint64)
    high = np.floor(edges).astype(np.uint64)
    low = np.concatenate([[max(1, int(high[0]))], high[:-1] + np.uint64(1)]).astype(np.uint64)
    return Histogram.merged([histogram, Histogram.of(np.minimum(low, high), high, added)])
