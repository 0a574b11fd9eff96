"""Carbon of the facility's electricity, and carbon embodied in the drives bought.

Estimates of what making an SSD emits differ fifty-fold, so one is chosen (``carbon.estimate``) and all are
shown. Kilograms are always counted, dollars only where ``carbon.price`` is not 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final, NamedTuple

from iowatt.base.errors import InputError
from iowatt.base.problems import nearest
from iowatt.lenses.book import Book, BookFigure
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
    """The carbon of drives bought at an instant, or evenly until ``until_s``."""

    kg: float
    at_s: float = 0.0
    until_s: float | None = None


def carbon_costs(case: CostCase) -> Iterator[Component]:
    """A component for electricity and one for drives."""
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
    # Listed only where carbon has a price, as uncertainty prices a system many times.
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
    """Emissions of electricity: as set, else of the tariff's country, else of the world."""
    country = "-".join(case.bills.tariff.country.lower().split())
    return case.book.figure(GRID, *([f"{GRID}.{country}"] if country else []), f"{GRID}.world")


def facility_kwh(case: CostCase) -> float:
    """Energy that the facility draws for the system over the horizon: joules x PUE."""
    return case.total_j * case.book.number("cooling.pue") / JOULES_PER_KWH


def operational_kg(case: CostCase) -> float:
    """kg CO2e of the facility's electricity over the horizon."""
    return facility_kwh(case) * case.book.number(grid_of(case).key) / G_PER_KG


def embodied_kg(case: CostCase) -> float:
    """kg CO2e of making all drives bought within the horizon, by ``carbon.estimate``.

    Replacements count with ``wear.charge = replacements``; failed drives do not. Raises ``InputError`` where
    the estimate does not exist or has no figure for a drive.
    """
    return math.fsum(lot.kg for drive in case.system.drives for lot in _bought_kg(case, drive))


def result(case: CostCase) -> Carbon:
    """``systems[].carbon`` of ``iowatt.cost/1``; embodied carbon is None where the drives are not known."""
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
    """A term for each group of like drives: GB or drives x figure x drives that serve in sequence."""
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
    """Names of the book's estimates, sorted."""
    names = {key.split(".")[2] for key in book.figures if key.startswith((f"{BY_GB}.", f"{BY_DRIVE}."))}
    return tuple(sorted(names))


def choices(case: CostCase) -> list[EmbodiedEstimate]:
    """Embodied carbon by every estimate; figures that are only shown are not recorded as used."""
    book = case.book.changed({})  # a copy with its own record
    return [_estimated(case, book, estimate) for estimate in estimates(book)]


def _estimated(case: CostCase, book: Book, estimate: str) -> EmbodiedEstimate:
    figures = [(drive, _figures(book, estimate, drive)) for drive in case.system.drives]
    known = bool(figures) and all(of_drive for _, of_drive in figures)
    kg = math.fsum(lot.kg for drive, of_drive in figures for lot in _embodied(case, drive, of_drive))
    sources = dict.fromkeys(figure.source for _, of_drive in figures for figure in of_drive)
    return EmbodiedEstimate(estimate=estimate, embodied_kg=kg if known else None, source="; ".join(sources))


def _bought_kg(case: CostCase, drive: PricedDrive) -> list[_Lot]:
    return _embodied(case, drive, _chosen(case, drive))


def _embodied(case: CostCase, drive: PricedDrive, figures: list[BookFigure]) -> list[_Lot]:
    """The drive and its replacements, by the ``figures`` of one drive."""
    each = sum(
        float(figure.value) * (drive.capacity_gb if figure.key.startswith(BY_GB) else 1.0)
        for figure in figures
    )
    kg = each * _share(case, drive) * drive.count
    replaced = [_Lot(kg * group.count, group.at_s, group.until_s) for group in wear.bought(case, drive)]
    return [_Lot(kg), *replaced]


def _share(case: CostCase, drive: PricedDrive) -> float:
    """The share that is charged: with ``purchase.charge = used`` only used gigabytes count."""
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
    """An estimate's figures for a drive by its model, class or kind: one per GB, one per drive."""
    names = (*drive.names, drive.price_class, drive.kind)
    figures = (book.find(*(f"{prefix}.{estimate}.{name}" for name in names)) for prefix in (BY_GB, BY_DRIVE))
    return [figure for figure in figures if figure is not None]


def _embodied_rests_on(case: CostCase) -> list[str]:
    """Keys of the estimate's figures, and of those that decide how often drives are replaced."""
    keys = [figure.key for drive in case.system.drives for figure in _chosen(case, drive)]
    if case.book.word("wear.charge") == "replacements":
        keys += [key for drive in case.system.drives for key in wear.place(case, drive).lives_rest_on]
    return list(dict.fromkeys(keys))


def _note(case: CostCase) -> str:
    if not case.system.drives:
        return "neither the drives nor their embodied carbon are known (an inventory lists them)"
    notes = ["embodied carbon covers drives only"]
    if case.system.parts:
        notes.append("controllers, shelves, memory and supplies are not included")
    replaced = case.book.word("wear.charge") == "replacements"
    notes.append("replacements count, failed drives do not" if replaced else "each drive counts once")
    return "; ".join(notes)
