"""What spinning a disk down saves, what its cycles wear, and from which length of a rest on it pays."""

from iowatt.lenses.cost.spin_down.cost_curve import of_case
from iowatt.lenses.cost.spin_down.level import levels_of_library, levels_of_plan, spent_low
from iowatt.lenses.cost.spin_down.pays import break_even, cycle_limits

__all__ = [
    "break_even",
    "cycle_limits",
    "levels_of_library",
    "levels_of_plan",
    "of_case",
    "spent_low",
]
