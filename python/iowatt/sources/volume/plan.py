"""The virtual pool of a scenario that a volume is made of, or whose media are emulated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iowatt.base.errors import Argument, InputError
from iowatt.model.scenario import compile_plan, load


@dataclass(frozen=True)
class PlannedPool:
    """A virtual pool, and the plan file of its scenario."""

    name: str
    #: Its number among the virtual pools.
    number: int
    plan: dict[str, Any]

    @property
    def scheme(self) -> dict[str, Any]:
        """Its plan as a volume keeps it: parts are numbered as the stores are."""
        own = dict(self.plan["simulation"]["virtual_pools"][self.number])
        own["parts"] = [
            {"pool": number, "offset_bytes": 0, "capacity_bytes": part["capacity_bytes"]}
            for number, part in enumerate(own["parts"])
        ]
        return own


def planned_pool(scenario: Path, overrides: Sequence[str] = (), name: str | None = None) -> PlannedPool:
    """The virtual pool ``name`` of a scenario; None: its only one.

    Raises ``InputError`` where it has none of that name, or several.
    """
    plan = compile_plan(load(scenario, overrides), scenario.parent)
    names = [pool["name"] for pool in plan["names"].get("virtual_pools", [])]
    if not names:
        raise InputError("missing", str(scenario), "has no [[array.virtual_pool]]")
    if name is None and len(names) > 1:
        raise InputError("ambiguous", Argument("pool"), f"there are several: {', '.join(names)}")
    name = name or names[0]
    if name not in names:
        raise InputError("unknown-name", Argument("pool"), f"{name!r}; there are: {', '.join(names)}")
    return PlannedPool(name, names.index(name), plan)
