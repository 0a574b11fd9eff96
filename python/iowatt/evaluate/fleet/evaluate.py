"""A plan with what is known of its members, followed over its years and priced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from iowatt.base.results import Note
from iowatt.evaluate.fleet import durability, limits
from iowatt.evaluate.fleet.demand import QUARTERS
from iowatt.evaluate.fleet.dollars import sums
from iowatt.evaluate.fleet.quarters import ClassQuarter, FleetQuarter, ModelledMember, quarters
from iowatt.evaluate.fleet.rack_fill import RackFill
from iowatt.evaluate.fleet.racks import racks_taken
from iowatt.evaluate.fleet.ranges import YearRanges, ranges
from iowatt.evaluate.fleet.result import (
    BrokenLimit,
    ClassYear,
    DemandYear,
    FleetTotals,
    FleetYear,
    PlannedPurchase,
    SpareYear,
)
from iowatt.evaluate.fleet.running import FleetPrices, FleetRunning, quarters_of
from iowatt.evaluate.fleet.timeline import follow

if TYPE_CHECKING:
    from iowatt.evaluate.fleet.keys import FleetPlan

TB: Final = 1e12


@dataclass(frozen=True)
class FleetOutcome:
    """All that follows from a plan."""

    years: list[FleetYear]
    totals: FleetTotals
    purchases: list[PlannedPurchase]
    broken: list[BrokenLimit]
    racks: RackFill
    #: Where the tariff does not fit the fleet.
    misfits: Sequence[Note]


def evaluate(plan: FleetPlan, members: Mapping[str, ModelledMember], prices: FleetPrices) -> FleetOutcome:
    """Follow a plan. Raises ``InputError`` where a demand cannot be served or a bill not be made."""
    return _Evaluation(plan, members, prices).outcome()


class _Evaluation:
    """The steps of :func:`evaluate`, which share the quarters."""

    def __init__(self, plan: FleetPlan, members: Mapping[str, ModelledMember], prices: FleetPrices) -> None:
        self.plan, self.members = plan, members
        spreads = {one.demand.name: one.spread for one in members.values()}
        self.timeline = follow(plan, {name: one.capacity for name, one in members.items()}, spreads)
        self.quarters = quarters(plan, members, self.timeline, prices.book.number("failures.warranty"))
        self.racks = RackFill(plan, members, self.quarters)
        self.running = FleetRunning(
            plan, members, self.timeline, self.quarters, prices=prices, in_rack=self.racks.in_one
        )
        self.service_life = prices.book.number("wear.service_life")

    def outcome(self) -> FleetOutcome:
        """The figures by year and over all."""
        count = range(self.plan.years)
        purchases = self.running.members_bought()
        spares = [self.running.spares(year) for year in count]
        found, total = ranges([self.running.year(year, spares[year]) for year in count], self.plan.seed)
        years = [self._year(year, found[year], spares[year]) for year in count]
        return FleetOutcome(
            years=years,
            totals=self._totals(years, total),
            purchases=purchases,
            broken=limits.broken(self.plan, self.members, self.timeline, self.quarters, years),
            racks=self.racks,
            misfits=self.running.energy.notes,
        )

    def _year(self, year: int, found: YearRanges, spares: Mapping[str, SpareYear]) -> FleetYear:
        own = [self.quarters[number] for number in quarters_of(year)]
        classes = [self._class_year(name, year, [one.classes[name] for one in own]) for name in self.members]
        starts = self.running.days[QUARTERS * year]
        return FleetYear(
            year=starts.year,
            starts=f"{starts:%Y-%m-%d}",
            demands=[self._demand_year(one.name, own) for one in self.plan.demand],
            classes=classes,
            drives=list(spares.values()),
            watts=found.watts,
            peak_w=max(one.peak_w for one in own),
            kwh=found.kwh,
            usd=self.running.dollars.of_year(year),
            total_usd=found.usd,
            present_usd=self.running.dollars.present(year),
            operational_kg=self.running.operational_kg(year),
            embodied_kg=self.running.embodied_kg(year, spares),
            failures=found.failures,
            spares_bought=sum(one.bought for one in spares.values()),
            loss_probability=self._loss(year),
            racks=max(self.running.racks(one) for one in own),
            rack_peak_w=max((one.rack_peak_w for one in classes), default=0.0),
        )

    def _demand_year(self, name: str, own: Sequence[FleetQuarter]) -> DemandYear:
        return DemandYear(
            name=name,
            stored_tb=own[-1].stored[name] / TB,
            usable_tb=own[-1].usable[name] / TB,
            fill=min(_FULL, max(one.fill[name] for one in own)),
            load_iops=sum(one.load[name] for one in own) / len(own),
        )

    def _class_year(self, name: str, year: int, own: Sequence[ClassQuarter]) -> ClassYear:
        member, there = self.members[name], [one for one in own if one.members]
        busy = max((one.busy_iops for one in there), default=0.0)
        share = busy * member.spread.quantile(member.demand.most_load.members)
        in_one = self.racks.in_one[name]
        return ClassYear(
            name=name,
            members=own[-1].members,
            bought=self.timeline.bought(name, year, year + 1.0),
            retired=self.timeline.retired(name, year, year + 1.0),
            member_iops=sum(one.mean_iops for one in there) / len(there) if there else 0.0,
            busy_iops=share,
            busy_p95_ms=member.curve.p95_ms(share) if there else None,
            members_beyond=max((one.members * one.beyond for one in there), default=0.0),
            member_w=sum(one.watts for one in there) / len(there) if there else 0.0,
            rack_peak_w=self.racks.peak_w(name, year, in_one),
            racks=max(racks_taken(one.members, in_one) for one in own),
        )

    def _loss(self, year: int) -> float | None:
        """The probability that any member loses data in a year, by the age of each cohort in each quarter."""
        times = [number / QUARTERS for number in quarters_of(year)]
        return durability.any_loses(
            (durability.at_age(self.members[one.name].loss_by_age, time - one.bought), one.count / QUARTERS)
            for time in times
            for one in self.timeline.cohorts
            if one.at(time)
        )

    def _totals(self, years: Sequence[FleetYear], total: YearRanges) -> FleetTotals:
        end = float(self.plan.years)
        return FleetTotals(
            usd=sums(one.usd for one in years),
            total_usd=total.usd,
            present_usd=sum(one.present_usd for one in years),
            kwh=total.kwh,
            watts=total.watts,
            operational_kg=sum(one.operational_kg for one in years),
            embodied_kg=sum(one.embodied_kg for one in years),
            failures=total.failures,
            spares_bought=sum(one.spares_bought for one in years),
            bought={name: self.timeline.bought(name, 0.0, end) for name in self.members},
            retired={name: self.timeline.retired(name, 0.0, end) for name in self.members},
            loss_probability=durability.over_years(one.loss_probability for one in years),
            value_left_usd=self._value_left(end),
        )

    def _value_left(self, end: float) -> float:
        """Straight-line value of members bought within the plan, by their refresh age or the service life."""
        value = 0.0
        for one in self.timeline.cohorts:
            if one.bought >= 0.0 and one.retired >= end:
                life = self.members[one.name].stated.refresh_after or self.service_life
                left = max(0.0, 1.0 - (end - one.bought) / life)
                value += one.count * self.running.paid(one.name, one.bought) * left
        return value


_FULL: Final = 1e9
"""Fill of a demand without any member, which JSON has no infinity for."""
