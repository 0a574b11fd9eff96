"""Duty cycles of logs of counters and of long Runs: the mean load of each hour of the week.

An interval counts in the hours that it covers, by its seconds. Weekdays and weekends have separate means
where both were recorded; otherwise all days share one. Unless stated, a Run begins at midnight, and a Run of
a week or more before a Monday.
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
from iowatt.counters.log import CountersLog
from iowatt.counters.read import read
from iowatt.lenses.cost.year.cycle import DAYS_A_WEEK, HOURS_A_DAY, Cycle, Floats, weekday_and_weekend
from iowatt.lenses.one_array import measure_of
from iowatt.render.phrases import listed
from iowatt.run.record import observed_how

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

_HOUR_S: Final = 3600.0
_DAY_S: Final = 86_400.0
_WEEK_S: Final = 604_800.0
#: Least recording of an hour of the day.
_LEAST_S: Final = _HOUR_S / 2
_WEEKDAYS: Final = 5
_MOST_SHOWN: Final = 8
_MIB: Final = 2**20
HINT: Final = "a duty cycle needs every hour of the day: record for a day at least, better for some weeks"


@dataclass(frozen=True)
class Stretches:
    """Amounts (requests or bytes) in stretches of time, shape (n,).

    ``begin_s`` counts from midnight of a day with ``weekday``, 0 for Monday, None where not known.
    """

    begin_s: Floats
    seconds: Floats
    amount: Floats
    weekday: int | None
    where: str


def week_of(stretches: Stretches) -> tuple[Floats, tuple[Note, ...]]:
    """The mean load of each hour of the week, (7, 24) in amounts per second, and notes on its coverage.

    Raises ``InputError``: a stretch longer than an hour; an hour of the day with less than half of it
    recorded.
    """
    where = stretches.where
    if not len(stretches.seconds):
        raise InputError("empty", where, "has no interval of known length and load", hint=HINT)
    longest = float(stretches.seconds.max())
    if longest > _HOUR_S * (1 + 1e-6):
        raise InputError(
            "out-of-range",
            where,
            f"an interval lasts {longest:g} s; expected at most an hour, as the load of each hour is needed",
        )
    hour, seconds, amount = _by_hour(stretches)

    def by_day(chosen: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Seconds and amounts in the hours of a day, (24,) each."""
        of_day = hour[chosen] % HOURS_A_DAY
        sums = [np.bincount(of_day, one[chosen], HOURS_A_DAY) for one in (seconds, amount)]
        return sums[0].astype(np.float64), sums[1].astype(np.float64)

    recorded, amounts = by_day(np.ones(len(hour), dtype=bool))
    missing = np.flatnonzero(recorded < _LEAST_S)
    if len(missing):
        raise InputError(
            "missing-figure",
            where,
            f"it has {_length(float(stretches.seconds.sum()))}, so the load of {_hours(missing)} is unknown",
            hint=HINT,
        )

    def one_shape(why: str) -> tuple[Floats, tuple[Note, ...]]:
        rates = amounts / recorded
        note = Note(code="one-shape", text=f"{why}: one shape for all days of the week")
        return weekday_and_weekend(rates, rates), (_coverage("day", recorded), note)

    if stretches.weekday is None:
        return one_shape("its days of the week are not known")
    day = (stretches.weekday + hour // HOURS_A_DAY) % DAYS_A_WEEK
    parts = {"weekday": by_day(day < _WEEKDAYS), "weekend day": by_day(day >= _WEEKDAYS)}
    for name, (seconds_of, _) in parts.items():
        if (seconds_of < _LEAST_S).any():
            return one_shape(f"it has no whole {name}")
    weekday, weekend = (amounts_of / seconds_of for seconds_of, amounts_of in parts.values())
    notes = tuple(_coverage(name, seconds_of) for name, (seconds_of, _) in parts.items())
    return weekday_and_weekend(weekday, weekend), notes


def _coverage(name: str, seconds: Floats) -> Note:
    low, high = (value / _HOUR_S for value in (seconds.min(), seconds.max()))
    span = f"{low:.3g} h" if math.isclose(low, high, rel_tol=1e-3) else f"{low:.3g} to {high:.3g} h"
    return Note(code="recorded-hours", text=f"each hour of its {name} is the mean of {span} of recording")


def _by_hour(stretches: Stretches) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Hours since the first midnight, with the seconds and amount of each stretch in them: (2 n,) each."""
    end = stretches.begin_s + stretches.seconds
    first = np.floor(stretches.begin_s / _HOUR_S)
    border = np.minimum((first + 1) * _HOUR_S, end)
    before, after = border - stretches.begin_s, end - border
    share = np.divide(before, stretches.seconds, out=np.ones_like(before), where=stretches.seconds > 0)
    hour = np.concatenate([first, first + 1]).astype(np.int64)
    amount = np.concatenate([stretches.amount * share, stretches.amount * (1 - share)])
    return hour, np.concatenate([before, after]), amount


def _hours(missing: NDArray[np.int64]) -> str:
    """Such as ``the hours 0 to 13 and 15 to 23``."""
    runs = np.split(missing, np.flatnonzero(np.diff(missing) > 1) + 1)
    words = [f"{run[0]}" if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs]
    return f"the hour{'s' if len(missing) > 1 else ''} {listed(words)}"


def _length(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds < _HOUR_S else f"{seconds / _HOUR_S:.3g} h"


def of_run(run: Run, begins: datetime | None = None) -> Cycle:
    """The load of a Run by the hour, in requests/s, or in MiB/s where requests are large.

    ``begins`` is the local time of its second 0. Raises ``InputError`` as ``week_of``.
    """
    where = str(run.path or run.name)
    columns = ("start_s", "end_s", "completions", "bytes_read", "bytes_written")
    table = run.table("intervals").select(columns).drop_nulls()
    start, end, count, read_bytes, written = (table[name].to_numpy().astype(np.float64) for name in columns)
    seconds, moved = end - start, read_bytes + written
    if not count.any():
        raise InputError("empty", where, "has no requests", hint=HINT)
    weekday: int | None
    if begins is not None:
        weekday = begins.weekday()
        clock = start + (begins - begins.replace(hour=0, minute=0, second=0, microsecond=0)).total_seconds()
        text = f"second 0 was {begins:%Y-%m-%d %H:%M}, as given"
    else:
        clock = start - np.floor(start.min() / _DAY_S) * _DAY_S
        weekday = 0 if clock[-1] + seconds[-1] >= _WEEK_S else None
        text = f"second 0 is assumed to be midnight{'' if weekday is None else ' before a Monday'}"
    by_requests = measure_of(float(count.sum()), float(moved.sum())) == "iops"
    week, notes = week_of(Stretches(clock, seconds, count if by_requests else moved / _MIB, weekday, where))
    how = observed_how(run.summary["source"])
    return Cycle(
        name=run.name, title=f"the load of {run.name}, {how}",
        where=where, measure="iops" if by_requests else "mib_per_s", week=week,
        source=f"completions of the Run {run.name}", quality="measured" if how == "measured" else "derived",
        notes=(
            *(note.about(run.name) for note in notes),
            Note(code="start-of-run", text=f"{run.name}: its {text}"),
        ),
    )  # fmt: skip


def of_log(path: Path, devices: Sequence[str] = (), shift_hours: float | None = None) -> Cycle:
    """The total load of devices of a log, in requests/s, or in MiB/s where requests are large.

    ``shift_hours`` lead from the log's clock to local time. Raises ``InputError`` as ``week_of``, and: no
    log, several devices and none named, an unknown device, no times of day.
    """
    log, where = read([path]), str(path)
    activities = [_activity(log, device) for device in _chosen(log, devices, where)]
    begin, weekday, dated = _times(log, where)
    begin = begin + (shift_hours or 0.0) * _HOUR_S
    seconds = np.frombuffer(log.seconds, dtype=np.float64)
    known = np.isfinite(seconds) & (seconds > 0) & np.isfinite(begin)
    known &= np.all([device.known for device in activities], axis=0)
    requests = np.sum([device.requests for device in activities], axis=0) * seconds
    moved = np.sum([device.read_bytes + device.write_bytes for device in activities], axis=0) * seconds
    by_requests = measure_of(float(requests[known].sum()), float(moved[known].sum())) == "iops"
    amount = requests if by_requests else moved / _MIB
    week, notes = week_of(Stretches(begin[known], seconds[known], amount[known], weekday, where))
    names = ", ".join(device.device for device in activities)
    if not week.any():
        raise InputError("empty", where, f"{names} had no requests")
    if not known.all():
        text = f"{int((~known).sum())} of {len(known)} intervals have no figures and are left out"
        notes += (Note(code="intervals-left-out", text=text),)
    if log.utc and shift_hours is None:
        text = "its times are UTC and count as local times (sadf -t writes local times)"
        notes += (Note(code="utc-as-local", text=text),)
    return Cycle(
        name=path.name.split(".")[0] or path.name, title=f"{names} as {log.format} counted them", where=where,
        measure="iops" if by_requests else "mib_per_s", week=week,
        source=f"log of {log.format}: {path.name}, {names}", quality="measured", date=dated,
        notes=tuple(note.about(path.name) for note in notes),
    )  # fmt: skip


def _chosen(log: CountersLog, devices: Sequence[str], where: str) -> list[str]:
    names = list(log.devices)
    shown = ", ".join(names[:_MOST_SHOWN]) + (" ..." if len(names) > _MOST_SHOWN else "")
    unknown = [device for device in devices if device not in log.devices]
    if unknown:
        raise InputError("unknown-name", f"{where}: {unknown[0]}", f"no such device; available: {shown}")
    if not devices and len(names) > 1:
        raise InputError(
            "ambiguous",
            where,
            f"there are {len(names)} devices: {shown}",
            hint=f"name one, {where}:{names[0]}, or several for their sum, {where}:{names[0]},{names[1]}",
        )
    return list(dict.fromkeys(devices)) or names


def _activity(log: CountersLog, device: str) -> Activity:
    """The activity of a device, whose sum does not depend on the share of reads."""
    try:
        return activity(log, device)
    except InputError:
        return activity(log, device, 0.5)


def _times(log: CountersLog, where: str) -> tuple[Floats, int | None, str | None]:
    """Start of each interval in s since a midnight, that day's weekday, and the date of the log."""
    stamps = [end for end in log.ends if end is not None]
    if not stamps:
        hint = f"iostat -t writes them; {HINT}"
        raise InputError("missing", where, "the log has no times of day", hint=hint)
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
    """The reading of dates such as 03/04 by which days are consecutive; None where unclear or undated."""
    if not all(stamp.days for stamp in stamps):
        return None
    orders = min(len(stamp.days) for stamp in stamps)
    if orders == 1 or all(len(set(stamp.days)) == 1 for stamp in stamps):
        return 0
    spans = [
        float(np.abs(np.diff([float(stamp.days[order]) for stamp in stamps])).sum())
        for order in range(orders)
    ]
    return None if spans[0] == spans[1] else int(np.argmin(spans))
