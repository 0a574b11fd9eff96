"""Failures and moves of nodes that a Run would end before: accepted, and without effect."""

from __future__ import annotations

from collections.abc import Iterator

from iowatt.base.problems import KeyPath, Problem
from iowatt.base.units import format_duration
from iowatt.model.scenario.keys.scenario import Scenario
from iowatt.model.scenario.resolved import ResolvedSystem


def too_late(scenario: Scenario, system: ResolvedSystem) -> list[Problem]:
    """Warnings of what happens after the end, where the scenario says when that is."""
    end = _end(scenario, system)
    if end is None:
        return []
    seconds, what = end
    return [
        Problem(
            "out-of-range",
            path,
            f"it is at {format_duration(at)}, and {what} at {format_duration(seconds)}: without effect",
        )
        for path, at in _times(scenario)
        if at >= seconds
    ]


def _end(scenario: Scenario, system: ResolvedSystem) -> tuple[float, str] | None:
    """When a Run ends and by what; None where traces or closed loops decide it."""
    if scenario.observe.duration is not None:
        return scenario.observe.duration, "the Run ends (observe.duration)"
    ends = []
    for index, workload in enumerate(scenario.workload):
        synthetic = system.synthetic.get(index)
        closed = synthetic is None or synthetic.replay is not None
        if closed or workload.profile is None or workload.profile.duration is None:
            return None
        ends.append(workload.profile.duration)
    return (max(ends), "requests end (workload.profile.duration)") if ends else None


def _times(scenario: Scenario) -> Iterator[tuple[KeyPath, float]]:
    """Each failure and move of a node: the path of its key, and seconds from the start."""
    for number, pool in enumerate(scenario.array.pool):
        for index, failure in enumerate(pool.failure):
            yield ("array", "pool", number, "failure", index, "at"), failure.at
    for number, cluster in enumerate(scenario.cluster):
        for index, fails in enumerate(cluster.failure):
            yield ("cluster", number, "failure", index, "at"), fails.at
        for place, keys in enumerate(cluster.pool):
            for index, drive in enumerate(keys.failure):
                yield ("cluster", number, "pool", place, "failure", index, "at"), drive.at
        for place, kind in enumerate(cluster.node):
            for key, at in (("joins", kind.joins), ("leaves", kind.leaves)):
                if at is not None:
                    yield ("cluster", number, "node", place, key), at
