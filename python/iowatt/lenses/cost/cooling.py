"""What the facility draws beyond the system (PUE: cooling, distribution), billed by the same tariff."""

from __future__ import annotations

import math
from collections.abc import Iterator

from iowatt.lenses.cost import energy
from iowatt.lenses.cost.bills import Charge
from iowatt.lenses.cost.case import Case
from iowatt.lenses.cost.component import Component
from iowatt.lenses.cost.expression import number
from iowatt.tariffs.load import JOULES_PER_KWH


def components(case: Case) -> Iterator[Component]:
    """The bill of the load times PUE less the bill of the load; nothing where PUE is 1."""
    factor = case.book.number("cooling.pue")
    if factor == 1.0:
        return
    parts = list(_more(case, factor))
    kwh = case.system.work.load.repeated(case.repeats).total_j * (factor - 1.0) / JOULES_PER_KWH
    charged = [charge for charge in parts if charge.kind != "sell"]
    paid = [charge for charge in parts if charge.kind == "sell"]
    yield _component(case, "cooling", "Cooling and distribution (PUE)", charged, kwh)
    if paid:
        yield _component(case, "cooling:sell", "Cooling and distribution, at negative prices", paid, None)


def _component(case: Case, key: str, title: str, parts: list[Charge], kwh: float | None) -> Component:
    figure = case.book.figure("cooling.pue")
    flows = tuple(energy.flow(case, charge) for charge in parts)
    usd = math.fsum(one.usd for one in flows)
    return Component(
        key=key,
        group="credit" if usd < 0 else "cooling",
        title=title,
        device=None,
        flows=flows,
        quantity=kwh,
        unit="kWh" if kwh is not None else "",
        unit_price=usd / kwh if kwh else None,
        formula="bill of the power x PUE - bill of the power",
        source=figure.source,
        date=figure.date,
        scales="work",
        rests_on=("cooling.pue", "energy.factor", "energy.escalation", "energy.site_kw", "energy.demand"),
        note="its demand charges scale by the months" if any(c.kind == "demand" for c in parts) else "",
        expression=_expression(case, parts),
    )


def _more(case: Case, factor: float) -> Iterator[Charge]:
    alone = {(charge.kind, charge.year): charge for charge in energy.charges(case, 1.0)}
    for charge in energy.charges(case, factor):
        before = alone.get((charge.kind, charge.year))
        usd, quantity = (0.0, 0.0) if before is None else (before.usd, before.quantity)
        yield Charge(charge.kind, charge.year, charge.usd - usd, charge.quantity - quantity)
    made = {(charge.kind, charge.year) for charge in energy.charges(case, factor)}
    for at, charge in alone.items():
        if at not in made:
            yield Charge(charge.kind, charge.year, -charge.usd, -charge.quantity)


def _expression(case: Case, parts: list[Charge]) -> str:
    if energy.linear_price(case) is not None and all(
        charge.kind == "energy" or charge.usd == 0.0 for charge in parts
    ):
        return "{usd:energy}*({cooling.pue}-1)"
    return f"{number(energy.at_risen_prices(case, parts))}*{{energy.factor}}"
