"""The end: erasing and disposing of drives, and what they still fetch (a credit)."""

from __future__ import annotations

from collections.abc import Iterator

from iowatt.lenses.cost import wear
from iowatt.lenses.cost.case import Case
from iowatt.lenses.cost.component import Component, Flow
from iowatt.lenses.cost.system import Drive


def components(case: Case) -> Iterator[Component]:
    """For each drive what it costs to dispose of all that served in its place, and the last one's residual value."""
    each, share = case.book.number("disposal.per_drive"), case.book.number("disposal.residual")
    for drive in case.system.drives:
        replaced = wear.schedule(case, drive) if _replaces(case) else ()
        if each:
            yield _disposal(case, drive, each, [one.at_s for one in replaced])
        if share:
            yield _residual(case, drive, share, replaced[-1].at_s if replaced else 0.0)


def _replaces(case: Case) -> bool:
    return case.book.word("wear.charge") == "replacements"


def _disposal(case: Case, drive: Drive, each: float, at_s: list[float]) -> Component:
    figure = case.book.figure("disposal.per_drive")
    flows = tuple(Flow(each, at) for at in (*at_s, case.seconds))
    return Component(
        key=f"disposal:{drive.name}", group="disposal", title=f"{drive.name} ({drive.model})",
        device=drive.name, flows=flows, quantity=float(len(flows)), unit="drives", unit_price=each,
        formula="drives x USD each", source=figure.source, date=figure.date, scales="once",
        rests_on=("disposal.per_drive",),
        expression="{served}*{disposal.per_drive}" if _replaces(case) else "{disposal.per_drive}",
    )  # fmt: skip


def _residual(case: Case, drive: Drive, share: float, since_s: float) -> Component:
    figure = case.book.figure("disposal.residual")
    used = wear.wearout(drive, case.book).fraction * (case.seconds - since_s) / case.system.work.duration_s
    left = max(0.0, 1.0 - used)
    price = case.price_of(drive).usd
    return Component(
        key=f"residual:{drive.name}", group="credit", title=f"{drive.name} ({drive.model}), residual value",
        device=drive.name, flows=(Flow(-share * left * price, case.seconds),), quantity=left, unit="of a life",
        unit_price=-share * price, formula="- price x residual share x life that is left",
        source=figure.source, date=figure.date, scales="once", rests_on=("disposal.residual",),
        expression=None,
    )  # fmt: skip
