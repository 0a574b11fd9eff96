"""Made-up systems for the uncertainty lens: dollars as a plain function of a book's figures and of time."""

from __future__ import annotations

from collections.abc import Callable

from iowatt.lenses.book.book import Book, BookFigure
from iowatt.lenses.cost.pricing.case import Horizon
from iowatt.lenses.cost.pricing.component import Component, Costs, Group
from iowatt.lenses.cost.pricing.total import Pricer
from iowatt.lenses.cost.result.costs import Payment

#: The work of all of them takes a day.
DAY_S = 86_400.0

Dollars = Callable[[Book, float], float]


def figure(key: str, value: float | str, low: float | None = None, high: float | None = None) -> BookFigure:
    """An assumption of a test."""
    return BookFigure(key=key, value=value, low=low, high=high, source="a test", quality="assumed")


def made_book(*figures: BookFigure) -> Book:
    """A book of only these."""
    return Book("test", "A test", ("test",), (), {one.key: one for one in figures})


class MadePricer(Pricer):
    """A system whose costs are a plain function."""

    _costs: Callable[[Book, Horizon], Costs]

    def __init__(self, costs: Callable[[Book, Horizon], Costs]) -> None:
        object.__setattr__(self, "_costs", costs)

    def __call__(self, book: Book, horizon: Horizon) -> Costs:
        costs: Costs = self._costs(book, horizon)
        return costs

    def components(self, book: Book, horizon: Horizon) -> tuple[Component, ...]:
        return self(book, horizon).components


def pricer(**groups: Dollars) -> Pricer:
    """A system of components by group, each a function of the book and of years."""

    def priced(book: Book, horizon: Horizon) -> Costs:
        years = horizon.years(DAY_S)
        components = tuple(component(name, groups[name](book, years)) for name in groups)
        return Costs("made", components, 0.0, 0.0)

    return MadePricer(priced)


def component(group: str, usd: float, at_s: float = 0.0) -> Component:
    """One, due at once or at ``at_s``."""
    named: Group = group  # type: ignore[assignment]
    kwh = 10.0 if group == "energy" else None
    return Component(
        key=group, group=named, title=group, flows=(Payment(usd, at_s),), quantity=kwh,
        unit="kWh" if kwh else "", formula="", source="a test", scales="once",
    )  # fmt: skip


def number(key: str) -> Dollars:
    """As many dollars as a figure says."""
    return lambda book, years: book.number(key)


def constant(usd: float) -> Dollars:
    """Always as many."""
    return lambda book, years: usd
