"""What is bought at the start (equations 3 to 5 of dollars2014): drives, other parts, whatever else."""

from __future__ import annotations

from collections.abc import Iterator

from iowatt.lenses.cost.case import Case
from iowatt.lenses.cost.component import Component, Flow
from iowatt.lenses.cost.expression import number
from iowatt.lenses.cost.system import Drive


def components(case: Case) -> Iterator[Component]:
    """One for each drive, unless depreciation charges what is used of it; one for each part with a price."""
    if case.book.word("wear.charge") != "depreciation":
        for drive in case.system.drives:
            yield _drive(case, drive)
    yield from _parts(case)
    other, figure = case.book.number("purchase.other"), case.book.figure("purchase.other")
    yield Component(
        key="purchase:other", group="purchase", title="Whatever else is bought", device=None,
        flows=(Flow(other),), quantity=1.0, unit="", unit_price=other, formula="as stated",
        source=figure.source, date=figure.date, scales="once", rests_on=("purchase.other",),
        expression="{purchase.other}",
    )  # fmt: skip


def unpriced(case: Case) -> list[str]:
    """Names of parts that nobody has a price for: they are not in the purchase."""
    return [name for name in case.system.parts if case.book.find(f"purchase.part.{name}") is None]


def _drive(case: Case, drive: Drive) -> Component:
    price = case.price_of(drive)
    quantity = case.charged_gb(drive)
    used = case.book.word("purchase.charge") == "used"
    share = f"{number(quantity / drive.capacity_gb)}*" if used else ""
    return Component(
        key=f"purchase:{drive.name}",
        group="purchase",
        title=f"{drive.name} ({drive.model})",
        device=drive.name,
        flows=(Flow(case.charged(drive)),),
        quantity=quantity,
        unit="GB",
        unit_price=price.per_gb if price.known else None,
        formula="GB that volumes use x price per GB" if used else "price of the whole drive",
        source=price.source,
        date=price.date,
        scales="once",
        rests_on=("purchase.charge", price.key),
        expression=f"{share}{{price}}" if price.known else None,
        known=price.known,
    )


def _parts(case: Case) -> Iterator[Component]:
    for name, count in case.system.parts.items():
        key = f"purchase.part.{name}"
        figure = case.book.find(key)
        if figure is None:
            continue
        each = case.book.number(key)
        yield Component(
            key=f"purchase:{name}", group="purchase", title=name, device=None, flows=(Flow(count * each),),
            quantity=float(count), unit="", unit_price=each, formula="number x price", source=figure.source,
            date=figure.date, scales="once", rests_on=(key,), expression=f"{count}*{{{key}}}",
        )  # fmt: skip
