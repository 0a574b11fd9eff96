"""The heat lens: where in its address space the I/O of a Run or of a trace goes, and how that changes.

:func:`of_run` reads the table ``heat`` of a Run; :func:`of_trace` counts a trace by itself. Both give the
same.
"""

from __future__ import annotations

from iowatt.lenses.heat.analyse import analyse
from iowatt.lenses.heat.extents import Extents, of_run, of_trace
from iowatt.lenses.heat.result import HeatResult

__all__ = ["Extents", "HeatResult", "analyse", "of_run", "of_trace"]
