"""Items of a month's bill: kWh by period and tier, kW by window, ratchets."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from iowatt.tariffs.load import JOULES_PER_KWH, Floats
from iowatt.tariffs.months import Ints, MeteredMonth
from iowatt.tariffs.structure import FlatDemand, Ratchet, Tariff, TariffTier, Tiers, TimeOfUse

#: ``sell`` holds credits: payments for energy fed back, and negative charges. Other kinds are never negative.
ItemKind = Literal["energy", "fuel", "demand", "coincident", "fixed", "minimum", "sell"]


@dataclass(frozen=True)
class BillItem:
    """A line of a bill: ``usd = quantity x price x share``; a credit (``sell``) is negative."""

    kind: ItemKind
    month: str  #: "2026-07".
    period: int | None  #: Period and tier, from 0; None where the charge has none.
    tier: int | None
    quantity: float
    unit: str
    price: float
    #: Part of the month that the load lasts, for demand and fixed charges; 1 for energy.
    share: float = 1.0

    @property
    def usd(self) -> float:
        """Dollars."""
        return self.quantity * self.price * self.share

    def signed(self) -> BillItem:
        """The item, as ``sell`` where it is negative."""
        return replace(self, kind="sell") if self.usd < 0 else self


_RATCHET_MONTHS: Final = 11


class Peaks:
    """The peaks of the months so far, and the minimum demand that ratchets bill."""

    def __init__(self, ratchet: Ratchet) -> None:
        self._ratchet = ratchet
        #: Month of the year and peak in kW, in order.
        self._past: list[tuple[int, float]] = []

    def least_kw(self, month: int) -> float:
        """The least billed demand in this month of the year (0 to 11): a share of an earlier peak."""
        share = self._ratchet.shares[month]
        recent = [kw for _, kw in self._past[-_RATCHET_MONTHS:]]
        past = self._past[-self._ratchet.lookback_months :] if self._ratchet.lookback_months else []
        flags = self._ratchet.lookback_flags
        if flags is not None:
            past = [(month, kw) for month, kw in self._past[-_RATCHET_MONTHS:] if flags[month]]
        back = [kw for _, kw in past]
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
    """The part of ``kwh`` in each tier; ``reached`` is the sum of the month so far."""
    parts = []
    below = 0.0
    for tier, limit in enumerate(limits):
        end = math.inf if tier == len(limits) - 1 else max(limit, below)
        inside = np.minimum(reached, end) - np.maximum(reached - kwh, below)
        parts.append(float(np.clip(inside, 0.0, kwh).sum()))
        below = end
    return parts


def _limit(tier: TariffTier, metered: MeteredMonth) -> float:
    """The end of a tier in kWh of this month, in proportion to the load's part of it."""
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
        period, always = flat.months[row], np.ones_like(metered.kw, dtype=np.bool_)
        yield from _peak_items(metered, "demand", period, flat, within=always, least_kw=least)
    by_time: Sequence[tuple[ItemKind, TimeOfUse | None, float]] = (
        ("demand", tariff.demand, least if flat is None else 0.0),
        ("coincident", tariff.coincident, 0.0),
    )
    for kind, charge, least_kw in by_time:
        if charge is not None:
            periods = metered.periods(charge.weekdays, charge.weekends)
            for period in range(len(charge.periods)):
                within = periods == period
                yield from _peak_items(metered, kind, period, charge, within=within, least_kw=least_kw)
    peaks.add(row, metered.peak_kw)


def _peak_items(
    metered: MeteredMonth, kind: ItemKind, period: int, charge: TimeOfUse | FlatDemand, *,
    within: NDArray[np.bool_], least_kw: float,
) -> Iterator[BillItem]:  # fmt: skip
    """The peak of the windows ``within`` a period, of the month or of each day, by tier."""
    if not within.any():
        return
    month, tiers = metered.month, charge.periods[period]
    if charge.daily:
        kw, unit, share = np.zeros(month.days), "kW-day", 1.0
        np.maximum.at(kw, metered.days[within], metered.kw[within])
    else:
        kw, unit, share = np.array([max(float(metered.kw[within].max()), least_kw)]), "kW", month.share
    for tier, quantities in enumerate(_tiered(kw, tiers)):
        quantity = float(quantities.sum())
        if quantity > 0.0:
            price = tiers[tier].price
            yield BillItem(kind, month.label, period, tier, quantity, unit, price, share).signed()


def _tiered(kw: Floats, tiers: Tiers) -> Iterator[Floats]:
    """The part of each of ``kw`` in each tier; the last tier takes the rest."""
    below = 0.0
    for index, tier in enumerate(tiers):
        last = index == len(tiers) - 1 or tier.limit is None
        end = math.inf if last else float(tier.limit or 0.0)
        yield np.maximum(np.minimum(kw, end) - below, 0.0)
        below = end
