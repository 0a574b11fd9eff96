"""What stands out in a Run: overload, uncertainty, and what a reader would not expect."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from iowatt.base.results import Note
from iowatt.lenses import rated_power
from iowatt.lenses.burst_collection import few_bursts
from iowatt.lenses.kept_up import KeptUp, kept_up
from iowatt.lenses.summary import UNCERTAIN
from iowatt.lenses.too_late import too_late
from iowatt.lenses.warm_start import warm_starts
from iowatt.render import numbers
from iowatt.render.phrases import between, listed
from iowatt.run.record import MODELLED

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

BUSY = 0.9
"""Utilisation above which a drive's queue depends on luck more than on the load."""

WIDE_INTERVAL = 0.1
"""Half-width of the mean's interval, as a share of the mean, from which it is called uncertain."""

AMPLIFIED = 2.0
"""Bytes that a virtual pool moves for each byte requested, from which that is called too many."""

SOAKED_UP = 0.2
"""Share of the bytes written that a cache may keep at the end of a Run without a warning."""

FEWEST_BEYOND = 10
"""Requests that a percentile needs beyond it to be more than an anecdote."""

OVERLOAD = ("work-piles-up", "long-drain", "not-kept-up")
"""Codes of the warnings that a system did not keep up with its load."""

Summary = Mapping[str, Any]


def findings(run: Run, load: KeptUp | None = None) -> list[Note]:
    """What stands out: warnings (``decides``) first, then remarks. ``load`` is what :func:`kept_up` found."""
    summary = run.summary
    overloaded = list(overload(load or kept_up(run)))
    found = [
        *(_warning("scenario", text) for text in run.plan.get("warnings", ())),
        *(_warning("after-the-end", text) for text in too_late(run)), *_limited(summary),
        *_busy(summary), *overloaded,
        *_space(summary), *_above_rated(run),
        *(_warning("warm-start", f"{text}.") for text in warm_starts(run)),
        *(_warning("few-bursts", f"{text}.") for text in few_bursts(run)), *_left(run),
        *_soaked_up(summary), *_not_written_back(run), *_amplified(summary),
        *_certainty(summary, stationary=not overloaded), *_errors(summary), *_oddities(summary),
    ]  # fmt: skip
    return sorted(found, key=lambda note: not note.decides)


def _warning(code: str, text: str) -> Note:
    return Note(code=code, text=text, decides=True)


def _above_rated(run: Run) -> Iterator[Note]:
    """Simulated watts that data sheets do not allow."""
    if run.summary["source"] not in MODELLED:
        return
    spent = {
        device["name"]: list(device["energy_j"].values())
        for device in run.summary["devices"]
        if device["energy_j"]
    }
    used = {name: math.fsum(joules) for name, joules in spent.items() if None not in joules}
    devices = (run.plan.get("names") or {}).get("devices", [])
    seconds, most = run.summary["window"]["duration_s"], run.summary["power_w"]["max"] or 0.0
    if (above := rated_power.above(devices, used, seconds, most)) is not None:
        watts, rated = (numbers.with_unit(value, "W") for value in (above.watts, above.most_w))
        yield _warning(
            "above-rated-power",
            f"Power exceeds the data sheet: {watts}, rated {rated} at most; see the notes.",
        )


def _busy(summary: Summary) -> Iterator[Note]:
    """Drives, and stations of paths, close to saturation."""
    # An SSD serves many commands at a time: busy all the time, it may be far from saturation.
    one_at_a_time = [device for device in summary["devices"] if "flash" not in device]
    busy = [device for device in one_at_a_time if device["utilisation"] > BUSY]
    if busy:
        worst = max(busy, key=lambda device: device["utilisation"])
        yield _warning(
            "busy-drives",
            f"{len(busy):,} of {len(summary['devices']):,} drives {'is' if len(busy) == 1 else 'are'} more "
            f"than {numbers.percent(BUSY)} busy ({worst['name']}: {numbers.percent(worst['utilisation'])}). "
            "This close to saturation, a small change in load changes response times greatly.",
        )
    for path in summary.get("paths") or ():
        known = [hop for hop in path["hops"] if hop["utilisation"] is not None]
        worst = max(known, key=lambda hop: hop["utilisation"], default=None)
        if worst is not None and worst["utilisation"] > BUSY:
            name = f"{worst['hop']} {worst['way']}".strip()
            yield _warning(
                "busy-path",
                f"On path {path['name']}, {name} is {numbers.percent(worst['utilisation'])} busy. "
                "This close to saturation, a small change in load changes waiting times greatly.",
            )


#: Of a limit, that is all of it: what completes at it waits for it.
_AT_LIMIT = 0.99


def _limited(summary: Summary) -> Iterator[Note]:
    """Volumes at their limits of quality of service: these hold the load back, not the array."""
    for volume in summary["volumes"]:
        qos = volume.get("qos") or {}
        for key, what in (("iops_of_limit", "requests"), ("bandwidth_of_limit", "bytes")):
            share = qos.get(key)
            if share is not None and share >= _AT_LIMIT:
                yield _warning(
                    "at-qos-limit",
                    f"Volume {volume['name']} runs at its QoS limit of {what} per second: the limit "
                    "throttles its load, not the array.",
                )


def overload(load: KeptUp) -> Iterator[Note]:
    """Why the system did not keep up with its load. Nothing where it did."""
    if load.in_flight is not None:
        early, late = (numbers.significant(requests) for requests in load.in_flight)
        yield _warning(
            "work-piles-up",
            f"Overloaded: the backlog grew from {early} requests on average in the second quarter of the "
            f"arrivals' time to {late} in the last. At this load, queue depth and mean response time grow "
            "with the length of the run.",
        )
    if load.drain_s is not None:
        span, after = load.drain_s
        begins = "Overloaded: requests arrived" if load.in_flight is None else "Requests arrived"
        share = f" ({numbers.percent(after / span)} of that)" if span > 0 else ""
        yield _warning(
            "long-drain",
            f"{begins} for {numbers.duration(span)}, and clearing the backlog took "
            f"another {numbers.duration(after)}{share}. Response times, throughput and power are those of a "
            "growing queue and depend on the length of the trace; a slower or closed-loop replay has a "
            "steady state.",
        )
    if not load.kept_up and load.in_flight is None and load.drain_s is None:
        yield _warning("not-kept-up", f"Overloaded: {load.why}.")


def _space(summary: Summary) -> Iterator[Note]:
    cache = summary.get("cache") or {}
    if waits := cache.get("waits_for_space", 0):
        mean = numbers.with_unit(cache["space_wait_mean_ms"], "ms")
        yield _warning(
            "cache-full",
            f"{numbers.count(waits)} writes found the cache full of dirty data and waited {mean} on average: "
            "destaging did not keep up.",
        )


def _left(run: Run) -> Iterator[Note]:
    """Requests in flight at the end, which closed loops always have."""
    workloads = (run.plan.get("simulation") or {}).get("workloads", [])
    if workloads and all(workload["replay"]["mode"] == "closed" for workload in workloads):
        return
    left, total = run.summary["requests"]["in_flight_at_end"], run.summary["requests"]["count"]
    if total and left > max(1, 0.01 * total):
        yield _warning(
            "in-flight-at-end",
            f"{numbers.count(left)} requests ({numbers.percent(left / total)}) were still in flight at the "
            "end; response times cover completed requests only.",
        )


def _soaked_up(summary: Summary) -> Iterator[Note]:
    """Writes that a cache holds and no drive has received: no steady state yet."""
    cache = summary.get("cache")
    if cache is None or not cache["dirty_bytes_at_end"]:
        return
    taken = summary["requests"]["bytes_written"] - cache["overwritten_bytes"]
    kept = taken - cache["destaged_bytes"]
    if taken > 0 and SOAKED_UP * taken <= kept <= cache["dirty_bytes_at_end"]:
        yield _warning(
            "cache-filling",
            f"{numbers.percent(kept / taken)} of the bytes written are still in the cache, not destaged: in "
            "steady state the drives have more work than in this run. Run longer, or warm up until the "
            "cache is full (observe.warmup).",
        )


def _not_written_back(run: Run) -> Iterator[Note]:
    """Writes that a virtual pool's cache took and its slow part has not seen, where sectors are counted."""
    plans = (run.plan.get("simulation") or {}).get("virtual_pools", ())
    for plan, pool in zip(plans, run.summary.get("virtual_pools") or (), strict=False):
        kept, written = pool["dirty_bytes_at_end"], pool["bytes_written"]
        by_sector = plan["scheme"].get("sector_bytes") is not None
        if by_sector and written and kept > SOAKED_UP * written:
            yield _warning(
                "not-written-back",
                f"{pool['name']} ends with {numbers.with_unit(kept, 'B')} not written back to its slow part, "
                f"{numbers.percent(kept / written)} of the bytes written: in steady state that part has more "
                "work than in this run. Run longer.",
            )


def moved_over_requested(summary: Summary, pool: Summary) -> tuple[int, float | None]:
    """Bytes that moves within a virtual pool wrote, and their ratio to the bytes requested of it.

    The ratio is None without requests.
    """
    tiers = [tier for tier in summary["tiers"] if tier["virtual_pool"] == pool["name"]]
    moved = sum(tier["migration_bytes_written"] for tier in tiers)
    requested = pool["bytes_read"] + pool["bytes_written"]
    return moved, moved / requested if requested else None


def _amplified(summary: Summary) -> Iterator[Note]:
    """Virtual pools whose moves are most of the work."""
    for pool in summary.get("virtual_pools") or ():
        moved, ratio = moved_over_requested(summary, pool)
        if ratio is None or ratio <= AMPLIFIED:
            continue
        remedy = {
            "caching": 'smaller extents, or copies by sector (copy_unit = "sector"), move less',
            "tiering": "smaller extents or a higher promotion_threshold move less",
        }.get(pool["scheme"], "smaller units of placement move less")
        yield _warning(
            "moves-amplified",
            f"{pool['name']} moved {numbers.with_unit(moved, 'B')}, {numbers.significant(ratio)} times the "
            f"bytes requested: power and response times are mostly due to these moves; {remedy}.",
        )


def _certainty(summary: Summary, *, stationary: bool) -> Iterator[Note]:
    times = summary["response_time_ms"]["all"]
    if not times["count"]:
        return
    interval = times["mean_ci95"]
    if interval is None:
        few = "requests" if summary["source"] in MODELLED else "intervals in the measurement"
        why = next((note for note in summary["notes"] if note.startswith(UNCERTAIN)), None)
        text = f"Too few {few} for a confidence interval of the mean response time."
        yield _warning("mean-uncertain", text if why is None else f"{why[0].upper()}{why[1:]}.")
    elif (half := (interval[1] - interval[0]) / 2) > WIDE_INTERVAL * times["mean"]:
        yield _warning(
            "mean-uncertain",
            "The mean response time is uncertain: the half-width of its 95 % interval "
            f"({between(interval)}) is {numbers.percent(half / times['mean'])} of the mean."
            f"{' A longer run would narrow it.' if stationary else ''}",
        )
    ranks = {"p99": 0.99, "p99.9": 0.999, "p99.99": 0.9999}
    if thin := [name for name, rank in ranks.items() if times["count"] * (1 - rank) < FEWEST_BEYOND]:
        verb = "rests" if len(thin) == 1 else "rest"
        yield Note(
            code="thin-percentiles",
            text=f"{listed(thin)} {verb} on fewer than {FEWEST_BEYOND} requests: anecdotal.",
        )


def _errors(summary: Summary) -> Iterator[Note]:
    """Requests that failed, and doubts about traces."""
    if errors := summary["requests"]["errors"]:
        yield _warning("request-errors", f"{numbers.count(errors)} requests ended in an error.")
    for workload in summary["workloads"]:
        if not (trace := workload.get("trace")):
            continue
        for text in trace.get("warnings", ()):
            yield _warning("trace", f"The trace of {workload['name']}: {text}.")
        if skipped := trace["skipped_bad"]:
            text = (
                f"{numbers.count(skipped)} malformed records of the trace of {workload['name']} were skipped."
            )
            yield _warning("records-skipped", text)


def _oddities(summary: Summary) -> Iterator[Note]:
    devices = summary["devices"]
    if spin_ups := sum(device["spin_ups"] for device in devices):
        text = f"Drives spun up {numbers.count(spin_ups)} times; requests waited for it."
        yield Note(code="spin-ups", text=text)
    busy = [device["utilisation"] for device in devices]
    mean = sum(busy) / len(busy) if busy else 0.0
    if len(busy) > 1 and max(busy) > 0.05 and max(busy) > 2 * mean:
        worst = max(devices, key=lambda device: device["utilisation"])
        yield Note(
            code="uneven-load",
            text=f"The load is uneven: {worst['name']} is {numbers.percent(worst['utilisation'])} busy, "
            f"the average drive {numbers.percent(mean)}.",
        )
    if summary["window"]["warmup_s"] > 0:
        cut = numbers.duration(summary["window"]["warmup_s"])
        yield Note(code="warm-up-cut", text=f"The first {cut} are warm-up and excluded from all figures.")
