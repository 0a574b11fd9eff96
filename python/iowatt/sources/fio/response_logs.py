"""Which of fio's logs give response times over time, and what they give where the JSON has no bins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from iowatt.run.histogram import Histogram
from iowatt.sources.fio import hist_logs, job_logs, logs, over_time
from iowatt.sources.fio.document import DIRECTIONS, Document, Job
from iowatt.sources.fio.job_logs import JobLogs
from iowatt.sources.fio.windows import Series
from iowatt.sources.observation import Block
from iowatt.sources.responses import bins

_BITS: Final = 10


@dataclass(frozen=True)
class OverTime:
    """Response times over time; what they are of, in words."""

    blocks: Sequence[Block]
    note: str | None
    files: Sequence[Path] = ()
    #: Of all requests, exactly, where each of them has a row; else None.
    each: tuple[Histogram, Histogram] | None = None
    #: When the first job began and the last one ended, where histogram logs say it.
    begin: float | None = None
    end: float | None = None


def read(found: Document, folder: Path, seen: JobLogs, warnings: list[str]) -> OverTime:
    """From logs of each request where all jobs have them, else from histogram logs, or empty.

    Raises ``InputError`` where a histogram log is damaged or of another run.
    """
    if seen.each and seen.begin is not None:
        return _from_requests(seen.each, seen.begin, seen.end, seen.kind)
    times = _from_windows(found, folder, warnings)
    if times.files:
        job_logs.refuse_strangers(found, folder)
    return times


def _from_requests(rows: Sequence[tuple[logs.Rows, float]], begin: float, end: float, kind: str) -> OverTime:
    """From logs with a row for each request of every job, which are exact to the ns."""
    blocks = over_time.requests(rows, begin, end)
    note = (
        f"response times over time are those of fio's logs of each request ({_KINDS[kind]}), by "
        "completion, which "
        "they have to the ms"
    )
    return OverTime(blocks, note, each=(_histogram(rows, "read"), _histogram(rows, "write")))


_KINDS: Final = {"lat": "lat", "clat": "clat, which leaves out the submission"}


def _histogram(rows: Sequence[tuple[logs.Rows, float]], direction: str) -> Histogram:
    own = [of.of(direction).value for of, _ in rows]
    values = np.concatenate(own) if own else np.zeros(0, dtype=np.int64)
    number, count = np.unique(bins.numbers(values, _BITS), return_counts=True)
    return bins.histogram(number, count.astype(np.int64), _BITS)


def _from_windows(found: Document, folder: Path, warnings: list[str]) -> OverTime:
    """From the histogram logs of all jobs; nothing where there are none, or one has none."""
    nothing = OverTime((), None)
    parts: list[over_time.JobLog] = []
    without: list[str] = []
    longest = max(job.of(direction).completion_max_s for job in found.jobs for direction in DIRECTIONS)
    for job in found.jobs:
        if job.read.requests == 0 and job.write.requests == 0:
            continue
        path = logs.find(folder, job, "clat_hist")
        log = None if path is None else hist_logs.read(path, round(longest * 1e9))
        if log is None or not log.windows:
            without.append(job.name)
            continue
        if log.cut:
            warnings.append(f"the last row of {log.path.name} was cut short, and is left out")
        parts.append(_placed(found, job, log, warnings))
    if not parts:
        return nothing
    if without:
        warnings.append(
            f"there are no histogram logs of {', '.join(sorted(set(without)))}, so response times over "
            "time are "
            "unknown: those of a part of the jobs are not those of all"
        )
        return nothing
    begin, end = min(part.begin for part in parts), max(part.end for part in parts)
    blocks = over_time.histograms(parts, begin, end, warnings)
    if not blocks:
        return nothing
    width = over_time.block_s(parts)
    note = (
        "response times over time are fio's completion times (clat, which leaves out the submission), from "
        "the "
        f"histogram logs of {len(parts)} jobs in blocks of {width:g} s: each job's window lies whole in "
        "one block"
    )
    return OverTime(blocks, note, [part.log.path for part in parts], None, begin, end)


def _placed(found: Document, job: Job, log: hist_logs.HistogramLog, warnings: list[str]) -> over_time.JobLog:
    """The log in time: checked to be of this run, as the others are."""
    times = np.array([window.time_ms for window in log.windows], dtype=np.int64)
    zeros = np.zeros(times.size, dtype=np.int64)
    rows = logs.Rows(log.path, times, zeros, zeros, zeros, log.cut)
    shift_s = job_logs.shift(found, job, {"clat_hist": rows}, rows, warnings)
    loose = over_time.JobLog(job, log, shift_s, 0.0, job.runtime_s)
    begin = job.start if job.start is not None else float(times[0]) / 1000.0 + shift_s - loose.width_s
    return over_time.JobLog(job, log, shift_s, begin, begin + job.runtime_s)


def _from_blocks(blocks: Sequence[Block], direction: str) -> Histogram:
    """All requests of the blocks of one direction."""
    return Histogram.merged([block.histogram for block in blocks if block.op == direction])


def as_series(times: OverTime, found: Document) -> dict[str, list[Series]] | None:
    """Requests over time from the blocks, where they hold all of them; None where they do not."""
    series: dict[str, list[Series]] = {}
    for direction in DIRECTIONS:
        blocks = [block for block in times.blocks if block.op == direction]
        done = [job.of(direction) for job in found.jobs]
        total, size = sum(one.requests for one in done), sum(one.bytes for one in done)
        count = np.array([block.histogram.total for block in blocks], dtype=np.int64)
        if not times.blocks or int(count.sum()) != total:
            return None
        spent = math.fsum(one.mean_s * one.timed for one in done)
        own = np.array([block.sum_ns for block in blocks], dtype=np.float64)
        upto = np.rint(np.cumsum(count) * (size / total if total else 0.0)).astype(np.int64)
        end = np.array([block.end for block in blocks], dtype=np.float64)
        begin = np.array([block.start for block in blocks], dtype=np.float64)
        longest = np.array([block.max_ns for block in blocks], dtype=np.float64) / 1e9
        # The submission is spread as the completion is, so that the sum is that of the response times.
        spread = own * (spent / own.sum()) if own.sum() > 0 else own
        bytes_of = np.diff(upto, prepend=0)
        series[direction] = [Series(end, (begin + end) / 2, count, bytes_of, spread, longest)]
    return series


def histograms(found: Document, times: OverTime) -> tuple[Histogram, Histogram, str | None]:
    """Reads and writes of all jobs together, and what they are; from the logs where the JSON has no bins."""
    if found.bins_of is not None:
        read, write = (
            Histogram.merged([job.of(direction).histogram for job in found.jobs]) for direction in DIRECTIONS
        )
        return read, write, _note(found)
    if times.each is not None:
        return *times.each, "fio's logs of each request, in bins 0.1 % wide"
    read, write = (_from_blocks(times.blocks, direction) for direction in DIRECTIONS)
    if not (read.total or write.total):
        return read, write, None
    requests = sum(job.of(direction).requests for job in found.jobs for direction in DIRECTIONS)
    return (
        read,
        write,
        "fio's histogram logs of all jobs together, of completion times, which leave out the submission: "
        f"{read.total + write.total} of {requests} requests, because fio does not write what completes "
        "behind its last "
        "window (its bins with --output-format=json+ have all)",
    )


def _note(found: Document) -> str | None:
    what = (
        "response times" if found.bins_of == "lat_ns" else "completion times, which leave out the submission"
    )
    return f"fio's bins of {what}, 1/64 of their value wide above 127 ns, of all jobs together"
