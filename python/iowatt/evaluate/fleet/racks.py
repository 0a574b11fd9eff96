"""Racks: how many members one holds, how many are taken, and the most power that one draws."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from iowatt.evaluate.fleet.class_keys import FleetClass
    from iowatt.evaluate.fleet.keys import RackPlan
    from iowatt.evaluate.fleet.spread import LoadSpread

Floats = NDArray[np.float64]

SHARE: Final = 0.95
"""Probability that no full rack draws more than the figure that is held against the cap."""

_DRAWS: Final = 1_000_000
"""Members drawn for one figure, at most."""


def most_by_units(member: FleetClass, racks: RackPlan) -> int:
    """Members of a class that the units of one rack hold, or as many as the class states."""
    by_units = racks.units // member.rack_units if member.rack_units else 1000
    return member.members_per_rack or max(1, by_units)


def racks_taken(members: int, in_one: int) -> int:
    """Racks that so many members take."""
    return math.ceil(members / in_one)


def rack_peak_w(
    members: int,
    in_one: int,
    *,
    watts: Callable[[Floats], Floats],
    load: float,
    spread: LoadSpread,
    generator: np.random.Generator,
) -> float:
    """The power that no rack exceeds with probability ``SHARE``; members are placed at random.

    ``watts`` is the peak of one member by its load, ``load`` the mean of all in the busy hour. Peaks of
    members are taken to coincide.
    """
    full = min(members, in_one)
    if not full:
        return 0.0
    if spread.sigma == 0.0:
        return full * float(watts(np.array([load]))[0])
    racks = max(1, members // in_one)
    draws = max(20, min(400, _DRAWS // (racks * full)))
    highest = np.empty(draws)
    for at in range(draws):
        factors = spread.draw(generator, (racks, full))
        highest[at] = watts(load * factors.ravel()).reshape(racks, full).sum(axis=1).max()
    return float(np.quantile(highest, SHARE))
