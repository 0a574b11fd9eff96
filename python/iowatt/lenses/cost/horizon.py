"""How long the work goes on: so often (equal work), or for so long (equal time)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from iowatt.base.errors import Argument, InputError
from iowatt.lenses.wear import SECONDS_PER_YEAR


@dataclass(frozen=True)
class Horizon:
    """What two systems are compared over.

    ``work``: each does the same work ``amount`` times over (alpha), the slower one for longer.
    ``time``: each goes on for ``amount`` years of 365 days, the faster one doing more.
    """

    basis: Literal["work", "time"]
    amount: float

    def __post_init__(self) -> None:
        least = 1.0 if self.basis == "work" else 0.0
        if not (self.amount >= least and self.amount > 0) or self.amount == float("inf"):
            name, accepted = ("alpha", "at least 1") if self.basis == "work" else ("years", "more than 0")
            raise InputError(
                "out-of-range", Argument(name), f"{self.amount:g} is not accepted; expected {accepted}"
            )

    def repeats(self, work_s: float) -> float:
        """How often work that takes ``work_s`` seconds is done."""
        return self.amount if self.basis == "work" else self.amount * SECONDS_PER_YEAR / work_s

    def seconds(self, work_s: float) -> float:
        """How long that takes, in s."""
        return self.repeats(work_s) * work_s

    def years(self, work_s: float) -> float:
        """The same in years of 365 days."""
        return self.seconds(work_s) / SECONDS_PER_YEAR
