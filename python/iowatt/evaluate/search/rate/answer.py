"""What the command line and the Python API ask for, as a document ``iowatt.rate/1``."""

from __future__ import annotations

from importlib.metadata import version

from iowatt.base.document import Document
from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import ScenarioError
from iowatt.evaluate.search import prepare
from iowatt.evaluate.search.executor import Report
from iowatt.evaluate.search.prepare import ScenarioInput
from iowatt.evaluate.search.rate.at_limit import row_at_limit
from iowatt.evaluate.search.rate.find import RateCallback
from iowatt.evaluate.search.rate.of_scenario import search_scenario
from iowatt.evaluate.search.rate.outcome import RateResult, RateRun
from iowatt.evaluate.search.rate.request import RateRequest
from iowatt.evaluate.search.rate.result import HighestRate, RatePoint
from iowatt.model.scenario.model import Scenario
from iowatt.model.scenario.paths import place_overridden
from iowatt.trace.shared import SHARED_BYTES


def find_rate(
    given: ScenarioInput,
    asked: RateRequest,
    *,
    command: str | None = None,
    report: Report | None = None,
    told: RateCallback = lambda _point: None,
) -> HighestRate:
    """Search, and return the document of what was found.

    Parameters
    ----------
    report, told:
        As for :func:`iowatt.evaluate.search.rate.of_scenario.search_scenario`.

    Raises
    ------
    InputError
        What is wrong with the scenario or with what is asked; no rate keeps to the limit (the message says
        the shortest response time that was seen), or none exceeds it.
    """
    from iowatt.base.overrides import with_overrides
    from iowatt.trace.shared import sharing

    document = Document(given.text, given.source, given.overrides, Scenario)
    place_overridden(document, given.base)
    scenario = document.validate(Scenario)
    text = with_overrides(given.text, given.overrides)
    try:
        with sharing(SHARED_BYTES):
            found = search_scenario(
                scenario,
                given.base,
                text,
                asked,
                report,
                command=command,
                told=told,
            )
    except ScenarioError as error:
        raise prepare.with_places(document, error) from None
    if found.problem is not None:
        raise InputError("infeasible", Argument("limit"), found.problem, hint=_hint(found))
    return rate_document(found, given, scenario=scenario.name, command=command)


def rate_document(found: RateResult, given: ScenarioInput, *, scenario: str, command: str | None = None) -> HighestRate:
    """The document of what was found; ``scenario`` is the name of the one in ``given``."""
    asked = found.asked
    return HighestRate(
        version=version("iowatt"),
        command=command,
        scenario=scenario,
        source=given.source,
        overrides=list(given.overrides),
        loop=asked.loop,
        limit_ms=asked.limit_s * 1e3,
        read_limit_ms=_ms(asked.read_limit_s),
        write_limit_ms=_ms(asked.write_limit_s),
        statistic=asked.statistic,
        tolerance=asked.tolerance,
        workloads=list(found.workloads),
        rate_iops=found.rate_iops,
        outstanding=found.outstanding,
        beyond_iops=found.beyond_iops,
        settled=found.settled,
        crossing_iops=found.crossing_iops,
        crossing_ci95_iops=found.ci95_iops,
        interval_by=found.basis,
        replications=asked.replications,
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
