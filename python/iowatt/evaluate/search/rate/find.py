"""The highest rate and its confidence interval, from those of the response times near it.

Near the limit 1/R is nearly a straight line in the rate (:mod:`iowatt.evaluate.search.highest`). Where that
line of one seed meets 1/limit is this seed's own answer, and the answers of independent seeds give Student's
t interval. Of a single seed the interval of the mean, by batch means, is carried over to the rate by the
slope of that line (the delta method).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from iowatt.base.results import Note
from iowatt.evaluate.search.highest.rate import (
    KEEPS_UP,
    RateBracket,
    RateMeasurement,
    highest_rate,
    verdict_of,
)
from iowatt.evaluate.search.rate.measurement import RunMeasurement, measure_run
from iowatt.evaluate.search.rate.request import RateRequest
from iowatt.evaluate.search.rate.result import Basis, Kind, RateResult, RateRun
from iowatt.run.bundle import Run
from iowatt.run.statistics import student_t_quantile

#: A rate and the response time there, s.
Pair = tuple[float, float]


def mean_and_half_width(values: Sequence[float]) -> tuple[float, float | None]:
    """Mean of independent values and half of its 95 % interval (Student's t); None of a single one."""
    mean, count = math.fsum(values) / len(values), len(values)
    if count < 2:
        return mean, None
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    return mean, student_t_quantile(0.975, count - 1) * math.sqrt(variance / count)


def line(curve: Sequence[Pair], limit_s: float) -> tuple[Pair, Pair] | None:
    """The two points that tell where a curve meets its limit: either side of it, else the two nearest.

    None where there are no two, or the response time does not rise between them.
    """
    points = sorted(curve)
    below = [point for point in points if point[1] <= limit_s]
    if below and below[-1] is not points[-1]:
        at = points.index(below[-1])
        pair = points[at], points[at + 1]
    elif len(points) >= 2:
        pair = (points[-2], points[-1]) if below else (points[0], points[1])
    else:
        return None
    return pair if pair[0][1] < pair[1][1] else None


def crossing(curve: Sequence[Pair], limit_s: float) -> float | None:
    """The rate at which a curve meets its limit; None where its points do not tell."""
    pair = line(curve, limit_s)
    if pair is None:
        return None
    (a, ra), (b, rb) = pair
    found = a + (1 / ra - 1 / limit_s) * (b - a) / (1 / ra - 1 / rb)
    return found if found > 0 else None


def slope(curve: Sequence[Pair], limit_s: float) -> float | None:
    """dR/dx of a curve where it meets its limit, s per request per second."""
    pair = line(curve, limit_s)
    if pair is None:
        return None
    (a, ra), (b, rb) = pair
    # R = 1/y with y a line in x, so dR/dx = -R^2 dy/dx.
    return limit_s**2 * (1 / ra - 1 / rb) / (b - a)


#: With several seeds the first one alone finds where the others begin, to this tolerance.
_COARSE: Final = 0.05
#: Runs with a response time above this multiple of the limit are not kept: they cannot be the answer.
_KEPT: Final = 1.5
#: Runs are made longer at most so often, and by so much at once.
_MOST_LONGER: Final = 3
_LONGER: Final = 8.0
#: The rate's interval may be a little wider than its tolerance; where runs have to be longer, then amply.
_ENOUGH, _AMPLE = 1.2, 1.5

WorkAt = Callable[[float, int], Run]
RateCallback = Callable[[RateRun], None]


def find_highest_rate(
    work_at: WorkAt,
    request: RateRequest,
    *,
    start: float,
    near: float | None = None,
    seeds: Sequence[int] | None = None,
    workloads: Sequence[str] = (),
    longer: Callable[[float], Note | None] = lambda _times: None,
    on_run: RateCallback = lambda _point: None,
    before: Sequence[RateRun] = (),
) -> RateResult:
    """The highest rate within the limit.

    Args:
        work_at: The Run at a rate (requests per second) with a seed.
        start: The first rate.
        near: How near it is thought to be to the answer, as a share of it.
        seeds: As many as ``asked.replications``; left out, 1, 2 ...
        workloads: Whose requests are judged; none: all.
        longer: Makes the runs that follow so many times as long, and returns a note of how long they are
            then; None where they cannot be.
        on_run: Called with every rate that was run.
        before: Probes that were run to find ``start``.
    """
    given = tuple(seeds or range(1, request.replications + 1))
    search = _RateSearch(work_at, request, given, tuple(workloads), on_run, list(before))
    coarse = request.tolerance if len(given) == 1 else max(request.tolerance, _COARSE)
    highest = search.run(start, near, coarse)
    for _ in range(_MOST_LONGER):
        times = search.wanted(highest)
        note = longer(times) if times is not None else None
        if note is None:
            break
        search.notes = [note]
        highest = search.again(highest, "longer", coarse)
    if len(given) > 1 and highest.best is not None:
        highest = search.again(highest, "search", request.tolerance, seeds=len(given))
    return search.found(highest)


@dataclass
class _RateSearch:
    work_at: WorkAt
    request: RateRequest
    seeds: tuple[int, ...]
    workloads: tuple[str, ...]
    on_run: RateCallback
    tried: list[RateRun]
    notes: list[Note] = field(default_factory=list)
    kind: Kind = "search"
    #: Seeds that each rate is run with now.
    pooled: int = 1
    #: By rate, what each seed saw, in the order of the seeds.
    measurements: dict[float, list[RunMeasurement]] = field(default_factory=dict)
    #: Runs of the first seed that may turn out to be at the rate found.
    held: dict[float, Run] = field(default_factory=dict)
    runs: int = 0

    def run(self, start: float, near: float | None, tolerance: float) -> RateBracket:
        """Search, from a first rate that is thought to be so near."""
        request = self.request
        return highest_rate(
            self._measure,
            request.limit_s,
            start=min(start, request.ceiling),
            tolerance=tolerance,
            most_runs=request.most_runs,
            repeats=0,  # the same seed gives the same run
            ceiling=request.ceiling,
            near=near,
        )

    def again(self, highest: RateBracket, kind: Kind, tolerance: float, *, seeds: int = 1) -> RateBracket:
        """Search from what was found, by other runs; the former stay on record but decide nothing more."""
        assert highest.best is not None
        start = self.crossing(highest) or highest.best.rate
        self.kind, self.pooled = kind, seeds
        self.measurements.clear()
        self.held.clear()
        return self.run(start, 2 * self.request.tolerance, tolerance)

    def _measure(self, rate: float) -> RateMeasurement:
        """A rate, with each of the seeds."""
        for _ in range(self.pooled):
            self._run(rate)
        point, known = self._record(rate), self._judged(rate)
        if point.verdict == "meets":
            self.held = {held: run for held, run in self.held.items() if held >= rate}
        return RateMeasurement(rate, point.achieved, math.fsum(known) / len(known) if known else None)

    def _run(self, rate: float) -> float | None:
        """Run the next seed of a rate; returns the time to compare with the limit."""
        many = self.measurements.setdefault(rate, [])
        run = self.work_at(rate, self.seeds[len(many)])
        self.runs += 1
        one = measure_run(run, self.request.key, self.workloads)
        many.append(one)
        response_s = one.judged_s(self.request.limits_s)
        if len(many) == 1 and response_s is not None and response_s < self.request.limit_s * _KEPT:
            self.held[rate] = run
        return response_s

    def _judged(self, rate: float) -> list[float]:
        given = (one.judged_s(self.request.limits_s) for one in self.measurements[rate])
        return [one for one in given if one is not None]

    def _record(self, rate: float) -> RateRun:
        many, known = self.measurements[rate], self._judged(rate)
        achieved = math.fsum(one.achieved(rate) for one in many) / len(many)
        mean = math.fsum(known) / len(known) if known else None
        point = RateRun(
            self.kind,
            rate,
            None,
            achieved,
            _mean(many, "all"),
            _mean(many, "read"),
            _mean(many, "write"),
            self._half_width(rate),
            verdict_of(rate, achieved, mean, self.request.limit_s),
            len(many),
            min(one.requests for one in many),
            min(one.seconds for one in many),
        )
        self.tried.append(point)
        self.on_run(point)
        return point

    def _half_width(self, rate: float) -> float | None:
        """Half of the interval of the response time, s."""
        many = self.measurements[rate]
        values = [one.response_s["all"] for one in many if "all" in one.response_s]
        if len(many) > 1:
            if len(values) < len(many):
                return None
            # With a few seeds far apart the interval tells nothing.
            mean, half = mean_and_half_width(values)
            return half if half is not None and half < mean else None
        return many[0].half_width_s

    def _curve(self, highest: RateBracket) -> list[Pair]:
        """Rates with a steady state, and their response times over all seeds."""
        return [
            (point.rate, point.response_s)
            for point in highest.points
            if point.verdict != "saturated" and point.response_s
        ]

    def crossing(self, highest: RateBracket) -> float | None:
        """Where the response time meets the limit; None where it does not within the bracket."""
        best, beyond = highest.best, highest.beyond
        if best is None or beyond is None:
            return None
        found = crossing(self._curve(highest), self.request.limit_s)
        return found if found is not None and best.rate <= found <= beyond.rate else None

    def wanted(self, highest: RateBracket) -> float | None:
        """How many times as long runs have to be for the rate to its tolerance; None: they need not."""
        best = highest.best
        if best is None or highest.beyond is None or self.request.beyond is not None:
            return None
        half = self._half_width(best.rate)
        if half is None:
            return _LONGER
        slope_s = slope(self._curve(highest), self.request.limit_s)
        if slope_s is None:  # a step: the response time says nothing about the rate
            return None
        error = half / slope_s / best.rate / self.request.tolerance
        return min(_AMPLE * error**2, _LONGER) if error > _ENOUGH else None

    def found(self, highest: RateBracket) -> RateResult:
        """The answer."""
        best, beyond = highest.best, highest.beyond
        crossing = self.crossing(highest)
        by_seed = self._by_seed() if crossing is not None and self.pooled > 1 else ()
        between: tuple[float, float] | None = None
        basis: Basis | None = None
        if by_seed and crossing is not None:
            middle, half = mean_and_half_width(by_seed)
            between, basis = _between(middle, half, crossing), "replications"
        elif crossing is not None and self.pooled == 1:
            between = _between(crossing, self._by_batches(highest), crossing)
            basis = None if between is None else "batch means"
        run = None if best is None else self._held(best.rate)
        response = None if best is None else _mean(self.measurements[best.rate], "all")
        notes, problem = self._notes_and_problem(highest, by_seed)
        return RateResult(
            request=self.request,
            rate_iops=None if best is None else best.rate,
            beyond_iops=None if beyond is None else beyond.rate,
            crossing_iops=crossing,
            ci95_iops=between,
            basis=basis,
            by_seed=by_seed,
            response_s=response,
            response_half_width_s=None if best is None else self._half_width(best.rate),
            run=run,
            points=tuple(self.tried),
            settled=highest.settled,
            problem=problem,
            notes=tuple(notes),
            seeds=self.seeds[: self.pooled],
            runs=self.runs + sum(one.runs for one in self.tried if one.kind == "probe"),
            workloads=self.workloads,
        )

    def _held(self, rate: float) -> Run:
        if rate not in self.held:
            self.runs += 1
            self.held[rate] = self.work_at(rate, self.seeds[0])
        return self.held[rate]

    def _by_seed(self) -> tuple[float, ...]:
        """Each seed's own answer, along the rates that all seeds were run at; none where one has none."""
        found = []
        for number in range(len(self.seeds)):
            curve = []
            for rate, many in self.measurements.items():
                if len(many) <= number or many[number].achieved(rate) < KEEPS_UP * rate:
                    continue
                if response_s := many[number].judged_s(self.request.limits_s):
                    curve.append((rate, response_s))
            at = crossing(curve, self.request.limit_s)
            if at is None:
                return ()
            found.append(at)
        return tuple(found)

    def _by_batches(self, highest: RateBracket) -> float | None:
        """Half of the interval of the rate, carried over from that of the mean by the slope of the curve."""
        assert highest.best is not None
        half = self._half_width(highest.best.rate)
        slope_s = slope(self._curve(highest), self.request.limit_s)
        return None if half is None or slope_s is None else half / slope_s

    def _notes_and_problem(
        self, highest: RateBracket, by_seed: Sequence[float]
    ) -> tuple[list[Note], str | None]:
        """Notes, and why there is no rate within or beyond the limit."""
        request, notes = self.request, [*self.notes, *highest.notes]
        problem = None
        if highest.best is None:
            problem = f"no rate keeps the {kind(request)} within {request.limit_s * 1e3:.6g} ms"
            known = [(one.response_s, one.rate) for one in self.tried if one.response_s and one.rate]
            if known:
                least, at = min(known)
                problem += f": the shortest seen is {least * 1e3:.4g} ms, at {at:.4g} requests per second"
        elif highest.beyond is None and highest.best.rate >= request.ceiling:
            seen_ms = (highest.best.response_s or 0.0) * 1e3
            problem = (
                f"the limit of {request.limit_s * 1e3:.6g} ms is never reached: at {request.ceiling:.6g} "
                f"requests per second, the most that is tried, the {kind(request)} is {seen_ms:.4g} ms"
            )
        elif highest.beyond is not None and self.crossing(highest) is None:
            text = (
                "beyond the rate found the system cannot keep up with the requests: its capacity, "
                "not the limit, ends the search"
            )
            notes.append(Note(code="saturated-beyond", text=text, decides=True))
        if len(self.seeds) > 1 and highest.best is not None and not by_seed:
            text = (
                "the seeds give no interval of the rate, because the response time does not rise to the limit"
            )
            notes.append(Note(code="no-interval", text=text))
        return notes, problem


def _between(middle: float, half: float | None, figure: float) -> tuple[float, float] | None:
    """The interval about the middle, widened to hold ``figure``: the rate of the mean over seeds need not be
    the mean of the seeds' rates."""
    return None if half is None else (min(max(0.0, middle - half), figure), max(middle + half, figure))


def kind(request: RateRequest) -> str:
    """The limited statistic in words."""
    return (
        f"{request.statistic} response time"
        if request.statistic == "mean"
        else f"{request.statistic} of response times"
    )


def _mean(many: Sequence[RunMeasurement], of: str) -> float | None:
    known = [one.response_s[of] for one in many if of in one.response_s]
    return math.fsum(known) / len(known) if known else None
