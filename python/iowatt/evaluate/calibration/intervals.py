"""Intervals of fitted figures: by the spread of residuals, and by how the squares rise towards their ends.

All in logarithms, as the figures and observations of ``least_squares`` are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

FLAT: Final = 0.4
"""A figure that may be half as large again, or two thirds, is not determined (a logarithm)."""
RESOLUTION: Final = 0.01
"""No cell is surer and no interval narrower: fio's bins are 1.6 % wide, runs repeated differ by as much."""
RESAMPLES: Final = 2000
UNKNOWN: Final = math.log(2)
"""A figure that is not determined lies between half and twice the base's (95 %)."""
_RISEN: Final = 0.7
"""Of the squares' rise by slopes: less shows a bend, more may be the noise of the simulation."""
_EXTENSIONS: Final = 3


@dataclass(frozen=True)
class Noise:
    """Squared residuals and degrees of freedom of fits to measurements that erred alike."""

    squares: float = 0.0
    freedom: int = 0


NONE: Final = Noise()


def half_widths(
    slopes: Array, residuals: Array, seed: int, noise: Noise = NONE, unknown: Array | None = None
) -> Array:
    """Half the 95 % intervals of the figures: Student's quantile times their deviation.

    The deviation is the greater of that of least squares, ``s sqrt((J'J)^-1)``, and of residuals drawn anew
    in blocks (neighbouring cells err alike). Quantiles of what is drawn are of no use: of seven residuals
    none lies beyond the greatest. ``unknown`` are slopes of figures that stay as in the base.
    """
    count, figures = slopes.shape
    freedom = count - figures + noise.freedom
    if freedom < 1:
        return np.full(figures, np.inf)
    inverse = np.linalg.pinv(slopes)
    spread = max(RESOLUTION, float(np.sqrt((np.sum(residuals**2) + noise.squares) / freedom)))
    alone = spread * np.sqrt(np.sum(inverse**2, axis=1))
    drawn = np.sqrt(np.mean((_drawn(residuals, slopes @ inverse, spread, seed) @ inverse.T) ** 2, axis=0))
    half = student(freedom) * np.maximum(alone, drawn)
    if unknown is not None and unknown.size:
        half = np.hypot(half, UNKNOWN * np.sqrt(np.sum((inverse @ unknown) ** 2, axis=1)))
    return np.asarray(half)


def _drawn(residuals: Array, hat: Array, spread: float, seed: int) -> Array:
    """Rows of residuals drawn anew: divided by the root of what the fit leaves of them (1 - leverage)."""
    count = len(residuals)
    leverage = np.clip(np.diag(hat), 0.0, 0.95)
    # A cell that a figure has for itself leaves no residual: no cell is taken to be surer than most.
    raw = np.where(leverage > 0.9, spread, residuals / np.sqrt(1 - leverage))
    raw *= max(1.0, spread / max(1e-12, float(np.sqrt(np.mean(raw**2)))))
    block = max(1, round(count ** (1 / 3)))
    draw = np.random.default_rng(seed)
    starts = draw.integers(0, count, size=(RESAMPLES, -(-count // block)))
    rows = (starts[:, :, None] + np.arange(block)).reshape(RESAMPLES, -1)[:, :count] % count
    return np.asarray(raw[rows] * draw.choice((-1.0, 1.0), size=(RESAMPLES, 1)))


def profile(
    residuals_at: Callable[[Array], Array],
    values: Array,
    slopes: Array,
    half: Array,
    kept: NDArray[np.int64],
    *,
    bent: NDArray[np.bool_],
) -> tuple[Array, Array]:
    """How far ``kept`` figures may go down and up until the squares have risen as at ``half`` by slopes.

    Only those that are ``bent`` are followed, the others keep ``half``. Where the model bends (a ceiling that
    another one hides, a latency that a rate hides) the slopes at the best values say nothing of what lies
    beyond. At each end the other figures move along, and what they could still make good is taken off
    (profile likelihood; Bates and Watts 1988, chapter 6). Ends are extended, never drawn in; beyond ``FLAT``
    they are infinite.
    """
    down, up = half.copy(), half.copy()
    here = residuals_at(values)
    for number in np.flatnonzero(bent):
        inner = slopes[:, kept]
        covariance = np.linalg.pinv(inner.T @ inner)
        along = np.zeros(len(values))
        along[kept] = covariance[:, number] / covariance[number, number]
        risen = half[number] ** 2 / covariance[number, number]
        others = np.delete(inner, number, axis=1)
        left = np.eye(len(here)) - others @ np.linalg.pinv(others)
        least = float(np.sum((left @ here) ** 2))
        for ends, side in ((down, -1.0), (up, 1.0)):
            for _ in range(_EXTENSIONS + 1):
                there = residuals_at(values + side * ends[number] * along)
                share = (float(np.sum((left @ there) ** 2)) - least) / risen
                if share >= _RISEN:
                    break
                ends[number] *= min(2.0, 1 / math.sqrt(max(share, 1e-9)))
                if ends[number] > max(FLAT, 2 * half[number]):
                    ends[number] = np.inf
                    break
    return down, up


def student(freedom: int) -> float:
    """The 97.5 % quantile of Student's t: exact for 1 and 2, else Cornish and Fisher's expansion."""
    if freedom <= 2:
        return {1: 12.706, 2: 4.303}[freedom]
    z, n = 1.959964, float(freedom)
    return float(
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
    )
