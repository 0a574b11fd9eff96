"""Searches for a load by running few points, of anything that can be measured: a simulation or real storage.

``rate`` finds the highest rate whose mean response time is within a limit, ``throughput`` the fewest
outstanding requests that give the highest throughput. Both take a function that runs a point.
"""

from __future__ import annotations

from iowatt.evaluate.search.highest.rate import (
    KEEPS_UP,
    MOST_REQUESTS,
    RateBracket,
    RateMeasurement,
    achieved_rate,
    half_width_s,
    highest_rate,
    verdict_of,
)
from iowatt.evaluate.search.highest.throughput import highest_throughput

__all__ = [
    "KEEPS_UP", "MOST_REQUESTS", "RateBracket", "RateMeasurement", "achieved_rate", "half_width_s",
    "highest_rate", "highest_throughput", "verdict_of",
]  # fmt: skip
