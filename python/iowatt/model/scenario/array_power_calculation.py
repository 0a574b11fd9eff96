"""The calculator on a scenario file: what is needed of it, and no more.

Drives need watts only, so that a device without mechanics, or an SSD, will do; volumes, workloads and traces
are not looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from iowatt.base.document import Document, read_text
from iowatt.base.problems import Problem
from iowatt.model.power import calculate
from iowatt.model.power.result import CalculatedPower
from iowatt.model.scenario.array_power import resolve
from iowatt.model.scenario.model import Scenario
from iowatt.model.scenario.paths import place_overridden


def evaluate(path: Path, overrides: Sequence[str] = ()) -> CalculatedPower:
    """What the array of a scenario file draws; see :func:`iowatt.model.power.calculate`.

    Raises ``InputError`` with file, line, key path and fix, for all that is wrong or impossible.
    """
    document = Document(read_text(path), str(path), overrides, Scenario)
    place_overridden(document, path.parent)
    scenario = document.validate(Scenario)
    if scenario.array.power is None:
        hint = "docs/howto/array-power.md builds one; examples/array-power.toml has one"
        document.fail(
            [
                Problem(
                    "missing",
                    ("array",),
                    "the key `power` is missing: enclosures and supplies of the drives",
                    hint,
                )
            ]
        )
    found = resolve(scenario, path.parent, simulated=False)
    document.fail(found.problems)
    assert found.plan is not None
    return calculate(found.plan, scenario.name, found.notes)
