"""iostat's text: reports of any version of sysstat, with and without time stamps.

The first report of a log is the mean since the system was started, unless iostat ran with ``-y``; it says
nothing of the time that was recorded, and would hide a day in a year's mean.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal

from iowatt.counters import clock
from iowatt.counters.columns import figures, known, seconds_of
from iowatt.counters.log import Log
from iowatt.counters.text import Line, shown

First = Literal["auto", "drop", "keep"]
DROPPED: Final = (
    "the first report of a log is the mean since the system was started: left out "
    "(--first keep where iostat ran with -y)"
)
_BANNER: Final = re.compile(r"\S.*\s\(.*\)\s+\S", re.ASCII)
_LEAST_KNOWN: Final = 3  # columns that make a line a header


@dataclass
class _Report:
    """One report: its devices, its stamp, and how long it was by its own totals."""

    stamp: clock.Stamp | None
    line: Line
    devices: dict[str, dict[str, float]] = field(default_factory=dict)
    # The total from which the length is known, and the length.
    by_totals: tuple[float, float] = (0.0, 0.0)


class Reader:
    """Takes the lines of a log, one after another, and puts its reports into ``log``."""

    def __init__(self, log: Log, first: First) -> None:
        self._log = log
        self._first = first
        self._columns: list[str] | None = None
        self._device_last = False
        self._stamp: clock.Stamp | None = None
        self._section: list[_Report] = []
        self._report: _Report | None = None
        self._wrapped: str | None = None
        self._in_cpu = False
        # sysstat prints an empty line in place of the report that -y leaves out.
        self._blank_after_banner: int | None = None
        self._without_first = False

    def read(self, lines: Iterable[Line]) -> None:
        """All of a file."""
        for line in lines:
            self._take(line)
        self._end_section()

    def _take(self, line: Line) -> None:
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
        if self._in_cpu and all(word[:1].isdigit() for word in words):
            self._in_cpu = False
            return
        self._in_cpu = False
        if self._is_header(words):
            return
        stamp = clock.stamp(line.text)
        if stamp is not None:
            self._report = None
            self._stamp = stamp
        elif _BANNER.match(line.text) and not self._is_row(words):
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
            self._report = None
        return True

    def _is_row(self, words: list[str]) -> bool:
        return self._columns is not None and len(words) == len(self._columns) + 1

    def _begin(self) -> None:
        self._report = None

    def _row(self, line: Line, words: list[str]) -> None:
        if self._columns is None:
            return
        if self._wrapped is not None:  # old versions put a long name on a line of its own
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
                    f"expected a device and {want - 1} figures, as the header says; found {len(words)} words"
                )
            )
            return
        device, texts = (words[-1], words[:-1]) if self._device_last else (words[0], words[1:])
        try:
            values = figures(self._columns, texts)
        except ValueError as error:
            self._log.malformed(line.error(f"device {shown(device)}: {error}"))
            values = dict.fromkeys(("requests", "reads", "writes"), math.nan)
        self._put(line, device, values, seconds_of(self._columns, texts))

    def _put(self, line: Line, device: str, values: dict[str, float], by_totals: tuple[float, float]) -> None:
        report = self._report
        # Without stamps and avg-cpu nothing but a device that comes again tells that a report begins.
        if report is None or report.devices.get(device, {}).keys() & values.keys():
            report = _Report(self._stamp, line)
            self._stamp = None
            self._report = report
            self._section.append(report)
        report.devices.setdefault(device, {}).update(values)
        report.by_totals = max(report.by_totals, by_totals)

    def _end_section(self) -> None:
        """Put what was gathered since the banner into the log."""
        reports, self._section = self._section, []
        self._report, self._columns, self._stamp, self._wrapped = None, None, None, None
        without_first, self._without_first = self._without_first, False
        if not reports:
            return
        start = None
        if self._drops(reports, without_first):
            self._log.note(DROPPED)
            start, reports = reports[0].stamp, reports[1:]
        for report, seconds in zip(reports, self._seconds(start, reports), strict=True):
            interval = self._log.interval(seconds)
            for device, values in report.devices.items():
                self._log.put(interval, device, values)

    def _drops(self, reports: list[_Report], without_first: bool) -> bool:
        if self._first != "auto":
            return self._first == "drop"
        lengths = [report.by_totals[1] for report in reports]
        if lengths[0] and (rest := [length for length in lengths[1:] if length]):
            # Twice the median is beyond what -y would leave, whatever the totals were rounded to.
            return lengths[0] > 2 * statistics.median(rest)
        return not without_first

    def _seconds(self, start: clock.Stamp | None, reports: list[_Report]) -> list[float]:
        stamps = [report.stamp for report in reports if report.stamp is not None]
        if len(stamps) == len(reports):
            try:
                return clock.lengths(start, stamps)
            except ValueError as error:
                raise reports[error.args[0]].line.error(
                    "the time stamp is before that of the report before: the clock was set back, or two logs "
                    "follow without their first lines",
                    hint="split the log there",
                ) from None
        found = [report.by_totals for report in reports]
        # Totals are whole numbers, so that only large ones tell the length; iostat keeps to one interval.
        total, seconds = max(found, default=(0.0, 0.0))
        if total < 100:
            return [math.nan] * len(reports)
        lengths = [length for amount, length in found if amount >= 100]
        return [statistics.median(lengths) if lengths else seconds] * len(reports)
