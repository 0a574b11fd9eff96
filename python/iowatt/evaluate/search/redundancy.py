"""How many drives a system may lose, whichever they are, before it loses data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

# Failed drives that a stripe of the level survives; RAID-1 keeps as many copies as there are drives.
_SURVIVED: Final = {"0": 0, "4": 1, "5": 1, "6": 2, "10": 1}


def failures_survived(plan: Mapping[str, Any]) -> int:
    """The fewest over all pools; spares come after a rebuild, so that they do not count.

    A pool of chunklets survives what its weakest set does. Virtual pools keep data once, on the pools below.
    """
    return min((_of_pool(pool) for pool in plan["simulation"]["pools"]), default=0)


def _of_pool(pool: Mapping[str, Any]) -> int:
    if (chunklets := pool.get("chunklets")) is not None:
        return min(
            (_of_level(one["raid"]["level"], one["set_size"]) for one in chunklets["regions"]), default=0
        )
    return _of_level(pool["raid"]["level"], pool["count"])


def _of_level(level: object, drives: int) -> int:
    return drives - 1 if str(level) == "1" else _SURVIVED[str(level)]
