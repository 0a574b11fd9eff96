"""What one member draws and how far it keeps its service level, by its load.

Between two simulated loads figures are interpolated linearly, from idle watts at no load on. Nothing is
extrapolated: beyond the highest load that kept up a member draws what it drew there, and counts as beyond.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from iowatt.evaluate.fleet.point import MemberPoint

if TYPE_CHECKING:
    from iowatt.evaluate.fleet.keys import MostLoad

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MemberLimit:
    """The service level of a member; None where there is none."""

    p95_ms: float | None
    utilisation: float | None
    load_iops: float | None

    @classmethod
    def of(cls, stated: MostLoad) -> MemberLimit:
        """As a plan states it."""
        p95 = None if stated.p95 is None else 1e3 * stated.p95
        return cls(p95, stated.utilisation, stated.load)

    def kept_by(self, point: MemberPoint) -> bool:
        """Whether a member keeps it at this load."""
        return point.keeps(self.p95_ms, self.utilisation)


@dataclass(frozen=True)
class MemberCurve:
    """A member's points in rising order of load, with its watts without any."""

    points: tuple[MemberPoint, ...]
    idle_w: float | None

    @classmethod
    def of(cls, points: Iterable[MemberPoint], idle_w: float | None) -> MemberCurve:
        """The curve; of points at one load the last is taken."""
        by_load = {point.load_iops: point for point in points}
        return cls(tuple(by_load[load] for load in sorted(by_load)), idle_w)

    def most_iops(self, limit: MemberLimit) -> float:
        """The highest simulated load up to which every load keeps the limit; 0 where the lowest does not."""
        best = 0.0
        for point in self.points:
            if not limit.kept_by(point):
                break
            best = point.load_iops
        return best if limit.load_iops is None else min(best, limit.load_iops)

    def first_bad(self, limit: MemberLimit) -> MemberPoint | None:
        """The lowest load that does not keep the limit; None where all do."""
        return next((point for point in self.points if not limit.kept_by(point)), None)

    @property
    def lowest_iops(self) -> float:
        """The lowest load whose watts are known: none where idle watts are."""
        return 0.0 if self.idle_w is not None else self.points[0].load_iops

    def watts(self, loads: Floats) -> Floats:
        """Mean watts at each load."""
        return np.interp(loads, self._at, self._mean)

    def peak_w(self, loads: Floats) -> Floats:
        """The highest mean of an interval at each load, in W."""
        return np.interp(loads, self._at, self._peak)

    def wear_per_year(self, load: float) -> float:
        """Worn share of its SSDs a year."""
        served = self._served
        loads = [0.0, *(point.load_iops for point in served)]
        return float(np.interp(load, loads, [0.0, *(point.wear_per_year for point in served)]))

    def p95_ms(self, load: float) -> float | None:
        """The 95th percentile of response times; None where not known or beyond all loads."""
        known = [(one.load_iops, one.p95_ms) for one in self.points if one.p95_ms is not None and one.kept_up]
        if not known or load > known[-1][0]:
            return None
        return float(np.interp(load, [one for one, _ in known], [p95 for _, p95 in known]))

    @cached_property
    def _served(self) -> Sequence[MemberPoint]:
        """Points up to the first that did not keep up; the first one in any case."""
        ends = next((at for at, point in enumerate(self.points) if not point.kept_up), len(self.points))
        return self.points[: max(1, ends)]

    @cached_property
    def _at(self) -> Floats:
        return np.array(
            [*([0.0] if self.idle_w is not None else []), *(one.load_iops for one in self._served)]
        )

    @cached_property
    def _mean(self) -> Floats:
        idle = [] if self.idle_w is None else [self.idle_w]
        return np.array([*idle, *(one.watts for one in self._served)])

    @cached_property
    def _peak(self) -> Floats:
        # Power need not rise with load (a policy may spin drives down), but a peak is no less than a mean.
        idle = [] if self.idle_w is None else [self.idle_w]
        return np.array([*idle, *(one.peak_w for one in self._served)])
