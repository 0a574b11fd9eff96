"""Months of a load: windows, hours and days, and the energy and demand that a meter reads.

All times are local standard time: no hour is skipped or repeated. Leap days are billed.
"""

from __future__ import annotations

from calendar import isleap
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iowatt.base.errors import InputError
from iowatt.tariffs.load import ElectricLoad, Floats
from iowatt.tariffs.structure import Schedule

Ints = NDArray[np.int64]

_HOUR_S: Final = 3600.0
_DAY_S: Final = 86_400.0
_SATURDAY: Final = 5
_LAST: Final = datetime(9999, 12, 1)
#: Rounding of a duration: a rest as short as this belongs to the month before.
_ROUNDING_S: Final = 1e-3


@dataclass(frozen=True)
class Month:
    """A calendar month and the load's part of it; seconds count from the load's start."""

    first: datetime
    begins_s: float  #: Midnight of its first day, before 0 where the load begins later.
    from_s: float  #: The part that the load covers.
    until_s: float
    days: int
    last: bool = False  #: Whether the load ends in it.

    @property
    def label(self) -> str:
        """``2026-07``."""
        return f"{self.first.year:04}-{self.first.month:02}"

    @property
    def index(self) -> int:
        """0 for January."""
        return self.first.month - 1

    @property
    def share(self) -> float:
        """Part of the month that the load lasts."""
        return min(1.0, (self.until_s - self.from_s) / (self.days * _DAY_S))

    @property
    def year_s(self) -> float:
        """Seconds of its calendar year."""
        return (366 if isleap(self.first.year) else 365) * _DAY_S

    def edges(self, window_s: float) -> Floats:
        """Instants from ``from_s`` to ``until_s`` with every border of a window between, shape (n + 1,)."""
        count = round(self.days * _DAY_S / window_s)
        borders = self.begins_s + np.arange(count + 1) * window_s
        inside = borders[(borders > self.from_s + _ROUNDING_S) & (borders < self.until_s - _ROUNDING_S)]
        return np.concatenate([[self.from_s], inside, [self.until_s]])

    def hours(self, at_s: Floats) -> tuple[Ints, NDArray[np.bool_], Ints]:
        """Hour of the day (0 to 23) at each instant, whether it is on a weekend, day of the month from 0."""
        since = at_s - self.begins_s
        hours = np.clip((since // _HOUR_S).astype(np.int64), 0, self.days * 24 - 1)
        days = hours // 24
        weekday = (self.first.weekday() + days) % 7
        return hours - 24 * days, weekday >= _SATURDAY, days


def months(start: datetime, duration_s: float) -> Iterator[Month]:
    """The months that a load of ``duration_s`` from ``start`` touches, in order.

    Raises ``InputError`` where it ends beyond the calendar, in December 9999.
    """
    if duration_s > (_LAST - start).total_seconds():
        years = duration_s / (365 * _DAY_S)
        raise InputError(
            "out-of-range", None, f"{years:,.3g} years from {start:%Y-%m-%d} end after the year 9999"
        )
    first = start.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    last = duration_s <= 0.0
    begins = (first - start).total_seconds()
    while not last:
        following = (first + timedelta(days=32)).replace(day=1)
        ends = (following - start).total_seconds()
        last = ends >= duration_s - _ROUNDING_S
        until = duration_s if last else ends
        yield Month(first, begins, max(begins, 0.0), until, (following - first).days, last)
        first, begins = following, ends


#: Part of a whole window that may be missing: rounding.
_ROUNDING = 1e-6


@dataclass(frozen=True)
class MeteredMonth:
    """Readings of a month's windows, shape (n,)."""

    month: Month
    joules: Floats  #: Negative where energy was fed back.
    #: Mean power for demand: of whole windows, unless the month has none; never negative.
    kw: Floats
    hours: Ints
    weekend: NDArray[np.bool_]
    days: Ints  #: Day of the month that each lies in, from 0.

    @classmethod
    def of(cls, load: ElectricLoad, month: Month, window_s: float) -> MeteredMonth:
        """The part of ``load`` in ``month``, by windows of ``window_s`` seconds of the clock.

        A window that the load covers in part counts for demand only where the month has no whole one.
        """
        edges = month.edges(window_s)
        joules = load.between(edges)
        seconds = np.diff(edges)
        hours, weekend, days = month.hours(edges[:-1] + seconds / 2)
        kw = np.maximum(joules / seconds / 1000.0, 0.0)
        whole = seconds >= window_s * (1 - _ROUNDING)
        if whole.any():
            kw = np.where(whole, kw, 0.0)
        return cls(month, joules, kw, hours, weekend, days)

    @property
    def peak_kw(self) -> float:
        """The highest mean power."""
        return float(self.kw.max(initial=0.0))

    @property
    def energy_j(self) -> float:
        """Energy drawn, minus energy fed back."""
        return float(self.joules.sum())

    def periods(self, weekdays: Schedule, weekends: Schedule) -> Ints:
        """The period that each window lies in."""
        row = self.month.index
        weekday = np.array(weekdays[row], dtype=np.int64)[self.hours]
        if weekdays[row] == weekends[row]:
            return weekday
        weekend = np.array(weekends[row], dtype=np.int64)[self.hours]
        periods: Ints = np.where(self.weekend, weekend, weekday)
        return periods
