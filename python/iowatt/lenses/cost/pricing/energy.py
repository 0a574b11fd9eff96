"""Electricity: the bill of the power series (equations 7 and 8 of dollars2014), and what PUE adds to it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from iowatt.lenses.cost.pricing.bills import FIXED, Charge, difference
from iowatt.lenses.cost.pricing.case import CostCase
from iowatt.lenses.cost.pricing.component import Component, Group, number
from iowatt.lenses.cost.result.costs import Payment
from iowatt.lenses.wear import SECONDS_PER_YEAR
from iowatt.tariffs.charges import ItemKind
from iowatt.tariffs.load import JOULES_PER_KWH

#: Title, group, unit and formula of each kind of charge.
_KINDS: Final[Mapping[ItemKind, tuple[str, Group, str, str]]] = {
    "energy": ("Energy", "energy", "kWh", "kWh of each month, period and tier x their price"),
    "fuel": ("Fuel adjustment", "energy", "kWh", "kWh x the month's adjustment"),
    "demand": ("Demand", "demand", "kW-month", "highest mean kW over the window, each month x price"),
    "coincident": ("Coincident demand", "demand", "kW-month", "kW at the utility's peak, each month x price"),
    "fixed": ("Customer charge", "fixed", "", "by day, month or year"),
    "minimum": ("Minimum bill", "fixed", "", "what the bill lacks to the minimum"),
    "sell": ("Energy fed back", "credit", "kWh", "kWh x what the utility pays for them"),
}  # fmt: skip
_SHARED: Final = "by day, month or year x the system's share of the site's mean power (energy.site_kw)"
_BY_RUN: Final = "a month's charge for the highest mean kW x repetitions (equation 6)"
_BY_KWH: Final = ("energy", "fuel", "sell")
_PEAKS: Final = ("demand", "coincident")
#: Relative deviation of a cut repetition from the mean up to which kWh grow with the repetitions.
_CUT: Final = 1e-6


def energy_costs(case: CostCase) -> Iterator[Component]:
    """One component for each kind of charge on the bill."""
    by_kind: dict[ItemKind, list[Charge]] = {}
    for charge in charges(case, 1.0):
        by_kind.setdefault(charge.kind, []).append(charge)
    shared = case.book.word("energy.fixed") == "share"
    for kind, parts in by_kind.items():
        # A share of 0 stays, as the workbook recalculates it.
        if math.fsum(part.usd for part in parts) or kind == "energy" or (kind == "fixed" and shared):
            yield _energy(case, kind, parts, _SHARED if kind == "fixed" and shared else _KINDS[kind][-1])


def charges(case: CostCase, factor: float) -> list[Charge]:
    """The bill of ``factor`` times the system's power, by kind and year, at today's prices.

    ``energy.demand = months`` bills the demand of each month; ``run`` bills a month's demand of the work done
    once, times the repetitions (equation 6 of dollars2014 as printed). The whole site pays for its meter:
    with ``energy.fixed = share`` the system bears its share of the site's mean power, or nothing where that
    is unknown (``energy.site_kw`` 0).
    """
    book = case.book
    site = book.number("energy.site_kw")
    billed = list(case.bills.charges(case.repeats, factor, site))
    fixed = book.word("energy.fixed")
    if fixed == "none":
        billed = [charge for charge in billed if charge.kind not in FIXED]
    elif fixed == "share":
        shared = ("fixed",) if site else FIXED
        billed = [charge for charge in billed if charge.kind not in shared]
        billed += _shared(case, factor, site)
    if book.word("energy.demand") == "months":
        return billed
    return [*(charge for charge in billed if charge.kind not in _PEAKS), *_by_run(case, factor)]


def meter_charges(case: CostCase) -> float:
    """USD over the horizon for the meter, whatever it reads, at today's prices."""
    return math.fsum(charge.usd for charge in case.bills.charges(case.repeats) if charge.kind in FIXED)


def _shared(case: CostCase, factor: float, site_kw: float) -> Iterator[Charge]:
    """Customer charges by the system's share of the site's mean power; 0 without a site."""
    load = case.system.work.load
    system_kw = factor * load.total_j / load.duration_s / 1000.0
    share = system_kw / (system_kw + site_kw) if site_kw else 0.0
    for charge in case.bills.charges(case.repeats):
        if charge.kind == "fixed":
            yield replace(charge, usd=charge.usd * share)


def mean_price(case: CostCase) -> float:
    """USD/kWh over the horizon of charges by the kWh; 0 for a system that draws nothing."""
    by_kwh = [charge for charge in charges(case, 1.0) if charge.kind in _BY_KWH]
    usd = sum(flow.usd for flow in _payments(case, by_kwh))
    kwh = case.total_j / JOULES_PER_KWH
    return usd / kwh if kwh else 0.0


def _payments(case: CostCase, parts: Iterable[Charge]) -> tuple[Payment, ...]:
    """Charges at the prices of their years, each due evenly over its year."""
    factor, growth, seconds = case.book.number("energy.factor"), _growth(case), case.seconds
    flows = []
    for charge in parts:
        begins = charge.year * SECONDS_PER_YEAR
        ends = min(begins + SECONDS_PER_YEAR, seconds)
        flows.append(Payment(charge.usd * factor * growth**charge.year, min(begins, ends), ends))
    return tuple(flows)


def _escalated_usd(case: CostCase, parts: Iterable[Charge]) -> float:
    """Dollars with escalation, before ``energy.factor``."""
    growth = _growth(case)
    return math.fsum(charge.usd * growth**charge.year for charge in parts)


def _growth(case: CostCase) -> float:
    """Prices of a year over those of the year before."""
    return 1.0 + float(case.book.number("energy.escalation"))


def _linear_price(case: CostCase) -> float | None:
    """USD/kWh where energy has one constant price; else None."""
    tariff = case.bills.tariff
    if tariff.energy is None or any(tariff.fuel) or case.book.number("energy.escalation"):
        return None
    tiers = [tier for tiers in tariff.energy.periods for tier in tiers]
    return tiers[0].price if len(tiers) == 1 else None


def _by_run(case: CostCase, factor: float) -> Iterator[Charge]:
    """A full month's demand charge of the work done once, for each repetition."""
    once = case.bills.of(1.0, factor)
    for kind in _PEAKS:
        items = [item for item in once.items if item.kind == kind]
        usd = math.fsum(item.quantity * item.price for item in items)
        quantity = math.fsum(item.quantity for item in items)
        for year in range(max(1, math.ceil(case.years)) if usd else 0):
            share = min(1.0, case.years - year) / case.years
            yield Charge(kind, year, usd * case.repeats * share, quantity * case.repeats * share)


def _energy(case: CostCase, kind: ItemKind, parts: Sequence[Charge], formula: str) -> Component:
    title, group, unit, _ = _KINDS[kind]
    flows = _payments(case, parts)
    usd = math.fsum(flow.usd for flow in flows)
    quantity = math.fsum(charge.quantity for charge in parts) if unit else None
    tariff = case.bills.tariff
    by_run = kind in _PEAKS and case.book.word("energy.demand") == "run"
    return Component(
        key=kind, group="credit" if usd < 0 else group, title=title, flows=flows, quantity=quantity,
        unit=unit, unit_price=usd / quantity if quantity else None, formula=_BY_RUN if by_run else formula,
        source=f"{tariff.name} ({tariff.utility}): {tariff.source}" if tariff.utility else tariff.source,
        date=tariff.effective[0], scales="work" if by_run or kind in _BY_KWH else "time",
        rests_on=(
            "energy.factor", "energy.escalation", "energy.site_kw",
            *(["energy.demand"] if kind in _PEAKS else []), *(["energy.fixed"] if kind in FIXED else []),
        ),
        expression=_energy_expression(case, kind, parts),
    )  # fmt: skip


def _energy_expression(case: CostCase, kind: ItemKind, parts: Sequence[Charge]) -> str:
    price = _linear_price(case)
    if kind == "energy" and price is not None:
        kwh = case.system.work.load.total_j / JOULES_PER_KWH
        total = math.fsum(charge.quantity for charge in parts)
        # The horizon cuts the last repetition, whose first part may draw more or less than the mean.
        cut = total - kwh * case.repeats
        if abs(cut) <= _CUT * total:
            return f"({number(kwh)}*{{repeats}}+{number(cut)})*{number(price)}*{{energy.factor}}"
    return f"{number(_escalated_usd(case, parts))}*{{energy.factor}}"


def cooling_costs(case: CostCase) -> Iterator[Component]:
    """The bill of the load times PUE minus the bill of the load; nothing where PUE is 1."""
    factor = case.book.number("cooling.pue")
    if factor == 1.0:
        return
    parts = list(difference(charges(case, factor), charges(case, 1.0)))
    kwh = case.total_j * (factor - 1.0) / JOULES_PER_KWH
    charged = [charge for charge in parts if charge.kind != "sell"]
    paid = [charge for charge in parts if charge.kind == "sell"]
    yield _cooling(case, "cooling", "Cooling and distribution (PUE)", charged, kwh)
    if paid:
        yield _cooling(case, "cooling:sell", "Cooling and distribution, at negative prices", paid, None)


def _cooling(case: CostCase, key: str, title: str, parts: list[Charge], kwh: float | None) -> Component:
    figure = case.book.figure("cooling.pue")
    flows = _payments(case, parts)
    usd = math.fsum(flow.usd for flow in flows)
    linear = _linear_price(case) is not None and all(c.kind == "energy" or c.usd == 0.0 for c in parts)
    return Component(
        key=key, group="credit" if usd < 0 else "cooling", title=title, flows=flows, quantity=kwh,
        unit="kWh" if kwh is not None else "", unit_price=usd / kwh if kwh else None,
        formula="bill of the power x PUE - bill of the power", source=figure.source, date=figure.date,
        scales="work",
        rests_on=("cooling.pue", "energy.factor", "energy.escalation", "energy.site_kw", "energy.demand"),
        note="its demand charges scale by the months" if any(c.kind == "demand" for c in parts) else "",
        expression="{usd:energy}*({cooling.pue}-1)" if linear
        else f"{number(_escalated_usd(case, parts))}*{{energy.factor}}",
    )  # fmt: skip
