"""Requests of an observation as the flow of a Run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from iowatt.run.histogram import Histogram
from iowatt.run.record import Completions, Flow, Moments
from iowatt.sources.measured.spans import Span
from iowatt.sources.observation import Direction, Interval, Observation

NS_PER_S = 1e9
#: Batches that a trace is cut into, and how many times the requests of one another may hold.
_BATCHES = 32
_EVEN = 1.5


def flow(spans: Sequence[Span], observation: Observation | None) -> Flow:
    """All requests of the spans. What arrived is what completed: a load generator counts completions.

    Requests in flight follow from Little's law: completions per second times mean response time.
    """
    reads = [part.read for span in spans for part in span.parts]
    writes = [part.write for span in spans for part in span.parts]
    every = [part for span in spans for part in together(span.parts)]
    seconds = spans[-1].end - spans[0].start if spans else 0.0
    read_ns = None if observation is None else observation.read
    write_ns = None if observation is None else observation.write
    both = [h for h in (read_ns, write_ns) if h is not None]
    # A load generator keeps a rate, a trace has the one that it has.
    batches = _even_batches if observation is not None and observation.tool == "trace" else _batches
    response = {
        "all": _moments(every, Histogram.merged(both), batches(spans, ("read", "write"))),
        "read": _moments(reads, read_ns, batches(spans, ("read",))),
        "write": _moments(writes, write_ns, batches(spans, ("write",))),
    }
    counts = [sum(d.requests for d in some) for some in (reads, writes)]
    moved = [sum(d.bytes for d in some) for some in (reads, writes)]
    done = sum(counts)
    return Flow(
        arrived=done,
        completed=done,
        in_flight_at_end=0,
        reads=counts[0],
        writes=counts[1],
        bytes_read=moved[0],
        bytes_written=moved[1],
        completions=Completions(done, moved[0], moved[1]),
        in_flight_mean=done * response["all"].mean_s / seconds if seconds > 0 else 0.0,
        response=response,
        errors=0 if observation is None else observation.errors,
    )


def together(parts: Iterable[Interval]) -> list[Direction]:
    """All requests of intervals: both directions in one where the tool says so, else each.

    vdbench 5.02 has means, and versions before 5.04.07 maxima and deviations, of both together only.
    """
    return [one for part in parts for one in ((part.read, part.write) if part.both is None else (part.both,))]


def mean_s(parts: Iterable[Direction]) -> float | None:
    """Mean response time over parts, weighted by their requests; None without any that say it."""
    known = [(d.known, d.response_mean_s) for d in parts if d.known and d.response_mean_s is not None]
    count = sum(requests for requests, _ in known)
    return math.fsum(requests * mean for requests, mean in known) / count if count else None


def _moments(parts: Sequence[Direction], histogram: Histogram | None, batches: Sequence[float]) -> Moments:
    """Mean from the intervals; spread and extreme from them where they say it, else from the bins."""
    count = sum(d.known for d in parts)
    mean = mean_s(parts)
    if not count or mean is None:
        return Moments(count=0, mean_s=0.0, std_s=0.0, max_s=0.0)
    return Moments(
        count=count,
        mean_s=mean,
        std_s=_std_s(parts, mean, histogram),
        max_s=_max_s(parts, histogram),
        batch_means_s=batches,
    )


def _batches(spans: Sequence[Span], ops: Sequence[str]) -> list[float]:
    """Means of whole spans as batch means: at a steady rate they are of nearly equal count."""
    if not spans:
        return []
    width = max(span.seconds for span in spans)
    whole = [span for span in spans if span.seconds > 0.95 * width]
    means = [
        mean_s(together(span.parts) if len(ops) > 1 else [getattr(part, ops[0]) for part in span.parts])
        for span in whole
    ]
    return [mean for mean in means if mean is not None]


def _even_batches(spans: Sequence[Span], ops: Sequence[str]) -> list[float]:
    """Means of neighbouring spans with about as many requests each; none where a span holds too many."""
    parts = [[getattr(part, op) for part in span.parts for op in ops] for span in spans]
    counts = [sum(d.known for d in some) for some in parts]
    least = -(-sum(counts) // _BATCHES)
    groups: list[list[Direction]] = [[]]
    held = [0]
    for some, count in zip(parts, counts, strict=True):
        if held[-1] >= least:
            groups.append([])
            held.append(0)
        groups[-1] += some
        held[-1] += count
    if held[-1] < least:
        groups, held = groups[:-1], held[:-1]
    if not held or max(held) > _EVEN * min(held):
        return []
    return [mean for mean in (mean_s(group) for group in groups) if mean is not None]


def _std_s(parts: Sequence[Direction], mean: float, histogram: Histogram | None) -> float | None:
    known = [d for d in parts if d.known and d.response_mean_s is not None]
    if known and all(d.response_std_s is not None for d in known):
        # Law of total variance over the intervals.
        count = sum(d.known for d in known)
        spread = math.fsum(
            d.known * ((d.response_std_s or 0.0) ** 2 + ((d.response_mean_s or 0.0) - mean) ** 2)
            for d in known
        )
        return math.sqrt(spread / count)
    if histogram is None or not histogram.total:
        return None
    middle = (histogram.low_ns.astype(np.float64) + histogram.high_ns.astype(np.float64)) / 2 / NS_PER_S
    return math.sqrt(float(np.average((middle - mean) ** 2, weights=histogram.count.astype(np.float64))))


def _max_s(parts: Sequence[Direction], histogram: Histogram | None) -> float | None:
    known = [d.response_max_s for d in parts if d.response_max_s is not None]
    if known:
        return max(known)
    if histogram is not None and histogram.total:
        return float(histogram.high_ns[-1]) / NS_PER_S
    return None
