"""Seek times of DiskSim's files as the table ``seek`` of a device file (DiskSim 4.0 manual, dm_mech_g1)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final, TypeAlias

from iowatt.base.errors import InputError
from iowatt.base.packed_file import read_text
from iowatt.model.library.disksim.parameter import duration_text, milliseconds
from iowatt.model.library.geometry import MOST_CYLINDERS, MOST_SEEK_MS

SeekTable: TypeAlias = dict[str, Any]

_HEADER = re.compile(r"\s*seek distances measured\s*:?\s*([0-9]+)\s*\Z", re.IGNORECASE | re.ASCII)
_MAX_POINTS: Final = 1_000_000


def constant(time_s: float) -> SeekTable:
    """Every seek takes the same time."""
    return {"points_ms": [[1, milliseconds(time_s)]]}


def linear(single_s: float, average_s: float, full_s: float, *, cylinders: int) -> SeekTable:
    """Two straight lines through one cylinder, the average at a third of the stroke, and the full stroke.

    DiskSim 4.0's own ``linear`` is broken (every seek of two cylinders or more costs the full stroke); this
    is what its manual describes.
    """
    stroke = max(2, cylinders - 1)
    third = min(max(2, round(stroke / 3)), stroke)
    points = {1: single_s, third: average_s, stroke: full_s}
    return {"points_ms": [[distance, milliseconds(time_s)] for distance, time_s in points.items()]}


def curve(single_s: float, average_s: float, full_s: float) -> SeekTable:
    """Lee's curve through three figures; see ``iowatt.model.library.mechanics.three_point_curve``."""
    figures = {"single_cylinder": single_s, "average": average_s, "full_stroke": full_s}
    return {name: duration_text(time_s) for name, time_s in figures.items()}


def hpl(values: tuple[float, ...], first_ms: tuple[float, ...] = ()) -> SeekTable:
    """Ruemmler and Wilkes' curve: V1 to V6 and, for ``hplplus10``, the times of the first ten distances."""
    *line, single = values
    table: SeekTable = {"hpl_ms": [line[0], *map(float, line[1:]), -1.0 if first_ms else float(single)]}
    return {**table, "first_ms": list(map(float, first_ms))} if first_ms else table


def read_seek(path: Path, where: str | None = None) -> SeekTable:
    """A seek curve file: ``distance, ms[, deviation ms[, write ms]]`` a line, and perhaps a header line.

    The header ``Seek distances measured: n`` is checked against the lines where it is there. Two columns,
    three or four, the same on every line; separated by commas, blanks or both. Times of writes are kept where
    they differ from those of reads.

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
    writes = len(rows[0]) == 4 and any(row[3] != row[1] for row in rows)
    return {"points_ms": [[int(row[0]), row[1], *([row[3]] if writes else [])] for row in rows]}


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
