"""Whether a class of requests keeps a service level, at which rate it would miss it, and by which hop.

One load gives an estimate (:mod:`iowatt.lenses.budget.estimate`). Between neighbouring loads all times are
taken to be linear in the rate. Response time is convex in the rate, so a chord lies above it: the rate found
between two loads is slightly low, the less so the nearer they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from iowatt.base.results import Note
from iowatt.lenses.budget import estimate
from iowatt.lenses.budget.class_at_load import ClassAtLoad
from iowatt.lenses.budget.ledger import Floats
from iowatt.lenses.budget.result import (
    BetweenLoads,
    Estimated,
    EstimatedHop,
    GrownHop,
    LoadAgainstLevel,
    ServiceLevel,
)


@dataclass(frozen=True)
class LevelCrossing:
    """Where the response time crosses the level.

    ``rate_iops`` is None where only ``between`` is known: the system did not keep up with the upper load,
    whose times are those of a growing queue.
    """

    rate_iops: float | None
    between: tuple[float, float]
    #: Time of each hop at the crossing; at the upper load where the rate is not known.
    hops_ms: Floats


def find_crossing(
    rates: Sequence[float],
    values_ms: Sequence[float],
    hops_ms: Sequence[Floats],
    steady: Sequence[bool],
    level_ms: float,
) -> LevelCrossing | None:
    """Where the response time first exceeds the level; None where it does not.

    Rates ascend. A load that is not steady exceeds any level.
    """
    exceeding = (i for i in range(len(rates)) if not steady[i] or values_ms[i] > level_ms)
    upper = next(exceeding, None)
    if upper is None:
        return None
    rate, below = rates[upper], rates[upper - 1] if upper else 0.0
    if upper == 0 or not steady[upper]:
        return LevelCrossing(None, (below, rate), hops_ms[upper])
    share = (level_ms - values_ms[upper - 1]) / (values_ms[upper] - values_ms[upper - 1])
    hops_there = hops_ms[upper - 1] + share * (hops_ms[upper] - hops_ms[upper - 1])
    return LevelCrossing(below + share * (rate - below), (below, rate), hops_there)


def rates_alone(
    rates: Sequence[float], values_ms: Sequence[float], hops_ms: Sequence[Floats], level_ms: float
) -> list[float | None]:
    """For each hop the rate at which its growth alone exceeds the level, the others as at the lowest load.

    None where it does not within these (steady) loads, or where the lowest load exceeds the level already.
    """
    if not rates:
        return []
    others = values_ms[0] - hops_ms[0]
    if values_ms[0] > level_ms:
        return [None] * len(others)
    steady = [True] * len(rates)
    found = []
    for hop, other_ms in enumerate(others):
        values = [float(other_ms + hops[hop]) for hops in hops_ms]
        crossing = find_crossing(rates, values, hops_ms, steady, level_ms)
        found.append(None if crossing is None else crossing.rate_iops or rates[0])
    return found


#: Busy share beyond which queues depend on more than their mean work.
BUSY: Final = 0.9

#: Times the rate of the Run beyond which an estimate is too far from the measurement.
FAR: Final = 2.0

#: Busy share of the busiest hop up to which a load counts as unloaded.
UNLOADED: Final = 0.2


def estimate_crossing(load: ClassAtLoad, level: ServiceLevel) -> Estimated:
    """The level at one load, and the rate at which it is estimated to be exceeded."""
    value_ms = load.value_ms(level.of)
    slack_ms = level.within_ms - value_ms
    scaled = estimate.scaled_class(
        load.ledger.mean(),
        [station.share for station in load.busy],
        [station.servers for station in load.busy],
        queues=[not station.held_s for station in load.busy],
        value_ms=value_ms,
        quantile=level.quantile,
    )
    scalable = not (load.closed or load.overloaded)
    factor = scaled.together(level.within_ms) if scalable else None
    alone = scaled.alone(level.within_ms) if scalable else [None] * len(load.busy)
    first = _least(alone)
    if slack_ms < 0:
        means = load.breakdown(level.of)
        first = int((means.waiting_ms + means.service_ms).argmax())

    def rate(times: float | None) -> float | None:
        return None if times is None else load.rate_iops * times

    hops = [
        EstimatedHop(
            **dict(hop),
            saturation_iops=rate(1 / station.share if station.share else None),
            alone_iops=rate(times),
        )
        for hop, station, times in zip(load.ledger.hops, load.busy, alone, strict=True)
    ]
    return Estimated(
        of=level.of, within_ms=level.within_ms, seen_ms=value_ms, slack_ms=slack_ms, kept=slack_ms >= 0,
        rate_iops=rate(factor), first=None if first is None else hops[first], hops=hops,
        validity=list(_estimate_notes(load, level, factor)),
    )  # fmt: skip


def _least(factors: Sequence[float | None]) -> int | None:
    known = [(factor, number) for number, factor in enumerate(factors) if factor is not None]
    return min(known)[1] if known else None


def _estimate_notes(load: ClassAtLoad, level: ServiceLevel, factor: float | None) -> Iterator[Note]:
    """What the estimate assumes, and where this Run strains it."""
    busiest = max((station.share for station in load.busy if station.share is not None), default=None)
    if load.overloaded:
        text = "no estimate: the Run could not keep up with its load, so its waits depend on its length"
        yield Note(code="overloaded", text=text, decides=True)
        return
    if load.closed:
        text = (
            "no estimate: in a closed loop the outstanding requests bound the waiting; take open arrivals, "
            "or Runs at several loads"
        )
        yield Note(code="closed-loop", text=text, decides=True)
        return
    if busiest is None:
        yield Note(code="no-utilisation", text="no estimate: no utilisation is known", decides=True)
        return
    text = (
        "estimate: all work grows in proportion, service times stay as they are, and waiting at a hop of "
        "utilisation r grows as r / (1 - r), later where several servers share a queue"
    )
    yield Note(code="estimate", text=text)
    hops = list(zip(load.ledger.hops, load.busy, load.ledger.mean().waiting_ms.tolist(), strict=True))
    if unknown := [hop.label for hop, station, wait in hops if station.share is None and wait > 0]:
        text = f"waiting stays as measured where no utilisation is known: {', '.join(unknown)}"
        yield Note(code="waiting-not-scaled", text=text)
    for hop, station, _ in hops:
        if station.held_s:
            text = (
                f"waiting at {hop.label} stays as seen up to saturation: interrupt moderation of up to "
                f"{station.held_s * 1e6:g} us does not grow with the rate; a queue behind it is not estimated"
            )
            yield Note(code="interrupt-moderation", text=text)
    if level.quantile is not None:
        text = (
            f"the {level.of} is assumed to grow by {math.log(1 / (1 - level.quantile)):.1f} times the mean "
            "waits, as for exponential waiting; rougher than a mean"
        )
        yield Note(code="percentile", text=text)
    if factor is not None and factor > FAR:
        text = f"the rate found is more than {FAR:g} times that of the Run: simulate at rates nearer to it"
        yield Note(code="far", text=text, decides=True)
    if factor is not None and busiest * factor > BUSY:
        text = f"a hop would be busy more than {100 * BUSY:.0f} % there, where small changes of load matter"
        yield Note(code="near-saturation", text=text, decides=True)


def locate_crossing(loads: Sequence[ClassAtLoad], level: ServiceLevel) -> BetweenLoads:
    """The level at several loads: between which it is exceeded, and by the growth of which hop.

    ``loads`` ascend in their rate; the lowest one stands for an unloaded system.
    """
    rates = [load.rate_iops for load in loads]
    values = [load.value_ms(level.of) for load in loads]
    means = [load.breakdown(level.of) for load in loads]
    hops_ms = [each.waiting_ms + each.service_ms for each in means]
    steady = [not load.overloaded for load in loads]
    crossing = find_crossing(rates, values, hops_ms, steady, level.within_ms)
    kept = [number for number, keeps_up in enumerate(steady) if keeps_up]
    alone = rates_alone(
        [rates[i] for i in kept], [values[i] for i in kept], [hops_ms[i] for i in kept], level.within_ms
    )
    unloaded_ms = hops_ms[0]
    there_ms = hops_ms[kept[-1] if kept else 0] if crossing is None else crossing.hops_ms
    hops = [
        GrownHop(
            **dict(hop),
            unloaded_ms=float(unloaded_ms[number]),
            there_ms=float(there_ms[number]),
            growth_ms=float(there_ms[number] - unloaded_ms[number]),
            alone_iops=alone[number] if alone else None,
        )
        for number, hop in enumerate(loads[0].ledger.hops)
    ]
    first = None
    if crossing is not None:
        # Where the lowest load exceeds the level already, no growth is known: name the largest hop.
        growth = there_ms if crossing.between[0] == 0.0 else there_ms - unloaded_ms
        first = hops[int(np.argmax(growth))]
    return BetweenLoads(
        of=level.of,
        within_ms=level.within_ms,
        seen=[
            LoadAgainstLevel(
                run=load.run, rate_iops=load.rate_iops, value_ms=value, slack_ms=level.within_ms - value,
                kept=value <= level.within_ms and not load.overloaded, overloaded=load.overloaded,
            )
            for load, value in zip(loads, values, strict=True)
        ],
        rate_iops=None if crossing is None else crossing.rate_iops,
        between_iops=None if crossing is None else crossing.between,
        first=first,
        hops=hops,
        validity=list(_crossing_notes(loads, crossing)),
    )  # fmt: skip


def _crossing_notes(loads: Sequence[ClassAtLoad], crossing: LevelCrossing | None) -> Iterator[Note]:
    text = "between neighbouring loads times are taken as linear in the rate, which finds it a little low"
    yield Note(code="interpolated", text=text)
    busiest = max((station.share for station in loads[0].busy if station.share is not None), default=0.0)
    if busiest > UNLOADED:
        text = (
            f"the lowest load stands for no load, and a hop is busy more than {100 * UNLOADED:.0f} % there: "
            "add a lower one"
        )
        yield Note(code="lowest-load-busy", text=text)
    if crossing is None:
        yield Note(code="never-broken", text="no load breaks the level: add higher ones")
    elif crossing.between[0] == 0.0:
        yield Note(code="always-broken", text="the lowest load breaks the level already: add lower ones")
    elif crossing.rate_iops is None:
        text = (
            "the load that breaks it is overloaded, so only the loads on either side are known: "
            "add loads between them"
        )
        yield Note(code="overloaded-beyond", text=text, decides=True)
