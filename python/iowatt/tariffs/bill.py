"""The bill of a load by a tariff, and what a load adds to the bill of its site.

Energy is billed by month, period and tier; demand is the highest mean over a window of the clock (15 minutes
by default). In a month that the load covers in part, tiers, demand and fixed charges count in proportion.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from iowatt.base.digits import apart
from iowatt.base.results import Note
from iowatt.tariffs.charges import BillItem, ItemKind, Peaks, demand_items, energy_items
from iowatt.tariffs.load import JOULES_PER_KWH, ElectricLoad
from iowatt.tariffs.months import MeteredMonth, Month, months
from iowatt.tariffs.structure import FixedCharge, Tariff

OF_TARIFF: Final = "of-tariff"
"""Code of notes of the tariff's record."""


def tariff_notes(tariff: Tariff, start: datetime, months: Sequence[MonthUse]) -> tuple[Note, ...]:
    """The tariff's own notes (code ``of-tariff``), then where it does not fit the load."""
    recorded = (Note(code=OF_TARIFF, text=text) for text in tariff.notes)
    return (*recorded, *_misfits(tariff, start, months))


def _misfits(tariff: Tariff, start: datetime, months: Sequence[MonthUse]) -> Iterator[Note]:
    peak = max((month.peak_kw for month in months), default=0.0)
    yield from _outside("peak", "a peak", peak, "kW", tariff.applicable_kw)
    if any(tariff.applicable_kwh):
        full = [month.energy_j / JOULES_PER_KWH / month.share for month in months if month.share > 0]
        yield from _outside("use", "use", max(full, default=0.0), "kWh a month", tariff.applicable_kwh)
    began, ended = tariff.effective
    first = f"{start:%Y-%m-%d}"
    if ended is not None and first > ended:
        yield _misfit("rates-ended", f"its rates ended on {ended}; the bill begins on {first}")
    elif began is not None and first < began:
        yield _misfit("rates-begin-later", f"its rates are from {began} on; the bill begins on {first}")


def _outside(
    code: str, what: str, value: float, unit: str, limits: tuple[float | None, float | None]
) -> Iterator[Note]:
    low, high = limits
    if low is not None and value < low:
        text = f"it is for {what} of at least {low:g} {unit}; this load has {apart(value, low, 4)}"
        yield _misfit(f"{code}-too-low", text)
    if high is not None and value > high:
        text = f"it is for {what} of at most {high:g} {unit}; this load has {apart(value, high, 4)}"
        yield _misfit(f"{code}-too-high", text)


def _misfit(code: str, text: str) -> Note:
    return Note(code=code, text=text, decides=True)


MONTHS_A_YEAR: Final = 12
_DECEMBER: Final = 12


@dataclass(frozen=True)
class MonthUse:
    """The meter's reading of a month."""

    month: str  #: "2026-07".
    share: float  #: Part of the month that the load lasts.
    energy_j: float  #: Drawn, minus fed back.
    peak_kw: float  #: The highest mean over a window.


@dataclass(frozen=True)
class Bill:
    """The items of a load, with its energy and peak."""

    tariff: Tariff
    start: datetime
    items: tuple[BillItem, ...]
    energy_j: float  #: Of the whole load.
    peak_kw: float  #: The highest mean over a window, kW.
    duration_s: float = 0.0
    months: tuple[MonthUse, ...] = ()  #: What the meter reads, month by month.
    notes: tuple[Note, ...] = ()  #: About the tariff, and how it fits the load.

    @property
    def usd(self) -> float:
        """All dollars."""
        return math.fsum(item.usd for item in self.items)

    def of(self, *kinds: ItemKind) -> float:
        """Dollars of items of these kinds."""
        return math.fsum(item.usd for item in self.items if item.kind in kinds)


#: Readings and items of whole months, by month.
KnownMonths = dict[str, tuple[MonthUse, list[BillItem]]]


def bill(tariff: Tariff, load: ElectricLoad, start: datetime, known: KnownMonths | None = None) -> Bill:
    """The bill of ``load`` from ``start`` (local standard time) until its end.

    ``known`` keeps the months of bills of the same load, tariff and start, for any number of repetitions.
    Raises ``InputError`` where the end is beyond the year 9999.
    """
    known = {} if known is None else known
    peaks = Peaks(tariff.ratchet)
    items: list[BillItem] = []
    used: list[MonthUse] = []
    year: list[BillItem] = []
    covered = 0.0
    for month in months(start, load.duration_s):
        if month.label in known and not month.last:
            read, lines = known[month.label]
            peaks.add(month.index, read.peak_kw)
        else:
            read, lines = _month(tariff, load, month, peaks)
            if not month.last:
                known[month.label] = read, lines
        used.append(read)
        lines = list(lines)
        year += lines
        covered += month.until_s - month.from_s
        if month.first.month == _DECEMBER or month.last:
            lines += _yearly_minimum(tariff.minimum, month, covered / month.year_s, year)
            year, covered = [], 0.0
        items += lines
    highest = max((month.peak_kw for month in used), default=0.0)
    return Bill(
        tariff, start, tuple(items), load.total_j, highest, load.duration_s, tuple(used),
        tariff_notes(tariff, start, used),
    )  # fmt: skip


def _month(tariff: Tariff, load: ElectricLoad, month: Month, peaks: Peaks) -> tuple[MonthUse, list[BillItem]]:
    """The reading and the items of a month, without the yearly minimum."""
    use = MeteredMonth.of(load, month, tariff.demand_window_s)
    lines = [*energy_items(tariff, use), *demand_items(tariff, use, peaks), *_fixed(tariff.fixed, month)]
    lines += _monthly_minimum(tariff.minimum, month, lines)
    return MonthUse(month.label, month.share, use.energy_j, use.peak_kw), lines


def _fixed(charges: Sequence[FixedCharge], month: Month) -> Iterator[BillItem]:
    for charge in charges:
        if charge.per == "day":
            yield BillItem("fixed", month.label, None, None, month.days * month.share, "day", charge.usd)
        else:
            usd = charge.usd if charge.per == "month" else charge.usd / MONTHS_A_YEAR
            yield BillItem("fixed", month.label, None, None, 1.0, "month", usd, month.share)


def _monthly_minimum(
    charges: Sequence[FixedCharge], month: Month, lines: Sequence[BillItem]
) -> Iterator[BillItem]:
    """What the month lacks to its minimum."""
    of_months = [charge for charge in charges if charge.per != "year"]
    least = math.fsum(item.usd for item in _fixed(of_months, month))
    lacks = least - math.fsum(line.usd for line in lines)
    if least > 0.0 and lacks > 0.0:
        yield BillItem("minimum", month.label, None, None, 1.0, "month", lacks)


def _yearly_minimum(
    charges: Sequence[FixedCharge], month: Month, share: float, year: Sequence[BillItem]
) -> Iterator[BillItem]:
    """What the year, or the load's part of it, lacks to its minimum."""
    least = share * math.fsum(charge.usd for charge in charges if charge.per == "year")
    lacks = least - math.fsum(line.usd for line in year)
    if least > 0.0 and lacks > 0.0:
        yield BillItem("minimum", month.label, None, None, 1.0, "year", lacks)


#: What identifies a line in two bills; the price of a minimum differs and is left out.
_LineKey = tuple[ItemKind, str, int | None, int | None, str, float | None]


def incremental_items(
    tariff: Tariff, load: ElectricLoad, site_watts: float, start: datetime
) -> tuple[BillItem, ...]:
    """The items of ``load`` on a meter with ``site_watts``, minus the items of the site alone.

    Quantities are differences; of a minimum, prices are. An item that gets smaller is of kind ``sell``.
    """
    both = _by_line(bill(tariff, load.plus(site_watts), start))
    alone = _by_line(bill(tariff, load.scaled(0.0).plus(site_watts), start))
    return tuple(_added(both, alone))


def _added(both: dict[_LineKey, BillItem], alone: dict[_LineKey, BillItem]) -> Iterator[BillItem]:
    for line, item in (alone | both).items():
        nothing = replace(item, quantity=0.0, price=0.0)
        more, less = both.get(line, nothing), alone.get(line, nothing)
        if line[0] == "minimum":
            added = replace(item, price=more.price - less.price)
        else:
            added = replace(item, quantity=more.quantity - less.quantity)
        if added.usd:
            yield added.signed()


def _by_line(billed: Bill) -> dict[_LineKey, BillItem]:
    lines: dict[_LineKey, BillItem] = {}
    for item in billed.items:
        minimum = item.kind == "minimum"
        price = None if minimum else item.price
        line = (item.kind, item.month, item.period, item.tier, item.unit, price)
        known = lines.get(line)
        if known is None:
            lines[line] = item
        elif minimum:
            lines[line] = replace(known, price=known.price + item.price)
        else:
            lines[line] = replace(known, quantity=known.quantity + item.quantity)
    return lines
