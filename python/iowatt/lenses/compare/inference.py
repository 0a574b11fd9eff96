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
from iowatt.lenses.compare.bootstrap import Drawn, step_down
from iowatt.lenses.compare.distribution import Distribution
from iowatt.lenses.compare.metrics import Estimate, Metric
from iowatt.lenses.compare.repeats import Side, sides, spread
from iowatt.lenses.compare.result import INDISTINGUISHABLE, NO_VERDICT, Basis, Interval, Verdict

#: Differences under this share of the figures are rounding.
ROUNDING: Final = 1e-9
#: Standard errors that are looked at when a statistic is sought.
FARTHEST: Final = 200.0
#: Halvings of that range.
HALVINGS: Final = 50


@dataclass(frozen=True)
class Difference:
    """A metric before and after, in its unit.

    ``before`` and ``after`` are as printed anywhere, ``difference`` is after - before and ``ratio`` after /
    before of these. ``interval`` is of the difference, ``ratio_interval`` of the ratio, ``interval_before``
    and ``interval_after`` of each side, all at ``confidence`` for this metric alone; ``None`` where nothing
    can be said. ``p`` is adjusted over all metrics that were asked for together, and the verdict rests on it;
    ``p_alone`` is not. ``events`` are requests beyond a quantile, or over a threshold, on each side.
    """

    metric: Metric
    before: float | None
    after: float | None
    difference: float | None
    ratio: float | None
    interval: Interval | None
    ratio_interval: Interval | None
    interval_before: Interval | None
    interval_after: Interval | None
    confidence: float
    p: float | None
    p_alone: float | None
    verdict: Verdict
    events: tuple[int | None, int | None]
    basis: Basis
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class Pair:
    """Estimates of a metric before and after with their standard errors; ``reason`` says why there is no
    inference."""

    before: Estimate
    after: Estimate
    errors: tuple[float, float]
    scales: tuple[float, float]
    reason: str | None
    remarks: tuple[str, ...]

    @classmethod
    def of(cls, before: Estimate, after: Estimate, sides: tuple[Side, Side], at: int) -> Pair:
        """The metric at place ``at`` of both sides."""
        remarks: list[str] = []
        errors = (float(sides[0].error[at]), float(sides[1].error[at]))
        for name, estimate, one in zip(("before", "after"), (before, after), sides, strict=True):
            why = one.reasons[at] or estimate.too_few(
                float(one.error[at]), one.length if one.ordered else None
            )
            if why is not None:
                remarks.append(f"{name}: {why}")
        scales = (
            (0.0, 0.0) if remarks else (before.scale_of(errors[0]), after.scale_of(errors[1]))
        )  # fmt: skip
        return cls(before, after, errors, scales, remarks[0] if remarks else None, tuple(remarks))

    @property
    def metric(self) -> Metric:
        """What is compared."""
        return self.before.metric

    @property
    def _centres(self) -> tuple[float, float]:
        return self.before.centre or 0.0, self.after.centre or 0.0

    def _limits(self, widths: float) -> tuple[Interval, Interval]:
        return self.before.limits(self.errors[0], widths), self.after.limits(self.errors[1], widths)

    def _raw(self, widths: float) -> Interval:
        """Limits of the difference, infinite where there is none."""
        one, other = self._centres
        (low_1, high_1), (low_2, high_2) = self._limits(widths)
        middle = other - one
        return (
            middle - math.hypot(other - low_2, high_1 - one),
            middle + math.hypot(high_2 - other, one - low_1),
        )

    def interval(self, widths: float) -> Interval | None:
        """Limits of the difference at so many standard errors, in the metric's unit."""
        low, high = self._raw(widths)
        return (low, high) if math.isfinite(low) and math.isfinite(high) else None

    def ratio_interval(self, widths: float) -> Interval | None:
        """Limits of the ratio after / before, put together as logarithms; ``None`` where a limit is not above
        0."""
        one, other = self._centres
        (low_1, high_1), (low_2, high_2) = self._limits(widths)
        if min(one, other, low_1, low_2) <= 0 or not (math.isfinite(high_1) and math.isfinite(high_2)):
            return None
        middle = math.log(other / one)
        return (
            math.exp(middle - math.hypot(math.log(other / low_2), math.log(high_1 / one))),
            math.exp(middle + math.hypot(math.log(high_2 / other), math.log(one / low_1))),
        )

    def side_interval(self, side: int, widths: float) -> Interval | None:
        """Limits of the figure on one side."""
        if self.reason is not None:
            return None
        estimate = (self.before, self.after)[side]
        low, high = estimate.limits(self.errors[side], widths)
        return (low, high) if math.isfinite(low) and math.isfinite(high) else None

    def statistic(self) -> float:
        """Standard errors at which the interval of the difference just touches 0."""
        if self.reason is not None:
            return 0.0
        one, other = self._centres
        if abs(other - one) <= ROUNDING * max(abs(one), abs(other)):
            return 0.0
        low, high = 0.0, FARTHEST
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            limits = self._raw(middle)
            low, high = (middle, high) if limits[0] > 0 or limits[1] < 0 else (low, middle)
        return low


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
