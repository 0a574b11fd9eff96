"""Whether a system kept up with its load.

The response times of a system that did not grow with the length of the Run, and its watts and dollars are
those of less work than the load asked for. Rankings leave it out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from iowatt.base.results import Result
from iowatt.render.numbers import significant
from iowatt.run.record import has_own_arrivals

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

LEAST_SHARE: Final = 0.95
"""Share of the offered rate that must be completed."""

FEWEST: Final = 20
"""Requests from which rates are compared."""

LONG_DRAIN: Final = 0.1
"""Time to complete what is left after the last arrival, as a share of the time in which requests arrive,
from which a replay at recorded times is called too fast for the array."""

BACKLOG: Final = 4
"""Requests in flight from which there is a queue, not a straggler."""


class KeptUp(Result):
    """Whether a Run kept up with its load, and the evidence."""

    kept_up: bool
    #: Completed over offered requests per second, at most 1; None where nothing was offered from outside (a
    #: closed loop) or the offered rate is not known.
    done_share: float | None
    #: Mean requests in flight early and late, where they grew as long as requests arrived.
    in_flight: tuple[float, float] | None
    #: Seconds in which requests arrived, and seconds to complete what was left then, where long.
    drain_s: tuple[float, float] | None
    #: Share of the requests of a replay that were sent late; None of other Runs.
    late_share: float | None
    #: Mean response time in ms; None where nothing completed.
    mean_ms: float | None
    #: The evidence in a phrase; empty where the system kept up.
    why: str = ""


def _why(load: KeptUp) -> str:
    reasons = []
    if load.done_share is not None:
        reasons.append(f"it completed {100 * load.done_share:.2g} % of the offered rate")
    if load.in_flight is not None:
        early, late = load.in_flight
        reasons.append(f"its backlog grew from {significant(early)} to {significant(late)} requests")
    if load.drain_s is not None:
        arriving, after = load.drain_s
        reasons.append(f"{arriving:,.3g} s of arrivals took another {after:,.3g} s to clear")
    if load.late_share is not None:
        reasons.append(f"{100 * load.late_share:.2g} % of the requests were sent late")
    if load.mean_ms is not None:
        mean = f"{load.mean_ms / 1e3:,.3g} s" if load.mean_ms >= 1e3 else f"{load.mean_ms:,.3g} ms"
        reasons.append(f"mean response time {mean}")
    return "; ".join(reasons)


def kept_up(run: Run) -> KeptUp:
    """Judge a Run, simulated or measured.

    It did not keep up where requests in flight grew as long as requests arrived, where completing the rest
    took long, where less than :data:`LEAST_SHARE` of an offered rate was completed, or where a replay sent
    more requests late than that leaves.
    """
    summary = run.summary
    intervals, last = run.table("intervals"), summary["window"]["last_arrival_s"]
    simulated = has_own_arrivals(summary["source"], run.plan)
    share = _simulated_share(run) if simulated else _measured_share(summary)
    growth = backlog_growth(intervals, last)
    left = drain(intervals, last, _longest_s(summary)) if "open" in _modes(run) else None
    # A load generator that cannot send requests holds its queue itself.
    queued = not simulated or sum(work["in_flight_mean"] for work in summary["workloads"]) >= BACKLOG
    slow = share is not None and share < LEAST_SHARE and queued
    late = (run.plan.get("measured") or {}).get("late_share")
    behind = late is not None and late > 1 - LEAST_SHARE
    judged = KeptUp(
        kept_up=growth is None and left is None and not slow and not behind,
        done_share=None if share is None else min(1.0, share),
        in_flight=growth,
        drain_s=left,
        late_share=late,
        mean_ms=summary["response_time_ms"]["all"]["mean"],
    )
    return judged if judged.kept_up else judged.model_copy(update={"why": _why(judged)})


def _modes(run: Run) -> list[str]:
    """How each workload is replayed: ``open`` or ``closed``; empty where the Run does not know."""
    if not has_own_arrivals(run.summary["source"], run.plan):
        return []
    return [work["replay"]["mode"] for work in run.plan["simulation"]["workloads"]]


def _simulated_share(run: Run) -> float | None:
    """Completed over offered rate of the workloads with arrival times of their own."""
    summary, modes = run.summary, _modes(run)
    window, last = summary["window"], summary["window"]["last_arrival_s"]
    open_loop = [work for work, mode in zip(summary["workloads"], modes, strict=False) if mode == "open"]
    count = sum(work["requests"]["count"] for work in open_loop)
    if last is None or last <= window["start_s"] or count < FEWEST:
        return None
    offered = count / (last - window["start_s"])
    longest = _longest_s(summary)
    # Of a window that goes on without requests, the time until the last of them was complete.
    end = window["end_s"] if longest is None else min(window["end_s"], last + longest)
    completed = sum(work["throughput"]["completions"] for work in open_loop) / (end - window["start_s"])
    return float(completed / offered)


def _longest_s(summary: Mapping[str, Any]) -> float | None:
    """The longest response time: all is done so long after the last arrival; None where some was left."""
    longest = summary["response_time_ms"]["all"]["max"]
    return longest / 1e3 if longest and not summary["requests"]["in_flight_at_end"] else None


def _measured_share(summary: Mapping[str, Any]) -> float | None:
    """Completed rate over the rate that the load generator was asked for."""
    asked = (summary.get("driver") or {}).get("asked_iops")
    if not asked or summary["requests"]["count"] < FEWEST:
        return None
    return float(summary["throughput"]["iops"] / asked)


def backlog_growth(intervals: pl.DataFrame, last_arrival_s: float | None) -> tuple[float, float] | None:
    """Mean requests in flight in the second and in the last quarter, where the latter shows a backlog.

    A backlog: at least twice as many, and at least four more. The first quarter is left out because
    every system fills up at first; what comes after the last arrival, because the queue only empties then.
    """
    arriving = intervals.height
    if last_arrival_s is not None:
        arriving = int((intervals["end_s"] <= last_arrival_s).sum())
    if arriving < 8:
        return None
    quarter = arriving // 4
    early = _in_flight(intervals.slice(quarter, quarter))
    late = _in_flight(intervals.slice(arriving - quarter, quarter))
    return (early, late) if late >= 2 * early and late >= early + BACKLOG else None


def drain(
    intervals: pl.DataFrame, last_arrival_s: float | None, longest_s: float | None = None
) -> tuple[float, float] | None:
    """Seconds in which requests arrived, and seconds until the last of them was complete, where long.

    Long: at least a tenth of the former, with a backlog in flight on average. A single slow request at the
    end (a drive that spins up) is none. ``longest_s``, the longest response time, bounds what intervals tell
    only to their width.
    """
    working, arriving = ((intervals[name] > 0).arg_true() for name in ("in_flight_mean", "arrivals"))
    if last_arrival_s is None or working.is_empty() or arriving.is_empty():
        return None
    span = max(0.0, last_arrival_s - float(intervals["start_s"][arriving[0]]))
    after = float(intervals["end_s"][working[-1]]) - last_arrival_s
    after = after if longest_s is None else min(after, longest_s)
    if after <= LONG_DRAIN * span:
        return None
    # Where intervals are coarse, the one with the last arrival stands for the time after it.
    late = intervals.filter(pl.col("in_flight_mean") > 0, pl.col("end_s") > last_arrival_s)
    return (span, after) if _in_flight(late) >= BACKLOG else None


def _in_flight(part: pl.DataFrame) -> float:
    """Requests in flight, a mean over time."""
    width = part["end_s"] - part["start_s"]
    seconds = float(width.sum())
    return float((part["in_flight_mean"] * width).sum()) / seconds if seconds else math.nan
