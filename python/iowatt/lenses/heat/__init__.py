"""The heat lens: where in its address space the I/O of a Run or a trace goes, and how that changes.

:func:`of_run` reads a Run's table ``heat``, :func:`of_trace` counts the requests of a trace; both give
``Extents``. :func:`analyse` turns them into densities (``analysis``) and skew (``skew``).
"""

from iowatt.lenses.heat.analysis import Over, analyse
from iowatt.lenses.heat.extents import Extents, of_run, of_trace
from iowatt.lenses.heat.result import HeatResult
from iowatt.lenses.heat.skew import skew_law

__all__ = ["Extents", "HeatResult", "Over", "analyse", "of_run", "of_trace", "skew_law"]
