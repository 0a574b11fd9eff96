"""Scenarios simulated for a rate search, and what one Run says: response times, and what was kept up with."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.evaluate import evaluation
from iowatt.evaluate.search.highest.rate import achieved_rate, half_width_s
from iowatt.evaluate.search.tasks.executor import Report
from iowatt.model.scenario import Scenario
from iowatt.run import provenance
from iowatt.run.bundle import Run
from iowatt.run.summary_schema import Input


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
        return achieved_rate(rate, self.completed, self.requests) if self.requests else 0.0

    def judged_s(self, limits_s: Mapping[str, float]) -> float | None:
        """The time to compare with the limit of all requests: theirs, or another kind's in proportion to its
        limit.

        None where nothing completed.
        """
        limit = limits_s["all"]
        known = [
            self.response_s[kind] * limit / own for kind, own in limits_s.items() if kind in self.response_s
        ]
        return max(known, default=None)


def measure_run(run: Run, key: str, workloads: Sequence[str] = ()) -> RunMeasurement:
    """The measurement of the chosen workloads in a Run (none: of all of them).

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


#: Runs that a search takes, about: how far it is can only be guessed.
_EXPECTED: Final = 6


@dataclass
class Simulations:
    """Simulations of one search."""

    base: Path
    #: The scenario as given, to which what a run changes is added.
    text: str
    report: Report
    inputs: Callable[[], Sequence[Input]]
    command: str | None
    #: So many were run.
    runs: int = 0

    def run(self, scenario: Scenario, changes: Sequence[str] = ()) -> Run:
        """The Run of a scenario; ``changes`` are the overrides that make it from the given text."""
        from iowatt.base.overrides import with_overrides

        def progress(fraction: float | None, _requests: int) -> None:
            self.report(_share(self.runs + (fraction or 0.0)))

        self.report(_share(self.runs))
        run = evaluation.simulate(
            evaluation.prepare(scenario, self.base, with_overrides(self.text, changes)),
            inputs=self.inputs,
            started_at=provenance.now(),
            command=self.command,
            progress=progress,
            # Other searches may share the process, so that its own clock would count them too.
            cpu_clock=time.thread_time,
        )
        self.runs += 1
        return run


def _share(runs: float) -> float:
    """How far a search is that takes :data:`_EXPECTED` runs or more; never quite at its end."""
    return 0.9 * runs / _EXPECTED if runs < _EXPECTED else 1 - 0.1 * _EXPECTED / runs
