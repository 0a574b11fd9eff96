"""Seek times as DiskSim's files give them: six ways to say how long the arm takes over a distance.

Every one answers ``time(distance, cylinders)`` in seconds for a distance of at least one cylinder, on a
disk of that many cylinders. Only a measured curve may have times of its own for writes. Formulas: DiskSim
4.0 manual, dm_mech_g1.
"""

from __future__ import annotations

import bisect
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from iowatt.base.errors import InputError
from iowatt.base.packed_file import read_text
from iowatt.model.library.disksim.parameter import scaled
from iowatt.model.library.geometry import MOST_CYLINDERS, MOST_SEEK_MS

_HEADER = re.compile(r"\s*seek distances measured\s*:?\s*([0-9]+)\s*\Z", re.IGNORECASE | re.ASCII)
_MAX_POINTS = 1_000_000


@dataclass(frozen=True)
class ConstantSeek:
    """Every seek takes ``time_s`` seconds."""

    time_s: float

    def time(self, distance: int, cylinders: int) -> float:
        """Seconds, whatever the distance."""
        return self.time_s


@dataclass(frozen=True)
class LinearSeek:
    """Two straight lines through one cylinder, the average at a third of the stroke, and the full stroke.

    DiskSim 4.0's own ``linear`` is broken (every seek of two cylinders or more costs the full stroke); this
    is what its manual describes. Times in seconds.
    """

    single_s: float
    average_s: float
    full_s: float

    def time(self, distance: int, cylinders: int) -> float:
        """Seconds by linear interpolation."""
        third, stroke = (cylinders - 1) / 3, cylinders - 1
        if distance <= third and third > 1:
            return self.single_s + (self.average_s - self.single_s) * (distance - 1) / (third - 1)
        if stroke <= third or distance >= stroke:
            return self.full_s if distance > 1 else self.single_s
        return self.average_s + (self.full_s - self.average_s) * (distance - third) / (stroke - third)


@dataclass(frozen=True)
class CurveSeek:
    """Lee's curve ``a sqrt(d-1) + b (d-1) + c`` through the three figures of a data sheet, in seconds.

    a = (-10 single + 15 average - 5 full) / (3 sqrt(N)), b = (7 single - 15 average + 8 full) / (3 N), c =
    single.
    """

    single_s: float
    average_s: float
    full_s: float

    def time(self, distance: int, cylinders: int) -> float:
        """Seconds by Lee's formula, N being the number of cylinders."""
        root = (-10 * self.single_s + 15 * self.average_s - 5 * self.full_s) / (3 * math.sqrt(cylinders))
        line = (7 * self.single_s - 15 * self.average_s + 8 * self.full_s) / (3 * cylinders)
        return root * math.sqrt(distance - 1) + line * (distance - 1) + self.single_s


@dataclass(frozen=True)
class HplCurve:
    """A root below ``boundary`` cylinders, a line from there, and a first table.

    ``first_s`` holds the seconds of distances 1, 2, ... that are given one by one: empty, one (HPL's sixth
    value) or ten (``hplplus10``). Then ``root_s + root_slope_s sqrt(d)`` below ``boundary`` and
    ``line_s + line_slope_s d`` from it, in seconds (Ruemmler and Wilkes).
    """

    boundary: float
    root_s: float
    root_slope_s: float
    line_s: float
    line_slope_s: float
    first_s: tuple[float, ...]

    def time(self, distance: int, cylinders: int) -> float:
        """Seconds by the table, the root or the line."""
        if distance <= len(self.first_s):
            return self.first_s[distance - 1]
        if distance < self.boundary:
            return self.root_s + self.root_slope_s * math.sqrt(distance)
        return self.line_s + self.line_slope_s * distance


@dataclass(frozen=True)
class MeasuredCurve:
    """Measured points, joined by straight lines; beyond the last one the last line goes on.

    ``distances`` in cylinders, rising; ``read_s`` seconds for each; ``write_s`` the same for writes where
    the file has a fourth column, else empty; ``deviation_s`` the standard deviation of the measurement
    where it has a third.
    """

    distances: tuple[int, ...]
    read_s: tuple[float, ...]
    write_s: tuple[float, ...] = ()
    deviation_s: tuple[float, ...] = ()

    def time(self, distance: int, cylinders: int, *, write: bool = False) -> float:
        """Seconds by linear interpolation, never below 0; of a write where they differ."""
        times = self.write_s if write and self.write_s else self.read_s
        if distance <= self.distances[0] or len(times) == 1:
            return times[0]
        after = min(bisect.bisect_left(self.distances, distance), len(times) - 1)
        near, far = self.distances[after - 1], self.distances[after]
        slope = (times[after] - times[after - 1]) / (far - near)
        return max(0.0, times[after - 1] + slope * (distance - near))


Seek: TypeAlias = ConstantSeek | LinearSeek | CurveSeek | HplCurve | MeasuredCurve


def read_seek(path: Path, where: str | None = None) -> MeasuredCurve:
    """A seek curve file: ``distance, ms[, deviation ms[, write ms]]`` a line, and perhaps a header line.

    The header ``Seek distances measured: n`` is checked against the lines where it is there. Two columns,
    three or four, the same on every line; separated by commas, blanks or both.

    Raises ``InputError`` where a line is not of this form or distances do not rise.
    """
    rows: list[tuple[float, ...]] = []
    announced: int | None = None
    for line, text in enumerate(read_text(path, where=where).splitlines(), start=1):
        content = text.split("#", 1)[0].strip()
        header = _HEADER.match(content)
        if header and not rows and announced is None and len(header[1]) < 10:
            announced = int(header[1])
        elif content:
            rows.append(_row(content, rows, f"{path}:{line}"))
        if len(rows) > _MAX_POINTS:
            raise InputError(
                "too-large", f"{path}:{line}", f"there are more than {_MAX_POINTS} seek distances"
            )
    if not rows or (announced is not None and announced != len(rows)):
        promise = (
            "expected at least one line" if announced is None else f"the header announces {announced} lines"
        )
        raise InputError("damaged", str(path), f"{promise} 'distance, milliseconds', found {len(rows)}")
    columns = list(zip(*rows, strict=True))
    times = [tuple(scaled(time) for time in column) for column in columns[1:]]
    return MeasuredCurve(
        distances=tuple(int(distance) for distance in columns[0]),
        read_s=times[0],
        deviation_s=times[1] if len(times) > 1 else (),
        write_s=times[2] if len(times) > 2 else (),
    )


def _row(content: str, rows: list[tuple[float, ...]], where: str) -> tuple[float, ...]:
    fields = [field for field in re.split(r"[,\s]+", content) if field]
    try:
        row = tuple(float(field) for field in fields)
    except ValueError:
        row = ()
    if not 2 <= len(row) <= 4 or any(not 0 <= number < 1e15 for number in row) or row[0] != int(row[0]):
        raise InputError(
            "bad-syntax",
            where,
            f"expected 'distance, ms', 'distance, ms, deviation' or 'distance, ms, deviation, write ms', "
            f"found {content[:60]!r}",
        )
    if row[0] > MOST_CYLINDERS or max(row[1:]) > MOST_SEEK_MS:
        raise InputError(
            "out-of-range",
            where,
            f"expected at most {MOST_CYLINDERS:,} cylinders and {MOST_SEEK_MS:,} ms, found {content[:60]!r}",
        )
    if rows and len(rows[0]) != len(row):
        raise InputError("damaged", where, f"{len(row)} columns here and {len(rows[0])} in the first line")
    if row[0] < 1 or (rows and row[0] <= rows[-1][0]):
        raise InputError(
            "out-of-order", where, f"distances must start at 1 cylinder or more and rise, found {row[0]:g}"
        )
    return row
