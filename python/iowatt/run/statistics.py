"""Statistics of a mean from one run: its confidence interval, and where its warm-up ends.

Batch means: successive requests are correlated, so the variance of single requests says too little
about the variance of their mean. Means of long batches are nearly independent, and Student's t on
them gives the interval (Law, Simulation Modeling and Analysis, 9.5.3). Batches of different numbers of
requests weigh as they do in the mean (ratio estimator; Cochran, Sampling Techniques, 6.4), so the interval is
always one of the mean beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

MIN_BATCHES = 10
MIN_REQUESTS_PER_BATCH = 2
MIN_INDEPENDENT = 4
MSER_BATCH = 5
#: Differences under this share of a mean are rounding.
ROUNDING = 1e-12


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


@dataclass(frozen=True)
class MeanInterval:
    """Limits of a mean in its unit; None where there are none."""

    limits: tuple[float, float] | None
    #: Why there are none, where it is not that batches are too few or too short.
    withheld: str | None = None


def mean_interval(batches: Sequence[tuple[int, float]], confidence: float = 0.95) -> MeanInterval:
    """Two-sided confidence interval of a mean that is not negative, from successive batches.

    Parameters
    ----------
    batches:
        Requests and mean of each, in order. The interval is one of the mean over all of these requests.

    Notes
    -----
    The standard error s of the mean m is that of a ratio. The limits are m exp(-t s / m) and m exp(t s / m),
    Student's t about the logarithm (delta method), so none is negative. ``(sum w)^2 / sum w^2`` batches of
    equal weight would know as much as these (Kish, Survey Sampling, 11.7): the degrees of freedom are one
    less.

    There is no interval with fewer than 10 such batches or under 2 requests in each on average. It is
    withheld where t s is not below m, and where successive batches are so alike (correlation r at lag 1) that
    n (1 - r) / (1 + r), what they are worth in independent ones, is below 4: a queue that grows has no mean
    that a longer run would settle.
    """
    total = sum(count for count, _ in batches)
    weights = sum(count * count for count, _ in batches)
    worth = total * total / weights if weights else 0.0
    if worth < MIN_BATCHES or total < MIN_REQUESTS_PER_BATCH * len(batches):
        return MeanInterval(None)
    mean = math.fsum(count * value for count, value in batches) / total
    apart = [count * (value - mean) for count, value in batches]
    squares = math.fsum(one * one for one in apart)
    if math.sqrt(squares) <= ROUNDING * mean * total:
        return MeanInterval((mean, mean))
    alike = max(0.0, math.fsum(a * b for a, b in pairwise(apart)) / squares)
    if worth * (1 - alike) / (1 + alike) < MIN_INDEPENDENT:
        return MeanInterval(
            None,
            f"successive batches of requests are correlated ({alike:.2f}): it drifts, as with a growing "
            "queue, or changes too slowly for a run of this length",
        )
    error = math.sqrt(squares * worth / (worth - 1)) / total
    half = student_t_quantile((1 + confidence) / 2, math.floor(worth) - 1) * error
    if half >= mean:
        return MeanInterval(
            None, "it is no more than its own uncertainty: a few bursts of slow requests decide it"
        )
    return MeanInterval((mean * math.exp(-half / mean), mean * math.exp(half / mean)))


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
