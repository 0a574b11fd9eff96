"""vdbench's reports as lines and numbers."""

from __future__ import annotations

import html
import math
import re
from dataclasses import dataclass
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
class Line:
    """A line without its tags, and where it stands."""

    text: str
    place: str

    def error(self, code: str, message: str) -> InputError:
        """An error at this line."""
        return InputError(code, self.place, message)


@dataclass(frozen=True)
class Start:
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


def lines(path: Path) -> list[Line]:
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
        found.append(Line(plain, f"{path}:{number}"))
    return found


def number(text: str, line: Line) -> float | None:
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
    """Seconds of the day of ``15:33:09.015``; None where it is no time."""
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    hours, minutes, seconds = (int(part) for part in match.groups()[:3])
    if hours > 23 or minutes > 59 or seconds > 60:
        return None
    part = match[4]
    return hours * 3600 + minutes * 60 + seconds + (int(part) / 10 ** len(part) if part else 0.0)


def start(line: Line) -> Start | None:
    """What a line says of the start of a run; None where it says nothing of one."""
    if "Starting RD=" not in line.text:
        return None
    match = _START.search(line.text)
    time_s = time_of_day(match[1]) if match else None
    if match is None or time_s is None:
        return None
    return Start(time_s, match[2].strip(), (match[3] or "").strip(), line.place)
