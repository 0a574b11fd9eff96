"""Which points of a curve are to be simulated next: from a guess up to a peak whose neighbours are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from iowatt.emerald.bff.peak import highest


def next_to_peak(guess: Sequence[float | None], simulated: Mapping[int, float | None]) -> list[int]:
    """Positions to be simulated, none when the highest simulated point lies between simulated neighbours.

    Parameters
    ----------
    guess:
        Estimates of the whole curve. Where there is none at all, every point is to be simulated.
    simulated:
        What was found so far by position; None where a point cannot be run.
    """
    if not any(value is not None for value in guess):
        return [at for at in range(len(guess)) if at not in simulated]
    done = [simulated.get(at) for at in range(len(guess))]
    top = highest(done)
    if top is None:  # nothing yet, or nothing that can be run: the best estimate of those left
        top = highest([None if at in simulated else value for at, value in enumerate(guess)])
        if top is None:
            return []
    return [at for at in (top - 1, top, top + 1) if 0 <= at < len(guess) and at not in simulated]


@dataclass
class Refinement:
    """The peak of a long curve (single drives) by a grid that closes in on it.

    Points a grid apart are simulated around the best one; where an outer one is better the grid moves there,
    else it is halved, down to neighbours. Of a curve with one peak it finds that peak. A curve by single
    drives falls wherever another shelf begins, so that each stretch of a shelf has a grid of its own.
    """

    #: Positions from ``first`` up to, not including, ``size``.
    first: int
    size: int
    centre: int
    grid: int
    simulated: dict[int, float | None] = field(default_factory=dict)

    def wanted(self) -> list[int]:
        """Positions to be simulated next; none when neighbours of the best point are known."""
        while True:
            around = (self.centre - self.grid, self.centre, self.centre + self.grid)
            missing = [at for at in around if self.first <= at < self.size and at not in self.simulated]
            if missing:
                return missing
            top = highest([self.simulated.get(at) for at in range(self.first, self.size)])
            if top is not None and self.first + top != self.centre:
                self.centre = self.first + top
            elif self.grid == 1:
                return []
            else:
                self.grid = max(1, self.grid // 2)
