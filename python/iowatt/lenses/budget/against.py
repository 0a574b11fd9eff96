"""A class of requests against a service level: how much room there is, and which hop takes it up first.

From one load it is an estimate (:mod:`iowatt.lenses.budget.estimate`). Between neighbouring loads everything
is taken to be linear in the rate. Response time is convex in the rate, so a chord lies above it: the rate
found between two loads is a little low, the less the nearer they are.
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
    """Where a course goes beyond a level.

    ``rate_iops`` is None where only ``between`` is known: the upper load is one that could not be kept up
    with, whose times are those of a growing queue.
    """

    rate_iops: float | None
    between: tuple[float, float]
    #: Of each hop there, ms; at the upper load where there is no rate.
    hops_ms: Floats


def first_above(rates: Sequence[float], values: Sequence[float], level: float) -> float | None:
    """The rate at which values, linear between rates, first go beyond a level; None where they never do.

    The lowest rate where the first value is beyond it already.
    """
    if values and values[0] > level:
        return rates[0]
    for at in range(1, len(rates)):
        if values[at] > level:
            along = (level - values[at - 1]) / (values[at] - values[at - 1])
            return rates[at - 1] + along * (rates[at] - rates[at - 1])
    return None


def crossing(
    rates: Sequence[float],
    values_ms: Sequence[float],
    hops_ms: Sequence[Floats],
    steady: Sequence[bool],
    level_ms: float,
) -> LevelCrossing | None:
    """Where the response time first goes beyond the level; None where it does not.

    Rates ascend. A load that is not steady is beyond any level.
    """
    for at, rate in enumerate(rates):
        if steady[at] and values_ms[at] <= level_ms:
            continue
        if at == 0:
            return LevelCrossing(None, (0.0, rate), hops_ms[0])
        below = rates[at - 1]
        if not steady[at]:
            return LevelCrossing(None, (below, rate), hops_ms[at])
        along = (level_ms - values_ms[at - 1]) / (values_ms[at] - values_ms[at - 1])
        there = hops_ms[at - 1] + along * (hops_ms[at] - hops_ms[at - 1])
        return LevelCrossing(below + along * (rate - below), (below, rate), there)
    return None


def alone_rates(
    rates: Sequence[float], values_ms: Sequence[float], hops_ms: Sequence[Floats], level_ms: float
) -> list[float | None]:
    """For each hop the rate at which its growth alone breaks the level, the others as at the lowest load.

    None where it does not within the loads. Only of steady loads.
    """
    if not rates:
        return []
    rest = values_ms[0] - hops_ms[0]
    found = [
        first_above(rates, [float(rest[at] + hops[at]) for hops in hops_ms], level_ms)
        for at in range(len(rest))
    ]
    return [None if values_ms[0] > level_ms else rate for rate in found]


def largest_growth(unloaded_ms: Floats, there_ms: Floats) -> int:
    """The hop that grew most."""
    return int(np.argmax(there_ms - unloaded_ms))


#: Busy share beyond which queues depend on more than their mean work.
BUSY: Final = 0.9

#: Times the rate of the Run beyond which an estimate is far from what was seen.
FAR: Final = 2.0

#: Busy share of the busiest hop up to which a load counts as unloaded.
UNLOADED: Final = 0.2


def estimated(seen: ClassAtLoad, level: ServiceLevel) -> Estimated:
    """From one load: an estimate, with what it rests on."""
    part = seen.made_of(level.of)
    value = seen.value_ms(level.of)
    room = level.within_ms - value
    free = not (seen.closed or seen.overloaded)
    grown = estimate.grown(
        seen.ledger.mean(),
        [busy.share for busy in seen.busy],
        [busy.servers for busy in seen.busy],
        queues=[not busy.held_s for busy in seen.busy],
        value_ms=value,
        quantile=level.quantile,
    )
    factor = grown.together(level.within_ms) if free else None
    alone = grown.alone(level.within_ms) if free else [None] * len(seen.busy)
    first = _first(alone) if room >= 0 else None
    if first is None and room < 0:
        first = int((part.waiting_ms + part.service_ms).argmax())
    rows = [
        EstimatedHop(
            **dict(hop),
            saturation_iops=_times(seen.rate_iops, None if not busy.share else 1 / busy.share),
            alone_iops=_times(seen.rate_iops, times),
        )
        for hop, busy, times in zip(seen.ledger.hops, seen.busy, alone, strict=True)
    ]
    return Estimated(
        of=level.of,
        within_ms=level.within_ms,
        seen_ms=value,
        slack_ms=room,
        kept=room >= 0,
        rate_iops=_times(seen.rate_iops, factor),
        first=None if first is None else rows[first],
        hops=rows,
        validity=list(_validity(seen, level, factor)),
    )


def _first(factors: Sequence[float | None]) -> int | None:
    known = [(factor, at) for at, factor in enumerate(factors) if factor is not None]
    return min(known)[1] if known else None


def _times(rate: float, factor: float | None) -> float | None:
    return None if factor is None else rate * factor


def _validity(seen: ClassAtLoad, level: ServiceLevel, factor: float | None) -> Iterator[Note]:
    """What the estimate assumes, and where this Run strains it."""
    busiest = max((busy.share for busy in seen.busy if busy.share is not None), default=None)
    if seen.overloaded:
        text = "no estimate: the Run could not keep up with its load, so its waits depend on its length"
        yield Note(code="overloaded", text=text, decides=True)
        return
    if seen.closed:
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
    hops = list(zip(seen.ledger.hops, seen.busy, seen.ledger.mean().waiting_ms.tolist(), strict=True))
    if unknown := [hop.label for hop, busy, waiting in hops if busy.share is None and waiting > 0]:
        text = f"waiting stays as measured where no utilisation is known: {', '.join(unknown)}"
        yield Note(code="waiting-not-scaled", text=text)
    for hop, busy, _ in hops:
        if busy.held_s:
            text = (
                f"waiting at {hop.label} stays as seen up to saturation: interrupt moderation of up to "
                f"{busy.held_s * 1e6:g} us does not grow with the rate; a queue behind it is not estimated"
            )
            yield Note(code="interrupt-moderation", text=text)
    if level.quantile is not None:
        text = (
            f"the {level.of} is assumed to grow by {math.log(1 / (1 - level.quantile)):.1f} times the "
            "mean waits, as for exponential waiting; rougher than a mean"
        )
        yield Note(code="percentile", text=text)
    if factor is not None and factor > FAR:
        text = f"the rate found is more than {FAR:g} times that of the Run: simulate at rates nearer to it"
        yield Note(code="far", text=text, decides=True)
    if factor is not None and busiest * factor > BUSY:
        text = f"a hop would be busy more than {100 * BUSY:.0f} % there, where small changes of load matter"
        yield Note(code="near-saturation", text=text, decides=True)


def between_loads(loads: Sequence[ClassAtLoad], level: ServiceLevel) -> BetweenLoads:
    """From several loads: where the level is broken between them, and by the growth of which hop.

    ``loads`` ascend in their rate. The lowest one stands for no load.
    """
    rates = [load.rate_iops for load in loads]
    values = [load.value_ms(level.of) for load in loads]
    parts = [load.made_of(level.of) for load in loads]
    hops_ms = [part.waiting_ms + part.service_ms for part in parts]
    steady = [not load.overloaded for load in loads]
    found = crossing(rates, values, hops_ms, steady, level.within_ms)
    kept = [at for at in range(len(loads)) if steady[at]]
    alone = alone_rates(
        [rates[at] for at in kept],
        [values[at] for at in kept],
        [hops_ms[at] for at in kept],
        level.within_ms,
    ) or [None] * len(loads[0].ledger.hops)
    unloaded = hops_ms[0]
    there = hops_ms[kept[-1] if kept else 0] if found is None else found.hops_ms
    rows = [
        GrownHop(
            **dict(hop),
            unloaded_ms=float(unloaded[at]),
            there_ms=float(there[at]),
            growth_ms=float(there[at] - unloaded[at]),
            alone_iops=alone[at],
        )
        for at, hop in enumerate(loads[0].ledger.hops)
    ]
    first = None
    if found is not None:
        # Broken by the lowest load already: nothing is known to have grown, so the largest is named.
        broken = found.between[0] == 0.0
        first = rows[int(there.argmax()) if broken else largest_growth(unloaded, there)]
    return BetweenLoads(
        of=level.of,
        within_ms=level.within_ms,
        seen=[
            LoadAgainstLevel(
                run=load.run,
                rate_iops=load.rate_iops,
                value_ms=value,
                slack_ms=level.within_ms - value,
                kept=value <= level.within_ms and not load.overloaded,
                overloaded=load.overloaded,
            )
            for load, value in zip(loads, values, strict=True)
        ],
        rate_iops=None if found is None else found.rate_iops,
        between_iops=None if found is None else found.between,
        first=first,
        hops=rows,
        validity=list(_of_loads(loads, found)),
    )


def _of_loads(loads: Sequence[ClassAtLoad], found: LevelCrossing | None) -> Iterator[Note]:
    text = "between neighbouring loads times are taken as linear in the rate, which finds it a little low"
    yield Note(code="interpolated", text=text)
    busiest = max((busy.share for busy in loads[0].busy if busy.share is not None), default=0.0)
    if busiest > UNLOADED:
        text = (
            f"the lowest load stands for no load, and a hop is busy more than {100 * UNLOADED:.0f} % there: "
            "add a lower one"
        )
        yield Note(code="lowest-load-busy", text=text)
    if found is None:
        yield Note(code="never-broken", text="no load breaks the level: add higher ones")
    elif found.between[0] == 0.0:
        yield Note(code="always-broken", text="the lowest load breaks the level already: add lower ones")
    elif found.rate_iops is None:
        text = (
            "the load that breaks it could not be kept up with, so only the loads on either side are known: "
            "add loads between them"
        )
        yield Note(code="overloaded-beyond", text=text, decides=True)
