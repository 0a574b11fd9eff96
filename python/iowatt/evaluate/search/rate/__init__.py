"""The highest rate at which a simulated system keeps its response time within a limit.

Of open arrivals, or of a closed loop: ``Asked.loop``.
"""

from __future__ import annotations

from iowatt.evaluate.search.rate.asked import ALL, STATISTICS, Asked, Loop
from iowatt.evaluate.search.rate.at_limit import row
from iowatt.evaluate.search.rate.find import find
from iowatt.evaluate.search.rate.found import SCHEMA, Found, Tried
from iowatt.evaluate.search.rate.of_scenario import of_scenario

__all__ = ["ALL", "SCHEMA", "STATISTICS", "Asked", "Found", "Loop", "Tried", "find", "of_scenario", "row"]
