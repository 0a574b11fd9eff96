"""Rates over stretches of time as a week's shape: what logs of counters and long Runs are turned into.

A stretch counts to the hours that it lies in, by its seconds. The hours of weekdays and of weekends are means
apart where both were seen; else one day is the mean of all days.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iowatt.base.errors import InputError
from iowatt.base.results import Note
from iowatt.lenses.cost.year.cycle import DAYS_A_WEEK, HOURS_A_DAY, Floats, weekday_and_weekend

_HOUR_S: Final = 3600.0
_LEAST_S: Final = _HOUR_S / 2
"""An hour of the day was seen where at least so much of it was."""

_WEEKDAYS: Final = 5
HINT: Final = "a duty cycle needs every hour of the day: record for a day at least, better for some weeks"


@dataclass(frozen=True)
class Stretches:
    """Amounts (requests or bytes) in stretches of time, each of shape (n,).

    ``begin_s`` counts from midnight of a day; ``weekday`` is that day's, 0 for Monday, None where not known.
    No stretch is longer than an hour.
    """

    begin_s: Floats
    seconds: Floats
    amount: Floats
    weekday: int | None
    where: str


@dataclass(frozen=True)
class Shape:
    """A week in amounts per second, (7, 24), and how much of it was seen, in words."""

    week: Floats
    notes: tuple[Note, ...]


def shape(given: Stretches) -> Shape:
    """The mean load of each hour of the week.

    Raises
    ------
    InputError
        A stretch is longer than an hour; an hour of the day was not seen, or less than half of one was.
    """
    if not len(given.seconds):
        raise InputError("empty", given.where, "has no interval of known length and load", hint=HINT)
    longest = float(given.seconds.max())
    if longest > _HOUR_S * (1 + 1e-6):
        raise InputError(
            "out-of-range",
            given.where,
            f"an interval lasts {longest:g} s; expected at most an hour, as the load of each hour is needed",
        )
    hour, seconds, amount = _by_hour(given)
    per_day = _Seen.of(hour % HOURS_A_DAY, seconds, amount)
    unseen = np.flatnonzero(per_day.seconds < _LEAST_S)
    if len(unseen):
        raise InputError(
            "missing-figure",
            given.where,
            f"it has {_lasted(float(given.seconds.sum()))}, which leave{'s' if len(unseen) == 1 else ''} "
            f"the load of {_hours(unseen)} unknown",
            hint=HINT,
        )
    if given.weekday is None:
        note = Note(code="one-shape", text="its days of the week are not known: one shape for all")
        return Shape(per_day.week(), (*per_day.notes("day"), note))
    day = (given.weekday + hour // HOURS_A_DAY) % DAYS_A_WEEK
    parts = []
    for wanted in (day < _WEEKDAYS, day >= _WEEKDAYS):
        parts.append(_Seen.of(hour[wanted] % HOURS_A_DAY, seconds[wanted], amount[wanted]))
    weekday, weekend = parts
    for part, name in ((weekday, "weekday"), (weekend, "weekend day")):
        if (part.seconds < _LEAST_S).any():
            note = Note(code="one-shape", text=f"it has no whole {name}: one shape for all days of the week")
            return Shape(per_day.week(), (*per_day.notes("day"), note))
    both = weekday_and_weekend(weekday.rates, weekend.rates)
    return Shape(both, (*weekday.notes("weekday"), *weekend.notes("weekend day")))


@dataclass(frozen=True)
class _Seen:
    """Hours of a day: seconds seen and amounts in them, (24,)."""

    seconds: Floats
    amount: Floats

    @classmethod
    def of(cls, hour: NDArray[np.int64], seconds: Floats, amount: Floats) -> _Seen:
        def summed(weights: Floats) -> Floats:
            return np.bincount(hour, weights=weights, minlength=HOURS_A_DAY).astype(np.float64)

        return cls(summed(seconds), summed(amount))

    @property
    def rates(self) -> Floats:
        found: Floats = self.amount / self.seconds
        return found

    def week(self) -> Floats:
        return weekday_and_weekend(self.rates, self.rates)

    def notes(self, name: str) -> tuple[Note, ...]:
        low, high = (value / _HOUR_S for value in (self.seconds.min(), self.seconds.max()))
        span = f"{low:.3g} h" if math.isclose(low, high, rel_tol=1e-3) else f"{low:.3g} to {high:.3g} h"
        text = f"each hour of its {name} is the mean of {span} that were recorded"
        return (Note(code="recorded-hours", text=text),)


def _by_hour(given: Stretches) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Hours since the first midnight, with the seconds and amount of each stretch in them: (2 n,) each."""
    end = given.begin_s + given.seconds
    first = np.floor(given.begin_s / _HOUR_S)
    border = np.minimum((first + 1) * _HOUR_S, end)
    before = border - given.begin_s
    after = end - border
    share = np.divide(before, given.seconds, out=np.ones_like(before), where=given.seconds > 0)
    hour = np.concatenate([first, first + 1]).astype(np.int64)
    seconds = np.concatenate([before, after])
    amount = np.concatenate([given.amount * share, given.amount * (1 - share)])
    return hour, seconds, amount


def _hours(unseen: NDArray[np.int64]) -> str:
    """Such as ``the hours 0 to 13 and 15 to 23``."""
    runs = np.split(unseen, np.flatnonzero(np.diff(unseen) > 1) + 1)
    words = [f"{run[0]}" if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs]
    text = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
    return f"the hour{'s' if len(unseen) > 1 else ''} {text}"


def _lasted(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds < _HOUR_S else f"{seconds / _HOUR_S:.3g} h"
