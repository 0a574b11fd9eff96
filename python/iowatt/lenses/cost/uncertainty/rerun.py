"""How sure a crossover is: found again under draws of all other assumptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import numpy as np

from iowatt.errors import InputError
from iowatt.lenses.cost.uncertainty.course import Course
from iowatt.lenses.cost.uncertainty.drawn import LEAST_DRAWS
from iowatt.lenses.cost.uncertainty.root import flips
from iowatt.lenses.cost.uncertainty.spread import rank

#: A place under a draw is found this near, over itself: so few draws tell no more.
CLOSE: Final = 5e-3


@dataclass(frozen=True)
class PlaceRange:
    """Where a ranking flips over draws: quantiles of the first place, and what the other draws do.

    Quantiles are None where fewer than 20 draws have a place. The shares sum to 1.
    """

    draws: int
    seed: int
    p5: float | None
    p50: float | None
    p95: float | None
    share_crossing: float
    share_a_cheaper: float
    share_b_cheaper: float
    share_same: float
    share_reversed: float

    def as_dict(self) -> dict[str, object]:
        """For the document."""
        return {
            "draws": self.draws, "seed": self.seed, "p5": self.p5, "p50": self.p50, "p95": self.p95,
            "share_crossing": self.share_crossing, "share_a_cheaper": self.share_a_cheaper,
            "share_b_cheaper": self.share_b_cheaper, "share_same": self.share_same,
            "share_reversed": self.share_reversed,
        }  # fmt: skip


def rerun(
    courses: Sequence[Course],
    grid: Sequence[float],
    pair: tuple[str, str],
    *,
    direction: int | None,
    several: bool,
    seed: int,
) -> PlaceRange:
    """The range of the first place where a ``pair``'s difference flips, over ``courses``, one for each draw.

    ``direction`` is that of the place to be found again (1: the second becomes the dearer); with None any
    counts. Where there are ``several`` places at the book's values, all of ``grid`` is looked at under each
    draw; else only where both ends of it have the same sign, because between different ones there is a place.
    """
    places: list[float] = []
    otherwise = {"a": 0, "b": 0, "same": 0, "reversed": 0}
    for course in courses:
        place, other = _first(course, grid, pair, direction, several=several)
        if place is None:
            otherwise[other] += 1
        else:
            places.append(place)
    count = len(courses)
    ordered = np.sort(np.array(places, dtype=np.float64))
    p5, p50, p95 = (
        rank(ordered, share) if len(ordered) >= LEAST_DRAWS else None for share in (0.05, 0.50, 0.95)
    )
    shares: Mapping[str, float] = {name: times / count for name, times in otherwise.items()}
    return PlaceRange(
        count, seed, p5, p50, p95, len(places) / count,
        shares["a"], shares["b"], shares["same"], shares["reversed"],
    )  # fmt: skip


def _first(
    course: Course, grid: Sequence[float], pair: tuple[str, str], direction: int | None, *, several: bool
) -> tuple[float | None, str]:
    """The first place of that direction; without one, what holds instead."""
    apart = course.apart(*pair)
    seen: list[float] = []

    def watched(at: float) -> float:
        seen.append(apart(at))
        return seen[-1]

    other = None
    # What can be priced may end earlier under a draw: then that is the end of it.
    with suppress(InputError):
        ends = (grid[0], grid[-1])
        # One cell, from end to end, where a place must lie in it and there is but one.
        alone = not several and watched(ends[0]) * watched(ends[1]) < 0.0
        for flip in flips(watched, ends if alone else grid, CLOSE):
            if direction in (None, flip.direction):
                return flip.at, ""
            other = "reversed"
    # Without a flip all signs that are any are the same.
    sign = next((value for value in seen if value != 0.0), 0.0)
    return None, other or ("same" if sign == 0.0 else "a" if sign > 0.0 else "b")
