"""What a fleet pays, year by year: members, spares, failures, energy, service, space, carbon."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np

from iowatt.evaluate.fleet.demand import QUARTERS, month_after, quarter_days
from iowatt.evaluate.fleet.dollars import FleetDollars, declines, energy, g_per_kwh, price_at
from iowatt.evaluate.fleet.poisson import poisson_above, poisson_quantile, spare_stock
from iowatt.evaluate.fleet.quarters import FleetQuarter, ModelledMember
from iowatt.evaluate.fleet.racks import racks_taken
from iowatt.evaluate.fleet.ranges import HIGH, LOW, YearChance
from iowatt.evaluate.fleet.result import FleetRange, PlannedPurchase, SpareYear
from iowatt.evaluate.fleet.timeline import MemberTimeline
from iowatt.lenses.wear import SECONDS_PER_YEAR

if TYPE_CHECKING:
    from iowatt.evaluate.fleet.keys import FleetPlan
    from iowatt.lenses.book import Book
    from iowatt.tariffs.structure import Tariff


@dataclass(frozen=True)
class FleetPrices:
    """What a plan is priced with."""

    book: Book
    tariff: Tariff
    #: Emissions in g/kWh by calendar year.
    grid: Sequence[tuple[float, float]]
    pue: float


class FleetRunning:
    """Pays for a plan's members; ``in_rack`` has how many of a class one rack holds."""

    def __init__(
        self,
        plan: FleetPlan,
        members: Mapping[str, ModelledMember],
        timeline: MemberTimeline,
        quarters: Sequence[FleetQuarter],
        *,
        prices: FleetPrices,
        in_rack: Mapping[str, int],
    ) -> None:
        book = prices.book
        self.plan, self.members, self.timeline, self.quarters = plan, members, timeline, quarters
        self.prices, self.in_rack = prices, in_rack
        self.days = quarter_days(plan.first_day, plan.years)
        self.energy = energy([one.watts for one in quarters], self.days, prices.pue, prices.tariff, book)
        self.dollars = FleetDollars(plan.years, book.number("discount.rate"))
        #: Spares in stock by model of drives, as years are gone through.
        self._held: dict[str, int] = {}
        self._drive_decline = declines(None, plan.purchases.price_decline, book)
        groups = [group for one in members.values() for group in one.price.drives]
        self._drive_usd = {group.model: group.usd for group in groups}
        self._drive_kg = {group.model: group.embodied_kg for group in groups}

    def paid(self, name: str, bought: float) -> float:
        """The price of a member bought at a time: that of its order, and not before the start."""
        lead = self.plan.purchases.lead_time / SECONDS_PER_YEAR
        stated = self.members[name].stated.price_decline
        decline = declines(stated, self.plan.purchases.price_decline, self.prices.book)
        return price_at(self.members[name].price.usd, decline, max(0.0, bought - lead))

    def members_bought(self) -> list[PlannedPurchase]:
        """Pay for members bought within the plan, and credit those retired."""
        found = []
        lead_s = self.plan.purchases.lead_time
        for one in self.timeline.cohorts:
            usd = one.count * self.paid(one.name, one.bought)
            if one.bought >= 0.0:
                self.dollars.pay("purchase", usd, one.bought)
                delivery = month_after(self.plan.first_day, round(12 * one.bought))
                ordered = delivery - timedelta(seconds=lead_s)
                found.append(
                    PlannedPurchase(
                        name=one.name, count=one.count, order_by=f"{ordered:%Y-%m-%d}",
                        delivery=f"{delivery:%Y-%m-%d}", usd=usd,
                    )
                )  # fmt: skip
            if one.retired < self.plan.years:
                self.dollars.pay("residual", -self.members[one.name].price.residual * usd, one.retired)
        return sorted(found, key=lambda one: (one.delivery, one.name))

    def spares(self, year: int) -> dict[str, SpareYear]:
        """Drives of each model in a year, years in order: failures, stock, and what is bought for it."""
        found: dict[str, SpareYear] = {}
        plan, labour = self.plan.spares, self.prices.book.number("failures.labour")
        for model in self._drive_usd:
            expected, late, worn, drives = self._drive_counts(model, year)
            held = self._held.get(model, 0)
            stock, out = held, None
            if plan is not None:
                lead = plan.lead_time / SECONDS_PER_YEAR
                stock = self._held[model] = max(held, spare_stock(expected, lead, plan.service_level))
                out = poisson_above(expected * lead, stock)
            low, high = (float(poisson_quantile(expected, share)) for share in (LOW, HIGH))
            found[model] = SpareYear(
                model=model, drives=drives,
                failures=FleetRange(expected=expected, low=min(low, expected), high=max(high, expected)),
                worn=worn, stock=stock, stock_out=out, bought=stock - held + late + worn,
            )  # fmt: skip
            usd = price_at(self._drive_usd[model], self._drive_decline, float(year))
            self.dollars.pay("spares", (stock - held) * usd, float(year))
            self.dollars.pay("wear", worn * (usd + labour), float(year), year + 1.0)
        return found

    def year(self, year: int, spares: Mapping[str, SpareYear]) -> YearChance:
        """Pay for a year of work; what of it chance moves."""
        book = self.prices.book
        each = [self._pay_failures(model, year) for model in spares]
        for number in quarters_of(year):
            start, end = number / QUARTERS, (number + 1) / QUARTERS
            quarter = self.quarters[number]
            self.dollars.pay("energy", self.energy.usd[number], start, end)
            service = (
                one.members * self.members[name].price.service_usd for name, one in quarter.classes.items()
            )
            self.dollars.pay("service", sum(service) / QUARTERS, start, end)
            space = self.racks(quarter) * self.plan.racks.cost
            self.dollars.pay("space", space / QUARTERS, start, end)
        kg = self.operational_kg(year) + self.embodied_kg(year, spares)
        self.dollars.pay("carbon", kg / 1000 * book.number("carbon.price"), float(year), year + 1.0)
        return self._chance(year, spares, each)

    def racks(self, quarter: FleetQuarter) -> int:
        """Racks that all members take."""
        return sum(racks_taken(one.members, self.in_rack[name]) for name, one in quarter.classes.items())

    def operational_kg(self, year: int) -> float:
        """kg CO2e of the facility's electricity in a year."""
        first = self.plan.first_day.year + (self.plan.first_day.month - 1) / 12
        return sum(
            self.energy.kwh[number] * g_per_kwh(self.prices.grid, first + (number + 0.5) / QUARTERS) / 1000
            for number in quarters_of(year)
        )

    def embodied_kg(self, year: int, spares: Mapping[str, SpareYear]) -> float:
        """kg CO2e of making what is bought in a year: members, spares, and drives for failed ones."""
        bought = sum(
            self.timeline.bought(name, year, year + 1.0) * one.price.embodied_kg
            for name, one in self.members.items()
        )
        # A failed drive is replaced by a new one, whoever pays for it.
        drives = sum(
            (one.bought + one.failures.expected - self._drive_counts(model, year)[1]) * self._drive_kg[model]
            for model, one in spares.items()
        )
        return bought + drives

    def _pay_failures(self, model: str, year: int) -> float:
        """Pay for a model's failures in a year; dollars of one: labour, and a drive beyond the warranty."""
        expected, late, _, _ = self._drive_counts(model, year)
        drive = price_at(self._drive_usd[model], self._drive_decline, year + 0.5)
        share = late / expected if expected else 0.0
        each = self.prices.book.number("failures.labour") + share * drive
        self.dollars.pay("failures", expected * each, float(year), year + 1.0)
        return each

    def _drive_counts(self, model: str, year: int) -> tuple[float, float, float, int]:
        """Expected failures, those beyond the warranty, worn-out drives, and drives at the year's end."""
        expected = late = worn = 0.0
        for number in quarters_of(year):
            for one in self.quarters[number].classes.values():
                failed = one.failures.get(model, (0.0, 0.0))
                expected, late = expected + failed[0], late + failed[1]
                worn += one.worn.get(model, 0.0)
        last = self.quarters[quarters_of(year)[-1]]
        drives = sum(
            last.classes[name].members * group.count
            for name, one in self.members.items()
            for group in one.price.drives
            if group.model == model
        )
        return expected, late, worn, drives

    def _chance(self, year: int, spares: Mapping[str, SpareYear], each: Sequence[float]) -> YearChance:
        own = [self.quarters[number] for number in quarters_of(year)]
        hours = np.array([self.energy.hours[number] for number in quarters_of(year)])
        weights = hours / hours.sum()
        mean = float(weights @ np.array([one.watts for one in own]))
        deviations = [
            float(
                weights
                @ np.array([np.sqrt(q.classes[name].members) * q.classes[name].deviation_w for q in own])
            )
            for name in self.members
        ]
        parts = self.dollars.of_year(year)
        kwh = sum(self.energy.kwh[number] for number in quarters_of(year))
        return YearChance(
            watts=mean, deviation_w=deviations, usd=sum(parts.values()) - parts["failures"],
            usd_per_w=parts["energy"] / mean if mean else 0.0, kwh=kwh, kwh_per_w=kwh / mean if mean else 0.0,
            failures=[one.failures.expected for one in spares.values()], usd_per_failure=each,
        )  # fmt: skip


def quarters_of(year: int) -> range:
    """Numbers of the quarters of a year."""
    return range(QUARTERS * year, QUARTERS * (year + 1))
