"""What protects data: parity, copies or an erasure code, of a group and of a region of chunklets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Json = Mapping[str, Any]
RedundancyKind = Literal["raid", "copies", "ec"]


@dataclass(frozen=True)
class Redundancy:
    """What protects a group: ``data`` units with data of their own (1 of copies), and their kind."""

    kind: RedundancyKind
    data: int


def set_title(region: Json) -> str:
    """The scheme of a region of chunklets in words."""
    level, code, width = str(region["raid"]["level"]), region["raid"].get("code"), region["set_size"]
    if level == "1":
        return f"{width} copies"
    if level != "ec" or code is None:
        return f"RAID-{level} sets of {width}"
    local = f"+{code['local_groups']}" if code.get("local_groups") else ""
    return f"EC {code['data']}{local}+{code['parity']}"


def set_losses(region: Json) -> int:
    """Lost members that a set of it survives."""
    level = str(region["raid"]["level"])
    if level == "1":
        return int(region["set_size"]) - 1
    if level == "ec":
        code = region["raid"]["code"]
        return int(code["parity"]) + bool(code.get("local_groups"))
    return {"0": 0, "5": 1, "6": 2, "10": 1}[level]


def set_redundancy(region: Json) -> Redundancy | None:
    """What protects a set of it; None of codes whose parities are of several kinds."""
    level, code = str(region["raid"]["level"]), region["raid"].get("code")
    if level == "1":
        return Redundancy("copies", 1)
    if level == "ec" and code is not None:
        return None if code.get("local_groups") else Redundancy("ec", int(code["data"]))
    if level == "10":
        return None
    return Redundancy("raid", int(region["set_size"]) - set_losses(region))
