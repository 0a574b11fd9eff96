"""What is assessed: the plan of a system, and what its Run says of rebuilds and load."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from iowatt.base.errors import InputError
from iowatt.lenses.durability.rebuilds import rebuild_of_run
from iowatt.lenses.durability.result import RebuildTime
from iowatt.lenses.kept_up import kept_up
from iowatt.model.raid import usable_bytes_of
from iowatt.model.scenario import usable_and_effective
from iowatt.run.record import MODELLED

if TYPE_CHECKING:
    from iowatt.run.bundle import Run


@dataclass(frozen=True)
class LossScale:
    """What brings rough losses of a system to its own (``rates``)."""

    #: Factors of the events and of the bytes.
    events: float
    bytes_lost: float
    #: Hours a year in which failed domains make data unavailable, at the load of each of them.
    hours: float
    loads: Mapping[str, float]
    #: With which power of the load of a domain they grow.
    powers: Mapping[str, float]
    #: Answers so far by the figures that losses rest on.
    known: dict[tuple[object, ...], Any] = field(default_factory=dict, repr=False, compare=False)


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
    #: Where file names of the plan are relative to; None where that is not known. The scenario's text.
    base: Path | None = None
    text: str = ""
    #: Why its rebuild could not be simulated; empty where it was, or was not asked for.
    unsimulated: str = ""
    #: Why it does not keep up with the load that its rebuilds rest on; empty where it does.
    overload: str = ""
    #: Of its rough losses; None where they are not scaled.
    scale: LossScale | None = None

    @property
    def usable_bytes(self) -> float:
        """Usable bytes of what carries a volume, as Runs have them."""
        simulation, names = self.plan["simulation"], self.plan["names"]
        pools = [usable_bytes_of(pool) for pool in simulation["pools"]]
        carrying = {volume["pool"] for volume in simulation["volumes"]}
        libraries = names.get("libraries", ())
        usable, _ = usable_and_effective(pools, names.get("virtual_pools", ()), carrying, (), libraries)
        return float(usable)

    @classmethod
    def of_run(cls, run: Run) -> DurableSystem:
        """The system of a Run. Raises ``InputError`` where its plan has no pools."""
        where = str(run.path or run.name)
        if not run.plan.get("simulation", {}).get("pools"):
            raise InputError(
                "missing-figure",
                where,
                "the Run does not say how its drives are joined",
                hint="a scenario with its pools (device, count, raid) is accepted, with or without a load",
            )
        load = kept_up(run)
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
            base=_base_of(run),
            text=run.scenario_text,
            overload="" if load.kept_up else f"cannot keep up with its load ({load.why})",
        )

    @classmethod
    def of_plan(
        cls, plan: Mapping[str, Any], where: str, *, base: Path | None = None, text: str = ""
    ) -> DurableSystem:
        """The system of a compiled scenario that was not run."""
        return cls(name=str(plan["name"]), where=where, plan=plan, modelled=True, base=base, text=text)


def _base_of(run: Run) -> Path | None:
    """The folder of the scenario that a Run was made from, where it is still there."""
    inputs = run.summary["provenance"].get("inputs") or []
    scenario = next((Path(one["path"]) for one in inputs if one["path"].endswith(".toml")), None)
    return scenario.parent if scenario is not None and scenario.is_file() else None
