"""Several systems priced side by side, as a document: ``iowatt.cost/1``."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from iowatt.base.errors import InputError
from iowatt.base.results import Note
from iowatt.lenses.budget.result import ServiceLevel
from iowatt.lenses.cost import carbon, energy, spin_down, uncertainty, views, wear
from iowatt.lenses.cost.bills import LONGEST_YEARS, Bills
from iowatt.lenses.cost.book.find import SET
from iowatt.lenses.cost.book.listing import assumptions
from iowatt.lenses.cost.case import Case, Horizon
from iowatt.lenses.cost.component import GROUPS, Component, Costs
from iowatt.lenses.cost.price import price as price_case
from iowatt.lenses.cost.result import (
    Billed,
    BilledMonth,
    BookUsed,
    Capacity,
    Cheapest,
    Choice,
    Cost,
    CostComponent,
    DriveCost,
    Excluded,
    HorizonUsed,
    MoreThanFirst,
    OtherHorizon,
    OtherTotal,
    Payment,
    SystemCost,
    TariffUsed,
    WorkOnce,
)
from iowatt.lenses.cost.system import System
from iowatt.tariffs import result as bills
from iowatt.tariffs.bill import OF_TARIFF
from iowatt.tariffs.load import JOULES_PER_KWH

if TYPE_CHECKING:
    from iowatt.lenses.cost.book.book import Book
    from iowatt.lenses.cost.system import Drive
    from iowatt.lenses.cost.year import Year
    from iowatt.tariffs.bill import Bill
    from iowatt.tariffs.structure import Tariff


MOST_MONTHS: Final = 240
"""Rows of the bill by month; beyond, by year."""
GB_PER_TB: Final = 1000.0
ALIKE: Final = 0.01
"""Relative difference up to which usable capacities count as the same."""


def choice(systems: Sequence[System], costs: Sequence[Costs], level: ServiceLevel | None = None) -> Choice:
    """``choice`` of the document: candidates, excluded systems, and the cheapest on both bases.

    ``level`` is the service level that ``systems`` must meet.
    ``cheapest.total`` is None where a candidate has no total, ``cheapest.per_usable_tb`` also where
    the usable capacity of a candidate is not known; ``capacities_differ`` is None then, too.
    """
    candidates = [(one, cost) for one, cost in zip(systems, costs, strict=True) if one.candidate]
    capacities = [one.usable_gb for one, _ in candidates]
    known = [gb for gb in capacities if gb]
    all_known = len(known) == len(candidates) > 0
    priced = len(candidates) > 0 and all(cost.known for _, cost in candidates)
    return Choice(
        level=level,
        baseline=candidates[0][0].name if candidates else None,
        candidates=[one.name for one, _ in candidates],
        excluded=[
            Excluded(system=one.name, late=one.late, why=why(one)) for one in systems if not one.candidate
        ],
        capacities_differ=max(known) > (1 + ALIKE) * min(known) if all_known else None,
        cheapest=Cheapest(
            total=min(candidates, key=lambda each: each[1].usd)[0].name if priced else None,
            per_usable_tb=min(candidates, key=lambda each: per_usable_tb(*each) or 0.0)[0].name
            if priced and all_known
            else None,
        ),
    )


def why(system: System) -> str:
    """Why a system is not a candidate; empty where it is one."""
    late = system.kept_up.why if system.kept_up is not None and system.late else ""
    return "; ".join(filter(None, [late, system.missed]))


def per_usable_tb(system: System, costs: Costs) -> float | None:
    """USD of the horizon for each usable TB; None where the total or the capacity is not known."""
    return costs.usd / (system.usable_gb / GB_PER_TB) if costs.known and system.usable_gb else None


def analyse(
    priced: Sequence[System | Year],
    tariff: Tariff,
    book: Book,
    horizon: Horizon,
    start: datetime,
    *,
    level: ServiceLevel | None = None,
    samples: int = 0,
    seed: int = 1,
    crossovers: Sequence[str] = (),
    progress: Callable[[int], None] | None = None,
) -> Cost:
    """The cost of each system, their comparison, and the assumptions behind it.

    Parameters
    ----------
    priced:
        At least one system, or year of one; the first is what the others are compared with.
    level:
        The service level that the systems must meet (``System.missed``).
    samples:
        Draws of the assumptions within their ranges; 0 leaves uncertainty and tornado out.
    crossovers:
        ``alpha``, ``years``, ``energy.factor`` or keys of the book: at which values does the ranking flip?
    progress:
        Called with the number of prices found so far.

    Raises
    ------
    InputError
        A drive without a price, a load that cannot be billed, a horizon that is too long.
    """
    systems = [one if isinstance(one, System) else one.system for one in priced]
    _distinct(systems)
    cases = [Case(one, book, horizon, Bills(tariff, start, one.work.load)) for one in systems]
    costs = [price_case(case) for case in cases]
    # Only systems that kept up with their load are ranked: the others did less for their dollars.
    ranked = [(case, cost) for case, cost in zip(cases, costs, strict=True) if case.system.candidate]
    other = _other(ranked[0][0] if ranked else cases[0])
    count = itertools.count(1)
    pricers = {
        case.system.name: _pricer(case, progress and (lambda: progress(next(count)))) for case, _ in ranked
    }
    # Where a drive has no price there is no total to draw, and no cheapest system.
    known = all(cost.known for _, cost in ranked)
    samples, crossovers = (samples, crossovers) if known and ranked else (0, ())
    spread = uncertainty.sample(
        pricers, book, horizon, samples=samples, seed=seed,
        usable_tb={case.system.name: (case.system.usable_gb or 0.0) / GB_PER_TB for case, _ in ranked},
    ) if samples else None  # fmt: skip
    bars = uncertainty.tornado(pricers, book, horizon) if samples else []
    crossed = uncertainty.crossovers(
        pricers, book, horizon, crossovers, draws=min(samples, uncertainty.DRAWS), seed=seed,
        work_s={case.system.name: case.system.work.duration_s for case, _ in ranked},
    ) if crossovers and len(ranked) > 1 else []  # fmt: skip
    # Assumptions and cautions list what all of these read from the book, so they come last.
    results = [_system(case, cost, one) for case, cost, one in zip(cases, costs, priced, strict=True)]
    others = [_short(Case(case.system, book, other, case.bills)) for case in cases]
    return Cost(
        start=f"{start:%Y-%m-%d}",
        horizon=_horizon(horizon),
        modelled=all(one.modelled for one in systems),
        tariff=_tariff(tariff),
        book=BookUsed(
            name=book.name,
            title=book.title,
            lineage=list(book.lineage),
            cautions=_without_effect(book),
            notes=[Note(code="book", text=text) for text in book.notes],
        ),
        assumptions=assumptions(book),
        choice=choice(systems, costs, level),
        systems=results,
        other=OtherHorizon(horizon=_horizon(other), systems=others),
        comparison=[_more(ranked[0][1], cost) for _, cost in ranked[1:]],
        uncertainty=spread,
        tornado=bars,
        crossovers=crossed,
    )


def _without_effect(book: Book) -> list[Note]:
    """What was set for this pricing and nothing asked for, such as a price of a model that is not here."""
    idle = [key for key, one in book.figures.items() if one.source == SET and key not in book.used]
    text = f"set, and without effect here: {', '.join(idle)}"
    return [Note(code="set-without-effect", text=text, decides=True)] if idle else []


def _pricer(case: Case, done: Callable[[], None] | None) -> uncertainty.Pricer:
    system = case.system.merged()

    def priced(book: Book, horizon: Horizon) -> Costs:
        if done is not None:
            done()
        return price_case(Case(system, book, horizon, case.bills))

    return priced


def _distinct(systems: Sequence[System]) -> None:
    if not systems:
        raise InputError("missing", None, "no Run is given; expected at least one")
    names = [one.name for one in systems]
    for one in systems:
        if names.count(one.name) > 1:
            raise InputError(
                "duplicate",
                one.where,
                f"two of the systems are called {one.name!r}; systems are named after their folders",
                hint="rename one of the folders",
            )


def _other(first: Case) -> Horizon:
    """The other normalisation, at the first system's amount."""
    if first.horizon.basis == "work":
        return Horizon("time", first.years)
    return Horizon("work", max(1.0, first.repeats))


def _horizon(horizon: Horizon) -> HorizonUsed:
    if horizon.basis == "work":
        text = f"equal work: the same work {horizon.amount:,.10g} times"
    else:
        text = f"equal time: {horizon.amount:,.6g} years"
    return HorizonUsed(basis=horizon.basis, amount=horizon.amount, said=text)


def _tariff(tariff: Tariff) -> TariffUsed:
    return TariffUsed(
        key=tariff.key, name=tariff.name, utility=tariff.utility, source=tariff.source,
        effective=tariff.effective, verified=tariff.verified,
        notes=[Note(code="tariff", text=text) for text in tariff.notes],
    )  # fmt: skip


def _more(first: Costs, other: Costs) -> MoreThanFirst:
    """What ``other`` costs more than ``first``, in USD and as a share; None where a total is not known."""
    more = other.usd - first.usd if first.known and other.known else None
    share = more / first.usd if more is not None and first.usd else None
    return MoreThanFirst(a=first.system, b=other.system, usd=more, share=share)


def by_group(costs: Costs) -> dict[str, float | None]:
    """Dollars of each group that costs anything, in order; None where a price of it is missing."""
    present = {component.group for component in costs.components if component.usd or not component.known}
    return {
        group: sum(one.usd for one in costs.of(group)) if all(one.known for one in costs.of(group)) else None
        for group in GROUPS
        if group in present
    }


def _short(case: Case) -> OtherTotal:
    """A system under the other normalisation.

    Without dollars where that is longer than what is billed, and where equal work is of a system that did not
    keep up with it: it would do that work too late to be of use.
    """
    usd, groups = None, {}
    if case.years <= LONGEST_YEARS and not (case.horizon.basis == "work" and case.system.late):
        costs = price_case(case)
        usd, groups = costs.usd if costs.known else None, by_group(costs)
    return OtherTotal(name=case.system.name, repeats=case.repeats, years=case.years, usd=usd, by_group=groups)


def _system(case: Case, costs: Costs, priced: System | Year) -> SystemCost:
    system, rate = case.system, case.book.number("discount.rate")
    work = system.work
    return SystemCost(
        name=system.name, where=system.where, modelled=system.modelled, power_basis=system.power_basis,
        repeats=case.repeats, seconds=case.seconds, years=case.years,
        work=WorkOnce(
            duration_s=work.duration_s, requests=work.requests, bytes_moved=work.bytes_moved,
            response_ms=work.response_ms, response_p95_ms=work.response_p95_ms, energy_j=work.load.total_j,
        ),
        capacity_gb=Capacity(raw=system.raw_gb, usable=system.usable_gb, effective=system.effective_gb),
        kept_up=system.kept_up, usd=costs.usd if costs.known else None,
        usd_per_usable_tb=per_usable_tb(system, costs),
        present_usd=costs.present(rate) if costs.known else None, known_usd=costs.usd,
        by_group=by_group(costs),
        components=[_component(one, rate) for one in costs.components],
        bill=_bill(case.bills.of(case.repeats)),
        drives=[_drive(case, drive) for drive in system.drives],
        carbon=carbon.result(case),
        views=views.views(case, costs),
        spin_down=spin_down.spin_downs(case, energy.mean_price(case)),
        year=None if isinstance(priced, System) else priced.result(),
        cautions=list(costs.cautions),
        notes=[*costs.notes, *_misfits(case)],
    )  # fmt: skip


def _misfits(case: Case) -> list[Note]:
    """Where the tariff does not fit the load, the site's other load included."""
    site_kw = case.book.number("energy.site_kw")
    bill, tariff = case.bills.of(case.repeats, 1.0, site_kw), case.bills.tariff
    notes = [
        Note(code="tariff-misfit", text=note.text).about(f"tariff {tariff.key}")
        for note in bill.notes
        if note.code != OF_TARIFF
    ]
    if case.book.word("energy.fixed") == "none":
        text = "the tariff's customer charges are on the bill and not in the cost (energy.fixed)"
        notes.append(Note(code="fixed-left-out", text=text))
    return notes


def _component(component: Component, rate: float) -> CostComponent:
    return CostComponent(
        key=component.key, group=component.group, title=component.title,
        device=component.device, usd=component.usd if component.known else None,
        present_usd=component.present(rate) if component.known else None,
        quantity=component.quantity, unit=component.unit, unit_price=component.unit_price,
        formula=component.formula, expression=component.expression, source=component.source,
        date=component.date, scales=component.scales, rests_on=list(component.rests_on),
        note=component.note,
        flows=[Payment(usd=flow.usd, at_s=flow.at_s, until_s=flow.until_s) for flow in component.flows],
    )  # fmt: skip


def _bill(bill: Bill) -> Billed:
    """A bill by month, or by calendar year where there are too many."""
    months = bills.billed_months(bill)
    length = len("2026") if len(months) > MOST_MONTHS else len("2026-01")
    rows: dict[str, dict[str, float]] = {}
    for month in months:
        label = month.month[:length]
        row = rows.setdefault(label, {"kwh": 0.0} | dict.fromkeys(bills.COLUMNS, 0.0))
        for key in ("kwh", *bills.COLUMNS):
            row[key] += getattr(month, key)
    billed = [BilledMonth(month=label, **row) for label, row in rows.items()]
    return Billed(energy_kwh=bill.energy_j / JOULES_PER_KWH, peak_kw=bill.peak_kw, months=billed)


def _drive(case: Case, drive: Drive) -> DriveCost:
    price = case.price_of(drive)
    # Lives matter only where dollars count them.
    charged = case.book.word("wear.charge") in ("replacements", "depreciation")
    place = wear.place(case, drive) if charged or case.book.number("disposal.residual") else None
    return DriveCost(
        name=drive.name, model=drive.model, pool=drive.pool, kind=drive.kind,
        capacity_gb=drive.capacity_gb, used_gb=drive.used_gb,
        price_usd=price.usd if price.known else None,
        price_source=price.source, price_date=price.date, price_extrapolated=price.extrapolated,
        price_expression=case.price_expression(drive) if price.known else None,
        lives=place and place.lives,
        served=place and place.drives,
        lives_expression=place and wear.lives_expression(case, drive),
        wear=wear.wearout(drive, case.book).result(case.system.work.duration_s),
        replacements=[one.result(priced=price.known) for one in wear.bought(case, drive)],
    )  # fmt: skip
