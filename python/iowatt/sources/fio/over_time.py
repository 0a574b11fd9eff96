"""Response times over time from the logs of fio's jobs, and the parts of a request's way from its JSON.

Histograms of jobs are added, bin by bin, in the bins of the coarsest of their logs. Their windows begin when
each job does, so they are put onto one grid of blocks, a whole number of windows of each job where there is
such a length, each window whole in one block. What completed after a job's last window is in the JSON's bins
alone: it follows that window.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import numpy as np

from iowatt.run.histogram import Histogram
from iowatt.sources import responses
from iowatt.sources.fio import histograms, job_logs, logs
from iowatt.sources.fio.document import DIRECTIONS, FioDocument, FioJob, JobCounts
from iowatt.sources.fio.histograms import HistogramLog
from iowatt.sources.fio.job_logs import JobLogs, RateSeries
from iowatt.sources.fio.logs import Rows
from iowatt.sources.observation import ObservedHop, ResponseBlock
from iowatt.sources.responses import TimeBlocks

#: A window that is longer than this many widths was written late.
_LATE: Final = 1.5
_MOST_BLOCKS: Final = 100_000
#: Longest windows in a block where jobs have windows of different lengths.
_MOST_MULTIPLE: Final = 10
_OPS: Final[tuple[Literal["read", "write"], ...]] = ("read", "write")


@dataclass(frozen=True)
class PlacedLog:
    """The histogram log of a job. Unix time is that of the log and ``shift_s``."""

    job: FioJob
    log: HistogramLog
    shift_s: float
    begin: float  #: When the job began and ended to make requests, Unix time.
    end: float

    @property
    def width_s(self) -> float:
        """Length of its windows: what the job says, else how far rows of a direction are apart."""
        said = self.job.options.get("log_hist_msec", "")
        if said.isascii() and said.isdecimal() and 0 < int(said[:12]) < 1e9:
            return float(said[:12]) / 1000.0
        steps = [
            step
            for way in (0, 1)
            for step in np.diff([w.time_ms for w in self.log.windows if w.direction == way]).tolist()
            if step > 0
        ]
        return float(np.median(steps)) / 1000.0 if steps else max(self.end - self.begin, 1e-3)


@dataclass(frozen=True)
class _PlacedWindow:
    """A window, or what is left behind the last one, and its block."""

    block: int
    way: int
    histogram: Histogram


def block_seconds(parts: Sequence[PlacedLog]) -> float:
    """Length of a block: a multiple of every job's windows, or the longest window where that is too long."""
    widths = [max(1, round(part.width_s * 1000)) for part in parts]
    common, longest = math.lcm(*widths), max(widths)
    return (common if common <= _MOST_MULTIPLE * longest else longest) / 1000.0


def request_blocks(parts: Sequence[tuple[Rows, float]], begin: float, end: float) -> list[ResponseBlock]:
    """Blocks from logs that have a row for each request; each with the seconds to add to its times."""
    blocks = TimeBlocks()
    for rows, shift_s in parts:
        done = np.rint((rows.time_ms / 1000.0 + shift_s - begin) * 1e9).astype(np.int64)
        blocks.add(np.maximum(done, 0), rows.direction.astype(np.uint8), rows.value)
    return blocks.blocks(begin, end)


def histogram_blocks(
    parts: Sequence[PlacedLog], begin: float, end: float, warnings: list[str]
) -> list[ResponseBlock]:
    """Blocks of completion times; none where a log is empty or holds what the JSON does not."""
    pieces: list[_PlacedWindow] = []
    width = block_seconds(parts)
    count = max(1, math.ceil((end - begin) / width - 1e-6))
    if count > _MOST_BLOCKS:
        warnings.append(f"{count} windows of {width:g} s are too many: the histogram logs are left out")
        return []
    late = 0
    coarsest = max(part.log.coarseness for part in parts)
    for part in parts:
        for way, direction in enumerate(DIRECTIONS):
            done = part.job.of(direction)
            own = _of_job(part, way, done, coarsest, warnings)
            if own is None:
                return []
            late += sum(apart > _LATE for apart, _ in own)
            pieces += _place_windows(part, way, own, begin, width)
    if late:
        warnings.append(
            f"{late} windows of the histogram logs are more than {_LATE:g} times as long as asked for: fio "
            "writes one with the first completion after its end"
        )
    return _on_grid(pieces, begin, end, width, count, jobs=[part.job for part in parts])


def _of_job(
    part: PlacedLog, way: int, done: JobCounts, coarseness: int, warnings: list[str]
) -> list[tuple[float, Histogram]] | None:
    """The windows of a job in a direction, each with how many widths it is behind the one before; the last
    one is what completed behind all of them. None where they cannot be those of the JSON.
    """
    windows = [window for window in part.log.windows if window.direction == way and window.total]
    what = f"job {part.job.name!r}, {DIRECTIONS[way]}s"
    total = sum(window.total for window in windows)
    if done.requests and not windows and any(window.direction == way for window in part.log.windows):
        warnings.append(
            f"the histogram log of {what} holds zeros only, and is left out: fio counts nothing in it with "
            "clat_percentiles=0"
        )
        return None
    if total > done.requests:
        warnings.append(
            f"the histogram log of {what} has {total} requests and fio's JSON {done.requests}: the logs "
            "are left out"
        )
        return None
    found = []
    before = part.begin - part.shift_s
    for window in windows:
        at = window.time_ms / 1000.0
        own = Histogram.of(window.low_ns, window.high_ns, window.count)
        found.append(((at - before) / part.width_s, coarsen(own, coarseness)))
        before = at
    behind = _behind(done, coarseness, Histogram.merged([histogram for _, histogram in found]))
    return found if behind is None else [*found, (1.0, behind)]


def _place_windows(
    part: PlacedLog, way: int, windows: Sequence[tuple[float, Histogram]], begin: float, width: float
) -> list[_PlacedWindow]:
    """The blocks of the windows: by their number, so that one and the same job fills blocks evenly."""
    found = []
    # In widths of the job's windows; the middle of the first window decides for all.
    ends = np.cumsum([apart for apart, _ in windows])
    first = (part.begin - begin) / part.width_s
    for end, (_, histogram) in zip(ends.tolist(), windows, strict=True):
        number = math.floor(first + 0.5) + max(0, round(end - 1e-6) - 1)
        block = math.floor((number + 0.5) * part.width_s / width)
        found.append(_PlacedWindow(max(0, block), way, histogram))
    return found


def _behind(done: JobCounts, coarseness: int, windows_sum: Histogram) -> Histogram | None:
    """The JSON's bins less those of the log; None where nothing is left or they do not fit."""
    whole = done.completion_histogram
    if not whole.total or whole.total <= windows_sum.total:
        return None
    made = coarsen(whole, coarseness)
    there = {(int(a), int(b)): int(n) for a, b, n in zip(made.low_ns, made.high_ns, made.count, strict=True)}
    for a, b, n in zip(windows_sum.low_ns, windows_sum.high_ns, windows_sum.count, strict=True):
        left = there.get((int(a), int(b)), 0) - int(n)
        if left < 0:
            return None
        there[(int(a), int(b))] = left
    return Histogram.of([a for a, _ in there], [b for _, b in there], list(there.values()))


def coarsen(fine: Histogram, coarseness: int) -> Histogram:
    """The same in bins of a log of this coarseness, or of a finer one: whole bins of it are joined."""
    first = histograms.bin_number(fine.low_ns.astype(np.int64)) >> coarseness << coarseness
    longest = int(fine.high_ns.max(initial=0))
    low, high = histograms.bin_ranges(first, first + (1 << coarseness) - 1, longest)
    return Histogram.of(low, high, fine.count)


def _on_grid(
    pieces: Sequence[_PlacedWindow],
    begin: float,
    end: float,
    width: float,
    count: int,
    *,
    jobs: Sequence[FioJob],
) -> list[ResponseBlock]:
    cells: dict[tuple[int, int], list[Histogram]] = {}
    for piece in pieces:
        at = min(count - 1, piece.block)
        cells.setdefault((at, piece.way), []).append(piece.histogram)
    scales = [_scale(pieces, way, jobs) for way in (0, 1)]
    found = []
    for (at, way), parts in sorted(cells.items()):
        merged = Histogram.merged(parts)
        found.append(
            ResponseBlock(
                op=_OPS[way],
                start=begin + at * width,
                end=min(begin + (at + 1) * width, max(end, begin + at * width)),
                sum_ns=round(_middles(merged) * scales[way]),
                max_ns=int(merged.high_ns[-1]),
                histogram=merged,
            )
        )
    return found


def _middles(histogram: Histogram) -> float:
    middle = (histogram.low_ns.astype(np.float64) + histogram.high_ns.astype(np.float64)) / 2
    return float((middle * histogram.count.astype(np.float64)).sum())


def _scale(pieces: Sequence[_PlacedWindow], way: int, jobs: Sequence[FioJob]) -> float:
    """What makes the sum over the bins' middles that of fio's mean; 1 where requests are missing."""
    done = [job.of(DIRECTIONS[way]) for job in jobs]
    own = [piece.histogram for piece in pieces if piece.way == way]
    asked = sum(one.completions for one in done)
    middles = math.fsum(_middles(one) for one in own)
    if not asked or sum(one.total for one in own) != asked or middles <= 0:
        return 1.0
    return math.fsum(one.completion_mean_s * one.completions for one in done) * 1e9 / middles


def hops(jobs: Sequence[FioJob]) -> list[ObservedHop]:
    """Submission and completion of all jobs together; none where fio did not keep both of one.

    fio's ``lat`` is ``slat`` and ``clat``: from its making of a request to the submission, and from there to
    the completion. Engines that submit by the call itself have no ``slat`` of their own, so it is taken as
    the difference.
    """
    found: list[ObservedHop] = []
    for op in _OPS:
        parts = [job.of(op) for job in jobs if job.of(op).requests]
        if not parts:
            continue
        if any(part.timed != part.completions or part.mean_s < part.completion_mean_s for part in parts):
            return []
        count = sum(part.timed for part in parts)
        whole = round(math.fsum(part.mean_s * part.timed for part in parts) * 1e9)
        device = round(math.fsum(part.completion_mean_s * part.timed for part in parts) * 1e9)
        found.append(ObservedHop("submission", "host", op, count, 0, whole - device))
        found.append(ObservedHop("completion", "storage", op, count, 0, device))
    return found


_BITS: Final = 10


@dataclass(frozen=True)
class ResponseLogs:
    """Response times over time; what they are of, in words."""

    blocks: Sequence[ResponseBlock]
    note: str | None
    files: Sequence[Path] = ()
    #: Of all requests, exactly, where each of them has a row; else None.
    each: tuple[Histogram, Histogram] | None = None
    #: When the first job began and the last one ended, where histogram logs say it.
    begin: float | None = None
    end: float | None = None


def read_response_logs(
    output: FioDocument, folder: Path, rate_logs: JobLogs, warnings: list[str]
) -> ResponseLogs:
    """From logs of each request where all jobs have them, else from histogram logs, or empty.

    Raises ``InputError`` where a histogram log is damaged or of another run.
    """
    if rate_logs.each and rate_logs.begin is not None:
        return _from_requests(rate_logs.each, rate_logs.begin, rate_logs.end, rate_logs.kind)
    times = _from_windows(output, folder, warnings)
    if times.files:
        job_logs.refuse_unknown_logs(output, folder)
    return times


def _from_requests(
    rows: Sequence[tuple[logs.Rows, float]], begin: float, end: float, kind: str
) -> ResponseLogs:
    """From logs with a row for each request of every job, which are exact to the ns."""
    blocks = request_blocks(rows, begin, end)
    note = (
        f"response times over time are those of fio's logs of each request ({_KINDS[kind]}), by completion, "
        "which they have to the ms"
    )
    return ResponseLogs(blocks, note, each=(_histogram(rows, "read"), _histogram(rows, "write")))


_KINDS: Final = {"lat": "lat", "clat": "clat, which leaves out the submission"}


def _histogram(rows: Sequence[tuple[logs.Rows, float]], direction: str) -> Histogram:
    own = [of.of(direction).value for of, _ in rows]
    values = np.concatenate(own) if own else np.zeros(0, dtype=np.int64)
    number, count = np.unique(responses.bin_numbers(values, _BITS), return_counts=True)
    return responses.bin_histogram(number, count.astype(np.int64), _BITS)


def _from_windows(output: FioDocument, folder: Path, warnings: list[str]) -> ResponseLogs:
    """From the histogram logs of all jobs; nothing where there are none, or one has none."""
    nothing = ResponseLogs((), None)
    parts: list[PlacedLog] = []
    without: list[str] = []
    longest = max(job.of(direction).completion_max_s for job in output.jobs for direction in DIRECTIONS)
    for job in output.jobs:
        if job.read.requests == 0 and job.write.requests == 0:
            continue
        path = logs.find(folder, job, "clat_hist")
        log = None if path is None else histograms.read_log(path, round(longest * 1e9))
        if log is None or not log.windows:
            without.append(job.name)
            continue
        if log.cut:
            warnings.append(f"the last row of {log.path.name} was cut short, and is left out")
        parts.append(_place_log(output, job, log, warnings))
    if not parts:
        return nothing
    if without:
        warnings.append(
            f"there are no histogram logs of {', '.join(sorted(set(without)))}, so response times over time "
            "are unknown: those of a part of the jobs are not those of all"
        )
        return nothing
    begin, end = min(part.begin for part in parts), max(part.end for part in parts)
    blocks = histogram_blocks(parts, begin, end, warnings)
    if not blocks:
        return nothing
    width = block_seconds(parts)
    note = (
        "response times over time are fio's completion times (clat, which leaves out the submission), from "
        f"the histogram logs of {len(parts)} jobs in blocks of {width:g} s: each job's window lies whole in "
        "one block"
    )
    return ResponseLogs(blocks, note, [part.log.path for part in parts], None, begin, end)


def _place_log(
    output: FioDocument, job: FioJob, log: histograms.HistogramLog, warnings: list[str]
) -> PlacedLog:
    """The log in time: checked to be of this run, as the others are."""
    times = np.array([window.time_ms for window in log.windows], dtype=np.int64)
    zeros = np.zeros(times.size, dtype=np.int64)
    rows = logs.Rows(log.path, times, zeros, zeros, zeros, log.cut)
    shift_s = job_logs.time_shift(output, job, {"clat_hist": rows}, rows, warnings)
    loose = PlacedLog(job, log, shift_s, 0.0, job.runtime_s)
    begin = job.start if job.start is not None else float(times[0]) / 1000.0 + shift_s - loose.width_s
    return PlacedLog(job, log, shift_s, begin, begin + job.runtime_s)


def _from_blocks(blocks: Sequence[ResponseBlock], direction: str) -> Histogram:
    """All requests of the blocks of one direction."""
    return Histogram.merged([block.histogram for block in blocks if block.op == direction])


def as_series(times: ResponseLogs, output: FioDocument) -> dict[str, list[RateSeries]] | None:
    """Requests over time from the blocks, where they hold all of them; None where they do not."""
    series: dict[str, list[RateSeries]] = {}
    for direction in DIRECTIONS:
        blocks = [block for block in times.blocks if block.op == direction]
        done = [job.of(direction) for job in output.jobs]
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
        series[direction] = [RateSeries(end, (begin + end) / 2, count, bytes_of, spread, longest)]
    return series


def response_histograms(output: FioDocument, times: ResponseLogs) -> tuple[Histogram, Histogram, str | None]:
    """Reads and writes of all jobs together, and what they are; from the logs where the JSON has no bins."""
    if output.bins_of is not None:
        read, write = (
            Histogram.merged([job.of(direction).histogram for job in output.jobs]) for direction in DIRECTIONS
        )
        return read, write, _note(output)
    if times.each is not None:
        return *times.each, "fio's logs of each request, in bins 0.1 % wide"
    read, write = (_from_blocks(times.blocks, direction) for direction in DIRECTIONS)
    if not (read.total or write.total):
        return read, write, None
    requests = sum(job.of(direction).requests for job in output.jobs for direction in DIRECTIONS)
    return (
        read,
        write,
        "fio's histogram logs of all jobs together, of completion times, which leave out the submission: "
        f"{read.total + write.total} of {requests} requests, because fio does not write what completes "
        "behind its last window (its bins with --output-format=json+ have all)",
    )


def _note(output: FioDocument) -> str | None:
    what = (
        "response times" if output.bins_of == "lat_ns" else "completion times, which leave out the submission"
    )
    return f"fio's bins of {what}, 1/64 of their value wide above 127 ns, of all jobs together"
