"""The end: erasing and disposing of drives, and what they still fetch (a credit)."""

from __future__ import annotations

from collections.abc import Iterator

from iowatt.lenses.cost import wear
from iowatt.lenses.cost.case import Case
from iowatt.lenses.cost.component import Component, Flow
from iowatt.lenses.cost.system import Drive


def components(case: Case) -> Iterator[Component]:
    """For each drive the disposal of all that served in its place, and the residual value of the last one.

    With ``wear.charge = depreciation`` there is no residual value: what is left of a drive was never paid.
    """
    each, share = case.book.number("disposal.per_drive"), case.book.number("disposal.residual")
    for drive in case.system.drives:
        if each:
            yield _disposal(case, drive, each)
        if share and case.book.word("wear.charge") != "depreciation":
            yield _residual(case, drive, share)


def _replaces(case: Case) -> bool:
    return case.book.word("wear.charge") == "replacements"


def _disposal(case: Case, drive: Drive, each: float) -> Component:
    figure = case.book.figure("disposal.per_drive")
    replaced = wear.schedule(case, drive) if _replaces(case) else ()
    flows = [Flow(each * one.count, one.at_s, one.until_s) for one in replaced]
    number = 1 + sum(one.count for one in replaced)
    return Component(
        key=f"disposal:{drive.name}", group="disposal", title=f"{drive.name} ({drive.model})",
        device=drive.name, flows=(*flows, Flow(each, case.seconds)), quantity=float(number), unit="drives",
        unit_price=each, formula="drives x USD each", source=figure.source, date=figure.date, scales="once",
        rests_on=("disposal.per_drive",), expression=f"{number}*{{disposal.per_drive}}",
    )  # fmt: skip


def _residual(case: Case, drive: Drive, share: float) -> Component:
    figure = case.book.figure("disposal.residual")
    since_s, price = wear.last_bought(case, drive) if _replaces(case) else (0.0, case.charged(drive))
    used = wear.wearout(drive, case.book).fraction * (case.seconds - since_s) / case.system.work.duration_s
    left = max(0.0, 1.0 - used)
    return Component(
        key=f"residual:{drive.name}", group="credit", title=f"{drive.name} ({drive.model}), residual value",
        device=drive.name, flows=(Flow(-share * left * price, case.seconds),), quantity=left,
        unit="of a life", unit_price=-share * price,
        formula="- price paid x residual share x life that is left", source=figure.source,
        date=figure.date, scales="once", rests_on=("disposal.residual",), expression=None,
    )  # fmt: skip
