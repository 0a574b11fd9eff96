"""The highest rate at which a simulated system keeps its response time within a limit.

Of open arrivals, or of a closed loop: ``Asked.loop``.
"""

from __future__ import annotations

from iowatt.evaluate.search.rate.at_limit import row
from iowatt.evaluate.search.rate.find import find
from iowatt.evaluate.search.rate.of_scenario import of_scenario
from iowatt.evaluate.search.rate.outcome import Found, Tried
from iowatt.evaluate.search.rate.request import ALL, STATISTICS, Asked, Loop
from iowatt.evaluate.search.rate.result import HighestRate

__all__ = [
    "ALL",
    "STATISTICS",
    "Asked",
    "Found",
    "HighestRate",
    "Loop",
    "Tried",
    "find",
    "of_scenario",
    "row",
]
