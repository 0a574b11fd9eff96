"""One run of vdbench put onto Unix time: its grid of intervals, and the figures of each direction."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Final, Literal

from iowatt.base.errors import InputError
from iowatt.sources.observation import Direction, Interval, ReportedTotals
from iowatt.sources.time_zones import StampZones
from iowatt.sources.vdbench import reports, tables
from iowatt.sources.vdbench.text import ReportRow, RunRows

DAY_S: Final = 86_400.0
_MIB: Final = float(1 << 20)
#: From here a rate asked for is a word: 9999988 the maximum, 9999977 that of a curve.
_NO_RATE: Final = 9_999_900.0
_BUSY_PERCENT: Final = 80.0
_LONGEST_INTERVAL_S: Final = 86_400


class PlacedRun:
    """One run's rows in SI units and UTC."""

    def __init__(
        self,
        run: RunRows,
        zones: StampZones,
        summary: tables.VdbenchReport | None,
        parameters: reports.Parameters | None,
        *,
        since: tuple[date, float] | None,
        warnings: list[str],
    ) -> None:
        self._run = run
        self._rows = run.rows
        self._since = since
        #: Day and time of the last row.
        self.until = since
        self._warnings = warnings
        self._mb = 1e6 if summary is not None and summary.decimal else _MIB
        self._zones = zones
        self._summary = summary
        if not self._rows:
            self._rows = [self._as_one_interval()]
        self._rows = self._with_figures(self._rows)
        self._stamps = self._unix()
        self._start, self._width = self._grid(parameters)
        self._first = self._first_counted()
        self._intervals: list[Interval] = []
        #: How busy the processors of the load generator were, in percent; None where no row says it.
        self.busy_percent: float | None = None
        self._numbers = [row.number or 1 for row in self._rows]

    def _as_one_interval(self) -> ReportRow:
        row = self._run.average
        assert row is not None
        self._warnings.append("only the average of this run is there: it is one interval")
        return row

    def _with_figures(self, found: list[ReportRow]) -> list[ReportRow]:
        """The rows that say how much was done; what is left out is named."""
        kept = [
            row
            for row in found
            if row.get("rate") is not None and (row.get("reads") is not None or not row.get("rate"))
        ]
        missing = list(_gaps([row.number for row in kept if row.number is not None]))
        if missing:
            listed = ", ".join(missing[:10]) + (" ..." if len(missing) > 10 else "")
            self._warnings.append(f"no figures of the intervals {listed}: they are missing, or n/a")
        if not kept:
            raise InputError("empty", found[0].place, "no interval has a rate and a share of reads")
        return kept

    def _unix(self) -> list[float]:
        """Unix time of each row; a table has dates in its headers only, and midnight may pass in between."""
        found: list[float] = []
        day, before = self._since or (None, 0.0)
        made = self._summary.created if self._summary is not None else None
        for row in self._rows:
            own = row.day or made
            if own is None:
                message = "there is no date: neither the rows nor the head of a report has one"
                raise InputError("missing-figure", row.place, message)
            if not row.dated and day is not None:
                own = max(own, day)
                if own == day and row.time_s < before - DAY_S / 2:
                    own += timedelta(days=1)
            day, before = own, row.time_s
            zone = row.zone or (self._summary.zone if self._summary is not None else None)
            stamp = self._zones.unix(own, row.time_s, zone, row.place)
            if found and stamp < found[-1] - 1e-3:
                message = (
                    f"the row's time is {found[-1] - stamp:g} s before that of the row above: the clock of "
                    "the load generator was set back"
                )
                hint = "run load generators in UTC, with a steady clock"
                raise InputError("out-of-order", row.place, message, hint=hint)
            found.append(stamp)
        if day is not None:
            self.until = (day, before)
        return found

    def _grid(self, parameters: reports.Parameters | None) -> tuple[float, float]:
        """Start and interval of the run in s; rows are printed up to some seconds after their interval."""
        said = parameters.interval_s(self._run.name) if parameters is not None else None
        first, number = self._rows[0], self._rows[0].number or 1
        start = None
        if self._run.start is not None:
            start = self._stamps[0] - (first.time_s - self._run.start.time_s) % DAY_S
        steps = [
            (b - a) / ((after.number or 0) - (row.number or 0))
            for a, b, row, after in zip(
                self._stamps, self._stamps[1:], self._rows, self._rows[1:], strict=False
            )
            if (after.number or 0) > (row.number or 0)
        ]
        guesses = steps[:-1] or steps
        if start is not None:
            guesses = [(self._stamps[0] - start) / number, *guesses]
        if not guesses and said is None:
            message = "one row does not give the length of the interval; summary.html or parmfile.html would"
            raise InputError("missing-figure", first.place, message)
        width = max(1.0, float(round(statistics.median(guesses)))) if guesses else float(said or 1.0)
        if said is not None and said != width:
            if len(self._rows) > 2:
                self._warnings.append(
                    f"the parameter file says interval={said:g}, and rows are {width:g} s apart"
                )
            else:
                width = said
        if said is None and start is None and len(steps) == 1:
            width = self._whole_requests(width)
        if width > _LONGEST_INTERVAL_S:
            raise InputError(
                "out-of-range", first.place, f"an interval of {width:g} s is too long for vdbench"
            )
        if start is None:
            start = float(math.floor(self._stamps[0] - number * width))
            self._warnings.append("when it started is inferred from its first interval: no report says it")
        return round(start, 3), width

    def _whole_requests(self, least: float) -> float:
        """The shortest interval with whole numbers of requests; of two rows, the second may be cut short."""
        rates = [row.get("rate") or 0.0 for row in self._rows]
        for width in range(round(least), 301):
            if all(abs(rate * width - round(rate * width)) <= 1e-4 * width for rate in rates):
                return float(width)
        return least

    def _first_counted(self) -> int:
        """The first interval that vdbench's average holds, found by the figures.

        The label is not always right: versions are known whose averages hold one interval more than they say.
        """
        average = self._run.average
        if average is None or average.average is None or average is self._rows[0]:
            return 1 if average is not None else 2
        first, last = average.average
        rate = average.get("rate")
        slack = 1.1 * self._last_digit() + 1e-5 * (rate or 0.0)
        for begin in (first, first - 1):
            inside = [row.get("rate") or 0.0 for row in self._rows if begin <= (row.number or 0) <= last]
            if rate is None or not inside or begin < 1:
                continue
            if abs(statistics.fmean(inside) - rate) <= slack:
                if begin < first:
                    self._warnings.append(
                        f"vdbench calls its average {average.label}; by its figures it holds the intervals "
                        f"{begin} to {last}, and these are counted"
                    )
                return begin
        self._warnings.append(f"vdbench's average {average.label} is not that of its intervals")
        return first

    def _last_digit(self) -> float:
        """What the last printed digit of a rate is worth: the flat file has four, tables one or two."""
        rates = [row.get("rate") or 0.0 for row in (*self._rows, self._run.average) if row is not None]
        for digit in (0.1, 0.01):
            if all(abs(rate / digit - round(rate / digit)) < 1e-3 for rate in rates):
                return digit
        return 0.001

    def asked(self) -> float | None:
        """Requests per second asked for; None where it ran at its maximum, or the report does not say."""
        row = self._run.average or self._rows[0]
        rate = row.get("asked")
        if rate is None and self._run.start is not None and "asked" not in row.values:
            rate = self._run.start.rate
        return rate if rate is not None and 0 < rate < _NO_RATE else None

    def reported(self) -> ReportedTotals | None:
        """The average as vdbench prints it; None where it printed none."""
        row = self._run.average
        if row is None:
            return None
        mean = row.get("resp")
        return ReportedTotals(row.get("rate"), row.get("mb"), None if mean is None else mean / 1e3)

    def intervals(self) -> list[Interval]:
        """The intervals in order, cut where vdbench ended early; warns of what is odd."""
        made = []
        average = self._run.average.average if self._run.average is not None else None
        last = average[1] if average is not None else None
        for row, stamp, number in zip(self._rows, self._stamps, self._numbers, strict=True):
            begin = self._start + (number - 1) * self._width
            end = begin + self._width
            if stamp < end - max(0.25, 0.02 * self._width):
                self._warnings.append(
                    f"interval {row.label} ended after {stamp - begin:.1f} of {self._width:g} s; vdbench "
                    f"prints rates as if it were whole{self._printed()}"
                )
                end = max(stamp, begin + 1e-3)
            counted = self._first <= number and (last is None or number <= last)
            read, write, both = self._directions(row, self._width)
            made.append(Interval(begin, end, read, write, counted, both))
        self._intervals = made
        busy = [
            (row.get("cpu_user") or 0.0) + (row.get("cpu_kernel") or 0.0)
            for row, interval in zip(self._rows, made, strict=True)
            if interval.counted and row.get("cpu_user") is not None
        ]
        self.busy_percent = statistics.fmean(busy) if busy else None
        if busy and statistics.fmean(busy) > _BUSY_PERCENT:
            self._warnings.append(
                f"the load generator's processors were {statistics.fmean(busy):.0f} % busy: above "
                f"{_BUSY_PERCENT:.0f} % vdbench itself warns that its times may be those of the host"
            )
        return made

    def _printed(self) -> str:
        """The average as it is printed, for who compares."""
        rate = self._run.average.get("rate") if self._run.average is not None else None
        return "" if rate is None else f" (on average {rate:g} requests/s)"

    @property
    def all_requests(self) -> int:
        """Requests of all intervals."""
        return sum(part.read.requests + part.write.requests for part in self._intervals)

    @property
    def counted_requests(self) -> int:
        """Requests of the intervals that the average holds."""
        return sum(part.read.requests + part.write.requests for part in self._intervals if part.counted)

    def totals(self) -> tuple[Direction, Direction] | None:
        """What vdbench's own average says of the counted intervals, as totals."""
        found = self._average()
        return (found[0], found[1]) if found is not None else None

    def total(self) -> Direction | None:
        """The same of both directions in one."""
        found = self._average()
        return found[2] if found is not None else None

    def _average(self) -> tuple[Direction, Direction, Direction] | None:
        row = self._run.average
        counted = [part for part in self._intervals if part.counted]
        if row is None or not counted:
            return None
        read, write, both = self._directions(row, self._width * len(counted))
        # What is rounded in the average is known from the intervals, as long as the two agree.
        sums = [
            Direction(
                sum(getattr(part, of).requests for part in counted),
                sum(getattr(part, of).bytes for part in counted),
                None,
            )
            for of in ("read", "write")
        ]
        if abs(sum(part.requests for part in sums) - both.requests) > max(2.0, 1e-4 * both.requests):
            return read, write, both
        found = [
            Direction(s.requests, s.bytes, d.response_mean_s, d.response_max_s, d.response_std_s)
            for s, d in zip(sums, (read, write), strict=True)
        ]
        whole = Direction(
            sums[0].requests + sums[1].requests,
            sums[0].bytes + sums[1].bytes,
            both.response_mean_s,
            both.response_max_s,
            both.response_std_s,
        )
        return found[0], found[1], whole

    def _directions(self, row: ReportRow, seconds: float) -> tuple[Direction, Direction, Direction]:
        """Reads, writes and both of a row that covers so many seconds."""
        requests = round((row.get("rate") or 0.0) * seconds)
        share = row.get("reads")
        reads = round(requests * (share or 0.0) / 100)
        writes = requests - reads
        size = self._bytes(row, requests, seconds)
        bytes_read = round(size * reads / requests) if requests else 0
        read = self._direction(row, "read", reads, bytes_read, alone=writes == 0)
        write = self._direction(row, "write", writes, size - bytes_read, alone=reads == 0)
        both = Direction(
            requests,
            size,
            _seconds(row.get("resp")) if requests else None,
            _seconds(row.get("max")) if requests else None,
            _seconds(row.get("std")) if requests else None,
        )
        return read, write, both

    def _direction(
        self, row: ReportRow, of: Literal["read", "write"], requests: int, size: int, *, alone: bool
    ) -> Direction:
        if not requests:
            return Direction(0, 0, None)
        keys = {"resp": f"{of}_resp", "max": f"{of}_max", "std": f"{of}_std"}
        # What holds for all requests holds for the only direction there is.
        values = {
            key: row.get(own) if own in row.values else (row.get(key) if alone else None)
            for key, own in keys.items()
        }
        return Direction(
            requests, size, _seconds(values["resp"]), _seconds(values["max"]), _seconds(values["std"])
        )

    def _bytes(self, row: ReportRow, requests: int, seconds: float) -> int:
        """Bytes of a row: by the mean size where it explains the throughput, which is rounded."""
        mb, size = row.get("mb"), row.get("size")
        by_size = round(requests * size) if size is not None else None
        if mb is None:
            return by_size or 0
        rounding = 0.000051 if "asked" in row.values else 0.0051
        # An option makes vdbench take 10^6 bytes for a MB; its flat file does not say so.
        for unit in (self._mb, 1e6):
            if by_size is not None and abs(by_size - mb * unit * seconds) <= rounding * unit * seconds:
                return by_size
        return round(mb * self._mb * seconds)


def _gaps(numbers: Sequence[int]) -> Iterator[str]:
    """Numbers that are left out between 1 and the last, as ``3`` or ``5-9``."""
    expected = 1
    for number in numbers:
        if number > expected:
            yield str(expected) if number == expected + 1 else f"{expected}-{number - 1}"
        expected = number + 1


def _seconds(milliseconds: float | None) -> float | None:
    return milliseconds / 1000.0 if milliseconds is not None else None
