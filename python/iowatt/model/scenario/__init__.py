"""Scenarios: what to evaluate, in names and units, and their compilation into a plan of SI numbers.

``load`` reads TOML into a checked ``Scenario``; ``compile_plan`` resolves names, units and library references
into the plan file that the simulator is given; ``resolve_sources`` finds the plan's trace files at run time.
The names below are imported on first use, so that ``iowatt.base.units`` stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from iowatt.base.lazy import names_from

if TYPE_CHECKING:
    from iowatt.model.scenario.compile import compile_plan, resolve_sources
    from iowatt.model.scenario.loading import load
    from iowatt.model.scenario.model import Scenario

__all__ = [
    "Scenario",
    "compile_plan",
    "load",
    "resolve_sources",
]

__getattr__ = names_from(
    __name__, {"compile": "compile_plan resolve_sources", "loading": "load", "model": "Scenario"}
)
