"""sar's text (``sar -d``, ``sar -b``) and the same with semicolons, ``sadf -d``.

``sar -d`` tells reads from writes in bytes only; ``sar -b`` counts all devices together.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable
from datetime import date
from typing import Final

from iowatt.base.errors import InputError
from iowatt.counters import clock
from iowatt.counters.columns import known, row_figures
from iowatt.counters.log import TOO_SHORT, CountersLog
from iowatt.counters.text import LogLine, banner, rate, shown

ALL: Final = "all"  # the device of `sar -b`
# The time in the ways of locales; India's has its zone.
_TIME: Final = re.compile(
    r"([0-9]{1,2}[:.][0-9]{2}[:.][0-9]{2}(?:\s[AaPp]\.?[Mm]\.?)?)(?:(?<=[Mm])\s[A-Z]{3,5})?\s+(\S.*)",
    re.ASCII,
)
_LEAST_KNOWN: Final = 3
_DAY: Final = 86_400.0
_LONGEST_BANNER: Final = 400


def split_time(text: str) -> re.Match[str] | None:
    """The time that a line of sar's begins with, and the rest."""
    return _TIME.fullmatch(clock.plain(text.strip()))


class SarReader:
    """Takes the lines of a log, one after another, and puts its intervals into ``log``."""

    def __init__(self, log: CountersLog) -> None:
        self._log = log
        self._columns: list[str] | None = None
        self._device_at: int | None = None
        self._start: clock.Stamp | None = None
        # Intervals since the start of the log or a restart, when each ended, and where that is written.
        self._ends: list[tuple[int, clock.Stamp, LogLine]] = []
        # Intervals by their time, so that tables of the same times, such as those of -b and -d, go together.
        # A time comes again where records are less than a second apart, and on another day.
        self._intervals_of: dict[str, list[int]] = {}
        # The days that the date of the first line may mean, and the time of the row before.
        self._days: tuple[int, ...] = ()
        self._before: clock.Stamp | None = None

    def read(self, lines: Iterable[LogLine]) -> None:
        """All of a file."""
        for line in lines:
            self._take(line)
        self._end()

    def _take(self, line: LogLine) -> None:
        match = split_time(line.text)
        if match is None:
            # Average: in the words of any language, and the first line of another log.
            if banner(line.text) and not line.text[:1].isspace() and ":" not in line.text.split()[0]:
                self._banner(line)
            return
        seconds = clock.time_of_day(match[1])
        if seconds is None:
            self._log.malformed(line.error("bad-syntax", f"{shown(match[1])} is not a time of day"))
            return
        words = match[2].split()
        if "RESTART" in words[0].upper() or (len(words) > 1 and words[1].upper() == "RESTART"):
            self._end()
        elif words[0] == "COM":  # a comment, which sar -C shows
            return
        elif not self._header(clock.Stamp(seconds), words) and self._columns is not None:
            self._row(line, clock.Stamp(seconds), match[1], words)

    def _banner(self, line: LogLine) -> None:
        words = line.text.split()
        if not any(known(word) for word in words):
            self._end()
            # Behind the name of the host: the kernel's version before it looks like a date.
            behind = clock.plain(line.text, _LONGEST_BANNER).partition(")")[2]
            dates = (clock.days_of(word) for word in behind.split())
            self._days = next((days for days in dates if days), ())
            self._before = None

    def _dated(self, stamp: clock.Stamp) -> clock.Stamp:
        """The time of a row with the date of the log's first line, or of the day that began since."""
        if self._before is not None and stamp.since(self._before) + self._before.seconds >= _DAY:
            self._days = tuple(day + 1 for day in self._days)
        self._before = stamp
        return clock.Stamp(stamp.seconds, self._days)

    def _header(self, stamp: clock.Stamp, words: list[str]) -> bool:
        if sum(known(word) for word in words) >= _LEAST_KNOWN:
            unknown = [index for index, word in enumerate(words) if not known(word)]
            self._device_at = words.index("DEV") if "DEV" in words else (unknown[0] if unknown else None)
            self._columns = [word for index, word in enumerate(words) if index != self._device_at]
            if not self._ends:  # the stamp of a header is the end of the interval before
                self._start = stamp
            return True
        if not any(word[:1].isdigit() for word in words):  # the header of a table of something else
            self._columns = None
            return True
        return False

    def _row(self, line: LogLine, stamp: clock.Stamp, text: str, words: list[str]) -> None:
        columns = self._columns or []
        device = ALL
        if self._device_at is not None and len(words) > self._device_at:
            device = words.pop(self._device_at)
        if len(words) != len(columns):
            self._log.malformed(
                line.error(
                    "damaged", f"expected {len(columns)} figures, as the header says; found {len(words)}"
                )
            )
            return
        values = row_figures(self._log, line, device, columns, words)
        same = self._intervals_of.setdefault(text, [])
        index = bisect.bisect_right(same, self._log.last(device))
        if index == len(same):
            at = self._log.interval(end=self._dated(stamp))
            same.append(at)
            self._ends.append((at, stamp, LogLine("", line.number, line.source)))
        self._log.put(same[index], device, values)

    def _end(self) -> None:
        ends, self._ends, self._intervals_of = self._ends, [], {}
        start, self._start = self._start, None
        self._columns = None
        message = "the time is before that of the previous row: the clock was set back"
        self._log.set_lengths(start, ends, message)


_BEFORE: Final = 3  # hostname;interval;timestamp
_EPOCH: Final = date(1970, 1, 1)
_EPOCH_DIGITS: Final = 11


class SadfReader:
    """Takes the lines of a log, one after another, and puts its intervals into ``log``."""

    def __init__(self, log: CountersLog) -> None:
        self._log = log
        self._columns: list[str] | None = None
        self._has_device = False
        # Intervals by host and time, so that tables of the same times, such as -b's and -d's, go together.
        self._interval_of: dict[tuple[str, str], int] = {}

    def read(self, lines: Iterable[LogLine]) -> None:
        """All of a file."""
        for line in lines:
            if line.text.startswith("#"):
                self._header(line)
            elif line.text.strip() and self._columns is not None:
                self._row(line)

    def _header(self, line: LogLine) -> None:
        names = line.text.lstrip("# ").split(";")[_BEFORE:]
        if any("[...]" in name for name in names):
            message = "a log with all devices on one line cannot be read"
            raise line.error("unsupported", message, hint="sadf -d FILE -- -d, without -h")
        if sum(known(name) for name in names) < 3:
            self._columns = None
            return
        self._has_device = not known(names[0])
        self._columns = names[1:] if self._has_device else names

    def _row(self, line: LogLine) -> None:
        columns = self._columns or []
        cells = line.text.split(";")
        if len(cells) > 1 and cells[1] == "-1":  # a restart, or a comment
            return
        want = _BEFORE + len(columns) + self._has_device
        if len(cells) != want:
            self._log.malformed(
                line.error("damaged", f"expected {want} values, as the header says; found {len(cells)}")
            )
            return
        try:
            seconds = rate(cells[1])
        except InputError as error:
            self._log.malformed(line.wrong("interval", error))
            return
        if seconds == 0:
            self._log.note(TOO_SHORT)
            return
        device = cells[_BEFORE] if self._has_device else ALL
        values = row_figures(self._log, line, device, columns, cells[_BEFORE + self._has_device :])
        stamp = (cells[0], cells[2])
        at = self._interval_of.get(stamp)
        if at is None or self._log.last(device) >= at:  # the same log again
            self._interval_of[stamp] = at = self._log.interval(seconds, self._end(cells[2]))
        self._log.put(at, device, values)

    def _end(self, text: str) -> clock.Stamp | None:
        """When a record ended: a date with a time, UTC or local (``-t``), or seconds since 1970 (``-U``)."""
        if text.isascii() and text.isdigit() and len(text) <= _EPOCH_DIGITS:
            self._log.utc = True
            days, seconds = divmod(int(text), int(_DAY))
            return clock.Stamp(float(seconds), (_EPOCH.toordinal() + days,))
        self._log.utc |= text.rstrip().endswith("UTC")
        return clock.stamp(text)
