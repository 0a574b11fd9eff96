"""What stands out in a run: overload, uncertainty, and what a reader would not expect."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from iowatt.lenses import rated_power
from iowatt.lenses.backlog import BACKLOG, backlog_growth, drain
from iowatt.report import numbers
from iowatt.report.phrases import between, listed
from iowatt.run.summary import UNCERTAIN

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

__all__ = ["BACKLOG", "Finding", "backlog_growth", "drain", "findings", "overload"]

BUSY = 0.9
"""Utilisation above which a drive's queue depends on luck more than on the load."""

WIDE_INTERVAL = 0.1
"""Half-width of the mean's interval, as a share of the mean, from which it is called uncertain."""

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
    piled_up = overload(run)
    found = [*_busy(run.summary), *_busy_hops(run.summary), *piled_up, *_space(run.summary)]
    found += _above_rated(run)
    if not _loops(run):
        found += _left(run.summary)
    found += _soaked_up(run.summary)
    found += [*_certainty(run.summary, stationary=not piled_up), *_oddities(run.summary)]
    return sorted(found, key=lambda finding: finding.weight != "warning")


def _above_rated(run: Run) -> list[Finding]:
    """Simulated watts that data sheets do not allow."""
    if run.summary["source"] != "simulation":
        return []
    used = {one["name"]: math.fsum(one["energy_j"].values()) for one in run.summary["devices"]}
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


def overload(run: Run) -> list[Finding]:
    """Overload: a queue that grows as long as requests arrive. Empty where the array kept up."""
    found = []
    intervals, last = run.table("intervals"), run.summary["window"]["last_arrival_s"]
    growth = backlog_growth(intervals, last)
    if growth is not None:
        early, late = growth
        found.append(
            Finding(
                "warning",
                f"Work piles up: {numbers.significant(early)} requests were in flight on average in the "
                "second quarter of the time in which requests arrived and "
                f"{numbers.significant(late)} in the last. If the load stays like this, the queue and the "
                "mean response time grow with the length of the run.",
            )
        )
    left = drain(intervals, last) if _replays_open(run.plan) else None
    if left is not None:
        span, after = left
        share = f" ({numbers.percent(after / span)} of that)" if span > 0 else ""
        found.append(
            Finding(
                "warning",
                "The array could not keep up: requests arrived for "
                f"{numbers.duration(span)}, and completing what had queued up by then took another "
                f"{numbers.duration(after)}{share}. Response times, throughput and power are those of a "
                "growing queue and depend on the length of the trace; a slower or a closed replay has a "
                "steady state.",
            )
        )
    return found


def _replays_open(plan: Mapping[str, Any]) -> bool:
    workloads = plan.get("simulation", {}).get("workloads", [])
    return any(workload["replay"]["mode"] == "open" for workload in workloads)


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
