"""Which of fio's logs give response times over time, and what they give where the JSON has no bins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from iowatt.run.histogram import Histogram
from iowatt.sources.fio import hist_logs, logs, over_time
from iowatt.sources.fio.document import DIRECTIONS, Document, Job
from iowatt.sources.observation import Block
from iowatt.sources.responses import bins

_BITS: Final = 10

#: Of a log's rows: the seconds to add to its times.
Shift = Callable[[Job, logs.Rows], float]


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


def from_requests(rows: Sequence[tuple[logs.Rows, float]], begin: float, end: float, kind: str) -> OverTime:
    """From logs with a row for each request of every job, which are exact to the ns."""
    blocks = over_time.requests(rows, begin, end)
    note = (
        f"response times over time are those of fio's logs of each request ({_KINDS[kind]}), by completion, which "
        "they have to the ms"
    )
    return OverTime(blocks, note, each=(_histogram(rows, "read"), _histogram(rows, "write")))


_KINDS: Final = {"lat": "lat", "clat": "clat, which leaves out the submission"}


def _histogram(rows: Sequence[tuple[logs.Rows, float]], direction: str) -> Histogram:
    own = [of.of(direction).value for of, _ in rows]
    values = np.concatenate(own) if own else np.zeros(0, dtype=np.int64)
    number, count = np.unique(bins.numbers(values, _BITS), return_counts=True)
    return bins.histogram(number, count.astype(np.int64), _BITS)


def from_windows(found: Document, folder: Path, shift: Shift, warnings: list[str]) -> OverTime:
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
        parts.append(_placed(job, log, shift))
    if not parts:
        return nothing
    if without:
        warnings.append(
            f"there are no histogram logs of {', '.join(sorted(set(without)))}, so response times over time are "
            "unknown: those of a part of the jobs are not those of all"
        )
        return nothing
    begin, end = min(part.begin for part in parts), max(part.end for part in parts)
    blocks = over_time.histograms(parts, begin, end, warnings)
    if not blocks:
        return nothing
    width = over_time.block_s(parts)
    note = (
        "response times over time are fio's completion times (clat, which leaves out the submission), from the "
        f"histogram logs of {len(parts)} jobs in blocks of {width:g} s: each job's window lies whole in one block"
    )
    return OverTime(blocks, note, [part.log.path for part in parts], None, begin, end)


def _placed(job: Job, log: hist_logs.HistogramLog, shift: Shift) -> over_time.JobLog:
    times = np.array([window.time_ms for window in log.windows], dtype=np.int64)
    zeros = np.zeros(times.size, dtype=np.int64)
    shift_s = shift(job, logs.Rows(log.path, times, zeros, zeros, zeros, log.cut))
    loose = over_time.JobLog(job, log, shift_s, 0.0, job.runtime_s)
    begin = job.start if job.start is not None else float(times[0]) / 1000.0 + shift_s - loose.width_s
    return over_time.JobLog(job, log, shift_s, begin, begin + job.runtime_s)


def from_blocks(blocks: Sequence[Block], direction: str) -> Histogram:
    """All requests of the blocks of one direction."""
    return Histogram.merged([block.histogram for block in blocks if block.op == direction])
