"""What may be said of the difference between two Runs, or two groups of repeated Runs.

Intervals of a difference are put together from the limits of both sides (the square-and-add method of Zou and
Donner, Statistics in Medicine 27, 2008), because those of a quantile are not symmetric. One number of
standard errors belongs to each interval; the number at which it just touches 0 is the statistic, held against
that of resamples without any difference. So an interval and its p-value never contradict one another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from iowatt.lenses.compare.blocks import Blocks
from iowatt.lenses.compare.critical import Critical
from iowatt.lenses.compare.distribution import Distribution
from iowatt.lenses.compare.metrics import Metric
from iowatt.lenses.compare.outcome import INDISTINGUISHABLE, NO_VERDICT, Basis, Difference, Interval, Verdict
from iowatt.lenses.compare.pair import Pair
from iowatt.lenses.compare.repeats import Side, sides
from iowatt.lenses.compare.side import Estimate
from iowatt.lenses.compare.spread import spread

__all__ = ["Basis", "Difference", "Interval", "Question", "Verdict", "infer", "infer_all"]

RESAMPLES: Final = 4000
#: Chance that any metric of two Runs that do not differ is called different. Under the 5 % that is promised,
#: because the bootstrap's own error comes on top.
VERDICT_LEVEL: Final = 0.03
UNORDERED: Final = (
    "the order in time is not known: the interval takes requests for independent, and is too narrow where "
    "they are not; no verdict rests on it"
)


@dataclass(frozen=True)
class Question:
    """Metrics of one kind of blocks: all those of a question are resampled together."""

    before: Sequence[Blocks]
    after: Sequence[Blocks]
    metrics: Sequence[Metric]
    by_seed: bool = False
    """Whether repeated Runs are simulations that differ in their seed alone."""


def infer(
    before: Sequence[Blocks],
    after: Sequence[Blocks],
    metrics: Sequence[Metric],
    *,
    seed: int,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> list[Difference]:
    """Differences of ``metrics`` between two groups of Runs (one Run is a group of one), corrected
    together."""
    return infer_all(
        [Question(before, after, metrics)], seed=seed, resamples=resamples, confidence=confidence
    )[0]


def infer_all(
    questions: Sequence[Question], *, seed: int, resamples: int = RESAMPLES, confidence: float = 0.95
) -> list[list[Difference]]:
    """Differences of several questions (response times, then joules of the ``intervals`` table), corrected
    together.

    What belongs to one question is corrected by its common resamples; between questions by Bonferroni's
    factor.
    """
    streams = np.random.SeedSequence(seed).spawn(len(questions))
    answered = [
        _answer(question, np.random.default_rng(stream), resamples, confidence)
        for question, stream in zip(questions, streams, strict=True)
    ]
    asked = sum(any(one.p is not None for one in differences) for differences in answered)
    told = sum(one.p is not None for differences in answered for one in differences)
    return [[_judged(one, max(asked, 1), told) for one in differences] for differences in answered]


def _judged(difference: Difference, questions: int, metrics: int) -> Difference:
    """With its p over all questions, and the verdict that follows."""
    if difference.p is None or difference.difference is None:
        return difference
    p = min(1.0, difference.p * questions)
    if difference.verdict == NO_VERDICT:
        return replace(difference, p=p)
    verdict: Verdict = INDISTINGUISHABLE
    if p < VERDICT_LEVEL and difference.interval is not None:
        # By the interval, which lies between the ends of bins; the printed figures may be equal.
        lower = sum(difference.interval) < 0
        verdict = "better" if lower == (difference.metric.better == "lower") else "worse"
    remarks = difference.remarks
    away = difference.interval is not None and (difference.interval[0] > 0 or difference.interval[1] < 0)
    if verdict == INDISTINGUISHABLE and away:
        remarks = (
            *remarks,
            f"its own interval leaves out 0, but one of {metrics} metrics goes as far without any difference "
            f"in {100 * p:.2g} % of cases",
        )
    return replace(difference, p=p, verdict=verdict, remarks=remarks)


def _answer(
    question: Question, random: np.random.Generator, resamples: int, confidence: float
) -> list[Difference]:
    """Differences of one question, ``p`` corrected within it, verdicts not yet given."""
    if not question.metrics:
        return []
    groups = (question.before, question.after)
    estimates = []
    for runs in groups:
        with_bins = any(metric.kind == "quantile" for metric in question.metrics) and all(
            run.bins.any() for run in runs
        )
        distribution = Distribution.of(runs) if with_bins else None
        estimates.append([Estimate.of(runs, metric, distribution) for metric in question.metrics])
    spreads = [
        [spread(run, of_side, number) for number, run in enumerate(runs)]
        for runs, of_side in zip(groups, estimates, strict=True)
    ]
    both = sides(spreads, estimates, question.by_seed)
    pairs = [Pair.of(estimates[0][at], estimates[1][at], both, at) for at in range(len(question.metrics))]
    critical = Critical.of(pairs, both, random, resamples=resamples, confidence=confidence)
    return [
        _difference(pair, at, groups, both, critical, confidence=confidence) for at, pair in enumerate(pairs)
    ]


def _difference(
    pair: Pair,
    at: int,
    groups: tuple[Sequence[Blocks], Sequence[Blocks]],
    both: tuple[Side, Side],
    critical: Critical,
    *,
    confidence: float,
) -> Difference:
    """All of one metric, ``p`` corrected within its question."""
    before, after = pair.before.printed, pair.after.printed
    basis = _basis(pair, at, groups, both)
    difference = after - before if before is not None and after is not None else None
    told = pair.reason is None and difference is not None
    interval = ratio_interval = None
    remarks = list(pair.remarks)
    verdict: Verdict = NO_VERDICT
    if told:
        interval = pair.interval(float(critical.widths[at]))
        ratio_interval = pair.ratio_interval(float(critical.widths[at]))
        if basis.method == "requests":
            remarks.append(UNORDERED)
        if basis.method == "runs":
            remarks.append(
                f"it rests on {len(groups[0])} and {len(groups[1])} Runs and not on their blocks: repeated "
                "Runs differ by more than these explain, or blocks tell nothing"
            )
        if interval is None:
            remarks.append("the interval has no end within what was seen")
        elif basis.method != "requests":
            verdict = INDISTINGUISHABLE
    return Difference(
        metric=pair.metric,
        before=before,
        after=after,
        difference=difference,
        ratio=after / before if before and after is not None else None,
        interval=interval,
        ratio_interval=ratio_interval,
        interval_before=pair.side_interval(0, float(critical.side_widths[0][at])),
        interval_after=pair.side_interval(1, float(critical.side_widths[1][at])),
        confidence=confidence,
        p=float(critical.adjusted[at]) if interval is not None else None,
        p_alone=float(critical.alone[at]) if interval is not None else None,
        verdict=verdict,
        events=(pair.before.events, pair.after.events),
        basis=basis,
        remarks=tuple(remarks),
    )


def _basis(
    pair: Pair, at: int, groups: tuple[Sequence[Blocks], Sequence[Blocks]], both: tuple[Side, Side]
) -> Basis:
    """What the inference on one metric rests on."""
    first, second = both
    found: list[int | None] = [
        None if estimate.events is None else estimate.blocks_with_events(side.length)
        for estimate, side in zip((pair.before, pair.after), both, strict=True)
    ]
    return Basis(
        method=first.methods[at],
        runs=(len(groups[0]), len(groups[1])),
        blocks=(sum(run.blocks for run in groups[0]), sum(run.blocks for run in groups[1])),
        block_length=(first.length, second.length),
        independent_blocks=(
            sum(one.drawn for one in first.spreads),
            sum(one.drawn for one in second.spreads),
        ),
        correlation=(first.correlation(at), second.correlation(at)),
        blocks_with_events=(found[0], found[1]),
    )
