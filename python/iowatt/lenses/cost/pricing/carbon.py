"""Carbon: of the electricity that the facility draws, and embodied in the drives that are bought.

Estimates of what making an SSD emits differ fifty-fold, so one is chosen (``carbon.estimate``) and all are
shown. Kilograms are counted always; dollars only where ``carbon.price`` is not 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final, NamedTuple

from iowatt.base.errors import InputError
from iowatt.base.problems import nearest
from iowatt.lenses.cost.book.book import Book, BookFigure
from iowatt.lenses.cost.pricing import wear
from iowatt.lenses.cost.pricing.case import CostCase
from iowatt.lenses.cost.pricing.component import Component, number
from iowatt.lenses.cost.result.costs import Carbon, EmbodiedEstimate, Grid, Payment
from iowatt.lenses.cost.systems.system import PricedDrive
from iowatt.tariffs.load import JOULES_PER_KWH

KG_PER_TONNE: Final = 1000.0
G_PER_KG: Final = 1000.0
BY_GB: Final = "carbon.embodied"
BY_DRIVE: Final = "carbon.unit"
GRID: Final = "carbon.grid"


class _Lot(NamedTuple):
    """Drives bought at an instant, or evenly until ``until_s``, and the kg of all of them."""

    kg: float
    at_s: float = 0.0
    until_s: float | None = None


def carbon_costs(case: CostCase) -> Iterator[Component]:
    """One for electricity and one for drives."""
    price = case.book.number("carbon.price")
    figure, grid = case.book.figure("carbon.price"), grid_of(case)
    kg = operational_kg(case)
    yield Component(
        key="carbon:operational", group="carbon", title="Carbon of electricity",
        flows=(Payment(kg / KG_PER_TONNE * price, 0.0, case.seconds),), quantity=kg / KG_PER_TONNE, unit="t",
        unit_price=price, formula="kWh of the facility x g/kWh x price of carbon",
        source=f"{figure.source}; grid: {grid.source}", date=grid.date, scales="work",
        rests_on=("carbon.price", grid.key, "cooling.pue"),
        expression="{kg.operational}/1000*{carbon.price}",
    )  # fmt: skip
    if not case.system.drives:
        return
    # Purchases are listed only where carbon has a price: uncertainty prices a system many times.
    bought = [lot for drive in case.system.drives for lot in _bought_kg(case, drive)] if price else []
    tonnes = math.fsum(lot.kg for lot in bought) / KG_PER_TONNE
    yield Component(
        key="carbon:embodied", group="carbon", title="Carbon of the drives bought",
        flows=tuple(Payment(lot.kg / KG_PER_TONNE * price, lot.at_s, lot.until_s) for lot in bought),
        quantity=tonnes if price else None, unit="t" if price else "", unit_price=price if price else None,
        formula="kg of each drive and of each replacement x price of carbon",
        source=f"{figure.source}; estimate: {case.book.word('carbon.estimate')}", date=figure.date,
        scales="work",
        rests_on=("carbon.price", "carbon.estimate", *(_embodied_rests_on(case) if price else ())),
        expression="{kg.embodied}/1000*{carbon.price}",
    )  # fmt: skip


def grid_of(case: CostCase) -> BookFigure:
    """Emissions of the electricity: as set, else of the tariff's country, else of the world."""
    country = "-".join(case.bills.tariff.country.lower().split())
    return case.book.figure(GRID, *([f"{GRID}.{country}"] if country else []), f"{GRID}.world")


def facility_kwh(case: CostCase) -> float:
    """Energy that the facility draws for the system over the horizon: its joules times PUE."""
    joules = case.system.work.load.repeated(case.repeats).total_j
    return joules * case.book.number("cooling.pue") / JOULES_PER_KWH


def operational_kg(case: CostCase) -> float:
    """kg CO2e of the facility's electricity over the horizon."""
    return facility_kwh(case) * case.book.number(grid_of(case).key) / G_PER_KG


def embodied_kg(case: CostCase) -> float:
    """kg CO2e of making all drives that are bought within the horizon, by ``carbon.estimate``.

    Replacements count where they are bought (``wear.charge = replacements``), failed drives do not.

    Raises
    ------
    InputError
        There is no such estimate, or it has no figure for a drive.
    """
    return math.fsum(lot.kg for drive in case.system.drives for lot in _bought_kg(case, drive))


def result(case: CostCase) -> Carbon:
    """``systems[].carbon`` of ``iowatt.cost/1``; where no drives are known, embodied carbon is None."""
    grid, drives = grid_of(case), bool(case.system.drives)
    kwh = number(case.system.work.load.total_j / JOULES_PER_KWH)
    return Carbon(
        grid=Grid(key=grid.key, g_per_kwh=float(grid.value), source=grid.source),
        operational_kg=operational_kg(case),
        operational_expression=f"{kwh}*{{repeats}}*{{cooling.pue}}*{{{grid.key}}}/{G_PER_KG:g}",
        operational_rests_on=[grid.key, "cooling.pue"], embodied_kg=embodied_kg(case) if drives else None,
        embodied_expression=_embodied_expression(case) if drives else None,
        embodied_rests_on=_embodied_rests_on(case), estimate=case.book.word("carbon.estimate"),
        choices=choices(case), note=_note(case),
    )  # fmt: skip


def _embodied_expression(case: CostCase) -> str:
    """A term for like drives: GB or drives x figure, times those that serve one after another."""
    again = case.book.word("wear.charge") == "replacements"
    terms: dict[tuple[str, float, str], list[PricedDrive]] = {}
    for drive in case.system.drives:
        lives = wear.lives_expression(case, drive) if again else ""
        for figure in _chosen(case, drive):
            each = drive.capacity_gb if figure.key.startswith(BY_GB) else 1.0
            terms.setdefault((figure.key, each * _share(case, drive), lives), []).append(drive)
    return "+".join(
        f"{number(each * sum(drive.count for drive in drives))}*{{{key}}}"
        + (f"*{{served:{drives[0].name}}}" if again else "")
        for (key, each, _), drives in terms.items()
    )


def estimates(book: Book) -> tuple[str, ...]:
    """Names of the estimates that ``book`` has figures for, sorted."""
    names = {key.split(".")[2] for key in book.figures if key.startswith((f"{BY_GB}.", f"{BY_DRIVE}."))}
    return tuple(sorted(names))


def choices(case: CostCase) -> list[EmbodiedEstimate]:
    """Every estimate of the drives bought, side by side; what is only shown is not recorded as used."""
    apart = case.book.changed({})  # a copy that keeps its own record
    found = []
    for estimate in estimates(apart):
        of_drives = [(drive, _figures(apart, estimate, drive)) for drive in case.system.drives]
        known = bool(of_drives) and all(figures for _, figures in of_drives)
        kg = [lot.kg for drive, figures in of_drives for lot in _embodied(case, drive, figures)]
        sources = dict.fromkeys(figure.source for _, figures in of_drives for figure in figures)
        found.append(
            EmbodiedEstimate(
                estimate=estimate, embodied_kg=math.fsum(kg) if known else None, source="; ".join(sources)
            )
        )
    return found


def _bought_kg(case: CostCase, drive: PricedDrive) -> list[_Lot]:
    return _embodied(case, drive, _chosen(case, drive))


def _embodied(case: CostCase, drive: PricedDrive, figures: list[BookFigure]) -> list[_Lot]:
    """The drive and its replacements with their kg, by what ``figures`` say of one."""
    each = sum(
        float(figure.value) * (drive.capacity_gb if figure.key.startswith(BY_GB) else 1.0)
        for figure in figures
    )
    kg = each * _share(case, drive) * drive.count
    replaced = [_Lot(kg * one.count, one.at_s, one.until_s) for one in wear.bought(case, drive)]
    return [_Lot(kg), *replaced]


def _share(case: CostCase, drive: PricedDrive) -> float:
    """Where only used gigabytes are charged, only theirs is counted."""
    return case.charged_gb(drive) / drive.capacity_gb


def _chosen(case: CostCase, drive: PricedDrive) -> list[BookFigure]:
    book = case.book
    estimate = book.word("carbon.estimate")
    figures = _figures(book, estimate, drive)
    if not figures:
        known = estimates(book)
        near = nearest(estimate, known)
        listed = estimate in known
        problem = f"has no figure for {drive.model} ({drive.kind})" if listed else "is not in the book"
        raise InputError(
            "missing-figure" if listed else "unknown-name",
            "carbon.estimate",
            f"the estimate of embodied carbon {estimate!r} {problem}; expected {', '.join(known)}",
            hint=f"did you mean {near!r}?" if near and near != estimate else None,
        )
    return figures


def _figures(book: Book, estimate: str, drive: PricedDrive) -> list[BookFigure]:
    """An estimate's figures for a drive, by its model, class or kind: one by GB, one by drive."""
    names = (*drive.names, drive.price_class, drive.kind)
    found = (book.find(*(f"{prefix}.{estimate}.{name}" for name in names)) for prefix in (BY_GB, BY_DRIVE))
    return [figure for figure in found if figure is not None]


def _embodied_rests_on(case: CostCase) -> list[str]:
    """Keys of the book: the estimate's figures, and those that decide how often drives are replaced.

    A rating that the work did not touch is among the latter: with another figure it may be what binds.
    """
    keys = [figure.key for drive in case.system.drives for figure in _chosen(case, drive)]
    if case.book.word("wear.charge") == "replacements":
        keys += [key for drive in case.system.drives for key in wear.place(case, drive).lives_rest_on]
    return list(dict.fromkeys(keys))


def _note(case: CostCase) -> str:
    if not case.system.drives:
        return "its drives are not known, nor is their embodied carbon (an inventory names them)"
    notes = ["embodied carbon is that of drives alone"]
    if case.system.parts:
        notes.append("controllers, shelves, memory and supplies are not included")
    again = case.book.word("wear.charge") == "replacements"
    notes.append("replacements count, failed drives do not" if again else "each drive is counted once")
    return "; ".join(notes)
