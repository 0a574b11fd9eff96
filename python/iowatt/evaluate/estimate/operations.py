"""Operations of drives: what a pool makes of requests, in classes that a drive tells apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

How = Literal["read", "write", "update"]


@dataclass(frozen=True)
class Place:
    """Where operations fall on a drive: uniformly within a range, given in shares of the drive.

    ``cursors`` > 0: sequentially, so many streams of them beside one another. ``sweep``: in ascending order.
    """

    first: float = 0.0
    last: float = 1.0
    cursors: int = 0
    sweep: bool = False


@dataclass(frozen=True)
class Kind:
    """Like operations: an ``update`` reads and then writes the same place, and counts as two."""

    how: How
    bytes: int
    place: Place

    @property
    def commands(self) -> int:
        """Commands of a drive for one."""
        return 2 if self.how == "update" else 1


#: Of each kind how many there are for one request, or how many a second.
Mix = dict[Kind, float]


def add_operations(mix: Mix, kind: Kind, count: float) -> None:
    """Count more of a kind."""
    if count > 0:
        mix[kind] = mix.get(kind, 0.0) + count


def count_commands(mix: Mix) -> float:
    """Commands of drives in a mix."""
    return sum(count * kind.commands for kind, count in mix.items())
