"""The highest rate at which a simulated system keeps its response time within a limit.

With open arrivals, or as a closed loop: ``RateRequest.loop``.
"""

from __future__ import annotations

from iowatt.evaluate.search.rate.find import find_highest_rate
from iowatt.evaluate.search.rate.request import ALL, STATISTICS, Loop, RateRequest
from iowatt.evaluate.search.rate.result import HighestRate, RateResult, RateRun, row_at_limit
from iowatt.evaluate.search.rate.scenario import search_scenario

__all__ = [
    "ALL",
    "STATISTICS",
    "HighestRate",
    "Loop",
    "RateRequest",
    "RateResult",
    "RateRun",
    "find_highest_rate",
    "row_at_limit",
    "search_scenario",
]
