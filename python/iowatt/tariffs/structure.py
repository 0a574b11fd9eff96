"""A tariff in numbers: periods, tiers, schedules. Money is in US dollars, energy in kWh, demand in kW.

The shape is that of OpenEI's Utility Rate Database (URDB), which utilities' rates are exchanged in; ``urdb``
reads it. Months count from 0 (January), hours from 0 (midnight to one, local standard time).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: What the upper end of an energy tier counts: kWh of the month, kWh for each kW of the month's peak, and
#: the same of a mean day of the month.
EnergyUnit = Literal["kWh", "kWh/kW", "kWh daily", "kWh/kW daily"]

#: A row for each month, a column for each hour: the index of the period that applies.
Schedule = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class TariffTier:
    """Part of a period's charge: up to ``limit`` (None: without end), at ``rate`` plus ``adjustment``."""

    rate: float
    adjustment: float = 0.0
    limit: float | None = None
    sell: float | None = None  #: Credit for a unit fed back; None where none is paid.
    unit: EnergyUnit = "kWh"

    @property
    def price(self) -> float:
        """Dollars a unit."""
        return self.rate + self.adjustment


#: Tiers in order of their limits.
Tiers = tuple[TariffTier, ...]


@dataclass(frozen=True)
class TimeOfUse:
    """Periods with their tiers, and when each applies."""

    periods: tuple[Tiers, ...]
    weekdays: Schedule
    weekends: Schedule
    daily: bool = False  #: Of demand: each day's peak is charged, not each month's.


@dataclass(frozen=True)
class FlatDemand:
    """Demand at any time of a month: the period that each month is charged by, and the periods' tiers."""

    periods: tuple[Tiers, ...]
    months: tuple[int, ...]
    daily: bool = False  #: Each day's peak is charged, not each month's.


@dataclass(frozen=True)
class Ratchet:
    """Billed demand is at least a share of an earlier month's peak.

    ``shares`` has one for each month (0: none), of the highest peak of the eleven months before. Besides,
    ``lookback_share`` of the highest peak of the ``lookback_months`` months before; or, where
    ``lookback_flags`` names months of the year, of the highest of these among the eleven months before.
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
    minimum: tuple[FixedCharge, ...]  #: A bill is at least this; the difference is a separate item.
    fuel: tuple[float, ...]  #: $/kWh on top, for each month.
    applicable_kw: tuple[float | None, float | None] = (None, None)  #: Whom it is for, kW.
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
