"""The configurations that are chosen from: every setting of each axis with every setting of the others.

Points are numbered as those of a sweep (from 1, the last axis fastest) and made when they are asked for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from iowatt.base import units
from iowatt.base.errors import Argument, InputError
from iowatt.evaluate.search.axes import SweepAxis, SweepPoint, swept_columns

MOST: Final = 10**15
"""Points of a space; more is a slip of the pen."""

_WHOLE: Final = 9
"""Settings of an axis up to which all of them are neighbours of one another."""


@dataclass(frozen=True)
class SearchSpace:
    """Axes as coordinates."""

    axes: Sequence[SweepAxis]

    def __post_init__(self) -> None:
        if self.size > MOST:
            raise InputError(
                "too-large",
                Argument("over"),
                f"{self.size:.3g} points are too many; the maximum is {MOST:.3g}",
            )

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Settings of each axis."""
        return tuple(len(axis.settings) for axis in self.axes)

    @cached_property
    def size(self) -> int:
        """Points in all."""
        return math.prod(self.shape)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The swept paths."""
        return swept_columns(self.axes)

    def point(self, number: int) -> SweepPoint:
        """The point of a number."""
        settings = zip(self.axes, self.at(number), strict=True)
        return SweepPoint(number, tuple(axis.settings[at] for axis, at in settings))

    def at(self, number: int) -> tuple[int, ...]:
        """Its setting on each axis."""
        left, found = number - 1, []
        for length in reversed(self.shape):
            left, at = divmod(left, length)
            found.append(at)
        return tuple(reversed(found))

    def number(self, at: Sequence[int]) -> int:
        """The number of the point at these settings."""
        number = 0
        for length, place in zip(self.shape, at, strict=True):
            number = number * length + place
        return number + 1

    def neighbours(self, number: int) -> Iterator[int]:
        """Points that differ on one axis: on a long one the two next on either side, and its ends."""
        here = self.at(number)
        for axis, length in enumerate(self.shape):
            near = {here[axis] + step for step in (-2, -1, 1, 2)} | {0, length - 1}
            chosen = range(length) if length <= _WHOLE else sorted(near)
            for place in chosen:
                if place != here[axis] and 0 <= place < length:
                    yield self.number([*here[:axis], place, *here[axis + 1 :]])

    @property
    def most_neighbours(self) -> int:
        """The most that a point has."""
        return sum(length - 1 if length <= _WHOLE else 6 for length in self.shape)

    def star(self) -> Iterator[int]:
        """Each setting of each axis once, with the first setting of the others."""
        yield 1
        for axis, length in enumerate(self.shape):
            for place in range(1, length):
                yield self.number([place if other == axis else 0 for other in range(len(self.shape))])

    def sample(self, count: int, seed: int) -> list[int]:
        """Up to ``count`` different points at random, in order of their numbers."""
        if count >= self.size:
            return list(range(1, self.size + 1))
        random = np.random.Generator(np.random.PCG64(seed))
        found: set[int] = set()
        while len(found) < count:
            found |= {int(n) for n in random.integers(1, self.size, count - len(found), endpoint=True)}
        return sorted(found)

    def ordered(self, axis: int) -> bool:
        """Whether settings are rising or falling quantities, so that near ones are alike.

        Levels of RAID are names.
        """
        if len(self.axes[axis].columns) != 1 or self.axes[axis].columns[0].endswith("raid.level"):
            return False
        found = [_quantity(setting.values[0]) for setting in self.axes[axis].settings]
        known = [value for value in found if value is not None]
        if len(known) < len(found):
            return False
        return known in (sorted(known), sorted(known, reverse=True))


def _quantity(value: object) -> float | None:
    """A number, or one with its unit such as ``64KiB``; None for anything else."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return float(value)
    for parse in (units.parse_capacity, units.parse_duration, units.parse_rate, units.parse_power):
        try:
            return float(parse(value))
        except ValueError:
            continue
    return None
