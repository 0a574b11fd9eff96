"""What a load costs by a tariff, item by item.

Energy is counted by month and period and put into tiers; demand is the highest mean over a window of the
clock (15 minutes where the tariff says nothing). Of a month that the load does not last, tiers, demand and
fixed charges count by the part that it does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from iowatt.base.results import Note
from iowatt.tariffs.calendar import Month, months
from iowatt.tariffs.demand_charge import demand
from iowatt.tariffs.energy_charge import energy
from iowatt.tariffs.fit import notes
from iowatt.tariffs.item import Item, Kind
from iowatt.tariffs.load import Load
from iowatt.tariffs.ratchet import Peaks
from iowatt.tariffs.structure import Fixed, Tariff
from iowatt.tariffs.use import Use

__all__ = ["Bill", "Item", "Kind", "MonthUse", "bill"]

MONTHS_A_YEAR: Final = 12
_DECEMBER: Final = 12


@dataclass(frozen=True)
class MonthUse:
    """What the meter reads in a month."""

    month: str  #: "2026-07".
    share: float  #: Part of the month that the load lasts.
    energy_j: float  #: Taken, less what was fed back.
    peak_kw: float  #: The highest mean over a window.


@dataclass(frozen=True)
class Bill:
    """The items of a load, and the joules that they are for."""

    tariff: Tariff
    start: datetime
    items: tuple[Item, ...]
    energy_j: float  #: Of the whole load.
    peak_kw: float  #: The highest mean over a window, kW.
    duration_s: float = 0.0
    months: tuple[MonthUse, ...] = ()  #: What the meter reads, month by month.
    notes: tuple[Note, ...] = ()  #: What is to be known of the tariff, and of how it fits the load.

    @property
    def usd(self) -> float:
        """Dollars in all."""
        return math.fsum(item.usd for item in self.items)

    def of(self, *kinds: Kind) -> float:
        """Dollars of some kinds of items."""
        return math.fsum(item.usd for item in self.items if item.kind in kinds)


#: What was read and charged in months that a load lasts to the end of, by their names.
Known = dict[str, tuple[MonthUse, list[Item]]]


def bill(tariff: Tariff, load: Load, start: datetime, known: Known | None = None) -> Bill:
    """What ``load`` costs from ``start`` (local standard time) until its end.

    ``known`` is of bills of the same load, repeated more or less often, by the same tariff from the same
    start: months that are there are not read again, and those read here are added.

    Raises ``InputError`` where the end is beyond the year 9999.
    """
    known = {} if known is None else known
    peaks = Peaks(tariff.ratchet)
    items: list[Item] = []
    used: list[MonthUse] = []
    year: list[Item] = []
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
        notes(tariff, start, used),
    )  # fmt: skip


def _month(tariff: Tariff, load: Load, month: Month, peaks: Peaks) -> tuple[MonthUse, list[Item]]:
    """What is read and charged in a month, but for what a year lacks to its minimum."""
    use = Use.of(load, month, tariff.demand_window_s)
    lines = [*energy(tariff, use), *demand(tariff, use, peaks), *_fixed(tariff.fixed, month)]
    lines += _monthly_minimum(tariff.minimum, month, lines)
    return MonthUse(month.label, month.share, use.energy_j, use.peak_kw), lines


def _fixed(charges: Sequence[Fixed], month: Month) -> Iterator[Item]:
    for charge in charges:
        if charge.per == "day":
            yield Item("fixed", month.label, None, None, month.days * month.share, "day", charge.usd)
        else:
            usd = charge.usd if charge.per == "month" else charge.usd / MONTHS_A_YEAR
            yield Item("fixed", month.label, None, None, 1.0, "month", usd, month.share)


def _monthly_minimum(charges: Sequence[Fixed], month: Month, lines: Sequence[Item]) -> Iterator[Item]:
    """What lacks to the least that a month is billed."""
    of_months = [charge for charge in charges if charge.per != "year"]
    least = math.fsum(item.usd for item in _fixed(of_months, month))
    lacks = least - math.fsum(line.usd for line in lines)
    if least > 0.0 and lacks > 0.0:
        yield Item("minimum", month.label, None, None, 1.0, "month", lacks)


def _yearly_minimum(
    charges: Sequence[Fixed], month: Month, share: float, year: Sequence[Item]
) -> Iterator[Item]:
    """What lacks at the end of a calendar year, or of the load, to the least that a year is billed."""
    least = share * math.fsum(charge.usd for charge in charges if charge.per == "year")
    lacks = least - math.fsum(line.usd for line in year)
    if least > 0.0 and lacks > 0.0:
        yield Item("minimum", month.label, None, None, 1.0, "year", lacks)
