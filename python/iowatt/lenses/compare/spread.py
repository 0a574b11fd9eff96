"""How far the figures of one side may be off: between blocks of one Run, or between repeated Runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from iowatt.lenses.compare.blocks import Blocks, Floats
from iowatt.lenses.compare.bootstrap import Tapered
from iowatt.lenses.compare.cycles import without_cycles
from iowatt.lenses.compare.length import (
    LEAST_BLOCKS,
    block_length,
    correlation_length,
    too_long,
)
from iowatt.lenses.compare.side import Estimate


@dataclass(frozen=True)
class Spread:
    """Standard errors of J metrics on one side, and what they rest on.

    ``error`` is in the unit of the figures (shares for quantiles), NaN where there is none; ``degrees`` of
    freedom; ``length`` in blocks, ``drawn`` such blocks a Run; ``correlation`` of neighbouring ones that is
    left (NaN where it cannot be told). ``reasons`` says for each metric why it has no error, ``tapered``
    draws resamples (one Run only). ``between`` and ``within`` are the variances of one Run's figures, between
    repeated Runs and from its own blocks.
    """

    error: Floats
    degrees: Floats
    length: int
    drawn: int
    correlation: Floats
    reasons: list[str | None]
    tapered: Tapered | None
    between: Floats
    within: Floats


def spread(runs: Sequence[Blocks], estimates: Sequence[Estimate]) -> Spread:
    """What is known of the figures of one side."""
    if len(runs) > 1:
        return _between(runs, estimates)
    if runs[0].blocks == 1:
        return _independent(runs[0], estimates)
    return _within(runs[0], estimates, 0)


def _matrix(estimates: Sequence[Estimate], run: int) -> Floats:
    return np.column_stack([estimate.figures[run] for estimate in estimates])


def _within(run: Blocks, estimates: Sequence[Estimate], number: int) -> Spread:
    """From the blocks of one Run, as long as the most correlated of its metrics needs them."""
    figures, _ = without_cycles(_matrix(estimates, number))
    count = run.blocks
    tau = correlation_length(figures)
    needed = [block_length(float(one), count) for one in tau]
    reasons: list[str | None] = [None] * len(estimates)
    fitting = [length for length in needed if not too_long(length, count)]
    for column, one in enumerate(tau.tolist()):
        if math.isinf(one) or too_long(needed[column], count):
            reasons[column] = (
                f"is correlated over too much of the run: {count} blocks hold fewer than {LEAST_BLOCKS} "
                "independent stretches; a longer run is needed"
            )
    length = max(fitting, default=max(1, count // LEAST_BLOCKS))
    if count < LEAST_BLOCKS:
        reasons = [f"{count} blocks of time are too few: at least {LEAST_BLOCKS} are needed"] * len(estimates)
        length = 1
    tapered = Tapered.of(figures, length)
    error = np.sqrt(tapered.variance)
    return Spread(
        error,
        np.full(len(estimates), max(tapered.drawn - 1, 1), dtype=np.float64),
        length,
        tapered.drawn,
        _neighbours(figures, length),
        reasons,
        tapered,
        np.zeros(len(estimates)),
        tapered.variance,
    )


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


def _between(runs: Sequence[Blocks], estimates: Sequence[Estimate]) -> Spread:
    """From what differs between repeated Runs, but not less than their own blocks say."""
    count = len(runs)
    # A Run is one block here: its sum of figures over all Runs' mean denominator.
    own = np.asarray([[float(figure.mean()) for figure in estimate.figures] for estimate in estimates])
    weights = np.asarray([estimate.weights for estimate in estimates])
    deviations = own * weights * count
    between = np.asarray((deviations**2).sum(axis=1) / (count - 1), dtype=np.float64)
    within = np.zeros(len(estimates))
    parts = [
        _within(run, estimates, number) if run.blocks > 1 else _independent(run, estimates, number)
        for number, run in enumerate(runs)
    ]
    for number, part in enumerate(parts):
        known = np.asarray([reason is None for reason in part.reasons])
        within += np.where(known, part.error**2 * (weights[:, number] * count) ** 2, 0.0) / count
    return Spread(
        np.sqrt(np.maximum(between, within) / count),
        np.full(len(estimates), count - 1, dtype=np.float64),
        max(part.length for part in parts),
        min(part.drawn for part in parts),
        np.mean([part.correlation for part in parts], axis=0),
        [None if estimate.centre is not None else "there is no figure" for estimate in estimates],
        None,
        between,
        within,
    )


def _independent(run: Blocks, estimates: Sequence[Estimate], number: int = 0) -> Spread:
    """As if requests knew nothing of one another: all that one histogram can say."""
    error = np.full(len(estimates), np.nan)
    reasons: list[str | None] = [None] * len(estimates)
    total = float(run.count.sum())
    for column, estimate in enumerate(estimates):
        metric = estimate.metric
        if estimate.centre is None or total < 2:
            reasons[column] = "there is no figure"
        elif metric.kind == "mean":
            middle = (run.low_ns + run.high_ns) / 2 * metric.scale
            squares = float(run.histogram @ (middle - estimate.centre) ** 2)
            error[column] = math.sqrt(squares / (total - 1) / total)
        elif metric.kind == "quantile" and metric.q is not None:
            error[column] = math.sqrt(metric.q * (1 - metric.q) / total)
        elif metric.kind == "share_over":
            error[column] = math.sqrt(max(estimate.centre * (1 - estimate.centre), 0.0) / total)
        else:
            reasons[column] = "one figure of the whole run says nothing of how it varies"
    return Spread(
        error,
        np.full(len(estimates), max(total - 1, 1)),
        1,
        1,
        np.full(len(estimates), np.nan),
        reasons,
        None,
        np.zeros(len(estimates)),
        error**2,
    )


def borrowed(spreads: Sequence[Spread], sides: Sequence[Sequence[Estimate]]) -> list[Spread]:
    """Where only one side has repeated Runs, the single Run of the other is taken to vary as they do."""
    given = list(spreads)
    repeated = [np.any(one.between > 0) for one in spreads]
    if repeated[0] == repeated[1]:
        return given
    lender = 0 if repeated[0] else 1
    lent, single = spreads[lender], spreads[1 - lender]
    beyond = np.maximum(lent.between - lent.within, 0.0)
    for column, (one, other) in enumerate(zip(sides[lender], sides[1 - lender], strict=True)):
        # Shares of a quantile need no scale; other figures vary in proportion to their size.
        if one.metric.kind != "quantile" and one.centre and other.centre is not None:
            beyond[column] *= (other.centre / one.centre) ** 2
    given[1 - lender] = replace(
        single, error=np.sqrt(single.error**2 + beyond), degrees=lent.degrees, tapered=None
    )
    return given


def method(spreads: Sequence[Spread]) -> Literal["blocks", "runs", "requests"]:
    """What a comparison of these two sides rests on."""
    if any(np.any(one.between > 0) for one in spreads):
        return "runs"
    return "requests" if any(one.tapered is None for one in spreads) else "blocks"
