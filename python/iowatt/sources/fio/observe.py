"""fio's JSON and logs as one Observation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from iowatt.errors import InputError
from iowatt.run.histogram import Histogram
from iowatt.sources.fio import document, logs, over_time, response_logs
from iowatt.sources.fio.document import DIRECTIONS, Counted, Document, Job
from iowatt.sources.fio.response_logs import OverTime
from iowatt.sources.fio.windows import Series, from_requests, from_windows, split
from iowatt.sources.observation import Direction, Interval, Observation, Share

#: fio writes its JSON a moment after the last request, and takes a moment to start.
_AROUND_S: Final = 5.0
_KEPT_UP: Final = 0.99

#: Logs with a row for each request, with the seconds to add to their times, and the name of the times.
Each = tuple[list[tuple[logs.Rows, float]], str]


def read(
    path: Path | str, *, interval_s: float = 60.0, logs_in: Path | None = None, name: str | None = None
) -> Observation:
    """Observation of one run of fio.

    Parameters
    ----------
    path:
        fio's output with ``--output-format=json`` or ``json+`` (which has the bins), or a folder that holds
        one.
    interval_s:
        Length of the observation's intervals in s.
    logs_in:
        Folder of the jobs' logs; that of ``path`` where it is None. Without logs there is one interval.
    name:
        Of the observation; the file's where it is None.

    Raises
    ------
    InputError
        The output is damaged or made with group reporting, or a log is damaged or of another run.
    """
    if not (math.isfinite(interval_s) and interval_s > 0):
        raise InputError(f"an interval of {interval_s} s: it must be more than 0")
    file = _file(Path(path))
    found = document.read(file)
    warnings = list(found.warnings)
    folder = logs_in or file.parent
    series, used, start, end, each = _series(found, folder, warnings)
    times = _over_time(found, folder, each, start, end, warnings)
    totals = {direction: _total([job.of(direction) for job in found.jobs]) for direction in DIRECTIONS}
    if start is None and times.begin is not None and times.end is not None:
        start, end = times.begin, times.end
    if start is None:
        begun = [job.start for job in found.jobs if job.start is not None]
        longest = max(job.runtime_s for job in found.jobs)
        start = min(begun) if begun else found.end - longest
        end = start + longest if begun else found.end
    if series is None:
        intervals = [Interval(start, end, totals["read"], totals["write"])]
    else:
        intervals = _intervals(series, start, end, interval_s)
    read_ns, write_ns, note = _histograms(found, times)
    _warn(found, warnings, bins=bool(read_ns.total or write_ns.total))
    asked = [job.asked_iops() for job in found.jobs]
    known = [rate for rate in asked if rate is not None]
    rate = math.fsum(known) if len(known) == len(asked) else None
    return Observation(
        name=name or file.stem,
        tool="fio",
        version=found.version,
        start=start,
        end=end,
        intervals=intervals,
        read=read_ns,
        write=write_ns,
        histogram_note=note,
        asked_iops=rate,
        totals=(totals["read"], totals["write"]),
        errors=sum(max(job.errors, 1 if job.error else 0) for job in found.jobs),
        shares=_shares(found.jobs) if rate else (),
        warnings=warnings,
        files=[file, *used, *times.files],
        series=times.blocks,
        series_note=times.note,
        hops=over_time.hops(found.jobs),
        hops_note="of fio's times, submission is lat less clat (of all jobs, as means) and completion is clat: "
        "what waits there and what is served is not told apart",
        outstanding=_outstanding(found.jobs),
    )


def _file(path: Path) -> Path:
    if not path.is_dir():
        return path
    found = sorted(path.glob("*.json"))
    if len(found) != 1:
        listed = ", ".join(file.name for file in found) or "none"
        raise InputError(
            f"a folder with one JSON output of fio is read, and this one has {listed}",
            where=str(path),
            hint="name the file",
        )
    return found[0]


def _series(
    found: Document, folder: Path, warnings: list[str]
) -> tuple[dict[str, list[Series]] | None, list[Path], float | None, float, Each]:
    """What the logs say by direction, the files, start and end, and the rows of requests; no series where a job has
    no logs, no rows where one has none for each request.
    """
    by: dict[str, list[Series]] = {direction: [] for direction in DIRECTIONS}
    used: list[Path] = []
    without: list[str] = []
    starts: list[float] = []
    ends: list[float] = []
    rows_of_each: list[tuple[logs.Rows, float]] = []
    kind, all_each = "lat", True
    if not folder.is_dir():
        raise InputError("there is no such folder of logs", where=str(folder))
    for job in found.jobs:
        if job.read.requests == 0 and job.write.requests == 0:
            continue
        paths = {kind: logs.find(folder, job, kind) for kind in ("lat", "clat", "iops", "bw")}
        limit = logs.REPLAY_BYTES if "read_iolog" in job.options else logs.MOST_BYTES
        rows = {kind: logs.read(path, limit) for kind, path in paths.items() if path is not None}
        rows = {kind: of for kind, of in rows.items() if of.time_ms.size}
        lat = rows.get("lat", rows.get("clat"))
        each = lat is not None and not lat.windowed
        all_each = all_each and each
        if not each and "iops" not in rows:
            without.append(job.name)
            continue
        main = lat if each and lat is not None else rows["iops"]
        _refuse_maxima(job, main)
        shift_s = _shift(found, job, rows, main, warnings)
        if each and lat is not None:
            rows_of_each.append((lat, shift_s))
            kind = kind if "lat" in rows else "clat"
        width = _width(job, main)
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
                    own["iops"], own.get("bw"), times, done, width_ms=width, until=until - shift_s, what=what
                )
            by[direction].append(_moved(series, shift_s))
            if series.rounded:
                warnings.append(
                    f"the log of {what} has {abs(series.rounded)} of {done.requests} requests "
                    f"{'too few' if series.rounded > 0 else 'too many'}; fio's JSON decides"
                )
    if used:
        _refuse_strangers(found, folder)
    every: Each = (rows_of_each, kind) if all_each and not without else ([], kind)
    if not starts:
        warnings.append("there are no logs of its jobs: one interval holds the whole run")
        return None, used, None, found.end, every
    if without:
        warnings.append(
            f"there are no logs of {', '.join(sorted(set(without)))}: one interval holds the whole run"
        )
        return None, used, min(starts), max(ends), every
    return by, used, min(starts), max(ends), every


def _over_time(
    found: Document, folder: Path, each: Each, start: float | None, end: float, warnings: list[str]
) -> OverTime:
    """Response times over time, from logs of each request where all jobs have them, else from histogram logs."""
    rows, kind = each
    if rows and start is not None:
        return response_logs.from_requests(rows, start, end, kind)

    def shift(job: Job, log: logs.Rows) -> float:
        return _shift(found, job, {"clat_hist": log}, log, warnings)

    times = response_logs.from_windows(found, folder, shift, warnings)
    if times.files:
        _refuse_strangers(found, folder)
    return times


def _refuse_strangers(found: Document, folder: Path) -> None:
    strange = logs.strangers(folder, found.jobs)
    if strange:
        raise InputError(
            f"is a log of a job that is not in {found.path.name}: it is of another run, or jobs were joined",
            where=str(strange[0]),
            hint="put each run's output into a folder of its own, and leave out group_reporting",
        )


def _refuse_maxima(job: Job, main: logs.Rows) -> None:
    """Rows of windows may be means, maxima or both; only means can be added up."""
    asked = job.options.get("log_window_value", job.options.get("log_max_value", "avg"))
    if main.windowed and asked not in ("avg", "0", "false"):
        raise InputError(
            f"holds the largest values of its windows (log_window_value={asked}), and means are wanted",
            where=str(main.path),
            hint="run fio again without log_window_value and log_max_value",
        )


def _span(job: Job, main: logs.Rows, *, each: bool, shift_s: float) -> tuple[float, float]:
    """When a job began and ended making requests, Unix time."""
    if each and "read_iolog" in job.options:
        # A replay runs from its first request to its last, whatever it waited for before.
        first = float((main.time_ms - main.value / 1e6).min())
        return first / 1000.0 + shift_s, float(main.time_ms.max()) / 1000.0 + shift_s
    begin = (float(main.time_ms.min()) - (0 if each else _width(job, main))) / 1000.0 + shift_s
    if job.start is not None:
        begin = job.start
    return begin, begin + job.runtime_s


def _shift(
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
    earliest = found.end - max(other.elapsed_s for other in found.jobs) - _AROUND_S
    if first < earliest or last > found.end + _AROUND_S:
        raise InputError(
            f"runs from {first:.3f} to {last:.3f} (Unix time), and {found.path.name} from about "
            f"{earliest:.0f} to "
            f"{found.end:.3f}: a log of another run",
            where=str(main.path),
            hint="put each run's output into a folder of its own",
        )
    return 0.0


def _width(job: Job, main: logs.Rows) -> float:
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


def _intervals(
    series: dict[str, list[Series]], start: float, end: float, interval_s: float
) -> list[Interval]:
    """Requests by interval; those of a window over an edge in proportion to time."""
    # A run that ends a moment after an edge has no interval of that moment.
    slack = min(0.05 * interval_s, 1.0)
    number = max(1, math.ceil((end - start - slack) / interval_s))
    if number > 1_000_000:
        raise InputError(f"{number} intervals of {interval_s:g} s: a longer interval is needed")
    sums = {direction: _sums(parts, start, interval_s, number) for direction, parts in series.items()}
    made = []
    for k in range(number):
        last = k == number - 1
        edges = (start + k * interval_s, end if last else start + (k + 1) * interval_s)
        made.append(Interval(*edges, _direction(sums["read"], k), _direction(sums["write"], k)))
    return made


Sums = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _sums(parts: Sequence[Series], start: float, interval_s: float, number: int) -> Sums:
    requests, size = np.zeros(number, dtype=np.int64), np.zeros(number, dtype=np.int64)
    response, longest = np.zeros(number), np.full(number, -np.inf)
    for whole in parts:
        part = split(whole, start, interval_s)
        at = np.clip(np.floor((part.middle_s - start) / interval_s), 0, number - 1).astype(np.int64)
        np.add.at(requests, at, part.requests)
        np.add.at(size, at, part.bytes)
        np.add.at(response, at, part.response_s)
        # One that is not known makes the interval's not known: infinite, which no response is.
        known = np.where(np.isnan(part.longest_s), np.inf, part.longest_s)
        np.maximum.at(longest, at, np.where(part.requests > 0, known, -np.inf))
    return requests, size, response, longest


def _direction(sums: Sums, k: int) -> Direction:
    requests, size, response, longest = (column[k] for column in sums)
    mean = float(response) / int(requests) if requests and math.isfinite(response) else None
    most = float(longest) if math.isfinite(longest) else None
    return Direction(int(requests), int(size), mean, most)


def _total(parts: Sequence[Counted]) -> Direction:
    """All jobs together: moments are pooled by the number of response times."""
    timed = sum(part.timed for part in parts)
    requests, size = sum(part.requests for part in parts), sum(part.bytes for part in parts)
    if not timed:
        return Direction(requests, size, None)
    mean = math.fsum(part.mean_s * part.timed for part in parts) / timed
    square = math.fsum((part.std_s**2 + (part.mean_s - mean) ** 2) * part.timed for part in parts) / timed
    return Direction(requests, size, mean, max(part.max_s for part in parts), math.sqrt(square))


def _histograms(found: Document, times: OverTime) -> tuple[Histogram, Histogram, str | None]:
    """Reads and writes of all jobs together, and what they are; from the logs where the JSON has no bins."""
    if found.bins_of is not None:
        read, write = (
            Histogram.merged([job.of(direction).histogram for job in found.jobs]) for direction in DIRECTIONS
        )
        return read, write, _note(found)
    if times.each is not None:
        return *times.each, "fio's logs of each request, in bins 0.1 % wide"
    read, write = (response_logs.from_blocks(times.blocks, direction) for direction in DIRECTIONS)
    if not (read.total or write.total):
        return read, write, None
    requests = sum(job.of(direction).requests for job in found.jobs for direction in DIRECTIONS)
    return (
        read,
        write,
        "fio's histogram logs of all jobs together, of completion times, which leave out the submission: "
        f"{read.total + write.total} of {requests} requests, because fio does not write what completes behind its last "
        "window (its bins with --output-format=json+ have all)",
    )


def _outstanding(jobs: Sequence[Job]) -> int | None:
    """Requests that all jobs together keep outstanding at most; None where that is not said in numbers."""
    total = 0
    for job in jobs:
        depth = job.options.get("iodepth", "1")
        if not (depth.isascii() and depth.isdecimal() and len(depth) < 9):
            return None
        # Engines whose call returns when the request is done hold one, whatever the depth.
        one = job.options.get("ioengine", "psync") in _SYNCHRONOUS
        total += 1 if one else int(depth)
    return total


_SYNCHRONOUS: Final = frozenset(
    ("sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "filecreate", "filestat", "filedelete", "sg", "splice")
)


def _note(found: Document) -> str | None:
    what = (
        "response times" if found.bins_of == "lat_ns" else "completion times, which leave out the submission"
    )
    return f"fio's bins of {what}, 1/64 of their value wide above 127 ns, of all jobs together"


def _shares(jobs: Sequence[Job]) -> list[Share]:
    asked: dict[str, float] = {}
    done: dict[str, int] = {}
    for job in jobs:
        asked[job.name] = asked.get(job.name, 0.0) + (job.asked_iops() or 0.0)
        done[job.name] = done.get(job.name, 0) + job.read.requests + job.write.requests
    rate, requests = math.fsum(asked.values()), sum(done.values())
    if not requests or rate <= 0:
        return []
    return [Share(name, 100 * asked[name] / rate, 100 * done[name] / requests) for name in asked]


def _warn(found: Document, warnings: list[str], *, bins: bool) -> None:
    for job in found.jobs:
        if job.error:
            warnings.append(f"job {job.name!r} ended with error {job.error}")
    trims = sum(job.trims for job in found.jobs)
    if trims:
        warnings.append(f"{trims} trims are left out: only reads and writes are counted")
    if not bins:
        warnings.append(
            "there are no bins of response times, so no percentiles: fio writes them with "
            "--output-format=json+"
        )
    for direction in DIRECTIONS:
        counted = sum(job.of(direction).histogram.total for job in found.jobs)
        timed = sum(job.of(direction).timed for job in found.jobs)
        if found.bins_of and counted != timed:
            warnings.append(f"the bins hold {counted} {direction}s and the response times {timed}")
    short = []
    for job in found.jobs:
        rate = job.asked_iops()
        achieved = (job.read.requests + job.write.requests) / job.runtime_s if job.runtime_s else 0.0
        # A rate that is met on average is missed by chance, too.
        if rate and achieved < _KEPT_UP * rate - 3 * math.sqrt(rate / max(job.runtime_s, 1e-3)):
            short.append(f"{job.name} {achieved:.1f} of {rate:.1f}")
    if short:
        listed = ", ".join(short[:5]) + (" ..." if len(short) > 5 else "")
        warnings.append(
            f"the target did not keep up with the rate asked for ({listed} IOPS): fio delays requests then "
            "and does "
            "not count the wait"
        )
