"""Least squares of a simulated drive: figures that are positive, a model that is only sampled.

Figures and observations are in logarithms, so that errors count in proportion. Gauss-Newton's steps take
the Jacobian by finite differences; what the Jacobian does not determine is left at its start and named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iowatt.evaluate.calibration.intervals import (
    FLAT,
    NONE,
    RESOLUTION,
    UNKNOWN,
    Array,
    Noise,
    half_widths,
    profile,
)

Model = Callable[[Array], Array]
"""From logarithms of figures to logarithms of observations."""

_STEP: Final = 0.08
_ROUNDS: Final = 5
_NEGLIGIBLE: Final = 0.02
_NEAR: Final = 0.02
"""Slopes hold as far as this."""
_BENT: Final = 0.3
"""Slopes to both sides that differ by less are the same."""


@dataclass(frozen=True)
class Fitted:
    """What came of a fit, all in logarithms.

    values, low, high:
        Figures and the ends of their 95 % intervals; those that are ``flat`` stay at their start, and their
        ends are how far the observations would let them go.
    residuals:
        Observed less fitted.
    """

    values: Array
    low: Array
    high: Array
    flat: NDArray[np.bool_]
    residuals: Array

    @property
    def noise(self) -> Noise:
        """What the residuals say of the noise."""
        return Noise(float(self.residuals @ self.residuals), len(self.residuals) - int(np.sum(~self.flat)))


def fit(
    model: Model,
    observed: Array,
    start: Array,
    seed: int = 1,
    *,
    fixed: Sequence[int] = (),
    noise: Noise = NONE,
    ends: bool = True,
) -> Fitted:
    """Figures at which ``model`` gives ``observed`` best, from ``start``; ``fixed`` ones are not moved.

    ``noise`` is that of other measurements of the same drive, which counts with what this fit leaves.
    ``ends``: follow the model to the ends of the intervals (:func:`profile`), where slopes may not hold.
    """
    moved = np.ones(len(start), bool)
    moved[list(fixed)] = False
    values, slopes, sure, residuals = _descend(model, observed, start, moved)
    flat, half = _told(sure, slopes, residuals, ~moved, np.abs(values - start), seed=seed, noise=noise)
    kept = np.flatnonzero(~flat)
    down, up = half.copy(), half.copy()
    bent = np.linalg.norm(sure - slopes, axis=0) > _BENT * np.linalg.norm(slopes, axis=0)
    bent |= half > _STEP
    if ends and np.any(bent[kept]):
        down[kept], up[kept] = profile(
            lambda at: observed - model(at), values, slopes, half[kept], kept, bent=bent[kept]
        )
    # Bounded to one side only: no figure, but its ends say how far it may go.
    flat[kept] = np.isinf(down[kept]) | np.isinf(up[kept])
    middle = values
    if np.any(flat & moved):
        # The others once more, beside those that stay at their start, or at the end that is nearest to it.
        values = np.where(flat, np.clip(start, values - down, values + up), values)
        values, _, _, residuals = _descend(model, observed, values, moved & ~flat)
        middle = np.where(flat, middle, values)
    low, high = middle - np.maximum(down, RESOLUTION), middle + np.maximum(up, RESOLUTION)
    return Fitted(
        values, np.where(moved, low, values), np.where(moved, high, values), flat & moved, residuals
    )


def _descend(
    model: Model, observed: Array, start: Array, moved: NDArray[np.bool_]
) -> tuple[Array, Array, Array, Array]:
    """Gauss and Newton's steps: the values, slopes there, slopes that are sure (``_slopes``), residuals."""
    values, simulated = start.copy(), model(start)
    slopes, sure = _slopes(model, values, simulated, moved)
    at = values
    for _ in range(_ROUNDS):
        flat = ~moved | (np.abs(slopes).max(axis=0, initial=0.0) < _NEGLIGIBLE)
        step = _step(slopes, observed - simulated, flat)
        tried, found, gained = _line_search(model, observed, values, simulated, step)
        walked = tried - values
        if walked @ walked > 0:  # Broyden's update is enough until the end
            slopes += np.outer(found - simulated - slopes @ walked, walked) / (walked @ walked)
        values, simulated = tried, found
        if gained < 0.02:
            break
    if np.abs(values - at).max(initial=0.0) > _NEAR:
        slopes, sure = _slopes(model, values, simulated, moved)
    return values, slopes, sure, observed - simulated


def _slopes(model: Model, values: Array, simulated: Array, moved: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Slopes, and those that hold in both directions: a ceiling that another one hides has none upwards."""
    slopes, sure = np.zeros((2, len(simulated), len(values)))
    for number in np.flatnonzero(moved):
        ahead, behind = values.copy(), values.copy()
        ahead[number] += _STEP
        behind[number] -= _STEP
        up, down = (model(ahead) - simulated) / _STEP, (simulated - model(behind)) / _STEP
        slopes[:, number] = (up + down) / 2
        sure[:, number] = np.where(np.abs(up) < np.abs(down), up, down)
    return slopes, sure


def _step(slopes: Array, residuals: Array, flat: NDArray[np.bool_]) -> Array:
    step = np.zeros(slopes.shape[1])
    if not flat.all():
        # A little of Levenberg's damping: two figures that cannot be told apart share the step.
        inner = slopes[:, ~flat]
        damped = inner.T @ inner + 1e-3 * np.eye(inner.shape[1])
        step[~flat] = np.clip(np.linalg.solve(damped, inner.T @ residuals), -0.7, 0.7)
    return step


def _line_search(
    model: Model, observed: Array, values: Array, simulated: Array, step: Array
) -> tuple[Array, Array, float]:
    """The best of the whole, half and quarter step, what it gives, and by how much better it is (0 to 1)."""
    now = float(np.sum((observed - simulated) ** 2))
    for share in (1.0, 0.5, 0.25):
        tried = values + share * step
        found = model(tried)
        then = float(np.sum((observed - found) ** 2))
        if then < now:
            return tried, found, (now - then) / now
    return values, simulated, 0.0


def _told(
    sure: Array,
    slopes: Array,
    residuals: Array,
    still: NDArray[np.bool_],
    away: Array,
    *,
    seed: int,
    noise: Noise,
) -> tuple[NDArray[np.bool_], Array]:
    """Which figures are flat, and half the intervals of the others; ``away`` is how far from the start.

    The flattest figure is taken out first, then the others are looked at again: two that cannot be told
    apart are flat together, and either is determined once the other is given. That the one which stays at
    its start may be wrong there widens the interval of the other. A figure whose start lies outside of its
    interval is told, however wide that is: the start is not as likely.
    """
    flat = still | (np.abs(sure).max(axis=0, initial=0.0) < _NEGLIGIBLE)
    half = np.full(sure.shape[1], np.inf)
    while not flat.all():
        kept = np.flatnonzero(~flat)
        found = half_widths(sure[:, kept], residuals, seed, noise)
        found[~_alone(sure[:, kept])] = np.inf
        wide = (found > FLAT) & (away[kept] <= found)
        if not wide.any():
            out = flat & ~still
            reach = np.minimum(UNKNOWN, half[out] + away[out]) / UNKNOWN
            half[kept] = half_widths(slopes[:, kept], residuals, seed, noise, slopes[:, out] * reach)
            break
        widest = int(np.argmax(np.where(wide, found, 0.0)))
        flat[kept[widest]] = True
        half[kept[widest]] = found[widest]
    return flat, half


def _alone(slopes: Array) -> NDArray[np.bool_]:
    """Which columns are no sum of the others: figures that are told apart from them."""
    alone = np.ones(slopes.shape[1], bool)
    for number in range(slopes.shape[1]):
        column, others = slopes[:, number], np.delete(slopes, number, axis=1)
        rest = column - others @ np.linalg.lstsq(others, column, rcond=None)[0]
        alone[number] = np.linalg.norm(rest) > _NEGLIGIBLE * np.linalg.norm(column)
    return alone


def linear(columns: Array, observed: Array, seed: int = 1) -> tuple[Array, Array, Array, Array]:
    """``observed`` as a sum of ``columns`` with factors of at least 0: factors, their ends, residuals.

    Relative least squares: each row is divided by what was observed. Factors that would be negative are 0 and
    their columns left out.
    """
    scaled = columns / observed[:, None]
    kept = np.ones(columns.shape[1], bool)
    factors = np.zeros(columns.shape[1])
    while kept.any():
        factors[:] = 0.0
        factors[kept] = np.linalg.lstsq(scaled[:, kept], np.ones(len(observed)), rcond=None)[0]
        if factors.min() >= 0:
            break
        kept &= factors > 0
    residuals = 1.0 - scaled @ factors
    low, high = factors.copy(), factors.copy()
    half = np.maximum(half_widths(scaled[:, kept], residuals, seed), RESOLUTION * factors[kept])
    low[kept] = np.maximum(0.0, factors[kept] - half)
    high[kept] = factors[kept] + half
    return factors, low, high, residuals
