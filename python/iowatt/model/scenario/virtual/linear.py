"""Linear: one part behind another, and nothing moves (dollars2014's MyLinear)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from iowatt.base.problems import KeyPath
from iowatt.base.strict import key
from iowatt.model.scenario.virtual.scheme import Part, Placed, Scheme, sector_bytes


class Linear(Scheme):
    """Parts one behind another; nothing ever moves."""

    scheme: Literal["linear"] = key(
        "How the parts make one address space. linear: one part behind another, nothing moves.",
        example="linear",
    )
    part: list[Part] = key(
        "The parts, in the order of their addresses: tables, or names of pools.",
        min_length=1,
        example=["ssd", "hdd"],
    )

    def parts(self) -> list[tuple[KeyPath, str, Part]]:
        """The parts as they are listed; each is called by its pool."""
        return [(("part", number), part.pool, part) for number, part in enumerate(self.part)]

    def capacity_bytes(self, parts: Sequence[Placed]) -> int:
        """The sum of the parts, each in whole sectors of all."""
        sector = sector_bytes(parts)
        return sum(part.capacity // sector * sector for part in parts)

    def plan(self, parts: Sequence[Placed]) -> dict[str, Any]:
        """``linear`` has no figures of its own."""
        return {"kind": "linear"}
