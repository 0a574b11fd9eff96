"""What one Run says to a search for the highest rate: response times, and what was kept up with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from iowatt.run.bundle import Run

#: Requests that a simulated point may take: beyond, it is shortened.
MOST_REQUESTS: Final = 3_000_000


def half_width_s(times: Mapping[str, Any]) -> float | None:
    """Half of the 95 % interval of the mean in ``response_time_ms``, in s.

    None where there is none, or where the mean less half of it would be no time any more.
    """
    interval = times.get("mean_ci95")
    if interval is None:
        return None
    low, high = (interval["low"], interval["high"]) if isinstance(interval, Mapping) else interval
    half = float(high - low) / 2
    return half / 1e3 if half <= times["mean"] else None


def kept_up(rate: float, completed: float, issued: float) -> float:
    """What was achieved of an open load of ``rate``, where ``issued`` arrived and ``completed`` were done.

    Both per second, or both in all: the scatter of random arrivals is in both, and so taken out.
    """
    return rate * completed / issued


@dataclass(frozen=True)
class RunMeasurement:
    """The requests of the chosen workloads in one Run."""

    requests: int
    completed: int
    seconds: float
    #: The statistic asked for, in s, by kind (``all``, ``read``, ``write``); of kinds that occurred.
    response_s: Mapping[str, float]
    #: Half of the 95 % interval of the mean of all, by batch means, in s; None of percentiles, and where the
    #: run is too short to tell.
    half_width_s: float | None

    def achieved(self, rate: float) -> float:
        """Requests per second that were kept up with, of ``rate``."""
        return kept_up(rate, self.completed, self.requests) if self.requests else 0.0

    def judged_s(self, limits_s: Mapping[str, float]) -> float | None:
        """What is held against the limit of all requests: theirs, or another kind's in proportion to its own.

        None where nothing completed.
        """
        limit = limits_s["all"]
        known = [
            self.response_s[kind] * limit / own for kind, own in limits_s.items() if kind in self.response_s
        ]
        return max(known, default=None)


def measure_run(run: Run, key: str, workloads: Sequence[str] = ()) -> RunMeasurement:
    """What a Run says of the chosen workloads (none: of all of them).

    ``key`` is the statistic's in ``response_time_ms``. Several workloads of more than those chosen have no
    common percentile: then all workloads must be chosen.
    """
    summary = run.summary
    parts = [one for one in summary["workloads"] if one["name"] in workloads]
    part = parts[0] if len(parts) == 1 else summary
    times = part["response_time_ms"]
    return RunMeasurement(
        requests=part["requests"]["count"],
        completed=part["throughput"]["completions"],
        seconds=summary["window"]["duration_s"],
        response_s={
            kind: times[kind][key] / 1e3
            for kind in ("all", "read", "write")
            if times[kind]["count"] and times[kind][key] is not None
        },
        half_width_s=half_width_s(times["all"]) if key == "mean" else None,
    )
