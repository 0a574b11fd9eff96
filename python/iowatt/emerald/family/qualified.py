"""Which configurations a test at an ENERGY STAR optimal point covers: a range of drive counts around it.

The range is a rule of the programme (``requirements.optimal_point.range_percent``). Where nobody has verified
it, nothing is covered without that being said.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

from iowatt.emerald.family.candidate import Candidate
from iowatt.emerald.rules import Rules

RULE: Final = "requirements.optimal_point.range_percent"
Standing = Literal["covered", "covered if the unverified rule holds", "not covered"]
_ROUNDING: Final = 1e-9


@dataclass(frozen=True)
class QualifiedRange:
    """Drive counts that the test of a configuration covers."""

    tested: int
    least: int
    most: int
    percent: tuple[float, float]  #: Below and above the tested count, of it.
    verified: bool
    profile: str  #: The rule profile that states the range.

    def standing(self, drives: int) -> Standing:
        """Whether a count of the same drives is covered; never barely so by an unverified rule."""
        if not self.least <= drives <= self.most:
            return "not covered"
        if drives == self.tested or self.verified:
            return "covered"
        return "covered if the unverified rule holds"


def qualified_range(rules: Rules, drives: int) -> QualifiedRange | None:
    """The range around an optimal point of so many drives; None where the rules have no such range."""
    percent = rules.known(RULE)
    if percent is None:
        return None
    low, high = map(float, percent)
    return QualifiedRange(
        tested=drives,
        least=max(1, math.ceil(drives * (1 + low / 100) - _ROUNDING)),
        most=math.floor(drives * (1 + high / 100) + _ROUNDING),
        percent=(low, high),
        verified=rules.rule(RULE).verified,
        profile=rules.name,
    )


def covers(point: Candidate, covered: QualifiedRange, other: Candidate) -> tuple[Standing, str]:
    """Whether the test of ``point`` covers another configuration, and why (not)."""
    if len(other.groups) != 1 or len(point.groups) != 1:
        return "not covered", "several types of drives"
    one, own = other.groups[0], point.groups[0]
    differing = [
        what
        for what, same in (
            ("controller class", other.controller == point.controller),
            ("drive", one.drive == own.drive),
            ("level", one.raid == own.raid),
        )
        if not same
    ]
    if differing:
        return "not covered", f"another {', another '.join(differing)}"
    standing = covered.standing(other.drives)
    where = f"{other.drives} drives, {covered.least} to {covered.most} around {covered.tested}"
    return standing, where
