"""The highest rate at which a simulated system keeps its response time within a limit.

Of open arrivals, or of a closed loop: ``Asked.loop``.
"""

from __future__ import annotations

from iowatt.search.rate.asked import ALL, STATISTICS, Asked, Loop
from iowatt.search.rate.at_limit import row
from iowatt.search.rate.find import find
from iowatt.search.rate.found import SCHEMA, Found, Tried
from iowatt.search.rate.of_scenario import of_scenario

__all__ = ["ALL", "SCHEMA", "STATISTICS", "Asked", "Found", "Loop", "Tried", "find", "of_scenario", "row"]
