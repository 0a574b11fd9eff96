"""Caching: the slow part holds everything, the fast part copies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from iowatt.scenario.problems import Problem
from iowatt.scenario.quantity import Duration
from iowatt.scenario.strict import key
from iowatt.scenario.virtual.scheme import Placed
from iowatt.scenario.virtual.two_parts import TwoParts


class Caching(TwoParts):
    """The slow part holds everything, the fast part copies of what is hot. It starts empty."""

    scheme: Literal["caching"] = key(
        "How the parts make one address space. caching: the slow part holds everything, the fast one copies.",
        example="caching",
    )
    write: Literal["back", "through", "around"] = key(
        "What a write to an extent with a copy does. back: goes to the copy, which is dirty until it is "
        "written back in the background. through: goes to both, and completes when both have it. around: "
        "goes to the slow part, and the copy is given up.",
        default="back",
        example="through",
    )
    dirty_high: float = key(
        "Share of the copies that are dirty above which they are written back, the least recently used "
        "first. 0 writes back as soon as a migration may start. Write-back only.",
        default=0.0,
        ge=0,
        le=1,
        example=0.1,
    )
    dirty_low: float | None = key(
        "Share of the copies that are dirty at which that ends; at most dirty_high.",
        default=None,
        unset="dirty_high",
        ge=0,
        le=1,
        example=0.05,
    )
    dirty_age: Duration = key(
        "A copy that was written less than this ago is not written back for the watermark alone: writes that "
        "follow one another soon cost one write of the slow part.",
        default=0.0,
        unit="s",
        example="1s",
    )

    def problems(self, parts: Sequence[Placed]) -> Iterator[Problem]:
        """Besides extents: watermarks in their order."""
        yield from super().problems(parts)
        if self.dirty_low is not None and self.dirty_low > self.dirty_high:
            message = f"{self.dirty_low:g} is above dirty_high, {self.dirty_high:g}"
            yield Problem(("dirty_low",), message)

    def capacity_bytes(self, parts: Sequence[Placed]) -> int:
        """The whole extents of the slow part."""
        return parts[1].capacity // self.extent * self.extent

    def plan(self, parts: Sequence[Placed]) -> dict[str, Any]:
        """Extent, threshold, concurrency, writes."""
        return {
            "kind": "caching",
            "extent_bytes": self.extent,
            "promotion_threshold": self.promotion_threshold,
            "max_migrations": self.max_migrations,
            "write": self.write,
            "dirty_high": self.dirty_high,
            "dirty_low": self.dirty_high if self.dirty_low is None else self.dirty_low,
            "dirty_age_s": self.dirty_age,
        }
