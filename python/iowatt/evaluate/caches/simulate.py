"""Caches on their own: a trace, policies and sizes in, hit ratios out (schema ``iowatt.cache/1``)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Literal

from iowatt import core
from iowatt.base.errors import Argument, InputError
from iowatt.base.results import Note
from iowatt.base.units import parse_capacity
from iowatt.evaluate.caches.result import CacheComparison, CountsByWay, HitCounts, SimulatedCache, WarmUp
from iowatt.model.cache_policies import Policy
from iowatt.trace.open import of_all_devices, source

MOST_SLOTS = 1 << 31
"""Slots of the largest cache that is simulated."""

_SHARE = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,20})?)\s*%")
_COUNT = re.compile(r"[0-9]{1,10}")


@dataclass(frozen=True)
class CacheSize:
    """One size as it was asked for: ``bytes``, a ``share`` (1 is the whole) or ``slots``."""

    text: str
    bytes: int | None = None
    share: Decimal | None = None
    slots: int | None = None

    def slots_of(self, block: int | None, whole: int) -> int:
        """Blocks (or objects) of a cache of this size, rounded down.

        Raises ``InputError``: it holds none, or more than are simulated.
        """
        if self.slots is not None:
            found = self.slots
        elif self.share is not None:
            found = int(self.share * whole)
        else:
            found = (self.bytes or 0) // (block or 1)
        unit = "object" if block is None else f"block of {block} bytes"
        if found == 0:
            raise InputError("out-of-range", Argument("sizes"), f"{self.text} holds no {unit}")
        if found > MOST_SLOTS:
            message = f"{self.text} is {found} blocks; at most {MOST_SLOTS} are simulated"
            raise InputError("out-of-range", Argument("sizes"), message)
        return found


def parse_size(text: str, *, objects: bool) -> CacheSize:
    """A size as the command line takes it: ``1%``, ``4GiB``; without blocks a number of objects, ``27517``.

    Raises ``InputError``: with what would be accepted.
    """
    text = text.strip()
    if match := _SHARE.fullmatch(text):
        share = Decimal(match[1]) / 100
        if not 0 < share <= 1:
            raise InputError("out-of-range", None, f"{text} is not between 0 and 100 %")
        return CacheSize(text, share=share)
    if objects:
        if _COUNT.fullmatch(text):
            return CacheSize(text, slots=int(text))
        message = (
            f"{text!r} is not accepted; expected a number of objects such as 27517, or a share of those that "
            "are touched such as 1% (bytes need `block=`)"
        )
        raise InputError("bad-syntax", None, message)
    return CacheSize(text, bytes=parse_capacity(text))


Progress = Callable[[float | None, int], None]

Writes = Literal["allocate", "around"]
ShareOf = Literal["footprint", "span"]

FOOTPRINT: Final = "footprint"
SPAN: Final = "span"
MOST_CACHES: Final = 1000


def simulate(
    trace: Mapping[str, Any],
    policies: Sequence[Policy],
    sizes: Sequence[CacheSize],
    *,
    block_bytes: int | None = 4096,
    writes: Writes = "allocate",
    warm_up_requests: int = 0,
    warm_up_s: float = 0.0,
    share_of: ShareOf = FOOTPRINT,
    span_bytes: int | None = None,
    skip_empty: bool = False,
    notes: Sequence[Note] = (),
    progress: Progress | None = None,
) -> CacheComparison:
    """Simulate every policy at every size over a trace (a spec, see `iowatt.trace.open.spec`).

    Requests look up the blocks that they touch one after another; what is missing is there at once. All
    devices are read unless the spec names some, each with blocks of its own. A trace without times is read
    as an order.

    Args:
        sizes: In bytes, which are whole blocks rounded down; or shares, which need a first pass over the
            trace where they are of its footprint.
        block_bytes: Bytes of a block; None: each request is one object, named by its device and first byte.
        writes: ``allocate``: a write that misses enters, as a read does. ``around``: it does not; a hit is a
            use.
        warm_up_requests, warm_up_s: What is not counted at the beginning: so many reads and writes, and those
            before so many seconds.
        share_of: What shares are of: ``footprint``, the blocks (objects) that the trace touches, or ``span``,
            the address space.
        span_bytes: The address space, where it is known; else it ends with the last request's.
        skip_empty: Leave out sizes that hold no block, as far as others do, in place of refusing them.

    Raises ``InputError``: the trace cannot be read, or a size holds no block.
    """
    if not policies or not sizes:
        raise InputError("missing", None, "no cache to simulate; give at least one policy and one size")
    if len(policies) * len(sizes) > MOST_CACHES:
        message = f"{len(policies)} policies x {len(sizes)} sizes; at most {MOST_CACHES} caches are simulated"
        raise InputError("out-of-range", None, message)
    plan: dict[str, Any] = {
        "block_bytes": block_bytes,
        "writes": writes,
        "warm_up": {"requests": warm_up_requests, "time_ns": round(warm_up_s * 1e9)},
        "caches": [],
    }
    whole = _whole(trace, plan, sizes, share_of=share_of, span_bytes=span_bytes, progress=progress)
    slots, fault = [], None
    for size in sizes:
        try:
            slots.append((size, size.slots_of(block_bytes, whole)))
        except InputError as error:
            fault = error
    if fault is not None and not (skip_empty and slots):
        raise fault
    asked = [(policy, size, count) for policy in policies for size, count in slots]
    plan["caches"] = [{"replacement": policy.plan, "slots": count} for policy, _, count in asked]
    found = _run(trace, plan, progress)
    if not found["all"]["requests"]["read"] + found["all"]["requests"]["write"]:
        message = f"all {found['warm_up_requests']:,} requests are in the warm-up; nothing is left to count"
        raise InputError("empty", Argument("warm_up"), message)
    return CacheComparison(
        trace=_name(trace),
        block_bytes=block_bytes,
        writes=writes,
        warm_up=WarmUp(
            requests=warm_up_requests, time_s=warm_up_s, requests_passed=found["warm_up_requests"]
        ),
        requests=_counts(found["all"]["requests"]),
        bytes=_counts(found["all"]["bytes"]),
        references=_counts(found["all"]["references"]),
        other_requests=found["other_requests"],
        footprint=found["footprint"],
        footprint_bytes=None if block_bytes is None else found["footprint"] * block_bytes,
        span_bytes=found["span_bytes"] if span_bytes is None else span_bytes,
        share_of=share_of,
        caches=[
            _cache(policy, size, block_bytes, of, found["all"])
            for (policy, size, _), of in zip(asked, found["caches"], strict=True)
        ],
        notes=[*_notes(found, writes, block_bytes), *notes],
    )


def _whole(
    trace: Mapping[str, Any],
    plan: Mapping[str, Any],
    sizes: Sequence[CacheSize],
    *,
    share_of: str,
    span_bytes: int | None,
    progress: Progress | None,
) -> int:
    """Blocks or objects of the base of shares; 0 where no size is a share."""
    shares = [size for size in sizes if size.share is not None]
    if not shares:
        return 0
    block: int | None = plan["block_bytes"]
    if share_of == SPAN:
        if block is None:
            message = "a share of the span needs blocks; objects have no address space"
            raise InputError("conflict", Argument("sizes"), message)
        if span_bytes is not None:
            return int(span_bytes // block)
    if trace.get("path") == "-":
        text = "a share is known at the trace's end only, and standard input is read once"
        hint = "give the size in bytes, or the trace as a file"
        raise InputError("read-once", Argument("sizes", shares[0].text), text, hint=hint)
    passed = _run(trace, plan, progress)
    if share_of == SPAN:
        return -(-int(passed["span_bytes"]) // (block or 1))
    return int(passed["footprint"])


def _run(trace: Mapping[str, Any], plan: Mapping[str, Any], progress: Progress | None) -> dict[str, Any]:
    spec_json, decoded = source(trace if "synthetic" in trace else of_all_devices(trace))

    def report(fraction: float | None, requests: int) -> None:
        if progress is not None:
            progress(fraction if decoded is None else decoded.progress, requests)

    told = report if progress else None
    return dict(json.loads(core.cache_simulate(decoded, spec_json, json.dumps(plan), told)))


def _name(trace: Mapping[str, Any]) -> str:
    if "synthetic" in trace:
        return f"profile {trace['synthetic']['name']}"
    return str(trace["path"])


def _counts(of: Mapping[str, int]) -> CountsByWay:
    return CountsByWay(all=of["read"] + of["write"], read=of["read"], write=of["write"])


def _cache(
    policy: Policy, size: CacheSize, block: int | None, found: Mapping[str, Any], passed: Mapping[str, Any]
) -> SimulatedCache:
    hits = HitCounts(**{key: _counts(found["hits"][key]) for key in passed})
    ratios = {}
    for way in ("all", "read", "write"):
        prefix = "" if way == "all" else f"{way}_"
        for counts, key, name in (
            (hits.requests, "requests", "hit_ratio"),
            (hits.bytes, "bytes", "hit_bytes_ratio"),
        ):
            total = getattr(_counts(passed[key]), way)
            ratios[prefix + name] = getattr(counts, way) / total if total else None
    return SimulatedCache(
        policy=policy.name,
        parameters=dict(policy.parameters),
        size=size.text,
        size_bytes=None if block is None else found["slots"] * block,
        slots=found["slots"],
        held=found["held"],
        evictions=found["evictions"],
        **ratios,
        hits=hits,
    )


def _notes(found: Mapping[str, Any], writes: Writes, block: int | None) -> list[Note]:
    notes = []
    if found["other_requests"]:
        text = f"{found['other_requests']:,} trims and flushes are not looked up"
        notes.append(Note(code="not-looked-up", text=text))
    if block is None:
        text = "each request is one object, whatever its size; cache sizes are numbers of objects"
        notes.append(Note(code="objects", text=text))
    if writes == "around" and not found["all"]["requests"]["write"]:
        notes.append(Note(code="no-writes", text="there are no writes to go around the caches"))
    short = sum(1 for cache in found["caches"] if cache["held"] < cache["slots"])
    if short:
        text = f"{short} of {len(found['caches'])} caches are larger than what the trace puts into them"
        notes.append(Note(code="never-full", text=text))
    return notes
