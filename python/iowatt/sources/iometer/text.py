"""The text of Iometer's result file: CSV tables, each below a heading that begins with a quote.

One test is a time stamp, the access specifications that it used, and for each of them a table of results: a
row of everything (``ALL``), then rows by manager, processor, worker and target. The columns are named in the
heading; which there are differs between versions (2006: ``MBps``; 1.1: ``MBps (Decimal)`` and a count of
responses for each of 21 ranges of time).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError

#: A result file of a year of tests is some MB.
_MOST_BYTES: Final = 1 << 28
_STAMP: Final = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}) ([0-9]{2}:[0-9]{2}:[0-9]{2})(?::([0-9]{3}))?\s*")
_NAMED: Final = "'Target Type"


@dataclass(frozen=True)
class ResultRow:
    """One row of a table of results."""

    path: Path
    line: int
    cells: Mapping[str, str]

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.path}:{self.line}"

    def text(self, column: str) -> str:
        """A cell; empty where the row or the file does not have it."""
        return self.cells.get(column, "").strip()

    def number(self, *columns: str) -> float | None:
        """The number in the first of these columns that is there; None where all are empty.

        Raises ``InputError`` where the cell is no finite number of 0 or more.
        """
        for column in columns:
            said = self.text(column)
            if not said:
                continue
            try:
                value = float(said)
            except ValueError:
                value = -1.0
            if not 0 <= value < float("inf"):
                raise InputError("bad-syntax", f"{self.place}: {column}", f"{said[:40]!r} is not a number")
            return value
        return None


@dataclass(frozen=True)
class ResultTable:
    """The rows of one access specification in one test, and the time stamps around it (local time)."""

    version: str
    before: datetime | None
    after: datetime | None
    rows: tuple[ResultRow, ...]

    def of(self, kind: str) -> list[ResultRow]:
        """The rows of a kind of target: ``ALL``, ``MANAGER``, ``WORKER``, ``DISK``..."""
        return [row for row in self.rows if row.text("Target Type") == kind]


def read_tables(path: Path) -> list[ResultTable]:
    """All tables of results, in their order.

    Raises ``InputError``: the file is no result file of Iometer, damaged, or too long.
    """
    lines = _lines(path)
    version, stamp = "", None
    tables: list[ResultTable] = []
    waiting: list[int] = []
    number = 0
    while number < len(lines):
        heading = lines[number].strip()
        number += 1
        if heading == "'Version" and number < len(lines):
            version = lines[number].strip()
        elif heading == "'Time Stamp" and number < len(lines):
            stamp = _stamp(lines[number], f"{path}:{number + 1}")
            for at in waiting:
                one = tables[at]
                tables[at] = ResultTable(one.version, one.before, stamp, one.rows)
            waiting.clear()
        elif heading.startswith(_NAMED):
            rows = tuple(_rows(path, lines, number - 1))
            waiting.append(len(tables))
            tables.append(ResultTable(version, stamp, None, rows))
            number += len(rows)
    if not tables:
        raise InputError("empty", str(path), "there is no table of results of Iometer")
    return tables


def _lines(path: Path) -> list[str]:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InputError("too-large", str(path), f"a result file has at most {_MOST_BYTES >> 20} MiB")
        return path.read_bytes().decode("utf-8", "replace").splitlines()
    except OSError as error:
        raise InputError("unreadable", str(path), error.strerror or "cannot be read") from None


def _rows(path: Path, lines: list[str], at: int) -> Iterator[ResultRow]:
    """The rows below the heading at line ``at``, up to the next heading."""
    names = [name.strip() for name in _cells(lines[at].strip().removeprefix("'"))]
    for number, line in enumerate(lines[at + 1 :], at + 2):
        if line.startswith("'"):
            return
        cells = _cells(line)
        if len(cells) > len(names) + 1:
            message = f"the row has {len(cells)} cells, its table {len(names)}"
            raise InputError("bad-syntax", f"{path}:{number}", message)
        yield ResultRow(path, number, dict(zip(names, cells, strict=False)))


def _cells(line: str) -> list[str]:
    return next(csv.reader([line.replace("\0", " ")]), [])


def _stamp(line: str, place: str) -> datetime:
    match = _STAMP.fullmatch(line)
    try:
        if match is None:
            raise ValueError
        return datetime.fromisoformat(f"{match[1]}T{match[2]}.{match[3] or '000'}")
    except ValueError:
        message = f"{line[:40]!r} is not a timestamp such as 2013-10-22 12:00:30:123"
        raise InputError("bad-syntax", place, message) from None
