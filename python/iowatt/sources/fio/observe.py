"""fio's JSON and logs as one Observation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from iowatt.base.errors import Argument, InputError
from iowatt.sources.fio import document, groups, job_logs, over_time
from iowatt.sources.fio.document import DIRECTIONS, FioDocument, FioJob, JobCounts
from iowatt.sources.fio.job_logs import JobLogs, RateSeries, split_at_edges
from iowatt.sources.fio.over_time import ResponseLogs
from iowatt.sources.observation import Direction, Interval, Observation, ObservedShare

_KEPT_UP: Final = 0.99
#: Of what was asked for, that is all of it.
_DONE: Final = 0.99


def read(
    path: Path | str,
    *,
    interval_s: float = 60.0,
    logs_in: Path | None = None,
    name: str | None = None,
    origin: float | None = None,
) -> Observation:
    """Observation of one run of fio whose jobs ran together; parameters are those of :func:`read_groups`.

    Raises ``InputError`` as there, and where groups of jobs ran one after another.
    """
    found = read_groups(path, interval_s=interval_s, logs_in=logs_in, name=name, origin=origin)
    if len(found) > 1:
        listed = ", ".join(one.name for one in found)
        message = f"{len(found)} groups of jobs ran one after another ({listed}); one is needed"
        hint = "run fio once per job, or use `iowatt import`, which makes a Run of each"
        raise InputError("ambiguous", str(found[0].files[0]), message, hint=hint)
    return found[0]


def read_groups(
    path: Path | str,
    *,
    interval_s: float = 60.0,
    logs_in: Path | None = None,
    name: str | None = None,
    origin: float | None = None,
) -> list[Observation]:
    """Observations of one run of fio, one for each group of jobs that ran together, in order of time.

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
        Of the observation; the file's where it is None, of several groups their jobs'.
    origin:
        Unix time from which intervals are counted, not after the first request; None: the first request. Runs
        of fio on several hosts have intervals at the same times with it.

    Raises ``InputError``: the output is damaged or made with group reporting, no job made a request, or a log
    is damaged or of another run.
    """
    if not (math.isfinite(interval_s) and interval_s > 0):
        raise InputError(
            "out-of-range", Argument("interval", f"{interval_s} s"), "an interval is longer than 0"
        )
    file = _file(Path(path))
    parts = groups.split_groups(document.read(file))
    called = [name or file.stem] if len(parts) == 1 else groups.group_names(parts)
    return [
        _observation(part, logs_in or file.parent, interval_s, of, origin)
        for part, of in zip(parts, called, strict=True)
    ]


def _observation(
    output: FioDocument, folder: Path, interval_s: float, name: str, origin: float | None
) -> Observation:
    """Of jobs that ran together."""
    warnings = list(output.warnings)
    rate_logs = job_logs.read_job_logs(output, folder, warnings)
    times = over_time.read_response_logs(output, folder, rate_logs, warnings)
    totals = {direction: _total([job.of(direction) for job in output.jobs]) for direction in DIRECTIONS}
    start, end = _span(output, rate_logs, times)
    series = rate_logs.series or over_time.as_series(times, output)
    if series is None:
        warnings.append(f"{rate_logs.missing}: one interval holds the whole run")
        intervals = [Interval(start, end, totals["read"], totals["write"])]
    else:
        widest = 0.0 if rate_logs.series else max(block.end - block.start for block in times.blocks)
        first = start if origin is None else min(start, origin)
        intervals = _intervals(series, first, end, max(interval_s, widest))
    read_ns, write_ns, note = over_time.response_histograms(output, times)
    _warn(output, warnings, bins=bool(read_ns.total or write_ns.total))
    asked = [job.asked_iops() for job in output.jobs]
    known = [rate for rate in asked if rate is not None]
    rate = math.fsum(known) if len(known) == len(asked) else None
    return Observation(
        name=name,
        tool="fio",
        version=output.version,
        start=start,
        end=end,
        intervals=intervals,
        read=read_ns,
        write=write_ns,
        histogram_note=note,
        asked_iops=rate,
        totals=(totals["read"], totals["write"]),
        errors=sum(max(job.errors, 1 if job.error else 0) for job in output.jobs),
        shares=_shares(output.jobs) if rate else (),
        warnings=warnings,
        files=[output.path, *rate_logs.files, *times.files],
        series=times.blocks,
        series_note=times.note,
        hops=over_time.hops(output.jobs),
        hops_note="of fio's times, submission is lat less clat (of all jobs, as means) and completion is "
        "clat: waiting and service are not separate",
        outstanding=_summed([job.outstanding for job in output.jobs]),
        busy_percent=max((100 * job.busy for job in output.jobs if job.busy is not None), default=None),
        processors=_processors(output.jobs),
    )


def _span(output: FioDocument, rate_logs: JobLogs, times: ResponseLogs) -> tuple[float, float]:
    """When the first job began and the last one ended: by the logs, else by the JSON."""
    if rate_logs.begin is not None:
        return rate_logs.begin, rate_logs.end
    if times.begin is not None and times.end is not None:
        return times.begin, times.end
    begun = [job.start for job in output.jobs if job.start is not None]
    longest = max(job.runtime_s for job in output.jobs)
    return (min(begun), min(begun) + longest) if begun else (output.end - longest, output.end)


def _summed(parts: Sequence[int | None]) -> int | None:
    """The sum; None where one is not known."""
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None


def _processors(jobs: Sequence[FioJob]) -> float | None:
    """Processors that jobs kept busy on average, as if all ran at once; None where one does not say it."""
    known = [job.busy for job in jobs if job.busy is not None]
    return math.fsum(known) if len(known) == len(jobs) else None


def _file(path: Path) -> Path:
    if not path.is_dir():
        return path
    found = sorted(path.glob("*.json"))
    if len(found) != 1:
        listed = ", ".join(file.name for file in found) or "none"
        message = f"the directory must have one JSON output of fio; it has {listed}"
        raise InputError("ambiguous" if found else "not-found", str(path), message, hint="name the file")
    return found[0]


def _intervals(
    series: dict[str, list[RateSeries]], start: float, end: float, interval_s: float
) -> list[Interval]:
    """Requests by interval; those of a window over an edge in proportion to time."""
    # A run that ends a moment after an edge has no interval of that moment.
    slack = min(0.05 * interval_s, 1.0)
    number = max(1, math.ceil((end - start - slack) / interval_s))
    if number > 1_000_000:
        message = f"the run would have {number} intervals; at most 1000000 are accepted"
        raise InputError("out-of-range", Argument("interval", f"{interval_s:g} s"), message)
    sums = {direction: _sums(parts, start, interval_s, number) for direction, parts in series.items()}
    made = []
    for k in range(number):
        last = k == number - 1
        edges = (start + k * interval_s, end if last else start + (k + 1) * interval_s)
        made.append(Interval(*edges, _direction(sums["read"], k), _direction(sums["write"], k)))
    return made


Sums = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _sums(parts: Sequence[RateSeries], start: float, interval_s: float, number: int) -> Sums:
    requests, size = np.zeros(number, dtype=np.int64), np.zeros(number, dtype=np.int64)
    response, longest = np.zeros(number), np.full(number, -np.inf)
    for whole in parts:
        part = split_at_edges(whole, start, interval_s)
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


def _total(parts: Sequence[JobCounts]) -> Direction:
    """All jobs together: moments are pooled by the number of response times."""
    timed = sum(part.timed for part in parts)
    requests, size = sum(part.requests for part in parts), sum(part.bytes for part in parts)
    if not timed:
        return Direction(requests, size, None)
    mean = math.fsum(part.mean_s * part.timed for part in parts) / timed
    square = math.fsum((part.std_s**2 + (part.mean_s - mean) ** 2) * part.timed for part in parts) / timed
    return Direction(requests, size, mean, max(part.max_s for part in parts), math.sqrt(square))


def _shares(jobs: Sequence[FioJob]) -> list[ObservedShare]:
    asked: dict[str, float] = {}
    done: dict[str, int] = {}
    for job in jobs:
        asked[job.name] = asked.get(job.name, 0.0) + (job.asked_iops() or 0.0)
        done[job.name] = done.get(job.name, 0) + job.read.requests + job.write.requests
    rate, requests = math.fsum(asked.values()), sum(done.values())
    if not requests or rate <= 0:
        return []
    return [ObservedShare(name, 100 * asked[name] / rate, 100 * done[name] / requests) for name in asked]


def _ended_early(job: FioJob) -> str | None:
    """That a job did less than it was asked to; None where it did it all, or its options do not tell."""
    done, asked_s, asked = job.read.bytes + job.write.bytes, job.asked_s, job.asked_bytes
    if asked is not None and done == asked:
        return None
    if asked_s is not None and job.runtime_s < _DONE * asked_s - 0.1:
        return (
            f"job {job.name!r} ran for {job.runtime_s:.3g} of the {asked_s:g} s asked for (runtime): it was "
            "ended early, or had nothing left to do"
        )
    if asked_s is None and asked is not None and not job.trims and done < _DONE * asked:
        return f"job {job.name!r} moved {done} of the {asked} bytes asked for: it was ended early, or failed"
    return None


def _warn(output: FioDocument, warnings: list[str], *, bins: bool) -> None:
    for job in output.jobs:
        if job.error:
            warnings.append(f"job {job.name!r} ended with error {document.error_text(job.error)}")
    warnings += [said for said in map(_ended_early, output.jobs) if said is not None]
    trims = sum(job.trims for job in output.jobs)
    if trims:
        warnings.append(f"{trims} trims are left out: only reads and writes are counted")
    if not bins:
        warnings.append(
            "there are no bins of response times, so no percentiles: fio writes them with "
            "--output-format=json+"
        )
    for direction in DIRECTIONS:
        counted = sum(job.of(direction).histogram.total for job in output.jobs)
        timed = sum(job.of(direction).timed for job in output.jobs)
        if output.bins_of and counted != timed:
            warnings.append(f"the bins hold {counted} {direction}s and the response times {timed}")
    short = []
    for job in output.jobs:
        rate = job.asked_iops()
        achieved = (job.read.requests + job.write.requests) / job.runtime_s if job.runtime_s else 0.0
        # A rate that is met on average is missed by chance, too.
        if rate and achieved < _KEPT_UP * rate - 3 * math.sqrt(rate / max(job.runtime_s, 1e-3)):
            short.append(f"{job.name} {achieved:.1f} of {rate:.1f}")
    if short:
        listed = ", ".join(short[:5]) + (" ..." if len(short) > 5 else "")
        warnings.append(
            f"the target did not keep up with the rate asked for ({listed} IOPS): fio delays requests then "
            "and does not count the wait"
        )
