"""Service (equation 13 of dollars2014: a fixed estimate): once, and by the year."""

from __future__ import annotations

from collections.abc import Iterator

from iowatt.lenses.cost.case import Case
from iowatt.lenses.cost.component import Component, Flow


def components(case: Case) -> Iterator[Component]:
    """Both, though nothing where nobody has estimated them: a workbook has a cell for each."""
    once, yearly = case.book.number("service.once"), case.book.number("service.per_year")
    figure = case.book.figure("service.once")
    yield Component(
        key="service:once", group="service", title="Service, once", device=None, flows=(Flow(once),),
        quantity=1.0, unit="", unit_price=once, formula="as stated", source=figure.source,
        date=figure.date, scales="once", rests_on=("service.once",), expression="{service.once}",
    )  # fmt: skip
    figure = case.book.figure("service.per_year")
    yield Component(
        key="service:yearly", group="service", title="Service by the year", device=None,
        flows=(Flow(yearly * case.years, 0.0, case.seconds),), quantity=case.years, unit="years",
        unit_price=yearly, formula="USD a year x years", source=figure.source, date=figure.date,
        scales="time", rests_on=("service.per_year",), expression="{service.per_year}*{years}",
    )  # fmt: skip
