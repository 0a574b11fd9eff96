"""A duty cycle: the load of each hour of a year, from the shape of a week, factors of months, and holidays.

Hours are local standard time, as in tariffs: none is skipped or repeated. A year has 365 days from its start;
with a 29 February it ends a calendar day earlier.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from iowatt.base.results import Note
from iowatt.lenses.cost.result.year import DutyCycle

Floats = NDArray[np.float64]
Measure = Literal["share", "iops", "mib_per_s"]

HOURS_A_DAY: Final = 24
DAYS_A_WEEK: Final = 7
DAYS_A_YEAR: Final = 365
HOURS_A_YEAR: Final = DAYS_A_YEAR * HOURS_A_DAY
DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True)
class Holiday:
    """A holiday of every year, or of one."""

    month: int
    day: int
    year: int | None = None

    def __str__(self) -> str:
        text = f"{self.month:02}-{self.day:02}"
        return text if self.year is None else f"{self.year:04}-{text}"


@dataclass(frozen=True)
class Cycle:
    """The load of each hour of the week in ``measure``, with factors of months and holidays.

    ``week`` has shape (7, 24), Monday first; ``months`` (12,), factors of a month's hours; ``holiday`` (24,),
    the hours of ``holidays``. The load rises by the share ``growth`` each year. The measure ``share`` is of
    the highest load that has a Run.
    """

    name: str
    title: str
    #: Its file, profile, log or Run, for messages.
    where: str
    measure: Measure
    week: Floats
    #: A publication, file or reason; its quality, as in the book; its date where known.
    source: str
    quality: str
    date: str | None = None
    months: Floats = field(default_factory=lambda: np.ones(12))
    holidays: tuple[Holiday, ...] = ()
    holiday: Floats = field(default_factory=lambda: np.zeros(HOURS_A_DAY))
    growth: float = 0.0
    notes: tuple[Note, ...] = ()

    @property
    def highest(self) -> float:
        """The load of the highest hour of the first year, in ``measure``."""
        days = [self.week.max()] + ([self.holiday.max()] if self.holidays else [])
        return float(max(days) * self.months.max())

    def as_share(self, share: float) -> Cycle:
        """The same shape with its highest hour at ``share`` of the highest load that has a Run."""
        factor = share / self.highest
        note = Note(
            code="shape-alone",
            text=f"only the shape of {self.name} counts: its highest hour is set to {share:g} of the highest "
            "load that has a Run",
        )
        return replace(
            self, measure="share", week=self.week * factor, holiday=self.holiday * factor,
            notes=(*self.notes, note),
        )  # fmt: skip

    def days(self, start: datetime, years: int = 1) -> list[dt.date]:
        """The calendar days of ``years`` from ``start``, and one more for hours after midnight."""
        first = start.date()
        return [first + timedelta(days=index) for index in range(years * DAYS_A_YEAR + 1)]

    def hours(self, start: datetime, years: int = 1) -> Floats:
        """The load of each hour from the one that ``start`` lies in, (8760 x years,), in ``measure``."""
        days = self.days(start, years)
        off = frozenset(self.holidays)
        by_day = np.stack([self._day(day, off) for day in days]).ravel()
        hours = by_day[start.hour : start.hour + years * HOURS_A_YEAR]
        loads: Floats = hours * (1.0 + self.growth) ** (np.arange(len(hours)) // HOURS_A_YEAR)
        return loads

    def _day(self, day: dt.date, off: frozenset[Holiday]) -> Floats:
        holiday = Holiday(day.month, day.day) in off or Holiday(day.month, day.day, day.year) in off
        shape: Floats = self.holiday if holiday else self.week[day.weekday()]
        loads: Floats = shape * self.months[day.month - 1]
        return loads

    def result(self) -> DutyCycle:
        """``year.cycle`` of ``iowatt.cost/1``."""
        return DutyCycle(
            name=self.name, title=self.title, where=self.where, measure=self.measure,
            week=self.week.tolist(), mean_day=self.week.mean(axis=0).tolist(), months=self.months.tolist(),
            holidays=[str(day) for day in self.holidays],
            holiday=self.holiday.tolist() if self.holidays else None, growth_per_year=self.growth,
            source=self.source, date=self.date, quality=self.quality, notes=list(self.notes),
        )  # fmt: skip


def weekday_and_weekend(weekday: Floats, weekend: Floats) -> Floats:
    """A week, (7, 24), of five weekdays and two days of a weekend, (24,) each."""
    return np.stack([weekday] * 5 + [weekend] * 2)


def hour_name(start: datetime, index: int) -> str:
    """``Monday 2026-01-05 14:00``: the hour number ``index`` from that of ``start``."""
    at = start.replace(minute=0, second=0, microsecond=0) + timedelta(hours=index)
    return f"{DAYS[at.weekday()]} {at:%Y-%m-%d %H:00}"
