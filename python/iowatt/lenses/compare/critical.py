"""How many standard errors an interval takes, and how seldom chance alone goes as far as what was seen.

Both are read off resamples of the statistic without any difference. Where what is known of Runs is known from
few of them, resamples are not divided by their own standard errors but by one drawn with so few degrees of
freedom, the same for all metrics of a resample: alone each then follows Student's t, together they keep what
they have in common.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from iowatt.lenses.compare.blocks import Floats
from iowatt.lenses.compare.bootstrap import Drawn
from iowatt.lenses.compare.correction import step_down
from iowatt.lenses.compare.pair import Pair
from iowatt.lenses.compare.repeats import Side


@dataclass(frozen=True)
class Critical:
    """For each of J metrics: standard errors of the intervals (difference, each side), p-values alone and
    adjusted.
    """

    widths: Floats
    side_widths: tuple[Floats, Floats]
    alone: Floats
    adjusted: Floats

    @classmethod
    def of(
        cls,
        pairs: Sequence[Pair],
        sides: tuple[Side, Side],
        random: np.random.Generator,
        *,
        resamples: int,
        confidence: float,
    ) -> Critical:
        """By ``resamples`` of both sides."""
        observed = np.asarray([pair.statistic() for pair in pairs])
        told = np.flatnonzero([pair.reason is None for pair in pairs])
        scaled = [_scaled(one.draw(random, resamples), pairs, at) for at, one in enumerate(sides)]
        both = Drawn(scaled[1].mean - scaled[0].mean, scaled[0].variance + scaled[1].variance)
        joint = np.asarray([_joint_degrees(pair, sides, at) for at, pair in enumerate(pairs)])
        # One stream whatever the degrees are: equal probabilities of chi-square for all metrics of a
        # resample.
        few = _root_chi_squares(random, resamples, [joint, sides[0].degrees, sides[1].degrees])
        together = _studentised(both, few[0])
        alone = (1 + np.count_nonzero(together >= observed, axis=0)) / (resamples + 1)
        adjusted = np.ones(len(pairs))
        adjusted[told] = step_down(observed[told], together[:, told])
        widths = [
            np.quantile(one, confidence, axis=0, method="higher")
            for one in (together, _studentised(scaled[0], few[1]), _studentised(scaled[1], few[2]))
        ]
        return cls(widths[0], (widths[1], widths[2]), alone, adjusted)


def _scaled(drawn: Drawn, pairs: Sequence[Pair], side: int) -> Drawn:
    """Resamples in the unit of the metrics: a greater share at or below a value is a smaller quantile."""
    factors = np.asarray(
        [
            (-1.0 if pair.metric.kind == "quantile" else 1.0) * pair.scales[side] / pair.errors[side]
            if pair.reason is None and pair.errors[side] > 0 and np.isfinite(pair.scales[side])
            else 0.0
            for pair in pairs
        ]
    )
    return Drawn(drawn.mean * factors, drawn.variance * factors**2)


def _joint_degrees(pair: Pair, sides: tuple[Side, Side], at: int) -> float:
    """Degrees of freedom of the difference: those of both sides, by Welch and Satterthwaite where they
    differ.
    """
    one, other = (float(side.degrees[at]) for side in sides)
    if one == other or pair.reason is not None:
        # Both sides were given one variance ratio (and all its degrees), or neither has few.
        return one
    squares = [scale**2 for scale in pair.scales]
    below = squares[0] ** 2 / one + squares[1] ** 2 / other
    return sum(squares) ** 2 / below if below > 0 else min(one, other)


def _root_chi_squares(
    random: np.random.Generator, resamples: int, degrees: Sequence[Floats]
) -> list[Floats | None]:
    """sqrt(chi-square / degrees) for each metric, the same draws for equal degrees; ``None`` where all are
    infinite.
    """
    kinds = sorted({float(one) for column in degrees for one in column if math.isfinite(one)})
    drawn = {one: np.sqrt(random.chisquare(one, resamples) / one) for one in kinds}
    made: list[Floats | None] = []
    for column in degrees:
        if not np.isfinite(column).any():
            made.append(None)
            continue
        made.append(
            np.column_stack([drawn.get(float(one), np.full(resamples, np.nan)) for one in column]).astype(
                np.float64
            )
        )
    return made


def _studentised(drawn: Drawn, few: Floats | None) -> Floats:
    """Absolute statistics of resamples, by their own standard errors or, with few degrees, by drawn ones
    (``few``).
    """
    own = np.divide(
        drawn.mean, np.sqrt(drawn.variance), out=np.zeros_like(drawn.mean), where=drawn.variance > 0
    )
    if few is None:
        return np.abs(own)
    spread = drawn.mean.std(axis=0)
    fixed = np.divide(drawn.mean, spread, out=np.zeros_like(drawn.mean), where=spread > 0)
    return np.asarray(
        np.abs(np.where(np.isnan(few), own, fixed / np.nan_to_num(few, nan=1.0))), dtype=np.float64
    )
