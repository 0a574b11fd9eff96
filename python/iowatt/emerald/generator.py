"""Tells whether the load generator, rather than the storage, was the limit.

A load generator without more requests to keep outstanding, or without processor time, issues requests late;
response times do not include their wait. Such a run shows the generator's own highest rate.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from iowatt.emerald.finding import Finding, invalid
from iowatt.emerald.phases import RANDOM
from iowatt.emerald.plan import Plan, PlanStage, limit_ms
from iowatt.emerald.plan.load import outstanding
from iowatt.emerald.rules import load as load_rules
from iowatt.sources.observation import Observation

#: What it ran short of; "issue": neither, yet it issued requests late.
Cause = Literal["outstanding", "processor", "network", "issue"]

#: Share of the requests that may be outstanding from which all of them are taken to be in use.
ALL_IN_USE: Final = 0.9
# More in use than allowed: the bound belongs to another run, or is counted differently.
_BEYOND: Final = 1.1
BUSY_PERCENT: Final = 90.0  #: Percent from which a thread or host has no time left.


@dataclass(frozen=True)
class GeneratorLoad:
    """The offered and the achieved load of a run."""

    #: Requests per second asked for; None: as fast as the outstanding requests allow.
    asked_iops: float | None
    achieved_iops: float
    response_s: float | None  #: Mean response time, s; None where it is not known.
    seconds: float
    outstanding: int | None = None  #: Requests that may be outstanding; None where it is not known.
    #: How busy the generator's busiest thread was (fio) or its host (vdbench), in percent; None: not known.
    busy_percent: float | None = None
    #: How full the host's busiest network link was, in percent; None: not known.
    link_percent: float | None = None

    @property
    def in_use(self) -> float | None:
        """Mean number of requests outstanding, by Little's law."""
        return None if self.response_s is None else self.achieved_iops * self.response_s


def cause(
    load: GeneratorLoad, limit_s: float | None, *, keeps_up: float, scatter: float = 0.0
) -> Cause | None:
    """Why the generator was the limit; None where nothing shows that it was.

    ``limit_s``: limit of the mean response time in s. Beyond it the storage has failed already, however many
    requests are outstanding. None: there is none.
    ``keeps_up``: share of the asked rate below which a run did not keep up.
    ``scatter``: requests per second by which chance may keep ``achieved_iops`` below the rate.
    """
    full: Cause | None = None
    if load.link_percent is not None and load.link_percent >= BUSY_PERCENT:
        full = "network"
    if load.busy_percent is not None and load.busy_percent >= BUSY_PERCENT:
        full = "processor"
    if load.asked_iops is None:
        return full
    late = load.achieved_iops + scatter < keeps_up * load.asked_iops
    if late and full is not None:
        return full
    if load.in_use is None or load.response_s is None or (limit_s is not None and load.response_s > limit_s):
        return None
    if load.outstanding is None:
        return None
    if ALL_IN_USE * load.outstanding <= load.in_use <= _BEYOND * load.outstanding:
        return "outstanding"
    # What is asked for and not completed waits in the storage only as long as there is room for it.
    missing = (load.asked_iops - load.achieved_iops) * load.seconds
    return "issue" if late and missing > load.outstanding - load.in_use else None


def words(load: GeneratorLoad, why: Cause) -> str:
    """A sentence with the cause and its figures."""
    asked = "" if load.asked_iops is None else f" of {load.asked_iops:.4g} asked for"
    made = f"the load generator was the limit at {load.achieved_iops:.4g} IOPS{asked}"
    if why == "processor":
        return f"{made}: its processor was {load.busy_percent:.0f} % busy"
    if why == "network":
        return f"{made}: its network link was {load.link_percent:.0f} % full"
    in_use = f"{load.in_use:.4g} of {load.outstanding} requests were outstanding on average"
    if why == "outstanding":
        return f"{made}: {in_use}, the most allowed"
    return f"{made}: {in_use}, yet it issued requests late"


def limited(
    load: GeneratorLoad, limit_s: float | None, *, keeps_up: float, scatter: float = 0.0
) -> Iterator[Finding]:
    """The finding; parameters as of :func:`cause`."""
    why = cause(load, limit_s, keeps_up=keeps_up, scatter=scatter)
    if why is not None:
        text = words(load, why)
        yield invalid(
            "generator-limited",
            text,
            cause=why,
            asked_iops=load.asked_iops,
            achieved_iops=load.achieved_iops,
            outstanding=load.outstanding,
            in_use=load.in_use,
            busy_percent=load.busy_percent,
            link_percent=load.link_percent,
        )


def limited_stage(
    plan: Plan, stage: PlanStage, observed: Observation, *, link_percent: float | None = None
) -> Iterator[Finding]:
    """The finding that the load generator was the limit of a measured stage, if it was, by its own output.

    ``link_percent``: how full the busiest network link of its host was.
    """
    rules = load_rules(plan.rules.profile)
    limit = limit_ms(rules, plan.category) if stage.workload in RANDOM else None
    parts = [part for i in observed.intervals if i.counted for part in (i.read, i.write)]
    counted = [i for i in observed.intervals if i.counted] or observed.intervals
    seconds = counted[-1].end - counted[0].start
    requests = sum(part.requests for part in parts)
    timed = sum(part.known for part in parts if part.response_mean_s is not None)
    waited = math.fsum(
        part.known * part.response_mean_s for part in parts if part.response_mean_s is not None
    )
    measured = GeneratorLoad(
        asked_iops=None if stage.closed else observed.asked_iops or stage.rate_iops,
        achieved_iops=requests / seconds,
        response_s=waited / timed if timed else None,
        seconds=seconds,
        outstanding=observed.outstanding or outstanding(stage),
        busy_percent=observed.busy_percent,
        link_percent=link_percent,
    )
    yield from limited(
        measured,
        None if limit is None else limit / 1e3,
        keeps_up=rules.number("rate.achieved_percent", plan.category) / 100,
        scatter=3 * math.sqrt(requests) / seconds,
    )
