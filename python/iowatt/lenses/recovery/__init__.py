"""What failed during a Run, how far recovery came, and response times before, during and after it.

``failures`` are the nodes, racks and drives that failed, from the Run's ``rebuilds``; ``moves`` what nodes
that joined or left made move; ``phases`` split the ``series`` of response times at the times of both.
"""

from __future__ import annotations

from iowatt.lenses.recovery.node_moves import NodeMove, moves
from iowatt.lenses.recovery.response import Phase, phases
from iowatt.lenses.recovery.units import FailedUnit, failures

__all__ = ["FailedUnit", "NodeMove", "Phase", "failures", "moves", "phases"]
