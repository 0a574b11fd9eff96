"""The peak by single drives: how flat it is, and which counts do not differ significantly.

Neighbours of the peak are tenths of a percent lower, and runs of a million requests differ by as much. A few
counts were therefore run again with other seeds. Counts of one seed are compared with each other, and the
mean of a difference over the seeds has a Student interval of 95 %.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from iowatt.run.statistics import student_t_quantile
from iowatt.studies.emerald2012.points import FamilyPoint, FamilyPoints, best

#: The sweep by single drives, and the one over seeds.
FINE: Final = "mw1-single"
SEEDS: Final = "mw1-seeds"
#: By so much below the peak a count still counts as near it.
NEAR: Final = 0.003


@dataclass(frozen=True)
class Gap:
    """How much a number of drives is better than another: a share, mean and half a 95 % interval."""

    mean: float
    half: float

    @property
    def chance(self) -> bool:
        """Whether the interval includes zero."""
        return abs(self.mean) <= self.half

    def __str__(self) -> str:
        return f"{100 * self.mean:+.2f} % (± {100 * self.half:.2f} %)"


def seeds(points: FamilyPoints) -> list[int]:
    """The seeds of the repeated counts; none in a reduced study."""
    return sorted({one.seed for one in points.of(SEEDS)})


def counts(points: FamilyPoints) -> list[int]:
    """The numbers of drives that were run again."""
    return sorted({one.drives for one in points.of(SEEDS)})


def gap(points: FamilyPoints, drives: int, over: int) -> Gap:
    """The metric with ``drives`` over that with ``over``, less one, pair by pair of the seeds.

    Raises
    ------
    LookupError
        There are fewer than two seeds, or one lacks a count.
    """
    known = seeds(points)
    if len(known) < 2:
        raise LookupError("a difference needs two seeds")
    shares = [
        points.one(SEEDS, drives=drives, seed=seed).value / points.one(SEEDS, drives=over, seed=seed).value
        - 1
        for seed in known
    ]
    mean = sum(shares) / len(shares)
    variance = sum((one - mean) ** 2 for one in shares) / (len(shares) - 1)
    return Gap(mean, student_t_quantile(0.975, len(shares) - 1) * math.sqrt(variance / len(shares)))


def mean(points: FamilyPoints, drives: int) -> float:
    """The metric's mean over the seeds."""
    known = points.of(SEEDS, drives=drives)
    return sum(one.value for one in known) / len(known)


def top(points: FamilyPoints) -> int:
    """The count whose mean over the seeds is highest; ``LookupError`` where none was run again."""
    known = counts(points)
    if not known:
        raise LookupError("no count was run again")
    return max(known, key=lambda drives: mean(points, drives))


def tops(points: FamilyPoints) -> list[int]:
    """The best count of each seed."""
    return [best(points.of(SEEDS, seed=seed)).drives for seed in seeds(points)]


def alike(points: FamilyPoints) -> list[int]:
    """The counts that do not differ significantly from the best one, and that one."""
    highest = top(points)
    return [one for one in counts(points) if one == highest or gap(points, one, highest).chance]


def near(curve: Sequence[FamilyPoint], share: float = NEAR) -> list[FamilyPoint]:
    """The points of a curve within a share of its peak."""
    least = best(curve).value * (1 - share)
    return [one for one in curve if one.value >= least]


def lengths(points: FamilyPoints) -> float:
    """How much the same 125 drives differ between the shelves' runs and the longer ones by single drives.

    Raises ``LookupError`` where one of them is missing.
    """
    long = points.one(FINE, drives=125).value
    short = next((one.value for one in points.curve("MW1", "raid-5") if one.drives == 125), None)
    if short is None:
        raise LookupError("no point by shelves with 125 drives")
    return abs(short / long - 1)
