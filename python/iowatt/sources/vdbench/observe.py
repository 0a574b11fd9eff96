"""vdbench's reports as Observations, one for each run.

The flat file gives the figures; the others give start times, histograms and shares, and are compared with it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError
from iowatt.run.histogram import Histogram
from iowatt.sources.observation import Observation, ObservedShare
from iowatt.sources.time_zones import StampZones
from iowatt.sources.vdbench import reports, tables, text
from iowatt.sources.vdbench.clock_alignment import DAY_S, PlacedRun
from iowatt.sources.vdbench.reports import ReportFiles, find_reports
from iowatt.sources.vdbench.text import RunRows, RunStart

#: What a histogram counts that goes beyond the averages.
OF_ALL_INTERVALS: Final = "of all intervals, also of those that vdbench leaves out of its averages"


def read(path: Path | str, *, time_zone: str | None = None) -> list[Observation]:
    """Observations of the runs of one call of vdbench, in order.

    Parameters
    ----------
    path:
        vdbench's output folder, or in it ``flatfile.html``, ``summary.html`` or the report of a workload or a
        device. Files may have a common beginning (``monday_flatfile.html``). Of the other reports those are
        used that are there: summary, totals, status, histogram, skew, parmfile, and the log file for the
        version.
    time_zone:
        Of the load generator (``Europe/Berlin``, ``+02:00``), where the abbreviation in the stamps is not
        known
        or means several zones.

    Raises ``InputError``: a report is damaged, of file system workloads, or of another run than the others.
    """
    files = find_reports(Path(path))
    return _Reading(files, StampZones(time_zone)).observations()


@dataclass
class _Reading:
    """One output of vdbench while it is read."""

    files: ReportFiles
    zones: StampZones
    used: list[Path] = field(default_factory=list)
    #: Day and time of the last row read: reports without dates go on from there.
    until: tuple[date, float] | None = None

    def observations(self) -> list[Observation]:
        main = self.files.main
        self.used.append(main)
        flat = main.name.endswith("flatfile.html")
        summary = None if flat and self.files.other("summary.html") is None else self._summary(flat)
        if flat:
            found = text.group_runs(tables.read_flatfile(main))
        else:
            assert summary is not None
            found = [run for run in summary.runs if run.rows or run.average]
            if not found:
                raise InputError("empty", str(main), "there is no table of intervals of vdbench")
        starts = self._starts(summary)
        if not flat and summary is not None and summary.zone is None:
            self._head(summary)
        self._place(found, starts, summary if flat else None)
        self._hold_against_totals(found)
        parameters = self._parameters()
        complete = self._complete(summary)
        names = _names(found)
        made = []
        for at, run in enumerate(found):
            last = at == len(found) - 1
            made.append(self._observation(run, names[at], summary, parameters, complete or not last))
        return made

    def _summary(self, flat: bool) -> tables.VdbenchReport:
        path = self.files.other("summary.html") if flat else self.files.main
        assert path is not None
        if path not in self.used:
            self.used.append(path)
        return tables.read_report(path)

    @property
    def whole(self) -> bool:
        """Whether the figures are of all workloads and devices together."""
        return self.files.main.name.endswith(("flatfile.html", "summary.html"))

    def _head(self, report: tables.VdbenchReport) -> None:
        """The date and zone of a workload's or a device's report stand in the summary beside it."""
        path = self.files.other("summary.html")
        if path is not None and path != self.files.main:
            other = tables.read_report(path)
            report.created, report.zone, report.version = other.created, other.zone, other.version
            self.used.append(path)

    def _starts(self, summary: tables.VdbenchReport | None) -> list[RunStart]:
        """When runs started, from the first report that says it."""
        if summary is not None and summary.starts:
            return summary.starts
        for name in ("totals.html", "skew.html", "histogram.html"):
            path = self.files.other(name)
            if path is not None and (starts := tables.read_report(path).starts):
                self.used.append(path)
                return starts
        path = self.files.other("status.html")
        if path is not None:
            self.used.append(path)
            return reports.read_status(path)[0]
        return []

    def _place(
        self, runs: list[RunRows], starts: list[RunStart], summary: tables.VdbenchReport | None
    ) -> None:
        """Give each run its start, in order; a run that other reports do not know is of another call."""
        if not starts:
            return
        at = 0
        for run in runs:
            if run.start is not None:
                continue
            while at < len(starts) and not _begins(starts[at], run):
                at += 1
            if at == len(starts):
                first = run.first
                message = (
                    f"run {run.name!r} is not in the other reports, which have "
                    f"{', '.join(sorted({start.run for start in starts}))}: the flat file is of another call "
                    "of vdbench"
                )
                hint = "keep each output of vdbench in a separate directory"
                raise InputError("not-comparable", first.place, message, hint=hint)
            while at + 1 < len(starts) and _begins(starts[at + 1], run):
                at += 1  # one that never came to an interval
            run.start = starts[at]
            if summary is not None:
                self._hold_against(run, summary)
            at += 1

    def _hold_against(self, run: RunRows, report: tables.VdbenchReport) -> None:
        """The average of a run must be what another report prints."""
        assert run.start is not None
        for other in report.runs:
            if other.start is None or not _same(other.start, run.start):
                continue
            run.said += [text for text in other.said if text not in run.said]
            if other.average is None or run.average is None:
                return
            ours, theirs = run.average.get("rate"), other.average.get("rate")
            if ours is not None and theirs is not None and abs(ours - theirs) > 0.06 + 1e-4 * theirs:
                message = (
                    f"run {run.name!r} has {ours:g} requests/s on average, and {theirs:g} in "
                    f"{other.average.place}: they are of different calls of vdbench"
                )
                hint = "keep each output of vdbench in a separate directory"
                raise InputError("not-comparable", run.average.place, message, hint=hint)
            return

    def _hold_against_totals(self, runs: Sequence[RunRows]) -> None:
        path = self.files.other("totals.html")
        if path is None or not self.whole:
            return
        report = tables.read_report(path)
        self.used.append(path)
        for run in runs:
            if run.start is not None:
                self._hold_against(run, report)

    def _parameters(self) -> reports.Parameters | None:
        path = self.files.other("parmfile.html")
        if path is None:
            return None
        self.used.append(path)
        return reports.read_parmfile(path)

    def _complete(self, summary: tables.VdbenchReport | None) -> bool:
        """Whether vdbench says that it came to its end; taken for granted where no report could say it."""
        path = self.files.other("status.html")
        said = [summary.completed] if summary is not None and self.files.other("summary.html") else []
        if path is not None:
            said.append(reports.read_status(path)[1])
        return any(said) if said else True

    def _observation(
        self,
        run: RunRows,
        name: str,
        summary: tables.VdbenchReport | None,
        parameters: reports.Parameters | None,
        complete: bool,
    ) -> Observation:
        warnings: list[str] = []
        placed = PlacedRun(run, self.zones, summary, parameters, since=self.until, warnings=warnings)
        self.until = placed.until
        if run.average is None:
            warnings.append("vdbench gives no average of this run: it did not come to its end")
        elif not complete:
            warnings.append("vdbench does not say that it came to its end")
        intervals = placed.intervals()
        read, write, note = self._histograms(run, placed, warnings)
        shares = self._shares(run, parameters, warnings)
        warnings += [f"vdbench says: {said}" for said in run.said]
        return Observation(
            name=name,
            tool="vdbench",
            version=self._version(run, summary),
            start=intervals[0].start,
            end=intervals[-1].end,
            intervals=intervals,
            read=read,
            write=write,
            histogram_note=note,
            # A workload's or a device's part of the rate is not said.
            asked_iops=placed.asked() if self.whole else None,
            totals=placed.totals(),
            total=placed.total(),
            reported=placed.reported(),
            shares=shares,
            busy_percent=placed.busy_percent,
            warnings=warnings,
            files=list(dict.fromkeys(self.used)),
        )

    def _version(self, run: RunRows, summary: tables.VdbenchReport | None) -> str:
        said = next((row.version for row in run.rows if row.version), None)
        if said is None and summary is not None:
            said = summary.version
        if said is None:
            path = self.files.other("logfile.html")
            said = tables.read_report(path).version if path is not None else None
        return f"vdbench-{said}" if said else "vdbench (it does not say its version)"

    def _histograms(
        self, run: RunRows, placed: PlacedRun, warnings: list[str]
    ) -> tuple[Histogram, Histogram, str | None]:
        none = Histogram.of([], [], [])
        stem = "" if self.whole else self._stem()
        path = self.files.other(f"{stem}histogram.html")
        if path is None or run.start is None:
            return none, none, None
        self.used.append(path)
        longest = max((row.get("max") or 0.0 for row in run.rows), default=0.0)
        for bins in reports.read_histograms(path, math.ceil(longest * 1e6)):
            if not _same(bins.start, run.start):
                continue
            read, write = bins.read, bins.write
            if read is None and write is None and bins.both is not None:
                warnings.append("the histogram does not tell reads from writes, and is left out")
            found = (read or none, write or none)
            counted = sum(part.total for part in found)
            note = "vdbench's bins, 20 us wide at first and 1 s wide at last"
            if counted == placed.counted_requests:
                return (*found, note)
            if abs(counted - placed.all_requests) <= max(2, 0.001 * placed.all_requests):
                if placed.all_requests != placed.counted_requests:
                    note += f"; {OF_ALL_INTERVALS}"
                return (*found, note)
            if counted:
                warnings.append(
                    f"the histogram holds {counted} requests and the intervals {placed.all_requests}: it is "
                    "left out"
                )
            return none, none, None
        return none, none, None

    def _stem(self) -> str:
        return self.files.main.name.removeprefix(self.files.prefix).removesuffix("html")

    def _shares(
        self, run: RunRows, parameters: reports.Parameters | None, warnings: list[str]
    ) -> list[ObservedShare]:
        if not self.whole:
            return []
        path = self.files.other("skew.html")
        if path is not None and run.start is not None:
            self.used.append(path)
            for found in reports.read_skew(path):
                if not _same(found.start, run.start):
                    continue
                if found.uncontrolled:
                    return []
                if found.shares:
                    return found.shares
        return self._shares_of_reports(run, parameters)

    def _shares_of_reports(self, run: RunRows, parameters: reports.Parameters | None) -> list[ObservedShare]:
        """Shares from the workloads' own reports, where there is no skew report."""
        skews = parameters.skews(run.name) if parameters is not None else None
        if not skews or run.start is None or run.start.uncontrolled:
            return []
        rates = {}
        for name in skews:
            path = self.files.other(f"{name}.html")
            if path is None:
                return []
            for other in tables.read_report(path).runs:
                if other.start is not None and _same(other.start, run.start) and other.average is not None:
                    rates[name] = other.average.get("rate") or 0.0
                    self.used.append(path)
        total = math.fsum(rates.values())
        if len(rates) < len(skews) or total <= 0:
            return []
        return [ObservedShare(name, asked, 100 * rates[name] / total) for name, asked in skews.items()]


def _begins(start: RunStart, run: RunRows) -> bool:
    """Whether a run with this first row may be the one that started then."""
    if start.run != run.name and start.run.split()[0] != run.name.split()[0]:
        return False
    first = run.first
    passed = (first.time_s - start.time_s) % DAY_S
    second = run.rows[1].time_s - first.time_s if len(run.rows) > 1 else 0.0
    return passed <= max(3600.0, 2.5 * (second % DAY_S) + 10.0)


def _same(a: RunStart, b: RunStart) -> bool:
    """Whether two reports speak of one start: their stamps differ by some ms, of the status by a second."""
    apart = abs(a.time_s - b.time_s)
    return a.run == b.run and min(apart, DAY_S - apart) < 1.5


def _names(runs: Sequence[RunRows]) -> list[str]:
    """Names of runs; those that come several times get their loops, or a number."""
    names = [run.name for run in runs]
    if len(set(names)) == len(names):
        return names
    longer = [
        f"{run.name} {run.start.loops}"
        if names.count(run.name) > 1 and run.start is not None and run.start.loops
        else run.name
        for run in runs
    ]
    seen: dict[str, int] = {}
    made = []
    for name in longer:
        seen[name] = seen.get(name, 0) + 1
        made.append(name if longer.count(name) == 1 else f"{name} #{seen[name]}")
    return made
