"""The rows of an array's performance log as counters: rates and means of each object over intervals."""

from __future__ import annotations

import csv
import math
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError
from iowatt.counters.log import CountersLog
from iowatt.counters.text import LogLine, lines, number, rate
from iowatt.sources.array_log.assemble import ObjectRows, assemble
from iowatt.sources.array_log.mapping import UNITS, ArrayLogMapping
from iowatt.sources.stamps import Stamps

#: Lines before the header, about the array.
_PREAMBLE: Final = 100
_DELIMITERS: Final = ",;\t"
_UNKNOWN: Final = frozenset(("", "-", "--", "n/a", "na", "nan", "null", "none"))
_ISO_DURATION: Final = re.compile(
    r"P(?:([0-9]{1,4})D)?(?:T(?:([0-9]{1,5})H)?(?:([0-9]{1,6})M)?(?:([0-9]{1,8}(?:\.[0-9]{1,9})?)S)?)?",
    re.ASCII,
)
_LENGTHS: Final = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0}
_DAY_S: Final = 86_400.0
#: The one object of a log that names none.
ONE_OBJECT: Final = "array"


def read_log(
    paths: Sequence[Path],
    mapping: ArrayLogMapping,
    name: str,
    *,
    utc_offset: str | None = None,
    skip_bad: int = 0,
) -> CountersLog:
    """The counters of a log in one file or several.

    Args:
        name: Of the mapping, for messages.
        utc_offset: Zone of stamps without one, as ``+01:00``; left out, such a log has times and no date.
        skip_bad: Malformed cells and rows to skip.

    Raises ``InputError`` with file and line: no header with the columns, a malformed row, no row.
    """
    log = CountersLog(name, skip_bad)
    where = ", ".join(str(path) for path in paths)
    reader = _Reader(mapping, log, Stamps(mapping.time.format, utc_offset, where=where))
    for path in paths:
        reader.read(path)
    objects = reader.objects
    if not objects:
        raise InputError("empty", where, "the log has no row of figures")
    log.utc = reader.dated
    assemble(log, objects, mapping, where)
    if mapping.assumed:
        log.note(f"the mapping {name} assumes: {'; '.join(mapping.assumed)}")
    if not mapping.tried:
        log.note(f"the mapping {name} follows the documentation and was never tried on a file of the tool")
    if not reader.dated:
        log.note("the time zone of the stamps is not known: times count from the start of the log")
    return log


@dataclass(frozen=True)
class _Columns:
    """Where things stand in a row."""

    stamp: Sequence[int]
    objects: Sequence[int]
    length: int | None
    kept: int | None
    figures: Mapping[str, tuple[int, float]]  #: Column and factor by figure.

    @property
    def width(self) -> int:
        """Cells that a row needs."""
        some = (*self.stamp, *self.objects, self.length or 0, self.kept or 0)
        return 1 + max(*some, *(at for at, _ in self.figures.values()))


class _Reader:
    """A log while it is read, file by file."""

    def __init__(self, mapping: ArrayLogMapping, log: CountersLog, stamps: Stamps) -> None:
        self._mapping, self._log, self._stamps = mapping, log, stamps
        self.objects: dict[str, ObjectRows] = {}
        #: Whether stamps are moments: they have a zone, or one was given.
        self.dated = mapping.time.dated

    def read(self, path: Path) -> None:
        """All rows of a file."""
        rows = self._rows(path)
        line, names = next(rows)
        columns = self._columns(line, names)
        objects = self.objects
        for line, cells in rows:
            if len(cells) < columns.width:
                message = f"the row has {len(cells)} cells, and {columns.width} are needed"
                self._log.malformed(line.error("damaged", message))
                continue
            kept = self._mapping.rows
            if kept is not None and columns.kept is not None and cells[columns.kept].strip() not in kept.keep:
                continue
            name = ":".join(cells[at].strip() for at in columns.objects) or ONE_OBJECT
            if name not in objects:
                objects[name] = ObjectRows({figure: array("d") for figure in columns.figures})
            self._row(objects[name], columns, line, cells)

    def _row(self, rows: ObjectRows, columns: _Columns, line: LogLine, cells: list[str]) -> None:
        try:
            stamp = self._seconds(" ".join(cells[at].strip() for at in columns.stamp), line)
            length = self._length(columns, cells)
        except InputError as error:
            self._log.malformed(error if error.place else line.wrong("the row", error))
            return
        rows.stamps.append(stamp)
        rows.lengths.append(length)
        rows.lines.append(line.number)
        for figure, (at, factor) in columns.figures.items():
            rows.figures[figure].append(self._figure(figure, cells[at], line) * factor)

    def _seconds(self, text: str, line: LogLine) -> float:
        try:
            return self._stamps.seconds(text, line.place)
        except InputError as error:
            if error.code != "no-time-zone" or not self.dated:
                raise
        # The clock of the array, wherever it is: good for lengths, and for no date.
        self.dated = False
        self._stamps = Stamps(self._mapping.time.format, "Z", where=line.source)
        return self._stamps.seconds(text, line.place)

    def _length(self, columns: _Columns, cells: list[str]) -> float:
        time = self._mapping.time
        if time.interval is not None:
            return time.interval
        if columns.length is None:
            return math.nan
        text = cells[columns.length].strip()
        seconds = (
            _iso_seconds(text)
            if time.interval_unit == "iso8601"
            else rate(text) * _LENGTHS[time.interval_unit]
        )
        if not 0 < seconds < 366 * _DAY_S:
            raise InputError("out-of-range", None, f"an interval of {text[:30]!r} has no usable length")
        return seconds

    def _figure(self, figure: str, text: str, line: LogLine) -> float:
        if text.strip().lower() in _UNKNOWN:
            return math.nan
        try:
            value = number(text)
            if value < 0 and figure == "queue":  # a mark for "not available"
                return math.nan
            return rate(text)
        except InputError as error:
            self._log.malformed(line.wrong(figure, error))
            return math.nan

    def _rows(self, path: Path) -> Iterator[tuple[LogLine, list[str]]]:
        """The header, and the rows behind it that are not blank."""
        delimiter: str | None = None
        stamp = _plain(self._mapping.time.column)
        for line in lines(path):
            if delimiter is None:
                delimiter = next((d for d in _DELIMITERS if stamp in map(_plain, _cells(line, d))), None)
                if delimiter is None:
                    if line.number >= _PREAMBLE:
                        break
                    continue
            cells = _cells(line, delimiter)
            if any(cell.strip() for cell in cells):
                yield line, cells
        if delimiter is None:
            wanted = self._mapping.time.column
            message = f"no header has the column {wanted!r}: this is no log of {self._log.format}"
            hint = "a mapping of your own names the columns: docs/reference/array-logs.md"
            raise InputError("wrong-format", str(path), message, hint=hint)

    def _columns(self, line: LogLine, names: list[str]) -> _Columns:
        plain = [_plain(name) for name in names]

        def at(name: str) -> int:
            if _plain(name) not in plain:
                shown = ", ".join(name.strip() for name in names)[:300]
                raise line.error("missing-figure", f"there is no column {name!r}; there are {shown}")
            return plain.index(_plain(name))

        time, kept = self._mapping.time, self._mapping.rows
        days = [] if time.date_column is None else [at(time.date_column)]
        figures: dict[str, tuple[int, float]] = {}
        absent = []
        for figure, column in self._mapping.figures.items():
            found = next((plain.index(_plain(n)) for n in column.names if _plain(n) in plain), None)
            if found is None:
                absent.append(f"{figure} ({' or '.join(column.names)})")
            else:
                figures[figure] = (found, UNITS[figure][column.unit])
        if not figures:
            raise line.error("missing-figure", f"no column of figures is there: {', '.join(absent)}")
        if absent:
            self._log.note(f"the log has no column of {', '.join(absent)}")
        return _Columns(
            stamp=[*days, at(time.column)],
            objects=[at(name) for name in self._mapping.objects],
            length=None if time.interval_column is None else at(time.interval_column),
            kept=None if kept is None else at(kept.column),
            figures=figures | self._buckets(plain),
        )

    def _buckets(self, plain: Sequence[str]) -> dict[str, tuple[int, float]]:
        """Columns of the buckets of response times; none where a log lacks any."""
        given = self._mapping.histogram
        if given is None:
            return {}
        numbers = range(given.first, given.last + 1)
        names = {
            f"{way}_bucket_{number - given.first}": _plain(pattern.replace("{}", str(number)))
            for way, pattern in (("read", given.read), ("write", given.write))
            for number in numbers
        }
        if not all(name in plain for name in names.values()):
            return {}
        self._log.bucket_ends = [given.upper * given.ratio**step for step in range(len(numbers))]
        return {figure: (plain.index(name), 1.0) for figure, name in names.items()}


def _iso_seconds(text: str) -> float:
    match = _ISO_DURATION.fullmatch(text)
    if match is None or not any(match.groups()):
        raise InputError("bad-syntax", None, f"{text[:30]!r} is not a duration such as PT15S")
    days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return days * _DAY_S + hours * 3600 + minutes * 60 + seconds


def _cells(line: LogLine, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line.text], delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error as error:
        raise line.error("wrong-format", f"this is not a row of CSV: {error}") from None


def _plain(name: str) -> str:
    return " ".join(name.split()).casefold()
