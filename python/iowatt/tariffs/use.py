"""What a month's meter reads: joules and mean power of each window, and the hours that they lie in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from iowatt.tariffs.calendar import Ints, Month
from iowatt.tariffs.load import Floats, Load
from iowatt.tariffs.structure import Schedule

#: A window counts as whole where no more than this part of it is missing.
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Use:
    """A month's windows, arrays of shape (n,)."""

    month: Month
    joules: Floats  #: Negative where energy was fed back.
    #: Mean power that demand is charged for: of whole windows, unless the month has none; never negative.
    kw: Floats
    hours: Ints
    weekend: NDArray[np.bool_]
    days: Ints  #: Day of the month that each lies in, from 0.

    @classmethod
    def of(cls, load: Load, month: Month, window_s: float) -> Use:
        """What of ``load`` lies in ``month``, by windows of the clock of ``window_s`` seconds.

        Where the load begins or ends within a window, the meter would take the mean of more than the load.
        Such windows count for energy, and for demand only where the month has no other.
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
        """What was taken, less what was fed back."""
        return float(self.joules.sum())

    def periods(self, weekdays: Schedule, weekends: Schedule) -> Ints:
        """The period that each window lies in."""
        row = self.month.index
        weekday = np.array(weekdays[row], dtype=np.int64)[self.hours]
        if weekdays[row] == weekends[row]:
            return weekday
        found: Ints = np.where(self.weekend, np.array(weekends[row], dtype=np.int64)[self.hours], weekday)
        return found
