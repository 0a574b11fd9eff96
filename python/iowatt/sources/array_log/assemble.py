"""Rows of objects put together as intervals that all objects share."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from iowatt.base.errors import InputError
from iowatt.counters.clock import Stamp
from iowatt.counters.log import CountersLog, DeviceSeries, Floats
from iowatt.sources.array_log.mapping import WAIT_SUMS, ArrayLogMapping, is_amount

#: Stamps of objects closer than this share of an interval are of the same interval.
_SAME: Final = 0.5
#: A step between stamps longer than this many intervals leaves something out.
_GAP: Final = 1.5
_DAY_S: Final = 86_400.0
_EPOCH: Final = 719_163  # the ordinal of 1970-01-01


@dataclass
class ObjectRows:
    """Rows of one object, in the order of the file. Amounts of an interval are not rates yet."""

    figures: dict[str, array[float]]
    stamps: array[float] = field(default_factory=lambda: array("d"))
    lengths: array[float] = field(default_factory=lambda: array("d"))
    lines: array[int] = field(default_factory=lambda: array("q"))


def assemble(
    log: CountersLog, objects: Mapping[str, ObjectRows], mapping: ArrayLogMapping, where: str
) -> None:
    """Put the rows into ``log``, interval by interval; an object without a row is unknown in it.

    Raises ``InputError`` where an object has two rows in an interval.
    """
    stamps = np.unique(np.concatenate([np.frombuffer(rows.stamps) for rows in objects.values()]))
    step = _step(objects)
    # Objects are sampled one after the other: near stamps are one, the first of them.
    marks = stamps[np.concatenate([[True], np.diff(stamps) > _SAME * step])]
    at_end = mapping.time.stamp == "end"
    lengths = _lengths(objects, marks, step, log, at_end=at_end)
    ends = marks if at_end else marks + lengths
    for end, length in zip(ends.tolist(), lengths.tolist(), strict=True):
        days, seconds = divmod(end, _DAY_S)
        log.interval(length, Stamp(seconds, (int(days) + _EPOCH,)))
    missing = 0
    for name, rows in objects.items():
        at = np.searchsorted(marks, np.frombuffer(rows.stamps), side="right") - 1
        _refuse_double(at, rows, name, where)
        missing += len(marks) - len(at)
        log.devices[name] = _series(rows, at, lengths, mapping)
    if missing:
        log.note(f"{missing} rows of objects are missing: their figures are unknown then")


def _step(objects: Mapping[str, ObjectRows]) -> float:
    """Usual time between rows of an object, or the length that they say; infinite where neither is there."""
    steps = [np.diff(np.sort(np.frombuffer(rows.stamps))) for rows in objects.values()]
    every = np.concatenate([step[step > 0] for step in steps])
    if every.size:
        return float(np.median(every))
    said = np.concatenate([np.frombuffer(rows.lengths) for rows in objects.values()])
    said = said[np.isfinite(said)]
    return float(np.median(said)) if said.size else math.inf


def _lengths(
    objects: Mapping[str, ObjectRows], marks: Floats, step: float, log: CountersLog, *, at_end: bool
) -> Floats:
    """Length of each interval: as rows say, else the time to the stamp beside it, else the usual."""
    found = np.full(len(marks), np.nan)
    for rows in objects.values():
        at = np.searchsorted(marks, np.frombuffer(rows.stamps), side="right") - 1
        said = np.frombuffer(rows.lengths)
        known = np.isfinite(said)
        found[at[known]] = said[known]
    if np.isfinite(found).all():
        return found
    if not math.isfinite(step):
        return found
    between = np.diff(marks)
    apart = np.concatenate([[step], between] if at_end else [between, [step]])
    gaps = int((apart > _GAP * step).sum())
    if gaps:
        log.note(
            f"{gaps} times the log has no row for longer than its usual {step:.6g} s: samples are missing"
        )
    return np.where(np.isfinite(found), found, np.where(apart > _GAP * step, step, apart))


def _refuse_double(at: npt.NDArray[np.intp], rows: ObjectRows, name: str, where: str) -> None:
    order = np.argsort(at, kind="stable")
    twice = np.flatnonzero(np.diff(at[order]) == 0)
    if twice.size:
        one, other = (rows.lines[int(order[twice[0] + k])] for k in (0, 1))
        raise InputError(
            "duplicate",
            f"{where}:{other}",
            f"{name[:60]!r} has a second row in the interval of line {one}",
            hint="name all columns that tell objects apart, or split a log whose clock was set back",
        )


def _series(
    rows: ObjectRows, at: npt.NDArray[np.intp], lengths: Floats, mapping: ArrayLogMapping
) -> DeviceSeries:
    """The figures of an object in all intervals, per second; NaN where it has no row."""
    found: dict[str, Floats] = {}
    for figure, values in rows.figures.items():
        column = np.full(len(lengths), np.nan)
        column[at] = np.frombuffer(values)
        given = mapping.figures.get(figure)  # type: ignore[call-overload]
        if given is not None and figure not in WAIT_SUMS and is_amount(figure, given.unit):
            column = column / lengths
        found[figure] = column
    for name, counted in (("read_wait", "reads"), ("write_wait", "writes"), ("wait", "requests")):
        total = found.pop(f"{name}_sum", None)
        if total is None:
            continue
        rates = found.get(counted)
        if rates is None and counted == "requests" and {"reads", "writes"} <= found.keys():
            rates = found["reads"] + found["writes"]
        if rates is not None:
            counts = rates * lengths
            found[name] = np.divide(total, counts, out=np.full_like(total, np.nan), where=counts > 0)
    series = DeviceSeries(intervals=array("q", range(len(lengths))))
    series.columns = {name: array("d", column.tolist()) for name, column in found.items()}
    return series
