"""What a search knows: designs on their way to a size, and the families they belong to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from iowatt.evaluate.choose.design import System
from iowatt.evaluate.choose.result import Missed
from iowatt.evaluate.choose.trials import Screened


@dataclass
class DesignState:
    """A design on its way to its smallest system that keeps all."""

    family: str
    #: The smallest system that holds the data, and the one that is tried now.
    least: System
    now: System
    screened: Screened
    #: The least that its smallest system costs.
    floor_usd: float = 0.0
    #: The largest number known to miss a level, and the smallest known to keep all.
    below: int = 0
    keeps: int | None = None
    #: The smallest number that keeps all but limits that a smaller one may keep: budget, watts, height.
    over: int | None = None
    #: Rows of what was simulated, by number; and what of it is missed.
    rows: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    missed: dict[int, list[Missed]] = field(default_factory=dict)
    #: The system that was confirmed, or failed to be.
    confirmed: Confirmed | None = None
    error: str | None = None

    @property
    def kept(self) -> System | None:
        """The smallest system that keeps all by one seed."""
        return None if self.keeps is None else System(self.now.design, self.keeps)

    @property
    def usd(self) -> float:
        """Dollars: simulated, else estimated."""
        row = self.rows.get(self.now.count if self.keeps is None else self.keeps, {})
        return float(row.get("cost.total_usd") or self.screened.usd)


@dataclass(frozen=True)
class Confirmed:
    """A system by several seeds and with a simulated rebuild."""

    system: System
    row: Mapping[str, Any]
    missed: list[Missed]

    @property
    def usd(self) -> float:
        """Dollars over the question's years."""
        return float(self.row.get("cost.total_usd") or math.inf)


@dataclass
class SearchedFamily:
    """What was found of a family."""

    name: str
    title: str
    designs: int
    #: Simulated designs, the cheapest first, and those that wait.
    states: list[DesignState] = field(default_factory=list)
    waiting: list[DesignState] = field(default_factory=list)
    confirmed: list[Confirmed] = field(default_factory=list)
    #: Why a design was not even simulated.
    refused: list[str] = field(default_factory=list)

    @property
    def best(self) -> Confirmed | None:
        """The cheapest system that keeps all."""
        kept = [one for one in self.confirmed if not one.missed]
        return min(kept, key=lambda one: (one.usd, one.system.title), default=None)

    @property
    def simulated(self) -> int:
        """Systems that were simulated."""
        return len({(state.now.design, count) for state in self.states for count in state.rows})


def found_states(found: Sequence[SearchedFamily]) -> list[DesignState]:
    """All designs that are simulated."""
    return [state for family in found for state in family.states]
