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

Array = NDArray[np.float64]
Model = Callable[[Array], Array]
"""From logarithms of figures to logarithms of observations."""

FLAT: Final = 0.4
"""A figure that may be half as large again, or two thirds, is not determined (a logarithm)."""
RESOLUTION: Final = 0.01
"""No interval is narrower: fio's bins are 1.6 % wide, and a run repeated differs by as much."""
RESAMPLES: Final = 2000
_STEP: Final = 0.08
_ROUNDS: Final = 5
_NEGLIGIBLE: Final = 0.02


@dataclass(frozen=True)
class Noise:
    """Squared residuals and degrees of freedom of fits to measurements that erred alike."""

    squares: float = 0.0
    freedom: int = 0


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
    noise: Noise = Noise(),
) -> Fitted:
    """Figures at which ``model`` gives ``observed`` best, from ``start``; ``fixed`` ones are not moved.

    ``noise`` is that of other measurements of the same drive, which counts with what this fit leaves.
    """
    values, simulated = start.copy(), model(start)
    moved = np.ones(len(start), bool)
    moved[list(fixed)] = False
    flat = ~moved
    slopes = sure = np.zeros((len(observed), len(start)))
    for number in range(_ROUNDS):
        if number % 3 == 0:  # between, Broyden's update is enough
            slopes, sure = _slopes(model, values, simulated, moved)
            flat = ~moved | (np.abs(slopes).max(axis=0, initial=0.0) < _NEGLIGIBLE)
        step = _step(slopes, observed - simulated, flat)
        tried, found, gained = _line_search(model, observed, values, simulated, step)
        walked = tried - values
        if walked @ walked > 0:
            slopes += np.outer(found - simulated - slopes @ walked, walked) / (walked @ walked)
        values, simulated = tried, found
        if gained < 0.02:
            break
    residuals = observed - simulated
    flat, low, high = _intervals(sure, residuals, flat, moved, seed=seed, noise=noise)
    values = np.where(flat, start, values)
    if np.any(flat & moved):
        residuals = observed - model(values)
    return Fitted(values, values + low, values + high, flat & moved, residuals)


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


def _intervals(
    slopes: Array,
    residuals: Array,
    flat: NDArray[np.bool_],
    moved: NDArray[np.bool_],
    *,
    seed: int,
    noise: Noise,
) -> tuple[NDArray[np.bool_], Array, Array]:
    """Which figures are flat, and the ends of the intervals relative to the values.

    The flattest figure is taken out first, then the others are looked at again: two that cannot be told
    apart are flat together, and either is determined once the other is given.
    """
    flat = flat | (np.abs(slopes).max(axis=0, initial=0.0) < _NEGLIGIBLE)
    low, high = np.full(slopes.shape[1], -np.inf), np.full(slopes.shape[1], np.inf)
    while not flat.all():
        kept = np.flatnonzero(~flat)
        inner_low, inner_high = bootstrap(slopes[:, kept], residuals, seed, noise)
        low[kept] = np.minimum(inner_low, -RESOLUTION)
        high[kept] = np.maximum(inner_high, RESOLUTION)
        widths = np.where(_alone(slopes[:, kept]), np.maximum(-inner_low, inner_high), np.inf)
        widest = int(np.argmax(widths))
        if widths[widest] <= FLAT:
            break
        flat[kept[widest]] = True
    low[~moved], high[~moved] = 0.0, 0.0
    return flat, low, high


def _alone(slopes: Array) -> NDArray[np.bool_]:
    """Which columns are no sum of the others: figures that are told apart from them."""
    alone = np.ones(slopes.shape[1], bool)
    for number in range(slopes.shape[1]):
        column, others = slopes[:, number], np.delete(slopes, number, axis=1)
        rest = column - others @ np.linalg.lstsq(others, column, rcond=None)[0]
        alone[number] = np.linalg.norm(rest) > _NEGLIGIBLE * np.linalg.norm(column)
    return alone


def bootstrap(
    slopes: Array,
    residuals: Array,
    seed: int,
    noise: Noise = Noise(),
) -> tuple[Array, Array]:
    """Ends of 95 % intervals of the figures about their values, by resampling blocks of residuals.

    Blocks, because neighbouring cells err alike. Residuals are divided by the root of what the fit leaves of
    them (1 - leverage), and the ends widened from the normal to Student's distribution: there are few cells.
    """
    count, figures = slopes.shape
    freedom = count - figures + noise.freedom
    if freedom < 1:
        return np.full(figures, -np.inf), np.full(figures, np.inf)
    inverse = np.linalg.pinv(slopes)
    leverage = np.clip(np.einsum("ij,ji->i", slopes, inverse), 0.0, 0.95)
    # A cell that a figure has for itself leaves no residual: no cell is taken to be surer than most.
    spread = float(np.sqrt((np.sum(residuals**2) + noise.squares) / freedom))
    raw = residuals / np.sqrt(1 - leverage)
    raw = np.where(leverage > 0.9, spread, raw)
    raw *= max(1.0, spread / max(1e-12, float(np.sqrt(np.mean(raw**2)))))
    block = max(1, round(count ** (1 / 3)))
    draw = np.random.default_rng(seed)
    starts = draw.integers(0, count, size=(RESAMPLES, -(-count // block)))
    rows = (starts[:, :, None] + np.arange(block)).reshape(RESAMPLES, -1)[:, :count] % count
    drawn = raw[rows] * draw.choice((-1.0, 1.0), size=(RESAMPLES, 1))
    deviations = drawn @ inverse.T
    wider = student(freedom) / 1.96
    low, high = np.quantile(deviations, (0.025, 0.975), axis=0) * wider
    return low, high


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
    inner_low, inner_high = bootstrap(scaled[:, kept], residuals, seed)
    floor = RESOLUTION * factors[kept]
    low[kept] = np.maximum(0.0, factors[kept] + np.minimum(inner_low, -floor))
    high[kept] = factors[kept] + np.maximum(inner_high, floor)
    return factors, low, high, residuals
