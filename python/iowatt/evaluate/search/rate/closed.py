"""The rate of a closed loop whose mean response time is a limit.

A write-back cache takes what its drives cannot, until it is full. An open load shows that only in runs that
are long against the cache; a closed loop is steady soon after the cache has filled, whatever its population.
So where there is such a cache, the rate that meets a response limit is found as the population N that has it:
by Little's law N = X R, and from a run that took R instead of the limit L the next population is
N (L / R)^(1 + s), with s the elasticity of throughput to response time, which lies between 0 (a bottleneck)
and 1 (no waiting yet).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from iowatt.base.digits import apart
from iowatt.base.errors import Argument, InputError
from iowatt.base.results import Note
from iowatt.evaluate.search.highest.rate import Verdict
from iowatt.evaluate.search.rate.find import RateCallback
from iowatt.evaluate.search.rate.load import chosen_workloads, looped, shares
from iowatt.evaluate.search.rate.measurement import Simulations, measure_run
from iowatt.evaluate.search.rate.request import ALL, RateRequest
from iowatt.evaluate.search.rate.result import Kind, RateResult, RateRun
from iowatt.model.scenario import Scenario
from iowatt.run.bundle import Run

#: Requests counted in a run, and the warm-up as a share of them, where the scenario sets neither.
REQUESTS: Final = 60_000
WARM_UP: Final = 1 / 3
#: Elasticity of throughput to response time before two runs tell it.
_ELASTICITY: Final = 0.3
#: Runs closer together than this do not tell it.
_APART: Final = 0.03
_MOST_OUTSTANDING: Final = 1 << 20
#: From one run to the next.
_LEAST_STEP: Final = 0.1
_MOST_STEP: Final = 8.0
#: Requests outstanding for each drive in the first probe; requests of a probe.
_A_DRIVE: Final = 2
_PROBE: Final = 2_000
_PROBE_TIMES: Final = 4
_NO_END: Final = 1 << 40
#: Runs of one population, whose rate is not known at first.
_MOST_ATTEMPTS: Final = 8


def search_closed(
    scenario: Scenario, simulations: Simulations, request: RateRequest, on_run: RateCallback
) -> RateResult:
    """The population at which all workloads of a scenario together take the limit, in the mean.

    Workloads are profiles; the rates that they state are of no account but for their proportion, in which the
    populations are kept. Other arguments and errors: see ``search.rate.scenario.search_scenario``.
    """
    weights = proportion = _proportion(scenario, request)
    bench = _LoopBench(scenario, simulations, request)
    points: list[RateRun] = []
    guess = request.first_rate(drive_count(scenario))
    # An estimate of fewer than one outstanding says that the limit is out of reach, and nothing of the rate.
    if guess is None or guess * request.limit_s < len(weights):
        outstanding = max(len(weights), _A_DRIVE * drive_count(scenario))
        run = bench.probed(_split(outstanding, weights))
        points.append(loop_run("probe", run, outstanding, request))
        on_run(points[0])
        guess = points[0].achieved
    else:
        outstanding = max(len(weights), round(guess * request.limit_s))
    pairs: list[tuple[RateRun, Run]] = []
    while True:
        run = bench.run(_split(outstanding, weights), guess)
        last = loop_run("search", run, max(outstanding, len(weights)), request)
        points.append(last)
        on_run(last)
        pairs.append((last, run))
        response_s = _response_s(last)
        if abs(response_s / request.limit_s - 1) <= request.tolerance or len(pairs) == request.most_runs:
            break
        if response_s > request.limit_s and _outstanding(last) <= len(weights):
            return _too_slow(request, points, simulations, scenario, response_s)
        step = (request.limit_s / response_s) ** (1 + elasticity([one for one, _ in pairs]))
        wanted = round(_outstanding(last) * min(max(step, _LEAST_STEP), _MOST_STEP))
        outstanding = min(max(len(weights), wanted), _MOST_OUTSTANDING)
        if outstanding in {one.outstanding for one, _ in pairs}:
            break
        weights = _weights(run, proportion)
        guess = last.achieved
    nearest, run = min(pairs, key=lambda pair: abs(math.log(_response_s(pair[0]) / request.limit_s)))
    ratio = request.limit_s / _response_s(nearest)
    rate = nearest.achieved * ratio ** elasticity([one for one, _ in pairs])
    settled = abs(1 / ratio - 1) <= request.tolerance
    return RateResult(
        request=request,
        rate_iops=rate,
        crossing_iops=rate,
        response_s=request.limit_s,
        run=run,
        points=tuple(points),
        settled=settled,
        notes=_notes(request, settled=settled),
        seeds=(scenario.seed,),
        runs=simulations.runs,
        outstanding=rate * request.limit_s,
    )


def _notes(request: RateRequest, *, settled: bool) -> tuple[Note, ...]:
    if settled:
        return ()
    text = (
        f"no number of outstanding requests that was run came within {request.tolerance:.2%} of the "
        "limit: the rate there is interpolated from further away"
    )
    return (Note(code="not-settled", text=text, decides=True),)


def _too_slow(
    request: RateRequest,
    points: Sequence[RateRun],
    simulations: Simulations,
    scenario: Scenario,
    response_s: float,
) -> RateResult:
    problem = (
        f"the mean response time is {apart(1e3 * response_s, 1e3 * request.limit_s)} ms with one "
        f"request outstanding, over the limit of {1e3 * request.limit_s:.6g} ms"
    )
    seeds, runs = (scenario.seed,), simulations.runs
    return RateResult(request=request, points=tuple(points), problem=problem, seeds=seeds, runs=runs)


def drive_count(scenario: Scenario) -> int:
    """Drives of all pools."""
    return sum(pool.drives for pool in scenario.array.pool) + sum(
        pool.drives * kind.count
        for cluster in scenario.cluster
        for pool in cluster.pool
        for kind in cluster.node
        if pool.nodes is None or kind.name in pool.nodes
    )


def loop_run(kind: Kind, run: Run, outstanding: int, request: RateRequest) -> RateRun:
    """A closed loop that was run."""
    one = measure_run(run, request.key)
    response_s = one.response_s.get("all")
    verdict: Verdict | None = None
    if kind != "probe" and response_s is not None:
        verdict = "meets" if response_s <= request.limit_s else "over"
    return RateRun(
        kind,
        None,
        outstanding,
        run.summary["throughput"]["iops"],
        response_s,
        one.response_s.get("read"),
        one.response_s.get("write"),
        one.half_width_s,
        verdict,
        1,
        one.requests,
        one.seconds,
    )


def elasticity(points: Sequence[RateRun]) -> float:
    """Elasticity of throughput to response time, from the two runs that are furthest apart."""
    low = min(points, key=_response_s)
    high = max(points, key=_response_s)
    apart = math.log(_response_s(high) / _response_s(low))
    if apart < _APART:
        return _ELASTICITY
    return min(max(math.log(high.achieved / low.achieved) / apart, 0.0), 1.0)


def _response_s(point: RateRun) -> float:
    if not point.response_s:
        raise InputError("empty", None, "no request completed in the window", hint="count more requests")
    return point.response_s


def _outstanding(point: RateRun) -> int:
    assert point.outstanding is not None
    return point.outstanding


def _proportion(scenario: Scenario, request: RateRequest) -> tuple[float, ...]:
    """Shares of the rate."""
    chosen = chosen_workloads(scenario, request.workload)
    if len(chosen) < len(scenario.workload):
        message = "with closed loops all workloads are judged together, in the proportion of their rates"
        raise InputError("not-applicable", Argument("workload"), message, hint=f"give `workload={ALL}`")
    rates = []
    for workload in scenario.workload:
        if workload.profile is None:
            message = "a recorded trace has no number of outstanding requests to vary"
            raise InputError("not-applicable", f"workload.{workload.name}", message, hint="give `loop=open`")
        rates.append(workload.profile.rate_iops)
    return shares(scenario, chosen, rates)


def _split(outstanding: int, weights: Sequence[float]) -> list[int]:
    return [max(1, round(outstanding * weight)) for weight in weights]


def _weights(run: Run, proportion: Sequence[float]) -> tuple[float, ...]:
    """Shares of the population that keep the proportion of rates: each in proportion to its response time."""
    if len(proportion) == 1:
        return (1.0,)
    times = [_mean(part["response_time_ms"]) for part in run.summary["workloads"]]
    held = [share * (seconds or 1e-6) for share, seconds in zip(proportion, times, strict=True)]
    return tuple(one / math.fsum(held) for one in held)


def _mean(times: Mapping[str, Any]) -> float | None:
    mean = times["all"]["mean"]
    return None if mean is None else float(mean) / 1e3


@dataclass(frozen=True)
class _LoopBench:
    """Runs populations of a scenario."""

    scenario: Scenario
    simulations: Simulations
    request: RateRequest

    def run(self, populations: Sequence[int], rate: float) -> Run:
        """The Run with these populations, as long as requested.

        How long that is depends on the rate: a run that turns out too short is made again at its own rate.
        """
        counted = self._counted
        for _ in range(_MOST_ATTEMPTS):
            warmup_s = self._warmup_s(rate)
            scenario, changes = looped(
                self.scenario,
                populations,
                requests=_NO_END,
                warmup_s=warmup_s,
                ends_s=warmup_s + counted / rate,
            )
            run = self.simulations.run(scenario, changes)
            if run.summary["response_time_ms"]["all"]["count"] >= counted / 2:
                return run
            rate = max(float(run.summary["throughput"]["iops"]), rate / 2)
        message = f"fewer than {counted / 2:,.0f} requests complete in any run, however long"
        raise InputError("infeasible", f"scenario {self.scenario.name}", message)

    @property
    def _counted(self) -> int:
        """Requests: what is asked, what the profiles say, or :data:`REQUESTS`."""
        if self.request.requests is not None:
            return self.request.requests
        counts = [one.profile.requests if one.profile else None for one in self.scenario.workload]
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else REQUESTS

    def _warmup_s(self, rate: float) -> float:
        if self.request.warmup_requests is not None:
            return self.request.warmup_requests / rate
        observe = self.scenario.observe
        if "warmup" in observe.model_fields_set and observe.warmup != "auto":
            return float(observe.warmup)
        return WARM_UP * self._counted / rate

    def probed(self, populations: Sequence[int]) -> Run:
        """A short Run with these populations."""
        requests = max(_PROBE, _PROBE_TIMES * sum(populations))
        return self.simulations.run(*looped(self.scenario, populations, requests=requests))
