"""Ratings as what a drive may do each day, so that it lasts a number of years."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from iowatt.lenses.cost.book.book import Book
from iowatt.lenses.cost.result import DailyBudget
from iowatt.lenses.cost.system import Drive
from iowatt.lenses.cost.wear.ratios import LOADS_UNLOADS, STARTS_STOPS, TB, limit

DAYS_PER_YEAR: Final = 365.0
SECONDS_PER_DAY: Final = 86_400.0


def budgets(drive: Drive, book: Book, years: float, work_s: float) -> Iterator[DailyBudget]:
    """What each rating of a drive allows a day over ``years``, beside what a Work of ``work_s`` s uses of it.

    ``limit / (365 x years)``. Of an SSD it is bytes that hosts write, at the amplification of the rating.
    """
    counts = drive.counts
    used = (
        {"bytes_written": (counts.bytes_written, "wear.ssd_tbw", TB)}
        if drive.kind == "ssd"
        else {
            STARTS_STOPS: (counts.start_stops, f"wear.{STARTS_STOPS}", 1.0),
            LOADS_UNLOADS: (counts.load_unloads, f"wear.{LOADS_UNLOADS}", 1.0),
        }
    )
    for rating, (count, key, scale) in used.items():
        most = limit(drive, book, rating, key, scale)
        if most is not None:
            per_day = most.value / (years * DAYS_PER_YEAR)
            yield DailyBudget(
                rating=rating, limit=most.value, source=most.source, years=years, per_day=per_day,
                used_per_day=count * SECONDS_PER_DAY / work_s,
            )  # fmt: skip
