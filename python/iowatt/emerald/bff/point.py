"""One configuration in one metric as a task for an executor: it travels as its scenario."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Literal

from iowatt.base.document import Document
from iowatt.base.errors import InputError
from iowatt.emerald.bff.point_result import Judged, busy, ep
from iowatt.emerald.family import Metric
from iowatt.evaluate import evaluation
from iowatt.evaluate.search.executor import Report
from iowatt.evaluate.search.point import InputFile, recorded, verify_files
from iowatt.evaluate.search.rate import ALL, Loop, RateRequest, search_scenario
from iowatt.model.scenario.model import Scenario
from iowatt.run import provenance
from iowatt.run.bundle import Run

How = Literal["closed", "open", "as-is"]
#: Populations of one search.
_MOST_LOOPS: Final = 8


@dataclass(frozen=True)
class Task:
    """What is to be run."""

    key: str
    metric: Metric
    #: The scenario; its paths are relative to ``base``.
    text: str
    base: str
    files: tuple[InputFile, ...]
    #: ``closed``: with the population that takes ``limit_s``; ``open``: at the highest rate within it;
    #: ``as-is``: as the scenario says.
    how: How
    limit_s: float
    tolerance: float
    requests: int
    warmup_requests: int
    #: An estimate of the rate, and how near it is thought to be.
    start: float | None = None
    start_error: float | None = None


def key_of(text: str, files: tuple[InputFile, ...], how: How, limit_s: float, tolerance: float) -> str:
    """What tells a task's result from every other. The estimate that it starts from is not part of it."""
    asked = how if how == "as-is" else f"{how} {limit_s!r} {tolerance!r}"
    # What it is called changes nothing: classes that differ in what they take alone share their points.
    said = [line for line in text.splitlines() if not line.startswith(("#", "name = "))]
    parts = [version("iowatt"), asked, *said, *(file.sha256 for file in files)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def evaluate(task: Task, report: Report) -> dict[str, Any]:
    """The record of a task: ``key`` and ``figures``, or ``error`` where it cannot be run.

    Raises ``MachineError`` where this machine lacks what it needs.
    """
    return recorded(task.key, lambda: {"figures": _figures(task, report).as_dict()})


def _figures(task: Task, report: Report) -> Judged:
    verify_files(task.files)
    scenario = Document(task.text, "its scenario").validate(Scenario)
    if task.how == "as-is":
        return _as_is(task, scenario, report)
    return _at_limit(task, task.how, scenario, report)


def _at_limit(task: Task, loop: Loop, scenario: Scenario, report: Report) -> Judged:
    closed = loop == "closed"
    asked = RateRequest(
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
    found = search_scenario(scenario, Path(task.base), task.text, asked, report)
    if found.run is None or found.rate_iops is None:
        raise InputError("infeasible", None, found.problem or "no rate was found")
    rate = found.crossing_iops or found.rate_iops
    interval = found.ci95_iops
    half = None if interval is None else (interval[1] - interval[0]) / 2
    notes = [*(note.text for note in found.notes), *([found.problem] if found.problem else [])]
    if not found.settled and not closed:
        notes.append("the search for the rate was not settled")
    judged = of_run(
        found.run,
        task.metric,
        scale=found.scale * rate / found.rate_iops,
        half_percent=None if half is None else 100 * half / rate,
        runs=found.runs,
        notes=tuple(notes),
    )
    if closed:
        update = {"response_ms": task.limit_s * 1e3, "outstanding": found.outstanding}
        judged = judged.model_copy(update=update)
    return judged


def _as_is(task: Task, scenario: Scenario, report: Report) -> Judged:
    run = evaluation.simulate(
        evaluation.prepare(scenario, Path(task.base), task.text),
        inputs=lambda: [],
        started_at=provenance.now(),
        progress=lambda fraction, _requests: report(fraction or 0.0),
        cpu_clock=time.thread_time,  # other points share the process
    )
    return of_run(run, task.metric, runs=1)


def of_run(
    run: Run,
    metric: Metric,
    *,
    scale: float = 1.0,
    half_percent: float | None = None,
    runs: int,
    notes: tuple[str, ...] = (),
) -> Judged:
    """Figures of a Run, with rates ``scale`` times its own and the power above idle in proportion.

    The Run is the one of the highest rate that was run and met the limit; the rate that just meets it lies
    within the search's tolerance above.
    """
    summary = run.summary
    power, through = summary["power_w"], summary["throughput"]
    wall = power["wall_idle"] + (power["wall_mean"] - power["wall_idle"]) * scale
    iops, mib_per_s = through["iops"] * scale, through["mib_per_s"] * scale
    uses = [device["utilisation"] for device in summary["devices"]]
    return Judged(
        basis="simulated",
        ep=ep(metric, iops=iops, mib_per_s=mib_per_s, wall_w=wall),
        wall_w=wall,
        iops=iops,
        mib_per_s=mib_per_s,
        response_ms=summary["response_time_ms"]["all"]["mean"],
        half_percent=half_percent,
        stations=busy(summary["controller"], sum(uses) / len(uses) if uses else None),
        runs=runs,
        notes=notes,
    )
