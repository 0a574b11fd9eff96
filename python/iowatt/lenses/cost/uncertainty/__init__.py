"""Uncertainty of costs from the ranges of assumptions: spread of totals, what matters, where rankings flip.

``sample`` draws all ranges at once, ``tornado`` varies one at a time, ``crossovers`` looks for the place
along an assumption at which another system becomes the cheaper one, and for how sure that place is. All know
a system only as a function of a book and a horizon (``Pricer``); nothing here knows what a cost is made of.
"""

from iowatt.lenses.cost.uncertainty.crossover import DRAWS, crossovers
from iowatt.lenses.cost.uncertainty.root import flips
from iowatt.lenses.cost.uncertainty.sampling import Dollars
from iowatt.lenses.cost.uncertainty.spread import sample, tornado

__all__ = ["DRAWS", "Dollars", "crossovers", "flips", "sample", "tornado"]
