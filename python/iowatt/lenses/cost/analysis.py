"""The document ``iowatt.cost/1``: several systems priced side by side."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from iowatt.base.errors import InputError
from iowatt.base.results import Note
from iowatt.lenses.book import SET, assumptions
from iowatt.lenses.budget.result import ServiceLevel
from iowatt.lenses.cost import ratios, spin_down, uncertainty
from iowatt.lenses.cost.pricing import carbon, energy, losses, wear
from iowatt.lenses.cost.pricing.bills import LONGEST_YEARS
from iowatt.lenses.cost.pricing.case import CostCase, Horizon
from iowatt.lenses.cost.pricing.component import Component, Costs
from iowatt.lenses.cost.pricing.total import Pricer, price
from iowatt.lenses.cost.result.costs import (
    Billed,
    BilledPeriod,
    BookUsed,
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
    SystemCapacity,
    SystemCost,
    TariffUsed,
    WorkOnce,
)
from iowatt.lenses.cost.systems.system import PricedSystem
from iowatt.lenses.equal_terms import Delivered, EqualTerms, equal_terms
from iowatt.render.numbers import significant
from iowatt.tariffs import result as bills
from iowatt.tariffs.bill import OF_TARIFF
from iowatt.tariffs.load import JOULES_PER_KWH

if TYPE_CHECKING:
    from iowatt.lenses.book import Book
    from iowatt.lenses.cost.systems.system import PricedDrive
    from iowatt.lenses.cost.year import Year
    from iowatt.tariffs.bill import Bill
    from iowatt.tariffs.structure import Tariff


MOST_MONTHS: Final = 240
"""Longest bill by month; a longer one is by year."""
GB_PER_TB: Final = 1000.0


def delivered(system: PricedSystem, horizon: Horizon) -> Delivered:
    """What a system gives: requests per second, or those of the work once where that is repeated."""
    work = system.work
    requests = work.requests / work.duration_s if horizon.basis == "time" else work.requests
    size = work.bytes_moved / work.requests if work.requests else None
    return Delivered(work=requests, request_bytes=size, usable_gb=system.usable_gb)


def copies_of(systems: Sequence[PricedSystem], terms: EqualTerms, horizon: Horizon) -> dict[str, float]:
    """As many of each candidate as are ranked on equal terms; empty where one of them does no work."""
    found = {one.name: terms.copies(delivered(one, horizon)) for one in systems if one.candidate}
    known = {name: copies for name, copies in found.items() if copies is not None}
    return known if len(known) == len(found) else {}


def choice(
    systems: Sequence[PricedSystem],
    costs: Sequence[Costs],
    terms: EqualTerms,
    copies: Mapping[str, float],
    level: ServiceLevel | None = None,
) -> Choice:
    """``choice`` of the document: candidates, excluded systems, the cheapest on equal terms and in total.

    ``level`` is the service level that ``systems`` must meet.
    """
    candidates = [pair for pair in zip(systems, costs, strict=True) if pair[0].candidate]
    known = [system.usable_gb for system, _ in candidates if system.usable_gb]
    all_known = len(known) == len(candidates) > 0
    priced = len(candidates) > 0 and all(cost.known for _, cost in candidates)
    return Choice(
        level=level,
        baseline=candidates[0][0].name if candidates else None,
        candidates=[system.name for system, _ in candidates],
        excluded=[
            Excluded(system=system.name, late=system.late, why=why_excluded(system))
            for system in systems
            if not system.candidate
        ],
        capacities_differ=terms.capacities_differ,
        terms=terms,
        cheapest=Cheapest(
            equal=min(candidates, key=lambda pair: copies[pair[0].name] * pair[1].usd)[0].name
            if priced and copies
            else None,
            total=min(candidates, key=lambda pair: pair[1].usd)[0].name if priced else None,
            per_usable_tb=min(candidates, key=lambda pair: per_usable_tb(*pair) or 0.0)[0].name
            if priced and all_known
            else None,
        ),
    )


def why_excluded(system: PricedSystem) -> str:
    """Why a system is not a candidate; empty for a candidate."""
    late = system.kept_up.why if system.kept_up is not None and system.late else ""
    return "; ".join(filter(None, [late, system.missed]))


def per_usable_tb(system: PricedSystem, costs: Costs) -> float | None:
    """USD over the horizon per usable TB; None where the total or the capacity is not known."""
    return costs.usd / (system.usable_gb / GB_PER_TB) if costs.known and system.usable_gb else None


def analyse(
    priced: Sequence[PricedSystem | Year],
    tariff: Tariff,
    book: Book,
    horizon: Horizon,
    start: datetime,
    *,
    level: ServiceLevel | None = None,
    samples: int = 0,
    seed: int = 1,
    crossovers: Sequence[str] = (),
    bounds: Mapping[str, tuple[float, float]] | None = None,
    draws: int | None = None,
    equal_work: bool = True,
    progress: Callable[[int], None] | None = None,
) -> Cost:
    """The cost of each system or year, their comparison, and the assumptions behind it.

    Args:
        priced: At least one; the others are compared with the first candidate.
        level: The service level that the systems must meet (``PricedSystem.missed``).
        samples: Draws of the assumptions within their ranges; 0 leaves out uncertainty and tornado.
        crossovers: ``alpha``, ``years`` or keys of the book to vary until the ranking changes.
        bounds, draws: As for ``uncertainty.crossovers``; by default as many draws as samples at most.
        equal_work: Rank at equal work and usable capacity; otherwise each system as it is.
        progress: Called with the number of prices found so far.

    Raises ``InputError``: two systems of one name, a load that cannot be billed, a horizon that is too long.
    """
    systems = [item if isinstance(item, PricedSystem) else item.system for item in priced]
    _distinct(systems)
    cases = [CostCase.of(system, book, tariff, horizon, start) for system in systems]
    costs = [price(case) for case in cases]
    # Only candidates are ranked: a system that fell behind its load did less for its dollars.
    ranked = [(case, cost) for case, cost in zip(cases, costs, strict=True) if case.system.candidate]
    terms = equal_terms([delivered(case.system, horizon) for case, _ in ranked])
    copies = copies_of(systems, terms, horizon) if equal_work else {}
    other = _other(ranked[0][0] if ranked else cases[0])
    other_terms = equal_terms([delivered(case.system, other) for case, _ in ranked])
    count = itertools.count(1)

    def asked() -> None:
        if progress is not None:
            progress(next(count))

    pricers = {case.system.name: Pricer(case.system.merged(), case.bills, asked) for case, _ in ranked}
    equal = {name: replace(one, copies=copies.get(name, 1.0)) for name, one in pricers.items()}
    # A drive without a price leaves no total to draw, and no cheapest system.
    known = all(cost.known for _, cost in ranked)
    samples, crossovers = (samples, crossovers) if known and ranked else (0, ())
    spread = uncertainty.sample(
        pricers, book, horizon, samples=samples, seed=seed,
        usable_tb={case.system.name: (case.system.usable_gb or 0.0) / GB_PER_TB for case, _ in ranked},
        copies=copies or None,
    ) if samples else None  # fmt: skip
    bars = uncertainty.tornado(pricers, book, horizon) if samples else []
    if bars and any(one.copies != 1.0 for one in equal.values()):
        apart = [bar for bar in uncertainty.tornado(equal, book, horizon) if bar.of == "difference"]
        bars = [*(bar for bar in bars if bar.of == "total"), *apart]
    crossed = uncertainty.crossovers(
        equal, book, horizon, crossovers, bounds=bounds, seed=seed,
        draws=min(samples, uncertainty.DRAWS) if draws is None else draws,
        work_s={case.system.name: case.system.work.duration_s for case, _ in ranked},
    ) if crossovers and len(ranked) > 1 else []  # fmt: skip
    # Assumptions list what all of these read from the book, so they come last.
    results = [
        _system(*row, copies.get(row[0].system.name)) for row in zip(cases, costs, priced, strict=True)
    ]
    others = [_other_total(CostCase(case.system, book, other, case.bills)) for case in cases]
    return Cost(
        start=f"{start:%Y-%m-%d}",
        horizon=_horizon(horizon, terms),
        modelled=all(system.modelled for system in systems),
        tariff=_tariff(tariff),
        book=BookUsed(
            name=book.name,
            title=book.title,
            lineage=list(book.lineage),
            cautions=_without_effect(book),
            notes=[Note(code="book", text=text) for text in book.notes],
        ),
        assumptions=assumptions(book),
        choice=choice(systems, costs, terms, copies, level),
        systems=results,
        other=OtherHorizon(horizon=_horizon(other, other_terms), systems=others),
        comparison=[_more(ranked[0][1], cost, copies) for _, cost in ranked[1:]],
        uncertainty=spread,
        tornado=bars,
        crossovers=crossed,
    )


def _without_effect(book: Book) -> list[Note]:
    """Assumptions that were set and not used, such as the price of a model that no system has."""
    unused = [key for key, figure in book.figures.items() if figure.source == SET and key not in book.used]
    text = f"set without effect: {', '.join(unused)}"
    return [Note(code="set-without-effect", text=text, decides=True)] if unused else []


def _distinct(systems: Sequence[PricedSystem]) -> None:
    if not systems:
        raise InputError("missing", None, "no Run given; expected at least one")
    names = [system.name for system in systems]
    for system in systems:
        if names.count(system.name) > 1:
            raise InputError(
                "duplicate",
                system.where,
                f"two systems are called {system.name!r}, after their folders",
                hint="rename one of the folders",
            )


def _other(first: CostCase) -> Horizon:
    """The horizon on the other basis, at the first system's amount."""
    if first.horizon.basis == "work":
        return Horizon("time", first.years)
    return Horizon("work", max(1.0, first.repeats))


def _horizon(horizon: Horizon, terms: EqualTerms) -> HorizonUsed:
    if horizon.basis == "work":
        times = f"{significant(horizon.amount)} times"
        text = f"each Run's own work {times}" if terms.work_differs else f"equal work: the same work {times}"
    else:
        text = f"equal time: {horizon.amount:,.6g} years"
    return HorizonUsed(basis=horizon.basis, amount=horizon.amount, said=text)


def _tariff(tariff: Tariff) -> TariffUsed:
    notes = [Note(code="tariff", text=text) for text in tariff.notes]
    fields = {name: getattr(tariff, name) for name in TariffUsed.model_fields if name != "notes"}
    return TariffUsed(**fields, notes=notes)


def _more(first: Costs, other: Costs, copies: Mapping[str, float]) -> MoreThanFirst:
    """What ``other`` costs more than ``first``, in USD and as a share; None where a total is not known."""
    known = first.known and other.known
    usd, share = _apart(first.usd, other.usd) if known else (None, None)
    equal, equal_share = (
        _apart(copies[first.system] * first.usd, copies[other.system] * other.usd)
        if known and copies
        else (None, None)
    )
    return MoreThanFirst(
        a=first.system, b=other.system, usd=usd, share=share, usd_equal=equal, share_equal=equal_share
    )


def _apart(first: float, other: float) -> tuple[float, float | None]:
    """What is more, and its share of the first."""
    return other - first, (other - first) / first if first else None


def by_group(costs: Costs) -> dict[str, float | None]:
    """Dollars of each group that costs anything, in order; None where a price of it is missing."""
    unknown = {component.group for component in costs.components if not component.known}
    present = unknown | {component.group for component in costs.components if component.usd}
    return {
        group: None if group in unknown else usd for group, usd in costs.by_group.items() if group in present
    }


def _other_total(case: CostCase) -> OtherTotal:
    """A system under the other horizon.

    Without dollars where the horizon is too long to bill, and for equal work of a system that fell behind its
    load.
    """
    usd, groups = None, {}
    if case.years <= LONGEST_YEARS and not (case.horizon.basis == "work" and case.system.late):
        costs = price(case)
        usd, groups = costs.usd if costs.known else None, by_group(costs)
    return OtherTotal(name=case.system.name, repeats=case.repeats, years=case.years, usd=usd, by_group=groups)


def _system(case: CostCase, costs: Costs, priced: PricedSystem | Year, copies: float | None) -> SystemCost:
    system, rate = case.system, case.book.number("discount.rate")
    work = system.work
    return SystemCost(
        name=system.name, where=system.where, modelled=system.modelled, power_basis=system.power_basis,
        repeats=case.repeats, seconds=case.seconds, years=case.years,
        work=WorkOnce(
            energy_j=work.load.total_j,
            **{name: value for name, value in vars(work).items() if name != "load"},
        ),
        capacity_gb=SystemCapacity(raw=system.raw_gb, usable=system.usable_gb, effective=system.effective_gb),
        kept_up=system.kept_up, usd=costs.usd if costs.known else None,
        usd_per_usable_tb=per_usable_tb(system, costs), copies=copies,
        usd_equal=copies * costs.usd if costs.known and copies is not None else None,
        **losses.probabilities(case),
        present_usd=costs.present(rate) if costs.known else None, known_usd=costs.usd,
        by_group=by_group(costs),
        components=[_component(component, rate) for component in costs.components],
        bill=_bill(case.bills.of(case.repeats)),
        drives=[_drive(case, drive) for drive in system.drives],
        carbon=carbon.result(case),
        views=ratios.ratios(case, costs),
        spin_down=spin_down.spin_downs(case, energy.mean_price(case)),
        year=None if isinstance(priced, PricedSystem) else priced.result(),
        cautions=list(costs.cautions),
        notes=[*costs.notes, *_misfits(case)],
    )  # fmt: skip


def _misfits(case: CostCase) -> list[Note]:
    """Notes where the tariff does not fit the load, the site's other load included."""
    site_kw = case.book.number("energy.site_kw")
    bill, tariff = case.bills.of(case.repeats, 1.0, site_kw), case.bills.tariff
    notes = [
        Note(code="tariff-misfit", text=note.text).about(f"tariff {tariff.key}")
        for note in bill.notes
        if note.code != OF_TARIFF
    ]
    if case.book.word("energy.fixed") == "none":
        text = "the bill has the tariff's customer charges, the cost leaves them out (energy.fixed)"
        notes.append(Note(code="fixed-left-out", text=text))
    return notes


def _component(component: Component, rate: float) -> CostComponent:
    fields = {name: value for name, value in vars(component).items() if name != "known"}
    usd, present = (component.usd, component.present(rate)) if component.known else (None, None)
    return CostComponent(**fields, usd=usd, present_usd=present)


def _bill(bill: Bill) -> Billed:
    """A bill by month, or by calendar year where it is long."""
    months = bills.billed_months(bill)
    length = len("2026") if len(months) > MOST_MONTHS else len("2026-01")
    rows: dict[str, dict[str, float]] = {}
    for month in months:
        label = month.month[:length]
        row = rows.setdefault(label, {"kwh": 0.0} | dict.fromkeys(bills.COLUMNS, 0.0))
        for key in ("kwh", *bills.COLUMNS):
            row[key] += getattr(month, key)
    billed = [BilledPeriod(month=label, **row) for label, row in rows.items()]
    return Billed(energy_kwh=bill.energy_j / JOULES_PER_KWH, peak_kw=bill.peak_kw, months=billed)


def _drive(case: CostCase, drive: PricedDrive) -> DriveCost:
    price = case.price_of(drive)
    # Lives are shown only where dollars depend on them.
    charged = case.book.word("wear.charge") in ("replacements", "depreciation")
    place = wear.place(case, drive) if charged or case.book.number("disposal.residual") else None
    return DriveCost(
        name=drive.name, model=drive.model, pool=drive.pool, kind=drive.kind,
        capacity_gb=drive.capacity_gb, used_gb=drive.used_gb,
        price_usd=price.usd if price.known else None,
        price_source=price.source, price_date=price.date, price_extrapolated=price.extrapolated,
        price_expression=case.price_expression(drive) if price.known else None,
        lives=place and place.lives, served=place and place.drives,
        lives_expression=place and wear.lives_expression(case, drive),
        wear=wear.wearout(drive, case.book).result(case.system.work.duration_s),
        replacements=[bought.result(priced=price.known) for bought in wear.bought(case, drive)],
    )  # fmt: skip
