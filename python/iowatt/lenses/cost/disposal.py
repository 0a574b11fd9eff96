"""The end: erasing and disposing of drives, and what they still fetch (a credit)."""

from __future__ import annotations

from collections.abc import Iterator

from iowatt.lenses.cost import wear
from iowatt.lenses.cost.case import Case
from iowatt.lenses.cost.component import Component, Flow
from iowatt.lenses.cost.system import Drive


def components(case: Case) -> Iterator[Component]:
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
