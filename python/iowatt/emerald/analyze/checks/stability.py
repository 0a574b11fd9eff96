"""Whether the metric is stable: a weighted average of ten minutes of power efficiency, read three ways.

    EA(n) = sum over k = 0 .. 9 of w_k * PE(n - k), the weights adding to 1, the newest minute first

The specification's weights and its wording of the tolerance were not available, so the rules hold both as
data, and all three readings are computed:

- a: every EA lies within the tolerance of the mean PE of the measurement interval
- b: every EA lies within the tolerance of the one before
- c: the largest EA less the smallest is within the tolerance of that mean

Functions work on the last axis, so that many series can be judged at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from iowatt.emerald.analyze.checks.minutes import Floats

Reading = Literal["a", "b", "c"]
READINGS: Final[tuple[Reading, ...]] = ("a", "b", "c")
MEANING: Final[dict[Reading, str]] = {
    "a": "every EA within the tolerance of the interval's mean",
    "b": "every EA within the tolerance of the one before",
    "c": "largest less smallest EA within the tolerance of the mean",
}


@dataclass(frozen=True)
class Deviations:
    """The largest deviation under each reading, as a fraction; NaN where an EA is missing."""

    a: Floats
    b: Floats
    c: Floats

    def of(self, reading: Reading) -> Floats:
        """By the reading's name."""
        found: Floats = getattr(self, reading)
        return found

    def holds(self, reading: Reading, tolerance: float) -> np.ndarray:
        """Whether the reading's largest deviation is within ``tolerance``; false where it is not known."""
        return np.asarray(self.of(reading) <= tolerance)


def weighted(efficiency: Floats, weights: Sequence[float]) -> Floats:
    """EA of every minute: NaN for the first ``len(weights) - 1``, and where one of its minutes is
    missing.

    Raises ``ValueError`` where the weights do not add to 1.
    """
    if abs(sum(weights) - 1) > 1e-9:
        raise ValueError(f"weights add to {sum(weights):g}, not to 1")
    points, length = len(weights), efficiency.shape[-1]
    found = np.full(efficiency.shape, np.nan)
    if length >= points:
        total = np.zeros((*efficiency.shape[:-1], length - points + 1))
        for back, weight in enumerate(weights):
            total += weight * efficiency[..., points - 1 - back : length - back]
        found[..., points - 1 :] = total
    return found


def deviations(averages: Floats, mean: Floats | float) -> Deviations:
    """Largest deviations of the EAs of a measurement interval from what each reading compares them with.

    ``averages``: EA of the minutes of the measurement interval, at least one.
    ``mean``: mean PE of the interval.
    """
    mean = np.asarray(mean, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        a = np.abs(averages - mean[..., None]).max(axis=-1) / mean
        steps = np.abs(np.diff(averages, axis=-1)) / averages[..., :-1]
        c = (averages.max(axis=-1) - averages.min(axis=-1)) / mean
    known = np.isfinite(averages).all(axis=-1)
    b = steps.max(axis=-1, initial=0.0)
    return Deviations(*(np.where(known, values, np.nan) for values in (a, b, c)))
