"""Scenarios: what to evaluate, in names and units, and their compilation into a plan of SI numbers.

``load`` reads TOML into a checked ``Scenario``; ``compile_plan`` resolves names, units and library references
into the plan file that the simulator is given; ``resolve_sources`` finds the plan's trace files at run time.
The names below are imported on first use, so that ``iowatt.base.units`` stays cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from iowatt.base.problems import Problem, ScenarioError
    from iowatt.model.scenario.compile import compile_plan, resolve_sources
    from iowatt.model.scenario.loading import load
    from iowatt.model.scenario.model import Scenario

__all__ = [
    "Problem",
    "Scenario",
    "ScenarioError",
    "compile_plan",
    "load",
    "resolve_sources",
]

_HOMES = {
    "Problem": "iowatt.base.problems",
    "Scenario": "iowatt.model.scenario.model",
    "ScenarioError": "iowatt.base.problems",
    "compile_plan": "iowatt.model.scenario.compile",
    "load": "iowatt.model.scenario.loading",
    "resolve_sources": "iowatt.model.scenario.compile",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
