"""A configuration's enclosures as keys of a scenario: heads, shelves, what joins nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from iowatt.base.toml_writer import inline, key
from iowatt.emerald.family.candidate import Candidate, shelves
from iowatt.emerald.family.family import Family
from iowatt.model.library.part import find_part

HEAD, INTERCONNECT = "head", "interconnect"


def enclosures(family: Family, candidate: Candidate, pools: Sequence[str]) -> list[str]:
    """``[array.power]`` with all of its enclosures; ``pools`` are the names of the groups' pools."""
    head = family.written("controller", candidate.controller)
    out = ["[array.power]", ""]
    out += _enclosure({"name": HEAD, "count": candidate.nodes, **_parts(family, head, candidate.nodes)})
    held: dict[str, list[str]] = {}
    for group, pool in zip(candidate.groups, pools, strict=True):
        shelf = family.shelf_of(family.drive(group.drive))
        assert shelf is not None
        held.setdefault(shelf.name, []).append(pool)
    for name, count in shelves(family, candidate).items():
        shelf = family.shelf(name)
        keys: dict[str, Any] = {
            "name": f"shelf-{name}"[:64],
            "count": count,
            "slots": shelf.slots,
            "form_factor": shelf.form_factor,
            "pools": held[name],
        }
        if candidate.nodes > 1:
            keys["fill"] = "even"
        out += _enclosure({**keys, **_parts(family, family.written("shelf", name))})
    scale_out = family.file.scale_out
    if scale_out is not None and scale_out.interconnect.part:
        between = family.document.raw["scale_out"]["interconnect"]
        sets = -(-candidate.nodes // scale_out.interconnect.nodes)
        out += _enclosure({"name": INTERCONNECT, "count": sets, **_parts(family, between)})
    return out


def _enclosure(keys: Mapping[str, Any]) -> list[str]:
    return ["[[array.power.enclosure]]", *(f"{key(n)} = {inline(v)}" for n, v in keys.items()), ""]


def _parts(family: Family, written: Mapping[str, Any], nodes: int = 1) -> dict[str, Any]:
    """Parts and supplies as written. A part's limits of drives are those of one node."""
    found: dict[str, Any] = {}
    if written.get("part"):
        found["part"] = [_part(family, part, nodes) for part in written["part"]]
    if "supply" in written:
        found["supply"] = written["supply"]
    return found


def _part(family: Family, part: Mapping[str, Any], nodes: int) -> Mapping[str, Any]:
    if nodes == 1:
        return part
    file = find_part(part["model"], family.base) if "model" in part else None
    limits = {
        name: part.get(name) or (getattr(file, name) if file else None) for name in ("max_sff", "max_lff")
    }
    return {**part, **{name: most * nodes for name, most in limits.items() if most}}
