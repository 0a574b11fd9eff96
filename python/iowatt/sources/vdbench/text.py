"""vdbench's reports as lines, numbers, and rows of figures."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Final

from iowatt.base import input_file
from iowatt.base.errors import InputError

_TAG: Final = re.compile(r"<[^<>]{0,400}>")
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,18}(?:[.,][0-9]{0,12})?(?:[eE][+-]?[0-9]{1,2})?", re.ASCII)
_NOTHING: Final = frozenset({"n/a", "nan", "infinity", "-infinity", "null", "?", "-"})
_START: Final = re.compile(
    r"([0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,3})?)\s+Starting RD=([^;]{1,200})(?:;\s*(.*))?", re.ASCII
)
_RATE: Final = re.compile(r"I/O rate: ([0-9]{1,12})(?:[;\s]|$)", re.ASCII)
_TIME: Final = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]{1,3}))?", re.ASCII)


@dataclass(frozen=True)
class ReportLine:
    """A line without its tags, and where it stands."""

    text: str
    place: str

    def error(self, code: str, message: str) -> InputError:
        """An error at this line."""
        return InputError(code, self.place, message)


@dataclass(frozen=True)
class RunStart:
    """That a run started: the time of day in s, its name, and what vdbench says of it."""

    time_s: float
    run: str
    said: str
    place: str

    @property
    def loops(self) -> str:
        """What its loops are at: ``threads=4``."""
        _, found, text = self.said.partition("For loops:")
        return text.strip() if found and text.strip().lower() != "none" else ""

    @property
    def rate(self) -> float | None:
        """Requests per second asked for; None where it is a word."""
        match = _RATE.search(self.said)
        return float(match[1]) if match else None

    @property
    def uncontrolled(self) -> bool:
        """Whether it ran as fast as it could, without regard to shares."""
        return "Uncontrolled" in self.said


def read_lines(path: Path) -> list[ReportLine]:
    """The lines of a report, tags and the marks of HTML left out.

    Raises ``InputError`` where it cannot be read.
    """
    raw = input_file.whole(path, "a report of vdbench", input_file.LOG_BYTES, line=input_file.LOG_LINE_BYTES)
    text = raw.decode("utf-8", "replace")
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        plain = _TAG.sub("", line.rstrip("\r")) if "<" in line else line.rstrip("\r")
        if "&" in plain:
            plain = html.unescape(plain)
        found.append(ReportLine(plain, f"{path}:{number}"))
    return found


def parse_number(text: str, line: ReportLine) -> float | None:
    """A number, in any locale's decimals; None for what vdbench leaves out.

    Raises ``InputError`` where it is neither.
    """
    if text.lower() in _NOTHING or text.lower().endswith("nan"):
        return None
    if not _NUMBER.fullmatch(text):
        raise line.error("bad-syntax", f"{text[:40]!r} is neither a number nor n/a")
    value = float(text.replace(",", "."))
    if not math.isfinite(value):
        raise line.error("out-of-range", f"{text[:40]!r} is not finite")
    return value


def time_of_day(text: str) -> float | None:
    """Seconds of the day of ``15:33:09.015``; None for other text."""
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    hours, minutes, seconds = (int(part) for part in match.groups()[:3])
    if hours > 23 or minutes > 59 or seconds > 60:
        return None
    part = match[4]
    return hours * 3600 + minutes * 60 + seconds + (int(part) / 10 ** len(part) if part else 0.0)


def parse_start(line: ReportLine) -> RunStart | None:
    """What a line says of the start of a run; None where it says nothing of one."""
    if "Starting RD=" not in line.text:
        return None
    match = _START.search(line.text)
    time_s = time_of_day(match[1]) if match else None
    if match is None or time_s is None:
        return None
    return RunStart(time_s, match[2].strip(), (match[3] or "").strip(), line.place)


_AVERAGE: Final = re.compile(r"avg_([0-9]{1,9})-([0-9]{1,9})", re.ASCII)


@dataclass(frozen=True)
class ReportRow:
    """Figures as printed: rates in 1/s, MB/s, times in ms, shares in percent; None where they are missing."""

    run: str
    label: str  #: ``7``, or ``avg_2-7``.
    #: When it was printed: the time of day in s, the date and the zone where the report says them.
    time_s: float
    day: date | None
    zone: str | None
    values: Mapping[str, float | None]
    version: str | None
    place: str
    dated: bool = True  #: Whether the date is the row's own, and not that of a header above it.

    @property
    def number(self) -> int | None:
        """The interval's number; None of an average."""
        return int(self.label) if self.label.isdecimal() else None

    @property
    def average(self) -> tuple[int, int] | None:
        """First and last interval of an average, as it says itself; None of an interval."""
        match = _AVERAGE.fullmatch(self.label)
        return (int(match[1]), int(match[2])) if match else None

    def get(self, key: str) -> float | None:
        """A figure; None where it is missing or the report has no such column."""
        return self.values.get(key)


@dataclass
class RunRows:
    """The rows of one run."""

    name: str
    rows: list[ReportRow] = field(default_factory=list)
    average: ReportRow | None = None
    start: RunStart | None = None
    #: What vdbench says in between, in boxes of asterisks or as sentences.
    said: list[str] = field(default_factory=list)

    @property
    def first(self) -> ReportRow:
        """The first row; the average where there is no other."""
        row = self.rows[0] if self.rows else self.average
        assert row is not None, "a run is made of its rows"
        return row


def is_label(text: str) -> bool:
    """Whether it is an interval's number or an average's name."""
    return (text.isascii() and text.isdecimal() and len(text) <= 9) or _AVERAGE.fullmatch(text) is not None


def group_runs(rows: list[ReportRow]) -> list[RunRows]:
    """Rows of a report by run: a run ends with its average, where numbers begin again or the name changes."""
    found: list[RunRows] = []
    for row in rows:
        last = found[-1] if found else None
        number = row.number
        fresh = (
            last is None
            or last.name != row.run
            or last.average is not None
            or (number is not None and last.rows and number <= (last.rows[-1].number or 0))
        )
        if fresh:
            last = RunRows(row.run)
            found.append(last)
        assert last is not None
        if number is None:
            last.average = row
        else:
            last.rows.append(row)
    return found
