"""Estimates the lag of a meter's clock behind the load generator's from steps of the power.

Power steps where one stage ends and another begins. Each boundary whose step stands out gives one
estimate of the lag, and their median is taken where most of them agree: a single boundary may mislead, as
after sequential writes, when a cache goes on emptying. Where single steps do not stand out of the noise,
the power is compared with all boundaries together, moved by one lag: the lag whose two means at each boundary
leave the least squares is taken where every other one is clearly worse. Otherwise clocks are not compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from iowatt.base import digits
from iowatt.emerald.analyze.checks.minutes import Floats
from iowatt.emerald.finding import Finding, finding, non_compliant

#: A step must exceed so many standard errors of the difference of the means on its sides.
_CLEAR: Final = 12.0
_FEWEST: Final = 4  #: Samples that a mean on either side needs.
_FEWEST_BOUNDARIES: Final = 3
_FEWEST_TOGETHER: Final = 2  #: All together: samples that a mean needs, ...
#: ... by how much another lag must be worse, in squared standard errors (five of them), ...
_WORSE: Final = 25.0
#: ... the most that one boundary may contribute, so that none decides alone, and the least that is a step.
_MOST_OF_ONE: Final = 50.0
_COUNTS: Final = 9.0


@dataclass(frozen=True)
class Boundary:
    """Where power may step: between two stages, by the load generator's clock, and how far to look."""

    at: float
    reach_s: float


@dataclass(frozen=True)
class Lag:
    """How much later than the load the power steps; above zero where the meter's clock is ahead."""

    seconds: float
    agree: int  #: How many boundaries say so, within ``resolution_s``, of how many with a clear step.
    boundaries: int
    resolution_s: float  #: Time between samples: what an estimate cannot tell apart.


def lag(boundaries: Sequence[Boundary], time_s: Floats, watts: Floats, least_s: float) -> Lag | None:
    """Estimate the lag of a log; None where fewer than three boundaries show a step, or they do not
    agree, neither one by one nor together.

    ``time_s``, ``watts``: samples by the meter's clock, in order; NaN where there is no value.
    ``least_s``: estimates that differ by no more agree.
    """
    known = np.isfinite(watts)
    time_s, watts = time_s[known], watts[known]
    if len(time_s) < 2 * _FEWEST:
        return None
    step_s = float(np.median(np.diff(time_s)))
    found = np.array([each for one in boundaries if (each := _step(one, time_s, watts, step_s)) is not None])
    if len(found) >= _FEWEST_BOUNDARIES:
        middle = float(np.median(found))
        agree = int((np.abs(found - middle) <= max(least_s, 2 * step_s)).sum())
        if agree > len(found) / 2 and agree >= _FEWEST_BOUNDARIES:
            return Lag(middle, agree, len(found), step_s)
    return _together(boundaries, time_s, watts, step_s, max(least_s, 2 * step_s))


def compared(name: str, found: Lag | None, most_s: float, interval_s: float) -> Iterator[Finding]:
    """Findings about the log of an instrument with its own clock."""
    if found is None:
        text = (
            f"the log of {name} has its own clock, and the power shows too few steps to compare it "
            f"with the load generator's: whether they are within {most_s:g} s is not known"
        )
        yield non_compliant("clocks-not-compared", text, instrument=name)
        return
    apart = abs(found.seconds)
    if apart > most_s + found.resolution_s:
        text = (
            f"the power in the log of {name} steps {digits.apart(apart, most_s)} s "
            f"{('later' if found.seconds > 0 else 'earlier')} than the load at {found.agree} of "
            f"{found.boundaries} boundaries between stages: the clocks differ by about as much, and "
            f"{most_s:g} "
            "s is allowed"
        )
        yield finding(
            "clock-apart",
            "invalid" if apart > interval_s else "non-compliant",
            text,
            instrument=name,
            seconds=found.seconds,
            most_s=most_s,
        )


def _step(boundary: Boundary, time_s: Floats, watts: Floats, step_s: float) -> float | None:
    """When power steps, after the boundary; None where it does not clearly.

    The split into two means that leaves the least squares. A sample is stamped when what it averages
    ends, so a step lies half a sample before the first sample behind it.
    """
    first, last = np.searchsorted(time_s, [boundary.at - boundary.reach_s, boundary.at + boundary.reach_s])
    here, values = time_s[first:last], watts[first:last]
    count = len(values)
    if count < 4 * _FEWEST:
        return None
    explained = _explained(values, _FEWEST)
    split = int(np.argmax(explained)) + 1
    left, right = values[:split], values[split:]
    rest = _rest(values, split)
    error = math.sqrt(max(rest, 1e-12) * (1 / len(left) + 1 / len(right)))
    if abs(float(right.mean() - left.mean())) < _CLEAR * error:
        return None
    return float(here[split]) - step_s / 2 - boundary.at


def _explained(values: Floats, fewest: int) -> Floats:
    """Sum of squares that each split into two means explains: S^2 n / (k (n - k))."""
    count = len(values)
    before = np.arange(1, count)
    sums = np.cumsum(values - values.mean())[:-1]
    explained: Floats = sums**2 * count / (before * (count - before))
    explained[: fewest - 1] = explained[count - fewest :] = 0.0
    return explained


def _rest(values: Floats, split: int) -> float:
    """The variance that is left around two means."""
    left, right = values[:split], values[split:]
    squares = float(((left - left.mean()) ** 2).sum() + ((right - right.mean()) ** 2).sum())
    return squares / max(len(values) - 2, 1)


def _together(
    boundaries: Sequence[Boundary], time_s: Floats, watts: Floats, step_s: float, apart_s: float
) -> Lag | None:
    """One lag for all boundaries; None where another, more than ``apart_s`` away, explains about as much."""
    reach = max((one.reach_s for one in boundaries), default=0.0)
    lags = np.arange(-reach, reach + step_s / 4, step_s / 2)
    rows = [_against(one, lags, time_s, watts, step_s) for one in boundaries]
    said = np.array([row for row in rows if row is not None and row.max(initial=0.0) >= _COUNTS])
    if len(said) < _FEWEST_BOUNDARIES:
        return None
    lost = np.minimum(said.max(axis=1, keepdims=True) - said, _MOST_OF_ONE)
    total = lost.sum(axis=0)
    best = float(lags[total <= total.min() + 1e-9].mean())
    near = np.abs(lags - best) <= apart_s + 1e-9
    if near.all() or total[~near].min() < total.min() + _WORSE:
        return None
    at = int(np.argmin(total))
    agree = int(((said[:, at] >= _COUNTS) & (lost[:, at] <= _COUNTS)).sum())
    if agree < _FEWEST_BOUNDARIES or agree <= len(said) / 2:
        return None
    return Lag(best, agree, len(said), step_s)


def _against(boundary: Boundary, lags: Floats, time_s: Floats, watts: Floats, step_s: float) -> Floats | None:
    """Sum of squares that a step at the boundary explains at each lag, in units of the noise."""
    first, last = np.searchsorted(time_s, [boundary.at - boundary.reach_s, boundary.at + boundary.reach_s])
    here, values = time_s[first:last], watts[first:last]
    if len(values) < 3 * _FEWEST_TOGETHER:
        return None
    explained = _explained(values, _FEWEST_TOGETHER)
    noise = max(_rest(values, int(np.argmax(explained)) + 1), 1e-12)
    # A sample is stamped when what it averages ends: those up to half of one behind the step are before it.
    splits = np.searchsorted(here, boundary.at + lags + step_s / 2)
    inside = (splits >= 1) & (splits < len(values))
    found: Floats = np.where(inside, explained[np.clip(splits - 1, 0, len(explained) - 1)], 0.0) / noise
    return found
