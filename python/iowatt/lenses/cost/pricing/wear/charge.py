"""The cost of wear of each drive, by ``wear.charge``.

- ``replacements``: the purchase pays for the first drive, and each successor is bought when it is needed; the
  last one counts by the part of its life within the horizon.
- ``depreciation``: instead of a purchase, the part of a life that is used is paid as it is used, by wear or
  by years, whichever is faster.
- ``paper``: the purchase, and equations 9 to 12 of dollars2014, ``alpha x C_dev x wearout / Limit``.
- ``none``: nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from iowatt.lenses.cost.pricing.case import CostCase
from iowatt.lenses.cost.pricing.component import Component, number
from iowatt.lenses.cost.pricing.wear.life import Wearout, largest, wearout
from iowatt.lenses.cost.pricing.wear.replacement_schedule import LISTED, DrivePlace, place
from iowatt.lenses.cost.result.costs import Payment
from iowatt.lenses.cost.systems.system import PricedDrive
from iowatt.lenses.wear import SECONDS_PER_YEAR

TWICE: Final = (
    "charged in addition to the purchase, from the first byte: a worn-out drive is paid twice (equations 4 "
    "and 9)"
)
#: Least relative fall of the price from drive to drive that a spreadsheet's digits resolve.
COARSE: Final = 1e-5
INSTEAD: Final = "replaces the purchase, which is not charged"


def wear_costs(case: CostCase) -> Iterator[Component]:
    """A component for each drive, even where 0; none with ``wear.charge = none``."""
    charge = _CHARGES.get(case.book.word("wear.charge"))
    if charge is not None:
        for drive in case.system.drives:
            yield charge(case, drive)


def _replaced(case: CostCase, drive: PricedDrive) -> Component:
    """The successors of a drive."""
    here = place(case, drive)
    even = here.decline == 0.0
    flows = [Payment(group.usd, group.at_s, group.until_s) for group in here.replacements]
    if flows:
        flows[-1] = replace(flows[-1], usd=flows[-1].usd - here.unused_usd)
    return _component(
        case, drive, here.worn, flows=tuple(flows),
        quantity=max(0.0, min(here.lives, float(here.drives)) - 1.0), unit="drives",
        unit_price=here.price if even else None,
        formula=f"(horizon / life - 1) x price{'' if even else ' x (1 - decline)^years'}, where positive; "
        f"life: {_life(here)}",
        scales="work" if here.reason == "worn" else "time", rests_on=here.rests_on,
        expression=_replaced_expression(case, drive, here),
    )  # fmt: skip


def _depreciated(case: CostCase, drive: PricedDrive) -> Component:
    """The part of its life that each drive uses while it serves."""
    here = place(case, drive)
    used = min(here.lives, float(here.drives))
    even = here.decline == 0.0
    flows = [Payment(used * here.price, 0.0, case.seconds)]
    if not even:
        starts = [(0.0, here.price), *((group.at_s, group.usd) for group in here.replacements)]
        ends = [*(start for start, _ in starts[1:]), case.seconds]
        flows = [Payment(usd, start, end) for (start, usd), end in zip(starts, ends, strict=True)]
        flows[-1] = replace(flows[-1], usd=flows[-1].usd - here.unused_usd)
    return _component(
        case, drive, here.worn, flows=tuple(flows), quantity=used, unit="lives",
        unit_price=here.price if even else None,
        formula=f"horizon / life x price of each drive; life: {_life(here)}",
        scales="work" if here.reason == "worn" else "time", rests_on=here.rests_on,
        expression=f"{charged_expression(case, drive)}*{{lives}}" if even else None,
        note=INSTEAD if used else f"{INSTEAD}; nothing limits its life: set wear.service_life",
    )  # fmt: skip


def _as_published(case: CostCase, drive: PricedDrive) -> Component:
    worn, price = wearout(drive, case.book), case.charged(drive)
    lives = worn.fraction * case.repeats
    return _component(
        case, drive, worn, flows=(Payment(lives * price, 0.0, case.seconds),), quantity=lives, unit="lives",
        unit_price=price,
        formula="alpha x C_dev x wearout / Limit (equations 6, 9 to 12)"
        + (f"; wearout / Limit: {worn.formula}" if worn.formula else ""),
        scales="work", rests_on=worn.rests_on,
        expression=f"{charged_expression(case, drive)}*{{repeats}}*({worn.expression})", note=TWICE,
    )  # fmt: skip


_CHARGES: Final[Mapping[str, Callable[[CostCase, PricedDrive], Component]]] = {
    "replacements": _replaced, "depreciation": _depreciated, "paper": _as_published,
}  # fmt: skip


def _component(
    case: CostCase, drive: PricedDrive, worn: Wearout, *, flows: tuple[Payment, ...], unit: str,
    unit_price: float | None, rests_on: tuple[str, ...], expression: str | None, note: str = "",
    **fields: Any,
) -> Component:  # fmt: skip
    """A component of the group ``wear``, with its other ``fields``."""
    price = case.price_of(drive)
    return Component(
        key=f"wear:{drive.name}", group="wear", title=drive.title, device=drive.name, flows=flows, unit=unit,
        unit_price=unit_price if price.known else None, date=price.date,
        source=f"{worn.source or 'no rating is known'}; price: {price.source}",
        rests_on=tuple(dict.fromkeys(("wear.charge", *rests_on, "purchase.charge", price.key))),
        note="; ".join(filter(None, (note, worn.note))), expression=expression if price.known else None,
        known=price.known or (unit == "drives" and not flows), **fields,
    )  # fmt: skip


def _life(here: DrivePlace) -> str:
    """The life of a drive in words."""
    if not math.isfinite(here.life_s):
        return "unlimited"
    if here.reason == "service_life":
        return "the service life"
    return f"time of the work / the share of life that it uses, {here.worn.formula}"


def charged_expression(case: CostCase, drive: PricedDrive) -> str:
    """The charged price as an expression of the price of the whole drive."""
    share = case.charged_gb(drive) / drive.capacity_gb
    return "{price}" if share == 1.0 else f"{number(share)}*{{price}}"


def lives_expression(case: CostCase, drive: PricedDrive) -> str:
    """``{lives}``: the horizon in lives of the drives in that place, by wear or by years, the larger."""
    here = place(case, drive)
    shares = []
    if here.lives and here.worn.fraction > 0:
        shares.append(f"{{repeats}}*({here.worn.expression})")
    if here.lives and "wear.service_life" in here.rests_on:
        shares.append("{years}/{wear.service_life}")
    return largest(shares)


def _replaced_expression(case: CostCase, drive: PricedDrive, here: DrivePlace) -> str | None:
    """Price x lives, or a geometric series where the price falls; None where that is too coarse."""
    if here.lives == 0.0:
        return "0"
    price = charged_expression(case, drive)
    many = f"{price}*MAX(0,{{lives}}-1)"
    if "wear.price_decline" not in here.rests_on:
        return many
    fall = abs(here.decline) * here.life_s / SECONDS_PER_YEAR
    if here.decline != 0.0 and (here.drives > LISTED or fall < COARSE):
        return None
    ratio = "(1-{wear.price_decline})^({years}/{lives})"
    series = f"({ratio}-({ratio})^{{served}})/(1-{ratio})"
    unused = f"MAX(0,{{served}}-{{lives}})*({ratio})^({{served}}-1)"
    return f"IF({{wear.price_decline}}=0,{many},IF({{served}}=1,0,{price}*({series}-{unused})))"
