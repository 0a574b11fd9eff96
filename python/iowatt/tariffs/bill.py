"""What a load costs by a tariff, item by item.

Energy is counted by month and period and put into that period's tiers; demand is the highest mean over a
window of the clock (15 minutes where the tariff says nothing). Of a month that the load does not last, tiers,
demand and fixed charges count by the part that it does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

import numpy as np

from iowatt.tariffs.calendar import Month, months
from iowatt.tariffs.load import JOULES_PER_KWH, Floats, Load
from iowatt.tariffs.ratchet import Peaks
from iowatt.tariffs.structure import Fixed, Schedule, Tariff, Tiers, TimeOfUse

Kind = Literal["energy", "fuel", "demand", "coincident", "fixed", "minimum", "sell"]
MONTHS_A_YEAR: Final = 12


@dataclass(frozen=True)
class Item:
    """A line of a bill: ``usd = quantity x price x share``; ``sell`` is a credit, and negative."""

    kind: Kind
    #: "2026-07".
    month: str
    #: Period and tier, from 0; None where the charge has none.
    period: int | None
    tier: int | None
    quantity: float
    unit: str
    price: float
    #: Part of the month that the load lasts, by which demand and fixed charges count; 1 for energy.
    share: float = 1.0

    @property
    def usd(self) -> float:
        """Dollars."""
        return self.quantity * self.price * self.share


@dataclass(frozen=True)
class Bill:
    """The items of a load, and the joules that they are for."""

    tariff: Tariff
    start: datetime
    items: tuple[Item, ...]
    #: Of the whole load.
    energy_j: float
    #: The highest mean over a window, kW.
    peak_kw: float

    @property
    def usd(self) -> float:
        """Dollars in all."""
        return math.fsum(item.usd for item in self.items)

    def of(self, *kinds: Kind) -> float:
        """Dollars of some kinds of items."""
        return math.fsum(item.usd for item in self.items if item.kind in kinds)


def bill(tariff: Tariff, load: Load, start: datetime) -> Bill:
    """What ``load`` costs from ``start`` (local standard time) until its end."""
    peaks = Peaks(tariff.ratchet)
    items: list[Item] = []
    highest = 0.0
    for month in months(start, load.duration_s):
        used = _Use.of(tariff, load, month)
        highest = max(highest, used.peak_kw)
        lines = [*_energy(tariff, used), *_demand(tariff, used, peaks), *_fixed(tariff.fixed, "fixed", month)]
        items += lines
        items += _minimum(tariff.minimum, month, math.fsum(line.usd for line in lines))
    return Bill(tariff, start, tuple(items), load.total_j, highest)


@dataclass(frozen=True)
class _Use:
    """A month's windows: joules, seconds, hours."""

    month: Month
    joules: Floats
    kw: Floats
    hours: np.ndarray[tuple[int], np.dtype[np.int64]]
    weekend: np.ndarray[tuple[int], np.dtype[np.bool_]]

    @classmethod
    def of(cls, tariff: Tariff, load: Load, month: Month) -> _Use:
        edges = month.edges(tariff.demand_window_s)
        joules = load.between(edges)
        seconds = np.diff(edges)
        hours, weekend = month.hours(edges[:-1] + seconds / 2)
        return cls(month, joules, joules / seconds / 1000.0, hours, weekend)

    @property
    def peak_kw(self) -> float:
        return float(self.kw.max(initial=0.0))

    def periods(self, weekdays: Schedule, weekends: Schedule) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """The period that each window lies in."""
        row = self.month.index
        found: np.ndarray[tuple[int], np.dtype[np.int64]] = np.where(
            self.weekend, np.array(weekends[row])[self.hours], np.array(weekdays[row])[self.hours]
        )
        return found


def _energy(tariff: Tariff, used: _Use) -> Iterator[Item]:
    month = used.month
    if tariff.energy is not None:
        periods = used.periods(tariff.energy.weekdays, tariff.energy.weekends)
        taken, fed = np.maximum(used.joules, 0.0), np.maximum(-used.joules, 0.0)
        for period, tiers in enumerate(tariff.energy.periods):
            here = periods == period
            kwh = math.fsum(taken[here]) / JOULES_PER_KWH
            limits = [_limit(tier.limit, tier.unit, used) for tier in tiers]
            for tier, quantity in _tiered(kwh, limits):
                yield Item("energy", month.label, period, tier, quantity, "kWh", tiers[tier].price)
            back = math.fsum(fed[here]) / JOULES_PER_KWH
            if back > 0.0 and tiers[0].sell is not None:
                yield Item("sell", month.label, period, 0, back, "kWh", -tiers[0].sell)
    fuel = tariff.fuel[month.index]
    if fuel != 0.0:
        kwh = math.fsum(used.joules) / JOULES_PER_KWH
        yield Item("fuel", month.label, None, None, kwh, "kWh", fuel)


def _limit(limit: float | None, unit: str, used: _Use) -> float:
    """The end of a tier in kWh of this month."""
    if limit is None:
        return math.inf
    days = used.month.days if unit.endswith("daily") else 1
    kw = used.peak_kw if unit.startswith("kWh/kW") else 1.0
    return limit * days * kw * used.month.share


def _tiered(quantity: float, limits: Sequence[float]) -> Iterator[tuple[int, float]]:
    """What of ``quantity`` falls into each tier; the last one takes the rest."""
    below = 0.0
    for tier, limit in enumerate(limits):
        end = math.inf if tier == len(limits) - 1 else limit
        part = min(quantity, end) - below
        if part <= 0.0:
            return
        yield tier, part
        below = end


def _demand(tariff: Tariff, used: _Use, peaks: Peaks) -> Iterator[Item]:
    row = used.month.index
    least = peaks.least_kw(row)
    if tariff.flat_demand is not None:
        period = tariff.flat_demand.months[row]
        tiers = tariff.flat_demand.periods[period]
        yield from _kw(used, "demand", period, tiers, max(used.peak_kw, least))
    if tariff.demand is not None:
        yield from _by_time(used, "demand", tariff.demand, least)
    if tariff.coincident is not None:
        yield from _by_time(used, "coincident", tariff.coincident, 0.0)
    peaks.add(row, used.peak_kw)


def _by_time(used: _Use, kind: Kind, charge: TimeOfUse, least: float) -> Iterator[Item]:
    """Demand by period: the peak of each that occurs in the month."""
    periods = used.periods(charge.weekdays, charge.weekends)
    for period, tiers in enumerate(charge.periods):
        here = periods == period
        if here.any():
            yield from _kw(used, kind, period, tiers, max(float(used.kw[here].max()), least))


def _kw(used: _Use, kind: Kind, period: int, tiers: Tiers, kw: float) -> Iterator[Item]:
    limits = [math.inf if tier.limit is None else tier.limit for tier in tiers]
    for tier, quantity in _tiered(kw, limits):
        price = tiers[tier].price
        yield Item(kind, used.month.label, period, tier, quantity, "kW", price, used.month.share)


def _fixed(charges: Sequence[Fixed], kind: Kind, month: Month) -> Iterator[Item]:
    for charge in charges:
        if charge.per == "day":
            yield Item(kind, month.label, None, None, month.days * month.share, "day", charge.usd)
        elif charge.per == "month":
            yield Item(kind, month.label, None, None, 1.0, "month", charge.usd, month.share)
        else:
            yield Item(kind, month.label, None, None, 1.0, "month", charge.usd / MONTHS_A_YEAR, month.share)


def _minimum(charges: Sequence[Fixed], month: Month, usd: float) -> Iterator[Item]:
    """What lacks to the least that a month is billed."""
    least = math.fsum(item.usd for item in _fixed(charges, "minimum", month))
    if least > usd:
        yield Item("minimum", month.label, None, None, 1.0, "month", least - usd)
