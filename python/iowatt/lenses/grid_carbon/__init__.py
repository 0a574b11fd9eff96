"""Carbon of a load hour by hour, and what moving a part of it in time saves."""

from iowatt.lenses.grid_carbon.analysis import ShiftRequest, analyse, read_intensity
from iowatt.lenses.grid_carbon.result import GridCarbon

__all__ = ["GridCarbon", "ShiftRequest", "analyse", "read_intensity"]
