"""Runs of one array at several loads: that they are of one, and what their load is counted in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.errors import InputError

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

MEASURES: Final = {"iops": "IOPS", "mib_per_s": "MiB/s"}
"""What load is counted in, and its unit."""

WITHIN: Final = 0.02
"""How far a Run may be from a load to be used for it, as a share; else two Runs are interpolated."""

_STREAMING_BYTES: Final = 128 * 1024
#: Keys of a plan that differ between Runs of one array.
_OF_LOAD: Final = frozenset({"seed", "workloads", "observe"})


@dataclass(frozen=True)
class ArrayMeasurement:
    """What identifies an array: of a Run, or of a measurement derived from it."""

    name: str
    #: Its folder, for messages.
    where: str
    #: Name and model of each drive; of measured storage none may be known.
    drives: tuple[tuple[str, str], ...]
    raw_gb: float | None
    power_basis: str
    #: Parts that are not drives, and what redundancy leaves, where they are known.
    parts: Mapping[str, int] = field(default_factory=dict)
    usable_gb: float | None = None
    #: Of a simulated one, all that its plan says of it.
    plan: str = ""

    @classmethod
    def of(cls, run: Run) -> ArrayMeasurement:
        """What a Run says of its array."""
        summary = run.summary
        return cls(
            name=run.name,
            where=str(run.path or run.name),
            drives=tuple((one["name"], one["model"]) for one in summary["devices"]),
            raw_gb=summary["capacity_gb"]["raw"],
            power_basis=summary["power_basis"],
            plan=plan_of(run),
        )

    @property
    def array(self) -> Any:
        """Its drives (where none are known, its raw capacity), parts, usable capacity and plan."""
        return (self.drives or self.raw_gb, tuple(sorted(self.parts.items())), self.usable_gb, self.plan)


def system_of(run: Run) -> dict[str, Any]:
    """The parts of a simulated Run's plan that are not of its load, by key; of measured storage none."""
    plan = run.plan.get("simulation") or {}
    return {key: value for key, value in plan.items() if key not in _OF_LOAD}


def plan_of(run: Run) -> str:
    """What the plan of a simulated Run says of the array, apart from its load and what was observed; as text.

    Two arrays of the same drives differ in it: other levels, caches, policies of power. Of measured storage
    no plan is known.
    """
    array = system_of(run)
    return json.dumps([array, run.plan.get("power")], sort_keys=True) if array else ""


def same_array(seen: Sequence[ArrayMeasurement]) -> None:
    """Refuse to weigh one array's idle power against another's work, or the wall's against the drives'.

    Raises
    ------
    InputError
        With the first that is of another array, or has another kind of power, than the one given first.
    """
    for here in seen[1:]:
        first = seen[0]
        if here.array != first.array:
            alike = (
                " (the same drives, other settings)" if here.drives and here.drives == first.drives else ""
            )
            raise InputError(
                "not-comparable",
                here.where,
                f"is another array than {first.name}{alike}; a duty cycle is about one array",
            )
        if here.power_basis != first.power_basis:
            raise InputError(
                "not-comparable",
                f"{here.where}: power_basis",
                f"its power was taken at the {here.power_basis}, that of {first.name} at the "
                f"{first.power_basis}; all Runs need the same basis",
            )


def measure_of(requests: float, moved_bytes: float) -> str:
    """``mib_per_s`` where requests have 128 KiB and more on average, which are streams; else ``iops``."""
    return "mib_per_s" if requests and moved_bytes / requests >= _STREAMING_BYTES else "iops"
