"""The throughput of a closed loop whose mean response time is a limit.

A write-back cache takes what its drives cannot, until it is full. An open load shows that only in runs that
are long against the cache; a closed loop is steady soon after the cache has filled, whatever its population.
So where there is such a cache, the rate that meets a response limit is found as the population N that has it:
by Little's law N = X R, and from a run that took R instead of the limit L the next population is
N (L / R)^(1 + s), with s the elasticity of throughput to response time, which lies between 0 (a bottleneck)
and 1 (no waiting yet).
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from iowatt import evaluation
from iowatt.errors import InputError
from iowatt.run import provenance
from iowatt.run.bundle import Run
from iowatt.scenario.model import Scenario
from iowatt.scenario.workload import ClosedReplay
from iowatt.search.executor import Report
from iowatt.search.point import Task, as_record

#: Elasticity of throughput to response time before two runs tell it.
_ELASTICITY: Final = 0.3
#: Runs closer together than this do not tell it.
_APART: Final = 0.03
_MOST_OUTSTANDING: Final = 1 << 20
#: From one run to the next.
_LEAST_STEP: Final = 0.1
_MOST_STEP: Final = 8.0
#: Outstanding where nothing is known; requests of the run that then says the rate.
_A_DRIVE: Final = 2
_PROBE: Final = 2_000
_PROBE_TIMES: Final = 4
_NO_END: Final = 1 << 40
#: Runs of one population, whose rate is not known at first.
_MOST_ATTEMPTS: Final = 8
#: A profile must state a rate; a closed loop goes by completions.
_ANY_RATE: Final = 1000.0


@dataclass(frozen=True)
class Within:
    """A limit of the mean response time, and how it is met."""

    limit_s: float
    #: Counted in each run, and cut before that; about, since runs last for a time.
    requests: int = 60_000
    warmup_requests: int = 20_000
    #: How near the limit the mean response time of the last run must be, as a share.
    tolerance: float = 0.01
    most_runs: int = 8
    #: Requests per second at the limit, about, of all drives or of one of them; None: a short run says it.
    start: float | None = None
    per_drive: float | None = None

    def __post_init__(self) -> None:
        if not (math.isfinite(self.limit_s) and self.limit_s > 0):
            raise InputError(f"expected a time above 0, not {self.limit_s!r}", where="limit_s")
        if not 1e-4 <= self.tolerance <= 0.5:
            raise InputError(
                f"expected a share from 0.0001 to 0.5, not {self.tolerance!r}", where="tolerance"
            )
        if self.requests < 100 or self.warmup_requests < 0 or self.most_runs < 2:
            raise InputError("expected at least 100 requests counted, and at least 2 runs", where="requests")


@dataclass(frozen=True)
class Tried:
    """One population that was run."""

    outstanding: int
    iops: float
    response_s: float


@dataclass(frozen=True)
class Found:
    """The loop at its limit. ``run`` is the nearest one that was simulated."""

    #: Where the response time is the limit, interpolated.
    rate_iops: float
    outstanding: float
    run: Run
    tried: Sequence[Tried]
    #: Whether the last run came as near the limit as was asked.
    settled: bool

    @property
    def scale(self) -> float:
        """The rate over that of ``run``."""
        return float(self.rate_iops / self.run.summary["throughput"]["iops"])


def of_scenario(
    scenario: Scenario, base: Path, text: str, within: Within, report: Report | None = None
) -> Found:
    """The population at which all workloads of a scenario together take the limit, in the mean.

    Workloads are profiles; the rates that they state are of no account but for their proportion, in which the
    populations are kept.

    Raises
    ------
    InputError
        The scenario has no workload or recorded ones, cannot be simulated, or takes longer than the limit
        with one request outstanding in each workload.
    """
    shares = _shares(scenario)
    bench = _Bench(scenario, base, text, within)
    weights = list(shares)
    guess = _stated(within, scenario)
    if guess is None:
        outstanding = max(len(shares), _A_DRIVE * sum(pool.drives for pool in scenario.array.pool))
        guess = bench.probed([max(1, round(outstanding * weight)) for weight in weights])
    else:
        outstanding = max(len(shares), round(guess * within.limit_s))
    tried: list[Tried] = []
    found: list[tuple[Tried, Run]] = []
    while True:
        run = bench.run([max(1, round(outstanding * weight)) for weight in weights], guess)
        iops, response_s = _seen(run)
        last = Tried(max(outstanding, len(shares)), iops, response_s)
        tried.append(last)
        found.append((last, run))
        if report is not None:
            report(min(0.95, len(tried) / 5))
        if abs(response_s / within.limit_s - 1) <= within.tolerance or len(tried) == within.most_runs:
            break
        if response_s > within.limit_s and last.outstanding <= len(shares):
            raise InputError(
                f"the mean response time is {1e3 * response_s:.3g} ms with one request outstanding, over the "
                f"limit of {1e3 * within.limit_s:.3g} ms",
                where=f"scenario {scenario.name}",
            )
        step = (within.limit_s / response_s) ** (1 + _elasticity(tried))
        wanted = round(last.outstanding * min(max(step, _LEAST_STEP), _MOST_STEP))
        outstanding = min(max(len(shares), wanted), _MOST_OUTSTANDING)
        if outstanding in {one.outstanding for one in tried}:
            break
        weights = _weights(run, shares)
        guess = iops
    nearest, run = min(found, key=lambda pair: abs(math.log(pair[0].response_s / within.limit_s)))
    ratio = within.limit_s / nearest.response_s
    rate = nearest.iops * ratio ** _elasticity(tried)
    settled = abs(1 / ratio - 1) <= within.tolerance
    return Found(rate, rate * within.limit_s, run, tried, settled)


def evaluate(task: Task, report: Report, within: Within) -> dict[str, Any]:
    """A point of a sweep at its limit: its record, as :func:`iowatt.search.point.evaluate` makes it.

    Its row is that of the nearest run with throughput and power above idle taken to the limit, and has
    ``rate_iops``, ``outstanding`` and ``runs`` besides.
    """
    import json

    from iowatt.search.inputs import verify

    started = time.perf_counter()
    try:
        verify(task.files)
        scenario = Scenario.model_validate(json.loads(task.document))
        found = of_scenario(scenario, Path(task.base), task.text, within, report)
    except InputError as error:
        return {"key": task.key, "error": as_record(error)}
    return {"key": task.key, "row": row(found), "cost": {"wall_s": time.perf_counter() - started}}


def row(found: Found) -> dict[str, Any]:
    """The row of a search for what was found."""
    from iowatt.search.row import of_run

    cells: dict[str, Any] = dict(of_run(found.run))
    cells |= {"rate_iops": found.rate_iops, "outstanding": found.outstanding, "runs": len(found.tried)}
    scale = found.scale
    for name in ("throughput.iops", "throughput.mib_per_s"):
        cells[name] = cells[name] * scale
    for mean, idle in (("power_w.mean", "power_w.idle"), ("power_w.wall_mean", "power_w.wall_idle")):
        if cells.get(mean) is not None and cells.get(idle) is not None:
            cells[mean] = cells[idle] + (cells[mean] - cells[idle]) * scale
    return cells


def _stated(within: Within, scenario: Scenario) -> float | None:
    """The rate that the search is told to begin at."""
    if within.start is None and within.per_drive is not None:
        return within.per_drive * sum(pool.drives for pool in scenario.array.pool)
    return within.start


def _shares(scenario: Scenario) -> list[float]:
    if not scenario.workload:
        raise InputError("has no workload", where=f"scenario {scenario.name}")
    rates = []
    for workload in scenario.workload:
        if workload.profile is None:
            raise InputError("a recorded trace has no population", where=f"workload.{workload.name}")
        rates.append(workload.profile.rate_iops or _ANY_RATE)
    return [rate / math.fsum(rates) for rate in rates]


def _elasticity(tried: Sequence[Tried]) -> float:
    """Of throughput to response time, from the two runs that are furthest apart."""
    low = min(tried, key=lambda one: one.response_s)
    high = max(tried, key=lambda one: one.response_s)
    apart = math.log(high.response_s / low.response_s)
    if apart < _APART:
        return _ELASTICITY
    return min(max(math.log(high.iops / low.iops) / apart, 0.0), 1.0)


def _weights(run: Run, shares: Sequence[float]) -> list[float]:
    """Shares of the population that keep the proportion of the rates: each in proportion to its "
    "response."""
    if len(shares) == 1:
        return [1.0]
    times = [_mean(part["response_time_ms"]) for part in run.summary["workloads"]]
    held = [share * (seconds or 1e-6) for share, seconds in zip(shares, times, strict=True)]
    return [one / math.fsum(held) for one in held]


def _seen(run: Run) -> tuple[float, float]:
    mean = _mean(run.summary["response_time_ms"])
    if not mean:
        raise InputError("nothing completed in the window", hint="more requests")
    return float(run.summary["throughput"]["iops"]), mean


def _mean(times: Mapping[str, Any]) -> float | None:
    mean = times["all"]["mean"]
    return None if mean is None else float(mean) / 1e3


@dataclass(frozen=True)
class _Bench:
    """Runs populations of a scenario."""

    scenario: Scenario
    base: Path
    text: str
    within: Within

    def run(self, populations: Sequence[int], rate: float) -> Run:
        """The Run of so many outstanding in each workload, as long as was asked.

        How long that is depends on the rate: a run that turns out too short is made again at its own rate.
        """
        for _ in range(_MOST_ATTEMPTS):
            warmup_s = self.within.warmup_requests / rate
            run = self._lasting(populations, warmup_s, warmup_s + self.within.requests / rate)
            if run.summary["response_time_ms"]["all"]["count"] >= self.within.requests / 2:
                return run
            rate = max(float(run.summary["throughput"]["iops"]), rate / 2)
        raise InputError(
            f"fewer than {self.within.requests / 2:,.0f} requests complete in any run, however long",
            where=f"scenario {self.scenario.name}",
        )

    def probed(self, populations: Sequence[int]) -> float:
        """Requests per second of the first so many requests."""
        run = self._lasting(populations, 0.0, None, max(_PROBE, _PROBE_TIMES * sum(populations)))
        return float(run.summary["throughput"]["iops"])

    def _lasting(
        self, populations: Sequence[int], warmup_s: float, ends_s: float | None, requests: int = _NO_END
    ) -> Run:
        scenario = self.scenario
        workloads = []
        for workload, population in zip(scenario.workload, populations, strict=True):
            assert workload.profile is not None
            choice = {
                "rate_iops": workload.profile.rate_iops or _ANY_RATE,
                "requests": requests,
                "duration": None,
            }
            profile = workload.profile.model_copy(update=choice)
            replay = ClosedReplay(mode="closed", outstanding=population)
            workloads.append(workload.model_copy(update={"profile": profile, "replay": replay}))
        observe = scenario.observe.model_copy(update={"warmup": warmup_s, "duration": ends_s})
        at = scenario.model_copy(update={"workload": workloads, "observe": observe})
        return evaluation.simulate(
            evaluation.prepare(at, self.base, self.text),
            inputs=lambda: [],
            started_at=provenance.now(),
            cpu_clock=time.thread_time,  # other points share the process
        )
