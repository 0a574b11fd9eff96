"""Uncertainty of costs from the ranges of assumptions: spread of totals, sensitivity, changes of ranking.

``sample`` draws all assumptions at once, ``tornado`` varies one at a time, ``crossovers`` finds the value of
an assumption at which another system becomes cheaper, and its range. A system is a function of a book and a
horizon (``Pricer``), whatever its components.
"""

from iowatt.lenses.cost.uncertainty.crossover import DRAWS, crossovers
from iowatt.lenses.cost.uncertainty.root import flips
from iowatt.lenses.cost.uncertainty.sampling import Dollars
from iowatt.lenses.cost.uncertainty.spread import sample, tornado

__all__ = ["DRAWS", "Dollars", "crossovers", "flips", "sample", "tornado"]
