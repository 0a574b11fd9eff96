"""Purchase, failures, service and disposal of drives (equations 3 to 5 and 13 of dollars2014)."""

from __future__ import annotations

from collections.abc import Iterator

from iowatt.lenses.cost.pricing import wear
from iowatt.lenses.cost.pricing.case import CostCase
from iowatt.lenses.cost.pricing.component import Component, Group, number
from iowatt.lenses.cost.result.costs import Payment
from iowatt.lenses.cost.systems.system import PricedDrive
from iowatt.lenses.wear import SECONDS_PER_YEAR


def purchase_costs(case: CostCase) -> Iterator[Component]:
    """A component for each drive, unless depreciation replaces the purchase, and each part with a price."""
    if case.book.word("wear.charge") != "depreciation":
        for drive in case.system.drives:
            yield _purchase(case, drive)
    for name, count in case.system.parts.items():
        key = f"purchase.part.{name}"
        if case.book.find(key) is not None:
            yield _stated(
                case, key, "purchase", f"purchase:{name}", name, quantity=float(count),
                formula="number x price", expression=f"{count}*{{{key}}}",
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


def failure_costs(case: CostCase) -> Iterator[Component]:
    """A component for each drive whose annual failure rate is not 0.

    Expected failures are rate x years. A failure costs labour, and beyond the warranty the drive's price; a
    drive that replaced a worn one has its own warranty.
    """
    for drive in case.system.drives:
        keys = [f"failures.afr.{name}" for name in (*drive.names, drive.kind)]
        rate = case.book.number(*keys)
        if rate:
            yield _failures(case, drive, rate, case.book.figure(*keys).key)


def _failures(case: CostCase, drive: PricedDrive, rate: float, key: str) -> Component:
    labour, warranty = case.book.number("failures.labour"), case.book.number("failures.warranty")
    price, figure, failures = case.price_of(drive), case.book.figure(key), rate * case.years
    late = list(_beyond_warranty(case, drive, warranty * SECONDS_PER_YEAR))
    flows = [Payment(rate * case.years * labour, 0.0, case.seconds)]
    flows += [
        Payment(rate * seconds / SECONDS_PER_YEAR * price.usd, start, end) for start, end, seconds in late
    ]
    return Component(
        key=f"failures:{drive.name}", group="failures", title=drive.title, device=drive.name,
        flows=tuple(flows), quantity=failures, unit="failures",
        unit_price=sum(flow.usd for flow in flows) / failures,
        formula="rate x years x labour + rate x years beyond the warranty x price",
        source=figure.source, date=figure.date, scales="time",
        rests_on=(key, "failures.labour", "failures.warranty"),
        expression=_failure_expression(case, key) if price.known else None, known=price.known or not late,
    )  # fmt: skip


def _beyond_warranty(
    case: CostCase, drive: PricedDrive, warranty_s: float
) -> Iterator[tuple[float, float, float]]:
    """Start, end and length in s of the times beyond the warranty of the drives in this place."""
    begins_s = 0.0
    if case.book.word("wear.charge") == "replacements":
        place = wear.place(case, drive)
        earlier, life_s = place.drives - 1, place.life_s
        begins_s = earlier * life_s if earlier else 0.0
        if earlier and warranty_s < life_s:
            if earlier > wear.LISTED:
                yield warranty_s, begins_s, earlier * (life_s - warranty_s)
            else:
                for start in (index * life_s for index in range(earlier)):
                    yield start + warranty_s, start + life_s, life_s - warranty_s
    if begins_s + warranty_s < case.seconds:
        yield begins_s + warranty_s, case.seconds, case.seconds - begins_s - warranty_s


def _failure_expression(case: CostCase, key: str) -> str:
    """Rate x (years x labour + years of each drive beyond its warranty x price)."""
    late = "MAX(0,{years}-{failures.warranty})"
    if case.book.word("wear.charge") == "replacements":
        each = "MAX(0,{years}/{lives}-{failures.warranty})"
        last = "MAX(0,{years}-({served}-1)*{years}/{lives}-{failures.warranty})"
        late = f"IF({{served}}=1,{late},({{served}}-1)*{each}+{last})"
    return f"{{{key}}}*({{years}}*{{failures.labour}}+{late}*{{price}})"


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
