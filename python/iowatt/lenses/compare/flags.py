"""Differences between two sides besides the change in question: a reader must know them first."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from iowatt.base.results import Note
from iowatt.lenses.compare.measurement import ComparedRun, Side
from iowatt.lenses.compare.request import CompareRequest
from iowatt.lenses.compare.result import Flag
from iowatt.lenses.kept_up import kept_up
from iowatt.run.record import MODELLED, observed_how

#: Relative differences of windows, sizes and rates from which they are flagged; of the read share in points.
WINDOW: Final = 0.01
SIZE: Final = 0.01
RATE: Final = 0.02
READS: Final = 0.01
#: The same of sizes, and of read shares in points, from which requests are others altogether.
UNLIKE: Final = 0.05
#: Keys of a source that do not say where requests come from: seeds, and what the volume and loop imply.
_NO_SOURCE: Final = frozenset({"seed", "limit_bytes", "limit_name", "order_only"})


def flags(before: Side, after: Side, request: CompareRequest) -> list[Flag]:
    """What makes the sides hard to compare: a key, a sentence, and whether it withholds every verdict."""
    sides = (before, after)
    found = [
        ("source", _sources(sides)),
        ("loop", _loops(sides)),
        ("workload", _workloads(sides, request)),
        ("window", _windows(sides)),
        ("size", _sizes(sides)),
        ("reads", _reads(sides)),
        ("rate", _rates(sides)),
        ("power", _power(sides)),
        *(("overload", text) for side in sides for text in _overload(side)),
        *(("trace", text) for side in sides for text in _trace_warnings(side)),
        *(("group", _group(side)) for side in sides),
    ]
    withholding = {"overload", *_unrelated(sides, request)}
    return [Flag(key=key, text=text, withholds=key in withholding) for key, text in found if text]


def _unrelated(sides: Sequence[Side], request: CompareRequest) -> Iterator[str]:
    """Keys of flags where both the requests and the system differ, so that neither explains a difference.

    On one simulated system, other requests are the change in question.
    """
    parts = _parts(sides)
    if _one_system(parts):
        return
    if len({any(part.loop.waits for part in side.parts) for side in sides}) > 1:
        yield "loop"
    keys = ("count", "reads", "bytes_read", "bytes_written")
    counted = {tuple(part.summary["requests"][key] for key in keys) for part in parts}
    # Copies of one trace make the same requests.
    if _workloads(sides, request) and len(counted) > 1:
        yield "workload"
    sizes, shares = _both(sides, _size), _both(sides, _read_share)
    if sizes and _apart(*sizes) > UNLIKE:
        yield "size"
    if shares and abs(shares[0] - shares[1]) > UNLIKE:
        yield "reads"


def _parts(sides: Sequence[Side]) -> list[ComparedRun]:
    return [part for side in sides for part in side.parts]


def _both(sides: Sequence[Side], figure: Callable[[Side], float | None]) -> tuple[float, float] | None:
    """A figure of both sides; None where one does not have it."""
    before, after = (figure(side) for side in sides)
    return None if before is None or after is None else (before, after)


def _one_system(parts: Sequence[ComparedRun]) -> bool:
    """Whether all Runs are of one simulated system, observed in one way, whatever their workload."""
    plans = [part.run.plan.get("simulation") for part in parts]
    if len({part.summary["source"] for part in parts}) > 1:
        return False  # one simulated, the other live: the difference is that of two methods
    left_out = ("seed", "workloads", "observe")
    kept = [{key: value for key, value in (plan or {}).items() if key not in left_out} for plan in plans]
    return all(plans) and len({_as_key(plan) for plan in kept}) == 1


def _as_key(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _simulated(part: ComparedRun) -> bool:
    return part.summary["source"] in MODELLED


def _sources(sides: Sequence[Side]) -> str | None:
    before, after = (sorted({observed_how(part.summary["source"]) for part in side.parts}) for side in sides)
    if before == after:
        return None
    return (
        f"before is {' and '.join(before)}, after is {' and '.join(after)}: differences include model error"
    )


def _loops(sides: Sequence[Side]) -> str | None:
    before, after = (sorted({part.loop.kind for part in side.parts}) for side in sides)
    if before != after:
        return (
            f"different loops: {' and '.join(before)} before, {' and '.join(after)} after. A closed loop "
            "asks less of slow storage, so its response times are not comparable with those of an open one"
        )
    slots = [sorted({part.loop.outstanding or 0 for part in side.parts}) for side in sides]
    if "closed" in before and slots[0] != slots[1] and 0 not in (*slots[0], *slots[1]):
        return f"different loops: {slots[0]} requests outstanding before, {slots[1]} after"
    return None


def _work(plan: Mapping[str, Any], workload: str | None) -> str:
    """Where the requests of a plan come from, without keys that name a reader's limits."""
    names = plan.get("names", {}).get("workloads", [])
    named = zip(names, _plan_sources(plan), strict=False)
    return _as_key([[name, source] for name, source in named if workload in (None, name)])


def _plan_sources(plan: Mapping[str, Any]) -> list[Any]:
    return [_without(source, _NO_SOURCE) for source in plan.get("sources", [])]


def _without(value: Any, keys: frozenset[str]) -> Any:
    """Nested tables without some keys."""
    if isinstance(value, Mapping):
        return {key: _without(part, keys) for key, part in value.items() if key not in keys}
    return [_without(part, keys) for part in value] if isinstance(value, list) else value


def _workloads(sides: Sequence[Side], request: CompareRequest) -> str | None:
    before, after = (
        {_work(part.run.plan, request.workload) for part in side.parts if part.run.plan.get("sources")}
        for side in sides
    )
    if not before or not after or before == after:
        return None
    names = [
        ", ".join(sorted({one["name"] for part in side.parts for one in part.summary["workloads"]}))
        for side in sides
    ]
    shown = f"{names[0]} before, {names[1]} after"
    if names[0] == names[1]:
        shown = "their traces, profiles or how these are read"
    return f"different workloads ({shown}): they explain part of the differences"


def _apart(one: float, other: float) -> float:
    largest = max(abs(one), abs(other))
    return abs(one - other) / largest if largest else 0.0


def _windows(sides: Sequence[Side]) -> str | None:
    before, after = (math.fsum(part.window_s for part in side.parts) / len(side.parts) for side in sides)
    if _apart(before, after) <= WINDOW:
        return None
    return (
        f"windows of different length: {before:,.6g} s before, {after:,.6g} s after: the longer one catches "
        "more rare events"
    )


def _sum(side: Side, *keys: str) -> int:
    return sum(part.summary["requests"][key] for part in side.parts for key in keys)


def _size(side: Side) -> float | None:
    done = _sum(side, "completed")
    return _sum(side, "bytes_read", "bytes_written") / done if done else None


def _sizes(sides: Sequence[Side]) -> str | None:
    sizes = _both(sides, _size)
    if sizes is None or _apart(*sizes) <= SIZE:
        return None
    return f"requests of different size: mean {sizes[0]:,.6g} B before, {sizes[1]:,.6g} B after"


def _read_share(side: Side) -> float | None:
    total = _sum(side, "reads", "writes")
    return _sum(side, "reads") / total if total else None


def _reads(sides: Sequence[Side]) -> str | None:
    shares = _both(sides, _read_share)
    if shares is None or abs(shares[0] - shares[1]) <= READS:
        return None
    return f"different read shares: {100 * shares[0]:.1f} % before, {100 * shares[1]:.1f} % after"


def _rates(sides: Sequence[Side]) -> str | None:
    if any(part.loop.kind == "closed" for part in _parts(sides)):
        return None  # what a closed loop reaches is a result
    before, after = (_sum(side, "count") / side.window_s for side in sides)
    if _apart(before, after) <= RATE:
        return None
    return f"different load: {before:,.6g} requests/s before, {after:,.6g} after"


def _power(sides: Sequence[Side]) -> str | None:
    before, after = ({part.at_wall for part in side.parts if part.joules is not None} for side in sides)
    if not before or not after or before == after:
        return None
    return "power is at the wall on one side and of the drives only on the other: not comparable"


def _overload(side: Side) -> Iterator[str]:
    """Runs that did not keep up: their response times depend on their length."""
    for part in side.parts:
        found = kept_up(part.run)
        if not found.kept_up:
            yield (
                f"{part.label} is overloaded: {found.why}; its response times grow with the length of the "
                "run, and its power is for less work than offered"
            )


def _trace_warnings(side: Side) -> Iterator[str]:
    """Warnings of the readers of its traces."""
    for part in side.parts:
        for workload in part.summary["workloads"]:
            for text in (workload["trace"] or {}).get("warnings", []):
                yield f"{part.label}: workload {workload['name']}: {text}"


def _group(side: Side) -> str | None:
    """Runs of one side that do not repeat one another."""
    plans = {_plan_key(part) for part in side.parts}
    if len(plans) < 2:
        return None
    return f"the Runs {side.key} have {len(plans)} different plans: they do not repeat one system"


def repeated_by_seed(side: Side) -> bool:
    """Whether the Runs of a side are simulations of one plan that differ in their seed alone."""
    simulated = all(_simulated(part) and part.run.plan for part in side.parts)
    return simulated and len({_plan_key(part) for part in side.parts}) == 1


def simulation_of(plan: Mapping[str, Any], *left_out: str) -> dict[str, Any]:
    """The simulated system and its load, the seed and what is ``left_out`` apart; empty of a measured Run."""
    simulation = plan.get("simulation") or {}
    kept = {key: value for key, value in simulation.items() if key not in ("seed", *left_out)}
    return {**kept, "sources": _plan_sources(plan)} if {*simulation} - {"seed"} else {}


def _plan_key(part: ComparedRun) -> str:
    """The system and its load: what a plan says but for the seed and what is observed of it."""
    return _as_key(simulation_of(part.run.plan, "observe"))


def remarks(before: Side, after: Side) -> Iterator[Note]:
    """Notes for readers that do not make the sides hard to compare."""
    sides = (before, after)
    first = [side.parts[0] for side in sides]
    same = _plan_key(first[0]) == _plan_key(first[1])
    simulated = all(_simulated(part) for part in _parts(sides))
    seeds = [{part.summary["provenance"]["seed"] for part in side.parts} for side in sides]
    if simulated and same:
        text = "Both sides are the same system and load: differences are chance (the seed)."
        yield Note(code="one-system", text=text, decides=True)
    why = _one_stream(first, seeds[0] == seeds[1])
    if simulated and not same and why is not None:
        text = (
            f"Both sides have the same {why}: both systems get the same requests, so all differences are due "
            "to the systems. The intervals treat the sides as independent, and are wider than necessary."
        )
        yield Note(code="same-requests", text=text)
    for side, of_side in zip(sides, seeds, strict=True):
        if len(side.parts) > 1 and len(of_side) == 1 and simulated:
            text = f"The Runs {side.key} share one seed: they are copies of one Run."
            yield Note(code="no-repetitions", text=text, decides=True)


def _one_stream(first: Sequence[ComparedRun], same_seeds: bool) -> str | None:
    """What makes the requests of both sides the same ones; None where nothing does."""
    if same_seeds:
        return "seed"
    sources = [source for part in first for source in part.run.plan.get("sources", [])]
    same = len({_work(part.run.plan, None) for part in first}) == 1
    return "trace" if same and sources and all("path" in source for source in sources) else None
