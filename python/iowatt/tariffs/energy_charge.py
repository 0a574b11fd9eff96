"""Charges for kWh: by period and tier, what is paid for energy fed back, the month's fuel adjustment.

Tiers count the kWh of the month as the meter adds them up, over all periods: a kWh has the price of the
period that it is used in, and of the tier that the month has reached by then. Fed-back energy counts its
tiers for itself. This is how SAM (PySAM's Utilityrate5) bills, which the tests hold it against.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from iowatt.tariffs.calendar import Ints
from iowatt.tariffs.item import Item, Kind
from iowatt.tariffs.load import JOULES_PER_KWH, Floats
from iowatt.tariffs.structure import Tariff, Tier, Tiers
from iowatt.tariffs.use import Use


def energy(tariff: Tariff, used: Use) -> Iterator[Item]:
    """The month's items of kind ``energy``, ``fuel`` and ``sell``."""
    if tariff.energy is not None:
        periods = used.periods(tariff.energy.weekdays, tariff.energy.weekends)
        kwh = used.joules / JOULES_PER_KWH
        yield from _by_tier("energy", tariff.energy.periods, used, periods, np.maximum(kwh, 0.0))
        if float(kwh.min(initial=0.0)) < 0.0:
            yield from _by_tier("sell", tariff.energy.periods, used, periods, np.maximum(-kwh, 0.0))
    fuel = tariff.fuel[used.month.index]
    if fuel != 0.0:
        taken = float(np.maximum(used.joules, 0.0).sum()) / JOULES_PER_KWH
        yield Item("fuel", used.month.label, None, None, taken, "kWh", fuel).signed()


def _by_tier(kind: Kind, charges: tuple[Tiers, ...], used: Use, periods: Ints, kwh: Floats) -> Iterator[Item]:
    by_period = np.bincount(periods, kwh, minlength=len(charges))
    reached = np.cumsum(kwh) if any(len(tiers) > 1 for tiers in charges) else None
    for period, tiers in enumerate(charges):
        if by_period[period] == 0.0:
            continue
        if reached is None or len(tiers) == 1:
            quantities = [float(by_period[period])]
        else:
            here = periods == period
            quantities = _split(reached[here], kwh[here], [_limit(tier, used) for tier in tiers])
        for index, (tier, quantity) in enumerate(zip(tiers, quantities, strict=True)):
            price = tier.price if kind == "energy" else -(tier.sell or 0.0)
            if quantity > 0.0 and (kind == "energy" or tier.sell is not None):
                yield Item(kind, used.month.label, period, index, quantity, "kWh", price).signed()


def _split(reached: Floats, kwh: Floats, limits: list[float]) -> list[float]:
    """What of ``kwh``, each of which ends where the month has ``reached``, falls into each tier."""
    found = []
    below = 0.0
    for tier, limit in enumerate(limits):
        end = math.inf if tier == len(limits) - 1 else max(limit, below)
        inside = np.minimum(reached, end) - np.maximum(reached - kwh, below)
        found.append(float(np.clip(inside, 0.0, kwh).sum()))
        below = end
    return found


def _limit(tier: Tier, used: Use) -> float:
    """The end of a tier in kWh of this month, in proportion to what of it the load lasts."""
    if tier.limit is None:
        return math.inf
    days = used.month.days if tier.unit.endswith("daily") else 1
    kw = used.peak_kw if tier.unit.startswith("kWh/kW") else 1.0
    return tier.limit * days * kw * used.month.share
