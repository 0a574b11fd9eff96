"""Points of a sweep: every setting of each axis with every setting of the others, the last axis fastest."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from iowatt.base.errors import Argument, InputError
from iowatt.evaluate.search.axes import Axis, Cell, Setting

MOST_POINTS: Final = 1_000_000


@dataclass(frozen=True)
class SweepPoint:
    """One combination; ``number`` counts from 1 in the order of the table."""

    number: int
    settings: tuple[Setting, ...]

    @property
    def values(self) -> tuple[Cell, ...]:
        """Values of all columns."""
        return tuple(value for setting in self.settings for value in setting.values)

    @property
    def overrides(self) -> tuple[str, ...]:
        """What brings them about, as overrides."""
        return tuple(override for setting in self.settings for override in setting.overrides)


def all_points(axes: Sequence[Axis]) -> list[SweepPoint]:
    """All points."""
    count = math.prod(len(axis.settings) for axis in axes)
    if count > MOST_POINTS:
        raise InputError(
            "too-large",
            Argument("over"),
            f"{count:,} points are too many; at most {MOST_POINTS:,} are run",
        )
    combined = itertools.product(*(axis.settings for axis in axes))
    return [SweepPoint(number, settings) for number, settings in enumerate(combined, 1)]


def swept_columns(axes: Sequence[Axis]) -> tuple[str, ...]:
    """The columns of the table that say where a point is."""
    return tuple(column for axis in axes for column in axis.columns)


def short_names(paths: Sequence[str]) -> dict[str, str]:
    """Each path by its shortest ending that no other path has: ``count``, ``raid.level``."""
    found = {}
    for path in paths:
        steps = path.split(".")
        for length in range(1, len(steps) + 1):
            ending = ".".join(steps[-length:])
            if sum(other == ending or other.endswith(f".{ending}") for other in paths) == 1:
                break
        found[path] = ending
    return found


def point_label(point: SweepPoint, paths: Sequence[str]) -> str:
    """A point for people: ``count=24, raid.level=5``."""
    names = short_names(paths)
    return ", ".join(f"{names[path]}={show_value(value)}" for path, value in zip(paths, point.values, strict=True))


def show_value(value: Cell) -> str:
    """A value as TOML writes it, without quotes; whole numbers without decimals."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def own_seed(seed: int, point: SweepPoint) -> int:
    """A seed of a point's own, from the scenario's and its values, whatever other points there are."""
    text = json.dumps([seed, *point.overrides])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1
