"""A scenario at other rates: the chosen workloads faster or slower, and how long a run is then.

A profile gets the rate; a recorded trace is replayed so much faster than it was recorded, so that its bursts
stay as bursty (as by :mod:`iowatt.search.curve`). With the same seed, the same requests arrive at every rate,
their gaps stretched alike: common random numbers, which make the response time a smooth function of the rate.
So that they are the same ones, a run ends with a time in proportion to 1/rate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from iowatt import evaluation
from iowatt.errors import InputError
from iowatt.scenario.model import Scenario
from iowatt.scenario.problems import suggestion
from iowatt.scenario.workload import ClosedReplay, OpenReplay, Workload
from iowatt.search import pace
from iowatt.search.rate.asked import ALL, Asked
from iowatt.search.rate.seen import MOST_REQUESTS

#: Counted where the scenario says nothing, and the fewest of a run that may be lengthened.
REQUESTS: Final = 20_000
LEAST_REQUESTS: Final = 2_000
#: Requests beyond a percentile: its standard error is then about 7 % of the share beyond it.
LEAST_BEYOND: Final = 200
#: Times the limit that a run must last: shorter ones end before a queue of that length shows.
_LIMITS: Final = 100.0
#: Cut from the front, as a share of what is counted, where the scenario does not say.
WARM_UP: Final = 0.1


@dataclass(frozen=True)
class Load:
    """The workloads whose rate is varied, and how long they run."""

    scenario: Scenario
    #: Positions of the varied workloads, and their shares of the rate.
    chosen: tuple[int, ...]
    shares: tuple[float, ...]
    #: Of recorded traces: requests per second as recorded, and the time from the first to the last; else None.
    recorded: tuple[tuple[float, float] | None, ...]
    #: Counted in a run, or None where its seconds are fixed.
    requests: float | None
    seconds: float | None
    #: Whether runs may be longer than that.
    stretches: bool
    #: Shortest run, s.
    least_s: float = 0.0

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the varied workloads; none where these are all."""
        if len(self.chosen) == len(self.scenario.workload):
            return ()
        return tuple(self.scenario.workload[at].name for at in self.chosen)

    def longer(self, times: float) -> Load | None:
        """The load with runs so many times as long; None where they cannot be."""
        if not self.stretches:
            return None
        if self.requests is not None:
            requests = min(self.requests * times, float(MOST_REQUESTS))
            return replace(self, requests=requests) if requests > 1.2 * self.requests else None
        assert self.seconds is not None
        return replace(self, seconds=self.seconds * times)

    def lasts(self, rate: float) -> tuple[float, float]:
        """Warm-up and counted time of a run at a rate, in s."""
        observe = self.scenario.observe
        own = observe.warmup if "warmup" in observe.model_fields_set else None
        given = 0.0 if own == "auto" or own is None else float(own)
        if self.requests is not None:
            counted = max(self.requests / rate, self.least_s)
        elif self.seconds is not None:
            counted = self.seconds - given
            if self.stretches:
                counted = max(counted, self.least_s, LEAST_REQUESTS / rate)
        else:
            counted = max(
                span * of[0] / (rate * share)
                for of, share in zip(self.recorded, self.shares, strict=True)
                if of is not None
                for span in (of[1],)
            )
            if observe.duration is not None:
                counted = min(counted, observe.duration)
            cut = given if own is not None else WARM_UP / (1 + WARM_UP) * counted
            return cut, counted - cut
        counted = min(counted, MOST_REQUESTS / rate)
        return (WARM_UP * counted if own is None else given), counted

    def at(self, rate: float, seed: int) -> tuple[Scenario, list[str]]:
        """The scenario at a rate, requests per second in all; and what was changed, as overrides."""
        warm_up, counted = self.lasts(rate)
        if counted <= 0:
            raise InputError(
                f"the warm-up of {warm_up:g} s leaves nothing of the run at {rate:.6g} requests per second",
                where="observe.warmup",
                hint="a shorter warm-up, or a longer trace",
            )
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
        """The scenario with the varied workload as a closed loop; None where that would not be the same work."""
        if len(self.chosen) != 1 or self.recorded[0] is not None or len(self.scenario.workload) != 1:
            return None
        workload = self.scenario.workload[self.chosen[0]]
        if workload.profile is None:
            return None
        rate = (
            workload.profile.rate_iops or 1000.0
        )  # a closed loop goes by completions, but a profile must say
        profile = workload.profile.model_copy(
            update={"rate_iops": rate, "requests": requests, "duration": None}
        )
        replay = ClosedReplay(mode="closed", outstanding=outstanding)
        changed = workload.model_copy(update={"profile": profile, "replay": replay})
        observe = self.scenario.observe.model_copy(update={"warmup": 0.0, "duration": None})
        return self.scenario.model_copy(update={"workload": [changed], "observe": observe})


def _paced(
    workload: Workload, rate: float, recorded: tuple[float, float] | None, ends_s: float
) -> tuple[Workload, list[str]]:
    """A workload at a rate of its own."""
    path = f"workload.{workload.name}"
    if workload.profile is not None:
        profile = workload.profile.model_copy(
            update={"rate_iops": rate, "requests": None, "duration": ends_s}
        )
        changes = [f"{path}.profile.rate_iops={rate:.12g}"]
        return workload.model_copy(update={"profile": profile}), changes
    assert workload.trace is not None
    if recorded is None:
        changes = [f"{path}.trace.rate_iops={rate:.12g}"]
        trace = workload.trace.model_copy(update={"rate_iops": rate})
        return workload.model_copy(update={"trace": trace}), changes
    replay = OpenReplay(mode="open", speed=rate / recorded[0])
    return workload.model_copy(update={"replay": replay}), [f"{path}.replay.speed={replay.speed:.12g}"]


def load_of(scenario: Scenario, base: Path, text: str, asked: Asked) -> Load:
    """The load of a scenario as it is asked for.

    Raises ``InputError`` where the scenario has no workload, does not say which, or it is a closed loop or a
    trace without times.
    """
    chosen = _chosen(scenario, asked.workload)
    work = evaluation.prepare(_rated(scenario, chosen), base, text)
    for at in chosen:
        if work.plan["simulation"]["workloads"][at]["replay"]["mode"] == "closed":
            raise InputError(
                f"the workload {scenario.workload[at].name!r} is a closed loop, whose rate is what the array "
                "can do; a limit needs requests that arrive whether the array keeps up or not",
                where=f"workload.{scenario.workload[at].name}",
                hint='a profile with open arrivals, or replay = { mode = "open" }; `iowatt curve '
                "--outstanding` varies a closed loop",
            )
    recorded = tuple(None if scenario.workload[at].trace is None else _pace(work.traces[at]) for at in chosen)
    single = len(scenario.workload) == len(chosen)
    traced = any(of is not None for of in recorded)
    untimed = any(scenario.workload[at].trace is not None for at in chosen) and not traced
    first = scenario.workload[chosen[0]].profile
    requests, seconds = _length(scenario, chosen, asked)
    if traced or untimed:
        requests, seconds = None, None
    if untimed:
        requests = float(pace.of(work.traces[chosen[0]]).requests) / (1 + WARM_UP)
    stretches = single and not traced and not untimed and first is not None
    return Load(
        scenario,
        chosen,
        _shares(scenario, chosen, recorded, work),
        recorded,
        requests,
        seconds,
        stretches,
        least_s=_LIMITS * asked.limit_s if stretches else 0.0,
    )


def _chosen(scenario: Scenario, asked: str | None) -> tuple[int, ...]:
    names = [workload.name for workload in scenario.workload]
    if not names:
        raise InputError(
            "the scenario has no workload whose rate could be raised", where=f"scenario {scenario.name}"
        )
    if asked == ALL:
        return tuple(range(len(names)))
    if asked is None and len(names) > 1:
        raise InputError(
            f"the scenario has {len(names)} workloads; say whose rate is raised",
            where="--workload",
            hint=f"one of {', '.join(names)}, or '*' for all of them in proportion",
        )
    if asked is not None and asked not in names:
        raise InputError(
            f"there is no workload {asked!r}", where="--workload", hint=suggestion(asked, names, "workloads")
        )
    return (0 if asked is None else names.index(asked),)


def _rated(scenario: Scenario, chosen: Sequence[int]) -> Scenario:
    """The scenario with some rate where a profile has none: one is found, so none need be given."""
    workloads = list(scenario.workload)
    for at in chosen:
        profile = workloads[at].profile
        if profile is None:
            continue
        update: dict[str, Any] = {}
        if profile.rate_iops is None and len(chosen) == 1:
            update["rate_iops"] = 1.0
        if profile.requests is None and profile.duration is None and scenario.observe.duration is None:
            update["requests"] = REQUESTS
        workloads[at] = workloads[at].model_copy(update={"profile": profile.model_copy(update=update)})
    return scenario.model_copy(update={"workload": workloads})


def _length(scenario: Scenario, chosen: Sequence[int], asked: Asked) -> tuple[float | None, float | None]:
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


def _shares(
    scenario: Scenario,
    chosen: Sequence[int],
    recorded: Sequence[tuple[float, float] | None],
    work: evaluation.Prepared,
) -> tuple[float, ...]:
    """Shares of the rate, by the rates that the scenario gives."""
    if len(chosen) == 1:
        return (1.0,)
    rates = []
    for at, of in zip(chosen, recorded, strict=True):
        workload = scenario.workload[at]
        if of is not None:
            rates.append(of[0] * getattr(workload.replay, "speed", 1.0))
        elif workload.trace is not None:
            rates.append(workload.trace.rate_iops or 0.0)
        else:
            rates.append(_made_rate(workload, work.traces[at]))
    return tuple(rate / math.fsum(rates) for rate in rates)


def _made_rate(workload: Workload, trace: Any) -> float:
    """Of a profile: as the scenario gives it, else its own."""
    assert workload.profile is not None
    if workload.profile.rate_iops is not None:
        return float(workload.profile.rate_iops)
    raise InputError(
        "the proportion of the workloads follows from their rates, and this one states none",
        where=f"workload.{workload.name}.profile.rate_iops",
    )


def _pace(trace: Any) -> tuple[float, float] | None:
    """Requests per second of a trace and the seconds that it spans; None where it has no times of its own."""
    if trace.get("rate_iops") is not None:
        return None
    found = pace.of(trace)
    return None if found.untimed else (found.rate_iops, found.seconds)
