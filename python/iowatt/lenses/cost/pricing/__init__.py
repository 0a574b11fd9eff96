"""The cost of one system: components of a ``CostCase`` (system, book of assumptions, horizon, bills).

Each component has a function: ``drive_costs`` (purchase, service, disposal), ``failures``, ``energy`` (with
``bills``, the tariff's charges), ``wear`` and ``carbon``. ``price`` adds them up; ``pricer`` does so for many
books and horizons.
"""

from iowatt.lenses.cost.pricing.case import CostCase, DrivePrice
from iowatt.lenses.cost.pricing.component import GROUPS, Component, Costs, Group
from iowatt.lenses.cost.pricing.drive_costs import purchase_costs
from iowatt.lenses.cost.pricing.energy import mean_price
from iowatt.lenses.cost.pricing.total import Pricer, price, pricer

__all__ = [
    "GROUPS",
    "Component",
    "CostCase",
    "Costs",
    "DrivePrice",
    "Group",
    "Pricer",
    "mean_price",
    "price",
    "pricer",
    "purchase_costs",
]  # fmt: skip
