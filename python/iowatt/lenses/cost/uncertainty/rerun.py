"""How sure a crossover is: found again under draws of all other assumptions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final

import numpy as np

from iowatt.base.errors import InputError
from iowatt.lenses.cost.result import PlaceRange
from iowatt.lenses.cost.uncertainty.cost_curve import Course
from iowatt.lenses.cost.uncertainty.root import Function, flips
from iowatt.lenses.cost.uncertainty.sampling import LEAST_DRAWS
from iowatt.lenses.cost.uncertainty.spread import rank

#: A place under a draw is found this near, over itself: so few draws tell no more.
CLOSE: Final = 5e-3


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
    counts. Where there are ``several`` places at the book's values, coarse points of ``grid`` are looked at
    under each draw; else only where both ends of it have the same sign, because between different ones there
    is a place.
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
        draws=count, seed=seed, p5=p5, p50=p50, p95=p95, share_crossing=len(places) / count,
        share_a_cheaper=shares["a"], share_b_cheaper=shares["b"], share_same=shares["same"],
        share_reversed=shares["reversed"],
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
        looked_at: Iterable[float] = (grid[0], grid[-1])
        if several or watched(grid[0]) * watched(grid[-1]) >= 0.0:
            looked_at = _near(course, _coarse(course, grid), pair)
        elif course.axis.in_time:
            looked_at = _cell(watched, grid)
        for flip in flips(watched, looked_at, CLOSE):
            if direction in (None, flip.direction):
                return flip.at, ""
            other = "reversed"
    # Without a flip all signs that are any are the same.
    sign = next((value for value in seen if value != 0.0), 0.0)
    return None, other or ("same" if sign == 0.0 else "a" if sign > 0.0 else "b")


def _cell(function: Function, grid: Sequence[float]) -> tuple[float, ...]:
    """Neighbours of ``grid`` with different signs, its ends having different ones; or a 0 between such.

    In time every new place is a bill to be made. Those of the grid are made already.
    """
    start, end = 0, len(grid) - 1
    above = function(grid[end]) > 0.0
    while end - start > 1:
        middle = (start + end) // 2
        value = function(grid[middle])
        if value == 0.0:
            return grid[start], grid[middle], grid[end]
        if (value > 0.0) == above:
            end = middle
        else:
            start = middle
    return grid[start], grid[end]


def _coarse(course: Course, grid: Sequence[float]) -> tuple[float, ...]:
    """The axis's coarse points within ``grid``, and its ends."""
    inner = (at for at in course.axis.coarse if grid[0] < at < grid[-1])
    return grid[0], *inner, grid[-1]


def _near(course: Course, grid: Sequence[float], pair: tuple[str, str]) -> Iterator[float]:
    """The points of ``grid`` that are worth a look, in order.

    Costs rise along time and along a price, or fall along a life: where the dearest of one system at two
    points is less than the cheapest of the other, nothing flips between them.
    """
    stack = [(0, len(grid) - 1)]
    yield grid[0]
    while stack:
        start, end = stack.pop()
        a, b = ([course.usd(name, grid[index]) for index in (start, end)] for name in pair)
        if end - start == 1 or max(a) < min(b) or max(b) < min(a):
            yield grid[end]
        else:
            middle = (start + end) // 2
            stack += [(middle, end), (start, middle)]
