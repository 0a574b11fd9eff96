"""A log of counters and what of it becomes a Run: its tool or mapping, its devices, its part in time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import suggestion
from iowatt.counters.activity import Activity, activity
from iowatt.counters.log import CountersLog, Floats
from iowatt.counters.read import FORMATS, Format
from iowatt.counters.read import read as read_host_log
from iowatt.sources import array_log
from iowatt.sources.time_zones import parse_utc_offset

_EPOCH: Final = 719_163  # the ordinal of 1970-01-01
_DAY_S: Final = 86_400.0

Places = npt.NDArray[np.intp]


@dataclass(frozen=True)
class CountersRequest:
    """A log of counters, in one file or several in the order of time, and what of it becomes a Run.

    ``format_`` is iostat, sar or perfmon, or a mapping of an array's log: a library name or a file.
    ``devices`` are names of the log; none: the only active one of a host, all objects of an array.
    ``start_s`` and ``end_s`` are seconds from the log's start.
    """

    paths: Sequence[Path]
    format_: str
    devices: Sequence[str] = ()
    start_s: float | None = None
    end_s: float | None = None
    interval_s: float | None = None
    utc_offset: str | None = None
    skip_bad: int = 0


def read_counters(request: CountersRequest) -> CountersLog:
    """The log. Raises ``InputError`` with file and line where it cannot be read."""
    name = request.format_
    if name in FORMATS:
        found: Format = name
        return read_host_log(
            request.paths, format_=found, skip_bad=request.skip_bad, interval_s=request.interval_s
        )
    try:
        mapping = array_log.find_mapping(name)
    except InputError as error:
        raise error.at(Argument("as", name)) from None
    return array_log.read_log(
        request.paths, mapping, Path(name).name, utc_offset=request.utc_offset, skip_bad=request.skip_bad
    )


def chosen_devices(log: CountersLog, request: CountersRequest) -> list[str]:
    """The devices to add up. Raises ``InputError``: no such device, or several of a host are active."""
    for name in request.devices:
        if name not in log.devices:
            hint = suggestion(name, list(log.devices), "devices")
            raise InputError("unknown-name", Argument("device"), f"the log has no device {name!r}", hint=hint)
    if request.devices:
        return list(dict.fromkeys(request.devices))
    if log.format not in FORMATS:
        return list(log.devices)
    busy = [name for name in log.devices if _is_active(log, name)]
    if len(busy) != 1:
        names = ", ".join(busy[:12]) or "none"
        hint = "a disk, its partitions and the devices on them count the same requests: take one"
        message = f"{len(busy)} devices are active ({names}); name the one to use"
        raise InputError("ambiguous" if busy else "empty", Argument("device"), message, hint=hint)
    return busy


def _is_active(log: CountersLog, device: str) -> bool:
    try:
        return activity(log, device).active
    except InputError:
        return False


def interval_starts(log: CountersLog, request: CountersRequest, where: str) -> tuple[Floats, bool]:
    """When each interval began, and whether that is Unix time: else s from the begin of the first.

    Raises ``InputError`` where the length of an interval is not known.
    """
    seconds = np.frombuffer(log.seconds)
    if not (np.isfinite(seconds) & (seconds > 0)).all():
        message = "the log does not say how long its intervals are"
        hint = "give `interval=10s`, or `time.interval` in a mapping"
        raise InputError("missing", where, message, hint=hint)
    stamps = [end for end in log.ends if end is not None and len(set(end.days)) == 1]
    if len(stamps) < len(seconds):
        return np.concatenate([[0.0], np.cumsum(seconds)[:-1]]), False
    offset = None if request.utc_offset is None else parse_utc_offset(request.utc_offset)
    unix = np.array([(stamp.days[0] - _EPOCH) * _DAY_S + stamp.seconds for stamp in stamps])
    if log.utc:
        return unix - seconds, True
    if offset is not None and log.format in FORMATS:
        return unix - seconds - offset.utcoffset(None).total_seconds(), True
    return unix - seconds - (unix[0] - seconds[0]), False


def used_intervals(
    log: CountersLog, starts: Floats, acts: Sequence[Activity], request: CountersRequest, where: str
) -> Places:
    """Numbers of the intervals that lie within the start and the end.

    Raises ``InputError``: there is none, or a device has no figures in one.
    """
    begun = starts - starts[0]
    ended = begun + np.frombuffer(log.seconds)
    first = 0.0 if request.start_s is None else request.start_s
    last = math.inf if request.end_s is None else request.end_s
    slack = 1e-6 * float(ended[-1])
    used = np.flatnonzero((begun >= first - slack) & (ended <= last + slack))
    if not used.size:
        message = f"no whole interval lies between {first:g} s and {last:g} s of the log"
        raise InputError("empty", where, message)
    for act in acts:
        unknown = used[~act.known[used]]
        if unknown.size:
            message = (
                f"{act.device!r} has no figures in {unknown.size} of {used.size} intervals, the first at "
                f"{begun[unknown[0]]:.6g} s of the log"
            )
            hint = "take a part of the log with `start=` and `end=`, or other devices"
            raise InputError("missing-figure", where, message, hint=hint)
    return used
