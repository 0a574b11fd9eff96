"""Wear in dollars: how much of a drive's life the work uses, when it is replaced, and what that comes to.

``ratios`` holds what a drive did against each of its ratings, ``life`` says which of them binds, ``stints``
which drives serve in its place one after another, ``charge`` what is paid; ``budget`` turns ratings into
cycles and bytes a day. docs/models/endurance.md has the formulas.
"""

from iowatt.lenses.cost.wear.charge import charged_expression, lives_expression, wear_costs
from iowatt.lenses.cost.wear.life import Wearout, life_years, warnings, wearout
from iowatt.lenses.cost.wear.ratios import budgets
from iowatt.lenses.cost.wear.replacement_schedule import (
    LISTED,
    ROUNDING,
    Place,
    Replacement,
    bought,
    place,
    schedule,
)

__all__ = [
    "LISTED",
    "ROUNDING",
    "Place",
    "Replacement",
    "Wearout",
    "bought",
    "budgets",
    "charged_expression",
    "life_years",
    "lives_expression",
    "place",
    "schedule",
    "warnings",
    "wear_costs",
    "wearout",
]
