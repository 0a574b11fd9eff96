"""The end: erasing and disposing of drives, and what they still fetch (a credit)."""

from __future__ import annotations

from collections.abc import Iterator

from iowatt.lenses.cost import wear
from iowatt.lenses.cost.case import Case
from iowatt.lenses.cost.component import Component, Flow
from iowatt.lenses.cost.system import Drive


def components(case: Case) -> Iterator[Component]:
    """For each drive the disposal of all that served in its place, and the last one's residual value.

    With ``wear.charge = depreciation`` there is none of that: what is left of a drive was never paid.
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
    many = 1 + sum(one.count for one in replaced)
    return Component(
        key=f"disposal:{drive.name}", group="disposal", title=f"{drive.name} ({drive.model})",
        device=drive.name, flows=(*flows, Flow(each, case.seconds)), quantity=float(many), unit="drives",
        unit_price=each, formula="drives x USD each", source=figure.source, date=figure.date,
        scales="work" if replaces else "once",
        rests_on=("disposal.per_drive", *(_served_by(case, drive) if replaces else ())),
        expression="{served}*{disposal.per_drive}" if replaces else "{disposal.per_drive}",
    )  # fmt: skip


def _served_by(case: Case, drive: Drive) -> Iterator[str]:
    """Figures that decide how many drives serve in its place; what they cost does not."""
    return (key for key in wear.place(case, drive).rests_on if key != "wear.price_decline")


def _residual(case: Case, drive: Drive, share: float) -> Component:
    """By what is left of the life of the drive that serves at the end, by wear or by years."""
    figure = case.book.figure("disposal.residual")
    there = wear.place(case, drive)
    replaces = case.book.word("wear.charge") == "replacements"
    left = max(0.0, (there.drives if replaces else 1) - there.lives)
    price = wear.last_bought(case, drive)[1] if replaces else case.charged(drive)
    return Component(
        key=f"residual:{drive.name}", group="credit", title=f"{drive.name} ({drive.model}), residual value",
        device=drive.name, flows=(Flow(-share * left * price, case.seconds),), quantity=left, unit="lives",
        unit_price=-share * price, formula="- price paid x residual share x life that is left",
        source=figure.source, date=figure.date, scales="once",
        rests_on=("disposal.residual", *there.rests_on),
        expression=_residual_expression(case, drive, falls="wear.price_decline" in there.rests_on),
    )  # fmt: skip


def _residual_expression(case: Case, drive: Drive, *, falls: bool) -> str:
    """Of the last drive in its place, which was bought at the price of then."""
    paid = wear.charged_expression(case, drive)
    if case.book.word("wear.charge") != "replacements":
        return f"(-1)*{{disposal.residual}}*MAX(0,1-{{lives}})*{paid}"
    if falls:
        late = "(1-{wear.price_decline})^(({served}-1)*{years}/{lives})"
        paid = f"{paid}*IF({{served}}=1,1,{late})"
    return f"(-1)*{{disposal.residual}}*MAX(0,{{served}}-{{lives}})*{paid}"
