"""A duty cycle over a year: hours of load, from a file, a profile, a log or a Run, and an array under them.

``find_cycle`` reads a ``Cycle``; ``make_years`` puts Runs of arrays at several loads under it, each array as
a system whose work is a year; ``make_year`` does so for one.
"""

from iowatt.lenses.cost.year.cycle import Cycle
from iowatt.lenses.cost.year.find import find_cycle
from iowatt.lenses.cost.year.year import Year, make_year, make_years

__all__ = ["Cycle", "Year", "find_cycle", "make_year", "make_years"]
