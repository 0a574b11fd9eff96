"""Which loads of one member are simulated: its own, some up to what the plan needs, then closer to its limit.

The first is the scenario's own load. From there loads double until the plan's highest is reached or the
service level is broken; between the last load that keeps it and the first that does not, it is halved.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from iowatt.evaluate.fleet.curve import MemberCurve, MemberLimit
from iowatt.evaluate.fleet.point import MemberPoint

GRID: Final = (0.25, 0.5, 0.75, 1.0)
"""Loads of a member that is never beyond its own load, as shares of the plan's highest."""

CLOSE: Final = 0.06
"""Relative distance between a load that keeps the limit and one that does not, at which the search ends."""

MOST_HALVINGS: Final = 8
_DIGITS: Final = 4


@dataclass
class LoadSearch:
    """The loads of one class of members under one limit."""

    limit: MemberLimit
    #: The highest load that the plan can ask of a member, and the load of the scenario as it is.
    top: float
    own: float
    #: Loads that the plan states; None: found.
    stated: Sequence[float] | None = None
    tried: set[float] = field(default_factory=set)

    def wanted(self, points: Iterable[MemberPoint]) -> list[float]:
        """Loads to simulate next, given the points known so far; none when it is done."""
        if self.stated is not None:
            return self._new(self.stated)
        curve = MemberCurve.of(points, None)
        good, bad = curve.most_iops(self._measured), curve.first_bad(self._measured)
        if bad is None:
            return self._upwards(good)
        if good == 0.0:
            lowest = curve.points[0].load_iops
            return self._new([lowest / 2]) if lowest > self.own / 2**MOST_HALVINGS else []
        if bad.load_iops > (1 + CLOSE) * good and good < self.top:
            return self._new([(good + bad.load_iops) / 2])
        return []

    def _upwards(self, good: float) -> list[float]:
        if self.top <= self.own:
            return self._new(share * self.top for share in GRID)
        first = self._new(share * self.own for share in GRID[:-1])
        return first or ([] if good >= self.top * (1 - 1e-9) else self._new([min(self.top, 2 * good)]))

    @property
    def _measured(self) -> MemberLimit:
        """The limit without a stated load, which needs no search."""
        return MemberLimit(self.limit.p95_ms, self.limit.utilisation, None)

    def _new(self, loads: Iterable[float]) -> list[float]:
        rounded = [float(f"{load:.{_DIGITS}g}") if self.stated is None else load for load in loads]
        # The highest load must be covered, so it is not rounded down.
        rounded = [load if load < self.top or self.stated is not None else self.top for load in rounded]
        new = [load for load in dict.fromkeys(rounded) if load > 0 and load not in self.tried]
        self.tried.update(new)
        return new
