"""How far the figures of one Run may be off, by its own blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from iowatt.lenses.compare.blocks import Blocks, Floats
from iowatt.lenses.compare.bootstrap import Tapered, seen
from iowatt.lenses.compare.cycles import without_cycles
from iowatt.lenses.compare.length import (
    LEAST_BLOCKS,
    block_length,
    correlation_length,
    too_long,
)
from iowatt.lenses.compare.side import Estimate

#: What is said of a metric that has no value on one side.
NO_FIGURE = "there is no figure"


@dataclass(frozen=True)
class Spread:
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


def spread(run: Blocks, estimates: Sequence[Estimate], number: int) -> Spread:
    """What is known of the figures of ``run``, which is the Run at ``number`` of its side."""
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
    visible = np.asarray([1.0 if math.isinf(one) else seen(float(one), length) for one in tau])
    error = np.where([reason is None for reason in reasons], np.sqrt(tapered.variance / visible), np.nan)
    return Spread(error, length, tapered.drawn, _neighbours(figures, length), reasons, tapered)


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


def _independent(run: Blocks, estimates: Sequence[Estimate]) -> Spread:
    """As if requests knew nothing of one another: all that one histogram can say."""
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
            reasons[column] = "one figure of the whole run says nothing of how it varies"
    return Spread(error, 1, 1, np.full(len(estimates), np.nan), reasons, None)
