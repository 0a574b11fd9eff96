"""sar's text: ``sar -d`` (reads and writes apart in bytes only) and ``sar -b`` (all devices together)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Final

from iowatt.counters import clock
from iowatt.counters.columns import figures, known
from iowatt.counters.log import Log
from iowatt.counters.text import Line, shown

ALL: Final = "all"  # the device of `sar -b`
_TIME: Final = re.compile(r"([0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\s[AP]M)?)\s+(\S.*)", re.ASCII)
_BANNER: Final = re.compile(r"\S.*\s\(.*\)\s+\S", re.ASCII)
_LEAST_KNOWN: Final = 3


class Reader:
    """Takes the lines of a log, one after another, and puts its intervals into ``log``."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._columns: list[str] | None = None
        self._device_at: int | None = None
        self._start: clock.Stamp | None = None
        # Rows since the start of the log or a restart: stamp, its text, its first line, and its devices.
        self._rows: list[tuple[clock.Stamp, Line, dict[str, dict[str, float]]]] = []
        # The row of a time, so that tables of the same times, such as those of -b and -d, go together.
        self._row_of: dict[str, int] = {}

    def read(self, lines: Iterable[Line]) -> None:
        """All of a file."""
        for line in lines:
            self._take(line)
        self._end()

    def _take(self, line: Line) -> None:
        match = _TIME.fullmatch(line.text.strip())
        if match is None:
            # Average: in the words of any language, and the first line of another log.
            if _BANNER.match(line.text) and not line.text[:1].isspace() and ":" not in line.text.split()[0]:
                self._banner(line)
            return
        seconds = clock.time_of_day(match[1])
        if seconds is None:
            self._log.malformed(line.error(f"{shown(match[1])} is no time of day"))
            return
        words = match[2].split()
        if "RESTART" in words[0].upper() or (len(words) > 1 and words[1].upper() == "RESTART"):
            self._end()
        elif not self._header(clock.Stamp(seconds), words) and self._columns is not None:
            self._row(line, clock.Stamp(seconds), match[1], words)

    def _banner(self, line: Line) -> None:
        words = line.text.split()
        if not any(known(word) for word in words):
            self._end()

    def _header(self, stamp: clock.Stamp, words: list[str]) -> bool:
        if sum(known(word) for word in words) >= _LEAST_KNOWN:
            unknown = [index for index, word in enumerate(words) if not known(word)]
            self._device_at = words.index("DEV") if "DEV" in words else (unknown[0] if unknown else None)
            self._columns = [word for index, word in enumerate(words) if index != self._device_at]
            if not self._rows:  # the stamp of a header is the end of the interval before
                self._start = stamp
            return True
        if not any(word[:1].isdigit() for word in words):  # the header of a table of something else
            self._columns = None
            return True
        return False

    def _row(self, line: Line, stamp: clock.Stamp, text: str, words: list[str]) -> None:
        columns = self._columns or []
        device = ALL
        if self._device_at is not None and len(words) > self._device_at:
            device = words.pop(self._device_at)
        if len(words) != len(columns):
            self._log.malformed(
                line.error(f"expected {len(columns)} figures, as the header says; found {len(words)}")
            )
            return
        try:
            values = figures(columns, words)
        except ValueError as error:
            self._log.malformed(line.error(f"device {shown(device)}: {error}"))
            values = dict.fromkeys(("requests", "reads", "writes"), math.nan)
        at = self._row_of.get(text)
        if at is None or device in self._rows[at][2]:  # the same time of another day
            self._row_of[text] = at = len(self._rows)
            self._rows.append((stamp, line, {}))
        self._rows[at][2][device] = values

    def _end(self) -> None:
        rows, self._rows, self._row_of = self._rows, [], {}
        start, self._start = self._start, None
        self._columns = None
        try:
            lengths = clock.lengths(start, [row[0] for row in rows])
        except ValueError as error:
            raise rows[error.args[0]][1].error(
                "the time is before that of the row before: the clock was set back",
                hint="split the log there",
            ) from None
        for (_, _, devices), seconds in zip(rows, lengths, strict=True):
            interval = self._log.interval(seconds)
            for device, values in devices.items():
                self._log.put(interval, device, values)
