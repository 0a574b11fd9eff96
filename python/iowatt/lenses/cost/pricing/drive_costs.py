"""Purchase, service and disposal of drives (equations 3 to 5 and 13 of dollars2014)."""

from __future__ import annotations

from collections.abc import Iterator

from iowatt.lenses.cost.pricing import wear
from iowatt.lenses.cost.pricing.case import CostCase
from iowatt.lenses.cost.pricing.component import Component, Group, number
from iowatt.lenses.cost.result.costs import Payment
from iowatt.lenses.cost.systems.system import PricedDrive


def purchase_costs(case: CostCase) -> Iterator[Component]:
    """A component for each drive, unless depreciation replaces the purchase, and each part with a price."""
    if case.book.word("wear.charge") != "depreciation":
        for drive in case.system.drives:
            yield _purchase(case, drive)
    for name, count in case.system.parts.items():
        key = case.part_key(name)
        if key is not None:
            yield _stated(
                case, key, "purchase", f"purchase:{name}", name, quantity=float(count),
                formula="number x price", expression=f"{count}*{{{key}}}",
            )  # fmt: skip
        elif (each := case.system.part_prices.get(name)) is not None:
            yield Component(
                key=f"purchase:{name}", group="purchase", title=name, flows=(Payment(count * each),),
                quantity=float(count), unit_price=each, formula="number x price", source="its scenario",
                scales="once", expression=f"{count}*{number(each)}",
            )  # fmt: skip
    yield _stated(case, "purchase.other", "purchase", "purchase:other", "Other purchases")


def service_costs(case: CostCase) -> Iterator[Component]:
    """Once and by the year; also where 0, as the workbook has a cell for each."""
    yield _stated(case, "service.once", "service", "service:once", "Service, once")
    key = "service.per_year"
    yield _stated(
        case, key, "service", "service:yearly", "Service by the year", quantity=case.years, unit="years",
        formula="USD a year x years", until_s=case.seconds, expression=f"{{{key}}}*{{years}}",
    )  # fmt: skip


def _stated(
    case: CostCase,
    figure_key: str,
    group: Group,
    key: str,
    title: str,
    *,
    quantity: float = 1.0,
    unit: str = "",
    formula: str = "as stated",
    until_s: float | None = None,
    expression: str = "",
) -> Component:
    """``quantity`` times a figure of the book, due at the start or evenly until ``until_s``."""
    each, figure = case.book.number(figure_key), case.book.figure(figure_key)
    return Component(
        key=key, group=group, title=title, flows=(Payment(quantity * each, 0.0, until_s),), quantity=quantity,
        unit=unit, unit_price=each, formula=formula, source=figure.source, date=figure.date,
        scales="once" if until_s is None else "time", rests_on=(figure_key,),
        expression=expression or f"{{{figure_key}}}",
    )  # fmt: skip


def _purchase(case: CostCase, drive: PricedDrive) -> Component:
    price, quantity = case.price_of(drive), case.charged_gb(drive)
    used = case.book.word("purchase.charge") == "used"
    share = f"{number(quantity / drive.capacity_gb)}*" if used else ""
    return Component(
        key=f"purchase:{drive.name}", group="purchase", title=drive.title, device=drive.name,
        flows=(Payment(case.charged(drive)),), quantity=quantity, unit="GB",
        unit_price=price.per_gb if price.known else None,
        formula="GB that volumes use x price per GB" if used else "price of the whole drive",
        source=price.source, date=price.date, scales="once", rests_on=("purchase.charge", price.key),
        expression=f"{share}{{price}}" if price.known else None, known=price.known,
    )  # fmt: skip


def disposal_costs(case: CostCase) -> Iterator[Component]:
    """Disposal of all drives that served in each place, and the first one's residual value (a credit).

    Only the first drive has a residual value: the unused life of a replacement is never charged, nor that of
    any drive with ``wear.charge = depreciation``.
    """
    each, share = case.book.number("disposal.per_drive"), case.book.number("disposal.residual")
    for drive in case.system.drives:
        yield _disposal(case, drive, each)
        if share and case.book.word("wear.charge") != "depreciation":
            yield _residual(case, drive, share)


def _disposal(case: CostCase, drive: PricedDrive, each: float) -> Component:
    figure = case.book.figure("disposal.per_drive")
    replaces = case.book.word("wear.charge") == "replacements"
    replaced = wear.bought(case, drive)
    # The first drive counts in full, the last replacement by the part of its life within the horizon.
    served = float(sum(group.count for group in replaced))
    last = min(1.0, wear.place(case, drive).lives - served) if replaced else 1.0
    return Component(
        key=f"disposal:{drive.name}", group="disposal", title=drive.title, device=drive.name,
        flows=(
            *(Payment(each * group.count, group.at_s, group.until_s) for group in replaced),
            Payment(each * last, case.seconds),
        ),
        quantity=served + last, unit="drives", unit_price=each, formula="drives x USD each",
        source=figure.source, date=figure.date, scales="work" if replaces else "once",
        rests_on=("disposal.per_drive", *(wear.place(case, drive).lives_rest_on if replaces else ())),
        expression="MAX(1,{lives})*{disposal.per_drive}" if replaces else "{disposal.per_drive}",
    )  # fmt: skip


def _residual(case: CostCase, drive: PricedDrive, share: float) -> Component:
    """The residual share of the price, times the life that the first drive has left."""
    figure, place = case.book.figure("disposal.residual"), wear.place(case, drive)
    left = max(0.0, 1.0 - place.lives)
    price, known = case.charged(drive), case.price_of(drive).known
    charged = wear.charged_expression(case, drive)
    return Component(
        key=f"residual:{drive.name}", group="credit", title=f"{drive.title}, residual value",
        device=drive.name, flows=(Payment(-share * left * price, case.seconds),), quantity=left, unit="lives",
        unit_price=-share * price if known else None,
        formula="- price paid x residual share x remaining life of the first drive",
        source=figure.source, date=figure.date, scales="once",
        rests_on=("disposal.residual", *place.lives_rest_on),
        expression=f"(-1)*{{disposal.residual}}*MAX(0,1-{{lives}})*{charged}" if known else None,
        known=known or not left,
    )  # fmt: skip
