"""The intervals of a measured Run, and the requests of an observation as the flow of a Run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from iowatt.base.errors import InputError
from iowatt.run.histogram import Histogram
from iowatt.run.record import Completions, RequestFlow, ResponseMoments
from iowatt.sources.observation import Direction, Interval, Observation

_SLACK = 0.05
"""Share of an interval by which the generator's clock may be off its nominal width."""


@dataclass(frozen=True)
class RunSpan:
    """An interval of the Run and what the load generator counted in it; nothing while storage rests."""

    start: float
    end: float
    parts: Sequence[Interval] = ()

    @property
    def seconds(self) -> float:
        """Its length."""
        return self.end - self.start


def rest_spans(start: float, end: float, interval_s: float) -> list[RunSpan]:
    """Intervals of ``interval_s`` from ``start``; the last one may be shorter.

    A leftover of a few percent of an interval belongs to the one before: a rest of two hours never lasts
    them to the microsecond.
    """
    count = max(1, math.ceil((end - start) / interval_s - _SLACK))
    edges = [start + number * interval_s for number in range(count)] + [end]
    return [RunSpan(a, b) for a, b in pairwise(edges)]


def load_spans(observation: Observation, interval_s: float) -> list[RunSpan]:
    """The counted intervals of an observation, joined to ``interval_s`` each; the last may be shorter.

    Raises ``InputError``: it has none, they are out of order or leave gaps, or they are longer than
    ``interval_s``.
    """
    parts = [part for part in observation.intervals if part.counted]
    where = str(observation.files[0]) if observation.files else observation.name
    if not parts:
        raise InputError("empty", where, "the load generator recorded no interval that counts")
    for before, after in pairwise(parts):
        gap = after.start - before.end
        if abs(gap) > _SLACK * max(before.end - before.start, 1.0):
            word = "overlap by" if gap < 0 else "leave out"
            message = (
                f"the intervals of {observation.name} {word} {abs(gap):.3g} s at "
                f"{before.end - observation.start:.0f} s of the run"
            )
            raise InputError("out-of-order" if gap < 0 else "damaged", where, message)
    width = parts[0].end - parts[0].start
    if width <= 0 or interval_s <= 0:
        raise InputError("damaged", where, "the load generator's intervals have no length")
    if width > interval_s * (1 + _SLACK):
        message = (
            f"the load generator's intervals last {width:.4g} s, longer than the {interval_s:g} s asked for"
        )
        hint = "ask for its interval, or run it again with a shorter one"
        raise InputError("not-comparable", where, message, hint=hint)
    first = parts[0].start
    groups: dict[int, list[Interval]] = {}
    for part in parts:
        middle = (part.start + part.end) / 2
        groups.setdefault(int((middle - first) // interval_s), []).append(part)
    found = [RunSpan(group[0].start, group[-1].end, group) for group in groups.values()]
    if len(found) > 1 and found[-1].seconds < _SLACK * interval_s:
        # The generator's last window is a leftover of milliseconds: it belongs to the interval before.
        return join_last(found)
    return found


def join_last(spans: Sequence[RunSpan]) -> list[RunSpan]:
    """The spans with the last one as part of the one before it."""
    *first, before, last = spans
    return [*first, RunSpan(before.start, last.end, [*before.parts, *last.parts])]


NS_PER_S = 1e9
#: Most batches of a Run's requests: as the simulator has.
_MOST_BATCHES = 63


def flow(spans: Sequence[RunSpan], observation: Observation | None) -> RequestFlow:
    """All requests of the spans. What arrived is what completed: a load generator counts completions.

    Requests in flight follow from Little's law: completions per second times mean response time.
    """
    reads = [part.read for span in spans for part in span.parts]
    writes = [part.write for span in spans for part in span.parts]
    every = [part for span in spans for part in both_directions(span.parts)]
    seconds = spans[-1].end - spans[0].start if spans else 0.0
    read_ns = None if observation is None else observation.read
    write_ns = None if observation is None else observation.write
    both = [h for h in (read_ns, write_ns) if h is not None]
    said = _tool_totals(observation)
    by_span = [both_directions(span.parts) for span in spans]
    response = {
        "all": _moments(every, Histogram.merged(both), said["all"], _batches(by_span)),
        "read": _moments(reads, read_ns, said["read"], _batches([[p.read for p in s.parts] for s in spans])),
        "write": _moments(
            writes, write_ns, said["write"], _batches([[p.write for p in s.parts] for s in spans])
        ),
    }
    counts = [sum(d.requests for d in some) for some in (reads, writes)]
    moved = [sum(d.bytes for d in some) for some in (reads, writes)]
    done = sum(counts)
    return RequestFlow(
        arrived=done,
        completed=done,
        in_flight_at_end=0,
        reads=counts[0],
        writes=counts[1],
        bytes_read=moved[0],
        bytes_written=moved[1],
        completions=Completions(done, moved[0], moved[1]),
        in_flight_mean=_in_flight(done, response["all"], seconds),
        response=response,
        errors=0 if observation is None else observation.errors,
    )


def _in_flight(done: int, response: ResponseMoments, seconds: float) -> float | None:
    """Requests in flight by Little's law; None where there were some, and no response time is known."""
    if not done or seconds <= 0:
        return 0.0
    return done * response.mean_s / seconds if response.count else None


def both_directions(parts: Iterable[Interval]) -> list[Direction]:
    """All requests of intervals: both directions in one where the tool says so, else each.

    vdbench 5.02 has means, and versions before 5.04.07 maxima and deviations, of both together only.
    """
    return [one for part in parts for one in ((part.read, part.write) if part.both is None else (part.both,))]


def mean_s(parts: Iterable[Direction]) -> float | None:
    """Mean response time over parts, weighted by their requests; None without any that say it."""
    known = [(d.known, d.response_mean_s) for d in parts if d.known and d.response_mean_s is not None]
    count = sum(requests for requests, _ in known)
    return math.fsum(requests * mean for requests, mean in known) / count if count else None


def _tool_totals(observation: Observation | None) -> dict[str, Direction | None]:
    """What the tool says of all requests, of both directions and of each; None where it does not."""
    if observation is None or observation.totals is None:
        return dict.fromkeys(("all", "read", "write"))
    read, write = observation.totals
    return {"all": observation.total or _pooled(read, write), "read": read, "write": write}


def _pooled(read: Direction, write: Direction) -> Direction | None:
    """Both directions in one; its spread and extreme are known where those of both are."""
    parts = [part for part in (read, write) if part.known]
    if not parts or any(part.response_mean_s is None for part in parts):
        return None
    mean = mean_s(parts)
    known = mean is not None and all(part.response_std_s is not None for part in parts)
    extremes = [part.response_max_s for part in parts if part.response_max_s is not None]
    return Direction(
        requests=read.requests + write.requests,
        bytes=read.bytes + write.bytes,
        response_mean_s=mean,
        response_max_s=max(extremes) if len(extremes) == len(parts) else None,
        response_std_s=_std_s(parts, mean, None) if known and mean is not None else None,
        timed=sum(part.known for part in parts),
    )


def _moments(
    parts: Sequence[Direction],
    histogram: Histogram | None,
    said: Direction | None,
    batches: Sequence[tuple[int, float]],
) -> ResponseMoments:
    """Moments from the intervals, else from what the tool says of all, or its bins, where these are of the
    same requests: figures that hold the warm-up too are none of the window.
    """
    requests = sum(d.requests for d in parts)
    if said is not None and said.requests != requests:
        said = None
    count, mean = sum(d.known for d in parts), mean_s(parts)
    if mean is None and said is not None:
        count, mean = said.known, said.response_mean_s
    if not count or mean is None:
        return ResponseMoments(count=0, mean_s=0.0, std_s=0.0, max_s=0.0)
    if histogram is not None and histogram.total != count:
        histogram = None
    std_s, max_s = _std_s(parts, mean, None), _max_s(parts, None)
    if said is not None:
        std_s = said.response_std_s if std_s is None else std_s
        max_s = said.response_max_s if max_s is None else max_s
    return ResponseMoments(
        count=count,
        mean_s=mean,
        std_s=_std_s(parts, mean, histogram) if std_s is None else std_s,
        max_s=_max_s(parts, histogram) if max_s is None else max_s,
        batch_means_s=[mean for _, mean in batches],
        batch_requests=[requests for requests, _ in batches],
    )


def _batches(spans: Sequence[Sequence[Direction]]) -> list[tuple[int, float]]:
    """Requests and means of neighbouring spans, joined until each batch has its share of all requests."""
    timed = [[d for d in span if d.known and d.response_mean_s is not None] for span in spans]
    share = sum(d.known for span in timed for d in span) / _MOST_BATCHES
    found: list[tuple[int, float]] = []
    group: list[Direction] = []
    for number, span in enumerate(timed, 1):
        group += span
        count = sum(d.known for d in group)
        if count and (count >= share or number == len(timed)):
            found.append((count, mean_s(group) or 0.0))
            group = []
    return found


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
