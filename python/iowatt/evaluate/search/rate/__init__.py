"""The highest rate at which a simulated system keeps its response time within a limit.

``request`` is the limit and how exactly to find the rate; ``scenario`` conducts the search: open arrivals
(``load`` paces the workloads, ``find`` searches and gives the interval) or as a closed loop (``closed``);
``measurement`` runs a rate, ``result`` is the answer.
"""

from __future__ import annotations

from iowatt.evaluate.search.rate.request import ALL, STATISTICS, Loop, RateRequest
from iowatt.evaluate.search.rate.result import HighestRate, RateResult, RateRun, row_at_limit
from iowatt.evaluate.search.rate.scenario import find_rate, search_scenario

__all__ = [
    "ALL",
    "STATISTICS",
    "HighestRate",
    "Loop",
    "RateRequest",
    "RateResult",
    "RateRun",
    "find_rate",
    "row_at_limit",
    "search_scenario",
]
