"""Published costs compared with ours: at once, after 100,000 times the work, and in years."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from iowatt.lenses.cost import Horizon
from iowatt.studies.dollars2014 import systems
from iowatt.studies.dollars2014.conclusions import (
    ComparedPairs,
    compared,
    inside,
    signed,
    signed_range,
    spread,
)
from iowatt.studies.dollars2014.money import Money, StudyCrossing, Variant, years
from iowatt.studies.dollars2014.points import HybridPoint, Pair, of, pairs
from iowatt.studies.dollars2014.published import PRINTED, TEXT
from iowatt.studies.dollars2014.systems import WORKS, DollarsScale, HybridWork
from iowatt.studies.result import ClaimVerdict

ONCE_OVER: Final = Horizon("work", PRINTED.once)
LONG: Final = Horizon("work", PRINTED.long_run)

#: How far our mean of years may be from the published one: by a factor of two.
YEARS_FACTOR: Final = 2.0


@dataclass(frozen=True)
class Priced:
    """The points of a study at a scale, and what prices them."""

    points: list[HybridPoint]
    money: Money
    variants: Sequence[Variant]
    scale: DollarsScale

    def five(self, work: str) -> dict[str, HybridPoint]:
        """The five systems under a workload, the hybrids at the reference configuration."""
        return five(self.points, work, self.scale)


def verdicts(priced: Priced) -> list[ClaimVerdict]:
    """All of them, workload by workload."""
    found: list[ClaimVerdict] = []
    for work in WORKS.values():
        kept = compared(pairs(priced.points, work.key), work.key)
        if kept.pairs:
            found += [
                _once(priced, work, kept),
                _long_run(priced, work, kept),
                years_of_work(priced.points, work, kept),
            ]
    return [*found, *_ssd_only(priced)]


def differences(found: Sequence[Pair], money: Money, variant: Variant, horizon: Horizon) -> list[float]:
    """Cost of caching against tiering of each configuration, percent."""
    return [money.apart(caching, tiering, variant, horizon) for caching, tiering in found]


def crossings(found: Sequence[Pair], money: Money, variant: Variant) -> list[StudyCrossing]:
    """Where the cheaper of the two changes first, of each configuration in which it does."""
    each = (money.crossings(tiering, caching, variant) for caching, tiering in found)
    return [one[0] for one in each if one]


def _by_variant(priced: Priced, kept: ComparedPairs, horizon: Horizon) -> str:
    """The differences under each variant but the first, the equations as printed."""
    return "; ".join(
        f"{variant.title} {spread(differences(kept.pairs, priced.money, variant, horizon))}"
        for variant in priced.variants[1:]
    )


def _once(priced: Priced, work: HybridWork, kept: ComparedPairs) -> ClaimVerdict:
    ours = differences(kept.pairs, priced.money, priced.variants[0], ONCE_OVER)
    low, high = PRINTED.slightly
    return TEXT.judge(
        "cost-once",
        f"{work.title}, as printed: {kept.how}",
        ours=spread(ours),
        agrees=low < median(ours) <= high,
        experiment=_by_variant(priced, kept, ONCE_OVER),
    )


def _long_run(priced: Priced, work: HybridWork, kept: ComparedPairs) -> ClaimVerdict:
    money, printed = priced.money, priced.variants[0]
    published = PRINTED.workloads[work.key].long_run
    ours = differences(kept.pairs, money, printed, LONG)
    cold = pairs(priced.points, work.key, tiering="cold")
    colder = [
        f"tiering from a cold start, {variant.title} {spread(differences(cold, money, variant, LONG))}"
        for variant in priced.variants[:2]
        if cold
    ]
    demand = 100 * median(
        money.groups(caching, printed, LONG).get("demand", 0.0) / money.usd(caching, printed, LONG)
        for caching, _ in kept.pairs
    )
    return TEXT.judge(
        f"cost-long-run-{'reads' if published[1] < 0 else 'writes'}",
        f"{work.title}, as printed: {kept.how}",
        published=signed_range(*published),
        ours=f"{spread(ours)}; {demand:.0f} % of the cost is the demand charge",
        agrees=inside(median(ours), published),
        experiment="; ".join([_by_variant(priced, kept, LONG), *colder]),
        demand=demand,
    )


def years_of_work(points: list[HybridPoint], work: HybridWork, kept: ComparedPairs) -> ClaimVerdict:
    """How long 100,000 times the work takes."""
    published = PRINTED.workloads[work.key]
    ours = [years(one, PRINTED.long_run) for pair in kept.pairs for one in pair]
    every = [years(one, PRINTED.long_run) for pair in pairs(points, work.key) for one in pair]
    mean = sum(ours) / len(ours)
    crowd = [years(one, PRINTED.long_run) for pair in pairs(points, work.key, "crowd") for one in pair]
    more = f"; with four requests in flight {min(crowd):.2g} to {max(crowd):.2g} years" if crowd else ""
    return TEXT.judge(
        "years",
        f"{work.title}: both systems; {kept.how}",
        ours=f"{mean:.2g} ({min(ours):.2g} to {max(ours):.2g})",
        agrees=1 / YEARS_FACTOR <= mean / published.years <= YEARS_FACTOR,
        experiment=f"all {len(every)} points {sum(every) / len(every):.2g} ({min(every):.2g} to "
        f"{max(every):.2g}) years" + more,
        years=published.years,
        fewest=published.years_range[0],
        most=published.years_range[1],
    )


def _ssd_only(priced: Priced) -> list[ClaimVerdict]:
    """SSD only against the cheapest of the others, at once and in the long run."""
    tried = [(variant, _against_best(priced, variant)) for variant in priced.variants]
    return [
        TEXT.judge(
            "ssd-only",
            f"against the cheapest of the other four, {variant.title}",
            ours=_shown(against),
            agrees=all(one.once > MUCH for one in against) and any(one.long < -MUCH for one in against),
            experiment="; ".join(
                f"{other.title}: {_shown(shares)}" for other, shares in tried if other is not variant
            ),
        )
        for variant, against in tried
        if variant.key in _SSD_ONLY and against
    ]


_SSD_ONLY: Final = ("printed", "demand", "all")
#: Percent from which dearer or cheaper is said to be so.
MUCH: Final = 10.0


@dataclass(frozen=True)
class _Against:
    """SSD only against the cheapest other system of a workload, percent, at once and in the long run."""

    work: str
    once: float
    long: float
    best_once: str
    best_long: str


def _against_best(priced: Priced, variant: Variant) -> list[_Against]:
    found = []
    for work in WORKS:
        by_system = priced.five(work)
        if len(by_system) == len(systems.SYSTEMS):
            shares, best = [], []
            for horizon in (ONCE_OVER, LONG):
                usd = {name: priced.money.usd(one, variant, horizon) for name, one in by_system.items()}
                ssd = usd.pop("ssd")
                least = min(usd, key=usd.__getitem__)
                shares.append(100 * (ssd / usd[least] - 1))
                best.append(systems.NAMES[least])
            found.append(_Against(work, shares[0], shares[1], best[0], best[1]))
    return found


def _shown(against: Sequence[_Against]) -> str:
    return ", ".join(
        f"{one.work} {signed(one.once)} at once ({one.best_once}), {signed(one.long)} after 100,000 times "
        f"the work ({one.best_long})"
        for one in against
    )


def five(points: list[HybridPoint], work: str, scale: DollarsScale) -> dict[str, HybridPoint]:
    """The five systems, the hybrids at the reference configuration."""
    at = systems.reference(work, scale)
    found = {}
    for system in systems.SYSTEMS:
        here = [one for one in of(points, work, system) if one.at is None or one.at == at]
        if here:
            found[system] = here[0]
    return found
