"""The supplies of one enclosure: how they share its load, and what they draw together.

With sharing, each of n gives 1/n. In active and standby the needed ones carry all and the others idle at a
few watts. In failover the needed ones are all that is left, and carry all: with 1+1 the
single supply's curve.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from iowatt.model.power.efficiency import Curve

if TYPE_CHECKING:
    from iowatt.model.power.efficiency import Floats

Mode = Literal["normal", "redundant", "failover"]
MODES: tuple[Mode, ...] = ("normal", "redundant", "failover")


@dataclass(frozen=True)
class Supplies:
    """Like supplies of one enclosure; watts. ``needed`` of ``count`` are enough (N of N+1, N of N+N)."""

    rating_w: float
    peak_w: float
    count: int
    needed: int
    active_standby: bool
    standby_w: float
    power_factor: float
    curve: Curve

    @property
    def capacity_w(self) -> float:
        """What they can give with the redundant ones lost."""
        return self.needed * self.rating_w

    @property
    def peak_capacity_w(self) -> float:
        """The same for a short time, such as a spin-up."""
        return self.needed * self.peak_w

    def carrying(self, mode: Mode) -> int:
        """Supplies that carry the load."""
        return self.needed if mode == "failover" or (mode == "normal" and self.active_standby) else self.count

    def load(self, watts: Floats | float, mode: Mode) -> Floats:
        """Share of its rating that a carrying supply gives out of ``watts``."""
        import numpy as np

        return np.asarray(watts, dtype=float) / (self.carrying(mode) * self.rating_w)

    def input_w(self, watts: Floats | float, mode: Mode = "normal") -> Floats:
        """Watts drawn to give out ``watts``."""
        carrying = self.carrying(mode)
        drawn = carrying * self.rating_w * self.curve.input_share(self.load(watts, mode))
        idle = 0 if mode == "failover" else self.count - carrying
        return drawn + idle * self.standby_w

    @classmethod
    def of(cls, plan: Mapping[str, Any]) -> Supplies:
        """From its part of a plan file."""
        plain = {key: value for key, value in plan.items() if key not in ("points", "efficiency")}
        points = tuple((float(load), float(eta)) for load, eta in plan["points"])
        return cls(**plain, curve=Curve(points, plan["efficiency"]))

    def as_dict(self) -> dict[str, Any]:
        """Its part of a plan file."""
        names = ("rating_w", "peak_w", "count", "needed", "active_standby", "standby_w", "power_factor")
        return {
            **{name: getattr(self, name) for name in names},
            "efficiency": self.curve.name,
            "points": [list(point) for point in self.curve.points],
        }
