"""What is assessed: the plan of a system, and what its Run says of rebuilds and load."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

from iowatt.base.errors import InputError
from iowatt.lenses.durability.rebuilds import rebuild_of_run
from iowatt.lenses.durability.result import RebuildTime
from iowatt.run.record import MODELLED

if TYPE_CHECKING:
    from iowatt.run.bundle import Run


@dataclass(frozen=True)
class DurableSystem:
    """A system to assess.

    ``rebuilds`` and ``utilisation`` are by pool, as far as known: the time of a rebuild under the load, and
    the share of time that the drives are busy.
    """

    name: str
    where: str
    plan: Mapping[str, Any]
    modelled: bool
    rebuilds: Mapping[str, RebuildTime] = field(default_factory=dict)
    utilisation: Mapping[str, float] = field(default_factory=dict)
    #: Bytes that caches hold and drives do not, in the mean; None where not known.
    dirty_bytes: float | None = None

    @classmethod
    def of_run(cls, run: Run) -> DurableSystem:
        """The system of a Run. Raises ``InputError`` where its plan has no pools."""
        where = str(run.path or run.name)
        if not run.plan.get("simulation", {}).get("pools"):
            raise InputError(
                "missing-figure",
                where,
                "the Run does not say how its drives are joined",
                hint="give the scenario that describes the system; its load may be none",
            )
        busy: dict[str, list[float]] = {}
        pool_of = {one["name"]: one["pool"] for one in run.plan["names"]["devices"]}
        for device in run.summary["devices"]:
            if device["name"] in pool_of:
                busy.setdefault(pool_of[device["name"]], []).append(device["utilisation"])
        return cls(
            name=run.path.name if run.path is not None else run.name,
            where=where,
            plan=run.plan,
            modelled=run.summary["source"] in MODELLED,
            rebuilds=rebuild_of_run(run),
            utilisation={pool: fmean(shares) for pool, shares in busy.items()},
        )

    @classmethod
    def of_plan(cls, plan: Mapping[str, Any], where: str) -> DurableSystem:
        """The system of a compiled scenario that was not run."""
        return cls(name=str(plan["name"]), where=where, plan=plan, modelled=True)

    def rebuilt(self, rebuilds: Mapping[str, RebuildTime]) -> DurableSystem:
        """The same with other rebuild times."""
        return replace(self, rebuilds={**self.rebuilds, **rebuilds})
