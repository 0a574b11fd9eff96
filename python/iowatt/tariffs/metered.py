"""What a meter reads of a load in a month: kWh and the highest mean kW, by the periods of a tariff.

Reading a load is the slow part of a bill, and what tiers, ratchets and prices make of the readings the fast
one. Readings of a load that draws more by a factor follow from its own, so they are taken once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from iowatt.tariffs.calendar import Month
from iowatt.tariffs.load import JOULES_PER_KWH, Floats, Load
from iowatt.tariffs.structure import Tariff, TimeOfUse

SECONDS_PER_HOUR = 3600.0


@dataclass(frozen=True)
class Reading:
    """One period of a month: hours, energy taken and fed back, and the highest mean over a window."""

    hours: float
    kwh: float
    fed_kwh: float
    peak_kw: float

    def scaled(self, factor: float, more_kw: float) -> Reading:
        """Of ``factor`` times the power, and ``more_kw`` beside it all the time; of a load that feeds nothing back."""
        if self.hours == 0.0:
            return self
        kwh = factor * self.kwh + more_kw * self.hours
        return Reading(self.hours, kwh, factor * self.fed_kwh, factor * self.peak_kw + more_kw)


@dataclass(frozen=True)
class Metered:
    """The readings of a month: of all of it, and by period of each part of the tariff that has periods."""

    month: Month
    whole: Reading
    energy: tuple[Reading, ...]
    demand: tuple[Reading, ...]
    coincident: tuple[Reading, ...]

    def scaled(self, factor: float, more_kw: float = 0.0) -> Metered:
        """As :meth:`Reading.scaled`, all of it."""

        def each(readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
            return tuple(one.scaled(factor, more_kw) for one in readings)

        return Metered(
            self.month, self.whole.scaled(factor, more_kw), each(self.energy), each(self.demand),
            each(self.coincident),
        )  # fmt: skip


def read(tariff: Tariff, load: Load, month: Month) -> Metered:
    """What the meter reads of ``load`` in ``month``, over the tariff's windows."""
    edges = month.edges(tariff.demand_window_s)
    joules = load.between(edges)
    seconds = np.diff(edges)
    hours, weekend = month.hours(edges[:-1] + seconds / 2)

    def by(charge: TimeOfUse | None) -> tuple[Reading, ...]:
        if charge is None:
            return ()
        days, ends = np.array(charge.weekdays[month.index]), np.array(charge.weekends[month.index])
        periods = np.where(weekend, ends[hours], days[hours])
        return tuple(
            _reading(seconds[here], joules[here])
            for here in (periods == period for period in range(len(charge.periods)))
        )

    return Metered(
        month, _reading(seconds, joules), by(tariff.energy), by(tariff.demand), by(tariff.coincident)
    )


def _reading(seconds: Floats, joules: Floats) -> Reading:
    taken, fed = np.maximum(joules, 0.0), np.maximum(-joules, 0.0)
    return Reading(
        hours=float(seconds.sum()) / SECONDS_PER_HOUR,
        kwh=math.fsum(taken) / JOULES_PER_KWH,
        fed_kwh=math.fsum(fed) / JOULES_PER_KWH if fed.any() else 0.0,
        peak_kw=float((joules / seconds).max(initial=0.0)) / 1000.0,
    )
