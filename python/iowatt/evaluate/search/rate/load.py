"""A scenario at other rates: the chosen workloads faster or slower, and how long a run is then.

A profile gets the rate; a recorded trace is replayed so much faster than it was recorded, so that its bursts
stay as bursty (as by ``search.curve``). With the same seed, the same requests arrive at every rate,
their gaps stretched alike: common random numbers, which make the response time a smooth function of the rate.
So that they are the same ones, a run ends with a time in proportion to 1/rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from iowatt.base.errors import InputError
from iowatt.evaluate.search.rate.measurement import MOST_REQUESTS
from iowatt.model.scenario.model import Scenario
from iowatt.model.scenario.workload import ClosedReplay, OpenReplay, Workload

#: Counted at least, where runs may be longer than the scenario says.
LEAST_REQUESTS: Final = 2_000
#: Of a closed loop whose profile states none: it goes by completions, but a profile must have one.
_ANY_RATE: Final = 1000.0
#: Cut from the front, as a share of what is counted, where the scenario does not say.
WARM_UP: Final = 0.1


@dataclass(frozen=True)
class Load:
    """The workloads whose rate is varied, and how long they run."""

    scenario: Scenario
    #: Positions of the varied workloads, and their shares of the rate.
    chosen: tuple[int, ...]
    shares: tuple[float, ...]
    #: Of recorded traces: requests per second as recorded, and s from the first to the last; else None.
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

    def longer(self, times: float) -> Load | None:
        """The load with runs so many times as long; None where they cannot be."""
        if not self.stretches:
            return None
        if self.requests is not None:
            return replace(self, requests=min(self.requests * times, float(MOST_REQUESTS)))
        assert self.seconds is not None
        return replace(self, seconds=self.seconds * times)

    def lasts(self, rate: float) -> tuple[float, float]:
        """What is cut from the front of a run at a rate, and what is counted, in s.

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
            raise InputError(
                "out-of-range",
                "observe.warmup",
                f"the warm-up of {warm_up:g} s leaves nothing of the run at {rate:.6g} requests per second",
                hint="use a shorter warm-up, or a longer trace",
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
    """All workloads, which are profiles, as closed loops of so many outstanding; what was changed besides."""
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
    workload: Workload, rate: float, recorded: tuple[float, float] | None, ends_s: float
) -> tuple[Workload, list[str]]:
    """A workload at a rate of its own."""
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
