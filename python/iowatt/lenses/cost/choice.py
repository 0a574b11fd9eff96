"""Which systems may be chosen at all, and which of them is the cheapest, in total and per usable TB."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from iowatt.lenses.budget.result import ServiceLevel
from iowatt.lenses.cost.result import Cheapest, Choice, Excluded

if TYPE_CHECKING:
    from iowatt.lenses.budget.level import Level
    from iowatt.lenses.cost.component import Costs
    from iowatt.lenses.cost.system import System

GB_PER_TB: Final = 1000.0
ALIKE: Final = 0.01
"""Relative difference up to which usable capacities count as the same."""


def choice(systems: Sequence[System], costs: Sequence[Costs], level: Level | None = None) -> Choice:
    """``choice`` of the document: candidates, who is none and why, and the cheapest on both bases.

    ``level`` is the service level that ``systems`` were held against.
    ``cheapest.total`` is None where a candidate has no total, ``cheapest.per_usable_tb`` also where
    the usable capacity of a candidate is not known; ``capacities_differ`` is None then, too.
    """
    candidates = [(one, cost) for one, cost in zip(systems, costs, strict=True) if one.candidate]
    capacities = [one.usable_gb for one, _ in candidates]
    known = [gb for gb in capacities if gb]
    all_known = len(known) == len(candidates) > 0
    priced = len(candidates) > 0 and all(cost.known for _, cost in candidates)
    return Choice(
        level=None if level is None else ServiceLevel(within_ms=level.within_ms, of=level.statistic),
        baseline=candidates[0][0].name if candidates else None,
        candidates=[one.name for one, _ in candidates],
        excluded=[
            Excluded(system=one.name, late=one.late, why=why(one)) for one in systems if not one.candidate
        ],
        capacities_differ=max(known) > (1 + ALIKE) * min(known) if all_known else None,
        cheapest=Cheapest(
            total=min(candidates, key=lambda each: each[1].usd)[0].name if priced else None,
            per_usable_tb=min(candidates, key=lambda each: per_usable_tb(*each) or 0.0)[0].name
            if priced and all_known
            else None,
        ),
    )


def why(system: System) -> str:
    """Why a system is no candidate; empty where it is one."""
    said = [system.kept_up.why] if system.kept_up is not None and system.late else []
    return "; ".join([*said, *filter(None, [system.missed])])


def per_usable_tb(system: System, costs: Costs) -> float | None:
    """USD of the horizon for each usable TB; None where the total or the capacity is not known."""
    return costs.usd / (system.usable_gb / GB_PER_TB) if costs.known and system.usable_gb else None
