"""How far figures may be off: by the blocks of each Run, and by what differs between repeated Runs.

Blocks within a Run do not show what changes only between Runs (a file system laid out anew, a cache in
another state). With k Runs on a side, theta_r the figure of Run r and v the mean of their variances by their
own blocks,

    Q = sum (theta_r - theta)^2 / v    over both sides,

has the mean nu = sum (k - 1) where blocks explain all (Cochran 1954). Then the Runs of a side are one long
Run, and the bootstrap draws within each (strata). Where Q is greater than chance lets it be in one case of
five, all variances are multiplied by Q / nu, and intervals are those of Student's t with nu degrees of
freedom, as only few Runs are known. In between, variances are multiplied by Q / nu where it is over 1 (Birge
1932). A single Run compared with repeated ones is assumed to vary as they do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from iowatt.lenses.compare.blocks import Blocks, Floats
from iowatt.lenses.compare.bootstrap import (
    LEAST_BLOCKS,
    Resamples,
    Tapered,
    block_length,
    correlation_length,
    too_long,
    visible_share,
    without_cycles,
)
from iowatt.lenses.compare.metrics import SideEstimate

#: The reason for a metric that has no value on one side.
NO_FIGURE = "there is no figure"


@dataclass(frozen=True)
class RunErrors:
    """Standard errors of J metrics of one Run.

    ``error`` is in the unit of the figures (shares for quantiles), NaN where there is none, and ``reasons``
    says why. ``length`` is that of a block drawn, in blocks of the Run, ``drawn`` how many fit,
    ``correlation`` the one of neighbouring ones that is left (NaN where it cannot be told). ``tapered`` draws
    resamples; ``None`` where the Run has no order in time, and its requests are taken for independent.
    """

    error: Floats
    length: int
    drawn: int
    correlation: Floats
    reasons: list[str | None]
    tapered: Tapered | None


def run_errors(run: Blocks, estimates: Sequence[SideEstimate], number: int) -> RunErrors:
    """Standard errors of the figures of ``run``, which is the Run at ``number`` of its side."""
    if run.blocks == 1:
        return _independent(run, estimates)
    figures, _ = without_cycles(np.column_stack([estimate.figures[number] for estimate in estimates]))
    count = run.blocks
    tau = correlation_length(figures)
    needed = [block_length(float(one), count) for one in tau]
    reasons: list[str | None] = [None] * len(estimates)
    for column, one in enumerate(tau.tolist()):
        if math.isinf(one) or too_long(needed[column], count):
            reasons[column] = (
                f"is correlated over too much of the run: {count} blocks hold fewer than {LEAST_BLOCKS} "
                "independent stretches; a longer run is needed"
            )
    # Common to all metrics, so that they can be drawn together: what the most correlated one needs.
    fitting = [length for length in needed if not too_long(length, count)]
    length = max(fitting, default=1)
    if count < LEAST_BLOCKS:
        reasons = [f"{count} blocks of time are too few: at least {LEAST_BLOCKS} are needed"] * len(estimates)
        length = 1
    tapered = Tapered.of(figures, length)
    visible = np.asarray([1.0 if math.isinf(one) else visible_share(float(one), length) for one in tau])
    error = np.where([reason is None for reason in reasons], np.sqrt(tapered.variance / visible), np.nan)
    return RunErrors(error, length, tapered.drawn, _neighbours(figures, length), reasons, tapered)


def _neighbours(figures: Floats, length: int) -> Floats:
    """Lag-1 correlation of sums over ``length`` blocks side by side."""
    count = len(figures) // length
    side_by_side = figures[: count * length].reshape(count, length, -1).sum(axis=1)
    centred = side_by_side - side_by_side.mean(axis=0)
    variance = (centred**2).sum(axis=0)
    products = (centred[1:] * centred[:-1]).sum(axis=0)
    return np.asarray(
        np.divide(products, variance, out=np.full(len(variance), np.nan), where=variance > 0),
        dtype=np.float64,
    )


def _independent(run: Blocks, estimates: Sequence[SideEstimate]) -> RunErrors:
    """With requests taken as independent, which is all that one histogram allows."""
    error = np.full(len(estimates), np.nan)
    reasons: list[str | None] = [None] * len(estimates)
    total = float(run.count.sum())
    for column, estimate in enumerate(estimates):
        metric = estimate.metric
        if estimate.centre is None or total < 2:
            reasons[column] = NO_FIGURE
        elif metric.kind == "mean" and run.bins.any():
            middle = (run.low_ns + run.high_ns) / 2 * metric.scale
            squares = float(run.histogram @ (middle - estimate.centre) ** 2)
            error[column] = math.sqrt(squares / (total - 1) / total)
        elif metric.kind == "quantile" and metric.q is not None:
            error[column] = math.sqrt(metric.q * (1 - metric.q) / total)
        elif metric.kind == "share_over":
            error[column] = math.sqrt(max(estimate.centre * (1 - estimate.centre), 0.0) / total)
        else:
            reasons[column] = "one figure of the whole run does not show how it varies"
    return RunErrors(error, 1, 1, np.full(len(estimates), np.nan), reasons, None)


#: Chance at which Runs are held to differ by more than their blocks explain; generous, because the other
#: error is the worse one.
HETEROGENEOUS: Final = 0.2
#: The same of simulations that differ in their seed alone: blocks explain those, unless a seed decides on
#: more than the course of events (where data lies).
HETEROGENEOUS_BY_SEED: Final = 0.01
#: Figures that differ by less than this share are the same but for rounding.
ROUNDING: Final = 1e-9

Method = Literal["blocks", "runs", "requests"]


@dataclass(frozen=True)
class SideErrors:
    """Standard errors of J metrics on one side: ``error`` in the unit of the figures, NaN where there is
    none.

    ``degrees`` of freedom are infinite where resamples of blocks know better. ``spreads`` and ``weights``
    (runs x J) are those of its Runs.
    """

    error: Floats
    degrees: Floats
    reasons: list[str | None]
    methods: list[Method]
    spreads: list[RunErrors]
    weights: Floats

    @property
    def length(self) -> int:
        """Length of the blocks drawn, in blocks of the Run that needs the longest."""
        return max(one.length for one in self.spreads)

    @property
    def ordered(self) -> bool:
        """Whether all its Runs have an order in time."""
        return all(one.tapered is not None for one in self.spreads)

    def correlation(self, at: int) -> float | None:
        """Correlation left between neighbouring blocks, the mean over Runs; None where it is unknown."""
        left = [float(one.correlation[at]) for one in self.spreads]
        return None if any(math.isnan(one) for one in left) else sum(left) / len(left)

    def draw(self, random: np.random.Generator, resamples: int) -> Resamples:
        """Resamples of the side's figures: each Run's blocks drawn within it."""
        mean = np.zeros((resamples, len(self.error)))
        variance = np.zeros_like(mean)
        for one, weight in zip(self.spreads, self.weights, strict=True):
            if one.tapered is None:
                # No order, nothing to draw from: normal, each metric for itself.
                error = np.nan_to_num(one.error)
                mean += weight * error * random.standard_normal(mean.shape)
                variance += (weight * error) ** 2
            else:
                drawn = one.tapered.draw(random, resamples)
                mean += weight * drawn.mean
                variance += weight**2 * drawn.variance
        return Resamples(mean, variance)


def sides(
    spreads: Sequence[list[RunErrors]], estimates: Sequence[Sequence[SideEstimate]], by_seed: bool
) -> tuple[SideErrors, SideErrors]:
    """Both sides with the standard errors that a comparison takes.

    ``by_seed``: repeated Runs are simulations that differ in their seed alone.
    """
    level = HETEROGENEOUS_BY_SEED if by_seed else HETEROGENEOUS
    metrics = len(estimates[0])
    errors = np.full((2, metrics), np.nan)
    degrees = np.full((2, metrics), math.inf)
    reasons: list[list[str | None]] = [[None] * metrics, [None] * metrics]
    methods: list[Method] = ["blocks"] * metrics
    weights = [
        np.asarray([[one.weights[number] for one in of_side] for number in range(len(of_spreads))])
        for of_side, of_spreads in zip(estimates, spreads, strict=True)
    ]
    unordered = any(one.tapered is None for of_side in spreads for one in of_side)
    for at in range(metrics):
        pair = (estimates[0][at], estimates[1][at])
        own = [np.asarray([float(one.error[at]) for one in of_side]) for of_side in spreads]
        apart = [np.asarray([float(figure.mean()) for figure in one.figures]) for one in pair]
        repeated = sum(len(one) - 1 for one in own)
        for side in (0, 1):
            if pair[side].centre is None:
                reasons[side][at] = NO_FIGURE
            elif np.isfinite(own[side]).all():
                errors[side, at] = math.sqrt(float(((weights[side][:, at] * own[side]) ** 2).sum()))
            else:
                reasons[side][at] = next(
                    (one.reasons[at] for one in spreads[side] if one.reasons[at]), NO_FIGURE
                )
        if any(one.centre is None for one in pair):
            continue
        if repeated == 0:
            methods[at] = "requests" if unordered else "blocks"
            continue
        q = sum(_apart(apart[side], own[side], pair[side].centre) for side in (0, 1))
        if np.isfinite(errors[:, at]).all() and math.isfinite(q):
            errors[:, at] *= math.sqrt(max(q / repeated, 1.0))
            if unordered or chi_square_beyond(q, repeated) < level:
                methods[at] = "runs"
                degrees[:, at] = repeated
            continue
        # Blocks say nothing: only what differs between Runs is left, and both sides need it.
        for side in (0, 1):
            count = len(own[side])
            if count > 1:
                squares = float(((weights[side][:, at] * apart[side]) ** 2).sum())
                errors[side, at] = math.sqrt(count / (count - 1) * squares)
                degrees[side, at] = count - 1
                reasons[side][at] = None
        methods[at] = "runs"
    made = [
        SideErrors(errors[side], degrees[side], reasons[side], methods, list(spreads[side]), weights[side])
        for side in (0, 1)
    ]
    return made[0], made[1]


def _apart(apart: Floats, own: Floats, centre: float | None) -> float:
    """Part of Q of one side; 0 where its Runs are the same but for rounding, infinite where blocks do not
    vary at all.

    One variance for all its Runs: where the slower ones vary more, their own would hide how far they lie off.
    """
    rounding = ROUNDING * abs(centre or 0.0)
    if len(apart) < 2 or np.abs(apart).max() <= rounding:
        return 0.0
    variance = float((own**2).mean())
    if math.isnan(variance):
        return 0.0
    return math.inf if variance <= rounding**2 else float((apart**2).sum()) / variance


def chi_square_beyond(value: float, degrees: int) -> float:
    """Probability that chi-square with ``degrees`` degrees of freedom exceeds ``value``.

    The finite series of Abramowitz and Stegun, 26.4.4 and 26.4.5.
    """
    half = value / 2
    if half <= 0:
        return 1.0
    if degrees % 2:
        total, power = math.erfc(math.sqrt(half)), 0.5
    else:
        total, power = math.exp(-half), 1.0
    while power < degrees / 2:
        total += math.exp(power * math.log(half) - half - math.lgamma(power + 1))
        power += 1
    return min(total, 1.0)
