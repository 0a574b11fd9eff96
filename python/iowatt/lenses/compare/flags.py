"""What two sides differ in besides the change that is asked about: a reader must know it first."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from iowatt.base.results import Note
from iowatt.lenses.compare.measurement import Side
from iowatt.lenses.compare.request import Asked
from iowatt.lenses.compare.result import ChangedKey, ChangedKeys, Flag
from iowatt.lenses.kept_up import kept_up

#: Relative differences of windows, sizes and rates from which they are flagged; of the read share in points.
WINDOW: Final = 0.01
SIZE: Final = 0.01
RATE: Final = 0.02
READS: Final = 0.01
LISTED: Final = 12
#: The same of sizes, and of read shares in points, from which requests are others altogether.
UNLIKE: Final = 0.05


def flags(before: Side, after: Side, asked: Asked) -> list[Flag]:
    """What makes the sides hard to compare: a key, a sentence, and whether it withholds every verdict."""
    found = [
        ("source", _origins(before, after)),
        ("loop", _loops(before, after)),
        ("workload", _workloads(before, after, asked)),
        ("window", _windows(before, after)),
        ("size", _sizes(before, after)),
        ("reads", _reads(before, after)),
        ("rate", _rates(before, after)),
        ("power", _power(before, after)),
        *(("overload", said) for side in (before, after) for said in _overload(side)),
        *(("trace", said) for side in (before, after) for said in _doubtful_traces(side)),
        *(("group", _group(side)) for side in (before, after)),
    ]
    without = {"overload", *_unrelated(before, after, asked)}
    return [Flag(key=key, text=text, withholds=key in without) for key, text in found if text]


def _unrelated(before: Side, after: Side, asked: Asked) -> Iterator[str]:
    """Keys of flags that say that both the requests and the system differ: nothing tells which did what.

    On one simulated system, other requests are the change that is asked about.
    """
    if _one_system(before, after):
        return
    if any(part.loop.waits for part in before.parts) != any(part.loop.waits for part in after.parts):
        yield "loop"
    if _workloads(before, after, asked) and not _same_requests(before, after):
        yield "workload"
    sizes, shares = (_size(before), _size(after)), (_read_share(before), _read_share(after))
    if None not in sizes and _apart(sizes[0] or 0.0, sizes[1] or 0.0) > UNLIKE:
        yield "size"
    if None not in shares and abs((shares[0] or 0.0) - (shares[1] or 0.0)) > UNLIKE:
        yield "reads"


def _one_system(before: Side, after: Side) -> bool:
    """Whether all Runs are simulations of one system, whatever was asked of it."""
    systems = set()
    for part in (*before.parts, *after.parts):
        plan = part.run.plan.get("simulation")
        if not plan:
            return False
        kept = {key: value for key, value in plan.items() if key not in ("seed", "workloads", "observe")}
        systems.add(json.dumps(kept, sort_keys=True, default=str))
    return len(systems) == 1


def _same_requests(before: Side, after: Side) -> bool:
    """Whether both sides counted the same requests, as copies of one trace make them."""
    keys = ("count", "reads", "bytes_read", "bytes_written")
    counted = {tuple(part.summary["requests"][key] for key in keys) for part in (*before.parts, *after.parts)}
    return len(counted) == 1


def _each(side: Side, get: Any) -> list[Any]:
    return list(dict.fromkeys(get(part) for part in side.parts))


def _origins(before: Side, after: Side) -> str | None:
    kinds = [
        {"simulated" if part.summary["source"] == "simulation" else "measured" for part in side.parts}
        for side in (before, after)
    ]
    if kinds[0] == kinds[1]:
        return None
    return (
        f"before is {' and '.join(sorted(kinds[0]))}, after is {' and '.join(sorted(kinds[1]))}: differences "
        "hold the error of the model, too"
    )


def _loops(before: Side, after: Side) -> str | None:
    kinds = [sorted({part.loop.kind for part in side.parts}) for side in (before, after)]
    if kinds[0] == kinds[1]:
        if any(part.loop.kind == "closed" for part in (*before.parts, *after.parts)):
            slots = [sorted({part.loop.outstanding or 0 for part in side.parts}) for side in (before, after)]
            if slots[0] != slots[1] and 0 not in (*slots[0], *slots[1]):
                return f"different loops: {slots[0]} requests outstanding before, {slots[1]} after"
        return None
    return (
        f"different loops: {' and '.join(kinds[0])} before, {' and '.join(kinds[1])} after. A closed loop "
        "asks "
        "less of slow storage, so its response times do not compare with those of an open one"
    )


def _work(plan: Mapping[str, Any], workload: str | None) -> str:
    """What a plan says of where requests come from, without what names a reader's limits."""
    names = plan.get("names", {}).get("workloads", [])
    kept = [
        [name, source]
        for name, source in zip(names, _sources_of(plan), strict=False)
        if workload is None or workload == name
    ]
    return json.dumps(kept, sort_keys=True, default=str)


def _sources_of(plan: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Where requests come from, without seeds and what follows from the volume and the loop."""
    return [_without(source, _NO_SOURCE) for source in plan.get("sources", [])]


_NO_SOURCE: Final = frozenset({"seed", "limit_bytes", "limit_name", "order_only"})


def _without(value: Any, keys: frozenset[str]) -> Any:
    """Nested tables without some keys."""
    if isinstance(value, Mapping):
        return {key: _without(part, keys) for key, part in value.items() if key not in keys}
    return [_without(part, keys) for part in value] if isinstance(value, list) else value


def _workloads(before: Side, after: Side, asked: Asked) -> str | None:
    works = [
        {_work(part.run.plan, asked.workload) for part in side.parts if part.run.plan.get("sources")}
        for side in (before, after)
    ]
    if not works[0] or not works[1] or works[0] == works[1]:
        return None
    names = [
        sorted({one["name"] for part in side.parts for one in part.summary["workloads"]})
        for side in (before, after)
    ]
    shown = (
        f" ({', '.join(names[0])} before, {', '.join(names[1])} after)"
        if names[0] != names[1]
        else " (their traces, profiles or how these are read)"
    )
    return f"different workloads{shown}: differences are theirs, too"


def _apart(one: float, other: float) -> float:
    largest = max(abs(one), abs(other))
    return abs(one - other) / largest if largest else 0.0


def _windows(before: Side, after: Side) -> str | None:
    lengths = [math.fsum(part.window_s for part in side.parts) / len(side.parts) for side in (before, after)]
    if _apart(*lengths) <= WINDOW:
        return None
    return (
        f"windows of different length: {lengths[0]:,.6g} s before, {lengths[1]:,.6g} s after: the longer one "
        "sees "
        "more of what is rare"
    )


def _size(side: Side) -> float | None:
    done = sum(part.summary["requests"]["completed"] for part in side.parts)
    moved = sum(
        part.summary["requests"]["bytes_read"] + part.summary["requests"]["bytes_written"]
        for part in side.parts
    )
    return moved / done if done else None


def _sizes(before: Side, after: Side) -> str | None:
    sizes = _size(before), _size(after)
    if None in sizes or _apart(sizes[0] or 0.0, sizes[1] or 0.0) <= SIZE:
        return None
    return f"requests of different size: mean {sizes[0]:,.6g} B before, {sizes[1]:,.6g} B after"


def _read_share(side: Side) -> float | None:
    reads = sum(part.summary["requests"]["reads"] for part in side.parts)
    writes = sum(part.summary["requests"]["writes"] for part in side.parts)
    return reads / (reads + writes) if reads + writes else None


def _reads(before: Side, after: Side) -> str | None:
    shares = _read_share(before), _read_share(after)
    if shares[0] is None or shares[1] is None or abs(shares[0] - shares[1]) <= READS:
        return None
    return f"different read shares: {100 * shares[0]:.1f} % before, {100 * shares[1]:.1f} % after"


def _rates(before: Side, after: Side) -> str | None:
    if any(part.loop.kind == "closed" for part in (*before.parts, *after.parts)):
        return None  # what a closed loop reaches is a result
    rates = [
        sum(part.summary["requests"]["count"] for part in side.parts) / side.window_s
        for side in (before, after)
    ]
    if _apart(*rates) <= RATE:
        return None
    return f"different load: {rates[0]:,.6g} requests/s came before, {rates[1]:,.6g} after"


def _power(before: Side, after: Side) -> str | None:
    kinds = [{part.at_wall for part in side.parts if part.joules is not None} for side in (before, after)]
    if not kinds[0] or not kinds[1] or kinds[0] == kinds[1]:
        return None
    return "power is at the wall on one side and of the drives alone on the other: it does not compare"


def _overload(side: Side) -> Iterator[str]:
    """Runs that did not keep up: their response times are of how long they were."""
    for part in side.parts:
        found = kept_up(part.run)
        if not found.kept_up:
            yield (
                f"{part.label} could not keep up with its load: {found.why}; its response times grow with "
                "the length of the run, and its power is that of less work"
            )


def _doubtful_traces(side: Side) -> Iterator[str]:
    """What the readers of its traces have warned of."""
    for part in side.parts:
        for workload in part.summary["workloads"]:
            trace = workload["trace"]
            for text in [] if trace is None else trace.get("warnings", []):
                yield f"{part.label}: workload {workload['name']}: {text}"


def _group(side: Side) -> str | None:
    """Runs of one side that are no repetitions of one another."""
    plans = {_plan_key(part.run.plan) for part in side.parts}
    if len(plans) < 2:
        return None
    return f"the Runs {side.key} are of {len(plans)} different plans: they are no repetitions of one system"


def repeated_by_seed(side: Side) -> bool:
    """Whether the Runs of a side are simulations of one plan that differ in their seed alone."""
    simulated = all(part.summary["source"] == "simulation" and part.run.plan for part in side.parts)
    return simulated and len({_plan_key(part.run.plan) for part in side.parts}) == 1


def _simulated(plan: Mapping[str, Any]) -> dict[str, Any]:
    kept = dict(plan.get("simulation") or {})
    kept.pop("seed", None)
    return {**kept, "sources": _sources_of(plan)} if kept else {}


def _plan_key(plan: Mapping[str, Any]) -> str:
    """The system and its load: what a plan says but for the seed and what is observed of it."""
    kept = {key: value for key, value in _simulated(plan).items() if key != "observe"}
    return json.dumps(kept, sort_keys=True, default=str)


def changed(before: Side, after: Side) -> ChangedKeys:
    """Keys of the plan in which the first Runs of both sides differ, the seed apart, in plain words."""
    plans = [_simulated(side.parts[0].run.plan) for side in (before, after)]
    if not all(plans):
        return ChangedKeys(keys=0, listed=[])  # measured: nothing says how it was built
    old, new = (dict(_flat(plan)) for plan in plans)
    keys = [key for key in dict.fromkeys([*old, *new]) if old.get(key) != new.get(key)]
    return ChangedKeys(
        keys=len(keys),
        listed=[ChangedKey(key=key, before=old.get(key), after=new.get(key)) for key in keys[:LISTED]],
    )


def _flat(value: object, path: str = "") -> Iterator[tuple[str, Any]]:
    """Leaves of nested tables with their paths; a list of plain values is one leaf."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _flat(part, f"{path}.{key}" if path else str(key))
    elif (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and any(isinstance(part, Mapping | list) for part in value)
    ):
        for at, part in enumerate(value):
            yield from _flat(part, f"{path}[{at}]")
    else:
        yield path, json.dumps(value, default=str) if isinstance(value, list) else value


def remarks(before: Side, after: Side) -> Iterator[Note]:
    """What a reader should know, and what is no fault of the comparison."""
    same = _plan_key(before.parts[0].run.plan) == _plan_key(after.parts[0].run.plan)
    simulated = all(part.summary["source"] == "simulation" for part in (*before.parts, *after.parts))
    seeds = [sorted(_each(side, lambda part: part.summary["provenance"]["seed"])) for side in (before, after)]
    if simulated and same:
        yield Note(
            code="one-system",
            text="Both sides are one system and one load: what differs is chance (the seed).",
            decides=True,
        )
    if simulated and not same and (why := _one_stream(before, after, seeds[0] == seeds[1])) is not None:
        yield Note(
            code="same-requests",
            text=f"Both sides have the same {why}: the same requests meet both systems, so the systems alone "
            "make the difference. The intervals take the sides as independent, and are wider than need be.",
        )
    for side in (before, after):
        if (
            len(side.parts) > 1
            and len(_each(side, lambda part: part.summary["provenance"]["seed"])) == 1
            and simulated
        ):
            yield Note(
                code="no-repetitions",
                text=f"The Runs {side.key} have one seed: they are one Run several times, and tell no more "
                "than it.",
                decides=True,
            )


def _one_stream(before: Side, after: Side, same_seeds: bool) -> str | None:
    """What makes the requests of both sides the same ones, where anything does."""
    if same_seeds:
        return "seed"
    sources = [source for side in (before, after) for source in side.parts[0].run.plan.get("sources", [])]
    same = _work(before.parts[0].run.plan, None) == _work(after.parts[0].run.plan, None)
    return "trace" if same and sources and all("path" in source for source in sources) else None
