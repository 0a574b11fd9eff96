"""Iometer's tables of results as Observations, one for each access specification of each test.

Iometer gives figures of the whole test: there is one interval. Its first time stamp is from before the
ramp-up, so that the interval ends at the stamp after the table, and is as long as its requests take at its
rate.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError
from iowatt.run.histogram import Histogram
from iowatt.sources.iometer.text import ResultRow, ResultTable, read_tables
from iowatt.sources.observation import Direction, Interval, Observation
from iowatt.sources.time_zones import StampZones

_HEAD: Final = b"'Test Type,"
_NS: Final = {"us": 1e3, "ms": 1e6, "s": 1e9}
_RANGE: Final = re.compile(r"([0-9.]+) to ([0-9.]+) (us|ms|s)", re.IGNORECASE)
_LONGEST: Final = ">= 10 s"


def is_iometer(head: bytes) -> bool:
    """Whether a file that begins so is a result file of Iometer."""
    return head.lstrip(b"\xef\xbb\xbf \r\n").startswith(_HEAD)


def read(path: Path, *, time_zone: str | None = None) -> list[Observation]:
    """Observations of all tests of a result file, in their order.

    ``time_zone``: of the time stamps (``Europe/Berlin``, ``+02:00``), which Iometer does not say; without it
    each observation counts from 0, and meters cannot be laid beside it.

    Raises ``InputError``: the file is damaged, or no test made a request.
    """
    zones = StampZones(time_zone) if time_zone is not None else None
    found: list[Observation] = []
    times: Counter[str] = Counter()
    for table in read_tables(path):
        for row in table.of("ALL"):
            name = row.text("Access Specification Name") or path.stem
            observed = _observation(table, row, f"{name} #{times[name] + 1}" if times[name] else name, zones)
            if observed is not None:
                found.append(observed)
                times[name] += 1
    if not found:
        raise InputError("empty", str(path), "no test of it made a request")
    return found


def _observation(
    table: ResultTable, row: ResultRow, name: str, zones: StampZones | None
) -> Observation | None:
    """Of one access specification; None where it made no request."""
    read_, write = _direction(row, "Read"), _direction(row, "Write")
    rate = row.number("IOps")
    requests = read_.requests + write.requests
    if not rate or not requests:
        return None
    start, end = _span(table, requests / rate, row.place, zones)
    histograms, note = _histograms(row, read_.requests, write.requests)
    both = Direction(
        requests, read_.bytes + write.bytes, _seconds(row, "Average Response Time"),
        _seconds(row, "Maximum Response Time"),
    )  # fmt: skip
    warnings = []
    if zones is not None and table.after is None:
        warnings.append(
            "no time stamp ends it: it is taken to begin at the stamp before it, ramp-up included"
        )
    return Observation(
        name=name,
        tool="iometer",
        version=f"iometer-{table.version}" if table.version else "iometer (it does not say its version)",
        start=start,
        end=end,
        intervals=[Interval(start, end, read_, write, both=both)],
        read=histograms[0],
        write=histograms[1],
        histogram_note=note,
        totals=(read_, write),
        total=both,
        errors=round(row.number("Errors") or 0),
        warnings=warnings,
        files=[row.path],
        outstanding=_outstanding(table),
        busy_percent=row.number("% CPU Utilization"),
        dated=zones is not None and (table.after or table.before) is not None,
    )


def _direction(row: ResultRow, of: str) -> Direction:
    requests = round(row.number(f"{of} I/Os") or 0)
    return Direction(
        requests,
        round(row.number("Bytes Read" if of == "Read" else "Bytes Written") or 0),
        _seconds(row, f"Average {of} Response Time") if requests else None,
        _seconds(row, f"Maximum {of} Response Time") if requests else None,
    )


def _seconds(row: ResultRow, column: str) -> float | None:
    """A time that Iometer gives in ms."""
    said = row.number(column)
    return None if said is None else said / 1e3


def _span(table: ResultTable, length: float, place: str, zones: StampZones | None) -> tuple[float, float]:
    """Start and end, Unix time or from 0, s."""
    stamp = table.after or table.before
    if zones is None or stamp is None:
        return 0.0, length
    midnight = stamp.replace(hour=0, minute=0, second=0, microsecond=0)
    at = zones.unix(stamp.date(), (stamp - midnight).total_seconds(), None, place)
    return (at - length, at) if table.after is not None else (at, at + length)


def _outstanding(table: ResultTable) -> int | None:
    """Requests outstanding: the queue depth of each worker for each of its targets."""
    asked = [(one.number("Queue Depth"), one.number("# Disks")) for one in table.of("WORKER")]
    known = [depth * disks for depth, disks in asked if depth and disks]
    return round(sum(known)) if known and len(known) == len(asked) else None


def _histograms(row: ResultRow, reads: int, writes: int) -> tuple[tuple[Histogram, Histogram], str | None]:
    """Response times by range, where there is one direction: Iometer counts reads and writes together."""
    empty = Histogram.of([], [], [])
    low, high, count = [], [], []
    longest = 1e6 * (row.number("Maximum Response Time") or 0.0)
    for column in row.cells:
        match = _RANGE.fullmatch(column)
        number = row.number(column) if match or column == _LONGEST else None
        if not number:
            continue
        unit = _NS[match[3].lower()] if match else _NS["s"]
        least, most = (float(match[1]), float(match[2])) if match else (10.0, 0.0)
        low.append(round(least * unit))
        high.append(min(round(most * unit) - 1, round(longest)) if match else round(longest))
        count.append(round(number))
    if (
        (reads and writes)
        or sum(count) != reads + writes
        or any(a > b for a, b in zip(low, high, strict=True))
    ):
        return (empty, empty), None
    counted = Histogram.of(low, high, count)
    note = "Iometer's 21 ranges of response times: a percentile is the upper end of its range"
    return ((counted, empty) if reads else (empty, counted)), note
