"""Wear in dollars: how much of a drive's life the work uses, when it is replaced, and what that costs.

``ratios`` compares a drive's work with each of its ratings and gives budgets per day, ``life`` finds the
rating that binds, ``replacement_schedule`` the drives that serve in sequence, ``charge`` the payments.
docs/models/endurance.md has the formulas.
"""

from iowatt.lenses.cost.pricing.wear.charge import charged_expression, lives_expression, wear_costs
from iowatt.lenses.cost.pricing.wear.life import warnings, wearout
from iowatt.lenses.cost.pricing.wear.replacement_schedule import LISTED, ROUNDING, bought, place, schedule

__all__ = [
    "LISTED", "ROUNDING", "bought", "charged_expression", "lives_expression", "place", "schedule", "warnings",
    "wear_costs", "wearout",
]  # fmt: skip
