"""Figures of one configuration in one metric: simulated (a task for an executor), estimated, calculated."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Literal

from iowatt.base.document import TomlDocument
from iowatt.base.errors import InputError
from iowatt.emerald.bff.result import PointFigures, power_efficiency
from iowatt.emerald.family import Candidate, EmeraldMetric, Family, find_metric, scenario_text
from iowatt.evaluate import evaluation
from iowatt.evaluate.estimate import Estimator, NotEstimated
from iowatt.evaluate.search.rate import ALL, Loop, RateRequest, search_scenario
from iowatt.evaluate.search.tasks import InputFile, Report, recorded, verify_files
from iowatt.model.power import total
from iowatt.model.scenario import Scenario, array_plan
from iowatt.run import provenance
from iowatt.run.bundle import Run

LoadMode = Literal["closed", "open", "as-is"]
_MOST_LOOPS: Final = 8  #: Numbers of outstanding requests that one search tries at most.


@dataclass(frozen=True)
class Task:
    """A simulation to run; it travels as its scenario."""

    key: str
    metric: EmeraldMetric
    text: str  #: The scenario; its paths are relative to ``base``.
    base: str
    files: tuple[InputFile, ...]
    #: ``closed``: with the population that takes ``limit_s``; ``open``: at the highest rate within it;
    #: ``as-is``: as the scenario says.
    mode: LoadMode
    limit_s: float
    tolerance: float
    requests: int
    warmup_requests: int
    start: float | None = None  #: An estimate of the rate, and how near it is thought to be.
    start_error: float | None = None


def key_of(text: str, files: tuple[InputFile, ...], mode: LoadMode, limit_s: float, tolerance: float) -> str:
    """The digest of a task in a journal; the estimate that it starts from is not part of it."""
    search = mode if mode == "as-is" else f"{mode} {limit_s!r} {tolerance!r}"
    # A name changes nothing: classes that differ only in what they take share their points.
    lines = [line for line in text.splitlines() if not line.startswith(("#", "name = "))]
    parts = [version("iowatt"), search, *lines, *(file.sha256 for file in files)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def evaluate(task: Task, report: Report) -> dict[str, Any]:
    """The record of a task: ``key`` and ``figures``, or ``error`` where it cannot be run.

    Raises ``MachineError`` where this machine lacks memory or a file for it.
    """
    return recorded(task.key, lambda: {"figures": _figures(task, report).as_dict()})


def _figures(task: Task, report: Report) -> PointFigures:
    verify_files(task.files)
    scenario = TomlDocument(task.text, "its scenario").validate(Scenario)
    if task.mode != "as-is":
        return _at_limit(task, task.mode, scenario, report)
    run = evaluation.simulate(
        evaluation.prepare(scenario, Path(task.base), task.text),
        inputs=list,
        started_at=provenance.now(),
        progress=lambda fraction, _requests: report(fraction or 0.0),
        cpu_clock=time.thread_time,  # other points share the process
    )
    return _of_run(run, task.metric, runs=1)


def _at_limit(task: Task, loop: Loop, scenario: Scenario, report: Report) -> PointFigures:
    closed = loop == "closed"
    request = RateRequest(
        task.limit_s,
        loop=loop,
        tolerance=task.tolerance,
        workload=ALL,
        start=task.start,
        start_error=task.start_error,
        requests=task.requests,
        warmup_requests=task.warmup_requests if closed else None,
        most_runs=_MOST_LOOPS if closed else RateRequest.most_runs,
    )
    found = search_scenario(scenario, Path(task.base), task.text, request, report)
    if found.run is None or found.rate_iops is None:
        raise InputError("infeasible", None, found.problem or "no rate was found")
    rate, interval = found.crossing_iops or found.rate_iops, found.ci95_iops
    notes = [*(note.text for note in found.notes), *([found.problem] if found.problem else [])]
    if not found.settled and not closed:
        notes.append("the search for the rate did not settle")
    return _of_run(
        found.run,
        task.metric,
        scale=found.scale * rate / found.rate_iops,
        half_percent=None if interval is None else 50 * (interval[1] - interval[0]) / rate,
        runs=found.runs,
        notes=tuple(notes),
        **({"response_ms": task.limit_s * 1e3, "outstanding": found.outstanding} if closed else {}),
    )


def _of_run(run: Run, metric: EmeraldMetric, *, scale: float = 1.0, **more: Any) -> PointFigures:
    """Figures of a Run, with rates ``scale`` times its own and the power above idle in proportion.

    The Run is the one of the highest rate that was run and met the limit; the rate that just meets it lies
    within the search's tolerance above.
    """
    power, through = run.summary["power_w"], run.summary["throughput"]
    wall = power["wall_idle"] + (power["wall_mean"] - power["wall_idle"]) * scale
    iops, mib_per_s = through["iops"] * scale, through["mib_per_s"] * scale
    figures = {
        "basis": "simulated",
        "ep": power_efficiency(metric, iops, mib_per_s, wall),
        "wall_w": wall,
        "iops": iops,
        "mib_per_s": mib_per_s,
        "response_ms": run.summary["response_time_ms"]["all"]["mean"],
        "stations": station_utilisation(run.summary),
    }
    return PointFigures.model_validate(figures | more)


def station_utilisation(summary: Mapping[str, Any]) -> dict[str, float]:
    """Utilisation of a Run's stations: of its drives on average, and of all that its controller has."""
    drives = [device["utilisation"] for device in summary["devices"]]
    mean = {"drives": sum(drives) / len(drives)} if drives else {}
    return mean | dict(_stations(summary["controller"] or {}, ""))


def _stations(part: Mapping[str, Any], name: str) -> Iterator[tuple[str, float]]:
    use = part.get("utilisation")
    if name and isinstance(use, int | float):
        yield name, float(use)
    for key, value in part.items():
        if isinstance(value, Mapping):
            yield from _stations(value, key.replace("_", " "))


class Estimates:
    """The estimator of one family's configurations; single drives are benchmarked once."""

    def __init__(self, base: Path) -> None:
        self._base = base
        self._estimator = Estimator(base)

    @property
    def benchmarks(self) -> int:
        """Simulations of single drives so far."""
        return self._estimator.benchmarks

    def of(self, text: str, metric: EmeraldMetric, limit_s: float | None) -> PointFigures:
        """Figures of a scenario: at its highest rate within the limit, or as written without one.

        Raises ``NotEstimated``: the estimator does not model part of it.
        Raises ``InputError``: the configuration cannot be run.
        """
        scenario = TomlDocument(text, "its scenario").validate(Scenario)
        work = evaluation.prepare(scenario, self._base, text)
        if limit_s is not None and len(scenario.workload) > 1:
            text = "the highest rate of several workloads together is not estimated"
            raise NotEstimated("unsupported", "workload", text)
        estimator = self._estimator
        estimate = estimator.of(work) if limit_s is None else estimator.highest_rate(work, limit_s)
        row = estimate.row
        iops, mib_per_s, wall = (
            row[name] for name in ("throughput.iops", "throughput.mib_per_s", "power_w.wall_mean")
        )
        return PointFigures(
            basis="estimated",
            ep=power_efficiency(metric, iops, mib_per_s, wall),
            wall_w=wall,
            iops=iops,
            mib_per_s=mib_per_s,
            response_ms=row.get("response_time_ms.all.mean"),
            stations={station.name: station.utilisation for station in estimate.stations},
        )


@dataclass(frozen=True)
class Watts:
    """Watts of a configuration at the wall in normal operation, and its raw bytes in GB (10^9)."""

    idle_w: float
    active_w: float
    raw_gb: float

    @property
    def gb_per_w(self) -> float:
        """EP of ready idle: raw GB over W; 0 where the configuration takes no power."""
        return self.raw_gb / self.idle_w if self.idle_w else 0.0

    @property
    def figures(self) -> PointFigures:
        """The figures of ready idle."""
        return PointFigures(basis="calculated", ep=self.gb_per_w, wall_w=self.idle_w)


def calculated(family: Family, candidate: Candidate) -> Watts:
    """The power calculator's figures of a configuration; drives need no mechanics for them.

    Raises ``InputError`` where the array is impossible, or a drive's watts are not known.
    """
    text = scenario_text(family, candidate, find_metric(family, "RI"))
    plan = array_plan(text, candidate.label, Path(family.base))
    raw_gb = sum(kind.raw_bytes for kind in plan.drives.values()) / 1e9
    idle, active = (total(plan, "normal", state).wall_w for state in ("idle", "active"))
    return Watts(idle, active, raw_gb)
