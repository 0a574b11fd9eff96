"""A log of counters as a duty cycle: what was measured, by the hour of the day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Final

import numpy as np

from iowatt.base.errors import InputError
from iowatt.base.results import Note
from iowatt.counters.activity import Activity, activity
from iowatt.counters.clock import Stamp
from iowatt.counters.log import CountersLog, Floats
from iowatt.counters.read import read
from iowatt.lenses.cost.year.cycle import Cycle
from iowatt.lenses.cost.year.measured import HINT, Stretches, shape
from iowatt.lenses.one_array import measure_of

_DAY_S: Final = 86_400.0
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


def _chosen(log: CountersLog, devices: Sequence[str], where: str) -> list[str]:
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


def _act(log: CountersLog, device: str) -> Activity:
    """Its activity; how requests divide into reads and writes does not matter to their sum."""
    try:
        return activity(log, device)
    except InputError:
        return activity(log, device, 0.5)


def _times(log: CountersLog, where: str) -> tuple[Floats, int | None, str | None]:
    """When each interval began, in s since a midnight; that day's weekday; the dates of the log."""
    stamps = [end for end in log.ends if end is not None]
    if not stamps:
        raise InputError(
            "missing",
            where,
            "the log has no times of day",
            hint=f"iostat -t writes them; {HINT}",
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
