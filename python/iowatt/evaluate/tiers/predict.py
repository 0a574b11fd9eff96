"""What to expect of tiers: a queue for each, with the service times of its drives. Modelled, not measured.

A drive of a tier is a queue with ``c`` servers, ``c`` its rate at saturation times its service time (and for
reads of mirrored data so many times as there are copies), which random arrivals come to; the mean wait is
Sakasegawa's ``S (1 + v^2)/2 rho^(sqrt(2 (c + 1)) - 1) / (c (1 - rho))`` (H. Sakasegawa, Ann. Inst. Stat.
Math. 29, 1977), which is that of M/G/1 for one server.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from iowatt.base.errors import Argument, InputError
from iowatt.evaluate.tiers import choose
from iowatt.evaluate.tiers.benchmark import Technology
from iowatt.evaluate.tiers.choose import LaidOutTier
from iowatt.evaluate.tiers.one_pool import ExtentLoad, Front, Objective, TierRequest
from iowatt.evaluate.tiers.result import Predicted

#: Tiers that a configuration may have.
MOST_TIERS: Final = 2
#: Groups that are added for the response time before a choice of technologies is given up.
MOST_GROUPS: Final = 64
#: The greater of two independent normal values lies this many standard deviations above their mean.
_GREATER_OF_TWO: Final = 1 / math.sqrt(math.pi)
#: The greatest of n lies about this times sqrt(2 ln n) standard deviations above the mean. The root alone is
#: the limit for many; the factor is ours: within 7 % of the exact value for normal values, n = 16 to 100.
_GREATEST_OF_MANY: Final = 0.8


@dataclass(frozen=True)
class TierFigures:
    """A tier as expected."""

    tier: LaidOutTier
    io_share: float
    iops: float
    operations: float
    utilisation: float
    service_s: float
    read_s: float | None
    write_s: float | None
    watts: float


@dataclass(frozen=True)
class Prediction:
    """An array as expected: each tier, and all together."""

    tiers: Sequence[TierFigures]
    total: Predicted


def predict(load: ExtentLoad, tiers: Sequence[LaidOutTier], front: Front) -> Prediction:
    """The figures of ``tiers`` under ``load``; times are None where a tier cannot keep up."""
    figures = [_tier(load, tier) for tier in tiers]
    busiest = max((one.utilisation for one in figures), default=0.0)
    reads = [(one, float(load.reads[one.tier.first : one.tier.last].sum())) for one in figures]
    writes = [(one, float(load.writes[one.tier.first : one.tier.last].sum())) for one in figures]
    back_read = _mean([(one.read_s, rate) for one, rate in reads])
    back_write = _mean([(one.write_s, rate) for one, rate in writes])
    read_s = _sum(front.read_hit_s, front.read_miss, back_read)
    write_s = _sum(front.write_hit_s, 1.0 if front.write_waits else 0.0, back_write)
    if busiest >= 1:
        response = read_s = write_s = None
    else:
        response = _mean([(read_s, front.read_share), (write_s, 1 - front.read_share)])
    prices = [
        None if one.tier.technology.usd is None else one.tier.count * one.tier.technology.usd
        for one in figures
    ]
    total = Predicted(
        iops=front.iops * min(1.0, 1.0 / busiest) if busiest > 0 else front.iops,
        most_iops=front.iops / busiest if busiest > 0 else None,
        response_time_ms=_ms(response),
        read_ms=_ms(read_s),
        write_ms=_ms(write_s),
        power_w=sum(one.watts for one in figures),
        usd=None if None in prices else sum(price for price in prices if price is not None),
        total_usd=None if None in prices else sum(map(_total_usd, figures)),
        drives=sum(one.tier.count for one in figures),
    )
    return Prediction(figures, total)


def _tier(load: ExtentLoad, tier: LaidOutTier) -> TierFigures:
    drive, technology = tier.technology.drive, tier.technology
    read, write = technology.work(load, tier.count)
    reads = float(load.reads[tier.first : tier.last].sum())
    writes = float(load.writes[tier.first : tier.last].sum())
    operations = reads * read.operations + writes * write.operations
    rho = operations / (tier.count * drive.saturated_iops)
    service, spread = drive.service_s, drive.variation * drive.service_s
    copies = {1: tier.count, 10: 2}.get(technology.level, 1)
    choice = reads * read.operations / operations if operations else 0.0
    # A read of mirrored data goes to the copy with the shorter queue, so that the copies are nearly one.
    wait = _wait(service, drive.variation, drive.channels * (1 + (copies - 1) * choice), rho)
    busy_j = drive.operation_j
    total = load.iops
    stay = None if wait is None else service + wait
    # The variance of a wait is about the square of its mean at any but light loads.
    deviation = None if wait is None else math.hypot(spread, wait)
    return TierFigures(
        tier=tier,
        io_share=(reads + writes) / total if total else 0.0,
        iops=reads + writes,
        operations=operations,
        utilisation=rho,
        service_s=service,
        read_s=_request(stay, deviation, read.phases, read.abreast),
        write_s=_request(stay, deviation, write.phases, write.abreast),
        watts=tier.count * drive.idle_w + min(operations, tier.count * drive.saturated_iops) * busy_j,
    )


def _total_usd(one: TierFigures) -> float:
    """Dollars of a tier over the horizon, at the watts that it draws."""
    technology = one.tier.technology
    kept = float(technology.usd or 0.0) + technology.upkeep_usd
    return one.tier.count * kept + one.watts * technology.usd_per_w


def _wait(service: float, variation: float, channels: float, rho: float) -> float | None:
    if rho >= 1:
        return None
    power = math.sqrt(2 * (channels + 1)) - 1
    return float(service * (1 + variation**2) / 2 * rho**power / (channels * (1 - rho)))


def _request(stay: float | None, deviation: float | None, phases: float, abreast: float) -> float | None:
    """Phases one after another, each as long as the longest of its operations."""
    if stay is None or deviation is None:
        return None
    if abreast <= 1:
        longest = stay
    elif abreast <= 2:
        longest = stay + (abreast - 1) * _GREATER_OF_TWO * deviation
    else:
        longest = (
            stay + max(_GREATER_OF_TWO, _GREATEST_OF_MANY * math.sqrt(2 * math.log(abreast))) * deviation
        )
    return phases * longest


def _mean(parts: Sequence[tuple[float | None, float]]) -> float | None:
    """Weighted mean; None where a part with weight is not known."""
    parts = [(value, weight) for value, weight in parts if weight > 0]
    if not parts or any(value is None for value, _ in parts):
        return None
    return sum((value or 0.0) * weight for value, weight in parts) / sum(weight for _, weight in parts)


def _sum(own: float, share: float, behind: float | None) -> float | None:
    if share <= 0:
        return own
    return None if behind is None else own + share * behind


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else 1e3 * seconds


def best_configuration(
    load: ExtentLoad, technologies: Sequence[Technology], front: Front, request: TierRequest
) -> tuple[Prediction, list[tuple[str, Prediction | None]]]:
    """The best of all sets of technologies, and all of them with what they came to."""
    tried: list[tuple[str, Prediction | None]] = []
    for number in range(1, min(MOST_TIERS, len(technologies)) + 1):
        for some in itertools.combinations(technologies, number):
            found = _best(load, some, front, request)
            if found is not None and len(found.tiers) < number:
                continue  # the smaller set says the same
            tried.append((" + ".join(one.name for one in some), found))
    able = [(name, found) for name, found in tried if found is not None]
    if not able:
        wanted = f"utilisation at most {request.limit:g}"
        if request.response_s is not None:
            wanted += f" and a mean response time of {1e3 * request.response_s:g} ms"
        message = (
            f"no candidates hold {load.total_bytes / 1e9:,.0f} GB and serve {load.iops:,.0f} back-end "
            f"requests a second with {wanted}"
        )
        hint = "name faster candidates, or relax `response_time=` or `utilisation=`"
        raise InputError("infeasible", Argument("tiers"), message, hint=hint)
    able.sort(key=lambda pair: (_value(pair[1], request.objective), len(pair[1].tiers)))
    return able[0][1], tried


def _value(found: Prediction, objective: Objective) -> float:
    if objective == "watts":
        return found.total.power_w
    return float(found.total.drives if objective == "drives" else found.total.total_usd or 0.0)


def _best(
    load: ExtentLoad, some: Sequence[Technology], front: Front, request: TierRequest
) -> Prediction | None:
    """The configuration of some technologies that the rule gives, with groups added for the response time."""

    def tried(extra: Sequence[int]) -> Prediction | None:
        tiers = choose.lay_out(load, some, request.limit, request.objective, extra)
        return None if not tiers else predict(load, tiers, front)

    extra = [0] * len(some)
    found = tried(extra)
    for _ in range(MOST_GROUPS):
        if found is None or request.response_s is None:
            return found
        now = found.total.response_time_ms
        if now is not None and now <= 1e3 * request.response_s:
            return found
        better: tuple[float, list[int], Prediction] | None = None
        for at in range(len(some)):
            more = [number + (at == place) for place, number in enumerate(extra)]
            next_one = tried(more)
            if next_one is None or next_one.total.response_time_ms is None:
                continue
            shorter = (math.inf if now is None else now) - next_one.total.response_time_ms
            dearer = _value(next_one, request.objective) - _value(found, request.objective)
            gain = shorter / max(dearer, 1e-9)
            if gain > 0 and (better is None or gain > better[0]):
                better = (gain, more, next_one)
        if better is None:
            return None
        _, extra, found = better
    return None
