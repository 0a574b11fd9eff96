"""Efficiency of a power supply by load, from certified or measured points.

Load is output as a share of the rating. Between two points efficiency is linear in load, the usual reading of
such tables (a curve through the losses of three points is 2 % off a measured pair of supplies, see
docs/models/array-power.md). Below the lowest point the *loss* over the rating, L x (1/eta - 1), follows the
quadratic through the three lowest points; its constant is the draw at no load.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from iowatt.base.errors import BadValueError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]


Point = tuple[float, float]
Mode = Literal["normal", "redundant", "failover"]
MODES: tuple[Mode, ...] = ("normal", "redundant", "failover")


@dataclass(frozen=True)
class EfficiencyCurve:
    """Efficiency by load.

    ``points`` are (share of the rating, efficiency), rising in load up to 1. One point holds at every load.
    """

    points: tuple[Point, ...]

    def input_share(self, load: Floats | float) -> Floats:
        """Input at ``load``, both over the rating.

        Beyond the rating the efficiency of full load is kept; callers must report the overload.
        """
        import numpy as np

        load = np.asarray(load, dtype=float)
        shares, efficiencies = (np.array(column) for column in zip(*self.points, strict=True))
        drawn = load / np.interp(load, shares, efficiencies)
        if len(self.points) == 1:
            return np.asarray(drawn)
        constant, linear, square = self.light_load_loss
        light = load + constant + linear * load + square * load**2
        result: Floats = np.where(load < shares[0], light, drawn)
        return result

    def efficiency(self, load: float) -> float:
        """Output over input at ``load``; 0 at no load."""
        return float(load / self.input_share(load)) if load > 0 else 0.0

    @cached_property
    def light_load_loss(self) -> tuple[float, float, float]:
        """(a, b, c) of loss over rating = a + b L + c L^2, below the lowest point.

        With two points, or where the quadratic is impossible for a supply (negative loss, or less input for
        more output), the loss of the lowest point is kept down to no load.
        """
        if len(self.points) >= 3:
            a, b, c = quadratic([(load, loss(load, eta)) for load, eta in self.points[:3]])
            first = self.points[0][0]
            if a >= -1e-12 and 1 + b > 0 and 1 + b + 2 * c * first > 0 and a + b * first + c * first**2 >= 0:
                return max(a, 0.0), b, c
        return loss(*self.points[0]), 0.0, 0.0


def loss(load: float, efficiency: float) -> float:
    """Loss over the rating at ``load``, a share of it."""
    return load * (1 / efficiency - 1)


def quadratic(points: Sequence[Point]) -> tuple[float, float, float]:
    """(a, b, c) of a + b x + c x^2 through three points with different x (Newton's divided differences)."""
    (x0, y0), (x1, y1), (x2, y2) = points
    first = (y1 - y0) / (x1 - x0)
    c = ((y2 - y1) / (x2 - x1) - first) / (x2 - x0)
    return y0 - first * x0 + c * x0 * x1, first - c * (x0 + x1), c


def check(points: Sequence[Sequence[float]]) -> None:
    """Raise ``BadValueError`` where no supply can have these points."""
    if not points:
        raise BadValueError("missing", None, "expected at least one point [load, efficiency]")
    for point in points:
        if len(point) != 2:
            raise BadValueError("wrong-type", None, f"expected [load, efficiency], not {list(point)}")
        if not all(0 < share <= 1 for share in point):
            message = f"expected two shares above 0 and at most 1, not {list(point)}"
            raise BadValueError("out-of-range", None, message)
    if any(after[0] <= before[0] for before, after in pairwise(points)):
        raise BadValueError("out-of-order", None, "loads must rise from point to point")
    if points[-1][0] != 1:
        raise BadValueError("missing", None, "the last point must be at full load, such as [1.0, 0.91]")
    for (low, eta_low), (high, eta_high) in pairwise(points):
        if high / eta_high <= low / eta_low or eta_low <= (eta_high - eta_low) / (high - low) * low:
            message = f"between the loads {low:g} and {high:g} the supply would draw less for more output"
            raise BadValueError("conflict", None, message)


@dataclass(frozen=True)
class Supplies:
    """Equal supplies of one enclosure; watts. ``needed`` of ``count`` are enough (N of N+1, N of N+N)."""

    rating_w: float
    peak_w: float
    count: int
    needed: int
    active_standby: bool
    standby_w: float
    power_factor: float
    #: What the curve is called, and its points.
    efficiency: str
    points: tuple[Point, ...]

    @cached_property
    def curve(self) -> EfficiencyCurve:
        """The efficiency of one."""
        return EfficiencyCurve(self.points)

    @property
    def capacity_w(self) -> float:
        """Output with the redundant ones lost."""
        return self.needed * self.rating_w

    @property
    def peak_capacity_w(self) -> float:
        """The same for a short time, such as a spin-up."""
        return self.needed * self.peak_w

    def carrying(self, mode: Mode) -> int:
        """Supplies that carry the load."""
        return self.needed if mode == "failover" or (mode == "normal" and self.active_standby) else self.count

    def load(self, watts: Floats | float, mode: Mode) -> Floats:
        """Load of a supply that carries its part of ``watts``, as a share of its rating."""
        import numpy as np

        return np.asarray(watts, dtype=float) / (self.carrying(mode) * self.rating_w)

    def input_w(self, watts: Floats | float, mode: Mode = "normal") -> Floats:
        """Input for an output of ``watts``."""
        carrying = self.carrying(mode)
        drawn = carrying * self.rating_w * self.curve.input_share(self.load(watts, mode))
        idle = 0 if mode == "failover" else self.count - carrying
        return drawn + idle * self.standby_w
