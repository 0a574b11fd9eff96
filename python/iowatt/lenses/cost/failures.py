"""Drives that fail, by annual failure rate: the work of replacing them, and new ones beyond the warranty.

Expected failures are rate x years; a failed drive costs labour, and its price too once the warranty of that
drive is over. A drive that was replaced because it was worn has a warranty of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from iowatt.lenses.cost import wear
from iowatt.lenses.cost.case import Case
from iowatt.lenses.cost.component import Component, Flow
from iowatt.lenses.cost.system import Drive
from iowatt.lenses.wear import SECONDS_PER_YEAR


def components(case: Case) -> Iterator[Component]:
    """One for each drive whose failure rate is not 0."""
    for drive in case.system.drives:
        keys = [f"failures.afr.{name}" for name in (*drive.names, drive.kind)]
        rate = case.book.number(*keys)
        if rate:
            yield _component(case, drive, rate, case.book.figure(*keys).key)


def _component(case: Case, drive: Drive, rate: float, key: str) -> Component:
    labour = case.book.number("failures.labour")
    warranty = case.book.number("failures.warranty")
    price = case.price_of(drive)
    flows = [Flow(rate * case.years * labour, 0.0, case.seconds)]
    late = list(_beyond(case, drive, warranty * SECONDS_PER_YEAR))
    flows += [Flow(rate * seconds / SECONDS_PER_YEAR * price.usd, at, until) for at, until, seconds in late]
    figure = case.book.figure(key)
    failures = rate * case.years
    usd = sum(flow.usd for flow in flows)
    return Component(
        key=f"failures:{drive.name}",
        group="failures",
        title=f"{drive.name} ({drive.model})",
        device=drive.name,
        flows=tuple(flows),
        quantity=failures,
        unit="failures",
        unit_price=usd / failures,
        formula="rate x years x labour + rate x years beyond the warranty x price",
        source=figure.source,
        date=figure.date,
        scales="time",
        rests_on=(key, "failures.labour", "failures.warranty"),
        expression=_expression(case, key) if price.known else None,
        known=price.known or not late,
    )


def _beyond(case: Case, drive: Drive, warranty_s: float) -> Iterator[tuple[float, float, float]]:
    """From when until when drives in this place are beyond their warranty, and for how many seconds."""
    if case.book.word("wear.charge") != "replacements":
        if warranty_s < case.seconds:
            yield warranty_s, case.seconds, case.seconds - warranty_s
        return
    there = wear.place(case, drive)
    many = there.drives
    begins_s = 0.0 if many == 1 else (many - 1) * there.life_s
    if warranty_s < there.life_s and many > 1:
        whole_s = there.life_s - warranty_s
        if many - 1 > wear.LISTED:
            yield warranty_s, begins_s, (many - 1) * whole_s
        else:
            for number in range(many - 1):
                begins = number * there.life_s
                yield begins + warranty_s, begins + there.life_s, whole_s
    if begins_s + warranty_s < case.seconds:
        yield begins_s + warranty_s, case.seconds, case.seconds - begins_s - warranty_s


def _expression(case: Case, key: str) -> str:
    """The rate times labour, and times the years of each drive beyond its warranty."""
    late = "MAX(0,{years}-{failures.warranty})"
    if case.book.word("wear.charge") == "replacements":
        each = "MAX(0,{years}/{lives}-{failures.warranty})"
        last = "MAX(0,{years}-({served}-1)*{years}/{lives}-{failures.warranty})"
        late = f"IF({{served}}=1,{late},({{served}}-1)*{each}+{last})"
    return f"{{{key}}}*({{years}}*{{failures.labour}}+{late}*{{price}})"
