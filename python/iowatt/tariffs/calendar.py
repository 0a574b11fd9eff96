"""Months of a load that begins at some hour: their seconds, and the hours and days within them.

Local standard time throughout: a tariff's hours are those of the clock on the wall, and no hour is skipped or
repeated. Leap days are there, because they are billed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iowatt.tariffs.load import Floats

Ints = NDArray[np.int64]

_HOUR_S: Final = 3600.0
_DAY_S: Final = 86_400.0
_SATURDAY: Final = 5


@dataclass(frozen=True)
class Month:
    """A calendar month, as far as the load lasts in it; seconds count from the load's start."""

    first: datetime
    #: Midnight of its first day, before 0 where the load begins later.
    begins_s: float
    #: What of it the load lasts.
    from_s: float
    until_s: float
    days: int

    @property
    def label(self) -> str:
        """Such as ``2026-07``."""
        return f"{self.first:%Y-%m}"

    @property
    def index(self) -> int:
        """0 for January."""
        return self.first.month - 1

    @property
    def share(self) -> float:
        """Part of the month that the load lasts."""
        return (self.until_s - self.from_s) / (self.days * _DAY_S)

    def edges(self, window_s: float) -> Floats:
        """Instants from ``from_s`` to ``until_s`` with every border of a window between, shape (n + 1,)."""
        count = round(self.days * _DAY_S / window_s)
        borders = self.begins_s + np.arange(count + 1) * window_s
        inside = borders[(borders > self.from_s) & (borders < self.until_s)]
        return np.concatenate([[self.from_s], inside, [self.until_s]])

    def hours(self, at_s: Floats) -> tuple[Ints, NDArray[np.bool_]]:
        """Hour of the day (0 to 23) at each instant, and whether it is on a weekend."""
        since = at_s - self.begins_s
        hours = (since // _HOUR_S).astype(np.int64)
        weekday = (self.first.weekday() + hours // 24) % 7
        return hours % 24, weekday >= _SATURDAY


def months(start: datetime, duration_s: float) -> Iterator[Month]:
    """The months that a load of ``duration_s`` from ``start`` touches, in order."""
    first = start.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    while True:
        following = (first + timedelta(days=32)).replace(day=1)
        begins = (first - start).total_seconds()
        ends = (following - start).total_seconds()
        if begins >= duration_s:
            return
        yield Month(first, begins, max(begins, 0.0), min(ends, duration_s), (following - first).days)
        first = following
