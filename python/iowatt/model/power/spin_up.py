"""The power of an array while its drives are started, one group after another.

A drive draws its standby watts before its turn (0 where not known), its highest watts of a start while it
spins up, and its idle watts from then on. Parts draw their idle watts. Without a spin-up time the steps of a
start have no length and are numbered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from iowatt.model.power.plan import ArrayPlan, Enclosure, Mix, PoolDrives, StaggeredStart

if TYPE_CHECKING:
    from iowatt.model.power.efficiency import Floats

MOST_POINTS = 400
NS_PER_S = 1e9


@dataclass(frozen=True)
class SpinUp:
    """Steps of a start: times, and the watts at the wall from then on.

    ``timed``: steps have a length in seconds; otherwise they are numbered. ``overload`` is the index of the
    kind of enclosure that exceeds the short-time rating of its supplies most, and the watts it needs.
    """

    at: Floats
    wall_w: Floats
    timed: bool
    overload: tuple[int, float] | None

    @property
    def peak_w(self) -> float:
        """Highest power at the wall."""
        return float(self.wall_w.max())

    def points(self) -> list[tuple[float, float]]:
        """At most :data:`MOST_POINTS` steps, the highest among them."""
        keep = np.unique(np.linspace(0, len(self.at) - 1, MOST_POINTS).astype(int))
        keep = np.union1d(keep, [int(self.wall_w.argmax())])
        return [(float(self.at[i]), float(self.wall_w[i])) for i in keep]


def missing(plan: ArrayPlan) -> list[str]:
    """Pools whose drives lack start-up watts or, where the schedule needs it, a start-up time."""
    needs_time = plan.stagger is not None and plan.stagger.interval_s is not None
    return [
        kind.pool
        for kind in plan.drives.values()
        if kind.spin_up_w is None or kind.idle_w is None or (needs_time and kind.spin_up_s is None)
    ]


def spin_up(plan: ArrayPlan, *, staggered: bool = True) -> SpinUp | None:
    """The start of the array; None without drives, or where :func:`missing` names pools."""
    if not plan.drives or missing(plan):
        return None
    stagger = plan.stagger if staggered else None
    times = [kind.spin_up_s for kind in plan.drives.values()]
    timed = all(time is not None for time in times)
    # Drives start when those before are up: every step is as long as the slowest start, or has no length.
    longest = max(time for time in times if time is not None) if timed else 1.0
    step = longest if stagger is None or stagger.interval_s is None else stagger.interval_s
    instances = [(index, mix) for index, one in enumerate(plan.enclosures) for mix in one.each()]
    # Whole nanoseconds: rounding must not put a start before the end that it waits for.
    starts = [group * _ns(step) for group in _groups([sum(mix) for _, mix in instances], stagger)]
    courses: dict[tuple[int, Mix, bytes], _EnclosureStart] = {}
    moments: list[Floats] = []
    changes: list[Floats] = []
    overload: tuple[int, float] | None = None
    most_beyond = 0.0
    for (index, mix), start in zip(instances, starts, strict=True):
        first = float(start[0]) if len(start) else 0.0
        known = (index, mix, (start - first).tobytes())
        if known not in courses:
            courses[known] = course = _course(plan, plan.enclosures[index], mix, start - first, timed)
            if course.beyond_w > most_beyond:
                most_beyond, overload = course.beyond_w, (index, course.most_w)
        course = courses[known]
        moments += [np.zeros(1), course.at + first]
        changes += [np.array([course.before_w]), np.diff(course.wall_w, prepend=course.before_w)]
    # An enclosure changes only while its own drives start: what all draw is the sum of the changes so far.
    at, place = np.unique(np.concatenate(moments), return_inverse=True)
    wall = np.zeros(len(at))
    np.add.at(wall, place, np.concatenate(changes))
    return SpinUp(at / NS_PER_S, np.cumsum(wall), timed, overload)


@dataclass(frozen=True)
class _EnclosureStart:
    """One enclosure from its first start on: watts at the wall, before and at each step.

    ``most_w`` is the highest output of its supplies, ``beyond_w`` its excess over their short-time rating.
    """

    at: Floats
    before_w: float
    wall_w: Floats
    most_w: float
    beyond_w: float


def _course(plan: ArrayPlan, enclosure: Enclosure, mix: Mix, start: Floats, timed: bool) -> _EnclosureStart:
    kinds = [(plan.drives[pool], number) for pool, number in zip(enclosure.pools, mix, strict=True)]
    end = start + _lasting(plan, enclosure, mix, timed)
    at = np.unique(np.concatenate([np.zeros(1), start, end]))
    standing = sum(number * (kind.standby_w or 0.0) for kind, number in kinds)
    fed = np.concatenate([[standing], _drives(kinds, start, end, at)]) + _parts(enclosure, at_wall=False)
    supplies = enclosure.supplies
    drawn = (fed if supplies is None else supplies.input_w(fed)) + _parts(enclosure, at_wall=True)
    most = float(fed.max())
    beyond = 0.0 if supplies is None else most - supplies.peak_capacity_w
    return _EnclosureStart(at, float(drawn[0]), drawn[1:], most, beyond)


def _ns(seconds: float) -> float:
    return float(round(seconds * NS_PER_S))


def _groups(drives: Sequence[int], stagger: StaggeredStart | None) -> list[Floats]:
    """The number of the group in which each drive of each enclosure is started."""
    if stagger is None:
        return [np.zeros(number) for number in drives]
    groups, before = [], 0
    for number in drives:
        groups.append(np.floor((before + np.arange(number)) / stagger.at_once))
        before += number if stagger.per_array else 0
    return groups


def _lasting(plan: ArrayPlan, enclosure: Enclosure, mix: Mix, timed: bool) -> Floats:
    """Length of each drive's start in nanoseconds; one step where it is not known."""
    lengths = [
        np.full(number, _ns((plan.drives[pool].spin_up_s or 0.0) if timed else 1.0))
        for pool, number in zip(enclosure.pools, mix, strict=True)
    ]
    return np.concatenate(lengths) if lengths else np.zeros(0)


def _drives(kinds: Sequence[tuple[PoolDrives, int]], start: Floats, end: Floats, at: Floats) -> Floats:
    """Watts of one enclosure's drives at the times ``at``, from the starts begun and ended by then."""
    if not len(start):
        return np.zeros(len(at))

    def column(name: str) -> Floats:
        return np.concatenate([np.full(number, getattr(kind, name) or 0.0) for kind, number in kinds])

    before, during, after = column("standby_w"), column("spin_up_w"), column("idle_w")
    by_start, by_end = np.argsort(start, kind="stable"), np.argsort(end, kind="stable")
    begun = np.searchsorted(start[by_start], at, side="right")
    ended = np.searchsorted(end[by_end], at, side="right")
    up = np.concatenate([[0.0], np.cumsum((during - before)[by_start])])
    down = np.concatenate([[0.0], np.cumsum((after - during)[by_end])])
    watts: Floats = before.sum() + up[begun] + down[ended]
    return watts


def _parts(enclosure: Enclosure, *, at_wall: bool) -> float:
    return sum(part.watts(0.0) for part in enclosure.parts if part.at_wall is at_wall)
