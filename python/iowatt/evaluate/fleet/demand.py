"""Data and load of a demand over time: exponential within a year, at the rate of that year."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from iowatt.evaluate.fleet.keys import FleetDemand

QUARTERS: Final = 4
"""Steps of a year: members change at their beginnings, figures are those of their middles."""


def grown(first: float, rates: float | Sequence[float], years: float) -> float:
    """``first`` after so many years; ``rates`` are one, or one by year, of which the last goes on."""
    if not isinstance(rates, Sequence):
        return float(first * (1.0 + rates) ** years)
    value, left = first, years
    for rate in rates[:-1]:
        value *= (1.0 + rate) ** min(1.0, left)
        left = max(0.0, left - 1.0)
    return float(value * (1.0 + rates[-1]) ** left)


def stored_bytes(demand: FleetDemand, years: float) -> float:
    """Bytes stored so many years after the start."""
    return grown(float(demand.stored), demand.growth, years)


def load_iops(demand: FleetDemand, years: float) -> float:
    """The mean load of all members together, requests per second."""
    rates = demand.growth if demand.load_growth is None else demand.load_growth
    return grown(demand.load, rates, years)


def most_within(demand: FleetDemand, start: float, end: float) -> tuple[float, float]:
    """The most bytes and the highest mean load between two times, at whose ends or years' ends they are."""
    times = [start, end, *(float(year) for year in range(int(start) + 1, int(end) + 1) if year < end)]
    return (
        max(stored_bytes(demand, time) for time in times),
        max(load_iops(demand, time) for time in times),
    )


def month_after(first: date, months: int) -> date:
    """The first of the month so many months later."""
    year, month = divmod(first.year * 12 + first.month - 1 + months, 12)
    return date(year, month + 1, 1)


def quarter_days(first: date, years: int) -> list[date]:
    """The first day of each quarter of the plan, and the day after its end."""
    return [month_after(first, 3 * number) for number in range(QUARTERS * years + 1)]
