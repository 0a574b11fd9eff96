"""The load of a scenario, read from its plan: flows of requests, their streams, and where these fall.

The address laws are those of crates/iowatt-workload/src/access, each as bands of bytes that are asked for
alike; the hot band's curve is the table of ``sources/export/zones.py`` (vdbench 5.04.06). A band may be
scattered over its range (the extents of Zipf's and the skew law lie in random order)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from iowatt.evaluate.estimate.unknown import not_modelled
from iowatt.evaluate.evaluation import Prepared
from iowatt.sources.export import hot_band_curve

#: Requests of a recorded trace that are examined.
LOOKED_AT: Final = 20_000
#: (bytes, share), shares summing to 1.
Sizes = tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class RequestStream:
    """Like requests of a workload: ``share`` of its requests, in bytes ``start`` to ``end`` of its volume."""

    share: float
    read_share: float
    read_sizes: Sizes
    write_sizes: Sizes
    start: int
    end: int
    access: Mapping[str, Any] = field(hash=False)

    @property
    def parts(self) -> tuple[tuple[bool, float, Sizes], ...]:
        """(is a write, share of the workload's requests, sizes), without what does not occur."""
        both = (
            (False, self.share * self.read_share, self.read_sizes),
            (True, self.share * (1 - self.read_share), self.write_sizes),
        )
        return tuple(part for part in both if part[1] > 0)


@dataclass(frozen=True)
class EstimatedWorkload:
    """A workload. ``rate`` (1/s) where requests come by themselves, ``outstanding`` where the loop is closed.

    ``variation`` is the squared coefficient of variation of the gaps between arrivals.
    """

    name: str
    volume: int
    streams: tuple[RequestStream, ...]
    rate: float | None
    outstanding: int | None
    think_s: float
    variation: float
    notes: tuple[str, ...]

    @cached_property
    def read_share(self) -> float:
        """Share of reads in its requests."""
        return sum(stream.share * stream.read_share for stream in self.streams)

    @cached_property
    def mean_bytes(self) -> float:
        """Mean bytes of a request."""
        return sum(
            share * bytes_ * weight
            for stream in self.streams
            for _, share, sizes in stream.parts
            for bytes_, weight in sizes
        )

    def mean_bytes_of(self, write: bool) -> float:
        """Mean bytes of a request of one direction."""
        return self._of_write if write else self._of_read

    @cached_property
    def _of_write(self) -> float:
        return _mean([part for stream in self.streams for part in stream.parts if part[0]])

    @cached_property
    def _of_read(self) -> float:
        return _mean([part for stream in self.streams for part in stream.parts if not part[0]])


def _mean(parts: Sequence[tuple[bool, float, Sizes]]) -> float:
    total = sum(share for _, share, _ in parts)
    if not total:
        return 0.0
    return sum(share * bytes_ * weight for _, share, sizes in parts for bytes_, weight in sizes) / total


def flows(work: Prepared) -> tuple[EstimatedWorkload, ...]:
    """The workloads of a scenario.

    Raises ``NotEstimated``: a law of arrivals that is not modelled.
    """
    simulation = work.plan["simulation"]
    return tuple(
        _flow(name, plan, source)
        for name, plan, source in zip(
            work.plan["names"]["workloads"], simulation["workloads"], work.traces, strict=True
        )
    )


def _flow(name: str, plan: Mapping[str, Any], source: Mapping[str, Any]) -> EstimatedWorkload:
    replay = plan["replay"]
    if "synthetic" not in source:
        return recorded(name, plan, source)
    made = source["synthetic"]
    closed = replay["mode"] == "closed"
    if closed and replay["per"] == "stream":
        raise not_modelled("closed loops for each stream of a trace", f"workload.{name}.replay.per")
    rates: dict[int, float] = {}
    variation, total = 1.0, 0.0
    for process in made["processes"]:
        law = process["law"]
        rate = float(law.get("rate") or 1.0)
        if not closed:
            variation = _variation(name, process)
            rate *= replay.get("speed", 1.0)
        weights = sum(member["weight"] for member in process["members"])
        for member in process["members"]:
            of_member = rate * member["weight"] / weights
            rates[member["stream"]] = rates.get(member["stream"], 0.0) + of_member
        total += rate
    if not closed and (made["envelopes"] or made["phases"]):
        raise not_modelled("rates that change with time", f"workload.{name}.profile")
    streams = tuple(
        _stream(made["streams"][at], rate / total) for at, rate in sorted(rates.items()) if rate > 0
    )
    think = (replay.get("think") or {}).get("mean_s", 0.0) if closed else 0.0
    return EstimatedWorkload(
        name=name,
        volume=plan["volume"],
        streams=streams,
        rate=None if closed else total,
        outstanding=int(replay["outstanding"]) if closed else None,
        think_s=float(think),
        variation=variation,
        notes=(),
    )


def recorded(name: str, plan: Mapping[str, Any], source: Mapping[str, Any]) -> EstimatedWorkload:
    """A trace by its first requests: their rate, mix, sizes and the range that they touch, at random."""
    replay = plan["replay"]
    if replay["mode"] == "closed" and replay["per"] == "stream":
        raise not_modelled("closed loops for each stream of a trace", f"workload.{name}.replay.per")
    path = Path(str(source["path"]))
    if not path.is_file():
        raise not_modelled("traces that can be read once only", f"workload.{name}.trace.path")
    seen = _seen(json.dumps(source, sort_keys=True, default=str), path.stat().st_mtime_ns)
    closed = replay["mode"] == "closed"
    return EstimatedWorkload(
        name=name,
        volume=plan["volume"],
        streams=(seen.stream,),
        rate=None if closed else seen.rate * replay.get("speed", 1.0),
        outstanding=int(replay["outstanding"]) if closed else None,
        think_s=float((replay.get("think") or {}).get("mean_s", 0.0)) if closed else 0.0,
        variation=1.0,
        notes=(
            f"workload {name}: the rate, mix and sizes of the first {seen.count} requests, at random places "
            "and times",
        ),
    )


@dataclass(frozen=True)
class _Seen:
    stream: RequestStream
    rate: float
    count: int


@lru_cache(maxsize=64)
def _seen(spec: str, changed_ns: int) -> _Seen:  # a file that has changed is read anew
    from iowatt.trace.open import requests  # loads Polars and the extension

    times, sizes, writes, offsets, count = [], [], [], [], 0
    for batch in requests(json.loads(spec)):
        times.append(batch["time_ns"])
        sizes.append(batch["size"])
        writes.append(batch["op"] == 1)
        offsets.append(batch["offset"])
        count += len(batch["size"])
        if count >= LOOKED_AT:
            break
    if count < 2:
        raise not_modelled("traces of fewer than two requests", "workload.trace")
    size, write = np.concatenate(sizes)[:LOOKED_AT], np.concatenate(writes)[:LOOKED_AT]
    offset, time = np.concatenate(offsets)[:LOOKED_AT], np.concatenate(times)[:LOOKED_AT]
    span_s = max(1e-9, float(time[-1] - time[0]) / 1e9)
    stream = RequestStream(
        share=1.0,
        read_share=float(1 - write.mean()),
        read_sizes=_shares(size[~write]),
        write_sizes=_shares(size[write]),
        start=int(offset.min()),
        end=int((offset + size).max()),
        access={"pattern": "recorded", "align_bytes": None},
    )
    return _Seen(stream, (len(size) - 1) / span_s, len(size))


def _shares(sizes: np.ndarray[Any, Any]) -> Sizes:
    """The mix of sizes, rarer ones joined with their neighbours."""
    if not len(sizes):
        return ()
    cuts = np.unique(np.quantile(sizes, np.linspace(0, 1, 9), method="higher"))
    at = np.searchsorted(cuts, sizes)
    found = (
        (round(float(sizes[at == group].mean())), float((at == group).mean())) for group in np.unique(at)
    )
    return tuple((max(512, size), share) for size, share in found)


def _variation(name: str, process: Mapping[str, Any]) -> float:
    law = process["law"]
    if process["modulation"] is not None:
        raise not_modelled("modulated rates", f"workload.{name}.profile")
    kind = law["law"]
    if kind == "poisson":
        return 1.0
    if kind == "constant":
        return 0.0
    raise not_modelled(f"arrivals by the law {kind!r}", f"workload.{name}.profile")


def _stream(plan: Mapping[str, Any], share: float) -> RequestStream:
    return RequestStream(
        share=share,
        read_share=float(plan["read_fraction"]),
        read_sizes=_sizes(plan["read_sizes"]),
        write_sizes=_sizes(plan["write_sizes"]),
        start=int(plan["start_bytes"]),
        end=int(plan["end_bytes"]),
        access={**plan["access"], "align_bytes": plan["align_bytes"]},
    )


def _sizes(plan: list[Mapping[str, Any]]) -> Sizes:
    total = math.fsum(size["weight"] for size in plan)
    return tuple((int(size["bytes"]), size["weight"] / total) for size in plan) if total else ()


#: Growth from one band of Zipf's or the skew law to the next; coarser bands miss hits.
_GROWTH: Final = 1.25
_PATTERNS: Final = ("uniform", "hot-band", "zipf", "skew")


@dataclass(frozen=True)
class Band:
    """``bytes`` of a volume that ``share`` of the requests go to, all alike, somewhere from ``first`` to
    ``last``."""

    first: int
    last: int
    bytes: float
    share: float


def is_banded(stream: RequestStream) -> bool:
    """Whether bands can express the address law; sequences and laws of reuse they cannot."""
    return stream.access["pattern"] in _PATTERNS


def bands(stream: RequestStream, *, write: bool) -> tuple[Band, ...]:
    """The bands of a stream that ``is_banded``; the shares add up to 1."""
    access = stream.access
    numbers = (
        float(access.get("exponent", 0)),
        float(access.get("k", 0)),
        int(access.get("extent_bytes", 0)),
    )
    order = str(access.get("order", "scattered"))
    return _bands(access["pattern"], numbers, order, (stream.start, stream.end), write=write)


@lru_cache(maxsize=4096)
def _bands(
    pattern: str, numbers: tuple[float, float, int], order: str, span: tuple[int, int], *, write: bool
) -> tuple[Band, ...]:
    start, end = span
    length = end - start
    if pattern == "uniform":
        return (Band(start, end, float(length), 1.0),)
    if pattern == "hot-band":
        return _hot(start, end, write)
    exponent, k, extent = numbers
    extents = max(1, length // max(extent, 1))
    cuts = _cuts(extents)
    if pattern == "skew":
        held = 1 - (1 - cuts / extents) ** k
    else:
        held = np.array([_harmonic(cut, exponent) for cut in cuts])
        held /= held[-1]
    found, below, share = [], 0.0, 0.0
    for cut, until in zip(cuts, held, strict=True):
        size = (cut - below) * length / extents
        first = start + int(below * length / extents) if order == "ascending" else start
        last = int(first + size) if order == "ascending" else end
        found.append(Band(first, last, size, float(until - share)))
        below, share = float(cut), float(until)
    return tuple(found)


def _cuts(extents: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    cuts = [1.0]
    while cuts[-1] * _GROWTH < extents:
        cuts.append(max(cuts[-1] + 1, round(cuts[-1] * _GROWTH)))
    return np.array([*(cut for cut in cuts if cut < extents), float(extents)])


def _harmonic(number: float, exponent: float) -> float:
    """Sum of i^-s up to a number; beyond 1000 by the midpoint rule."""
    whole = int(min(number, 1000))
    ranks = np.arange(1, whole + 1, dtype=float)
    total = float((ranks**-exponent).sum())
    if number > whole:
        low, high = whole + 0.5, number + 0.5
        if abs(exponent - 1) < 1e-9:
            return total + float(np.log(high / low))
        total += (high ** (1 - exponent) - low ** (1 - exponent)) / (1 - exponent)
    return total


def _hot(start: int, end: int, write: bool) -> tuple[Band, ...]:
    """The curve's segments, wrapped into the band; writes go a hundredth of it further."""
    length, shift = end - start, (end - start) // 100 if write else 0
    found: list[Band] = []
    left, below, everywhere = 0.0, 0.0, 0.0

    def put(first: float, last: float, share: float) -> None:
        at = start + int((first + shift) % length)
        found.append(Band(at, min(end, int(at + last - first)), last - first, share))

    for right, held in hot_band_curve():
        share = held - below
        if right <= length:
            put(left, right, share)
        elif left >= length:
            everywhere += share
        else:
            within = (length - left) / (right - left)
            put(left, length, share * within)
            over = right - length
            if over >= length:
                everywhere += share * (1 - within)
            else:
                put(0.0, over, share * (1 - within))
        left, below = right, held
    if everywhere:
        found.append(Band(start, end, float(length), everywhere))
    return tuple(found)
