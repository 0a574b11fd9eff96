"""Tariffs and bills as documents. Money is in US dollars, energy in kWh, demand in kW."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.tariffs.charges import ItemKind
from iowatt.tariffs.structure import EnergyUnit, Fixed, Ratchet, Schedule


class TariffIdentity(Result):
    """Which tariff it is, and how far it can be trusted."""

    key: str
    name: str
    utility: str
    source: str
    date: str | None  #: When its figures were taken from the source, ISO 8601.
    effective: tuple[str | None, str | None]  #: From and until, ISO 8601 dates.
    verified: bool
    applicable_kw: tuple[float | None, float | None]  #: Demand of the customers it is for.
    notes: list[str]  #: As the record has them.


class ListedTariff(TariffIdentity):
    """A tariff of a list, with the kinds of its charges."""

    charges: list[str]


class TariffList(ResultDocument):
    """What ``iowatt tariff list`` and ``check`` print."""

    schema_id: Literal["iowatt.tariffs/1"] = Field(default="iowatt.tariffs/1", alias="schema")
    tariffs: list[ListedTariff]


class TierPrice(Result):
    """A tier up to ``limit``: ``price`` is ``rate`` plus ``adjustment``, in dollars a kWh or kW."""

    rate: float
    adjustment: float
    limit: float | None  #: None for the last tier.
    sell: float | None  #: Credit for a kWh fed back.
    unit: EnergyUnit
    price: float


class TimedPrices(Result):
    """Prices by period; ``weekdays`` and ``weekends`` are the period of each hour of each month."""

    periods: list[list[TierPrice]]
    weekdays: Schedule
    weekends: Schedule
    daily: bool  #: Of demand: each day's peak is charged, not each month's.


class MonthlyPrices(Result):
    """Prices by period; ``months`` is the period of each month."""

    periods: list[list[TierPrice]]
    months: tuple[int, ...]
    daily: bool


class TariffDocument(ListedTariff, ResultDocument):
    """Everything a tariff charges for."""

    schema_id: Literal["iowatt.tariff/1"] = Field(default="iowatt.tariff/1", alias="schema")
    demand_window_s: float  #: Demand is the highest mean over so many seconds.
    energy: TimedPrices | None
    demand: TimedPrices | None
    flat_demand: MonthlyPrices | None
    coincident: TimedPrices | None
    ratchet: Ratchet
    fixed: list[Fixed]
    minimum: list[Fixed]
    fuel_usd_per_kwh: list[float]  #: For each month.


class BilledLoad(Result):
    """What is billed; ``site_kw`` is the power of the site it adds to."""

    said: str
    energy_kwh: float
    mean_kw: float | None
    peak_kw: float
    site_kw: float


class BilledMonth(Result):
    """A month (``2026-07``) or a year (``2026``) of a bill."""

    month: str
    share: float  #: Part of it that the load lasts.
    kwh: float
    peak_kw: float  #: The highest mean over a window.
    energy_usd: float  #: With fuel adjustments.
    demand_usd: float  #: With coincident demand.
    fixed_usd: float  #: With what lacks to a minimum.
    other_usd: float  #: Credits.
    usd: float


class BillLine(Result):
    """A line: ``usd = quantity x price x share``; see :class:`iowatt.tariffs.charges.BillItem`."""

    kind: ItemKind
    month: str
    period: int | None
    tier: int | None
    quantity: float
    unit: str
    price: float
    share: float
    usd: float


class BillDocument(ResultDocument):
    """What a load costs by a tariff."""

    schema_id: Literal["iowatt.bill/1"] = Field(default="iowatt.bill/1", alias="schema")
    tariff: TariffIdentity
    load: BilledLoad
    start: str  #: Local standard time, ISO 8601.
    end: str
    usd: float
    usd_per_kwh: float | None
    by_kind: dict[ItemKind, float]
    months: list[BilledMonth]
    items: list[BillLine]
    notes: list[Note]
