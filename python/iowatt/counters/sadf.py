"""``sadf -d``: sar's figures with semicolons between, the length of each interval in front."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import date
from typing import Final

from iowatt.base.errors import InputError
from iowatt.counters import clock
from iowatt.counters.columns import figures, known
from iowatt.counters.log import TOO_SHORT, Log
from iowatt.counters.sar import ALL
from iowatt.counters.text import Line, rate, shown

_BEFORE: Final = 3  # hostname;interval;timestamp
_DAY: Final = 86_400
_EPOCH: Final = date(1970, 1, 1)
_EPOCH_DIGITS: Final = 11


class Reader:
    """Takes the lines of a log, one after another, and puts its intervals into ``log``."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._columns: list[str] | None = None
        self._has_device = False
        # Intervals by host and time, so that tables of the same times, such as -b's and -d's, go together.
        self._interval_of: dict[tuple[str, str], int] = {}

    def read(self, lines: Iterable[Line]) -> None:
        """All of a file."""
        for line in lines:
            if line.text.startswith("#"):
                self._header(line)
            elif line.text.strip() and self._columns is not None:
                self._row(line)

    def _header(self, line: Line) -> None:
        names = line.text.lstrip("# ").split(";")[_BEFORE:]
        if any("[...]" in name for name in names):
            raise line.error(
                "unsupported",
                "a log with all devices on one line cannot be read",
                hint="sadf -d FILE -- -d, without -h",
            )
        if sum(known(name) for name in names) < 3:
            self._columns = None
            return
        self._has_device = not known(names[0])
        self._columns = names[1:] if self._has_device else names

    def _row(self, line: Line) -> None:
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
        try:
            values = figures(columns, cells[_BEFORE + self._has_device :])
        except InputError as error:
            self._log.malformed(line.wrong(f"device {shown(device)}", error))
            values = dict.fromkeys(("requests", "reads", "writes"), math.nan)
        stamp = (cells[0], cells[2])
        at = self._interval_of.get(stamp)
        if at is None or self._log.last(device) >= at:  # the same log again
            self._interval_of[stamp] = at = self._log.interval(seconds, self._end(cells[2]))
        self._log.put(at, device, values)

    def _end(self, text: str) -> clock.Stamp | None:
        """When a record ended: a date with a time, UTC or local (``-t``), or seconds since 1970 (``-U``)."""
        if text.isascii() and text.isdigit() and len(text) <= _EPOCH_DIGITS:
            self._log.utc = True
            days, seconds = divmod(int(text), _DAY)
            return clock.Stamp(float(seconds), (_EPOCH.toordinal() + days,))
        self._log.utc |= text.rstrip().endswith("UTC")
        return clock.stamp(text)
