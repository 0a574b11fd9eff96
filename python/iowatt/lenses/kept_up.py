"""Whether a system kept up with its load: what every ranking of systems asks of a Run first.

A system that did not has no steady state: its response times grow with the length of the run, and its watts
and dollars are those of less work than was asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.results import Result
from iowatt.lenses.backlog import BACKLOG, backlog_growth, drain

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

LEAST_SHARE: Final = 0.95
"""Share of the offered rate that must be completed."""

FEWEST: Final = 20
"""Requests from which rates are compared."""


class KeptUp(Result):
    """Whether a Run kept up with its load, and the evidence."""

    kept_up: bool
    #: Completed over offered requests per second, at most 1; None where nothing was offered from outside (a
    #: closed loop) or nobody knows how much.
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


def _why(found: KeptUp) -> str:
    said = []
    if found.done_share is not None:
        said.append(f"it completed {100 * found.done_share:.2g} % of the requests offered per second")
    if found.in_flight is not None:
        early, late = found.in_flight
        said.append(f"requests in flight grew from {early:,.3g} to {late:,.3g}")
    if found.drain_s is not None:
        arriving, after = found.drain_s
        said.append(f"{arriving:,.3g} s of arrivals took another {after:,.3g} s to complete")
    if found.late_share is not None:
        said.append(f"{100 * found.late_share:.2g} % of the requests were sent late")
    if found.mean_ms is not None:
        mean = f"{found.mean_ms / 1e3:,.3g} s" if found.mean_ms >= 1e3 else f"{found.mean_ms:,.3g} ms"
        said.append(f"mean response time {mean}")
    return "; ".join(said)


def kept_up(run: Run) -> KeptUp:
    """Judge a Run, simulated or measured.

    It did not keep up where requests in flight grew as long as requests arrived, where completing the rest
    took long, where less than :data:`LEAST_SHARE` of an offered rate was completed, or where a replay sent
    more requests late than that leaves.
    """
    summary = run.summary
    intervals, last = run.table("intervals"), summary["window"]["last_arrival_s"]
    share, waiting = _simulated(run) if summary["source"] == "simulation" else _measured(summary)
    growth = backlog_growth(intervals, last)
    left = drain(intervals, last) if _replays_open(run.plan) else None
    slow = share is not None and share < LEAST_SHARE and waiting >= BACKLOG
    late = (run.plan.get("measured") or {}).get("late_share")
    behind = late is not None and late > 1 - LEAST_SHARE
    found = KeptUp(
        kept_up=growth is None and left is None and not slow and not behind,
        done_share=None if share is None else min(1.0, share),
        in_flight=growth,
        drain_s=left,
        late_share=late,
        mean_ms=summary["response_time_ms"]["all"]["mean"],
    )
    return found if found.kept_up else found.model_copy(update={"why": _why(found)})


def _modes(plan: Mapping[str, Any]) -> list[str]:
    return [one["replay"]["mode"] for one in (plan.get("simulation") or {}).get("workloads", [])]


def _replays_open(plan: Mapping[str, Any]) -> bool:
    return "open" in _modes(plan)


def _simulated(run: Run) -> tuple[float | None, float]:
    """Completed over offered rate of the workloads whose requests come at their own times; all in flight."""
    summary, modes = run.summary, _modes(run.plan)
    window, last = summary["window"], summary["window"]["last_arrival_s"]
    parts = summary["workloads"]
    given = [part for part, mode in zip(parts, modes, strict=False) if mode == "open"]
    count = sum(part["requests"]["count"] for part in given)
    if last is None or last <= window["start_s"] or count < FEWEST:
        return None, 0.0
    offered = count / (last - window["start_s"])
    done = sum(part["throughput"]["completions"] for part in given) / window["duration_s"]
    return done / offered, sum(part["in_flight_mean"] for part in parts)


def _measured(summary: Mapping[str, Any]) -> tuple[float | None, float]:
    """Completed over the rate that the driver was told to make, which waits in the driver."""
    asked = (summary.get("driver") or {}).get("asked_iops")
    if not asked or summary["requests"]["count"] < FEWEST:
        return None, 0.0
    return summary["throughput"]["iops"] / asked, float("inf")
