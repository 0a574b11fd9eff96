"""JSON of sysstat: ``iostat -o JSON`` and ``sadf -j``."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable
from typing import Any, Final

from iowatt.base.errors import InputError
from iowatt.counters import clock
from iowatt.counters.columns import MALFORMED, from_object, seconds_of
from iowatt.counters.iostat import DROPPED, First
from iowatt.counters.log import TOO_SHORT, CountersLog
from iowatt.counters.sar import ALL
from iowatt.counters.text import LogLine, shown

_MOST_CHARACTERS: Final = 256 << 20


def read(log: CountersLog, lines: Iterable[LogLine], first: First) -> None:
    """All of a file.

    Raises ``InputError`` with the line where it is no JSON, or the place in it
    (``hosts[0].statistics[3].disk[1]``).
    """
    source, text = _joined(lines)
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        message = f"this is not JSON: {error.msg}"
        hint = (
            "a log that was cut off lacks its closing brackets; stop iostat with Ctrl-C (SIGINT), "
            "which writes them"
        )
        raise InputError("wrong-format", f"{source}:{error.lineno}", message, hint=hint) from None
    except (RecursionError, ValueError):  # thousands of brackets, numbers of thousands of digits
        raise InputError(
            "too-large", source, "the JSON is nested too deeply, or has a number that is too long"
        ) from None
    for index, host in enumerate(_list(_step(document, "sysstat", source), "hosts", f"{source}: sysstat")):
        where = f"{source}: hosts[{index}]"
        statistics_ = _list(host, "statistics", where)
        if any(isinstance(entry, dict) and isinstance(entry.get("timestamp"), dict) for entry in statistics_):
            _sadf(log, statistics_, where)
        else:
            _iostat(log, statistics_, where, first)


def _joined(lines: Iterable[LogLine]) -> tuple[str, str]:
    parts, size, source = [], 0, ""
    for line in lines:
        source = line.source
        size += len(line.text) + 1
        if size > _MOST_CHARACTERS:
            message = "JSON of over 256 Mi characters is not read"
            hint = "record iostat's text or the output of sadf -d, which are read line by line"
            raise line.error("too-large", message, hint=hint)
        parts.append(line.text)
    return source, "\n".join(parts)


def _iostat(log: CountersLog, entries: list[Any], where: str, first: First) -> None:
    reports: list[tuple[clock.Stamp | None, tuple[float, float], dict[str, dict[str, float]]]] = []
    for index, entry in enumerate(entries):
        place = f"{where}.statistics[{index}]"
        stamp = entry.get("timestamp") if isinstance(entry, dict) else None
        totals = (0.0, 0.0)
        devices = {}
        for position, disk in enumerate(_list(entry, "disk", place)):
            name, values = _disk(log, disk, "disk_device", f"{place}.disk[{position}]")
            devices[name] = values
            totals = max(totals, seconds_of(list(disk), [str(value) for value in disk.values()]))
        reports.append((clock.stamp(stamp) if isinstance(stamp, str) else None, totals, devices))
    start = None
    if reports and (
        first == "drop" or (first == "auto" and _since_boot([report[1][1] for report in reports]))
    ):
        log.note(DROPPED)
        start, reports = reports[0][0], reports[1:]
    stamps = [stamp for stamp, _, _ in reports if stamp is not None]
    if len(stamps) == len(reports):
        lengths = _lengths(start, stamps, where)
    else:
        known = [seconds for _, (total, seconds), _ in reports if total >= 100]
        lengths = [statistics.median(known) if known else math.nan] * len(reports)
    for (stamp, _, devices), seconds in zip(reports, lengths, strict=True):
        _put(log, seconds, stamp, devices)


def _since_boot(lengths: list[float]) -> bool:
    rest = [length for length in lengths[1:] if length]
    return not (lengths[0] and rest) or lengths[0] > 2 * statistics.median(rest)


def _lengths(start: clock.Stamp | None, stamps: list[clock.Stamp], where: str) -> list[float]:
    try:
        return clock.lengths(start, stamps)
    except ValueError as error:
        message = "the time stamp is before that of the report before: the clock was set back"
        hint = "split the log there"
        raise InputError("out-of-order", f"{where}.statistics[{error.args[0]}]", message, hint=hint) from None


def _sadf(log: CountersLog, entries: list[Any], where: str) -> None:
    for index, entry in enumerate(entries):
        place = f"{where}.statistics[{index}]"
        if not isinstance(entry, dict):
            raise InputError("wrong-type", place, "expected an object")
        disks, io = entry.get("disk"), entry.get("io")
        if disks is None and io is None:
            continue
        stamp = entry.get("timestamp")
        seconds = stamp.get("interval") if isinstance(stamp, dict) else None
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds < 1e9:
            raise InputError("missing", place, "expected timestamp.interval, in seconds")
        if seconds == 0:
            log.note(TOO_SHORT)
            continue
        end = _end(stamp)
        log.utc |= isinstance(stamp, dict) and stamp.get("utc") == 1
        if disks is None:
            _put(log, float(seconds), end, {ALL: _all(io, f"{place}.io")})
            continue
        found = (
            _disk(log, disk, "disk-device", f"{place}.disk[{position}]")
            for position, disk in enumerate(_list(entry, "disk", place))
        )
        _put(log, float(seconds), end, dict(found))


def _all(io: Any, where: str) -> dict[str, float]:
    """``sar -b`` in JSON: reads and writes have an object each."""
    flat: dict[str, object] = {}
    for part, names in (
        (io, {"tps": "tps"}),
        (_step(io, "io-reads", where), {"rtps": "rtps", "bread": "bread/s"}),
        (_step(io, "io-writes", where), {"wtps": "wtps", "bwrtn": "bwrtn/s"}),
    ):
        for name, column in names.items():
            flat[column] = _step(part, name, where)
    try:
        return from_object(flat)
    except InputError as error:
        raise error.at(where) from None


def _disk(log: CountersLog, disk: Any, key: str, where: str) -> tuple[str, dict[str, float]]:
    name = _step(disk, key, where)
    if not isinstance(name, str):
        raise InputError("wrong-type", where, f"expected {key}, a name")
    try:
        return name, from_object(disk)
    except InputError as error:
        log.malformed(InputError(error.code, where, f"device {shown(name)}: {error.message}"))
        return name, dict(MALFORMED)


def _end(stamp: Any) -> clock.Stamp | None:
    """What sadf writes of a record's time, if it does."""
    date, time = (stamp.get(key) for key in ("date", "time")) if isinstance(stamp, dict) else (None, None)
    return clock.stamp(f"{date} {time}") if isinstance(date, str) and isinstance(time, str) else None


def _put(
    log: CountersLog, seconds: float, end: clock.Stamp | None, devices: dict[str, dict[str, float]]
) -> None:
    interval = log.interval(seconds, end)
    for device, values in devices.items():
        log.put(interval, device, values)


def _step(table: Any, key: str, where: str) -> Any:
    if not isinstance(table, dict) or key not in table:
        message = f"the key {key!r} is missing"
        raise InputError("missing", where, message, hint="expected what `iostat -o JSON` or `sadf -j` writes")
    return table[key]


def _list(table: Any, key: str, where: str) -> list[Any]:
    found = _step(table, key, where)
    if not isinstance(found, list):
        raise InputError("wrong-type", where, f"expected a list at {key!r}")
    return found
