"""The highest rate of a scenario: its workload at one rate after another, simulated."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Final

from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import DocumentError
from iowatt.base.results import Note
from iowatt.base.units import format_bytes
from iowatt.evaluate.search import prepare
from iowatt.evaluate.search.prepare import ScenarioInput
from iowatt.evaluate.search.rate import closed
from iowatt.evaluate.search.rate.closed import drive_count, loop_run
from iowatt.evaluate.search.rate.find import RateCallback, find_highest_rate
from iowatt.evaluate.search.rate.load import PacedLoad, load_of
from iowatt.evaluate.search.rate.measurement import Simulations
from iowatt.evaluate.search.rate.request import RateRequest
from iowatt.evaluate.search.rate.result import HighestRate, RatePoint, RateResult, RateRun, row_at_limit
from iowatt.evaluate.search.tasks.executor import Report
from iowatt.lenses.evidence import run_doubt
from iowatt.lenses.findings import findings
from iowatt.model.scenario import Scenario
from iowatt.run.bundle import Run
from iowatt.run.summary_schema import Input
from iowatt.trace.shared import SHARED_BYTES

#: A probe counts so many requests, with so many outstanding at least and at most.
_PROBE_REQUESTS: Final = 5_000
_LEAST_OUTSTANDING, _MOST_OUTSTANDING = 1, 4096
#: The first probe's, a drive.
_A_DRIVE: Final = 2
#: Where the probe starts from the rate of a closed loop: an open queue of the same rate waits longer.
_OPEN: Final = 0.9
#: How near the answer a start by a probe is, as a share of it.
PROBED: Final = 0.15
#: The first rate of a load that cannot be probed and states none, requests per second.
_FIRST_RATE: Final = 100.0
#: Runs that are hardly longer tell hardly more.
_NO_LONGER: Final = 1.2


def search_scenario(
    scenario: Scenario,
    base: Path,
    text: str,
    request: RateRequest,
    report: Report | None = None,
    *,
    inputs: Callable[[], Sequence[Input]] = lambda: [],
    command: str | None = None,
    on_run: RateCallback = lambda _point: None,
) -> RateResult:
    """The highest rate of a scenario's workload within a limit, by simulation.

    Args:
        scenario, base, text: As for ``evaluation.prepare``. A rate that the workload states is ignored.
        report: Called with the fraction done, as by a task of an executor; what it raises ends the search.
        inputs, command: For the provenance of the Run, as for :func:`iowatt.evaluate.evaluation.simulate`.
        on_run: Called with every rate that was run.

    Raises ``InputError``: the scenario has no such workload, it has no pace of its own that could be changed
    (of open arrivals a closed loop, of a loop a recorded trace), or it cannot be simulated. A limit that no
    rate keeps, or that is never reached, is not an error: see ``RateResult.problem``.
    """
    simulations = Simulations(base, text, report or (lambda _fraction: None), inputs, command)
    search = closed.search_closed if request.loop == "closed" else _open
    found = search(scenario, simulations, request, on_run)
    if found.run is None:
        return found
    return replace(found, notes=(*found.notes, *_unsteady(found.run, scenario)))


def _open(
    scenario: Scenario, simulations: Simulations, request: RateRequest, on_run: RateCallback
) -> RateResult:
    """The highest rate of requests that come whether or not the array keeps up."""
    load = load_of(scenario, simulations.base, simulations.text, request)
    bench = _RateBench(load, simulations)
    probes: list[RateRun] = []
    start, near = request.first_rate(drive_count(scenario)), request.start_error
    if start is None:
        start = _probed(bench, request, probes, on_run)
        near = PROBED if probes else None
    first = scenario.seed
    return find_highest_rate(
        bench.at,
        request,
        start=start,
        near=near,
        seeds=range(first, first + request.replications),
        workloads=load.names,
        longer=bench.longer,
        on_run=on_run,
        before=probes,
    )


def _unsteady(run: Run, scenario: Scenario) -> Iterator[Note]:
    """Why the Run at the rate found may be no steady state, or tell less than it seems to."""
    for note in findings(run):
        if note.decides:
            yield Note(code="run-warning", text=f"at this rate: {note.text}", decides=True)
    controller = scenario.array.controller
    cache = None if controller is None else controller.cache
    if cache is None or not cache.size or cache.write != "back":
        return
    window, takes = run.summary["window"], round(cache.high_watermark * cache.size)
    # The warm-up wrote too, at the same rate.
    share = window["end_s"] / window["duration_s"]
    written = round(run.summary["requests"]["bytes_written"] * share)
    if 0 < written < takes:
        text = (
            f"a run writes {format_bytes(written)}, less than the write-back cache takes before all "
            f"destaging is under way ({format_bytes(takes)}): the drives may keep up with less; count more "
            "requests, or lengthen duration and warm-up in the scenario"
        )
        yield Note(code="cache-not-filled", text=text, decides=True)


@dataclass
class _RateBench:
    """Runs rates of a load."""

    load: PacedLoad
    simulations: Simulations
    #: The last one that was run, requests per second.
    rate: float = 1.0

    def at(self, rate: float, seed: int) -> Run:
        """The Run at a rate."""
        self.rate = rate
        return self.simulations.run(*self.load.at(rate, seed))

    def longer(self, times: float) -> Note | None:
        """Make runs longer; None where they cannot be, or are as long as they may be."""
        load = self.load.longer(times)
        if load is None:
            return None
        before, after = (one.lasts(self.rate)[1] for one in (self.load, load))
        if after < _NO_LONGER * before:
            return None
        self.load = load
        return Note(
            code="runs-made-longer",
            text=f"runs were made longer, about {after * self.rate:,.0f} requests each, because shorter ones "
            "leave the rate less certain than its tolerance",
        )


def _probed(bench: _RateBench, request: RateRequest, probes: list[RateRun], on_run: RateCallback) -> float:
    """A first rate, by closed loops: as many outstanding as will be in flight at the limit (Little's law)."""
    outstanding = min(max(_A_DRIVE * drive_count(bench.load.scenario), 4), 256)
    rate = None
    for _ in range(2):
        scenario = bench.load.closed(outstanding, max(_PROBE_REQUESTS, 20 * outstanding))
        if scenario is None:
            return bench.load.stated or _FIRST_RATE
        probe = loop_run("probe", bench.simulations.run(scenario), outstanding, request)
        probes.append(probe)
        on_run(probe)
        if not probe.achieved or not probe.response_s:
            break
        # A loop over the limit has too high a rate, by an unknown amount: go half-way.
        rate = _OPEN * probe.achieved * min(1.0, math.sqrt(request.limit_s / probe.response_s))
        wanted = round(min(max(probe.achieved * request.limit_s, _LEAST_OUTSTANDING), _MOST_OUTSTANDING))
        if 0.5 <= wanted / outstanding <= 2 or wanted == outstanding:
            break
        outstanding = wanted
    return bench.load.stated or _FIRST_RATE if rate is None else rate


def find_rate(
    given: ScenarioInput,
    request: RateRequest,
    *,
    command: str | None = None,
    report: Report | None = None,
    on_run: RateCallback = lambda _point: None,
) -> HighestRate:
    """Search, and return the document of what was found.

    Args:
        report, on_run: As for :func:`iowatt.evaluate.search.rate.scenario.search_scenario`.

    Raises ``InputError``: what is wrong with the scenario or with what is asked; no rate keeps to the limit
    (the message says the shortest response time that was seen), or none exceeds it.
    """
    from iowatt.base.overrides import with_overrides
    from iowatt.trace.shared import sharing

    document = given.document()
    scenario = document.validate(Scenario)
    text = with_overrides(given.text, given.overrides)
    try:
        with sharing(SHARED_BYTES):
            found = search_scenario(
                scenario, given.base, text, request, report, command=command, on_run=on_run
            )
    except DocumentError as error:
        raise prepare.with_places(document, error) from None
    if found.problem is not None:
        raise InputError("infeasible", Argument("within"), found.problem, hint=_hint(found))
    return rate_document(found, given, scenario=scenario.name, command=command)


def rate_document(
    found: RateResult, given: ScenarioInput, *, scenario: str, command: str | None = None
) -> HighestRate:
    """The document of what was found; ``scenario`` is the name of the one in ``given``."""
    request = found.request
    return HighestRate(
        version=version("iowatt"),
        command=command,
        scenario=scenario,
        source=given.source,
        overrides=list(given.overrides),
        loop=request.loop,
        limit_ms=request.limit_s * 1e3,
        read_limit_ms=_ms(request.read_limit_s),
        write_limit_ms=_ms(request.write_limit_s),
        statistic=request.statistic,
        doubt=None if found.run is None else run_doubt(found.run, _purpose(request.statistic)),
        tolerance=request.tolerance,
        workloads=list(found.workloads),
        rate_iops=found.rate_iops,
        outstanding=found.outstanding,
        beyond_iops=found.beyond_iops,
        settled=found.settled,
        crossing_iops=found.crossing_iops,
        crossing_ci95_iops=found.ci95_iops,
        interval_by=found.basis,
        replications=request.replications,
        seeds=list(found.seeds),
        crossing_by_seed_iops=list(found.by_seed),
        response_ms=_ms(found.response_s),
        response_half_width_ms=_ms(found.response_half_width_s),
        runs=found.runs,
        points=[_point(one) for one in found.points],
        problem=found.problem,
        notes=list(found.notes),
        at_rate=None if found.run is None else row_at_limit(found),
    )


def _purpose(statistic: str) -> str:
    """What a limited statistic takes a device to be trusted for."""
    return "mean" if statistic == "mean" else "tail"


def _point(tried: RateRun) -> RatePoint:
    return RatePoint(
        kind=tried.kind,
        rate_iops=tried.rate,
        outstanding=tried.outstanding,
        achieved_iops=tried.achieved,
        response_ms=_ms(tried.response_s),
        read_ms=_ms(tried.read_s),
        write_ms=_ms(tried.write_s),
        half_width_ms=_ms(tried.half_width_s),
        verdict=tried.verdict,
        runs=tried.runs,
        requests=tried.requests,
        seconds=tried.seconds,
    )


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1e3


def _hint(found: RateResult) -> str:
    if found.rate_iops is None:
        return "allow a longer response time, or use a faster system"
    return "set a shorter limit; `iowatt curve` shows the response time against the rate"
