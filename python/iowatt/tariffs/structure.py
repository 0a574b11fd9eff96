"""A tariff in numbers: periods, tiers, schedules. Money is in US dollars, energy in kWh, demand in kW.

The shape is that of OpenEI's Utility Rate Database (URDB), which ``urdb`` reads. Months count from 0
(January), hours from 0 (midnight to one, local standard time).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: Unit of the upper end of an energy tier: kWh, or kWh per kW of the month's peak, of the month or a mean
#: day.
EnergyUnit = Literal["kWh", "kWh/kW", "kWh daily", "kWh/kW daily"]

#: A row for each month, a column for each hour: the index of the period that applies.
Schedule = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class TariffTier:
    """A tier of a period's charge: up to ``limit`` (None: no end), at ``rate`` plus ``adjustment``."""

    rate: float
    adjustment: float = 0.0
    limit: float | None = None
    sell: float | None = None  #: Credit for a unit fed back; None where none is paid.
    unit: EnergyUnit = "kWh"

    @property
    def price(self) -> float:
        """Dollars per unit."""
        return self.rate + self.adjustment


#: Tiers in order of their limits.
Tiers = tuple[TariffTier, ...]


@dataclass(frozen=True)
class TimeOfUse:
    """Periods with their tiers, and their schedules."""

    periods: tuple[Tiers, ...]
    weekdays: Schedule
    weekends: Schedule
    daily: bool = False  #: Of demand: each day's peak is charged, not each month's.


@dataclass(frozen=True)
class FlatDemand:
    """Demand at any time of a month: the periods' tiers, and the period of each month."""

    periods: tuple[Tiers, ...]
    months: tuple[int, ...]
    daily: bool = False  #: Each day's peak is charged, not each month's.


@dataclass(frozen=True)
class Ratchet:
    """Billed demand is at least a share of an earlier month's peak.

    ``shares`` has one for each month (0: none), of the highest peak of the eleven months before. Also,
    ``lookback_share`` of the highest peak of the ``lookback_months`` months before, or of those of the eleven
    months before that ``lookback_flags`` name.
    """

    shares: tuple[float, ...] = (0.0,) * 12
    lookback_months: int = 0
    lookback_share: float = 0.0
    lookback_flags: tuple[bool, ...] | None = None


@dataclass(frozen=True)
class FixedCharge:
    """A fixed charge, in dollars per ``per``."""

    usd: float
    per: Literal["day", "month", "year"]


@dataclass(frozen=True)
class Tariff:
    """A tariff, as a customer is billed."""

    key: str
    """The library's name, or that of the file."""
    name: str
    utility: str
    source: str
    effective: tuple[str | None, str | None]  #: From and until, ISO 8601 dates; None where unknown.
    verified: bool
    energy: TimeOfUse | None
    demand: TimeOfUse | None
    flat_demand: FlatDemand | None
    coincident: TimeOfUse | None
    ratchet: Ratchet
    demand_window_s: float  #: Demand is the highest mean over so many seconds.
    fixed: tuple[FixedCharge, ...]
    minimum: tuple[FixedCharge, ...]  #: Least bill; the difference is an item.
    fuel: tuple[float, ...]  #: $/kWh on top, for each month.
    applicable_kw: tuple[float | None, float | None] = (None, None)  #: Demand of its customers, kW.
    applicable_kwh: tuple[float | None, float | None] = (None, None)  #: The same in kWh a month.
    #: When its figures were taken from the source, ISO 8601; None where that is not said.
    date: str | None = None
    country: str = ""  #: As the record names it, such as ``USA``; empty where it does not.
    notes: tuple[str, ...] = ()

    @property
    def charges(self) -> list[str]:
        """What it charges for, in words."""
        ratchet, energy = self.ratchet, self.energy
        periods = () if energy is None else energy.periods
        found = {
            "energy": energy is not None,
            "energy tiers": any(len(tiers) > 1 for tiers in periods),
            "energy by time": len(periods) > 1,
            "demand": self.flat_demand is not None,
            "demand by time": self.demand is not None,
            "coincident demand": self.coincident is not None,
            "ratchet": any(ratchet.shares) or ratchet.lookback_share > 0,
            "fixed": bool(self.fixed),
            "minimum": bool(self.minimum),
            "fuel": any(self.fuel),
            "sell": any(tier.sell is not None for tiers in periods for tier in tiers),
        }
        return [name for name, has in found.items() if has]
