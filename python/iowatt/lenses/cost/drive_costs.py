"""Owning drives: purchase, failures, service, disposal (equations 3 to 5 and 13 of dollars2014)."""

from __future__ import annotations

from collections.abc import Iterator

from iowatt.lenses.cost import wear
from iowatt.lenses.cost.case import Case
from iowatt.lenses.cost.component import Component, Flow
from iowatt.lenses.cost.expression import number
from iowatt.lenses.cost.system import Drive
from iowatt.lenses.wear import SECONDS_PER_YEAR


def purchase_costs(case: Case) -> Iterator[Component]:
    """One for each drive, unless depreciation charges what is used of it; one for each part with a price."""
    if case.book.word("wear.charge") != "depreciation":
        for drive in case.system.drives:
            yield _purchased(case, drive)
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


def _purchased(case: Case, drive: Drive) -> Component:
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


def failure_costs(case: Case) -> Iterator[Component]:
    """One for each drive whose failure rate is not 0."""
    for drive in case.system.drives:
        keys = [f"failures.afr.{name}" for name in (*drive.names, drive.kind)]
        rate = case.book.number(*keys)
        if rate:
            yield _failures(case, drive, rate, case.book.figure(*keys).key)


def _failures(case: Case, drive: Drive, rate: float, key: str) -> Component:
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
        expression=_failure_expression(case, key) if price.known else None,
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


def _failure_expression(case: Case, key: str) -> str:
    """The rate times labour, and times the years of each drive beyond its warranty."""
    late = "MAX(0,{years}-{failures.warranty})"
    if case.book.word("wear.charge") == "replacements":
        each = "MAX(0,{years}/{lives}-{failures.warranty})"
        last = "MAX(0,{years}-({served}-1)*{years}/{lives}-{failures.warranty})"
        late = f"IF({{served}}=1,{late},({{served}}-1)*{each}+{last})"
    return f"{{{key}}}*({{years}}*{{failures.labour}}+{late}*{{price}})"


def service_costs(case: Case) -> Iterator[Component]:
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


def disposal_costs(case: Case) -> Iterator[Component]:
    """For each drive the disposal of all that served in its place, and the first one's residual value.

    What is left of a replacement was never charged (`wear.charge`), nor what is left of any drive with
    ``wear.charge = depreciation``: it has no residual value.
    """
    each, share = case.book.number("disposal.per_drive"), case.book.number("disposal.residual")
    for drive in case.system.drives:
        yield _disposal(case, drive, each)
        if share and case.book.word("wear.charge") != "depreciation":
            yield _residual(case, drive, share)


def _disposal(case: Case, drive: Drive, each: float) -> Component:
    figure = case.book.figure("disposal.per_drive")
    replaces = case.book.word("wear.charge") == "replacements"
    replaced = wear.bought(case, drive)
    flows = [Flow(each * one.count, one.at_s, one.until_s) for one in replaced]
    # A replacement counts by the part of its life within the horizon, the first drive whole.
    served = float(sum(one.count for one in replaced))
    last = min(1.0, wear.place(case, drive).lives - served) if replaced else 1.0
    return Component(
        key=f"disposal:{drive.name}", group="disposal", title=f"{drive.name} ({drive.model})",
        device=drive.name, flows=(*flows, Flow(each * last, case.seconds)), quantity=served + last,
        unit="drives",
        unit_price=each, formula="drives x USD each", source=figure.source, date=figure.date,
        scales="work" if replaces else "once",
        rests_on=("disposal.per_drive", *(_served_by(case, drive) if replaces else ())),
        expression="MAX(1,{lives})*{disposal.per_drive}" if replaces else "{disposal.per_drive}",
    )  # fmt: skip


def _served_by(case: Case, drive: Drive) -> Iterator[str]:
    """Figures that decide how many drives serve in its place; what they cost does not."""
    return (key for key in wear.place(case, drive).rests_on if key != "wear.price_decline")


def _residual(case: Case, drive: Drive, share: float) -> Component:
    """By what is left of the life of the drive bought at the start, by wear or by years."""
    figure = case.book.figure("disposal.residual")
    there = wear.place(case, drive)
    left = max(0.0, 1.0 - there.lives)
    price, known = case.charged(drive), case.price_of(drive).known
    return Component(
        key=f"residual:{drive.name}", group="credit", title=f"{drive.name} ({drive.model}), residual value",
        device=drive.name, flows=(Flow(-share * left * price, case.seconds),), quantity=left, unit="lives",
        unit_price=-share * price if known else None,
        formula="- price paid x residual share x life that is left of the first drive",
        source=figure.source, date=figure.date, scales="once",
        rests_on=("disposal.residual", *(key for key in there.rests_on if key != "wear.price_decline")),
        expression=(
            f"(-1)*{{disposal.residual}}*MAX(0,1-{{lives}})*{wear.charged_expression(case, drive)}"
            if known else None
        ),
        known=known or not left,
    )  # fmt: skip
