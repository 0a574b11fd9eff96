"""The highest rate that keeps the mean response time within a limit, found with few runs.

Each run costs minutes on real storage, so the search uses the shape of response-time curves: for a queue
with one bottleneck, 1/R falls in a straight line with the rate x (M/M/1: R = s / (1 - x s), so
1/R = 1/s - x; Kleinrock, "Queueing Systems" I, 1975, 3.2). From two points it goes where that line meets
1/limit, a little below or above, so that two runs usually close the bracket. Where a curve is not like that,
the bracket is halved: the number of runs is bounded by the logarithm of the range over the tolerance.

A point is judged by what was measured. Where the limit lies within a point's own confidence interval, the
point is run again and the runs are pooled before they decide anything.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, Literal

from iowatt.base.results import Note

Verdict = Literal["meets", "over", "saturated"]

#: Requests that a simulated point may take: beyond, it is shortened.
MOST_REQUESTS: Final = 3_000_000
#: Share of the asked rate below which a run did not keep up.
KEEPS_UP: Final = 0.99
_GROWTH, _MOST_GROWTH, _LEAST_GROWTH = 4.0, 8.0, 1.5
#: Lowest rate that is tried, as a share of the first one.
_LEAST: Final = 1 / 4096


@dataclass(frozen=True)
class RateMeasurement:
    """The measurement of a run at a rate."""

    #: Requests per second.
    asked: float
    achieved: float
    #: Mean in s; None where nothing completed.
    response_s: float | None
    #: Half of the 95 % confidence interval of the mean, in s; 0 where it is exact or not known.
    half_width_s: float = 0.0
    #: Half-width of ``achieved`` where arrivals are random: few arrivals do not mean that requests were late.
    scatter: float = 0.0


@dataclass(frozen=True)
class BracketPoint:
    """One rate with all of its runs pooled."""

    rate: float
    achieved: float
    response_s: float | None
    half_width_s: float
    verdict: Verdict
    #: The limit lies within the confidence interval: the verdict may be chance.
    uncertain: bool
    runs: int


@dataclass(frozen=True)
class RateBracket:
    """What the search found."""

    limit_s: float
    #: The point of the highest rate that met the limit; None where none did.
    best: BracketPoint | None
    #: The lowest rate above it that did not; None where none was seen.
    beyond: BracketPoint | None
    #: Whether these two are within the tolerance of one another.
    settled: bool
    #: In the order in which they were run, repeated ones pooled.
    points: tuple[BracketPoint, ...]
    #: Runs in all.
    runs: int
    #: Why it ended early, and where the curve falls.
    notes: tuple[Note, ...] = ()

    @property
    def monotone(self) -> bool:
        """Whether no lower rate near the limit had a longer response time than a higher one (see falls)."""
        return not falls(self.points, self.limit_s)


Measure = Callable[[float], RateMeasurement]


def verdict_of(
    rate: float,
    achieved: float,
    response_s: float | None,
    limit_s: float,
    *,
    scatter: float = 0.0,
    keeps_up: float = KEEPS_UP,
) -> Verdict:
    """The verdict on a rate by its measurement; parameters are those of :class:`RateMeasurement`."""
    if response_s is None or achieved + scatter < keeps_up * rate:
        return "saturated"
    return "meets" if response_s <= limit_s else "over"


def highest_rate(
    measure: Measure,
    limit_s: float,
    *,
    start: float,
    tolerance: float = 0.02,
    most_runs: int = 24,
    repeats: int = 1,
    ceiling: float = math.inf,
    rounded: Callable[[float], float] = lambda rate: rate,
    keeps_up: float = KEEPS_UP,
    near: float | None = None,
) -> RateBracket:
    """The highest rate whose mean response time is at most ``limit_s``.

    Args:
        measure: Runs the load at a rate, in requests per second.
        start: The first rate that is tried.
        tolerance: How near the rate that meets the limit and the one that does not must come, as a share of
            the latter.
        most_runs: Number of runs after which the search ends, settled or not.
        repeats: Further runs of a point that its own noise leaves undecided.
        ceiling: No rate above it is tried.
        rounded: The nearest rate that can be asked for: whole numbers, say. Must not fall where rates rise.
        keeps_up: Share of the asked rate below which a run did not keep up.
        near: How near ``start`` is thought to be to the answer, as a share of it: the first step goes so far,
            and the next ones further. None: nothing is known.

    Raises ``ValueError``: an invalid limit, start or tolerance.
    """
    if not (limit_s > 0 and math.isfinite(limit_s)):
        raise ValueError(f"a limit of {limit_s} s")
    if not (0 < start < math.inf and ceiling > 0):
        raise ValueError(f"a first rate of {start}")
    if not 1e-6 <= tolerance < 1:
        raise ValueError(f"a tolerance of {tolerance}")
    if near is not None and not 0 < near < math.inf:
        raise ValueError(f"a first step of {near}")
    search = _BracketSearch(measure, limit_s, tolerance, most_runs, repeats, ceiling, rounded, keeps_up, near)
    return search.run(min(start, ceiling))


def falls(points: Sequence[BracketPoint], limit_s: float) -> list[tuple[BracketPoint, BracketPoint]]:
    """Neighbouring rates where the higher one has the shorter response time, by more than noise and a tenth.

    Saturated points are left out: their response times are those of a growing queue. So are falls from less
    than half of the limit, which no search is misled by.
    """
    kept = (p for p in points if p.response_s is not None and p.verdict != "saturated")
    known = sorted(kept, key=lambda p: p.rate)
    return [(a, b) for a, b in pairwise(known) if 2 * (a.response_s or 0.0) >= limit_s and _falls(a, b)]


def _falls(lower: BracketPoint, higher: BracketPoint) -> bool:
    assert lower.response_s is not None and higher.response_s is not None
    noise = lower.half_width_s + higher.half_width_s
    return lower.response_s - higher.response_s > max(noise, 0.1 * lower.response_s)


def half_width_s(times: Mapping[str, Any]) -> float | None:
    """Half of the 95 % interval of the mean in ``response_time_ms``, in s.

    None without an interval, or where it is wider than the mean.
    """
    interval = times.get("mean_ci95")
    if interval is None:
        return None
    low, high = (interval["low"], interval["high"]) if isinstance(interval, Mapping) else interval
    half = float(high - low) / 2
    return half / 1e3 if half <= times["mean"] else None


def achieved_rate(rate: float, completed: float, issued: float) -> float:
    """The achieved part of an open load of ``rate``, where ``issued`` arrived and ``completed`` were done.

    Both per second, or both in all: the scatter of random arrivals is in both, and so taken out.
    """
    return rate * completed / issued


class _RunsUsedUpError(Exception):
    """No more runs are allowed."""


class _NoOtherRateError(Exception):
    """The next rate was run already: no other rate lies between."""


@dataclass
class _BracketSearch:
    measure: Measure
    limit: float
    tolerance: float
    most_runs: int
    repeats: int
    ceiling: float
    rounded: Callable[[float], float]
    keeps_up: float
    near: float | None
    points: list[BracketPoint] = field(default_factory=list)
    runs: int = 0
    notes: list[Note] = field(default_factory=list)
    low: BracketPoint | None = None
    high: BracketPoint | None = None

    def run(self, start: float) -> RateBracket:
        try:
            first = self._at(start)
            if first.verdict == "meets" or self._descend(first):
                self._climb()
            if self.low is not None and self.high is not None:
                self._close(self.low, self.high)
        except _RunsUsedUpError:
            self._note("runs-used-up", f"the search ended after {self.runs} runs, before it had settled")
        except _NoOtherRateError:
            self._note(
                "no-rate-between", "the rates that can be asked for leave none between those that were run"
            )
        for lower, higher in falls(self.points, self.limit):
            self._note(
                "not-monotone",
                f"the response time falls from {_ms(lower)} at {lower.rate:.6g} to {_ms(higher)} at "
                f"{higher.rate:.6g} requests per second: the curve is not monotone, and a rate within the "
                "limit may lie beyond the one found",
            )
        if self.low is not None and self.low.uncertain:
            self._note("limit-in-noise", "the limit is within the noise of the rate found")
        return RateBracket(
            self.limit,
            self.low,
            self.high,
            self._settled(),
            tuple(self.points),
            self.runs,
            tuple(self.notes),
        )

    def _note(self, code: str, text: str) -> None:
        self.notes.append(Note(code=code, text=text, decides=True))

    def _settled(self) -> bool:
        if self.low is None or self.high is None:
            return False
        return self.high.rate - self.low.rate <= self.tolerance * self.high.rate * (1 + 1e-9)

    def _at(self, rate: float) -> BracketPoint:
        """A rate, run once or, where noise leaves it undecided, more often; the bracket knows of it."""
        rate = self.rounded(rate)
        known = next((point for point in self.points if point.rate == rate), None)
        if known is not None or rate <= 0:
            raise _NoOtherRateError
        measurements: list[RateMeasurement] = []
        point: BracketPoint | None = None
        while point is None or (point.uncertain and len(measurements) <= self.repeats):
            if self.runs >= self.most_runs:
                if point is None:
                    raise _RunsUsedUpError
                break
            self.runs += 1
            measurements.append(self.measure(rate))
            point = self._judged(rate, measurements)
        self.points.append(point)
        above = self.low is None or rate > self.low.rate
        if above and point.verdict == "meets":
            self.low = point
        elif above and (self.high is None or rate < self.high.rate):
            self.high = point
        return point

    def _judged(self, rate: float, measurements: Sequence[RateMeasurement]) -> BracketPoint:
        answered = [one for one in measurements if one.response_s is not None]
        achieved = math.fsum(one.achieved for one in measurements) / len(measurements)
        if not answered:
            return BracketPoint(
                rate, achieved, None, 0.0, "saturated", uncertain=False, runs=len(measurements)
            )
        mean = math.fsum(one.response_s or 0.0 for one in answered) / len(answered)
        half = math.sqrt(math.fsum(one.half_width_s**2 for one in answered)) / len(answered)
        scatter = math.sqrt(math.fsum(one.scatter**2 for one in measurements)) / len(measurements)
        verdict = verdict_of(rate, achieved, mean, self.limit, scatter=scatter, keeps_up=self.keeps_up)
        uncertain = verdict != "saturated" and abs(mean - self.limit) < half
        return BracketPoint(rate, achieved, mean, half, verdict, uncertain, len(measurements))

    def _climb(self) -> None:
        """Up from the highest rate that met the limit, until one does not."""
        while self.low is not None and self.high is None:
            if self.low.rate >= self.ceiling:
                self._note(
                    "ceiling-within-limit",
                    f"the highest rate that may be tried, {self.ceiling:.6g}, is within the limit",
                )
                return
            step = self._above(self.low) - self.low.rate
            while self.rounded(self.low.rate + step) <= self.low.rate:
                step *= 2
            self._at(min(self.low.rate + step, self.ceiling))

    def _above(self, low: BracketPoint) -> float:
        """The next rate on the way up: where the line of 1/R meets 1/limit, if two points tell."""
        least = low.rate * (1 + 0.9 * self.tolerance)
        known = sorted(
            (p for p in self.points if p.verdict == "meets" and p.response_s), key=lambda p: p.rate
        )
        if len(known) >= 2:
            meets = _crossing(known[-2], known[-1], self.limit)
            if meets is not None:
                aim = meets * (1 + 0.4 * self.tolerance)
                return min(max(aim, least), low.rate * _MOST_GROWTH)
        if (step := self._first_step(low)) is not None:
            return low.rate * min(1 + step, _MOST_GROWTH)
        near = low.response_s is not None and low.response_s * _GROWTH > self.limit
        return low.rate * (_LEAST_GROWTH if near else _GROWTH)

    def _first_step(self, first: BracketPoint) -> float | None:
        """Distance from the first rate to the second, as a share; None where it is unknown.

        Under load response times grow at least as fast as the rate, so that the first of them bounds it too.
        """
        if self.near is None or len(self.points) > 1:
            return None
        share = math.inf if not first.response_s else abs(1 - self.limit / first.response_s)
        if first.verdict == "over" and share > 0.3:  # not so near after all
            return None
        return max(min(share, self.near), 0.9 * self.tolerance)

    def _descend(self, first: BracketPoint) -> bool:
        """Down from a rate that failed, until one meets the limit; whether to climb from there.

        Where response times do not become shorter with the rate (disks that sleep, say), it goes up instead.
        """
        last, step = first, 0.0
        while last.rate > self._floor(first):
            # Each step is longer than the one before it, however near the line says that the limit is.
            step = max(last.rate - self._below(last), min(2 * step, 0.5 * last.rate))
            while self.rounded(last.rate - step) >= last.rate:
                step *= 2
            point = self._at(last.rate - step)
            if point.verdict == "meets":
                return False
            over = last.verdict == "over" and point.verdict == "over"
            lower, higher = point.response_s or 0.0, last.response_s or 0.0
            far = point.rate * _LEAST_GROWTH <= last.rate * (1 + 1e-9)
            meets = _crossing(point, last, self.limit)
            flat = far and lower >= 0.95 * higher and (meets is None or meets <= self._floor(first))
            # A little more at a little less is noise.
            if over and (lower > 1.05 * higher or flat):
                return self._ascend_over(first)
            last = point
        self._note("no-rate-below", f"no rate down to {last.rate:.6g} requests per second keeps to the limit")
        return False

    def _floor(self, first: BracketPoint) -> float:
        """The least rate that is tried: far below what the array can do, or the first one."""
        can = [p.achieved for p in self.points if p.verdict == "saturated" and p.achieved > 0]
        return _LEAST * min([first.rate, *can])

    def _below(self, point: BracketPoint) -> float:
        """The next rate on the way down."""
        if (step := self._first_step(point)) is not None:
            return point.rate * (1 - min(step, 0.5))
        if point.verdict == "saturated":
            return min(0.8 * point.achieved, 0.9 * point.rate) or point.rate / _MOST_GROWTH
        above = min(
            (p for p in self.points if p.rate > point.rate and p.verdict == "over"),
            key=lambda p: p.rate,
            default=None,
        )
        meets = None if above is None else _crossing(point, above, self.limit)
        if meets is None:
            meets = point.rate * min(self.limit / (point.response_s or math.inf), 1 / _LEAST_GROWTH)
        aim = min(meets * (1 - 0.4 * self.tolerance), point.rate * (1 - 0.9 * self.tolerance))
        return max(aim, point.rate / _MOST_GROWTH)

    def _ascend_over(self, first: BracketPoint) -> bool:
        """Up through rates that are over the limit, as long as the response time falls."""
        last = first
        while last.verdict == "over":
            self.high = None
            point = self._at(last.rate * _GROWTH)
            if point.verdict == "meets":
                return True
            if point.verdict == "saturated" or (point.response_s or 0.0) > (last.response_s or 0.0):
                break
            last = point
        self._note(
            "no-rate", "no rate was found that keeps to the limit, neither below nor above the first one"
        )
        return False

    def _close(self, low: BracketPoint, high: BracketPoint) -> None:
        """Narrows the bracket to the tolerance."""
        widths: list[float] = []
        probed = False
        while not self._settled():
            assert self.low is not None and self.high is not None
            low, high = self.low, self.high
            width = high.rate - low.rate
            stuck = probed or (len(widths) >= 2 and width > 0.5 * widths[-2])
            widths.append(width)
            aim, probed = self._between(low, high)
            if stuck or self.rounded(aim) in (low.rate, high.rate):
                widths.clear()
                aim, probed = _middle(low.rate, high.rate), False
            self._at(aim)

    def _between(self, low: BracketPoint, high: BracketPoint) -> tuple[float, bool]:
        """The next rate within the bracket: near where the line of 1/R meets 1/limit, never at an end.

        And whether it lies so near an end that it closes the bracket, if the line is right.
        """
        width, step = high.rate - low.rate, self.tolerance * high.rate
        aim, probes = self._crossing(low, high), True
        if aim is None:
            return _middle(low.rate, high.rate), False
        if aim - low.rate < 0.8 * step:
            aim = low.rate + 0.9 * step
        elif high.rate - aim < 0.5 * step:
            aim = high.rate - 0.9 * step
        else:
            aim, probes = aim - 0.4 * step, high.verdict == "saturated"
        edge = 0.05 * width
        return min(max(aim, low.rate + edge), high.rate - edge), probes

    def _crossing(self, low: BracketPoint, high: BracketPoint) -> float | None:
        if high.verdict == "over" or not low.response_s:
            return _crossing(low, high, self.limit)
        # At the capacity of a saturated array 1/R is 0 in an endless run. Where it achieved less than its
        # capacity (thrashing, a full cache), the achieved rate gives no estimate.
        if not low.rate < high.achieved < high.rate:
            return None
        share = (1 / low.response_s - 1 / self.limit) * low.response_s
        return low.rate + max(0.0, share) * (high.achieved - low.rate)


def _crossing(a: BracketPoint, b: BracketPoint, limit: float) -> float | None:
    """The rate at which the line of 1/R through two points meets 1/limit; None where it does not fall."""
    if not a.response_s or not b.response_s or a.rate >= b.rate:
        return None
    ya, yb = 1 / a.response_s, 1 / b.response_s
    if yb >= ya:
        return None
    return a.rate + (ya - 1 / limit) * (b.rate - a.rate) / (ya - yb)


def _middle(low: float, high: float) -> float:
    return math.sqrt(low * high) if high > 4 * low else (low + high) / 2


def _ms(point: BracketPoint) -> str:
    return "none" if point.response_s is None else f"{point.response_s * 1e3:.4g} ms"
