"""Which tier each extent goes to, and how many drives that takes.

The rule (docs/models/tiers.md): an extent goes to the tier of least ``max(capacity cost, density x
performance cost)``, that is to the one of whose drives it takes up least, by room or by work, at their cost.
Extents are then laid out by density, drives rounded up to RAID groups, and what room and work is left of a
faster tier takes the next hottest ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from iowatt.evaluate.tiers.benchmark import MOST_DRIVES, Technology
from iowatt.evaluate.tiers.one_pool import ExtentLoad, Objective
from iowatt.model.raid import count_problem

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LaidOutTier:
    """A tier of ``count`` drives, which holds extents ``first`` to ``last`` (excluded) in order of
    density."""

    technology: Technology
    count: int
    first: int
    last: int
    #: Bytes of untouched space on it.
    cold_bytes: float
    #: Drives beyond what room and work ask for, for the response time.
    extra: int = 0

    def held_bytes(self, load: ExtentLoad) -> float:
        """Bytes that lie on it."""
        return float(load.size[self.first : self.last].sum()) + self.cold_bytes


def assign(
    load: ExtentLoad, technologies: Sequence[Technology], most_utilisation: float, objective: Objective
) -> npt.NDArray[np.int64]:
    """The technology of each extent by the rule; a drive may be busy for the share
    ``most_utilisation``."""
    costs = [_cost(load, technology, most_utilisation, objective) for technology in technologies]
    found: npt.NDArray[np.int64] = np.argmin(np.stack(costs), axis=0)
    return found


def _cost(load: ExtentLoad, technology: Technology, most_utilisation: float, objective: Objective) -> Floats:
    count = max(technology.least, technology.group)
    room = load.size / (technology.usable(count) / count)
    operations = technology.operations(load, count)
    drives = np.maximum(room, operations / (most_utilisation * technology.drive.saturated_iops))
    if objective == "watts":
        # Idling is paid by the drive, positioning and transfer by the operation.
        found: Floats = drives * technology.drive.idle_w + operations * technology.drive.operation_j
        return found
    found = drives * 1.0 if objective == "drives" else np.asarray(technology.total_usd(drives, operations))
    return found


def _room_cost(technology: Technology, objective: Objective) -> float:
    """Cost of a byte that is never accessed."""
    drives = technology.least / technology.usable(technology.least)
    if objective == "watts":
        return drives * technology.drive.idle_w
    return drives if objective == "drives" else float(technology.total_usd(drives, 0.0))


def lay_out(
    load: ExtentLoad,
    technologies: Sequence[Technology],
    most_utilisation: float,
    objective: Objective,
    extra: Sequence[int] = (),
) -> list[LaidOutTier] | None:
    """Tiers from the fastest technology to the slowest; None where one would need too many drives.

    Args:
        technologies: In order of speed, the fastest first.
        extra: Groups to add to each beyond what room and work ask for.
    """
    chosen = assign(load, technologies, most_utilisation, objective)
    extents_of = [int((chosen == at).sum()) for at in range(len(technologies))]
    if load.cold_bytes:
        # Untouched space goes where room costs least; a slower tier without other extents is dropped.
        room = [_room_cost(technology, objective) for technology in technologies]
        cheapest = room.index(min(room))
        if not any(extents_of[cheapest + 1 :]):
            technologies, extents_of = technologies[: cheapest + 1], extents_of[: cheapest + 1]
    extra = list(extra) or [0] * len(technologies)
    tiers: list[LaidOutTier] = []
    first, cold = 0, load.cold_bytes
    number = len(load.size)
    for at, technology in enumerate(technologies):
        slowest = at == len(technologies) - 1
        # Extents that a faster tier had room for are not among this one's.
        last = number if slowest else min(number, max(first, sum(extents_of[: at + 1])))
        if last == first and not (slowest and cold) and not extra[at]:
            continue
        count = _drives(
            load, technology, first, last, cold=cold if slowest else 0.0, most_utilisation=most_utilisation
        )
        if count is None:
            return None
        count += extra[at] * technology.group
        last, own_cold = (
            (last, cold)
            if slowest
            else _fill(
                load, technology, count, span=(first, last), cold=cold, most_utilisation=most_utilisation
            )
        )
        cold -= own_cold
        tiers.append(LaidOutTier(technology, count, first, last, own_cold, extra[at] * technology.group))
        first = last
    return _without_empty(tiers)


def _without_empty(tiers: list[LaidOutTier]) -> list[LaidOutTier]:
    return [tier for tier in tiers if tier.last > tier.first or tier.cold_bytes > 0]


def _drives(
    load: ExtentLoad, technology: Technology, first: int, last: int, *, cold: float, most_utilisation: float
) -> int | None:
    """The fewest drives, in groups, that have the room and the rate for some extents."""
    room = float(load.size[first:last].sum()) + cold
    count = technology.least
    while count <= MOST_DRIVES:
        operations = float(technology.operations(load, count)[first:last].sum())
        fits = technology.usable(count) - _reserve(load) >= room
        if fits and operations <= most_utilisation * count * technology.drive.saturated_iops:
            return count
        # Jump near the answer, then step.
        by_room = room / max(technology.usable(count) / count, 1.0)
        by_rate = operations / (most_utilisation * technology.drive.saturated_iops)
        near = int(max(by_room, by_rate) / technology.group) * technology.group
        count = max(count + technology.group, near - 2 * technology.group)
        while count_problem(technology.level, count) is not None:
            count += technology.group
    return None


def _reserve(load: ExtentLoad) -> int:
    """Bytes of a tier that stay free for what is moved: a few extents, and what rounding to them loses."""
    return 8 * load.extent_bytes


def _fill(
    load: ExtentLoad,
    technology: Technology,
    count: int,
    *,
    span: tuple[int, int],
    cold: float,
    most_utilisation: float,
) -> tuple[int, float]:
    """The end of the extents that ``count`` drives can hold and serve, at least that of ``span``; its cold
    bytes."""
    first, last = span
    room = technology.usable(count) - _reserve(load)
    rate = most_utilisation * count * technology.drive.saturated_iops
    size = np.cumsum(load.size[first:])
    operations = np.cumsum(technology.operations(load, count)[first:])
    fits = int(min(np.searchsorted(size, room, "right"), np.searchsorted(operations, rate, "right")))
    end = max(last, first + fits)
    if end < len(load.size):
        return end, 0.0
    left = room - float(load.size[first:end].sum())
    return end, float(min(max(left, 0.0), cold))
