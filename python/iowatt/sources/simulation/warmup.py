"""``warmup = "auto"``: cut where the initial transient ends, found by a first simulation.

The series is the mean response time of successive intervals, the method MSER-5
(:func:`iowatt.run.statistics.mser5`). Response times and not power: a disk draws its power from the first
second, a queue has to fill.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from iowatt.run.statistics import MSER_BATCH, mser5

Simulation = Mapping[str, Any]
Simulate = Callable[[Simulation], Mapping[str, Any]]

NOT_SETTLED: Final = "the response times had not settled by then"
#: A series shorter than this is taken again in finer intervals, of which there are then this many.
_FINE_INTERVALS: Final = 1000
_COARSE_INTERVALS: Final = 200
#: Ten batches of five: fewer say nothing about a transient.
_LEAST_INTERVALS: Final = 10 * MSER_BATCH


def observed(simulation: Simulation, **changes: Any) -> dict[str, Any]:
    """The simulation with other keys of ``observe``."""
    return {**simulation, "observe": {**simulation["observe"], **changes}}


def find_warmup(simulation: Simulation, simulate: Simulate) -> tuple[float, str]:
    """The end of the transient in seconds, and a note that says how it was found."""
    raw = simulate(observed(simulation, warmup_s=0.0, interval_s=None))
    if len(raw["intervals"]["start_ns"]) < _COARSE_INTERVALS:
        span = raw["summary"]["window"]
        fine_s = (span["end_ns"] - span["start_ns"]) / 1e9 / _FINE_INTERVALS
        if fine_s > 0:
            raw = simulate(observed(simulation, warmup_s=0.0, interval_s=fine_s))
    intervals = raw["intervals"]
    # An interval in which nothing completed has no mean response time.
    kept = np.flatnonzero(intervals["completions"] > 0)
    if len(kept) < _LEAST_INTERVALS:
        return 0.0, (
            f"warm-up: nothing cut; requests completed in {len(kept)} intervals only, "
            f"and MSER-5 needs {_LEAST_INTERVALS}"
        )
    means = intervals["response_sum_ns"][kept] / intervals["completions"][kept]
    cut = mser5(means.tolist())
    warmup_s = float(intervals["start_ns"][kept[cut.index]]) / 1e9 if cut.index else 0.0
    if cut.settled:
        return warmup_s, f"warm-up: {warmup_s:g} s cut, found by MSER-5 on the interval mean response times"
    return warmup_s, (
        f"warm-up: {warmup_s:g} s cut, half the run; by MSER-5 {NOT_SETTLED}, "
        "so their mean is not that of a steady state"
    )
