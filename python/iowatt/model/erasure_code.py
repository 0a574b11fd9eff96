"""Erasure codes: data and parity units of a stripe, and the groups of a local reconstruction code."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

#: Most parity units of a stripe, local ones included, and most units of all (iowatt-sim's plan/code.rs).
MOST_PARITY: Final = 8
MOST_UNITS: Final = 255


@dataclass(frozen=True)
class Code:
    """``data`` units of a stripe and ``parity`` units over all of them.

    With ``local_groups`` it is a local reconstruction code: the data units are divided into so many groups,
    each with a parity unit of its own besides (Huang et al., Erasure Coding in Windows Azure Storage, 2012).
    """

    data: int
    parity: int
    local_groups: int = 0

    @property
    def parity_units(self) -> int:
        """Parity units of a stripe, those of groups included."""
        return self.parity + self.local_groups

    @property
    def width(self) -> int:
        """Units of a stripe, each on another drive."""
        return self.data + self.parity_units

    @property
    def group(self) -> int:
        """Data units of a group; without groups all."""
        return self.data // max(1, self.local_groups)

    @property
    def survives(self) -> int:
        """Lost units that a stripe survives, whichever they are.

        A group's own parity restores one of it, global parity ``parity`` more: any ``parity + 1``. Losses
        of more units are survived where they fall in different groups.
        """
        return self.parity + (1 if self.local_groups else 0)

    @property
    def label(self) -> str:
        """``EC 8+3``, or ``LRC(12,2,2)``: data, local parity and global parity."""
        if self.local_groups:
            return f"LRC({self.data},{self.local_groups},{self.parity})"
        return f"EC {self.data}+{self.parity}"

    def covering(self, first: int, last: int) -> int:
        """Parity units that a change of the data units ``first`` to ``last`` changes."""
        groups = last // self.group - first // self.group + 1 if self.local_groups else 0
        return self.parity + groups

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong with it: the key, the message and what would be accepted."""
        found = []
        if self.parity_units > MOST_PARITY:
            message = f"a stripe has at most {MOST_PARITY} parity units, not {self.parity_units}"
            found.append(("parity", message, "local groups have one each"))
        if self.width > MOST_UNITS:
            message = f"a stripe has at most {MOST_UNITS} units, not {self.width}"
            found.append(("data", message, f"at most {MOST_UNITS - self.parity_units}"))
        if self.local_groups and self.data % self.local_groups:
            message = f"{self.data} data units do not make {self.local_groups} equal groups"
            found.append(("local_groups", message, "a divisor of data"))
        return found

    def plan(self) -> dict[str, Any]:
        """``CodePlan`` of iowatt-sim."""
        plan = asdict(self)
        return plan if self.local_groups else {key: plan[key] for key in ("data", "parity")}
