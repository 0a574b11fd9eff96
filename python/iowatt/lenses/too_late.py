"""Failures and moves of nodes that a Run ended before, which thus had no effect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from iowatt.render.numbers import duration

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

_MOST_BY_ONE: Final = 3
"""Times that are named; of more the number is."""


def too_late(run: Run) -> list[str]:
    """A sentence for each failure or move after the end, with its key; the last of many counts the rest."""
    end_s = float(run.summary["window"]["end_s"])
    late = [(key, what, at) for key, what, at in _times(run) if at >= end_s]
    said = [
        f"{key}: {what} at {duration(at)}, after the end of the Run ({duration(end_s)}), and had no effect."
        for key, what, at in late
    ]
    if len(said) <= _MOST_BY_ONE + 1:
        return said
    more = len(said) - _MOST_BY_ONE
    return [*said[:_MOST_BY_ONE], f"{more:,} more failures or moves of nodes were after the end of the Run."]


def _times(run: Run) -> Iterator[tuple[str, str, float]]:
    """Key, what was to happen, and seconds from the start."""
    names, simulation = run.plan.get("names") or {}, run.plan.get("simulation") or {}
    within = {
        pool["name"]: f"cluster.{cluster['name']}"
        for cluster in names.get("clusters") or ()
        for pool in cluster["pools"]
    }
    for name, pool in zip(names.get("pools") or (), simulation.get("pools") or (), strict=False):
        for failure in (pool.get("recovery") or {}).get("failures", ()):
            key = f"{within.get(name, 'array')}.pool.{name}.failure"
            yield key, f"drive {failure['drive']} of {name} was to fail", failure["at_s"]
    told = run.summary.get("clusters") or ()
    for plan, cluster in zip(simulation.get("clusters") or (), told, strict=False):
        nodes, key = cluster["nodes"], f"cluster.{cluster['name']}"
        for failure in plan.get("failures") or ():
            unit, index = failure["unit"], failure["index"]
            which = f"node {nodes[index]['name']}" if unit == "node" else f"{unit} {index}"
            yield f"{key}.failure", f"{which} was to fail", failure["at_s"]
        for node, planned in zip(nodes, plan["nodes"], strict=False):
            for way, verb in (("joins", "join"), ("leaves", "leave")):
                if (at := planned.get(f"{way}_at_s")) is not None:
                    yield (
                        f"{key}.node.{node['kind']}.{way}", f"node {node['name']} was to {verb}", at,
                    )  # fmt: skip
