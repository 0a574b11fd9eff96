"""What a search for the highest rate found, with the Run at it."""

from __future__ import annotations

from dataclasses import dataclass

from iowatt.base.results import Note
from iowatt.evaluate.search.highest_rate import Verdict
from iowatt.evaluate.search.rate.request import RateRequest
from iowatt.evaluate.search.rate.result import Basis, Kind
from iowatt.run.bundle import Run


@dataclass(frozen=True)
class RateRun:
    """One rate with the runs of all its seeds."""

    kind: Kind
    #: Requests per second that were asked for; None of a closed loop, which has ``outstanding``.
    rate: float | None
    outstanding: int | None
    achieved: float
    #: The statistic asked for, over all seeds, in s; None where nothing completed.
    response_s: float | None
    #: The same of reads and writes.
    read_s: float | None
    write_s: float | None
    #: Half of the 95 % interval of ``response_s``, s: over the seeds, or by batch means of a single run.
    half_width_s: float | None
    #: None of a probe.
    verdict: Verdict | None
    runs: int
    #: Counted in each run.
    requests: int
    seconds: float


@dataclass(frozen=True)
class RateResult:
    """The highest rate within a limit."""

    asked: RateRequest
    #: The highest rate that was run and met the limit, requests per second; None where none did. Of a closed
    #: loop the rate at which the mean is the limit, interpolated from the nearest one that was run.
    rate_iops: float | None
    #: The lowest one above it that did not.
    beyond_iops: float | None
    #: Where the response time, the mean over seeds, meets the limit, between the two; None where it does not.
    crossing_iops: float | None
    #: 95 % interval of the rate at which the limit is met, and what it is by; None where runs do not tell.
    #: Over seeds it lies about the mean of their own answers, and holds ``crossing_iops``.
    ci95_iops: tuple[float, float] | None
    basis: Basis | None
    #: Answers of the single seeds, where there are several.
    by_seed: tuple[float, ...]
    #: At ``rate_iops``; half of its 95 % interval is None where it is not known.
    response_s: float | None
    response_half_width_s: float | None
    #: The Run at the rate found, of the first seed; its requests are those of all workloads. Of a closed loop
    #: the nearest one: :func:`iowatt.evaluate.search.rate.at_limit.row_at_limit` takes its figures to the limit.
    run: Run | None
    points: tuple[RateRun, ...]
    #: Whether rate and beyond are within the tolerance of one another.
    settled: bool
    #: Why there is no rate, or none beyond it; None where both were found.
    problem: str | None
    notes: tuple[Note, ...]
    #: Seeds of the runs at every rate.
    seeds: tuple[int, ...]
    #: Simulations in all, probes included.
    runs: int
    #: Whose rate it is; none: of all workloads.
    workloads: tuple[str, ...] = ()
    #: Of a closed loop: how many are outstanding at the rate, in the mean, by Little's law.
    outstanding: float | None = None

    @property
    def scale(self) -> float:
        """The rate found over the one that ``run`` ran at."""
        if self.asked.loop == "open" or self.run is None or self.rate_iops is None:
            return 1.0
        return self.rate_iops / float(self.run.summary["throughput"]["iops"])
