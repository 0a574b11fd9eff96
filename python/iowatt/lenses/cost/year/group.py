"""Runs of several arrays under one duty cycle: a year for each array."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from iowatt.lenses.cost.system import System
from iowatt.lenses.cost.year.cycle import Cycle
from iowatt.lenses.cost.year.levels import seen
from iowatt.lenses.cost.year.year import Year, make_year
from iowatt.lenses.one_array import plan_of

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

Observed = tuple["Run", System]
_RUNS: Final = "runs"
"""The folder that searches keep Runs in."""


def make_years(
    observed: Sequence[Observed], cycle: Cycle, start: datetime, *, years: int = 1, hours: int | None = None
) -> list[Year]:
    """A year of each array, in order of their first Runs; see ``make_year``.

    Simulated Runs are of one array where their plans say the same of it, measured ones where drives and
    capacities are the same. A year has the name of its Runs' scenario, or of their folder where two share it.
    """
    arrays: dict[Any, list[Observed]] = {}
    for run, system in observed:
        arrays.setdefault(seen(system, plan_of(run)).array, []).append((run, system))
    groups = list(arrays.values())
    return [
        make_year([system for _, system in group], cycle, start, years=years, hours=hours, name=name)
        for group, name in zip(groups, _names(groups), strict=True)
    ]


def _names(groups: Sequence[Sequence[Observed]]) -> list[str]:
    """A name for each, all different."""
    names = [str(group[0][0].summary["name"]) for group in groups]
    if len(set(names)) < len(names):
        names = [_folder(group) for group in groups]
    return [
        name if names.count(name) == 1 else f"{name}-{names[: index + 1].count(name)}"
        for index, name in enumerate(names)
    ]


def _folder(group: Sequence[Observed]) -> str:
    """The folder of the busiest Run, or the one that it was made in."""
    run, _ = max(group, key=lambda one: one[1].work.requests / one[1].work.duration_s)
    if run.path is None:
        return str(run.name)
    parts = PurePath(run.path.resolve()).parts
    return parts[-3] if len(parts) > 2 and parts[-2] == _RUNS else parts[-1]
