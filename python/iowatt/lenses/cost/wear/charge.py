"""What wear costs, drive by drive, in the way that ``wear.charge`` says.

- ``replacements``: the purchase pays for the first drive, and each successor is bought when it is needed; the
  last one counts by the part of its life that lies within the horizon, as its life does not end there.
- ``depreciation``: no drive is bought; what is used up of one is paid as it is used, by wear or by years,
  whichever is faster. It stands in place of the purchase, which is then none.
- ``paper``: equations 9 to 12 of dollars2014, ``alpha x C_dev x wearout / Limit``, beside the purchase.
- ``none``: nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal

from iowatt.lenses.cost.case import Case
from iowatt.lenses.cost.component import Component, Flow
from iowatt.lenses.cost.expression import number
from iowatt.lenses.cost.system import Drive
from iowatt.lenses.cost.wear.life import Wearout, largest, wearout
from iowatt.lenses.cost.wear.replacement_schedule import LISTED, Place, place, replacements
from iowatt.lenses.wear import SECONDS_PER_YEAR

TWICE: Final = (
    "charged beside the purchase, from the first byte: a drive that is worn out has been paid twice "
    "(equations 4 and 9)"
)
#: Below that the price falls too little from one drive to the next for a spreadsheet's digits.
COARSE: Final = 1e-5
INSTEAD: Final = "in place of the purchase, which is not charged"


def wear_costs(case: Case) -> Iterator[Component]:
    """One for each drive, whatever it comes to; none with ``wear.charge = none``."""
    charge = _CHARGES.get(case.book.word("wear.charge"))
    if charge is not None:
        for drive in case.system.drives:
            yield charge(case, drive)


def _replaced(case: Case, drive: Drive) -> Component:
    there = place(case, drive)
    even = there.decline == 0.0
    return _component(
        case,
        drive,
        there.worn,
        flows=tuple(_used(case, there)),
        quantity=max(0.0, min(there.lives, float(there.drives)) - 1.0),
        unit="drives",
        unit_price=there.price if even else None,
        formula="(horizon / life - 1) x price, where more than one serves"
        + ("" if even else " x (1 - decline)^years")
        + f"; life: {_life(there)}",
        scales="work" if there.reason == "worn" else "time",
        rests_on=there.rests_on,
        expression=_replaced_expression(case, drive, there),
    )


def _depreciated(case: Case, drive: Drive) -> Component:
    there = place(case, drive)
    used = min(there.lives, float(there.drives))
    even = there.decline == 0.0
    return _component(
        case,
        drive,
        there.worn,
        flows=(Flow(used * there.price, 0.0, case.seconds),) if even else tuple(_stints(case, there)),
        quantity=used,
        unit="lives",
        unit_price=there.price if even else None,
        formula=f"horizon / life x price of each drive; life: {_life(there)}",
        scales="work" if there.reason == "worn" else "time",
        rests_on=there.rests_on,
        expression=f"{charged_expression(case, drive)}*{{lives}}" if even else None,
        note=INSTEAD if used else f"{INSTEAD}; nothing ends its life: set wear.service_life",
    )


def _used(case: Case, there: Place) -> Iterator[Flow]:
    """Each replacement at its price; of the last one the part of its life within the horizon."""
    found = list(replacements(there, case.seconds))
    for one in found:
        unused = there.unused_usd if one is found[-1] else 0.0
        yield Flow(one.usd - unused, one.at_s, one.until_s)


def _stints(case: Case, there: Place) -> Iterator[Flow]:
    """What is used up of each drive while it serves, the last one in part."""
    bought = [(0.0, there.price, 1), *_bought(case, there)]
    ends = [at for at, _, _ in bought[1:]] + [case.seconds]
    left = there.unused_usd
    for index, ((at, usd, _), until) in enumerate(zip(bought, ends, strict=True)):
        yield Flow(usd - (left if index == len(bought) - 1 else 0.0), at, until)


def _bought(case: Case, there: Place) -> list[tuple[float, float, int]]:
    return [(one.at_s, one.usd, one.count) for one in replacements(there, case.seconds)]


def _of_paper(case: Case, drive: Drive) -> Component:
    worn = wearout(drive, case.book)
    price = case.charged(drive)
    lives = worn.fraction * case.repeats
    return _component(
        case,
        drive,
        worn,
        flows=(Flow(lives * price, 0.0, case.seconds),),
        quantity=lives,
        unit="lives",
        unit_price=price,
        formula="alpha x C_dev x wearout / Limit (equations 6, 9 to 12)"
        + (f"; wearout / Limit: {worn.formula}" if worn.formula else ""),
        scales="work",
        rests_on=worn.rests_on,
        expression=f"{charged_expression(case, drive)}*{{repeats}}*({worn.expression})",
        note=TWICE,
    )


_CHARGES: Final[Mapping[str, Callable[[Case, Drive], Component]]] = {
    "replacements": _replaced,
    "depreciation": _depreciated,
    "paper": _of_paper,
}


def _component(
    case: Case,
    drive: Drive,
    worn: Wearout,
    *,
    flows: tuple[Flow, ...],
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
    known = price.known or (unit == "drives" and not flows)
    return Component(
        key=f"wear:{drive.name}",
        group="wear",
        title=f"{drive.name} ({drive.model})",
        device=drive.name,
        flows=flows,
        quantity=quantity,
        unit=unit,
        unit_price=unit_price if price.known else None,
        formula=formula,
        source=f"{worn.source or 'no rating is known'}; price: {price.source}",
        date=price.date,
        scales=scales,
        rests_on=tuple(dict.fromkeys(("wear.charge", *rests_on, "purchase.charge", price.key))),
        note="; ".join(filter(None, (note, worn.note))),
        expression=expression if price.known else None,
        known=known,
    )


def _life(there: Place) -> str:
    """How long a drive lives there, in words."""
    if not math.isfinite(there.life_s):
        return "without end"
    if there.reason == "service_life":
        return "the service life"
    return f"of the work over the share that it uses, {there.worn.formula}"


def charged_expression(case: Case, drive: Drive) -> str:
    """The price that is charged, in terms of that of the whole drive."""
    share = case.charged_gb(drive) / drive.capacity_gb
    return "{price}" if share == 1.0 else f"{number(share)}*{{price}}"


def lives_expression(case: Case, drive: Drive) -> str:
    """The horizon in lives of the drives in that place, by wear or by years, the larger: ``{lives}``."""
    there = place(case, drive)
    if there.lives == 0.0:
        return "0"
    shares = []
    if there.worn.fraction > 0:
        shares.append(f"{{repeats}}*({there.worn.expression})")
    if "wear.service_life" in there.rests_on:
        shares.append("{years}/{wear.service_life}")
    return largest(shares)


def _replaced_expression(case: Case, drive: Drive, there: Place) -> str | None:
    """Price times the lives, or a geometric series where it falls; None where that would be too coarse."""
    if there.lives == 0.0:
        return "0"
    price = charged_expression(case, drive)
    many = f"{price}*MAX(0,{{lives}}-1)"
    if "wear.price_decline" not in there.rests_on:
        return many
    fall = abs(there.decline) * there.life_s / SECONDS_PER_YEAR
    if there.decline != 0.0 and (there.drives > LISTED or fall < COARSE):
        return None
    ratio = "(1-{wear.price_decline})^({years}/{lives})"
    series = f"({ratio}-({ratio})^{{served}})/(1-{ratio})"
    unused = f"MAX(0,{{served}}-{{lives}})*({ratio})^({{served}}-1)"
    return f"IF({{wear.price_decline}}=0,{many},IF({{served}}=1,0,{price}*({series}-{unused})))"
