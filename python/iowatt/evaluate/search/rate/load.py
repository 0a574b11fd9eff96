"""A scenario at other rates: the chosen workloads faster or slower, and how long a run is then.

A profile gets the rate; a recorded trace is replayed so much faster than it was recorded, so that its bursts
stay as bursty (as by ``search.curve``). With the same seed, the same requests arrive at every rate,
their gaps stretched alike: common random numbers, which make the response time a smooth function of the rate.
So that they are the same ones, a run ends with a time in proportion to 1/rate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import suggestion
from iowatt.evaluate import evaluation
from iowatt.evaluate.search.highest.rate import MOST_REQUESTS
from iowatt.evaluate.search.pace import trace_pace
from iowatt.evaluate.search.rate.request import ALL, RateRequest
from iowatt.model import profile as profiles
from iowatt.model.profile.laws import Closed, Recorded
from iowatt.model.scenario import Scenario
from iowatt.model.scenario.keys import ClosedReplay, OpenReplay, WorkloadKeys

#: Fewest requests counted, where runs may be longer than in the scenario.
LEAST_REQUESTS: Final = 2_000
#: Rate of a closed loop whose profile states none: completions pace it, but a profile must have a rate.
_ANY_RATE: Final = 1000.0
#: Warm-up as a share of the counted requests, where the scenario has none.
WARM_UP: Final = 0.1


@dataclass(frozen=True)
class PacedLoad:
    """The workloads whose rate is varied, and how long they run."""

    scenario: Scenario
    #: Positions of the varied workloads, and their shares of the rate.
    chosen: tuple[int, ...]
    shares: tuple[float, ...]
    #: For recorded traces: requests per second as recorded, and s from the first to the last; else None.
    recorded: tuple[tuple[float, float] | None, ...]
    #: Counted in a run, or None where its seconds are fixed.
    requests: float | None
    seconds: float | None
    #: Whether runs may be longer than that.
    stretches: bool
    #: Shortest run, s.
    least_s: float = 0.0
    #: The rate that the scenario itself states, by which its warm-up is a number of requests; None where it
    #: states none, or the warm-up is a time at any rate.
    stated: float | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the varied workloads; none where these are all."""
        if len(self.chosen) == len(self.scenario.workload):
            return ()
        return tuple(self.scenario.workload[at].name for at in self.chosen)

    def longer(self, times: float) -> PacedLoad | None:
        """The load with runs ``times`` as long; None where that is not possible."""
        if not self.stretches:
            return None
        if self.requests is not None:
            return replace(self, requests=min(self.requests * times, float(MOST_REQUESTS)))
        assert self.seconds is not None
        return replace(self, seconds=self.seconds * times)

    def lasts(self, rate: float) -> tuple[float, float]:
        """Warm-up and counted time of a run at a rate, in s.

        A warm-up that the scenario gives is a number of requests at the rate that it states, and so many are
        cut at every rate; where the run's seconds are given it is a time.
        """
        observe = self.scenario.observe
        own = observe.warmup if "warmup" in observe.model_fields_set and observe.warmup != "auto" else None
        given = 0.0 if own is None else float(own)
        if self.stated is not None and self.seconds is None:
            given *= self.stated / rate
        begins = max(self.scenario.workload[at].start for at in self.chosen)
        if self.requests is not None:
            counted = max(self.requests / rate, self.least_s)
        elif self.seconds is not None:
            counted = self.seconds - given - begins
            if self.stretches:
                counted = max(counted, self.least_s, LEAST_REQUESTS / rate)
        else:
            whole = self._replayed_s(rate)
            cut = WARM_UP / (1 + WARM_UP) * whole if own is None else given
            return begins + cut, whole - cut
        counted = min(counted, MOST_REQUESTS / rate)
        return begins + (WARM_UP * counted if own is None else given), counted

    def _replayed_s(self, rate: float) -> float:
        """How long a replay of the recorded traces takes, or what the scenario has of it, s."""
        longest = 0.0
        for of, share in zip(self.recorded, self.shares, strict=True):
            if of is not None:
                recorded_iops, span_s = of
                longest = max(longest, span_s * recorded_iops / (rate * share))
        return min(longest, self.scenario.observe.duration or longest)

    def at(self, rate: float, seed: int) -> tuple[Scenario, list[str]]:
        """The scenario at a rate, requests per second in all; and what was changed, as overrides."""
        warm_up, counted = self.lasts(rate)
        if counted <= 0:
            message = (
                f"the warm-up of {warm_up:g} s leaves nothing of the run at {rate:.6g} requests per second"
            )
            hint = "use a shorter warm-up, or a longer trace"
            raise InputError("out-of-range", "observe.warmup", message, hint=hint)
        changes, workloads = [], list(self.scenario.workload)
        for at, share, of in zip(self.chosen, self.shares, self.recorded, strict=True):
            workloads[at], changed = _paced(workloads[at], rate * share, of, warm_up + counted)
            changes += changed
        observe = self.scenario.observe
        update: dict[str, Any] = {"duration": warm_up + counted}
        if observe.warmup != "auto":
            update["warmup"] = warm_up
            changes.append(f'observe.warmup="{warm_up:.9g}s"')
        changes.append(f'observe.duration="{warm_up + counted:.9g}s"')
        if seed != self.scenario.seed:
            changes.append(f"seed={seed}")
        return (
            self.scenario.model_copy(
                update={"seed": seed, "workload": workloads, "observe": observe.model_copy(update=update)}
            ),
            changes,
        )

    def closed(self, outstanding: int, requests: int) -> Scenario | None:
        """The scenario as a closed loop; None where that would not be the same work."""
        if len(self.chosen) != 1 or self.recorded[0] is not None or len(self.scenario.workload) != 1:
            return None
        if self.scenario.workload[0].profile is None:
            return None
        return looped(self.scenario, [outstanding], requests=requests)[0]


def looped(
    scenario: Scenario,
    populations: Sequence[int],
    *,
    requests: int,
    warmup_s: float = 0.0,
    ends_s: float | None = None,
) -> tuple[Scenario, list[str]]:
    """All workloads, which are profiles, as closed loops of these populations; and the changes as
    overrides."""
    workloads, changes = [], []
    for workload, outstanding in zip(scenario.workload, populations, strict=True):
        assert workload.profile is not None
        rate = workload.profile.rate_iops or _ANY_RATE
        choice = {"rate_iops": rate, "requests": requests, "duration": None}
        profile = workload.profile.model_copy(update=choice)
        replay = ClosedReplay(mode="closed", outstanding=outstanding)
        workloads.append(workload.model_copy(update={"profile": profile, "replay": replay}))
        path = f"workload.{workload.name}"
        changes += [
            f"{path}.profile.requests={requests}",
            f'{path}.replay={{mode="closed",outstanding={outstanding}}}',
        ]
    observe = scenario.observe.model_copy(update={"warmup": warmup_s, "duration": ends_s})
    changes.append(f'observe.warmup="{warmup_s:.9g}s"')
    if ends_s is not None:
        changes.append(f'observe.duration="{ends_s:.9g}s"')
    return scenario.model_copy(update={"workload": workloads, "observe": observe}), changes


def _paced(
    workload: WorkloadKeys, rate: float, recorded: tuple[float, float] | None, ends_s: float
) -> tuple[WorkloadKeys, list[str]]:
    """A workload at a rate."""
    path = f"workload.{workload.name}"
    # It runs as long as the run does, at the pace that is tried.
    update: dict[str, Any] = {"end": None}
    if workload.profile is not None:
        choice = {"rate_iops": rate, "requests": None, "duration": ends_s - workload.start}
        update["profile"] = workload.profile.model_copy(update=choice)
        update["replay"] = OpenReplay(mode="open")
        changes = [f"{path}.profile.rate_iops={rate:.12g}"]
    elif recorded is None:
        assert workload.trace is not None
        update["trace"] = workload.trace.model_copy(update={"rate_iops": rate})
        update["replay"] = OpenReplay(mode="open")
        changes = [f"{path}.trace.rate_iops={rate:.12g}"]
    else:
        speed = rate / recorded[0]
        update["replay"] = OpenReplay(mode="open", speed=speed)
        changes = [f"{path}.replay.speed={speed:.12g}"]
    return workload.model_copy(update=update), changes


#: Requests counted where the scenario sets no length.
REQUESTS: Final = 20_000
#: Requests beyond a percentile: its standard error is then about 7 % of the share beyond it.
LEAST_BEYOND: Final = 200
#: Times the limit that a run must last: shorter ones end before a queue of that length shows.
_LIMITS: Final = 100.0


def load_of(scenario: Scenario, base: Path, text: str, request: RateRequest) -> PacedLoad:
    """The load of a scenario as it is asked for.

    Raises ``InputError`` where the scenario has no workload, does not say which, or it is a closed loop or a
    trace without times.
    """
    chosen = chosen_workloads(scenario, request.workload)
    stated = [_stated(scenario.workload[at], base) for at in chosen]
    work = evaluation.prepare(_rated(scenario, chosen, stated), base, text)
    recorded = tuple(None if scenario.workload[at].trace is None else _pace(work.traces[at]) for at in chosen)
    rates = [
        rate if of is None else of[0] * getattr(scenario.workload[at].replay, "speed", 1.0)
        for at, rate, of in zip(chosen, stated, recorded, strict=True)
    ]
    traced = any(scenario.workload[at].trace is not None for at in chosen)
    requests, seconds = _length(scenario, chosen, request)
    if traced:
        requests, seconds = None, None
        if not any(recorded):  # of traces without times the requests are counted
            requests = sum(trace_pace(work.traces[at]).requests for at in chosen) / (1 + WARM_UP)
    alone = len(scenario.workload) == len(chosen)
    stretches = request.requests is None and alone and not traced
    return PacedLoad(
        scenario,
        chosen,
        shares(scenario, chosen, rates),
        recorded,
        requests,
        seconds,
        stretches,
        least_s=_LIMITS * request.limit_s if stretches else 0.0,
        stated=None if None in rates else math.fsum(rate or 0.0 for rate in rates),
    )


def chosen_workloads(scenario: Scenario, wanted: str | None) -> tuple[int, ...]:
    """Positions of the chosen workloads; raises ``InputError`` where the choice is ambiguous."""
    names = [workload.name for workload in scenario.workload]
    if not names:
        raise InputError(
            "missing", f"scenario {scenario.name}", "the scenario has no workload whose rate could be raised"
        )
    if wanted == ALL:
        return tuple(range(len(names)))
    if wanted is None and len(names) > 1:
        message = f"the scenario has {len(names)} workloads; choose the one whose rate is raised"
        hint = f"one of {', '.join(names)}, or '*' for all of them in proportion"
        raise InputError("ambiguous", Argument("workload"), message, hint=hint)
    if wanted is not None and wanted not in names:
        message = f"there is no workload {wanted!r}"
        hint = suggestion(wanted, names, "workloads")
        raise InputError("unknown-name", Argument("workload"), message, hint=hint)
    return (0 if wanted is None else names.index(wanted),)


def _stated(workload: WorkloadKeys, base: Path) -> float | None:
    """The rate that the scenario gives a workload, requests per second; None where it gives none.

    Raises ``InputError`` where the workload has no rate to change, because something else paces it.
    """
    place = f"workload.{workload.name}"
    law = None
    if workload.profile is not None:
        choice = workload.profile
        profile = profiles.load(choice.name, choice.set, base_dir=base, rate_iops=None).profile
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
        message = f"the requests of {workload.name!r} arrive at the times that its profile takes from a trace"
        raise InputError("not-applicable", place, message, hint="use a law of arrivals that has a rate")
    if workload.profile is None:
        return None if workload.trace is None else workload.trace.rate_iops
    return workload.profile.rate_iops or profile.mean_rate


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


def _length(
    scenario: Scenario, chosen: Sequence[int], request: RateRequest
) -> tuple[float | None, float | None]:
    """Requests or seconds that are counted."""
    fewest = 0.0 if request.beyond is None else LEAST_BEYOND / min(request.beyond, 1 - request.beyond)
    if request.requests is not None:
        return float(request.requests), None
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
            message = "the proportion of the workloads follows from their rates, and this one has none"
            hint = "give it rate_iops"
            raise InputError("missing", f"workload.{scenario.workload[at].name}", message, hint=hint)
        known.append(rate)
    return tuple(rate / math.fsum(known) for rate in known)


def _pace(trace: Any) -> tuple[float, float] | None:
    """Requests per second of a trace and the seconds that it spans; None where it records no times."""
    if trace.get("rate_iops") is not None:
        return None
    found = trace_pace(trace)
    return None if found.untimed else (found.rate_iops, found.seconds)
