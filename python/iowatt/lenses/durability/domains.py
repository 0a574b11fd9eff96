"""What takes several drives of a group away at once: enclosures of an array, nodes and racks of a cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from iowatt.lenses.durability.drives import YEAR_S

if TYPE_CHECKING:
    from iowatt.lenses.book import Book

HOUR_S = 3600.0
DomainKind = Literal["enclosure", "node", "rack"]


@dataclass(frozen=True)
class FailureDomain:
    """Like units that the drives of a group are in: ``unit_of`` is that of each drive."""

    kind: DomainKind
    units: int
    unit_of: tuple[int, ...]

    @property
    def packed(self) -> bool:
        """Whether neighbours share a unit, by the engine's rule."""
        members = len(self.unit_of)
        return all(unit == at * self.units // members for at, unit in enumerate(self.unit_of))

    def over(self, members: int) -> FailureDomain:
        """As many units for another number of drives, neighbours in one."""
        units = min(self.units, members)
        return FailureDomain(self.kind, units, tuple(at * units // members for at in range(members)))

    def plan(self, book: Book) -> dict[str, Any]:
        """``DomainPlan`` of the engine."""
        layout = {"layout": "packed"} if self.packed else {"layout": "given", "units": list(self.unit_of)}
        return {
            "units": self.units,
            "failures_per_s": book.number(f"durability.failures.{self.kind}") / YEAR_S,
            "repair_s": book.number(f"durability.repair_hours.{self.kind}") * HOUR_S,
            "lost_share": book.number(f"durability.lost_share.{self.kind}"),
            "layout": layout,
        }


def domains_of(plan: Mapping[str, Any], pool: int, members: int) -> tuple[FailureDomain, ...]:
    """The domains of a pool with so many drives: nodes and racks in a cluster, enclosures of an array."""
    for cluster in plan["simulation"].get("clusters") or []:
        for placed in cluster["pools"]:
            if placed["pool"] == pool:
                return tuple(_of_cluster(cluster, placed["node_of_drive"][:members]))
    units = min(_enclosures(plan), members)
    packed = tuple(at * units // members for at in range(members))
    return (FailureDomain("enclosure", units, packed),)


def apart(plan: Mapping[str, Any], pool: int, domains: Sequence[FailureDomain], width: int) -> int | None:
    """Of which domain a set has at most one drive in a unit, where the engine can hold it."""
    for cluster in plan["simulation"].get("clusters") or []:
        for placed in cluster["pools"]:
            if placed["pool"] != pool:
                continue
            for at, domain in enumerate(domains):
                fits = domain.packed and domain.units >= width and not len(domain.unit_of) % domain.units
                if domain.kind == placed["failure_domain"] and fits:
                    return at
    return None


def places(plan: Mapping[str, Any], pool: int, domains: Sequence[FailureDomain]) -> int | None:
    """Units that the members of a set are in, one each; None where drives alone are apart."""
    for cluster in plan["simulation"].get("clusters") or []:
        for placed in cluster["pools"]:
            if placed["pool"] == pool:
                kind = placed["failure_domain"]
                return next((domain.units for domain in domains if domain.kind == kind), None)
    return None


def _of_cluster(cluster: Mapping[str, Any], node_of_drive: Sequence[int]) -> list[FailureDomain]:
    racks = [cluster["nodes"][node]["rack"] for node in node_of_drive]
    found: list[FailureDomain] = []
    kinds: tuple[tuple[DomainKind, Sequence[int]], ...] = (("node", node_of_drive), ("rack", racks))
    for kind, of in kinds:
        numbers = {unit: at for at, unit in enumerate(dict.fromkeys(of))}
        found.append(FailureDomain(kind, len(numbers), tuple(numbers[unit] for unit in of)))
    return found


def _enclosures(plan: Mapping[str, Any]) -> int:
    """Enclosures of drives; one where the scenario has no power of the array."""
    listed = plan.get("power", {}).get("enclosures", [])
    filled = [count for one in listed for count, drives in one["filling"] if drives]
    return max(1, int(sum(filled)))
