"""How many standard errors an interval takes, and how seldom chance alone goes as far as what was seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from iowatt.lenses.compare.blocks import Floats
from iowatt.lenses.compare.bootstrap import Drawn
from iowatt.lenses.compare.correction import holm, step_down
from iowatt.lenses.compare.pair import Pair
from iowatt.lenses.compare.spread import Spread, method
from iowatt.run.statistics import student_t_cdf, student_t_quantile

#: More degrees of freedom are as good as infinitely many, and the series for t is as long as they are.
MOST_DEGREES: Final = 1000


@dataclass(frozen=True)
class Critical:
    """For each of J metrics: standard errors of the intervals (difference, each side), p-values alone and
    adjusted."""

    widths: Floats
    side_widths: tuple[Floats, Floats]
    alone: Floats
    adjusted: Floats

    @classmethod
    def of(
        cls,
        pairs: Sequence[Pair],
        spreads: Sequence[Spread],
        random: np.random.Generator,
        resamples: int,
        confidence: float,
    ) -> Critical:
        """By resamples of both Runs where they have blocks, else by Student's t and Holm."""
        observed = np.asarray([pair.statistic() for pair in pairs])
        told = np.flatnonzero([pair.reason is None for pair in pairs])
        before, after = spreads[0].tapered, spreads[1].tapered
        if method(spreads) != "blocks" or before is None or after is None:
            return _by_student(observed, told, pairs, spreads, confidence)
        drawn = before.draw(random, resamples), after.draw(random, resamples)
        scaled = [_scaled(one, pairs, side) for side, one in enumerate(drawn)]
        together = np.abs(_over(scaled[1].mean - scaled[0].mean, scaled[0].variance + scaled[1].variance))
        alone = (1 + np.count_nonzero(together >= observed, axis=0)) / (resamples + 1)
        adjusted = np.ones(len(pairs))
        adjusted[told] = step_down(observed[told], together[:, told])
        widths = np.quantile(together, confidence, axis=0, method="higher")
        sides = [
            np.quantile(np.abs(_over(one.mean, one.variance)), confidence, axis=0, method="higher")
            for one in scaled
        ]
        return cls(widths, (sides[0], sides[1]), alone, adjusted)


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


def _over(mean: Floats, variance: Floats) -> Floats:
    return np.divide(mean, np.sqrt(variance), out=np.zeros_like(mean), where=variance > 0)


def _by_student(
    observed: Floats, told: np.typing.NDArray[np.int64], pairs: Sequence[Pair], spreads: Sequence[Spread],
    confidence: float,
) -> Critical:  # fmt: skip
    """Student's t, degrees of freedom by Welch and Satterthwaite; metrics corrected by Holm."""
    widths, alone, adjusted = np.ones(len(pairs)), np.ones(len(pairs)), np.ones(len(pairs))
    sides = (np.ones(len(pairs)), np.ones(len(pairs)))
    level = (1 + confidence) / 2
    for at, pair in enumerate(pairs):
        if pair.reason is not None:
            continue
        degrees = [float(one.degrees[at]) for one in spreads]
        squares = [scale**2 for scale in pair.scales]
        below = sum(square**2 / degree for square, degree in zip(squares, degrees, strict=True))
        joint = sum(squares) ** 2 / below if below > 0 and np.isfinite(below) else min(degrees)
        widths[at] = student_t_quantile(level, _whole(joint))
        alone[at] = 2 * (1 - student_t_cdf(float(observed[at]), _whole(joint)))
        for side in (0, 1):
            sides[side][at] = student_t_quantile(level, _whole(degrees[side]))
    adjusted[told] = holm(alone[told].tolist())
    return Critical(widths, sides, alone, adjusted)


def _whole(degrees: float) -> int:
    return int(min(max(degrees, 1), MOST_DEGREES))
