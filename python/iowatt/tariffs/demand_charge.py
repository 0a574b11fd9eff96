"""Charges for kW: flat, by time of use, and while the utility's own load peaks.

A month is charged for its highest mean over a window. A ratchet holds that up by earlier months: the flat
charge where the tariff has one, else each period of the charge by time of use. Charges "daily" take each
day's peak, and know no ratchet. A month that the load lasts in part is charged in part.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from iowatt.tariffs.item import Item, Kind
from iowatt.tariffs.load import Floats
from iowatt.tariffs.ratchet import Peaks
from iowatt.tariffs.structure import Tariff, Tiers, TimeOfUse
from iowatt.tariffs.use import Use


def demand(tariff: Tariff, used: Use, peaks: Peaks) -> Iterator[Item]:
    """The month's items of kind ``demand`` and ``coincident``; ``peaks`` learns of the month."""
    row = used.month.index
    least = peaks.least_kw(row)
    flat = tariff.flat_demand
    if flat is not None:
        period = flat.months[row]
        everywhere = np.ones_like(used.kw, dtype=np.bool_)
        if flat.daily:
            yield from _by_day(used, "demand", period, flat.periods[period], everywhere)
        else:
            yield from _of_month(used, "demand", period, flat.periods[period], max(used.peak_kw, least))
    if tariff.demand is not None:
        yield from _by_time(used, "demand", tariff.demand, 0.0 if flat is not None else least)
    if tariff.coincident is not None:
        yield from _by_time(used, "coincident", tariff.coincident, 0.0)
    peaks.add(row, used.peak_kw)


def _by_time(used: Use, kind: Kind, charge: TimeOfUse, least: float) -> Iterator[Item]:
    """The peak of each period that occurs in the month."""
    periods = used.periods(charge.weekdays, charge.weekends)
    for period, tiers in enumerate(charge.periods):
        here = periods == period
        if not here.any():
            continue
        if charge.daily:
            yield from _by_day(used, kind, period, tiers, here)
        else:
            yield from _of_month(used, kind, period, tiers, max(float(used.kw[here].max()), least))


def _of_month(used: Use, kind: Kind, period: int, tiers: Tiers, kw: float) -> Iterator[Item]:
    for tier, quantities in enumerate(_tiered(np.array([kw]), tiers)):
        quantity = float(quantities.sum())
        if quantity > 0.0:
            price = tiers[tier].price
            item = Item(kind, used.month.label, period, tier, quantity, "kW", price, used.month.share)
            yield item.signed()


def _by_day(
    used: Use, kind: Kind, period: int, tiers: Tiers, here: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> Iterator[Item]:
    highest = np.zeros(used.month.days)
    np.maximum.at(highest, used.days[here], used.kw[here])
    for tier, quantities in enumerate(_tiered(highest, tiers)):
        quantity = float(quantities.sum())
        if quantity > 0.0:
            yield Item(kind, used.month.label, period, tier, quantity, "kW-day", tiers[tier].price).signed()


def _tiered(kw: Floats, tiers: Tiers) -> Iterator[Floats]:
    """What of each of ``kw`` falls into each tier; the last one takes the rest."""
    below = 0.0
    for index, tier in enumerate(tiers):
        last = index == len(tiers) - 1 or tier.limit is None
        end = math.inf if last else float(tier.limit or 0.0)
        yield np.maximum(np.minimum(kw, end) - below, 0.0)
        below = end
