"""The systems of a table of changes that have a rebuild of their own, which is simulated.

Clusters with another copy or parity are laid out anew; rebuilds in larger steps take another time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.errors import InputError
from iowatt.evaluate.rebuild import recovery_of
from iowatt.lenses.durability import LARGER_STEPS, DurableSystem, groups_of
from iowatt.model.scenario import compile_plan, load

if TYPE_CHECKING:
    from collections.abc import Callable

_KEYS: Final = {"copies": "copies", "ec": "parity"}


@dataclass(frozen=True)
class OtherSystems:
    """Makes them: what ``--set`` of the keys gives."""

    system: DurableSystem
    #: The system with the time of its rebuilds.
    rebuilt: Callable[[DurableSystem], DurableSystem]

    def with_redundancy(self, more: int) -> DurableSystem | None:
        """The system with ``more`` (1 or -1) copies or parities in each pool of its clusters.

        None without clusters, without the scenario, and where data, nodes or racks have no room for it.
        """
        system, overrides = self.system, list(self._overrides(more))
        if not overrides or not system.text or system.base is None:
            return None
        with suppress(InputError):
            plan = compile_plan(load(system.text, overrides), system.base)
            return self._rebuilt(plan)
        return None

    def with_larger_steps(self) -> DurableSystem | None:
        """The system whose arrays rebuild in ``LARGER_STEPS``; None where all of them do so already."""
        plan, changed = deepcopy(dict(self.system.plan)), False
        simulation = plan["simulation"]
        clustered = {one["pool"] for cluster in simulation.get("clusters") or [] for one in cluster["pools"]}
        for number, pool in enumerate(simulation["pools"]):
            recovery = pool.get("recovery") or recovery_of(0)
            rebuild, larger = recovery["rebuild"], LARGER_STEPS
            smaller = rebuild["outstanding"] * rebuild["step_bytes"] < larger.outstanding * larger.step_bytes
            if number not in clustered and smaller:
                rebuild |= {"outstanding": larger.outstanding, "step_bytes": larger.step_bytes}
                pool["recovery"], changed = recovery, True
        return self._rebuilt(plan) if changed else None

    def _rebuilt(self, plan: Mapping[str, Any]) -> DurableSystem:
        return self.rebuilt(replace(self.system, plan=plan, rebuilds={}, utilisation={}, overload=""))

    def _overrides(self, more: int) -> Iterator[str]:
        groups = {one.pool: one for one in groups_of(self.system.plan)}
        for cluster in self.system.plan["names"].get("clusters") or []:
            for pool in cluster["pools"]:
                group = groups.get(pool["name"])
                if group is None or group.redundancy is None or group.redundancy.kind not in _KEYS:
                    continue
                kind = group.redundancy.kind
                units = group.survives + more + (kind == "copies")
                yield f"cluster.{cluster['name']}.pool.{pool['name']}.redundancy.{_KEYS[kind]}={units}"
