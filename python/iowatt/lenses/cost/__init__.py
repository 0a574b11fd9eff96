"""The cost lens: what Runs cost in dollars over their life, component by component.

``book`` holds the assumptions (each with its source and date), ``system`` what a Run tells of drives and
power; each component has a function, ``price`` puts them together and ``analyse`` compares systems. The
classes and functions below are imported on first use: the help shows the defaults without them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from iowatt.base.lazy import names_from

if TYPE_CHECKING:
    from iowatt.lenses.cost.book.book import Book
    from iowatt.lenses.cost.book.find import find_book
    from iowatt.lenses.cost.case import Case, Horizon
    from iowatt.lenses.cost.request import CostRequest, answer
    from iowatt.lenses.cost.result import Cost

__all__ = [
    "SAMPLES", "START", "YEARS", "Book", "Case", "Cost", "CostRequest", "Horizon", "answer", "find_book",
]  # fmt: skip

YEARS: Final = 5.0
SAMPLES: Final = 300
START: Final = "2026-01-01"
"""A fixed day, so that the same command gives the same bill next year."""

__getattr__ = names_from(
    __name__,
    {
        "book.book": "Book",
        "book.find": "find_book",
        "case": "Case Horizon",
        "request": "CostRequest answer",
        "result": "Cost",
    },
)
