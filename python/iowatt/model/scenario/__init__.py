"""Scenarios: what to evaluate, in names and units, and their compilation into a plan of SI numbers.

``load`` reads TOML into a checked ``Scenario``; ``compile_plan`` resolves names, units and library references
into the plan file that the simulator is given; ``resolve_sources`` finds the plan's trace files at run time.
``check`` describes the system of a scenario, ``explanation`` its keys; ``starter_text`` is a first scenario.
``keys`` has the tables of the file, ``virtual`` those of virtual pools, ``result`` what the verbs print.
The names are imported on first use, so that quick verbs load no more than they need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from iowatt.base.lazy import names_from

if TYPE_CHECKING:
    from iowatt.model.scenario.array_power import drive_watts
    from iowatt.model.scenario.array_power_calculation import array_plan, calculated_power, failover_factor
    from iowatt.model.scenario.compile import compile_plan, resolve_sources
    from iowatt.model.scenario.describe import check
    from iowatt.model.scenario.explain import explanation, find_key
    from iowatt.model.scenario.keys.scenario import Scenario
    from iowatt.model.scenario.loading import idle_system, load, scenario_document
    from iowatt.model.scenario.paths import file_keys, input_files, traces_of
    from iowatt.model.scenario.resolved import ResolvedSystem, usable_and_effective
    from iowatt.model.scenario.starter import EXAMPLES, ReadTrace, copy_examples, starter_text

__all__ = [
    "EXAMPLES",
    "ReadTrace",
    "ResolvedSystem",
    "Scenario",
    "array_plan",
    "calculated_power",
    "check",
    "compile_plan",
    "copy_examples",
    "drive_watts",
    "explanation",
    "failover_factor",
    "file_keys",
    "find_key",
    "idle_system",
    "input_files",
    "load",
    "resolve_sources",
    "scenario_document",
    "starter_text",
    "traces_of",
    "usable_and_effective",
]

if not TYPE_CHECKING:
    __getattr__ = names_from(
        __name__,
        {
            "array_power": "drive_watts",
            "array_power_calculation": "array_plan calculated_power failover_factor",
            "compile": "compile_plan resolve_sources",
            "describe": "check",
            "explain": "explanation find_key",
            "keys.scenario": "Scenario",
            "loading": "idle_system load scenario_document",
            "paths": "file_keys input_files traces_of",
            "resolved": "ResolvedSystem usable_and_effective",
            "starter": "EXAMPLES ReadTrace copy_examples starter_text",
        },
    )
