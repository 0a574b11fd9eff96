"""A system whose clusters keep another copy or parity: laid out anew, with the rebuild that it would have."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from iowatt.base.errors import InputError
from iowatt.lenses.durability import DurableSystem, groups_of
from iowatt.model.scenario import compile_plan, load

if TYPE_CHECKING:
    from collections.abc import Callable

_KEYS: Final = {"copies": "copies", "ec": "parity"}


@dataclass(frozen=True)
class OtherRedundancy:
    """Makes the systems of a table of changes: what ``--set`` of the key of its redundancy gives."""

    system: DurableSystem
    #: The system with the time of its rebuilds.
    rebuilt: Callable[[DurableSystem], DurableSystem]

    def __call__(self, more: int) -> DurableSystem | None:
        """The system with ``more`` (1 or -1) copies or parities in each pool of its clusters.

        None without clusters, without the scenario, and where data, nodes or racks have no room for it.
        """
        system, overrides = self.system, list(self._overrides(more))
        if not overrides or not system.text or system.base is None:
            return None
        with suppress(InputError):
            plan = compile_plan(load(system.text, overrides), system.base)
            return self.rebuilt(replace(system, plan=plan, rebuilds={}, utilisation={}, overload=""))
        return None

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
