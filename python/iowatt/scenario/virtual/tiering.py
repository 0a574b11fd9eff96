"""Tiering: every extent lives in exactly one of two parts; promotion and demotion move it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from iowatt.scenario.strict import key
from iowatt.scenario.virtual.scheme import Placed
from iowatt.scenario.virtual.two_parts import TwoParts


class Tiering(TwoParts):
    """Every extent lives in exactly one part; hot ones move to the fast part."""

    scheme: Literal["tiering"] = key(
        "How the parts make one address space. tiering: each extent lives in exactly one part and moves.",
        example="tiering",
    )
    initial: Literal["cold", "random", "first-touch", "hot"] = key(
        "Which extents the fast part holds at the start; it is always full. cold: those that the workload "
        "touches last or never. random: drawn from the seed, cold and hot as chance has it. first-touch: "
        "those that are touched first. hot: those that the workload touches most (a first pass counts them).",
        default="random",
        example="cold",
    )

    def capacity_bytes(self, parts: Sequence[Placed]) -> int:
        """The whole extents of both parts."""
        return sum(part.capacity // self.extent * self.extent for part in parts)

    def plan(self, parts: Sequence[Placed]) -> dict[str, Any]:
        """Extent, threshold, concurrency, initial placement."""
        return {
            "kind": "tiering",
            "extent_bytes": self.extent,
            "promotion_threshold": self.promotion_threshold,
            "max_migrations": self.max_migrations,
            "initial": {"placement": self.initial},
        }
