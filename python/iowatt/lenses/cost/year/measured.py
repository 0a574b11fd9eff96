"""Logs of counters and long Runs as duty cycles: rates over stretches of time as a week's shape.

A stretch counts to the hours that it lies in, by its seconds. The hours of weekdays and of weekends are means
apart where both were recorded; else one day is the mean of all days. A Run's seconds count from its start:
unless its start is given that is taken to be midnight, and before a Monday in a Run of a week or more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from iowatt.base.errors import InputError
from iowatt.base.results import Note
from iowatt.counters.activity import Activity, activity
from iowatt.counters.clock import Stamp
from iowatt.counters.log import Log
from iowatt.counters.read import read
from iowatt.lenses.cost.year.cycle import DAYS_A_WEEK, HOURS_A_DAY, Cycle, Floats, weekday_and_weekend
from iowatt.lenses.one_array import measure_of

if TYPE_CHECKING:
    from iowatt.run.bundle import Run


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


_DAY_S: Final = 86_400.0
_WEEK_S: Final = 604_800.0


def of_run(run: Run, begins: datetime | None = None) -> Cycle:
    """The load of a Run by the hour, in requests/s, or in MiB/s where requests are large.

    Parameters
    ----------
    begins:
        The local time of its second 0.

    Raises
    ------
    InputError
        Intervals of more than an hour; less than a day of them.
    """
    where = str(run.path or run.name)
    table = run.table("intervals").select(
        "start_s", "end_s", "completions", "bytes_read", "bytes_written"
    ).drop_nulls()  # fmt: skip
    start, end, count, read, written = (table[name].to_numpy().astype(np.float64) for name in table.columns)
    seconds, moved = end - start, read + written
    if not count.any():
        raise InputError("empty", where, "has no requests", hint=HINT)
    by = measure_of(float(count.sum()), float(moved.sum()))
    if begins is not None:
        weekday: int | None = begins.weekday()
        clock = start + (begins - begins.replace(hour=0, minute=0, second=0, microsecond=0)).total_seconds()
        said = f"second 0 was {begins:%Y-%m-%d %H:%M}, as given"
    else:
        clock = start - np.floor(start.min() / _DAY_S) * _DAY_S
        weeks = clock[-1] + seconds[-1] >= _WEEK_S
        weekday = 0 if weeks else None
        said = f"second 0 is taken to be midnight{' before a Monday' if weeks else ''}"
    amount = count if by == "iops" else moved / 2**20
    found = shape(Stretches(clock, seconds, amount, weekday, where))
    simulated = run.summary["source"] == "simulation"
    return Cycle(
        name=run.name,
        title=f"the load of {run.name}, {'simulated' if simulated else 'measured'}",
        where=where,
        measure="mib_per_s" if by == "mib_per_s" else "iops",
        week=found.week,
        source=f"completions of the Run {run.name}",
        quality="derived" if simulated else "measured",
        notes=(
            *(note.about(run.name) for note in found.notes),
            Note(code="start-of-run", text=f"{run.name}: its {said}"),
        ),
    )


_MOST_SHOWN: Final = 8


def of_log(path: Path, devices: Sequence[str] = (), shift_hours: float | None = None) -> Cycle:
    """The load of some devices of a log together, in requests/s, or in MiB/s where requests are large.

    Parameters
    ----------
    shift_hours:
        What its clock is behind the local one.

    Raises
    ------
    InputError
        No log; several devices and none named; one that is not in it; no times of day in it; hours of the
        day that it does not have.
    """
    log = read([path])
    where = str(path)
    acts = [_act(log, device) for device in _chosen(log, devices, where)]
    begin, weekday, dated = _times(log, where)
    begin = begin + (shift_hours or 0.0) * 3600.0
    seconds = np.frombuffer(log.seconds, dtype=np.float64)
    known = np.isfinite(seconds) & (seconds > 0) & np.isfinite(begin)
    for act in acts:
        known &= act.known
    requests = _sum([act.requests for act in acts]) * seconds
    moved = _sum([act.read_bytes + act.write_bytes for act in acts]) * seconds
    by = measure_of(float(requests[known].sum()), float(moved[known].sum()))
    amount = requests if by == "iops" else moved / 2**20
    found = shape(Stretches(begin[known], seconds[known], amount[known], weekday, where))
    names = ", ".join(act.device for act in acts)
    notes = [note.about(path.name) for note in found.notes]
    if not known.all():
        notes.append(
            Note(
                code="intervals-left-out",
                text=f"{path.name}: {int((~known).sum())} of {len(known)} intervals have no figures and are "
                "left out",
            )
        )
    if log.utc and shift_hours is None:
        notes.append(
            Note(
                code="utc-as-local",
                text=f"{path.name}: its times are UTC, and are taken for local ones (sadf -t writes local "
                "times)",
            )
        )
    if not found.week.any():
        raise InputError("empty", where, f"{names} had no requests")
    return Cycle(
        name=path.name.split(".")[0] or path.name,
        title=f"{names} as {log.format} counted them",
        where=where,
        measure="mib_per_s" if by == "mib_per_s" else "iops",
        week=found.week,
        source=f"log of {log.format}: {path.name}, {names}",
        quality="measured",
        date=dated,
        notes=tuple(notes),
    )


def _sum(columns: Sequence[Floats]) -> Floats:
    total: Floats = np.sum(columns, axis=0)
    return total


def _chosen(log: Log, devices: Sequence[str], where: str) -> list[str]:
    names = list(log.devices)
    shown = ", ".join(names[:_MOST_SHOWN]) + (" ..." if len(names) > _MOST_SHOWN else "")
    unknown = [device for device in devices if device not in log.devices]
    if unknown:
        raise InputError(
            "unknown-name", f"{where}: {unknown[0]}", f"there is no such device; there are {shown}"
        )
    if not devices and len(names) > 1:
        raise InputError(
            "ambiguous",
            where,
            f"there are {len(names)} devices: {shown}",
            hint=f"name one, {where}:{names[0]}, or several for their sum, {where}:{names[0]},{names[1]}",
        )
    return list(dict.fromkeys(devices)) or names


def _act(log: Log, device: str) -> Activity:
    """Its activity; how requests divide into reads and writes does not matter to their sum."""
    try:
        return activity(log, device)
    except InputError:
        return activity(log, device, 0.5)


def _times(log: Log, where: str) -> tuple[Floats, int | None, str | None]:
    """When each interval began, in s since a midnight; that day's weekday; the dates of the log."""
    stamps = [end for end in log.ends if end is not None]
    if not stamps:
        raise InputError(
            "missing", where, "the log has no times of day", hint=f"iostat -t writes them; {HINT}"
        )
    seconds = np.frombuffer(log.seconds, dtype=np.float64)
    order = _order(stamps)
    begin = np.full(len(log.ends), np.nan)
    first = stamps[0].days[order] if order is not None else None
    day, before = 0, None
    for index, end in enumerate(log.ends):
        if end is None:
            continue
        if first is not None and order is not None and end.days:
            day = end.days[min(order, len(end.days) - 1)] - first
        elif before is not None and end.since(before) + before.seconds >= _DAY_S:
            day += 1
        before = end
        begin[index] = day * _DAY_S + end.seconds - seconds[index]
    if first is None or not 1 <= first <= date.max.toordinal():
        return begin, None, None
    return begin, date.fromordinal(first).weekday(), date.fromordinal(first).isoformat()


def _order(stamps: Sequence[Stamp]) -> int | None:
    """Which reading of dates such as 03/04 makes days follow one another; None where both do, or no dates."""
    if not all(stamp.days for stamp in stamps):
        return None
    orders = min(len(stamp.days) for stamp in stamps)
    if orders == 1 or all(len(set(stamp.days)) == 1 for stamp in stamps):
        return 0
    spans = []
    for order in range(orders):
        days = np.array([stamp.days[order] for stamp in stamps], dtype=np.float64)
        spans.append(float(np.abs(np.diff(days)).sum()))
    if spans[0] == spans[1]:
        return None
    return int(np.argmin(spans))
