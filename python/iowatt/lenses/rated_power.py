"""Simulated watts against the most that data sheets allow.

Joules of operations follow from a sheet's figures at one kind of work at a time: several kinds at once can
come to more than a real drive would draw.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

TOLERANCE: Final = 0.02
"""With nothing to erase yet, a drive writes up to 2.5 % faster and draws up to 1 % more than rated."""


@dataclass(frozen=True)
class RatingExceeded:
    """Watts above the rated most: of the drive that is furthest above, or of all drives over one interval."""

    drives: int
    worst: str
    watts: float
    most_w: float
    interval: bool

    @property
    def text(self) -> str:
        """In words."""
        whom = "all drives together" if self.interval else self.worst
        span = "on average over an interval" if self.interval else "on average"
        more = f" (and {self.drives - 1:,} more drives)" if self.drives > 1 else ""
        return (
            f"{whom}{more} would draw {self.watts:.3g} W {span}, above the data sheet's maximum of "
            f"{self.most_w:.3g} W: a real drive would be slower; ssd.power_cap simulates that"
        )


def above(
    devices: Sequence[Mapping[str, Any]],
    joules: Mapping[str, float | None],
    seconds: float,
    interval_w: float,
) -> RatingExceeded | None:
    """Whether drives draw more than their sheets allow; None where none does, or nothing is known.

    Parameters
    ----------
    devices
        ``names.devices`` of a plan: those with ``most_w`` (watts) are looked at.
    joules
        Of each drive over the window of ``seconds``, by name; None where its watts are not known.
    interval_w
        The highest mean of all drives over an interval; looked at where the most of every drive is known.
    """
    rated = {
        one["name"]: one["most_w"] * one.get("drives", 1) for one in devices if one.get("most_w") is not None
    }
    used = {name: one for name in rated if (one := joules.get(name)) is not None}
    drawn = {name: one / seconds for name, one in used.items() if seconds > 0}
    over = [name for name, watts in drawn.items() if watts > (1 + TOLERANCE) * rated[name]]
    if over:
        worst = max(over, key=lambda name: drawn[name] / rated[name])
        return RatingExceeded(len(over), worst, drawn[worst], rated[worst], interval=False)
    most = math.fsum(rated.values())
    if rated and len(rated) == len(devices) and interval_w > (1 + TOLERANCE) * most:
        return RatingExceeded(1, "", interval_w, most, interval=True)
    return None
