"""Hyper-exponential of two phases: ``F(x) = 1 - p exp(-x / m1) - (1 - p) exp(-x / m2)``.

Maximum likelihood by expectation maximisation (Dempster, Laird and Rubin 1977; for phases Asmussen, Nerman
and Olsson 1996), from the means of the shorter and the longer half.
"""

from __future__ import annotations

import numpy as np

from iowatt.lenses.idle.laws.law import Law
from iowatt.lenses.idle.laws.sample import Sample
from iowatt.lenses.idle.periods import Floats

MOST_STEPS = 5_000
#: Gain in log-likelihood per length at which it has converged.
SETTLED = 1e-11


def fit(sample: Sample) -> Law | None:
    """Maximum likelihood. None where the two phases come together: then it is the exponential law."""
    p, mean = _start(sample)
    before = -np.inf
    for _ in range(MOST_STEPS):
        parts = _log_parts(sample.x_s, p, mean)
        both = np.logaddexp(parts[0], parts[1])
        likelihood = sample.mean(both)
        if likelihood - before < SETTLED:
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
    return Law(
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
