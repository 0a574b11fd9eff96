"""The rate and latency logs of fio's jobs over time, checked against the totals of its JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from iowatt.base.errors import InputError
from iowatt.sources.fio import logs
from iowatt.sources.fio.document import DIRECTIONS, FioDocument, FioJob, JobCounts
from iowatt.sources.fio.logs import Rows

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

#: What rounding in a log may explain, as a share of the total.
_ROUNDING: Final = 0.005
#: By how much a window that a starved fio wrote late or short may be off, ms. Seen with fio 3.33 on two busy
#: cores: windows of 50 ms were off by 8 % in all, windows of a second by less than 0.5 %.
_LATE_MS: Final = 10.0


@dataclass(frozen=True)
class RateSeries:
    """Requests that completed in pieces of time."""

    #: Unix time, s: the ends of the pieces, and the time within each to which its requests are put.
    end_s: Floats
    middle_s: Floats
    requests: Counts
    bytes: Counts
    response_s: Floats  #: Sum of response times in s; NaN where not known.
    longest_s: Floats  #: Longest response time in s; NaN where not known.
    #: How many requests a log has too few or too many beyond what its rounding and its unwritten end explain;
    #: they are spread in proportion.
    rounded: int = 0


def split_at_edges(series: RateSeries, start: float, interval_s: float) -> RateSeries:
    """The pieces, those over one edge between intervals in two, their requests in proportion to time.

    Pieces over several edges are longer than an interval and stay whole.
    """
    begin_s = 2 * series.middle_s - series.end_s
    first = np.floor((begin_s - start) / interval_s)
    edge = start + (first + 1) * interval_s
    over = (first >= 0) & (begin_s < edge) & (edge < series.end_s) & (series.end_s <= edge + interval_s)
    if not over.any():
        return series
    length = (series.end_s - begin_s)[over]
    ahead = np.rint(series.requests[over] * (edge[over] - begin_s[over]) / length).astype(np.int64)
    share = ahead / np.maximum(1, series.requests[over])
    sizes = series.bytes[over] // np.maximum(1, series.requests[over]) * ahead
    times = series.response_s[over] * share
    end_s, middle_s, requests = series.end_s.copy(), series.middle_s.copy(), series.requests.copy()
    size, response_s = series.bytes.copy(), series.response_s.copy()
    middle_s[over] = (edge[over] + end_s[over]) / 2
    requests[over] -= ahead
    size[over] -= sizes
    response_s[over] -= times
    return RateSeries(
        np.append(end_s, edge[over]),
        np.append(middle_s, (begin_s[over] + edge[over]) / 2),
        np.append(requests, ahead),
        np.append(size, sizes),
        np.append(response_s, times),
        np.append(series.longest_s, series.longest_s[over]),
        series.rounded,
    )


def from_requests(rows: Rows, done: JobCounts, what: str) -> RateSeries:
    """A log with a row for each request: nothing is inferred.

    Raises ``InputError`` where its rows are not the job's requests.
    """
    found = int(rows.time_ms.size)
    if abs(found - done.requests) > max(2.0, _ROUNDING * done.requests):
        raise _other(rows, what, found, done.requests)
    times = rows.time_ms / 1000.0
    response = rows.value / 1e9
    return RateSeries(times, times, np.ones(found, dtype=np.int64), rows.block, response, response)


def from_windows(
    iops: Rows,
    bw: Rows | None,
    lat: Rows | None,
    done: JobCounts,
    *,
    width_ms: float,
    until: float,
    what: str,
) -> RateSeries:
    """Logs of windows: rates as whole requests per second, response times as means.

    fio cuts a rate to a whole number, so a window's row leaves it a range of counts (:func:`_range`); windows
    of half a second leave it one, up to some hundred IOPS. fio does not write the last window either. The
    job's totals decide within these: what they have more goes into the unwritten end, as far as it is
    expected there, then into the ranges, evenly over the run; the rest in proportion to the requests.
    ``until``: Unix time of the job's end. ``width_ms``: what `log_avg_msec` says.

    Raises ``InputError`` where the totals differ by more than the last window, rounding and a busy machine
    explain.
    """
    ends = iops.time_ms.astype(np.float64)
    lengths = np.diff(ends, prepend=ends[:1] - width_ms)
    # A window without requests has no row, so a gap is no long window, unless the totals say so: a busy
    # machine lets fio write a window late, and its rate is then one over all of the gap.
    whole = lengths
    lengths = np.where(lengths > 1.5 * width_ms, width_ms, lengths)
    requests, most = _range(iops.value, lengths)
    tail_s = until - float(ends[-1]) / 1000.0 if ends.size else done.runtime_s
    has_tail = tail_s > 0.02 * width_ms / 1000.0
    expected = done.requests * min(1.0, tail_s / max(done.runtime_s, 1e-3)) if has_tail else 0.0
    by_chance = 5 * math.sqrt(expected + 1) if has_tail else 0.0
    late, _ = _range(iops.value, whole - lengths)
    missing = done.requests - int(requests.sum())
    unexplained = missing - int((most - requests).sum()) - expected
    if unexplained > by_chance and late.any():
        added = _portions(min(missing, int(late.sum()), math.ceil(unexplained)), late)
        requests, most, lengths = requests + added, most + added, np.where(added > 0, whole, lengths)
        missing -= int(added.sum())
    # The end gets what is expected there; and, where the windows are full, what chance may put there.
    room = int((most - requests).sum())
    tail = math.ceil(max(0.0, min(missing, max(expected, min(missing - room, expected + by_chance)))))
    tail = min(tail, max(0, missing))
    inside = max(0, min(missing - tail, room))
    requests = requests + _portions(inside, most - requests)
    rounded = missing - tail - inside
    if abs(rounded) > _LATE_MS / width_ms * done.requests + max(0, ends.size - room):
        raise _other(iops, what, int(requests.sum()), done.requests)
    if rounded:
        requests = requests + int(math.copysign(1, rounded)) * _portions(abs(rounded), requests)
    ends_s, lengths_s = ends / 1000.0, lengths / 1000.0
    left = done.requests - int(requests.sum())
    if left > 0:
        ends_s, lengths_s = np.append(ends_s, until), np.append(lengths_s, max(0.0, tail_s))
        requests = np.append(requests, left)
    middle = ends_s - lengths_s / 2
    response = _responses(lat, ends_s, requests, done, width_ms / 1000.0)
    return RateSeries(
        ends_s,
        middle,
        requests,
        _bytes(bw, ends_s, lengths_s, requests, done=done, width_s=width_ms / 1000.0),
        response,
        np.full(requests.size, np.nan),
        rounded,
    )


def _range(rates: Counts, lengths_ms: Floats) -> tuple[Counts, Counts]:
    """Fewest and most requests of windows of these lengths, by the rates that fio logs for them.

    fio 3.33 divides a window's requests by its whole ms and cuts off the fraction, so the requests are at
    least ``rate`` and less than ``rate + 1`` times its length; and the length that it takes is at most 1 ms
    below the difference of the rows' times, which are cut to ms too.
    """
    shorter = np.maximum(lengths_ms - 1.0, 0.0)
    fewest = np.ceil(rates * shorter / 1000.0 - 1e-9).astype(np.int64)
    most = np.ceil((rates + 1) * lengths_ms / 1000.0 - 1e-9).astype(np.int64) - 1
    return fewest, np.maximum(fewest, most)


def _portions(number: int, weights: Counts) -> Counts:
    """``number`` in whole parts in proportion to the weights, evenly in order; 0 where all weights are."""
    total = int(weights.sum())
    if number <= 0 or total <= 0:
        return np.zeros(weights.size, dtype=np.int64)
    sums = np.rint(np.cumsum(weights) * (number / total)).astype(np.int64)
    parts: Counts = np.diff(sums, prepend=0)
    return parts


def _nearest(rows: Rows, ends_s: Floats, within_s: float) -> Counts:
    """For each piece the row whose time is nearest its end; -1 where none is near enough."""
    times = rows.time_ms / 1000.0
    if times.size == 0:
        return np.full(ends_s.size, -1, dtype=np.int64)
    after = np.clip(np.searchsorted(times, ends_s), 1, max(1, times.size - 1))
    before = after - 1
    after = np.minimum(after, times.size - 1)
    pick = np.where(np.abs(times[after] - ends_s) < np.abs(times[before] - ends_s), after, before)
    return np.where(np.abs(times[pick] - ends_s) <= within_s, pick, -1)


def _responses(lat: Rows | None, ends_s: Floats, requests: Counts, done: JobCounts, width_s: float) -> Floats:
    """Sums of response times in s of each piece, which add up to the job's own.

    A row of the latency log is written with the first completion after its window, so at low rates it is
    late: a piece without a row takes the next one, which averages over it.
    """
    if lat is None or lat.time_ms.size == 0:
        return np.where(requests > 0, np.nan, 0.0)
    own = _nearest(lat, ends_s, width_s / 2)
    following = np.searchsorted(lat.time_ms / 1000.0, ends_s).clip(max=lat.time_ms.size - 1)
    sums: Floats = lat.value[np.where(own >= 0, own, following)] / 1e9 * requests
    total = float(sums.sum())
    return sums * (done.mean_s * done.requests / total) if total > 0 else sums


def _bytes(
    bw: Rows | None, ends_s: Floats, lengths_s: Floats, requests: Counts, *, done: JobCounts, width_s: float
) -> Counts:
    """Bytes of each piece: by the mean size where it explains the bandwidth log, else by that log."""
    if done.requests == 0:
        return np.zeros(requests.size, dtype=np.int64)
    mean = done.bytes / done.requests
    weights: Floats = (requests * mean).astype(np.float64)
    one_size = True
    if bw is not None:
        pick = _nearest(bw, ends_s, width_s / 2)
        kib = bw.value[pick] if bw.value.size else np.zeros(pick.size, dtype=np.int64)
        said: Floats = np.where(requests > 0, kib * 1024.0 * lengths_s, 0.0).astype(np.float64)
        one_size = bool(np.allclose(said[pick >= 0], weights[pick >= 0], rtol=0.02, atol=2048))
        if not one_size:
            weights = np.where(pick >= 0, said, weights).astype(np.float64)
    if one_size and done.bytes % done.requests == 0:
        return requests * (done.bytes // done.requests)
    total = float(weights.sum())
    share = np.floor(weights / total * done.bytes).astype(np.int64) if total > 0 else requests * 0
    share[-1] += done.bytes - int(share.sum())
    return share


def _other(rows: Rows, what: str, found: int, asked: int) -> InputError:
    message = (
        f"the log has {found} requests of {what}, and fio's JSON counts {asked}: it is of another run, or a "
        "part of this one"
    )
    hint = "put each run's output into a separate directory"
    return InputError("not-comparable", str(rows.path), message, hint=hint)


#: fio writes its JSON a moment after the last request, and takes a moment to start.
_AROUND_S: Final = 5.0


@dataclass(frozen=True)
class JobLogs:
    """What logs of rates and of latencies say; histogram logs are for :mod:`iowatt.sources.fio.over_time`."""

    #: By direction; None where a job has no logs, which ``missing`` says.
    series: dict[str, list[RateSeries]] | None
    files: Sequence[Path]
    #: When the first job began, None where no log says it, and the last one ended: Unix time.
    begin: float | None
    end: float
    #: Logs with a row for each request, where every job has one, with the seconds to add to their times;
    #: and what the times are of, "lat" or "clat".
    each: Sequence[tuple[logs.Rows, float]] = ()
    kind: str = "lat"
    missing: str = ""


def read_job_logs(output: FioDocument, folder: Path, warnings: list[str]) -> JobLogs:
    """Read the logs of all jobs, and hold them against the JSON.

    Raises ``InputError`` where a log is damaged or of another run.
    """
    by: dict[str, list[RateSeries]] = {direction: [] for direction in DIRECTIONS}
    used: list[Path] = []
    without: list[str] = []
    starts: list[float] = []
    ends: list[float] = []
    rows_of_each: list[tuple[logs.Rows, float]] = []
    kinds, all_each = set[str](), True
    if not folder.is_dir():
        raise InputError("not-found", str(folder), "no such directory of logs")
    for job in output.jobs:
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
        shift_s = time_shift(output, job, rows, main, warnings)
        if each and lat is not None:
            rows_of_each.append((lat, shift_s))
            kinds.add("lat" if "lat" in rows else "clat")
        width_ms = window_ms(job, main)
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
        refuse_unknown_logs(output, folder)
    if not starts:
        return JobLogs(None, used, None, output.end, missing="there are no logs of its jobs")
    # Two kinds of times do not add up.
    every = rows_of_each if all_each and not without and len(kinds) == 1 else []
    kind = min(kinds, default="lat")
    if without:
        missing = f"there are no logs of {', '.join(sorted(set(without)))}"
        return JobLogs(None, used, min(starts), max(ends), every, kind, missing)
    return JobLogs(by, used, min(starts), max(ends), every, kind)


def _rows(folder: Path, job: FioJob) -> dict[str, logs.Rows]:
    """The logs of a job that hold anything, by their kind."""
    paths = {kind: logs.find(folder, job, kind) for kind in ("lat", "clat", "iops", "bw")}
    read = logs.read_replay_log if "read_iolog" in job.options else logs.read
    rows = {kind: read(path) for kind, path in paths.items() if path is not None}
    return {kind: of for kind, of in rows.items() if of.time_ms.size}


def refuse_unknown_logs(output: FioDocument, folder: Path) -> None:
    """Raise ``InputError`` where the folder has logs of jobs that are not in the JSON."""
    strange = logs.strangers(folder, output.every)
    if strange:
        message = (
            f"a log of a job that is not in {output.path.name}: it is of another run, or jobs were joined"
        )
        hint = "put each run's output into a separate directory, and leave out group_reporting"
        raise InputError("not-comparable", str(strange[0]), message, hint=hint)


def _refuse_maxima(job: FioJob, main: logs.Rows) -> None:
    """Rows of windows may be means, maxima or both; only means can be added up."""
    asked = job.options.get("log_window_value", job.options.get("log_max_value", "avg"))
    if main.windowed and asked not in ("avg", "0", "false"):
        message = (
            f"the log has the largest values of its windows (log_window_value={asked}); means are needed"
        )
        hint = "run fio again without log_window_value and log_max_value"
        raise InputError("unsupported", str(main.path), message, hint=hint)


def _span(job: FioJob, main: logs.Rows, *, each: bool, shift_s: float) -> tuple[float, float]:
    """When a job began and ended making requests, Unix time."""
    if each and "read_iolog" in job.options:
        # A replay runs from its first request to its last, whatever it waited for before.
        first = float((main.time_ms - main.value / 1e6).min())
        return first / 1000.0 + shift_s, float(main.time_ms.max()) / 1000.0 + shift_s
    begin = (float(main.time_ms.min()) - (0 if each else window_ms(job, main))) / 1000.0 + shift_s
    if job.start is not None:
        begin = job.start
    return begin, begin + job.runtime_s


def time_shift(
    output: FioDocument, job: FioJob, rows: dict[str, logs.Rows], main: logs.Rows, warnings: list[str]
) -> float:
    """Seconds to add to the log's times; 0 where they are Unix time, which is then checked."""
    if not main.absolute:
        text = (
            "logs count time from the start of their job (log_unix_epoch=1 makes it a date): they are put to "
            "the JSON's end"
        )
        if text not in warnings:
            warnings.append(text)
        return output.end - job.runtime_s if job.start is None else job.start
    first = min(int(of.time_ms.min()) for of in rows.values()) / 1000.0
    last = max(int(of.time_ms.max()) for of in rows.values()) / 1000.0
    earliest = output.written - max(other.elapsed_s for other in output.every) - _AROUND_S
    if first < earliest or last > output.written + _AROUND_S:
        message = (
            f"a log of another run: it is from {first:.3f} to {last:.3f} (Unix time), and {output.path.name} "
            f"from about {earliest:.0f} to {output.written:.3f}"
        )
        hint = "put each run's output into a separate directory"
        raise InputError("not-comparable", str(main.path), message, hint=hint)
    return 0.0


def window_ms(job: FioJob, main: logs.Rows) -> float:
    """Length of a log's windows in ms: what the job says, else how far its rows are apart."""
    said = job.options.get("log_avg_msec", "")
    if said.isascii() and said.isdecimal() and 0 < int(said[:12]) < 1e9:
        return float(said[:12])
    steps = np.diff(np.unique(main.time_ms))
    return float(np.median(steps)) if steps.size else job.runtime_s * 1000.0


def _moved(series: RateSeries, by_s: float) -> RateSeries:
    if by_s == 0:
        return series
    return RateSeries(
        series.end_s + by_s,
        series.middle_s + by_s,
        series.requests,
        series.bytes,
        series.response_s,
        series.longest_s,
        series.rounded,
    )
