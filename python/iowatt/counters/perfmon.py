r"""Windows' performance monitor: CSV and TSV of relog, logman, typeperf and Export-Counter, text of typeperf.

Columns are ``\\HOST\PhysicalDisk(0 C:)\Disk Reads/sec``. What follows is the meaning of Windows' counters as
its performance monitor explains them: "% Disk Time" is no share of time (it is the mean queue times 100), so
that the utilisation is taken from "% Idle Time"; "_Total" is the sum or mean of all and no device.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from iowatt.counters import clock
from iowatt.counters.log import Log
from iowatt.counters.text import Line, number, shown
from iowatt.errors import InputError

COUNTERS: Final[dict[str, tuple[str, float]]] = {
    "disk reads/sec": ("reads", 1), "disk writes/sec": ("writes", 1), "disk transfers/sec": ("requests", 1),
    "disk read bytes/sec": ("read_bytes", 1), "disk write bytes/sec": ("write_bytes", 1),
    "disk bytes/sec": ("bytes", 1),
    "avg. disk bytes/read": ("read_size", 1), "avg. disk bytes/write": ("write_size", 1),
    "avg. disk bytes/transfer": ("size", 1),
    "avg. disk sec/read": ("read_wait", 1), "avg. disk sec/write": ("write_wait", 1),
    "avg. disk sec/transfer": ("wait", 1),
    "avg. disk queue length": ("queue", 1), "% idle time": ("utilisation", -0.01),
}  # fmt: skip
_OBJECTS: Final = {"physicaldisk": "", "logicaldisk": "volume "}
_PATH: Final = re.compile(r"\\\\([^\\]+)\\([^\\(]+)\((.*)\)\\([^\\]+)")
_TOTAL: Final = "_total"
_FORMAT_HINT: Final = (
    r"""record them with typeperf "\PhysicalDisk(*)\*" -si 1 -f CSV -o disks.csv; names in another "
    r"language: """
    r"""--columns "Disk Reads/sec=NAME,Disk Writes/sec=NAME,..." """
).rstrip()


@dataclass(frozen=True)
class _Column:
    at: int
    device: str
    figure: str
    factor: float
    name: str


class Reader:
    """Takes the lines of a log and puts its samples into ``log``.

    Parameters
    ----------
    names:
        English names of counters and what they are called in the log, where it was written in another
        language.
    """

    def __init__(self, log: Log, names: Mapping[str, str]) -> None:
        self._log = log
        self._names = {theirs.lower(): ours.lower() for ours, theirs in names.items()}
        for ours in self._names.values():
            if ours not in COUNTERS:
                raise InputError(
                    f"{ours!r} is no counter that is read; those are {', '.join(COUNTERS)}", where="--columns"
                )

    def read(self, lines: Iterable[Line]) -> None:
        """All of a file."""
        rows: list[tuple[Line, clock.Stamp, list[str]]] = []
        columns: list[_Column] = []
        width = 0
        for line, cells in _rows(lines):
            if cells[0].startswith("(PDH-"):
                self._put(columns, rows)
                rows, width, columns = [], len(cells), self._header(line, cells)
                continue
            if not width:
                raise line.error(
                    "expected the names of the counters first, after (PDH-CSV 4.0)", _FORMAT_HINT
                )
            stamp = clock.stamp(cells[0])
            if stamp is None:
                self._log.malformed(
                    line.error(f"{shown(cells[0])} is no time stamp such as 11/21/2026 14:58:06.123")
                )
            elif len(cells) < width or any(cells[width:]):
                self._log.malformed(_ragged(line, width, len(cells)))
            else:
                rows.append((line, stamp, cells))
        self._put(columns, rows)

    def _header(self, line: Line, cells: list[str]) -> list[_Column]:
        found: list[_Column] = []
        hosts = set()
        for at, cell in enumerate(cells[1:], 1):
            match = _PATH.fullmatch(cell.strip())
            if match is None:
                continue
            host, object_, instance, counter = match.groups()
            mapped = self._names.get(counter.strip().lower())
            meaning = COUNTERS.get(mapped or counter.strip().lower())
            prefix = _OBJECTS.get(object_.strip().lower(), "" if mapped else None)
            if meaning is None or prefix is None or instance.lower() == _TOTAL:
                continue
            hosts.add(host.lower())
            found.append(_Column(at, f"{host.lower()} {prefix}{instance}", *meaning, counter))
        if not found:
            seen = sorted({match[4] for cell in cells[1:] if (match := _PATH.fullmatch(cell.strip()))})
            names = f"; its counters are {', '.join(map(shown, seen[:6]))}" if seen else ""
            raise line.error(f"no counter of a PhysicalDisk or LogicalDisk{names}", _FORMAT_HINT)
        if len(hosts) == 1:  # the host need not be told
            (host,) = hosts
            found = [
                _Column(c.at, c.device.removeprefix(f"{host} "), c.figure, c.factor, c.name) for c in found
            ]
        return found

    def _put(self, columns: list[_Column], rows: list[tuple[Line, clock.Stamp, list[str]]]) -> None:
        if not rows:
            return
        values = [self._values(line, columns, cells) for line, _, cells in rows]
        start = None
        if all(value is None for value in values[0].values()):
            # Rates need two samples: the first row only says when the first interval begins.
            start, rows, values = rows[0][1], rows[1:], values[1:]
        try:
            lengths = clock.lengths(start, [stamp for _, stamp, _ in rows])
        except ValueError as error:
            raise rows[error.args[0]][0].error(
                "the time stamp is before that of the row before: the clock was set back",
                "split the log there",
            ) from None
        blank = 0
        for sample, seconds in zip(values, lengths, strict=True):
            interval = self._log.interval(seconds)
            devices: dict[str, dict[str, float]] = {}
            for column, value in sample.items():
                blank += value is None
                figure = math.nan if value is None else value
                if column.factor < 0:
                    figure = min(1.0, max(0.0, 1 + figure * column.factor))
                devices.setdefault(column.device, {})[column.figure] = figure
            for device, figures in devices.items():
                self._log.put(interval, device, figures)
        if blank:
            self._log.note(
                f"{blank} values are blank or -1, Windows' marks for a sample that failed: left out"
            )

    def _values(self, line: Line, columns: list[_Column], cells: list[str]) -> dict[_Column, float | None]:
        found: dict[_Column, float | None] = {}
        for column in columns:
            text = cells[column.at]
            try:
                value = number(text) if text.strip() else None
                if value is not None and value < 0 and value != -1:
                    raise ValueError(f"{shown(text)} is negative")
            except ValueError as error:
                self._log.malformed(line.error(f"{column.name} of {shown(column.device)}: {error}"))
                value = None
            found[column] = None if value == -1 else value
        return found


def _ragged(line: Line, width: int, found: int) -> InputError:
    hint = (
        "a decimal comma splits values that have no quotes: export them with quotes"
        if found > width
        else None
    )
    return line.error(f"expected {width} values, as the header says; found {found}", hint)


def _rows(lines: Iterable[Line]) -> Iterator[tuple[Line, list[str]]]:
    """The rows of the table; typeperf's own lines (`The command completed successfully.`) are not of it."""
    delimiter = ","
    for line in lines:
        text = line.text.strip()
        if text.startswith(('"(PDH-', "(PDH-")):
            # TSV, or the list separator of the locale.
            head = text.partition(")")[2]
            quoted = re.match(r'[^"]*"([,;\t])', head) if text.startswith('"') else None
            delimiter = quoted[1] if quoted else "\t" if "\t" in text else ","
        elif not text.startswith('"') and not text[:1].isdigit():
            continue
        try:
            cells = next(csv.reader([text], delimiter=delimiter, strict=False))
        except (csv.Error, StopIteration) as error:
            raise line.error(f"no row of a CSV file: {error}") from None
        yield line, cells
