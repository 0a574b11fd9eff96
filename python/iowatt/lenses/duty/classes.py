"""Usage classes: how many hours of a day an array is idle, moderately and heavily loaded.

These are the classes by which the energy extensions of the SPC-1 and SPC-2 benchmarks weigh power; hours and
loads are as told by those who know them, not verified against the benchmarks' own text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MODERATE: Final = 0.5
"""Load of a moderate hour, share of the highest throughput."""

HEAVY: Final = 0.8
"""Load of a heavy hour."""


@dataclass(frozen=True)
class UsageClass:
    """Hours of a day."""

    name: str
    idle_h: float
    moderate_h: float
    heavy_h: float

    def weighted(self, idle: float, moderate: float, heavy: float) -> float:
        """Mean over the day of a figure that is known at the three loads."""
        return (self.idle_h * idle + self.moderate_h * moderate + self.heavy_h * heavy) / 24


CLASSES: Final = (
    UsageClass("nominal", 16, 8, 0),
    UsageClass("medium", 6, 14, 4),
    UsageClass("high", 0, 6, 18),
)
