"""What may be said about a mean from one run: its confidence interval, and where its warm-up ends.

Batch means: successive requests are correlated, so the variance of single requests says too little
about the variance of their mean. Means of long batches are nearly independent, and Student's t on
them gives the interval (Law, Simulation Modeling and Analysis, 9.5.3).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

MIN_BATCHES = 10
MIN_REQUESTS_PER_BATCH = 2
MSER_BATCH = 5


def known_sum(values: Iterable[float | None]) -> float | None:
    """The exact sum (``math.fsum``), None where a value is not known."""
    found = list(values)
    return None if None in found else math.fsum(value for value in found if value is not None)


def student_t_cdf(t: float, degrees: int) -> float:
    """Probability that a Student t variable with ``degrees`` degrees of freedom is at most ``t``.

    The finite trigonometric series for whole degrees of freedom (Abramowitz and Stegun 26.7.3 and
    26.7.4): exact, but for rounding, with ``degrees / 2`` terms.
    """
    if degrees < 1:
        raise ValueError(f"degrees of freedom must be at least 1, not {degrees}")
    theta = math.atan(t / math.sqrt(degrees))
    sine, cosine = math.sin(theta), math.cos(theta)
    # A(t) is the probability that |variable| < t; odd and even degrees start their series apart.
    odd = degrees % 2
    term = cosine if odd else 1.0
    total = term if degrees > 1 else 0.0
    for k in range(2 + odd, degrees - 1, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    within = 2 / math.pi * (theta + sine * total) if odd else sine * total
    return 0.5 + within / 2


@cache
def student_t_quantile(probability: float, degrees: int) -> float:
    """Value that a Student t variable stays below with ``probability`` (0 < p < 1).

    Bisection on :func:`student_t_cdf` until the bracket no longer narrows in double precision; the
    tests hold it to published tables and to closed forms within 1e-9 relative.
    """
    if not 0 < probability < 1:
        raise ValueError(f"a probability lies between 0 and 1, not {probability}")
    if probability < 0.5:
        return -student_t_quantile(1 - probability, degrees)
    low, high = 0.0, 1.0
    while student_t_cdf(high, degrees) < probability:
        low, high = high, 2 * high
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return middle
        if student_t_cdf(middle, degrees) < probability:
            low = middle
        else:
            high = middle


def mean_interval(
    batch_means: Sequence[float], requests: int, confidence: float = 0.95
) -> tuple[float, float] | None:
    """Two-sided confidence interval of a mean from the means of equal batches.

    Returns ``None`` where the batches are too few (under 10) or too short (under 2 requests each)
    for the interval to mean anything. Units are those of the batch means.
    """
    batches = len(batch_means)
    if batches < MIN_BATCHES or requests < MIN_REQUESTS_PER_BATCH * batches:
        return None
    mean = math.fsum(batch_means) / batches
    variance = math.fsum((value - mean) ** 2 for value in batch_means) / (batches - 1)
    half = student_t_quantile((1 + confidence) / 2, batches - 1) * math.sqrt(variance / batches)
    return (mean - half, mean + half)


@dataclass(frozen=True)
class Truncation:
    """Where a series leaves its initial transient."""

    #: Observations to cut from the front.
    index: int
    #: Whether the minimum was found before the middle; if not, the series had not settled.
    settled: bool


def mser5(series: Sequence[float]) -> Truncation:
    """Initial transient of a series by MSER-5.

    White, Cobb and Spratt (2000): average the series in batches of 5, and cut the ``d`` leading
    batches that minimise ``sum((y - mean)^2) / (n - d)^2`` over what remains. A minimum in the
    second half of the series is not trusted: the cut is then half the series, and ``settled`` is
    false. A rest shorter than a batch at the end is left out. Under 2 batches nothing is cut.
    """
    count = len(series) // MSER_BATCH
    if count < 2:
        return Truncation(index=0, settled=False)
    batches = [math.fsum(series[MSER_BATCH * i : MSER_BATCH * (i + 1)]) / MSER_BATCH for i in range(count)]
    # Shifted by the last batch, so that running sums of squares do not cancel.
    shift = batches[-1]
    best, best_value = 0, math.inf
    total = squares = 0.0
    # From the back, so that each step adds one batch to what remains. The last five batches alone
    # would win by chance (a lone batch has no variance at all), so they never stand by themselves.
    least = min(MSER_BATCH, count)
    for cut in range(count - 1, -1, -1):
        deviation = batches[cut] - shift
        total += deviation
        squares += deviation * deviation
        rest = count - cut
        if rest < least:
            continue
        value = max(squares - total * total / rest, 0.0) / (rest * rest)
        if value <= best_value:
            best, best_value = cut, value
    settled = best <= count // 2
    return Truncation(index=MSER_BATCH * min(best, count // 2), settled=settled)
