"""What wear costs, drive by drive, by ``wear.charge``.

- ``replacements``: the purchase pays for the first drive, and each successor is bought when it is needed; the
  last one counts by the part of its life that lies within the horizon, as its life does not end there.
- ``depreciation``: no drive is bought; what is used up of one is paid as it is used, by wear or by years,
  whichever is faster. It replaces the purchase.
- ``paper``: equations 9 to 12 of dollars2014, ``alpha x C_dev x wearout / Limit``, beside the purchase.
- ``none``: nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal

from iowatt.lenses.cost.pricing.case import CostCase
from iowatt.lenses.cost.pricing.component import Component, number
from iowatt.lenses.cost.pricing.wear.life import Wearout, largest, wearout
from iowatt.lenses.cost.pricing.wear.replacement_schedule import LISTED, DrivePlace, place
from iowatt.lenses.cost.result.costs import Payment
from iowatt.lenses.cost.systems.system import PricedDrive
from iowatt.lenses.wear import SECONDS_PER_YEAR

TWICE: Final = (
    "charged beside the purchase, from the first byte: a drive that is worn out has been paid twice "
    "(equations 4 and 9)"
)
#: Below that the price falls too little from one drive to the next for a spreadsheet's digits.
COARSE: Final = 1e-5
INSTEAD: Final = "in place of the purchase, which is not charged"


def wear_costs(case: CostCase) -> Iterator[Component]:
    """One for each drive, even where it is 0; none with ``wear.charge = none``."""
    charge = _CHARGES.get(case.book.word("wear.charge"))
    if charge is not None:
        for drive in case.system.drives:
            yield charge(case, drive)


def _replaced(case: CostCase, drive: PricedDrive) -> Component:
    """The successors of a drive."""
    here = place(case, drive)
    even = here.decline == 0.0
    bought = list(here.replacements())
    flows = [
        Payment(one.usd - (here.unused_usd if one is bought[-1] else 0.0), one.at_s, one.until_s)
        for one in bought
    ]
    return _component(
        case, drive, here.worn, flows=tuple(flows),
        quantity=max(0.0, min(here.lives, float(here.drives)) - 1.0), unit="drives",
        unit_price=here.price if even else None,
        formula=f"(horizon / life - 1) x price, where more than one serves"
        f"{'' if even else ' x (1 - decline)^years'}; life: {_life(here)}",
        scales="work" if here.reason == "worn" else "time", rests_on=here.rests_on,
        expression=_replaced_expression(case, drive, here),
    )  # fmt: skip


def _depreciated(case: CostCase, drive: PricedDrive) -> Component:
    """What is used up of each drive while it serves, the last one in part."""
    here = place(case, drive)
    used = min(here.lives, float(here.drives))
    even = here.decline == 0.0
    flows = [Payment(used * here.price, 0.0, case.seconds)]
    if not even:
        starts = [(0.0, here.price), *((one.at_s, one.usd) for one in here.replacements())]
        ends = [*(start for start, _ in starts[1:]), case.seconds]
        flows = [Payment(usd, start, end) for (start, usd), end in zip(starts, ends, strict=True)]
        flows[-1] = Payment(flows[-1].usd - here.unused_usd, flows[-1].at_s, flows[-1].until_s)
    return _component(
        case, drive, here.worn, flows=tuple(flows), quantity=used, unit="lives",
        unit_price=here.price if even else None,
        formula=f"horizon / life x price of each drive; life: {_life(here)}",
        scales="work" if here.reason == "worn" else "time", rests_on=here.rests_on,
        expression=f"{charged_expression(case, drive)}*{{lives}}" if even else None,
        note=INSTEAD if used else f"{INSTEAD}; nothing ends its life: set wear.service_life",
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
    case: CostCase,
    drive: PricedDrive,
    worn: Wearout,
    *,
    flows: tuple[Payment, ...],
    quantity: float,
    unit: str,
    unit_price: float | None,
    formula: str,
    scales: Literal["once", "work", "time"],
    rests_on: tuple[str, ...],
    expression: str | None,
    note: str = "",
) -> Component:
    """What the three ways have in common."""
    price = case.price_of(drive)
    return Component(
        key=f"wear:{drive.name}", group="wear", title=drive.title, device=drive.name, flows=flows,
        quantity=quantity, unit=unit, unit_price=unit_price if price.known else None, formula=formula,
        source=f"{worn.source or 'no rating is known'}; price: {price.source}", date=price.date,
        scales=scales,
        rests_on=tuple(dict.fromkeys(("wear.charge", *rests_on, "purchase.charge", price.key))),
        note="; ".join(filter(None, (note, worn.note))), expression=expression if price.known else None,
        known=price.known or (unit == "drives" and not flows),
    )  # fmt: skip


def _life(here: DrivePlace) -> str:
    """How long a drive lives there, in words."""
    if not math.isfinite(here.life_s):
        return "without end"
    if here.reason == "service_life":
        return "the service life"
    return f"of the work over the share that it uses, {here.worn.formula}"


def charged_expression(case: CostCase, drive: PricedDrive) -> str:
    """The price that is charged, in terms of that of the whole drive."""
    share = case.charged_gb(drive) / drive.capacity_gb
    return "{price}" if share == 1.0 else f"{number(share)}*{{price}}"


def lives_expression(case: CostCase, drive: PricedDrive) -> str:
    """The horizon in lives of the drives in that place, by wear or by years, the larger: ``{lives}``."""
    here = place(case, drive)
    shares = []
    if here.lives and here.worn.fraction > 0:
        shares.append(f"{{repeats}}*({here.worn.expression})")
    if here.lives and "wear.service_life" in here.rests_on:
        shares.append("{years}/{wear.service_life}")
    return largest(shares)


def _replaced_expression(case: CostCase, drive: PricedDrive, here: DrivePlace) -> str | None:
    """Price times the lives, or a geometric series where it falls; None where that would be too coarse."""
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
