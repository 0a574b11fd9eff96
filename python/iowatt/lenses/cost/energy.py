"""The electricity of the system itself (equations 7 and 8 of dollars2014): its power series, billed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from iowatt.lenses.cost.bills import FIXED, Charge
from iowatt.lenses.cost.case import Case
from iowatt.lenses.cost.component import Component, Flow, Group
from iowatt.lenses.cost.expression import number
from iowatt.lenses.wear import SECONDS_PER_YEAR
from iowatt.tariffs.charges import ItemKind
from iowatt.tariffs.load import JOULES_PER_KWH

#: What each kind of charge is called and grouped as.
_KINDS: Final[Mapping[ItemKind, tuple[str, Group, str, str]]] = {
    "energy": ("Energy", "energy", "kWh", "kWh of each month, period and tier x their price"),
    "fuel": ("Fuel adjustment", "energy", "kWh", "kWh x the month's adjustment"),
    "demand": (
        "Demand",
        "demand",
        "kW-month",
        "highest mean kW over the tariff's window, each month x price",
    ),
    "coincident": (
        "Coincident demand",
        "demand",
        "kW-month",
        "kW while the utility peaks, each month x price",
    ),
    "fixed": ("Customer charge", "fixed", "", "by day, month or year"),
    "minimum": ("Minimum bill", "fixed", "", "what lacks to the least that a month is billed"),
    "sell": ("Energy fed back", "credit", "kWh", "kWh x what the utility pays for them"),
}
_SHARED: Final = "by day, month or year x the system's share of the site's mean power (energy.site_kw)"
_BY_KWH: Final = ("energy", "fuel", "sell")
_PEAKS: Final = ("demand", "coincident")
#: What a cut repetition may be off the mean for kWh to count as growing with the repetitions.
_CUT: Final = 1e-6


def components(case: Case) -> Iterator[Component]:
    """One for each kind of charge that the bill has."""
    found: dict[ItemKind, list[Charge]] = {}
    for charge in charges(case, 1.0):
        found.setdefault(charge.kind, []).append(charge)
    for kind, parts in found.items():
        total = math.fsum(charge.usd for charge in parts)
        # A share of nothing stands there too: the workbook says what it depends on.
        if total or kind == "energy" or (kind == "fixed" and case.book.word("energy.fixed") == "share"):
            yield _component(case, kind, parts)


def charges(case: Case, factor: float) -> list[Charge]:
    """The bill of ``factor`` times the system's power, by kind and year, at today's prices.

    With ``energy.demand = run`` demand is that of the work done once, a full month's charge, times the
    repetitions: equation 6 of dollars2014 as printed. Without it, that of each month of the time.

    What is charged for the meter itself is a whole site's. By ``energy.fixed = share`` the system bears its
    share by the site's mean power, and nothing where the site's is not known (``energy.site_kw`` 0).
    """
    book = case.book
    site = book.number("energy.site_kw")
    made = list(case.bills.charges(case.repeats, factor, site))
    fixed = book.word("energy.fixed")
    if fixed == "none":
        made = [charge for charge in made if charge.kind not in FIXED]
    elif fixed == "share":
        own = ("fixed",) if site else FIXED
        made = [charge for charge in made if charge.kind not in own]
        made += _shared(case, factor, site)
    if book.word("energy.demand") == "months":
        return made
    others = [charge for charge in made if charge.kind not in _PEAKS]
    return [*others, *_by_run(case, factor)]


def whole_meter(case: Case) -> float:
    """USD over the horizon that are charged for a meter of one's own whatever it reads, at today's prices."""
    return math.fsum(one.usd for one in case.bills.charges(case.repeats) if one.kind in FIXED)


def _shared(case: Case, factor: float, site_kw: float) -> Iterator[Charge]:
    """A meter's customer charges, by the system's share of what the site draws on the mean; 0 of no site."""
    load = case.system.work.load
    own_kw = factor * load.total_j / load.duration_s / 1000.0
    share = own_kw / (own_kw + site_kw) if site_kw else 0.0
    for charge in case.bills.charges(case.repeats):
        if charge.kind == "fixed":
            yield replace(charge, usd=charge.usd * share)


def mean_price(case: Case) -> float:
    """USD/kWh over the horizon of what is charged by the kWh; 0 of a system that draws nothing."""
    usd = sum(flow(case, one).usd for one in charges(case, 1.0) if one.kind in _BY_KWH)
    kwh = case.system.work.load.repeated(case.repeats).total_j / JOULES_PER_KWH
    return usd / kwh if kwh else 0.0


def flow(case: Case, charge: Charge) -> Flow:
    """When the dollars of a charge are due: evenly over its year, at the prices of then."""
    begins = charge.year * SECONDS_PER_YEAR
    ends = min(begins + SECONDS_PER_YEAR, case.seconds)
    factor = case.book.number("energy.factor")
    return Flow(charge.usd * factor * _rise(case, charge.year), min(begins, ends), ends)


def at_risen_prices(case: Case, parts: Iterable[Charge]) -> float:
    """Dollars of charges with escalation, before ``energy.factor``."""
    return math.fsum(charge.usd * _rise(case, charge.year) for charge in parts)


def linear_price(case: Case) -> float | None:
    """USD/kWh where energy costs the same at all times and nothing else moves it; else None."""
    tariff = case.bills.tariff
    if tariff.energy is None or any(tariff.fuel) or case.book.number("energy.escalation"):
        return None
    tiers = [tier for tiers in tariff.energy.periods for tier in tiers]
    return tiers[0].price if len(tiers) == 1 else None


def _rise(case: Case, year: int) -> float:
    return float((1.0 + case.book.number("energy.escalation")) ** year)


def _by_run(case: Case, factor: float) -> Iterator[Charge]:
    """Demand of the work done once, at a full month's charge, for each repetition."""
    once = case.bills.of(1.0, factor)
    for kind in _PEAKS:
        items = [item for item in once.items if item.kind == kind]
        usd = math.fsum(item.quantity * item.price for item in items)
        if not usd:
            continue
        years = max(1, math.ceil(case.years))
        for year in range(years):
            share = min(1.0, case.years - year) / case.years
            quantity = math.fsum(item.quantity for item in items)
            yield Charge(kind, year, usd * case.repeats * share, quantity * case.repeats * share)


def _component(case: Case, kind: ItemKind, parts: Sequence[Charge]) -> Component:
    title, group, unit, formula = _KINDS[kind]
    flows = tuple(flow(case, charge) for charge in parts)
    usd = math.fsum(one.usd for one in flows)
    quantity = math.fsum(charge.quantity for charge in parts) if unit else None
    tariff = case.bills.tariff
    standing = kind in FIXED
    formula = _SHARED if kind == "fixed" and case.book.word("energy.fixed") == "share" else formula
    by_run = kind in _PEAKS and case.book.word("energy.demand") == "run"
    return Component(
        key=kind,
        group="credit" if usd < 0 else group,
        title=title,
        device=None,
        flows=flows,
        quantity=quantity,
        unit=unit,
        unit_price=usd / quantity if quantity else None,
        formula="a month's charge for the highest mean kW x repetitions (equation 6)" if by_run else formula,
        source=f"{tariff.name} ({tariff.utility}): {tariff.source}" if tariff.utility else tariff.source,
        date=tariff.effective[0],
        scales="work" if by_run or kind in _BY_KWH else "time",
        rests_on=("energy.factor", "energy.escalation", "energy.site_kw")
        + (("energy.demand",) if kind in _PEAKS else ())
        + (("energy.fixed",) if standing else ()),
        expression=_expression(case, kind, parts),
    )


def _expression(case: Case, kind: ItemKind, parts: Sequence[Charge]) -> str:
    price = linear_price(case)
    if kind == "energy" and price is not None:
        kwh = case.system.work.load.total_j / JOULES_PER_KWH
        total = math.fsum(charge.quantity for charge in parts)
        # The last repetition is cut where the horizon ends, and its part is not the mean of all.
        cut = total - kwh * case.repeats
        if abs(cut) <= _CUT * total:
            return f"({number(kwh)}*{{repeats}}+{number(cut)})*{number(price)}*{{energy.factor}}"
    usd = number(at_risen_prices(case, parts))
    return f"{usd}*{{energy.factor}}"
