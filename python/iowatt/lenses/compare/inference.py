"""The difference between two Runs, or two groups of repeated Runs: intervals, p-values and verdicts.

Intervals of a difference are put together from the limits of both sides (the square-and-add method of Zou and
Donner, Statistics in Medicine 27, 2008), because those of a quantile are not symmetric. One number of
standard errors belongs to each interval; the number at which it just touches 0 is the statistic, compared
with that of resamples without any difference. So an interval and its p-value never contradict one another.

Where only few Runs are known, resamples are not divided by their own standard errors but by one drawn with so
few degrees of freedom, the same for all metrics of a resample: alone each then follows Student's t, together
they keep their correlation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from iowatt.lenses.compare.blocks import Blocks, Floats
from iowatt.lenses.compare.bootstrap import Resamples, step_down
from iowatt.lenses.compare.distribution import Distribution
from iowatt.lenses.compare.metrics import RunMetric, SideEstimate
from iowatt.lenses.compare.repeats import SideErrors, run_errors, sides
from iowatt.lenses.compare.result import INDISTINGUISHABLE, NO_VERDICT, Basis, Interval, Verdict

RESAMPLES: Final = 4000
#: Chance that any metric of two Runs that do not differ is called different. Under the 5 % that is promised,
#: because the bootstrap's own error comes on top.
VERDICT_LEVEL: Final = 0.03
UNORDERED: Final = (
    "the order in time is not known: the interval takes requests for independent, and is too narrow where "
    "they are not; no verdict rests on it"
)
#: Differences under this share of the figures are rounding.
ROUNDING: Final = 1e-9
#: Standard errors up to which a statistic is searched, and halvings of that range.
FARTHEST: Final = 200.0
HALVINGS: Final = 50


@dataclass(frozen=True)
class Question:
    """Metrics of one kind of blocks: all those of a question are resampled together."""

    before: Sequence[Blocks]
    after: Sequence[Blocks]
    metrics: Sequence[RunMetric]
    #: Whether repeated Runs are simulations that differ in their seed alone.
    by_seed: bool = False


@dataclass(frozen=True)
class Difference:
    """A metric before and after, in its unit.

    ``before`` and ``after`` are as printed anywhere, ``difference`` is after - before. ``interval`` is of the
    difference, ``interval_before`` and ``interval_after`` of each side, for this metric alone; None where
    there is none. ``p`` is adjusted over all metrics of the comparison, and the verdict rests on it.
    ``events`` are requests beyond a quantile, or over a threshold, on each side.
    """

    metric: RunMetric
    before: float | None
    after: float | None
    difference: float | None
    interval: Interval | None
    interval_before: Interval | None
    interval_after: Interval | None
    p: float | None
    verdict: Verdict
    events: tuple[int | None, int | None]
    basis: Basis
    remarks: tuple[str, ...]


def infer_all(
    questions: Sequence[Question],
    *,
    seed: int,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
    comparisons: int = 1,
) -> list[list[Difference]]:
    """Differences of several questions (response times, then joules of the ``intervals`` table).

    All are corrected together: those of one question by its common resamples, questions on different blocks,
    and ``comparisons`` of as many systems with one other, of which this is one, by Bonferroni's factor.
    """
    streams = np.random.SeedSequence(seed).spawn(len(questions))
    answers = [
        _answer(question, np.random.default_rng(stream), resamples, confidence)
        for question, stream in zip(questions, streams, strict=True)
    ]
    factor = comparisons * max(1, sum(any(one.p is not None for one in found) for found in answers))
    count = comparisons * sum(one.p is not None for differences in answers for one in differences)
    return [[_with_verdict(one, factor, count) for one in differences] for differences in answers]


def _with_verdict(difference: Difference, factor: int, metrics: int) -> Difference:
    """With its p over all questions, and the verdict that follows."""
    interval = difference.interval
    if difference.p is None or difference.difference is None:
        return difference
    p = min(1.0, difference.p * factor)
    if difference.verdict == NO_VERDICT or interval is None:
        return replace(difference, p=p)
    if p < VERDICT_LEVEL:
        # By the interval, which lies between the ends of bins; the printed figures may be equal.
        lower = sum(interval) < 0
        better = lower == (difference.metric.better == "lower")
        return replace(difference, p=p, verdict="better" if better else "worse")
    remarks = difference.remarks
    if interval[0] > 0 or interval[1] < 0:
        remarks += (
            f"its own interval leaves out 0, but one of {metrics} metrics goes as far without any difference "
            f"in {100 * p:.2g} % of cases",
        )
    return replace(difference, p=p, verdict=INDISTINGUISHABLE, remarks=remarks)


def _answer(
    question: Question, random: np.random.Generator, resamples: int, confidence: float
) -> list[Difference]:
    """Differences of one question, ``p`` corrected within it, verdicts not yet given."""
    if not question.metrics:
        return []
    groups = (question.before, question.after)
    quantiles = any(metric.kind == "quantile" for metric in question.metrics)
    estimates = []
    for runs in groups:
        distribution = Distribution.of(runs) if quantiles and all(run.bins.any() for run in runs) else None
        estimates.append([SideEstimate.of(runs, metric, distribution) for metric in question.metrics])
    spreads = [
        [run_errors(run, of_side, number) for number, run in enumerate(runs)]
        for runs, of_side in zip(groups, estimates, strict=True)
    ]
    both = sides(spreads, estimates, question.by_seed)
    pairs = [_Pair.of(estimates[0][at], estimates[1][at], both, at) for at in range(len(question.metrics))]
    critical = _Critical.of(pairs, both, random, resamples=resamples, confidence=confidence)
    return [_difference(pair, critical, at, _basis(pair, at, groups, both)) for at, pair in enumerate(pairs)]


def _difference(pair: _Pair, critical: _Critical, at: int, basis: Basis) -> Difference:
    """All of one metric, ``p`` corrected within its question."""
    before, after = pair.before.printed, pair.after.printed
    difference = after - before if before is not None and after is not None else None
    interval = None
    remarks = list(pair.remarks)
    if pair.reason is None and difference is not None:
        interval = _finite(pair.limits(float(critical.widths[0][at])))
        if basis.method == "requests":
            remarks.append(UNORDERED)
        if basis.method == "runs":
            remarks.append(
                f"it rests on {basis.runs[0]} and {basis.runs[1]} Runs and not on their blocks: repeated "
                "Runs differ by more than these explain, or blocks have no variance"
            )
        if interval is None:
            remarks.append("the interval has no end within the data")
    known = interval is not None
    return Difference(
        metric=pair.metric, before=before, after=after, difference=difference,
        interval=interval,
        interval_before=pair.side_interval(0, float(critical.widths[1][at])),
        interval_after=pair.side_interval(1, float(critical.widths[2][at])),
        p=float(critical.adjusted[at]) if known else None,
        verdict=INDISTINGUISHABLE if known and basis.method != "requests" else NO_VERDICT,
        events=(pair.before.events, pair.after.events), basis=basis, remarks=tuple(remarks),
    )  # fmt: skip


def _basis(
    pair: _Pair,
    at: int,
    groups: tuple[Sequence[Blocks], Sequence[Blocks]],
    both: tuple[SideErrors, SideErrors],
) -> Basis:
    """What the inference on one metric rests on."""
    first, second = both
    with_events: list[int | None] = [
        None if estimate.events is None else estimate.blocks_with_events(side.length)
        for estimate, side in zip((pair.before, pair.after), both, strict=True)
    ]
    return Basis(
        method=first.methods[at], runs=(len(groups[0]), len(groups[1])),
        blocks=(sum(run.blocks for run in groups[0]), sum(run.blocks for run in groups[1])),
        block_length=(first.length, second.length),
        independent_blocks=(
            sum(one.drawn for one in first.spreads), sum(one.drawn for one in second.spreads),
        ),
        correlation=(first.correlation(at), second.correlation(at)),
        blocks_with_events=(with_events[0], with_events[1]),
    )  # fmt: skip


def _finite(limits: Interval) -> Interval | None:
    return limits if math.isfinite(limits[0]) and math.isfinite(limits[1]) else None


@dataclass(frozen=True)
class _Pair:
    """Estimates of a metric before and after, with their standard errors.

    ``reason`` says why there is no inference.
    """

    before: SideEstimate
    after: SideEstimate
    errors: tuple[float, float]
    scales: tuple[float, float]
    reason: str | None
    remarks: tuple[str, ...]

    @classmethod
    def of(
        cls, before: SideEstimate, after: SideEstimate, sides: tuple[SideErrors, SideErrors], at: int
    ) -> _Pair:
        """The metric at place ``at`` of both sides."""
        remarks: list[str] = []
        errors = (float(sides[0].error[at]), float(sides[1].error[at]))
        for name, estimate, side, error in zip(
            ("before", "after"), (before, after), sides, errors, strict=True
        ):
            why = side.reasons[at] or estimate.too_few(error, side.length if side.ordered else None)
            if why is not None:
                remarks.append(f"{name}: {why}")
        scales = (0.0, 0.0) if remarks else (before.scale_of(errors[0]), after.scale_of(errors[1]))
        return cls(before, after, errors, scales, remarks[0] if remarks else None, tuple(remarks))

    @property
    def metric(self) -> RunMetric:
        """What is compared."""
        return self.before.metric

    def limits(self, widths: float) -> Interval:
        """Limits of the difference at so many standard errors, in the metric's unit; infinite without any."""
        before, after = self.before.centre or 0.0, self.after.centre or 0.0
        low_before, high_before = self.before.limits(self.errors[0], widths)
        low_after, high_after = self.after.limits(self.errors[1], widths)
        middle = after - before
        return (
            middle - math.hypot(after - low_after, high_before - before),
            middle + math.hypot(high_after - after, before - low_before),
        )

    def side_interval(self, side: int, widths: float) -> Interval | None:
        """Limits of the figure on one side."""
        estimate = (self.before, self.after)[side]
        return None if self.reason is not None else _finite(estimate.limits(self.errors[side], widths))

    def statistic(self) -> float:
        """Standard errors at which the interval of the difference just touches 0."""
        one, other = self.before.centre or 0.0, self.after.centre or 0.0
        if self.reason is not None or abs(other - one) <= ROUNDING * max(abs(one), abs(other)):
            return 0.0
        low, high = 0.0, FARTHEST
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            limits = self.limits(middle)
            low, high = (middle, high) if limits[0] > 0 or limits[1] < 0 else (low, middle)
        return low


@dataclass(frozen=True)
class _Critical:
    """Standard errors of the intervals (difference, before, after) of J metrics, and their p-values."""

    widths: tuple[Floats, Floats, Floats]
    adjusted: Floats

    @classmethod
    def of(
        cls,
        pairs: Sequence[_Pair],
        sides: tuple[SideErrors, SideErrors],
        random: np.random.Generator,
        *,
        resamples: int,
        confidence: float,
    ) -> _Critical:
        """By ``resamples`` of both sides."""
        observed = np.asarray([pair.statistic() for pair in pairs])
        known = np.flatnonzero([pair.reason is None for pair in pairs])
        before, after = (_scaled(one.draw(random, resamples), pairs, at) for at, one in enumerate(sides))
        both = Resamples(after.mean - before.mean, before.variance + after.variance)
        joint = np.asarray([_joint_degrees(pair, sides, at) for at, pair in enumerate(pairs)])
        # The same stream for any degrees: equal probabilities of chi-square for all metrics of a resample.
        few = _root_chi_squares(random, resamples, [joint, sides[0].degrees, sides[1].degrees])
        together, first, second = (
            _studentised(drawn, column) for drawn, column in zip((both, before, after), few, strict=True)
        )
        adjusted = np.ones(len(pairs))
        adjusted[known] = step_down(observed[known], together[:, known])
        widths = [np.quantile(one, confidence, axis=0, method="higher") for one in (together, first, second)]
        return cls((widths[0], widths[1], widths[2]), adjusted)


def _scaled(drawn: Resamples, pairs: Sequence[_Pair], side: int) -> Resamples:
    """Resamples in the unit of the metrics: a greater share at or below a value is a smaller quantile."""
    factors = np.asarray(
        [
            (-1.0 if pair.metric.kind == "quantile" else 1.0) * pair.scales[side] / pair.errors[side]
            if pair.reason is None and pair.errors[side] > 0 and np.isfinite(pair.scales[side])
            else 0.0
            for pair in pairs
        ]
    )
    return Resamples(drawn.mean * factors, drawn.variance * factors**2)


def _joint_degrees(pair: _Pair, sides: tuple[SideErrors, SideErrors], at: int) -> float:
    """Degrees of freedom of the difference: by Welch and Satterthwaite where the sides differ."""
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
    """sqrt(chi-square / degrees) by metric, equal draws for equal degrees; None where all are infinite."""
    kinds = sorted({float(one) for column in degrees for one in column if math.isfinite(one)})
    drawn = {one: np.sqrt(random.chisquare(one, resamples) / one) for one in kinds}
    unknown = np.full(resamples, np.nan)
    return [
        np.column_stack([drawn.get(float(one), unknown) for one in column]).astype(np.float64)
        if np.isfinite(column).any()
        else None
        for column in degrees
    ]


def _studentised(drawn: Resamples, few: Floats | None) -> Floats:
    """Absolute statistics of resamples, by their own standard errors or, with ``few``, by drawn ones."""
    own = np.divide(
        drawn.mean, np.sqrt(drawn.variance), out=np.zeros_like(drawn.mean), where=drawn.variance > 0
    )
    if few is None:
        return np.abs(own)
    deviation = drawn.mean.std(axis=0)
    fixed = np.divide(drawn.mean, deviation, out=np.zeros_like(drawn.mean), where=deviation > 0)
    found: Floats = np.abs(np.where(np.isnan(few), own, fixed / np.nan_to_num(few, nan=1.0)))
    return found
