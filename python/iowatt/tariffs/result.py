"""Documents of tariffs and bills. Money is in US dollars, energy in kWh, demand in kW.

A tariff's document is validated from the tariff, whose fields have the same names.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Final, Literal

from pydantic import ConfigDict, Field

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.tariffs.bill import Bill
from iowatt.tariffs.charges import BillItem, ItemKind
from iowatt.tariffs.load import JOULES_PER_KWH
from iowatt.tariffs.structure import EnergyUnit, FixedCharge, Ratchet, Schedule, Tariff


class _OfTariff(Result):
    model_config = ConfigDict(from_attributes=True)


class TariffIdentity(_OfTariff):
    """The tariff and its source."""

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


class TierPrice(_OfTariff):
    """A tier up to ``limit``: ``price`` is ``rate`` plus ``adjustment``, in dollars a kWh or kW."""

    rate: float
    adjustment: float
    limit: float | None  #: None for the last tier.
    sell: float | None  #: Credit for a kWh fed back.
    unit: EnergyUnit
    price: float


class TimedPrices(_OfTariff):
    """Prices by period; ``weekdays`` and ``weekends`` are the period of each hour of each month."""

    periods: list[list[TierPrice]]
    weekdays: Schedule
    weekends: Schedule
    daily: bool  #: Of demand: each day's peak is charged, not each month's.


class MonthlyPrices(_OfTariff):
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
    fixed: list[FixedCharge]
    minimum: list[FixedCharge]
    fuel_usd_per_kwh: list[float] = Field(validation_alias="fuel")  #: For each month.


class BilledLoad(Result):
    """The billed load; ``site_kw`` is the other power on its meter."""

    said: str
    energy_kwh: float
    mean_kw: float | None
    peak_kw: float
    site_kw: float


class BilledMonth(Result):
    """A month (``2026-07``) or a year (``2026``) of a bill."""

    month: str
    share: float  #: The load's part of it.
    kwh: float
    peak_kw: float  #: The highest mean over a window.
    energy_usd: float  #: With fuel adjustments.
    demand_usd: float  #: With coincident demand.
    fixed_usd: float  #: With the difference to a minimum.
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


COLUMNS: Final[dict[str, tuple[ItemKind, ...]]] = {
    "energy_usd": ("energy", "fuel"),
    "demand_usd": ("demand", "coincident"),
    "fixed_usd": ("fixed", "minimum"),
    "other_usd": ("sell",),
}
"""Kinds of items in each column of a month's row."""


def tariff_list(tariffs: Iterable[Tariff]) -> TariffList:
    """The document of ``iowatt tariff list``."""
    return TariffList(tariffs=[ListedTariff.model_validate(tariff) for tariff in tariffs])


def tariff_document(tariff: Tariff) -> TariffDocument:
    """The document of ``iowatt tariff show``: everything that is billed."""
    return TariffDocument.model_validate(tariff)


def billed_months(bill: Bill, items: Sequence[BillItem] | None = None) -> list[BilledMonth]:
    """A row for each month, dollars by ``COLUMNS``."""
    by_month: dict[str, list[BillItem]] = {}
    for item in bill.items if items is None else items:
        by_month.setdefault(item.month, []).append(item)
    rows = []
    for month in bill.months:
        billed = by_month.get(month.month, [])
        sums = {
            column: math.fsum(item.usd for item in billed if item.kind in kinds)
            for column, kinds in COLUMNS.items()
        }
        kwh, usd = month.energy_j / JOULES_PER_KWH, math.fsum(sums.values())
        rows.append(
            BilledMonth(month=month.month, share=month.share, kwh=kwh, peak_kw=month.peak_kw, **sums, usd=usd)
        )
    return rows


def bill_document(
    bill: Bill, items: Sequence[BillItem] | None = None, *, said: str, site_kw: float = 0.0
) -> BillDocument:
    """The document of ``iowatt tariff bill``.

    ``bill`` is of the load alone and gives kWh and kW; ``items`` replace its charges where the load adds to a
    site of ``site_kw``. ``said`` describes the load.
    """
    lines = bill.items if items is None else items
    seconds, kwh = bill.duration_s, bill.energy_j / JOULES_PER_KWH
    usd = math.fsum(item.usd for item in lines)
    kinds = dict.fromkeys(item.kind for item in lines)
    return BillDocument(
        tariff=TariffIdentity.model_validate(bill.tariff),
        load=BilledLoad(
            said=said,
            energy_kwh=kwh,
            mean_kw=bill.energy_j / seconds / 1000.0 if seconds else None,
            peak_kw=bill.peak_kw,
            site_kw=site_kw,
        ),
        start=bill.start.isoformat(timespec="minutes"),
        end=(bill.start + timedelta(seconds=seconds)).isoformat(timespec="minutes"),
        usd=usd,
        usd_per_kwh=usd / kwh if kwh > 0 else None,
        by_kind={kind: math.fsum(item.usd for item in lines if item.kind == kind) for kind in kinds},
        months=billed_months(bill, items),
        items=[BillLine(**asdict(item), usd=item.usd) for item in lines],
        notes=list(bill.notes),
    )
