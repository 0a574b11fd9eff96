"""Charges of a month: kWh by period and tier, kW by window, ratchets; each is an item of the bill."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from iowatt.tariffs.load import JOULES_PER_KWH, Floats
from iowatt.tariffs.months import Ints, MeteredMonth
from iowatt.tariffs.structure import Ratchet, Tariff, TariffTier, Tiers, TimeOfUse

#: ``sell`` holds all that is taken off a bill: what is paid for energy fed back, and charges that the
#: tariff makes negative. All other kinds are never negative.
ItemKind = Literal["energy", "fuel", "demand", "coincident", "fixed", "minimum", "sell"]


@dataclass(frozen=True)
class BillItem:
    """A line of a bill: ``usd = quantity x price x share``; ``sell`` is a credit, and negative."""

    kind: ItemKind
    month: str  #: "2026-07".
    period: int | None  #: Period and tier, from 0; None where the charge has none.
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

    def signed(self) -> BillItem:
        """The same; as ``sell`` where it is negative."""
        return replace(self, kind="sell") if self.usd < 0 else self


_RATCHET_MONTHS: Final = 11


class Peaks:
    """The peaks of the months so far, and the least demand that they make a month pay for."""

    def __init__(self, ratchet: Ratchet) -> None:
        self._ratchet = ratchet
        #: Month of the year and peak in kW, in order.
        self._past: list[tuple[int, float]] = []

    def least_kw(self, month: int) -> float:
        """What is billed at least in this month of the year (0 to 11): a share of an earlier month's peak."""
        share = self._ratchet.shares[month]
        recent = [kw for _, kw in self._past[-_RATCHET_MONTHS:]]
        looked_at = self._past[-self._ratchet.lookback_months :] if self._ratchet.lookback_months else []
        flags = self._ratchet.lookback_flags
        if flags is not None:
            looked_at = [one for one in self._past[-_RATCHET_MONTHS:] if flags[one[0]]]
        back = [kw for _, kw in looked_at]
        return max(share * max(recent, default=0.0), self._ratchet.lookback_share * max(back, default=0.0))

    def add(self, month: int, peak_kw: float) -> None:
        """Remember a month's peak."""
        self._past.append((month, peak_kw))


def energy_items(tariff: Tariff, metered: MeteredMonth) -> Iterator[BillItem]:
    """The month's items of kind ``energy``, ``fuel`` and ``sell``."""
    if tariff.energy is not None:
        periods = metered.periods(tariff.energy.weekdays, tariff.energy.weekends)
        kwh = metered.joules / JOULES_PER_KWH
        yield from _by_tier("energy", tariff.energy.periods, metered, periods, np.maximum(kwh, 0.0))
        if float(kwh.min(initial=0.0)) < 0.0:
            yield from _by_tier("sell", tariff.energy.periods, metered, periods, np.maximum(-kwh, 0.0))
    fuel = tariff.fuel[metered.month.index]
    if fuel != 0.0:
        taken = float(np.maximum(metered.joules, 0.0).sum()) / JOULES_PER_KWH
        yield BillItem("fuel", metered.month.label, None, None, taken, "kWh", fuel).signed()


def _by_tier(
    kind: ItemKind, charges: tuple[Tiers, ...], metered: MeteredMonth, periods: Ints, kwh: Floats
) -> Iterator[BillItem]:
    by_period = np.bincount(periods, kwh, minlength=len(charges))
    reached = np.cumsum(kwh) if any(len(tiers) > 1 for tiers in charges) else None
    for period, tiers in enumerate(charges):
        if by_period[period] == 0.0:
            continue
        if reached is None or len(tiers) == 1:
            quantities = [float(by_period[period])]
        else:
            here = periods == period
            quantities = _split(reached[here], kwh[here], [_limit(tier, metered) for tier in tiers])
        for index, (tier, quantity) in enumerate(zip(tiers, quantities, strict=True)):
            price = tier.price if kind == "energy" else -(tier.sell or 0.0)
            if quantity > 0.0 and (kind == "energy" or tier.sell is not None):
                yield BillItem(kind, metered.month.label, period, index, quantity, "kWh", price).signed()


def _split(reached: Floats, kwh: Floats, limits: list[float]) -> list[float]:
    """How much of ``kwh`` falls into each tier; each ends where the month has ``reached``."""
    found = []
    below = 0.0
    for tier, limit in enumerate(limits):
        end = math.inf if tier == len(limits) - 1 else max(limit, below)
        inside = np.minimum(reached, end) - np.maximum(reached - kwh, below)
        found.append(float(np.clip(inside, 0.0, kwh).sum()))
        below = end
    return found


def _limit(tier: TariffTier, metered: MeteredMonth) -> float:
    """The end of a tier in kWh of this month, in proportion to the part that the load covers."""
    if tier.limit is None:
        return math.inf
    days = metered.month.days if tier.unit.endswith("daily") else 1
    kw = metered.peak_kw if tier.unit.startswith("kWh/kW") else 1.0
    return tier.limit * days * kw * metered.month.share


def demand_items(tariff: Tariff, metered: MeteredMonth, peaks: Peaks) -> Iterator[BillItem]:
    """The month's items of kind ``demand`` and ``coincident``; adds the month to ``peaks``."""
    row = metered.month.index
    least = peaks.least_kw(row)
    flat = tariff.flat_demand
    if flat is not None:
        period = flat.months[row]
        everywhere = np.ones_like(metered.kw, dtype=np.bool_)
        if flat.daily:
            yield from _by_day(metered, "demand", period, flat.periods[period], everywhere)
        else:
            yield from _of_month(metered, "demand", period, flat.periods[period], max(metered.peak_kw, least))
    if tariff.demand is not None:
        yield from _by_time(metered, "demand", tariff.demand, 0.0 if flat is not None else least)
    if tariff.coincident is not None:
        yield from _by_time(metered, "coincident", tariff.coincident, 0.0)
    peaks.add(row, metered.peak_kw)


def _by_time(metered: MeteredMonth, kind: ItemKind, charge: TimeOfUse, least: float) -> Iterator[BillItem]:
    """The peak of each period that occurs in the month."""
    periods = metered.periods(charge.weekdays, charge.weekends)
    for period, tiers in enumerate(charge.periods):
        here = periods == period
        if not here.any():
            continue
        if charge.daily:
            yield from _by_day(metered, kind, period, tiers, here)
        else:
            yield from _of_month(metered, kind, period, tiers, max(float(metered.kw[here].max()), least))


def _of_month(
    metered: MeteredMonth, kind: ItemKind, period: int, tiers: Tiers, kw: float
) -> Iterator[BillItem]:
    for tier, quantities in enumerate(_tiered(np.array([kw]), tiers)):
        quantity = float(quantities.sum())
        if quantity > 0.0:
            price = tiers[tier].price
            item = BillItem(
                kind, metered.month.label, period, tier, quantity, "kW", price, metered.month.share
            )
            yield item.signed()


def _by_day(
    metered: MeteredMonth,
    kind: ItemKind,
    period: int,
    tiers: Tiers,
    here: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> Iterator[BillItem]:
    highest = np.zeros(metered.month.days)
    np.maximum.at(highest, metered.days[here], metered.kw[here])
    for tier, quantities in enumerate(_tiered(highest, tiers)):
        quantity = float(quantities.sum())
        if quantity > 0.0:
            yield BillItem(
                kind, metered.month.label, period, tier, quantity, "kW-day", tiers[tier].price
            ).signed()


def _tiered(kw: Floats, tiers: Tiers) -> Iterator[Floats]:
    """How much of each of ``kw`` falls into each tier; the last one takes the rest."""
    below = 0.0
    for index, tier in enumerate(tiers):
        last = index == len(tiers) - 1 or tier.limit is None
        end = math.inf if last else float(tier.limit or 0.0)
        yield np.maximum(np.minimum(kw, end) - below, 0.0)
        below = end
