"""The document ``iowatt.cost/1``: ``costs`` of systems, their ``uncertainty``, the ``year`` of a duty cycle.

Money is in US dollars, energy in J or kWh, carbon in kg CO2e, capacity in decimal GB. Seconds count from the
first day of the bill; years have 365 days. Unknown figures are None.
"""

from iowatt.lenses.cost.result.costs import (
    BilledPeriod,
    Choice,
    Cost,
    CostComponent,
    CostRatio,
    DriveCost,
    Payment,
    SystemCost,
)  # fmt: skip
from iowatt.lenses.cost.result.uncertainty import (
    CostCrossing,
    CostCurve,
    Crossover,
    PairCrossings,
    PlaceRange,
    Quantiles,
    Tornado,
    TornadoBar,
)  # fmt: skip
from iowatt.lenses.cost.result.year import DutyYear

__all__ = [
    "BilledPeriod",
    "Choice",
    "Cost",
    "CostComponent",
    "CostCrossing",
    "CostCurve",
    "CostRatio",
    "Crossover",
    "DriveCost",
    "DutyYear",
    "PairCrossings",
    "Payment",
    "PlaceRange",
    "Quantiles",
    "SystemCost",
    "Tornado",
    "TornadoBar",
]  # fmt: skip
