"""Response times before a failure, until recovery begins, while it runs, after it, and while data moves."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

import numpy as np
import polars as pl

from iowatt.run.histogram import Histogram

if TYPE_CHECKING:
    from iowatt.lenses.recovery.node_moves import NodeMove
    from iowatt.lenses.recovery.units import FailedUnit
    from iowatt.run.bundle import Run

Kind = Literal["before", "moving", "degraded", "recovering", "after"]

_ROUNDED: Final = 1e-9
"""Seconds by which the end of a block may differ from a time by rounding."""


@dataclass(frozen=True)
class Phase:
    """Requests that completed in one state of the system; ``seconds`` is how long it lasted.

    ``before`` any failure or move; ``moving``: data moves for nodes that joined or leave, and all that had
    failed is recovered; ``degraded``: something has failed and nothing recovers; ``recovering``; ``after``:
    all that had failed is recovered, and all has moved. Percentiles are in ms, defined as in
    :mod:`iowatt.run.histogram`, and None without requests.
    """

    kind: Kind
    seconds: float
    requests: int
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    read_p95_ms: float | None
    write_p95_ms: float | None


def phases(run: Run, failures: Sequence[FailedUnit], moves: Sequence[NodeMove] = ()) -> list[Phase]:
    """The phases of a Run in order, as seen at the host; none without failures and moves, or a ``series``.

    Blocks of the series in which the state changed belong to no phase.
    """
    if not (failures or moves) or run.series is None:
        return []
    series = run.series.filter(pl.col("point") == "host")
    start, end = series["start_s"].to_numpy(), series["end_s"].to_numpy()
    window = run.summary["window"]
    found = []
    spans = _spans(failures, moves, window["start_s"], window["end_s"])
    for kind in dict.fromkeys(kind for kind, _, _ in spans):
        inside = np.zeros(len(start), dtype=bool)
        for low, high in ((low, high) for this, low, high in spans if this == kind):
            inside |= (start >= low - _ROUNDED) & (end <= high + _ROUNDED)
        seconds = sum(high - low for this, low, high in spans if this == kind)
        found.append(_phase(kind, seconds, series.filter(pl.Series(inside))))
    return sorted(found, key=lambda phase: get_args(Kind).index(phase.kind))


def _spans(
    failures: Sequence[FailedUnit], moves: Sequence[NodeMove], start: float, end: float
) -> list[tuple[Kind, float, float]]:
    """The window in spans of one state each."""
    times = [start, end]
    for one in failures:
        times += [time for time in (one.failed_s, one.started_s, one.finished_s) if time is not None]
    for move in moves:
        times += [time for time in (move.at_s, move.finished_s) if time is not None]
    edges = itertools.pairwise(sorted({min(max(time, start), end) for time in times}))
    return [(_state(failures, moves, (low + high) / 2), low, high) for low, high in edges]


def _state(failures: Sequence[FailedUnit], moves: Sequence[NodeMove], time: float) -> Kind:
    failed = [one for one in failures if one.failed_s <= time]
    left = [one for one in failed if one.finished_s is None or time < one.finished_s]
    if not left:
        begun = [move for move in moves if move.at_s <= time]
        if any(move.finished_s is None or time < move.finished_s for move in begun):
            return "moving"
        return "after" if failed or begun else "before"
    recovers = any(one.started_s is not None and one.started_s <= time for one in left)
    return "recovering" if recovers else "degraded"


def _phase(kind: Kind, seconds: float, series: pl.DataFrame) -> Phase:
    every, reads, writes = (
        _histogram(part)
        for part in (series, *(series.filter(pl.col("op") == op) for op in ("read", "write")))
    )
    return Phase(
        kind=kind,
        seconds=seconds,
        requests=int(series["count"].sum()),
        p50_ms=_ms(every, 0.5),
        p95_ms=_ms(every, 0.95),
        p99_ms=_ms(every, 0.99),
        read_p95_ms=_ms(reads, 0.95),
        write_p95_ms=_ms(writes, 0.95),
    )


def _histogram(series: pl.DataFrame) -> Histogram:
    low, high, count = (series[name].explode().drop_nulls() for name in ("low_ns", "high_ns", "bin_count"))
    return Histogram.of(low, high, count)


def _ms(histogram: Histogram, share: float) -> float | None:
    value = histogram.quantile(share)
    return None if value is None else value / 1e6
