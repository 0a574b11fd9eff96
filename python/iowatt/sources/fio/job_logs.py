"""The logs of fio's jobs together: where they lie in time, whether of this run, and what they count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from iowatt.base.errors import InputError
from iowatt.sources.fio import logs
from iowatt.sources.fio.document import DIRECTIONS, Document, Job
from iowatt.sources.fio.windows import Series, from_requests, from_windows

#: fio writes its JSON a moment after the last request, and takes a moment to start.
_AROUND_S: Final = 5.0


@dataclass(frozen=True)
class JobLogs:
    """What logs of rates and of latencies say; histogram logs are for :mod:`response_logs`."""

    #: By direction; None where a job has no logs, which ``missing`` says.
    series: dict[str, list[Series]] | None
    files: Sequence[Path]
    #: When the first job began, None where no log says it, and the last one ended: Unix time.
    begin: float | None
    end: float
    #: Logs with a row for each request, where every job has one, with the seconds to add to their times;
    #: and what the times are of, "lat" or "clat".
    each: Sequence[tuple[logs.Rows, float]] = ()
    kind: str = "lat"
    missing: str = ""


def read(found: Document, folder: Path, warnings: list[str]) -> JobLogs:
    """Read the logs of all jobs, and hold them against the JSON.

    Raises ``InputError`` where a log is damaged or of another run.
    """
    by: dict[str, list[Series]] = {direction: [] for direction in DIRECTIONS}
    used: list[Path] = []
    without: list[str] = []
    starts: list[float] = []
    ends: list[float] = []
    rows_of_each: list[tuple[logs.Rows, float]] = []
    kinds, all_each = set[str](), True
    if not folder.is_dir():
        raise InputError("not-found", str(folder), "there is no such directory of logs")
    for job in found.jobs:
        if job.read.requests == 0 and job.write.requests == 0:
            continue
        rows = _rows(folder, job)
        lat = rows.get("lat", rows.get("clat"))
        each = lat is not None and not lat.windowed
        all_each = all_each and each
        if not each and "iops" not in rows:
            without.append(job.name)
            continue
        main = lat if each and lat is not None else rows["iops"]
        _refuse_maxima(job, main)
        shift_s = shift(found, job, rows, main, warnings)
        if each and lat is not None:
            rows_of_each.append((lat, shift_s))
            kinds.add("lat" if "lat" in rows else "clat")
        width_ms = width(job, main)
        begin, until = _span(job, main, each=each, shift_s=shift_s)
        starts.append(begin)
        ends.append(until)
        used += [of.path for of in rows.values()]
        warnings += [
            f"the last row of {of.path.name} was cut short, and is left out" for of in rows.values() if of.cut
        ]
        for direction in DIRECTIONS:
            done = job.of(direction)
            own = {kind: of.of(direction) for kind, of in rows.items()}
            what = f"job {job.name!r}, {direction}s"
            if each and lat is not None:
                series = from_requests(lat.of(direction), done, what)
            else:
                times = own.get("lat", own.get("clat"))
                series = from_windows(
                    own["iops"],
                    own.get("bw"),
                    times,
                    done,
                    width_ms=width_ms,
                    until=until - shift_s,
                    what=what,
                )
            by[direction].append(_moved(series, shift_s))
            if series.rounded:
                warnings.append(
                    f"the log of {what} has {abs(series.rounded)} of {done.requests} requests "
                    f"{'too few' if series.rounded > 0 else 'too many'}; fio's JSON decides"
                )
    if used:
        refuse_strangers(found, folder)
    if not starts:
        return JobLogs(None, used, None, found.end, missing="there are no logs of its jobs")
    # Two kinds of times do not add up.
    every = rows_of_each if all_each and not without and len(kinds) == 1 else []
    kind = min(kinds, default="lat")
    if without:
        missing = f"there are no logs of {', '.join(sorted(set(without)))}"
        return JobLogs(None, used, min(starts), max(ends), every, kind, missing)
    return JobLogs(by, used, min(starts), max(ends), every, kind)


def _rows(folder: Path, job: Job) -> dict[str, logs.Rows]:
    """The logs of a job that hold anything, by their kind."""
    paths = {kind: logs.find(folder, job, kind) for kind in ("lat", "clat", "iops", "bw")}
    limit = logs.REPLAY_BYTES if "read_iolog" in job.options else logs.MOST_BYTES
    rows = {kind: logs.read(path, limit) for kind, path in paths.items() if path is not None}
    return {kind: of for kind, of in rows.items() if of.time_ms.size}


def refuse_strangers(found: Document, folder: Path) -> None:
    """Raise ``InputError`` where the folder has logs of jobs that are not in the JSON."""
    strange = logs.strangers(folder, found.every)
    if strange:
        raise InputError(
            "not-comparable",
            str(strange[0]),
            f"a log of a job that is not in {found.path.name}: it is of another run, or jobs were joined",
            hint="put each run's output into a directory of its own, and leave out group_reporting",
        )


def _refuse_maxima(job: Job, main: logs.Rows) -> None:
    """Rows of windows may be means, maxima or both; only means can be added up."""
    asked = job.options.get("log_window_value", job.options.get("log_max_value", "avg"))
    if main.windowed and asked not in ("avg", "0", "false"):
        raise InputError(
            "unsupported",
            str(main.path),
            f"the log has the largest values of its windows (log_window_value={asked}); means are needed",
            hint="run fio again without log_window_value and log_max_value",
        )


def _span(job: Job, main: logs.Rows, *, each: bool, shift_s: float) -> tuple[float, float]:
    """When a job began and ended making requests, Unix time."""
    if each and "read_iolog" in job.options:
        # A replay runs from its first request to its last, whatever it waited for before.
        first = float((main.time_ms - main.value / 1e6).min())
        return first / 1000.0 + shift_s, float(main.time_ms.max()) / 1000.0 + shift_s
    begin = (float(main.time_ms.min()) - (0 if each else width(job, main))) / 1000.0 + shift_s
    if job.start is not None:
        begin = job.start
    return begin, begin + job.runtime_s


def shift(
    found: Document, job: Job, rows: dict[str, logs.Rows], main: logs.Rows, warnings: list[str]
) -> float:
    """Seconds to add to the log's times; 0 where they are Unix time, which is then checked."""
    if not main.absolute:
        text = (
            "logs count time from the start of their job (log_unix_epoch=1 makes it a date): they are put to "
            "the JSON's end"
        )
        if text not in warnings:
            warnings.append(text)
        return found.end - job.runtime_s if job.start is None else job.start
    first = min(int(of.time_ms.min()) for of in rows.values()) / 1000.0
    last = max(int(of.time_ms.max()) for of in rows.values()) / 1000.0
    earliest = found.written - max(other.elapsed_s for other in found.every) - _AROUND_S
    if first < earliest or last > found.written + _AROUND_S:
        raise InputError(
            "not-comparable",
            str(main.path),
            f"a log of another run: it is from {first:.3f} to {last:.3f} (Unix time), and {found.path.name} "
            f"from about {earliest:.0f} to {found.written:.3f}",
            hint="put each run's output into a directory of its own",
        )
    return 0.0


def width(job: Job, main: logs.Rows) -> float:
    """Length of a log's windows in ms: what the job says, else how far its rows are apart."""
    said = job.options.get("log_avg_msec", "")
    if said.isascii() and said.isdecimal() and 0 < int(said[:12]) < 1e9:
        return float(said[:12])
    steps = np.diff(np.unique(main.time_ms))
    return float(np.median(steps)) if steps.size else job.runtime_s * 1000.0


def _moved(series: Series, by_s: float) -> Series:
    if by_s == 0:
        return series
    return Series(
        series.end_s + by_s,
        series.middle_s + by_s,
        series.requests,
        series.bytes,
        series.response_s,
        series.longest_s,
        series.rounded,
    )
