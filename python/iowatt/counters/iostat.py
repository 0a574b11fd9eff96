"""iostat's text: reports of any version of sysstat, with and without time stamps.

The first report of a log is the mean since the system was started, unless iostat ran with ``-y``; it says
nothing of the time that was recorded, and would hide a day in a year's mean.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal

from iowatt.counters import clock
from iowatt.counters.columns import known, row_figures, seconds_of
from iowatt.counters.log import CountersLog
from iowatt.counters.text import LogLine, banner

First = Literal["auto", "drop", "keep"]
DROPPED: Final = (
    "the first report of a log is the mean since the system was started: left out "
    "(--first keep where iostat ran with -y)"
)
_LARGE_TOTAL: Final = 100
_LEAST_KNOWN: Final = 3  # columns that make a line a header


@dataclass(frozen=True)
class _End:
    """The part of a report that gives the length of its interval, once the section is read."""

    interval: int
    stamp: clock.Stamp | None
    place: LogLine
    by_totals: tuple[float, float]


@dataclass
class _Report:
    """One report: its devices, its stamp, and how long it was by its own totals."""

    stamp: clock.Stamp | None
    place: LogLine
    devices: dict[str, dict[str, float]] = field(default_factory=dict)
    # The total from which the length is known, and the length.
    by_totals: tuple[float, float] = (0.0, 0.0)


class IostatReader:
    """Takes the lines of a log, one after another, and puts its reports into ``log``."""

    def __init__(self, log: CountersLog, first: First) -> None:
        self._log = log
        self._first = first
        self._columns: list[str] | None = None
        self._device_last = False
        self._stamp: clock.Stamp | None = None
        self._report: _Report | None = None
        # The first report of a section, until the second tells whether it is since the start of the system.
        self._held: _Report | None = None
        self._start: clock.Stamp | None = None
        self._dropped = False
        self._ends: list[_End] = []
        self._wrapped: str | None = None
        self._in_cpu = False
        # sysstat prints an empty line in place of the report that -y leaves out.
        self._blank_after_banner: int | None = None
        self._without_first = False

    def read(self, lines: Iterable[LogLine]) -> None:
        """All of a file."""
        for line in lines:
            self._take(line)
        self._end_section()

    def _take(self, line: LogLine) -> None:
        words = line.text.split()
        if not words:
            if self._blank_after_banner is not None:
                self._blank_after_banner += 1
            return
        if self._blank_after_banner is not None:
            self._without_first = self._blank_after_banner >= 2
            self._blank_after_banner = None
        if words[0].startswith("avg-cpu"):
            self._begin()
            self._in_cpu = True
            return
        # Where no time has passed, old versions print -nan.
        if self._in_cpu and all(word[:1].isdigit() or word.endswith("nan") for word in words):
            self._in_cpu = False
            return
        self._in_cpu = False
        if self._is_header(words):
            return
        stamp = clock.stamp(line.text)
        if stamp is not None:
            self._begin()
            self._stamp = stamp
        elif banner(line.text) and not self._is_row(words):
            self._end_section()
            self._blank_after_banner = 0
        else:
            self._row(line, words)

    def _is_header(self, words: list[str]) -> bool:
        """Whether it is a header; then its columns are taken."""
        count = sum(known(word) for word in words)
        if count < _LEAST_KNOWN and not (count and words[0].rstrip(":") in ("Device", "Filesystem")):
            if words[0].rstrip(":") in ("Filesystem", "Device"):  # NFS: iostat -n of old versions
                self._columns = None
                return True
            return False
        self._device_last = not known(words[-1]) and known(words[0])
        self._columns = words[:-1] if self._device_last else words[1:]
        if self._report is not None and self._report.devices and not self._device_last:
            self._begin()
        return True

    def _is_row(self, words: list[str]) -> bool:
        return self._columns is not None and len(words) == len(self._columns) + 1

    def _begin(self) -> None:
        """Close the report that was being read."""
        report, self._report = self._report, None
        if report is None:
            return
        if self._held is not None:
            self._settle(self._held, report)
            self._add(report)
        elif self._ends or self._dropped:
            self._add(report)
        else:
            self._held = report

    def _settle(self, first: _Report, second: _Report | None) -> None:
        """Leave the first report of a section out, or not."""
        self._held = None
        if self._drops(first, second):
            self._log.note(DROPPED)
            self._start = first.stamp
            self._dropped = True
        else:
            self._add(first)

    def _add(self, report: _Report) -> None:
        interval = self._log.interval(end=report.stamp)
        self._ends.append(_End(interval, report.stamp, report.place, report.by_totals))
        for device, values in report.devices.items():
            self._log.put(interval, device, values)

    def _row(self, line: LogLine, words: list[str]) -> None:
        if self._columns is None:
            return
        if self._wrapped is not None:  # old versions put a long name on a separate line
            name, self._wrapped = self._wrapped, None
            if len(words) == len(self._columns):
                words = [name, *words]
        if len(words) == 1:
            self._wrapped = words[0]
            return
        if not self._is_row(words):
            want = len(self._columns) + 1
            self._log.malformed(
                line.error(
                    "damaged",
                    f"expected a device and {want - 1} figures, as the header says; found {len(words)} words",
                )
            )
            return
        device, texts = (words[-1], words[:-1]) if self._device_last else (words[0], words[1:])
        values = row_figures(self._log, line, device, self._columns, texts)
        self._put(line, device, values, seconds_of(self._columns, texts))

    def _put(
        self, line: LogLine, device: str, values: dict[str, float], by_totals: tuple[float, float]
    ) -> None:
        report = self._report
        # Without stamps and avg-cpu nothing but a device that comes again tells that a report begins.
        if report is None or report.devices.get(device, {}).keys() & values.keys():
            self._begin()
            report = self._report = _Report(self._stamp, LogLine("", line.number, line.source))
            self._stamp = None
        report.devices.setdefault(device, {}).update(values)
        report.by_totals = max(report.by_totals, by_totals)

    def _end_section(self) -> None:
        """The log since the banner is read: the lengths of its intervals follow."""
        self._begin()
        if self._held is not None:
            self._settle(self._held, None)
        self._set_lengths()
        self._columns, self._stamp, self._wrapped, self._start, self._ends = None, None, None, None, []
        self._dropped = self._without_first = False

    def _drops(self, first: _Report, second: _Report | None) -> bool:
        if self._first != "auto":
            return self._first == "drop"
        length, usual = first.by_totals[1], second.by_totals[1] if second is not None else 0.0
        if length and usual:
            # Twice the next one is beyond what -y would leave, whatever the totals were rounded to.
            return length > 2 * usual
        return not self._without_first

    def _set_lengths(self) -> None:
        ends = [(end.interval, end.stamp, end.place) for end in self._ends if end.stamp is not None]
        if len(ends) == len(self._ends):
            message = (
                "the time stamp is before that of the previous report: the clock was set back, or two logs "
                "follow without their first lines"
            )
            self._log.set_lengths(self._start, ends, message)
            return
        # Totals are whole numbers, so only large ones give the length; iostat keeps to one interval.
        found = [seconds for total, seconds in (end.by_totals for end in self._ends) if total >= _LARGE_TOTAL]
        for end in self._ends:
            self._log.seconds[end.interval] = statistics.median(found) if found else math.nan
