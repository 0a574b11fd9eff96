"""The outcome of one run of a stage, from a Run or a load generator's observation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from iowatt.base.errors import InputError
from iowatt.base.results import Result
from iowatt.emerald.generator import GeneratorLoad
from iowatt.evaluate.search.highest import achieved_rate, half_width_s
from iowatt.run.bundle import Run
from iowatt.run.statistics import student_t_quantile
from iowatt.sources.observation import Interval, Observation

_MIB: Final = 1 << 20
#: Batches that a confidence interval needs, and that long series are joined to.
_LEAST_BATCHES, _BATCHES = 4, 20
_Z: Final = 1.96  #: 97.5 % quantile of a normal distribution.


class PointOutcome(Result):
    """The counted part of one run; a line of ``points.jsonl`` holds it."""

    seconds: float
    requests: int
    iops: float
    mib_per_s: float
    response_s: float | None  #: Mean in s; None where nothing completed or the tool does not report it.
    #: Half of the 95 % confidence interval of the mean, s; None where the run is too short.
    half_width_s: float | None
    wall_w: float | None = None  #: Mean power at the wall, W; None where it is not modelled.
    #: The longest mean of one of the plan's intervals (a minute, scaled), s; None where there are none.
    longest_minute_s: float | None = None
    issued_iops: float | None = None  #: Requests issued per second, where that is known.
    #: Requests that the load generator may keep outstanding, and how busy it was in percent, where known.
    outstanding: int | None = None
    busy_percent: float | None = None
    warnings: tuple[str, ...] = ()

    def load(self, asked_iops: float | None) -> GeneratorLoad:
        """The same for the check of the load generator."""
        return GeneratorLoad(
            asked_iops, self.iops, self.response_s, self.seconds, self.outstanding, self.busy_percent
        )

    def achieved_rate(self, rate: float) -> tuple[float, float]:
        """What was achieved of an open load of ``rate``, and its scatter (95 %), in requests per second.

        Where the number of issued requests is known, the scatter of arrivals is taken out.
        """
        if self.issued_iops:
            return achieved_rate(rate, self.iops, self.issued_iops), 0.0
        return self.iops, _Z * math.sqrt(self.requests) / self.seconds if self.seconds > 0 else 0.0


def of_run(run: Run) -> PointOutcome:
    """The window of a simulated Run: what completed in it, as the measurement will be judged."""
    summary, intervals = run.summary, run.table("intervals")
    rows = intervals.select("completions", "response_mean_ms").drop_nulls().rows()
    completions = sum(count for count, _ in rows)
    seconds, throughput = summary["window"]["duration_s"], summary["throughput"]
    return PointOutcome(
        seconds=seconds,
        requests=throughput["completions"],
        iops=throughput["iops"],
        mib_per_s=throughput["mib_per_s"],
        response_s=math.fsum(count * ms for count, ms in rows) / completions / 1e3 if completions else None,
        half_width_s=half_width_s(summary["response_time_ms"]["all"]),
        wall_w=summary["power_w"]["wall_mean"],
        issued_iops=float(intervals["arrivals"].sum()) / seconds,
        longest_minute_s=max((ms for _, ms in rows), default=0.0) / 1e3,
    )


def of_observation(
    observation: Observation, settle_s: float, *, until_s: float = math.inf, outstanding: int | None = None
) -> PointOutcome:
    """The intervals of an observation that begin ``settle_s`` after its first request.

    ``until_s``: when they must have ended, from its first request: jobs neither begin nor end all at once.
    ``outstanding``: what the load generator was told; used where its own output does not report it.
    Raises ``InputError`` where no interval is left.
    """
    first, last = observation.start + settle_s - 1e-6, observation.start + until_s + 1e-6
    settled = [i for i in observation.intervals if i.start >= first and i.end > i.start]
    counted = [i for i in settled if i.end <= last] or settled
    if not counted:
        text = f"none of its {len(observation.intervals)} intervals is after the first {settle_s:g} s"
        hint = "make the points longer with `point_seconds=`"
        raise InputError("empty", f"stage {observation.name}", text, hint=hint)
    seconds = math.fsum(i.end - i.start for i in counted)
    requests = sum(i.read.requests + i.write.requests for i in counted)
    moved = sum(i.read.bytes + i.write.bytes for i in counted)
    mean, half = _mean(counted)
    failed = [f"{observation.errors} requests failed"] if observation.errors else []
    return PointOutcome(
        seconds=seconds,
        requests=requests,
        iops=requests / seconds,
        mib_per_s=moved / seconds / _MIB,
        response_s=mean,
        half_width_s=half,
        outstanding=outstanding if observation.outstanding is None else observation.outstanding,
        busy_percent=observation.busy_percent,
        warnings=(*observation.warnings, *failed),
    )


def _mean(intervals: Sequence[Interval]) -> tuple[float | None, float | None]:
    """Mean response time over intervals, and half of its confidence interval by batch means."""
    batches = []
    joined = max(1, len(intervals) // _BATCHES)
    for at in range(0, len(intervals), joined):
        directions = [one for i in intervals[at : at + joined] for one in (i.read, i.write)]
        sums = [
            (one.requests, one.requests * one.response_mean_s)
            for one in directions
            if one.response_mean_s is not None
        ]
        if count := sum(requests for requests, _ in sums):
            batches.append((count, math.fsum(total for _, total in sums)))
    total = sum(count for count, _ in batches)
    if not total:
        return None, None
    mean = math.fsum(value for _, value in batches) / total
    if len(batches) < _LEAST_BATCHES:
        return mean, None
    # Batches weigh by their requests, as the mean does (ratio estimator; Cochran, Sampling Techniques, 6.4).
    squares = math.fsum((value - mean * count) ** 2 for count, value in batches)
    deviation = math.sqrt(squares / (len(batches) * (len(batches) - 1))) / (total / len(batches))
    return mean, student_t_quantile(0.975, len(batches) - 1) * deviation
