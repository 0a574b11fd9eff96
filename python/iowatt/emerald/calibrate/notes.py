"""Notes of a calibrated phase: what limits its result, and why a faster point was not chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from iowatt.base.results import Note
from iowatt.emerald.calibrate.result import Point, ResponseLimit
from iowatt.emerald.generator import Cause, words

_REMEDY: Final[dict[Cause, str]] = {
    "outstanding": "More outstanding requests gained nothing; another load generator, or several, may",
    "processor": "A faster host, or several, may go further",
    "issue": "More outstanding requests gained nothing; a faster host, or a longer queue on it, may",
}


def limiting_point(points: Sequence[Point], chosen: Point | None, limit: ResponseLimit) -> Point | None:
    """The run that ended the search because the load generator, and not the storage, was the limit.

    It is the next conclusive rate above the chosen one. A storage that exceeds the limit has shown its own.
    """
    least = 0.0 if chosen is None else chosen.rate_iops or 0.0
    last = {p.rate_iops: p for p in points if p.kind == "search" and p.rate_iops is not None}
    for rate in sorted(rate for rate in last if rate > least):
        point = last[rate]
        if point.verdict == "generator":
            return point
        if point.outcome.response_s is not None and point.outcome.response_s > limit.aim_s:
            return None
    return None


def generator_limited(point: Point, cause: Cause) -> Note:
    """The load generator was the limit; with a remedy."""
    text = f"{words(point.outcome.load(point.rate_iops), cause)}: the storage's own rate is not known."
    return Note(code="generator-limited", text=f"{text} {_REMEDY[cause]}", decides=True)


def minute_decided(points: Sequence[Point], limit: ResponseLimit) -> list[Note]:
    """Whether the limit of a minute decided any verdict."""
    decided = sum(
        p.verdict == "over" and p.outcome.response_s is not None and p.outcome.response_s <= limit.aim_s
        for p in points
    )
    if not decided or limit.response_minute_ms is None:
        return []
    text = f"in {decided} runs the mean kept its limit, but a minute exceeded {limit.response_minute_ms:g} ms"
    return [Note(code="minute-over", text=text)]


def passed_over(points: Sequence[Point], chosen: Point | None, keeps_up: float) -> list[Note]:
    """Why a point that achieved more than the chosen one was not chosen."""
    if chosen is None:
        return []
    faster = [p for p in points if p.verdict == "saturated" and p.achieved_iops > chosen.achieved_iops]
    best = max(faster, key=lambda point: point.achieved_iops, default=None)
    if best is None or best.rate_iops is None:
        return []
    text = (
        f"{best.achieved_iops:.4g} IOPS were achieved too, but at an offered rate of {best.rate_iops:g}: "
        f"a rate counts only where {100 * keeps_up:g} % of it are achieved, else the queue grows without end"
    )
    return [Note(code="faster-not-kept-up", text=text)]


def within_tolerance(points: Sequence[Point], chosen: Point, tolerance: float) -> list[Note]:
    """Why the point with the highest throughput was not chosen."""
    best = max(points, key=lambda point: point.mib_per_s)
    if best.mib_per_s <= chosen.mib_per_s:
        return []
    text = (
        f"{best.mib_per_s:.4g} MiB/s were reached too, with {best.outstanding} outstanding: within "
        f"{100 * tolerance:g} % counts as equal, and the fewest outstanding of equals are chosen"
    )
    return [Note(code="within-tolerance", text=text)]


def warnings(chosen: Point | None) -> list[Note]:
    """Warnings of the load generator in the chosen run; those of the others stay with their points."""
    return [] if chosen is None else [Note(code="load-generator", text=one) for one in chosen.warnings]
