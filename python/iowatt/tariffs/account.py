"""Makes the documents of tariffs and bills."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any, Final

from iowatt.tariffs.bill import Bill
from iowatt.tariffs.charges import BillItem, ItemKind
from iowatt.tariffs.load import JOULES_PER_KWH
from iowatt.tariffs.result import (
    BillDocument,
    BilledLoad,
    BilledMonth,
    BillLine,
    ListedTariff,
    MonthlyPrices,
    TariffDocument,
    TariffIdentity,
    TariffList,
    TierPrice,
    TimedPrices,
)
from iowatt.tariffs.structure import FlatDemand, Tariff, Tiers, TimeOfUse

#: Columns of a month's table, and the kinds of items in each.
COLUMNS: Final[dict[str, tuple[ItemKind, ...]]] = {
    "energy_usd": ("energy", "fuel"),
    "demand_usd": ("demand", "coincident"),
    "fixed_usd": ("fixed", "minimum"),
    "other_usd": ("sell",),
}


def identity(tariff: Tariff) -> TariffIdentity:
    """Which tariff it is, and how far it can be trusted."""
    return TariffIdentity(**_identity(tariff))


def _identity(tariff: Tariff) -> dict[str, Any]:
    return {
        "key": tariff.key,
        "name": tariff.name,
        "utility": tariff.utility,
        "source": tariff.source,
        "date": tariff.date,
        "effective": tariff.effective,
        "verified": tariff.verified,
        "applicable_kw": tariff.applicable_kw,
        "notes": list(tariff.notes),
    }


def charges(tariff: Tariff) -> list[str]:
    """What it charges for, in words."""
    ratchet = tariff.ratchet
    found = {
        "energy": tariff.energy is not None,
        "energy tiers": tariff.energy is not None and any(len(tiers) > 1 for tiers in tariff.energy.periods),
        "energy by time": tariff.energy is not None and len(tariff.energy.periods) > 1,
        "demand": tariff.flat_demand is not None,
        "demand by time": tariff.demand is not None,
        "coincident demand": tariff.coincident is not None,
        "ratchet": any(ratchet.shares) or ratchet.lookback_share > 0,
        "fixed": bool(tariff.fixed),
        "minimum": bool(tariff.minimum),
        "fuel": any(tariff.fuel),
        "sell": tariff.energy is not None
        and any(tier.sell is not None for tiers in tariff.energy.periods for tier in tiers),
    }
    return [name for name, has in found.items() if has]


def listing(tariffs: Iterable[Tariff]) -> TariffList:
    """The document of ``iowatt tariff list``."""
    return TariffList(
        tariffs=[ListedTariff(**_identity(tariff), charges=charges(tariff)) for tariff in tariffs]
    )


def document(tariff: Tariff) -> TariffDocument:
    """The document of ``iowatt tariff show``: everything that is billed."""
    return TariffDocument(
        **_identity(tariff),
        charges=charges(tariff),
        demand_window_s=tariff.demand_window_s,
        energy=_by_time(tariff.energy),
        demand=_by_time(tariff.demand),
        flat_demand=_by_month(tariff.flat_demand),
        coincident=_by_time(tariff.coincident),
        ratchet=tariff.ratchet,
        fixed=list(tariff.fixed),
        minimum=list(tariff.minimum),
        fuel_usd_per_kwh=list(tariff.fuel),
    )


def months(made: Bill, items: Sequence[BillItem] | None = None) -> list[BilledMonth]:
    """A row for each month, dollars by ``COLUMNS``."""
    by_month: dict[str, list[BillItem]] = {}
    for item in made.items if items is None else items:
        by_month.setdefault(item.month, []).append(item)
    rows = []
    for month in made.months:
        here = by_month.get(month.month, [])
        sums = {
            column: math.fsum(item.usd for item in here if item.kind in kinds)
            for column, kinds in COLUMNS.items()
        }
        rows.append(
            BilledMonth(
                month=month.month,
                share=month.share,
                kwh=month.energy_j / JOULES_PER_KWH,
                peak_kw=month.peak_kw,
                **sums,
                usd=math.fsum(sums.values()),
            )
        )
    return rows


def account(
    made: Bill, items: Sequence[BillItem] | None = None, *, said: str, site_kw: float = 0.0
) -> BillDocument:
    """The document of ``iowatt tariff bill``.

    Parameters
    ----------
    made:
        The bill of the load by itself: its kWh and kW are shown.
    items:
        What is charged, where that is not the bill's own: the part of a load beside a site of ``site_kw``.
    said:
        What the load is.
    """
    lines = made.items if items is None else items
    seconds = made.duration_s
    kwh = made.energy_j / JOULES_PER_KWH
    usd = math.fsum(item.usd for item in lines)
    kinds = dict.fromkeys(item.kind for item in lines)
    return BillDocument(
        tariff=identity(made.tariff),
        load=BilledLoad(
            said=said,
            energy_kwh=kwh,
            mean_kw=made.energy_j / seconds / 1000.0 if seconds else None,
            peak_kw=made.peak_kw,
            site_kw=site_kw,
        ),
        start=made.start.isoformat(timespec="minutes"),
        end=(made.start + timedelta(seconds=seconds)).isoformat(timespec="minutes"),
        usd=usd,
        usd_per_kwh=usd / kwh if kwh > 0 else None,
        by_kind={kind: math.fsum(item.usd for item in lines if item.kind == kind) for kind in kinds},
        months=months(made, items),
        items=[BillLine(**asdict(item), usd=item.usd) for item in lines],
        notes=list(made.notes),
    )


def _by_time(charge: TimeOfUse | None) -> TimedPrices | None:
    if charge is None:
        return None
    return TimedPrices(
        periods=[_tiers(tiers) for tiers in charge.periods],
        weekdays=charge.weekdays,
        weekends=charge.weekends,
        daily=charge.daily,
    )


def _by_month(charge: FlatDemand | None) -> MonthlyPrices | None:
    if charge is None:
        return None
    return MonthlyPrices(
        periods=[_tiers(tiers) for tiers in charge.periods], months=charge.months, daily=charge.daily
    )


def _tiers(tiers: Tiers) -> list[TierPrice]:
    return [TierPrice(**asdict(tier), price=tier.price) for tier in tiers]
