"""Workloads of a scenario that are made from profiles: found, checked on their volumes, compiled."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iowatt.base.errors import InputError
from iowatt.base.problems import DocumentError, Reporter
from iowatt.base.results import Note
from iowatt.model.profile import load, remarks
from iowatt.model.profile.laws import Closed, Recorded
from iowatt.model.scenario.keys.workload import ClosedReplay, WorkloadKeys


@dataclass(frozen=True)
class Synthetic:
    """A profile on its volume: its plan (None where there are problems), its pacing and its notes."""

    plan: dict[str, Any] | None = None
    replay: ClosedReplay | None = None
    notes: tuple[Note, ...] = ()


def synthetic(
    workload: WorkloadKeys,
    at: int,
    report: Reporter,
    *,
    base_dir: Path,
    seed: int,
    capacity: int | None,
    ends: bool,
) -> Synthetic:
    """The profile of workload number ``at``, on a volume of ``capacity`` bytes (None: not known).

    ``report`` is at the workload; ``ends``: the run has an end, so that the profile needs none.
    """
    choice, before = workload.profile, len(report.problems)
    assert choice is not None
    try:
        loaded = load(choice.name, choice.set, base_dir=base_dir, rate_iops=choice.rate_iops)
        span = choice.span or loaded.profile.span or capacity
        loaded.check(span)
    except InputError as error:
        for problem in error.problems if isinstance(error, DocumentError) else (error,):
            # The place in the profile helps; the key of the scenario says whose profile it is.
            message = f"{problem.place}: {problem.message}" if problem.place else problem.message
            report(problem.code, "profile", message, problem.hint)
        return Synthetic()
    if span is None:
        return Synthetic()
    if capacity is not None and span > capacity:
        message = f"the span of {span:,} bytes is more than the volume of {capacity:,} bytes"
        report("out-of-range", "profile.span", message, "a smaller span, or leave it out for the volume")
    law = loaded.profile.arrivals
    replay = None
    # A duration counts arrival times, which a closed loop does not have.
    timed = choice.duration is not None and not isinstance(law, Closed)
    if not (timed or choice.requests or ends or isinstance(law, Recorded)):
        limits = ["requests = 1000000", 'duration = "10min"']
        hint = f"{limits[0]}, or [observe] {limits[1]}"
        if not isinstance(law, Closed):
            hint = f"{limits[1]}, or {limits[0]}"
        report("missing", "profile", "needs a duration or a number of requests", hint)
    if isinstance(law, Closed):
        if "replay" in workload.model_fields_set:
            message = f"the profile {loaded.profile.name!r} is a closed loop and brings its own pacing"
            report("not-applicable", "replay", message, "leave replay out")
        replay = ClosedReplay.model_construct(
            mode="closed",
            outstanding=law.outstanding,
            think=law.think,
            think_law=law.think_law,
            per="workload",
        )
    if len(report.problems) > before:
        return Synthetic()
    plan = loaded.synthesis(
        span,
        seed,
        requests=choice.requests,
        duration_s=choice.duration,
        workload=at,
        base_dir=base_dir,
    )
    notes = (note.about(f"workload {workload.name}") for note in remarks(loaded.profile))
    return Synthetic(plan, replay, tuple(notes))
