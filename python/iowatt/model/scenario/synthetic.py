"""Workloads of a scenario that are made from profiles: found, checked on their volumes, compiled."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from iowatt.base.errors import InputError
from iowatt.base.problems import DocumentError, KeyPath, Problem
from iowatt.base.results import Note
from iowatt.model.profile import load, remarks
from iowatt.model.profile.laws import Closed, Recorded
from iowatt.model.scenario.keys.workload import ClosedReplay, WorkloadKeys


@dataclass
class Made:
    """A profile on its volume: the plan (``None`` where there are problems), and what goes with it."""

    plan: dict[str, Any] | None = None
    replay: ClosedReplay | None = None
    notes: list[Note] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def make(
    workload: WorkloadKeys, at: int, *, base_dir: Path, seed: int, capacity: int | None, ends: bool
) -> Made:
    """The profile of workload number ``at``.

    Parameters
    ----------
    capacity:
        Bytes of its volume; ``None`` where the volume has problems of its own.
    ends:
        Whether the run has an end, so that a profile needs none.
    """
    choice, made = workload.profile, Made()
    path: KeyPath = ("workload", at, "profile")
    assert choice is not None
    try:
        loaded = load(choice.name, choice.set, base_dir=base_dir, rate_iops=choice.rate_iops)
        span = choice.span or loaded.profile.span or capacity
        loaded.check(span)
    except InputError as error:
        made.problems += _as_problems(path, error)
        return made
    profile = loaded.profile
    if span is None:
        return made
    if capacity is not None and span > capacity:
        message = f"the span of {span:,} bytes is more than the volume of {capacity:,} bytes"
        made.problems.append(
            Problem(
                "out-of-range", (*path, "span"), message, "a smaller span, or leave it out for the volume"
            )
        )
    # A duration counts arrival times, which a closed loop has not.
    closed = isinstance(profile.arrivals, Closed)
    if (
        (choice.duration is None or closed)
        and choice.requests is None
        and not ends
        and not isinstance(profile.arrivals, Recorded)
    ):
        hint = (
            'requests = 1000000, or [observe] duration = "10min"'
            if closed
            else 'duration = "10min", or requests = 1000000'
        )
        made.problems.append(Problem("missing", path, "needs a duration or a number of requests", hint))
    if isinstance(profile.arrivals, Closed):
        if "replay" in workload.model_fields_set:
            message = f"the profile {profile.name!r} is a closed loop and brings its own pacing"
            made.problems.append(
                Problem("not-applicable", ("workload", at, "replay"), message, "leave replay out")
            )
        law = profile.arrivals
        made.replay = ClosedReplay.model_construct(
            mode="closed",
            outstanding=law.outstanding,
            think=law.think,
            think_law=law.think_law,
            per="workload",
        )
    if made.problems:
        return made
    made.plan = loaded.synthesis(
        span,
        seed,
        requests=choice.requests,
        duration_s=choice.duration,
        workload=at,
        base_dir=base_dir,
    )
    made.notes = [note.about(f"workload {workload.name}") for note in remarks(profile)]
    return made


def _as_problems(path: KeyPath, error: InputError) -> list[Problem]:
    found = (
        error.problems
        if isinstance(error, DocumentError)
        else [Problem(error.code, (), error.message, error.hint, error.place)]
    )
    # The place in the profile is what helps; the key of the scenario says whose profile it is.
    return [Problem(p.code, path, f"{p.place}: {p.message}" if p.place else p.message, p.hint) for p in found]
