"""Jobs of fio joined into a cell: rates add up, means are weighted by requests, histograms are merged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from iowatt.base.errors import InputError
from iowatt.evaluate.measured.cell import SHARES, Cell, Measured
from iowatt.evaluate.measured.simulation import quantiles
from iowatt.run.histogram import Histogram


@dataclass(frozen=True)
class JobTimes:
    """What one job did in one direction; times in seconds, ``percentiles`` by share."""

    requests: int
    runtime_s: float
    mean_s: float
    percentiles: Mapping[float, float] = field(default_factory=dict)
    histogram: Histogram = field(default_factory=lambda: Histogram.of([], [], []))


def measured(cell: Cell, jobs: Mapping[str, Sequence[JobTimes]]) -> Measured:
    """The figures of equal jobs, by direction ("read", "write"), as one cell.

    Percentiles come from the histograms; where jobs have none they are the mean of the jobs' own, which is
    exact where the jobs are equal. Raises ``InputError`` where there is no request.
    """
    parts = {way: [job for job in listed if job.requests] for way, listed in jobs.items()}
    counts = {way: sum(job.requests for job in listed) for way, listed in parts.items()}
    if not sum(counts.values()):
        raise InputError("empty", cell.source, "it made no request")
    rates = [job.requests / job.runtime_s for listed in parts.values() for job in listed if job.runtime_s]
    means = {way: _weighted([(job.requests, job.mean_s) for job in listed]) for way, listed in parts.items()}
    histograms = {way: Histogram.merged([job.histogram for job in listed]) for way, listed in parts.items()}
    shares = {
        way: quantiles(histogram) if histogram.total else _percentiles(parts[way])
        for way, histogram in histograms.items()
    }
    return Measured(
        cell=cell,
        iops=math.fsum(rates),
        mean_s=_weighted([(counts[way], mean) for way, mean in means.items() if mean is not None]),
        reads=shares["read"],
        writes=shares["write"],
        read_mean_s=means["read"],
        write_mean_s=means["write"],
        read_histogram=histograms["read"] if histograms["read"].total else None,
        write_histogram=histograms["write"] if histograms["write"].total else None,
        samples=sum(counts.values()),
    )


def _weighted(parts: Sequence[tuple[int, float]]) -> float | None:
    counted = sum(count for count, _ in parts)
    return math.fsum(count * mean for count, mean in parts) / counted if counted else None


def _percentiles(jobs: Sequence[JobTimes]) -> dict[float, float]:
    found = {}
    for share in SHARES.values():
        known = [(job.requests, job.percentiles[share]) for job in jobs if share in job.percentiles]
        mean = _weighted(known)
        if mean is not None and len(known) == len(jobs):
            found[share] = mean
    return found
