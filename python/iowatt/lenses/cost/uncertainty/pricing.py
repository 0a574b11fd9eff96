"""What is varied here: a function of a book and a horizon that gives a system's costs, and its dollars."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from iowatt.lenses.cost.book.book import Book
from iowatt.lenses.cost.book.figure import Figure
from iowatt.lenses.cost.component import GROUPS, Costs, Group
from iowatt.lenses.cost.horizon import Horizon

#: A system under a tariff. It asks the book for its figures at each call, so that ``Book.used`` tells which.
Pricer = Callable[[Book, Horizon], Costs]

#: ``present``: later dollars count less, by ``discount.rate``. ``paid``: all count the same.
Dollars = Literal["present", "paid"]

RATE = "discount.rate"
#: Totals that differ by less than this share of the larger are the same: what is left is rounding.
SAME = 1e-9


@dataclass(frozen=True)
class Total:
    """A system's dollars, in all and by group (groups without components have none)."""

    usd: float
    groups: Mapping[Group, float]


def rate_of(book: Book, dollars: Dollars) -> float:
    """The yearly rate by which later dollars count less; 0 where the book has none."""
    return book.number(RATE) if dollars == "present" and book.find(RATE) is not None else 0.0


def total(pricer: Pricer, book: Book, horizon: Horizon, dollars: Dollars) -> Total:
    """The dollars of one pricing."""
    costs = pricer(book, horizon)
    rate = rate_of(book, dollars)
    groups: dict[Group, float] = {}
    for component in costs.components:
        groups[component.group] = groups.get(component.group, 0.0) + component.present(rate)
    shown = {group: groups[group] for group in GROUPS if group in groups}
    return Total(sum(shown.values()), shown)


def difference(a_usd: float, b_usd: float) -> float:
    """``b - a``; 0 where they are the same but for rounding."""
    apart = b_usd - a_usd
    return 0.0 if abs(apart) <= SAME * max(abs(a_usd), abs(b_usd)) else apart


def with_values(book: Book, values: Mapping[str, float]) -> Book:
    """The book with other values, nothing used yet; a key that it has no figure of becomes one."""
    new = {key: value for key, value in values.items() if key not in book.figures}
    if not new:
        return book.changed(values)
    figures = dict(book.figures) | {
        key: Figure(key=key, value=value, source="varied", quality="given") for key, value in new.items()
    }
    return replace(book, figures=figures).changed(values)
