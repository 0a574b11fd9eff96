"""A year of a duty cycle: the load of each hour, and the array that serves it.

``find_cycle`` reads a ``Cycle`` of a file, a profile, a log or a Run; ``make_years`` makes of each array's
Runs at several loads a system whose work is a year, ``make_year`` of one array's.
"""

from iowatt.lenses.cost.year.cycle import Cycle
from iowatt.lenses.cost.year.find import find_cycle
from iowatt.lenses.cost.year.year import Year, make_year, make_years

__all__ = ["Cycle", "Year", "find_cycle", "make_year", "make_years"]
