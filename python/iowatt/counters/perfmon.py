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

from iowatt.base.errors import Argument, InputError
from iowatt.counters import clock
from iowatt.counters.log import CountersLog
from iowatt.counters.text import LogLine, number, shown

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
_LONGEST_CELL: Final = 4096
_FORMAT_HINT: Final = (
    r"""record them with typeperf "\PhysicalDisk(*)\*" -si 1 -f CSV -o disks.csv; names in another "
    r"language: """
    r"""columns "Disk Reads/sec=NAME,Disk Writes/sec=NAME,..." """
).rstrip()


@dataclass(frozen=True)
class _Column:
    at: int
    device: str
    figure: str
    factor: float
    name: str


class PerfmonReader:
    """Takes the lines of a log and puts its samples into ``log``.

    Parameters
    ----------
    names:
        English names of counters and what they are called in the log, where it was written in another
        language.
    """

    def __init__(self, log: CountersLog, names: Mapping[str, str]) -> None:
        self._log = log
        # Intervals of a table, when each ended, and where that is written; when the first began.
        self._ends: list[tuple[int, clock.Stamp, LogLine]] = []
        self._start: clock.Stamp | None = None
        self._blank = 0
        self._names = {theirs.lower(): ours.lower() for ours, theirs in names.items()}
        for ours in self._names.values():
            if ours not in COUNTERS:
                message = f"the counter {ours!r} is not read; read are {', '.join(COUNTERS)}"
                raise InputError("unknown-name", Argument("counter_names"), message)

    def read(self, lines: Iterable[LogLine]) -> None:
        """All of a file."""
        columns: list[_Column] = []
        width = 0
        for line, cells in _rows(lines):
            if cells[0].startswith("(PDH-"):
                self._end()
                width, columns = len(cells), self._header(line, cells)
                continue
            if not width:
                raise line.error(
                    "wrong-format",
                    "expected the names of the counters first, after (PDH-CSV 4.0)",
                    _FORMAT_HINT,
                )
            stamp = clock.stamp(cells[0])
            if stamp is None:
                message = f"{shown(cells[0])} is not a time stamp such as 11/21/2026 14:58:06.123"
                self._log.malformed(line.error("bad-syntax", message))
            elif len(cells) < width or any(cells[width:]):
                self._log.malformed(_ragged(line, width, len(cells)))
            else:
                self._sample(line, stamp, self._values(line, columns, cells))
        self._end()

    def _sample(self, line: LogLine, stamp: clock.Stamp, values: dict[_Column, float | None]) -> None:
        if self._start is None and not self._ends and all(value is None for value in values.values()):
            self._start = stamp  # rates need two samples: the first row only begins the first interval
            return
        interval = self._log.interval(end=stamp)
        self._ends.append((interval, stamp, LogLine("", line.number, line.source)))
        devices: dict[str, dict[str, float]] = {}
        for column, value in values.items():
            self._blank += value is None
            figure = math.nan if value is None else value
            if column.factor < 0 and value is not None:
                figure = min(1.0, max(0.0, 1 + figure * column.factor))
            devices.setdefault(column.device, {})[column.figure] = figure
        for device, figures in devices.items():
            self._log.put(interval, device, figures)

    def _end(self) -> None:
        """The table is read: the lengths of its intervals follow."""
        ends, self._ends = self._ends, []
        start, self._start = self._start, None
        blank, self._blank = self._blank, 0
        message = "the time stamp is before that of the previous row: the clock was set back"
        self._log.set_lengths(start, ends, message)
        if blank:
            self._log.note(
                f"{blank} values are blank or -1, Windows' marks for a sample that failed: left out"
            )

    def _header(self, line: LogLine, cells: list[str]) -> list[_Column]:
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
            raise line.error(
                "missing-figure", f"there is no counter of a PhysicalDisk or LogicalDisk{names}", _FORMAT_HINT
            )
        if len(hosts) == 1:  # one host needs no name
            (host,) = hosts
            found = [
                _Column(c.at, c.device.removeprefix(f"{host} "), c.figure, c.factor, c.name) for c in found
            ]
        return found

    def _values(self, line: LogLine, columns: list[_Column], cells: list[str]) -> dict[_Column, float | None]:
        found: dict[_Column, float | None] = {}
        for column in columns:
            text = cells[column.at]
            try:
                value = number(text) if text.strip() else None
                if value is not None and value < 0 and value != -1:
                    raise InputError("out-of-range", None, f"{shown(text)} is negative")
            except InputError as error:
                self._log.malformed(line.wrong(f"{column.name} of {shown(column.device)}", error))
                value = None
            found[column] = None if value == -1 else value
        return found


def _ragged(line: LogLine, width: int, found: int) -> InputError:
    hint = (
        "a decimal comma splits values that have no quotes: export them with quotes"
        if found > width
        else None
    )
    return line.error("damaged", f"expected {width} values, as the header says; found {found}", hint)


def _rows(lines: Iterable[LogLine]) -> Iterator[tuple[LogLine, list[str]]]:
    """The rows of the table; typeperf's own lines (`The command completed successfully.`) are not of it."""
    delimiter = ","
    for line in lines:
        text = line.text.strip(" ")  # tabs are cells that are blank
        if text.startswith(('"(PDH-', "(PDH-")):
            # A tab, or the list separator of the locale: what stands before the first path.
            before = re.search(r'([,;\t])"?\\\\', text[:_LONGEST_CELL])
            delimiter = before[1] if before else ","
        elif not text.startswith('"') and not text[:1].isdigit():
            continue
        try:
            cells = next(csv.reader([text], delimiter=delimiter, strict=False))
        except (csv.Error, StopIteration) as error:
            raise line.error("wrong-format", f"this is not a row of CSV: {error}") from None
        yield line, cells
