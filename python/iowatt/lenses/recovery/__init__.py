"""What failed during a Run, how far recovery came, and response times before, during and after it.

``failures`` are the nodes, racks and drives that failed, from the Run's ``rebuilds``; ``phases`` split its
``series`` of response times at the times of these.
"""

from __future__ import annotations

from iowatt.lenses.recovery.response import Phase, phases
from iowatt.lenses.recovery.units import FailedUnit, failures

__all__ = ["FailedUnit", "Phase", "failures", "phases"]
