"""What a scenario asks for, read from its plan: flows of requests, and the streams they are made of."""

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

#: Requests of a recorded trace that are looked at.
LOOKED_AT: Final = 20_000
#: (bytes, share), shares summing to 1.
Sizes = tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Stream:
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
class Flow:
    """A workload. ``rate`` (1/s) where requests come by themselves, ``outstanding`` where the loop is closed.

    ``variation`` is the squared coefficient of variation of the gaps between arrivals.
    """

    name: str
    volume: int
    streams: tuple[Stream, ...]
    rate: float | None
    outstanding: int | None
    think_s: float
    variation: float
    notes: tuple[str, ...]

    @cached_property
    def read_share(self) -> float:
        """Of its requests."""
        return sum(stream.share * stream.read_share for stream in self.streams)

    @cached_property
    def mean_bytes(self) -> float:
        """Of a request."""
        return sum(
            share * bytes_ * weight
            for stream in self.streams
            for _, share, sizes in stream.parts
            for bytes_, weight in sizes
        )

    def mean_bytes_of(self, write: bool) -> float:
        """Of a request of one direction."""
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


def flows(work: Prepared) -> tuple[Flow, ...]:
    """The workloads of a scenario.

    Raises
    ------
    NotEstimated
        A law of arrivals that is not modelled.
    """
    simulation = work.plan["simulation"]
    return tuple(
        _flow(name, plan, source)
        for name, plan, source in zip(
            work.plan["names"]["workloads"], simulation["workloads"], work.traces, strict=True
        )
    )


def _flow(name: str, plan: Mapping[str, Any], source: Mapping[str, Any]) -> Flow:
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
    return Flow(
        name=name,
        volume=plan["volume"],
        streams=streams,
        rate=None if closed else total,
        outstanding=int(replay["outstanding"]) if closed else None,
        think_s=float(think),
        variation=variation,
        notes=(),
    )


def recorded(name: str, plan: Mapping[str, Any], source: Mapping[str, Any]) -> Flow:
    """A trace by its first requests: their rate, mix, sizes and the range that they touch, at random."""
    replay = plan["replay"]
    if replay["mode"] == "closed" and replay["per"] == "stream":
        raise not_modelled("closed loops for each stream of a trace", f"workload.{name}.replay.per")
    path = Path(str(source["path"]))
    if not path.is_file():
        raise not_modelled("traces that can be read once only", f"workload.{name}.trace.path")
    seen = _seen(json.dumps(source, sort_keys=True, default=str), path.stat().st_mtime_ns)
    closed = replay["mode"] == "closed"
    return Flow(
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
    stream: Stream
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
    stream = Stream(
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


def _stream(plan: Mapping[str, Any], share: float) -> Stream:
    return Stream(
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
