"""Work that piles up: a queue that grows as long as requests arrive, from a Run's ``intervals``."""

from __future__ import annotations

import polars as pl

LONG_DRAIN = 0.1
"""Time to complete what is left after the last arrival, as a share of the time in which requests arrive,
from which a replay at recorded times is called too fast for the array."""

BACKLOG = 4
"""Requests in flight that tell a queue from a straggler."""


def backlog_growth(intervals: pl.DataFrame, last_arrival_s: float | None) -> tuple[float, float] | None:
    """Mean requests in flight in the second and in the last quarter, where the latter shows a backlog.

    A backlog: at least twice as many, and at least four more. The first quarter is left out because
    every system fills up at first; what comes after the last arrival, because the queue only empties then.
    """
    arriving = intervals if last_arrival_s is None else intervals.filter(pl.col("end_s") <= last_arrival_s)
    if arriving.height < 8:
        return None
    quarter = arriving.height // 4
    early = _in_flight(arriving.slice(quarter, quarter))
    late = _in_flight(arriving.slice(arriving.height - quarter, quarter))
    return (early, late) if late >= 2 * early and late >= early + BACKLOG else None


def drain(intervals: pl.DataFrame, last_arrival_s: float | None) -> tuple[float, float] | None:
    """Seconds in which requests arrived, and seconds until the last of them was complete, where long.

    Long: at least a tenth of the former, with a backlog in flight on average. A single slow request at the
    end (a drive that spins up) is none.
    """
    working = intervals.filter(pl.col("in_flight_mean") > 0)
    arriving = intervals.filter(pl.col("arrivals") > 0)
    if last_arrival_s is None or not working.height or not arriving.height:
        return None
    span = max(0.0, last_arrival_s - float(arriving["start_s"][0]))
    after = float(working["end_s"][-1]) - last_arrival_s
    # Where intervals are coarse, the one with the last arrival speaks for what follows it.
    waiting = _in_flight(working.filter(pl.col("end_s") > last_arrival_s)) if after > 0 else 0.0
    return (span, after) if after > LONG_DRAIN * span and waiting >= BACKLOG else None


def _in_flight(part: pl.DataFrame) -> float:
    """Requests in flight, a mean over time."""
    width = pl.col("end_s") - pl.col("start_s")
    return float(part.select((pl.col("in_flight_mean") * width).sum() / width.sum()).item())
