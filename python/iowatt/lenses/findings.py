"""What stands out in a run: overload, uncertainty, and what a reader would not expect."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from iowatt.lenses import rated_power
from iowatt.lenses.kept_up import KeptUp, kept_up
from iowatt.lenses.summary import UNCERTAIN
from iowatt.lenses.warm_start import warm_starts
from iowatt.render import numbers
from iowatt.render.phrases import between, listed

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

BUSY = 0.9
"""Utilisation above which a drive's queue depends on luck more than on the load."""

WIDE_INTERVAL = 0.1
"""Half-width of the mean's interval, as a share of the mean, from which it is called uncertain."""

AMPLIFIED = 2.0
"""Bytes that a virtual pool moves for each byte that requests ask for from which that is called too many."""

SOAKED_UP = 0.2
"""Share of the bytes written that a cache may keep at the end of a run without a word."""

FEWEST_BEYOND = 10
"""Requests that a percentile needs beyond it to be more than an anecdote."""


@dataclass(frozen=True)
class Finding:
    """Something a reader should not miss."""

    weight: Literal["warning", "remark"]
    text: str


def findings(run: Run) -> list[Finding]:
    """What stands out, warnings first."""
    piled_up = overload(kept_up(run))
    asked = [Finding("warning", text) for text in run.plan.get("warnings", ())]
    found = [*asked, *_busy(run.summary), *_busy_hops(run.summary), *piled_up, *_space(run.summary)]
    found += _above_rated(run)
    found += [Finding("warning", f"{text}.") for text in warm_starts(run)]
    if not _loops(run):
        found += _left(run.summary)
    found += [*_soaked_up(run.summary), *_not_written_back(run), *_amplified(run.summary)]
    found += [*_certainty(run.summary, stationary=not piled_up), *_oddities(run.summary)]
    return sorted(found, key=lambda finding: finding.weight != "warning")


def _above_rated(run: Run) -> list[Finding]:
    """Simulated watts that data sheets do not allow."""
    if run.summary["source"] != "simulation":
        return []
    spent = {one["name"]: list(one["energy_j"].values()) for one in run.summary["devices"] if one["energy_j"]}
    used = {name: math.fsum(joules) for name, joules in spent.items() if None not in joules}
    named = (run.plan.get("names") or {}).get("devices", [])
    seconds, most = run.summary["window"]["duration_s"], run.summary["power_w"]["max"] or 0.0
    found = rated_power.above(named, used, seconds, most)
    if found is None:
        return []
    text = f"More power than the data sheet allows: {numbers.with_unit(found.watts, 'W')} of "
    return [Finding("warning", f"{text}{numbers.with_unit(found.most_w, 'W')}; see the notes.")]


def _busy(summary: Mapping[str, Any]) -> list[Finding]:
    found = []
    # An SSD works on many commands at a time: busy all the time, it may have far to go to saturation.
    one_at_a_time = [device for device in summary["devices"] if "flash" not in device]
    busy = [device for device in one_at_a_time if device["utilisation"] > BUSY]
    if busy:
        worst = max(busy, key=lambda device: device["utilisation"])
        most = numbers.percent(worst["utilisation"])
        found.append(
            Finding(
                "warning",
                f"{len(busy):,} of {len(summary['devices']):,} drives are busy more than "
                f"{numbers.percent(BUSY)} of the time ({worst['name']}: {most}); response times this close "
                "to saturation change greatly with small changes of load.",
            )
        )
    return found


def _busy_hops(summary: Mapping[str, Any]) -> list[Finding]:
    """Stations of paths close to saturation."""
    found = []
    for path in summary.get("paths") or ():
        known = [hop for hop in path["hops"] if hop["utilisation"] is not None]
        worst = max(known, key=lambda hop: hop["utilisation"], default=None)
        if worst is not None and worst["utilisation"] > BUSY:
            name = f"{worst['hop']} {worst['way']}".strip()
            most = numbers.percent(worst["utilisation"])
            found.append(
                Finding(
                    "warning",
                    f"On the path {path['name']}, {name} is busy {most} of the time; waiting this close to "
                    "saturation changes greatly with small changes of load.",
                )
            )
    return found


def overload(found: KeptUp) -> list[Finding]:
    """Why the system did not keep up with its load. Empty where it did."""
    said = []
    if found.in_flight is not None:
        early, late = found.in_flight
        said.append(
            f"Work piles up: {numbers.significant(early)} requests were in flight on average in the "
            "second quarter of the time in which requests arrived and "
            f"{numbers.significant(late)} in the last. If the load stays like this, the queue and the "
            "mean response time grow with the length of the run."
        )
    if found.drain_s is not None:
        span, after = found.drain_s
        share = f" ({numbers.percent(after / span)} of that)" if span > 0 else ""
        said.append(
            "The array could not keep up: requests arrived for "
            f"{numbers.duration(span)}, and completing what had queued up by then took another "
            f"{numbers.duration(after)}{share}. Response times, throughput and power are those of a "
            "growing queue and depend on the length of the trace; a slower or a closed replay has a "
            "steady state."
        )
    if not found.kept_up and not said:
        said.append(f"The system could not keep up with its load: {found.why}.")
    return [Finding("warning", text) for text in said]


def _space(summary: Mapping[str, Any]) -> list[Finding]:
    waits = summary.get("cache", {}).get("waits_for_space", 0)
    if not waits:
        return []
    mean = numbers.with_unit(summary["cache"]["space_wait_mean_ms"], "ms")
    text = f"{numbers.count(waits)} writes found the cache full of dirty data and waited {mean} on average"
    return [Finding("warning", f"{text}: destaging did not keep up with them.")]


def _loops(run: Run) -> bool:
    """Whether all work is closed loops, which have their outstanding requests in flight at any end."""
    workloads = (run.plan.get("simulation") or {}).get("workloads", [])
    return bool(workloads) and all(one["replay"]["mode"] == "closed" for one in workloads)


def _left(summary: Mapping[str, Any]) -> list[Finding]:
    found = []
    left, total = summary["requests"]["in_flight_at_end"], summary["requests"]["count"]
    if total and left > max(1, 0.01 * total):
        found.append(
            Finding(
                "warning",
                f"{numbers.count(left)} requests ({numbers.percent(left / total)}) were still in flight at "
                "the end; response times cover completed requests only.",
            )
        )
    return found


def _soaked_up(summary: Mapping[str, Any]) -> list[Finding]:
    """Writes that a cache took and no drive has seen: a run that ends while it fills is no steady state."""
    cache = summary.get("cache")
    if cache is None or not cache["dirty_bytes_at_end"]:
        return []
    taken = summary["requests"]["bytes_written"] - cache["overwritten_bytes"]
    kept = taken - cache["destaged_bytes"]
    if taken <= 0 or kept < SOAKED_UP * taken or kept > cache["dirty_bytes_at_end"]:
        return []
    return [
        Finding(
            "warning",
            f"The cache took {numbers.percent(kept / taken)} of what was written without destaging it yet: "
            "in steady state drives have more to do than in this run; let it run longer, or warm up until "
            "the cache is full (observe.warmup).",
        )
    ]


def _not_written_back(run: Run) -> list[Finding]:
    """Writes that a virtual pool's cache took and its slow part has not seen, where sectors are counted."""
    found = []
    plans = (run.plan.get("simulation") or {}).get("virtual_pools", ())
    for plan, virtual in zip(plans, run.summary.get("virtual_pools") or (), strict=False):
        kept, written = virtual["dirty_bytes_at_end"], virtual["bytes_written"]
        by_sector = plan["scheme"].get("sector_bytes") is not None
        if not by_sector or not written or kept <= SOAKED_UP * written:
            continue
        found.append(
            Finding(
                "warning",
                f"{virtual['name']} holds {numbers.with_unit(kept, 'B')} at the end that its slow part has "
                f"not, {numbers.percent(kept / written)} of what was written: in steady state that part has "
                "more to do than in this run; let it run longer.",
            )
        )
    return found


def moved_over_asked(summary: Mapping[str, Any], virtual: Mapping[str, Any]) -> tuple[int, float | None]:
    """Bytes that moves within a virtual pool have written, and their ratio to the bytes of requests to it.

    The ratio is None without requests.
    """
    tiers = [tier for tier in summary["tiers"] if tier["virtual_pool"] == virtual["name"]]
    moved = sum(tier["migration_bytes_written"] for tier in tiers)
    asked = virtual["bytes_read"] + virtual["bytes_written"]
    return moved, moved / asked if asked else None


def _amplified(summary: Mapping[str, Any]) -> list[Finding]:
    """Virtual pools whose moves are most of the work."""
    found = []
    for virtual in summary.get("virtual_pools") or ():
        moved, times = moved_over_asked(summary, virtual)
        if times is None or times <= AMPLIFIED:
            continue
        size = numbers.with_unit(moved, "B")
        remedy = {
            "caching": 'smaller extents, or copies by sector (copy_unit = "sector"), move less',
            "tiering": "smaller extents or a higher promotion_threshold move less",
        }.get(virtual["scheme"], "smaller units of placement move less")
        found.append(
            Finding(
                "warning",
                f"{virtual['name']} moved {size}, {numbers.significant(times)} times what requests read and "
                f"wrote: power and response times are mostly those of moves; {remedy}.",
            )
        )
    return found


def _certainty(summary: Mapping[str, Any], *, stationary: bool) -> list[Finding]:
    found = []
    time = summary["response_time_ms"]["all"]
    interval = time["mean_ci95"]
    if time["count"] and interval is None:
        few = "requests" if summary["source"] == "simulation" else "intervals in the measurement"
        why = next((note for note in summary["notes"] if note.startswith(UNCERTAIN)), None)
        said = f"There were too few {few} to say how certain the mean response time is."
        found.append(Finding("warning", said if why is None else f"{why[0].upper()}{why[1:]}."))
    elif time["count"] and (half := (interval[1] - interval[0]) / 2) > WIDE_INTERVAL * time["mean"]:
        found.append(
            Finding(
                "warning",
                "The mean response time is uncertain: the half-width of its 95 % interval "
                f"({between(interval)}) is {numbers.percent(half / time['mean'])} of the mean."
                f"{' A longer run would narrow it.' if stationary else ''}",
            )
        )
    thin = [
        title
        for title, rank in (("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999))
        if time["count"] and time["count"] * (1 - rank) < FEWEST_BEYOND
    ]
    if thin:
        verb = "rests" if len(thin) == 1 else "rest"
        found.append(
            Finding(
                "remark",
                f"{listed(thin)} {verb} on fewer than {FEWEST_BEYOND} requests; take them as anecdotes.",
            )
        )
    return found


def _oddities(summary: Mapping[str, Any]) -> list[Finding]:
    found = []
    requests, devices = summary["requests"], summary["devices"]
    if requests["errors"]:
        found.append(Finding("warning", f"{numbers.count(requests['errors'])} requests ended in an error."))
    for workload in summary["workloads"]:
        trace = workload.get("trace")
        said = trace.get("warnings", ()) if trace else ()
        found += [Finding("warning", f"The trace of {workload['name']}: {text}.") for text in said]
        if trace and trace["skipped_bad"]:
            found.append(
                Finding(
                    "warning",
                    f"{numbers.count(trace['skipped_bad'])} malformed records of the trace of "
                    f"{workload['name']} were skipped.",
                )
            )
    spin_ups = sum(device["spin_ups"] for device in devices)
    if spin_ups:
        found.append(
            Finding("remark", f"Drives spun up {numbers.count(spin_ups)} times; requests waited for that.")
        )
    busy = [device["utilisation"] for device in devices]
    mean = sum(busy) / len(busy) if busy else 0.0
    if len(busy) > 1 and max(busy) > 0.05 and max(busy) > 2 * mean:
        worst = max(devices, key=lambda device: device["utilisation"])
        found.append(
            Finding(
                "remark",
                f"The load is uneven: {worst['name']} is busy {numbers.percent(worst['utilisation'])} of the "
                f"time, the mean drive {numbers.percent(mean)}.",
            )
        )
    if summary["window"]["warmup_s"] > 0:
        cut = numbers.duration(summary["window"]["warmup_s"])
        found.append(Finding("remark", f"The first {cut} were cut as warm-up and are in no figure."))
    return found
