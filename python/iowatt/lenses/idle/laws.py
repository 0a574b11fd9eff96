"""Distributions fitted to idle periods by maximum likelihood.

Each law takes a :class:`Sample` and gives a :class:`LengthLaw`, or None where it cannot be fitted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from iowatt.lenses.idle.histogram import LengthHistogram, edge_s
from iowatt.lenses.idle.periods import Floats
from iowatt.lenses.idle.result import FittedLengthLaw, LawName

#: With fewer periods, or fewer lengths that differ, no law is fitted.
LEAST_PERIODS = 20
LEAST_LENGTHS = 5

_MOST_STEPS = 5_000
#: Gain in log-likelihood per length at which it has converged.
_SETTLED = 1e-11
#: Steepest law that is tried: alpha x d, near which exp() ends.
_STEEPEST = 700.0
#: Below it, both sides of the estimate are taken from their series.
_FLAT = 1e-4


@dataclass(frozen=True)
class Sample:
    """Bins of a histogram: their means ``x_s`` in s (ascending), counts ``n``, and edges for distances."""

    x_s: Floats
    n: npt.NDArray[np.int64]
    lower_s: Floats
    upper_s: Floats
    least_s: float
    most_s: float

    @classmethod
    def of(cls, histogram: LengthHistogram) -> Sample:
        """The bins that hold something."""
        used = np.flatnonzero(histogram.count)
        return cls(
            x_s=histogram.sum_s[used] / histogram.count[used],
            n=histogram.count[used],
            lower_s=edge_s(used),
            upper_s=edge_s(used + 1),
            least_s=histogram.least_s,
            most_s=histogram.most_s,
        )

    @property
    def total(self) -> int:
        """Number of lengths."""
        return int(self.n.sum())

    def mean(self, values: Floats) -> float:
        """Mean of a function of the lengths, given by bin."""
        return float(np.dot(self.n, values) / self.total)


@dataclass(frozen=True)
class LengthLaw:
    """A distribution of lengths in s. ``freedom`` is the number of fitted parameters."""

    name: LawName
    parameters: dict[str, float | list[float]]
    freedom: int
    mean_s: float | None
    log_density: Callable[[Floats], Floats]
    cdf: Callable[[Floats], Floats]


def fits(sample: Sample, at_s: Sequence[float] = ()) -> list[FittedLengthLaw]:
    """All laws that could be fitted, the best (least Akaike information criterion) first.

    ``curve`` of each is its distribution function at the lengths ``at_s``.
    """
    if sample.total < LEAST_PERIODS or len(sample.x_s) < LEAST_LENGTHS:
        return []
    laws = (exponential, hyper_exponential, weibull, log_normal, pareto, bounded_pareto)
    found = [_fitted(law, sample, at_s) for fit in laws if (law := fit(sample)) is not None]
    return sorted(found, key=lambda fit: fit.aic)


def _fitted(law: LengthLaw, sample: Sample, at_s: Sequence[float] = ()) -> FittedLengthLaw:
    """The law with its log-likelihood, the Akaike information criterion and the Kolmogorov-Smirnov distance.

    The distance is the greatest one between the distribution functions at edges of bins, where the measured
    one is exact.
    """
    likelihood = float(np.dot(sample.n, law.log_density(sample.x_s)))
    after = np.cumsum(sample.n) / sample.total
    before = after - sample.n / sample.total
    distance = max(
        float(np.max(np.abs(law.cdf(sample.lower_s) - before))),
        float(np.max(np.abs(law.cdf(sample.upper_s) - after))),
    )
    return FittedLengthLaw(
        law=law.name,
        parameters=law.parameters,
        mean_s=law.mean_s,
        log_likelihood=likelihood,
        aic=2 * law.freedom - 2 * likelihood,
        ks_distance=distance,
        curve=law.cdf(np.asarray(at_s, dtype=np.float64)).tolist(),
    )


def exponential(sample: Sample) -> LengthLaw | None:
    """Exponential: ``F(x) = 1 - exp(-x / mean)``; the estimate is the mean."""
    mean = sample.mean(sample.x_s)
    return LengthLaw(
        name="exponential",
        parameters={"mean_s": mean},
        freedom=1,
        mean_s=mean,
        log_density=lambda x: -x / mean - math.log(mean),
        cdf=lambda x: -np.expm1(-x / mean),
    )


def hyper_exponential(sample: Sample) -> LengthLaw | None:
    """Hyper-exponential of two phases: ``F(x) = 1 - p exp(-x / m1) - (1 - p) exp(-x / m2)``.

    Expectation maximisation (Dempster, Laird and Rubin 1977; for phases Asmussen, Nerman and Olsson 1996),
    from the means of the shorter and the longer half. None where the phases coincide: then it is exponential.
    """
    p, mean = _start(sample)
    before = -np.inf
    for _ in range(_MOST_STEPS):
        parts = _log_parts(sample.x_s, p, mean)
        both = np.logaddexp(parts[0], parts[1])
        likelihood = sample.mean(both)
        if likelihood - before < _SETTLED:
            break
        before = likelihood
        weight = np.exp(parts - both) * sample.n
        share = weight.sum(axis=1)
        if share.min() <= 0:
            return None
        p, mean = share / share.sum(), weight @ sample.x_s / share
    order = np.argsort(mean)
    p, mean = p[order], mean[order]
    if mean[1] < mean[0] * (1 + 1e-3):
        return None
    return LengthLaw(
        name="hyper-exponential",
        parameters={"probability": p.tolist(), "mean_s": mean.tolist()},
        freedom=3,
        mean_s=float(p @ mean),
        log_density=lambda x: np.logaddexp(*_log_parts(x, p, mean)),
        cdf=lambda x: -(p[0] * np.expm1(-x / mean[0]) + p[1] * np.expm1(-x / mean[1])),
    )


def _log_parts(x: Floats, p: Floats, mean: Floats) -> Floats:
    """Logarithm of each phase's part of the density, phases x lengths."""
    return np.log(p / mean)[:, None] - x[None, :] / mean[:, None]


def _start(sample: Sample) -> tuple[Floats, Floats]:
    upto = np.cumsum(sample.n)
    half = int(np.searchsorted(upto, sample.total / 2)) + 1
    half = min(half, len(sample.n) - 1)
    short, long = slice(0, half), slice(half, None)
    counts = np.array([sample.n[short].sum(), sample.n[long].sum()], dtype=np.float64)
    means = np.array([sample.n[part] @ sample.x_s[part] for part in (short, long)]) / counts
    return counts / counts.sum(), means


def weibull(sample: Sample) -> LengthLaw | None:
    """Weibull: ``F(x) = 1 - exp(-(x / scale)^shape)``; a shape below 1 has many long periods.

    The estimate of the shape k solves ``sum(x^k ln x) / sum(x^k) - 1/k = mean(ln x)``, whose left side grows
    with k.
    """
    logs = np.log(sample.x_s)
    mean_log = sample.mean(logs)

    def excess(shape: float) -> float:
        # In proportion to the greatest power, so that none overflows.
        powers = sample.n * np.exp(shape * (logs - logs[-1]))
        return float(powers @ logs / powers.sum() - 1 / shape - mean_log)

    shape = _increasing_root(excess, 1e-3, 1e3)
    if shape is None:
        return None
    top = float(logs[-1])
    log_scale = top + float(np.log(sample.mean(np.exp(shape * (logs - top))))) / shape
    scale = float(np.exp(log_scale))
    return LengthLaw(
        name="weibull",
        parameters={"shape": shape, "scale_s": scale},
        freedom=2,
        mean_s=_weibull_mean(shape, scale),
        log_density=lambda x: (
            np.log(shape) - log_scale + (shape - 1) * (np.log(x) - log_scale) - np.power(x / scale, shape)
        ),
        cdf=lambda x: -np.expm1(-np.power(x / scale, shape)),
    )


def _weibull_mean(shape: float, scale: float) -> float | None:
    try:
        return scale * math.gamma(1 + 1 / shape)
    except OverflowError:
        return None


def _increasing_root(function: Callable[[float], float], low: float, high: float) -> float | None:
    """Where an increasing function crosses 0 within ``low`` .. ``high`` (both above 0), by bisection."""
    if not function(low) <= 0 <= function(high):
        return None
    for _ in range(200):
        middle = math.sqrt(low * high)
        if middle <= low or middle >= high:
            break
        if function(middle) < 0:
            low = middle
        else:
            high = middle
    return math.sqrt(low * high)


def log_normal(sample: Sample) -> LengthLaw | None:
    """Log-normal: ln x is normal with mean mu and standard deviation sigma, which are the estimates."""
    logs = np.log(sample.x_s)
    mu = sample.mean(logs)
    sigma = math.sqrt(sample.mean((logs - mu) ** 2))
    if sigma == 0:
        return None

    def log_density(x: Floats) -> Floats:
        return -np.log(x) - math.log(sigma * math.sqrt(2 * math.pi)) - ((np.log(x) - mu) / sigma) ** 2 / 2

    half = mu + sigma * sigma / 2
    return LengthLaw(
        name="log-normal",
        parameters={"median_s": math.exp(mu), "sigma": sigma},
        freedom=2,
        mean_s=math.exp(half) if half < 700 else None,
        log_density=log_density,
        cdf=lambda x: _normal((np.log(x) - mu) / sigma),
    )


def _normal(z: Floats) -> Floats:
    """The standard normal distribution function."""
    return np.array([0.5 * math.erfc(-value / math.sqrt(2)) for value in z.tolist()])


def pareto(sample: Sample) -> LengthLaw | None:
    """Pareto: ``F(x) = 1 - (least / x)^alpha``; 1 / alpha is the mean of ln(x / least) (Hill)."""
    least = sample.least_s
    mean_log = sample.mean(np.log(sample.x_s / least))
    if mean_log <= 0:
        return None
    alpha = 1 / mean_log

    def log_density(x: Floats) -> Floats:
        return math.log(alpha) + alpha * math.log(least) - (alpha + 1) * np.log(x)

    return LengthLaw(
        name="pareto",
        parameters={"alpha": alpha, "least_s": least},
        freedom=2,
        mean_s=alpha * least / (alpha - 1) if alpha > 1 else None,
        log_density=log_density,
        cdf=lambda x: -np.expm1(-alpha * np.log(np.maximum(x, least) / least)),
    )


def bounded_pareto(sample: Sample) -> LengthLaw | None:
    """Bounded Pareto: the Pareto law between the least and the greatest length.

    With y = ln(x / least) and d = ln(most / least) it is an exponential law cut off at d, of density
    ``alpha exp(-alpha y) / (1 - exp(-alpha d))``; the estimate solves
    ``1/alpha - d / (exp(alpha d) - 1) = mean(y)`` (Aban, Meerschaert and Panorska 2006), whose left side
    falls from d to 0. Where mean(y) is above d / 2, alpha is negative: each decade then has more of the
    periods than the one below it.
    """
    least, most = sample.least_s, sample.most_s
    width = math.log(most / least)
    if width <= 0:
        return None
    mean_share = sample.mean(np.log(sample.x_s / least)) / width
    turn = _turn(mean_share)
    if turn is None:
        return None
    alpha = turn / width
    log_norm = math.log(alpha / -math.expm1(-turn))

    def log_density(x: Floats) -> Floats:
        return log_norm + alpha * math.log(least) - (alpha + 1) * np.log(x)

    def cdf(x: Floats) -> Floats:
        y = np.log(np.clip(x, least, most) / least)
        return np.expm1(-alpha * y) / math.expm1(-turn)

    return LengthLaw(
        name="bounded-pareto",
        parameters={"alpha": alpha, "least_s": least, "most_s": most},
        freedom=3,
        mean_s=_bounded_mean(alpha, least, most),
        log_density=log_density,
        cdf=cdf,
    )


def _mean_share(turn: float) -> float:
    """Mean of y / d for alpha x d = ``turn``."""
    return 0.5 - turn / 12 if abs(turn) < _FLAT else 1 / turn - 1 / math.expm1(turn)


def _turn(mean_share: float) -> float | None:
    """alpha x d for a mean of y / d, by bisection; never 0."""
    low, high = -_STEEPEST, _STEEPEST
    if not _mean_share(high) < mean_share < _mean_share(low):
        return None
    for _ in range(200):
        middle = (low + high) / 2
        if _mean_share(middle) > mean_share:
            low = middle
        else:
            high = middle
    found = (low + high) / 2
    return found if abs(found) > 1e-12 else 1e-12


def _bounded_mean(alpha: float, least: float, most: float) -> float:
    width = math.log(most / least)
    rest = alpha - 1
    moved = width if abs(rest * width) < 1e-9 else -math.expm1(-rest * width) / rest
    return alpha * least * moved / -math.expm1(-alpha * width)
