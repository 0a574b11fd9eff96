"""From a scenario to its load: whose rate is varied, by whose proportion, and how long runs are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import suggestion
from iowatt.evaluate import evaluation
from iowatt.evaluate.search import pace
from iowatt.evaluate.search.rate.load import WARM_UP, Load
from iowatt.evaluate.search.rate.request import ALL, RateRequest
from iowatt.model.profile import find
from iowatt.model.profile.arrivals import Closed, Recorded
from iowatt.model.profile.compile import mean_rate
from iowatt.model.scenario.model import Scenario
from iowatt.model.scenario.workload import ClosedReplay, Workload

#: Counted where the scenario says nothing.
REQUESTS: Final = 20_000
#: Requests beyond a percentile: its standard error is then about 7 % of the share beyond it.
LEAST_BEYOND: Final = 200
#: Times the limit that a run must last: shorter ones end before a queue of that length shows.
_LIMITS: Final = 100.0


def load_of(scenario: Scenario, base: Path, text: str, asked: RateRequest) -> Load:
    """The load of a scenario as it is asked for.

    Raises ``InputError`` where the scenario has no workload, does not say which, or it is a closed loop or a
    trace without times.
    """
    chosen = chosen_workloads(scenario, asked.workload)
    stated = [_stated(scenario.workload[at], base) for at in chosen]
    work = evaluation.prepare(_rated(scenario, chosen, stated), base, text)
    recorded = tuple(None if scenario.workload[at].trace is None else _pace(work.traces[at]) for at in chosen)
    rates = [
        rate if of is None else of[0] * getattr(scenario.workload[at].replay, "speed", 1.0)
        for at, rate, of in zip(chosen, stated, recorded, strict=True)
    ]
    traced = any(scenario.workload[at].trace is not None for at in chosen)
    requests, seconds = _length(scenario, chosen, asked)
    if traced:
        requests, seconds = None, None
        if not any(recorded):  # of traces without times the requests are counted
            requests = sum(pace.trace_pace(work.traces[at]).requests for at in chosen) / (1 + WARM_UP)
    alone = len(scenario.workload) == len(chosen)
    stretches = asked.requests is None and alone and not traced
    return Load(
        scenario,
        chosen,
        shares(scenario, chosen, rates),
        recorded,
        requests,
        seconds,
        stretches,
        least_s=_LIMITS * asked.limit_s if stretches else 0.0,
        stated=None if None in rates else math.fsum(rate or 0.0 for rate in rates),
    )


def chosen_workloads(scenario: Scenario, asked: str | None) -> tuple[int, ...]:
    """Positions of the workloads that are meant; raises ``InputError`` where that is not said."""
    names = [workload.name for workload in scenario.workload]
    if not names:
        raise InputError(
            "missing",
            f"scenario {scenario.name}",
            "the scenario has no workload whose rate could be raised",
        )
    if asked == ALL:
        return tuple(range(len(names)))
    if asked is None and len(names) > 1:
        raise InputError(
            "ambiguous",
            Argument("workload"),
            f"the scenario has {len(names)} workloads; say whose rate is raised",
            hint=f"one of {', '.join(names)}, or '*' for all of them in proportion",
        )
    if asked is not None and asked not in names:
        raise InputError(
            "unknown-name",
            Argument("workload"),
            f"there is no workload {asked!r}",
            hint=suggestion(asked, names, "workloads"),
        )
    return (0 if asked is None else names.index(asked),)


def _stated(workload: Workload, base: Path) -> float | None:
    """The rate that the scenario gives a workload, requests per second; None where it gives none.

    Raises ``InputError`` where the workload has no rate to change, because something else paces it.
    """
    place = f"workload.{workload.name}"
    law = None
    if workload.profile is not None:
        choice = workload.profile
        profile = find.load(choice.name, choice.set, base_dir=base, rate_iops=None).profile
        law = profile.arrivals
    if isinstance(law, Closed) or isinstance(workload.replay, ClosedReplay):
        raise InputError(
            "not-applicable",
            place,
            f"workload {workload.name!r} is a closed loop: its rate is whatever the array completes; a "
            "limit needs requests that arrive whether or not the array keeps up",
            hint='use a profile with open arrivals, or replay = { mode = "open" }; `loop=closed` finds how '
            "many outstanding requests reach the limit",
        )
    if isinstance(law, Recorded):
        raise InputError(
            "not-applicable",
            place,
            f"the requests of {workload.name!r} arrive at the times that its profile takes from a trace",
            hint="use a law of arrivals that has a rate",
        )
    if workload.profile is None:
        return None if workload.trace is None else workload.trace.rate_iops
    return workload.profile.rate_iops or mean_rate(profile)


def _rated(scenario: Scenario, chosen: Sequence[int], stated: Sequence[float | None]) -> Scenario:
    """The scenario with some rate and some end where it has none: they are found, so none need be given."""
    workloads = list(scenario.workload)
    for at, rate in zip(chosen, stated, strict=True):
        profile = workloads[at].profile
        update: dict[str, Any] = {}
        if profile is None:
            continue
        if rate is None:
            update["rate_iops"] = 1.0
        if profile.requests is None and profile.duration is None and scenario.observe.duration is None:
            update["requests"] = REQUESTS
        workloads[at] = workloads[at].model_copy(update={"profile": profile.model_copy(update=update)})
    return scenario.model_copy(update={"workload": workloads})


def _length(scenario: Scenario, chosen: Sequence[int], asked: RateRequest) -> tuple[float | None, float | None]:
    """Requests or seconds that are counted."""
    fewest = 0.0 if asked.beyond is None else LEAST_BEYOND / min(asked.beyond, 1 - asked.beyond)
    if asked.requests is not None:
        return float(asked.requests), None
    profiles = [p for p in (scenario.workload[at].profile for at in chosen) if p is not None]
    counts = [profile.requests for profile in profiles if profile.requests is not None]
    if counts and len(counts) == len(profiles):
        return max(float(sum(counts)), fewest), None
    times = [profile.duration for profile in profiles if profile.duration is not None]
    if scenario.observe.duration is not None:
        return None, min([scenario.observe.duration, *times])
    if times:
        return None, max(times)
    return max(float(REQUESTS), fewest), None


def shares(scenario: Scenario, chosen: Sequence[int], rates: Sequence[float | None]) -> tuple[float, ...]:
    """Shares of the rate, by the rates that the scenario gives."""
    if len(chosen) == 1:
        return (1.0,)
    known = []
    for at, rate in zip(chosen, rates, strict=True):
        if rate is None:
            raise InputError(
                "missing",
                f"workload.{scenario.workload[at].name}",
                "the proportion of the workloads follows from their rates, and this one has none",
                hint="give it rate_iops",
            )
        known.append(rate)
    return tuple(rate / math.fsum(known) for rate in known)


def _pace(trace: Any) -> tuple[float, float] | None:
    """Requests per second of a trace and the seconds that it spans; None where it has no times of its own."""
    if trace.get("rate_iops") is not None:
        return None
    found = pace.trace_pace(trace)
    return None if found.untimed else (found.rate_iops, found.seconds)
