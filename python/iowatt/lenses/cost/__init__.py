"""The cost lens: what Runs cost in dollars over their life, component by component.

``book`` holds the assumptions (each with its source and date), ``system`` what a Run tells of drives and
power; each component has a function, ``price`` puts them together and ``analyse`` compares systems. The
classes and functions below are imported on first use: the help shows the defaults without them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

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

_HOMES: Final = {
    "Book": "book.book", "Case": "case", "Cost": "result", "CostRequest": "request", "Horizon": "case",
    "answer": "request", "find_book": "book.find",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
