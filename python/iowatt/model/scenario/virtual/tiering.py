"""Tiering: every extent lives in exactly one of two parts; promotion and demotion move it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from iowatt.base.problems import Problem
from iowatt.base.strict import key
from iowatt.model.scenario.virtual.scheme import Placed
from iowatt.model.scenario.virtual.two_parts import TwoParts


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

    def problems(self, parts: Sequence[Placed]) -> Iterator[Problem]:
        """Besides extents: what is demoted needs a free place."""
        found = list(super().problems(parts))
        yield from found
        slots = parts[1].capacity // self.extent
        if not found and slots <= self.max_migrations:
            message = f"the slow part holds {slots} extents, and each migration needs a free one"
            yield Problem("out-of-range", ("max_migrations",), message, "fewer, or smaller extents")

    def capacity_bytes(self, parts: Sequence[Placed]) -> int:
        """The whole extents of both parts, but those of the slow part that stay free for what is demoted."""
        slots = sum(part.capacity // self.extent for part in parts)
        return (slots - self.max_migrations) * self.extent

    def plan(self, parts: Sequence[Placed]) -> dict[str, Any]:
        """Extent, threshold, concurrency, initial placement."""
        return {
            "kind": "tiering",
            "extent_bytes": self.extent,
            "promotion_threshold": self.promotion_threshold,
            "max_migrations": self.max_migrations,
            "initial": {"placement": self.initial},
        }
