"""The power calculator on a scenario, of which it needs the drives and the power of the array only.

Drives need watts, and no mechanics; volumes, workloads and traces are not read.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from iowatt.base.document import TomlDocument, read_text
from iowatt.base.problems import Problem
from iowatt.model.power import ArrayPlan, ResolvedPower, calculate, total
from iowatt.model.power.result import CalculatedPower
from iowatt.model.scenario.array_power import resolve
from iowatt.model.scenario.keys.scenario import Scenario
from iowatt.model.scenario.loading import scenario_document


def calculated_power(
    scenario: str | os.PathLike[str], overrides: Sequence[str] = (), *, base: Path | None = None
) -> CalculatedPower:
    """What the array of a scenario draws; see :func:`iowatt.model.power.calculator.calculate`.

    ``scenario`` is the path of a TOML file, or TOML itself, recognised by a line break in a ``str``; ``base``
    is the folder that the paths of a text are relative to, the current one where it is None.

    Raises ``InputError`` with file, line, key path and fix, for all that is wrong or impossible.
    """
    if isinstance(scenario, str) and "\n" in scenario:
        text, source, folder = scenario, "scenario", base or Path()
    else:
        path = Path(scenario)
        hint = "see docs/howto/array-power.md and examples/array-power.toml"
        text, source, folder = read_text(path, hint), str(path), path.parent
    document = scenario_document(text, source, overrides, folder)
    found, resolved = _resolved(document, folder)
    assert resolved.plan is not None
    return calculate(resolved.plan, found.name, resolved.notes)


def array_plan(text: str, source: str, base_dir: Path) -> ArrayPlan:
    """The power of the array of a scenario's TOML, in numbers; ``source`` names it in errors.

    Raises ``InputError`` as :func:`calculated_power` does.
    """
    plan = _resolved(TomlDocument(text, source), base_dir)[1].plan
    assert plan is not None
    return plan


def failover_factor(scenario: Scenario, base_dir: Path) -> float:
    """Watts of the active array without its redundant supplies over those with; 1 without array.power."""
    if scenario.array.power is None:
        return 1.0
    plan = resolve(scenario, base_dir, simulated=False).plan
    if plan is None:
        return 1.0
    normal, lost = (total(plan, mode, "active").wall_w for mode in ("normal", "failover"))
    return max(1.0, lost / normal) if normal > 0 else 1.0


def _resolved(document: TomlDocument, base_dir: Path) -> tuple[Scenario, ResolvedPower]:
    scenario = document.validate(Scenario)
    if scenario.cluster:
        return scenario, _of_clusters(document, scenario, base_dir)
    if scenario.array.power is None:
        message = "the key `power` is missing: enclosures and supplies of the drives"
        hint = "see docs/howto/array-power.md and examples/array-power.toml"
        document.fail([Problem("missing", ("array",), message, hint)])
    resolved = resolve(scenario, base_dir, simulated=False)
    document.fail(resolved.problems)
    return scenario, resolved


def _of_clusters(document: TomlDocument, scenario: Scenario, base_dir: Path) -> ResolvedPower:
    from iowatt.model.scenario.cluster_power import resolve_cluster_power
    from iowatt.model.scenario.clusters import resolve_clusters
    from iowatt.model.scenario.resolved import ResolvedSystem

    system = ResolvedSystem()
    resolve_clusters(scenario, base_dir, system)
    document.fail(system.problems)
    return ResolvedPower(base_dir, plan=resolve_cluster_power(system, base_dir), notes=system.notes)
