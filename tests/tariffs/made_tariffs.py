"""Records of URDB made for tests, and loads."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from iowatt.tariffs.bill import Bill, bill
from iowatt.tariffs.load import ElectricLoad
from iowatt.tariffs.structure import Tariff
from iowatt.tariffs.urdb import parse

HOUR = 3600.0
DAY = 24 * HOUR
ALWAYS = [[0] * 24 for _ in range(12)]
#: 8 h to 20 h.
BY_DAY = [[0] * 8 + [1] * 12 + [0] * 4 for _ in range(12)]
SUMMER = [[1 if 5 <= month <= 8 else 0] * 24 for month in range(12)]


def record(**fields: Any) -> dict[str, Any]:
    """A record of one price, $0.10/kWh, unless fields say otherwise."""
    return {"energyratestructure": [[{"rate": 0.10}]], **fields}


def tariff(**fields: Any) -> Tariff:
    return parse(record(**fields), "made.json")


def by_time(structure: str, weekdays: Any, weekends: Any, *periods: Any) -> dict[str, Any]:
    """Fields of ``energy`` or ``demand`` with schedules; a period is a list of tiers."""
    return {
        f"{structure}ratestructure": list(periods),
        f"{structure}weekdayschedule": weekdays,
        f"{structure}weekendschedule": weekends,
    }


def hourly(kw: NDArray[np.float64], step_s: float = HOUR) -> ElectricLoad:
    return ElectricLoad.of_powers(np.full(kw.size, step_s), 1000.0 * kw)


def billed(made: Tariff, load: ElectricLoad, start: str = "2026-01-01") -> Bill:
    return bill(made, load, datetime.fromisoformat(start))
