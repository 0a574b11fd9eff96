"""Carbon: of the electricity that the facility draws, and embodied in the drives that are bought.

Estimates of what making an SSD emits differ fifty-fold, so one is chosen (``carbon.estimate``) and all are
shown. Kilograms are counted always; dollars only where ``carbon.price`` is not 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from iowatt.base.errors import InputError
from iowatt.base.problems import nearest
from iowatt.lenses.cost import wear
from iowatt.lenses.cost.book.book import Book, Figure
from iowatt.lenses.cost.case import Case
from iowatt.lenses.cost.component import Component, Flow
from iowatt.lenses.cost.expression import number
from iowatt.lenses.cost.result import Carbon, EmbodiedEstimate, Grid
from iowatt.lenses.cost.system import Drive
from iowatt.tariffs.load import JOULES_PER_KWH

KG_PER_TONNE: Final = 1000.0
G_PER_KG: Final = 1000.0
BY_GB: Final = "carbon.embodied"
BY_DRIVE: Final = "carbon.unit"
GRID: Final = "carbon.grid"
WORLD: Final = "world"


def carbon_costs(case: Case) -> Iterator[Component]:
    """One for electricity and one for drives; nothing while no price of carbon is paid."""
    price = case.book.number("carbon.price")
    figure, grid = case.book.figure("carbon.price"), grid_of(case)
    kg = operational_kg(case)
    yield Component(
        key="carbon:operational", group="carbon", title="Carbon of electricity", device=None,
        flows=(Flow(kg / KG_PER_TONNE * price, 0.0, case.seconds),), quantity=kg / KG_PER_TONNE, unit="t",
        unit_price=price, formula="kWh of the facility x g/kWh x price of carbon",
        source=f"{figure.source}; grid: {grid.source}", date=grid.date, scales="work",
        rests_on=("carbon.price", grid.key, "cooling.pue"),
        expression="{kg.operational}/1000*{carbon.price}",
    )  # fmt: skip
    if case.system.drives:
        yield _embodied(case, price, figure)


def _embodied(case: Case, price: float, figure: Figure) -> Component:
    # Lot by lot only where it costs anything: prices are drawn many times.
    bought = [lot for drive in case.system.drives for lot in _bought(case, drive)] if price else []
    tonnes = math.fsum(lot.kg for lot in bought) / KG_PER_TONNE
    return Component(
        key="carbon:embodied", group="carbon", title="Carbon of the drives bought", device=None,
        flows=tuple(Flow(lot.kg / KG_PER_TONNE * price, lot.at_s, lot.until_s) for lot in bought),
        quantity=tonnes if price else None, unit="t" if price else "", unit_price=price if price else None,
        formula="kg of each drive and of each replacement x price of carbon",
        source=f"{figure.source}; estimate: {case.book.word('carbon.estimate')}", date=figure.date,
        scales="work",
        rests_on=("carbon.price", "carbon.estimate", *(_embodied_rests_on(case) if price else ())),
        expression="{kg.embodied}/1000*{carbon.price}",
    )  # fmt: skip


def grid_of(case: Case) -> Figure:
    """Emissions of the electricity: as set, else of the tariff's country, else of the world."""
    country = "-".join(case.bills.tariff.country.lower().split())
    return case.book.figure(GRID, *([f"{GRID}.{country}"] if country else []), f"{GRID}.{WORLD}")


def facility_kwh(case: Case) -> float:
    """What the facility draws for the system over the horizon: its joules times PUE."""
    joules = case.system.work.load.repeated(case.repeats).total_j
    return joules * case.book.number("cooling.pue") / JOULES_PER_KWH


def operational_kg(case: Case) -> float:
    """kg CO2e of the facility's electricity over the horizon."""
    return facility_kwh(case) * case.book.number(grid_of(case).key) / G_PER_KG


def embodied_kg(case: Case) -> float:
    """kg CO2e of making all drives that are bought within the horizon, by ``carbon.estimate``.

    Replacements count where they are bought (``wear.charge = replacements``), drives that fail not.

    Raises
    ------
    InputError
        There is no such estimate, or it says nothing of a drive.
    """
    return math.fsum(lot.kg for drive in case.system.drives for lot in _bought(case, drive))


def result(case: Case) -> Carbon:
    """``systems[].carbon`` of ``iowatt.cost/1``; where no drives are known, embodied carbon is None."""
    grid = grid_of(case)
    return Carbon(
        grid=Grid(key=grid.key, g_per_kwh=float(grid.value), source=grid.source),
        operational_kg=operational_kg(case),
        operational_expression=_operational_expression(case),
        operational_rests_on=[grid.key, "cooling.pue"],
        embodied_kg=embodied_kg(case) if case.system.drives else None,
        embodied_expression=_embodied_expression(case) if case.system.drives else None,
        embodied_rests_on=_embodied_rests_on(case),
        estimate=case.book.word("carbon.estimate"),
        choices=choices(case),
        note=_note(case),
    )


def _operational_expression(case: Case) -> str:
    kwh = number(case.system.work.load.total_j / JOULES_PER_KWH)
    return f"{kwh}*{{repeats}}*{{cooling.pue}}*{{{grid_of(case).key}}}/{G_PER_KG:g}"


def _embodied_expression(case: Case) -> str:
    """A term for drives that are alike: GB or drives x figure, times those that serve in their places."""
    again = case.book.word("wear.charge") == "replacements"
    terms: dict[tuple[str, float, str], list[Drive]] = {}
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
    """Names of the estimates that ``book`` has figures of, sorted."""
    names = {key.split(".")[2] for key in book.figures if key.startswith((f"{BY_GB}.", f"{BY_DRIVE}."))}
    return tuple(sorted(names))


def choices(case: Case) -> list[EmbodiedEstimate]:
    """Every estimate of the drives bought, side by side; what is only shown is not recorded as used."""
    apart = case.book.changed({})  # a copy that keeps its own record
    found = []
    for estimate in estimates(apart):
        of = [(drive, _figures(apart, estimate, drive)) for drive in case.system.drives]
        known = bool(of) and all(figures for _, figures in of)
        lots = [lot for drive, figures in of for lot in _lots(case, drive, figures)]
        sources = dict.fromkeys(figure.source for _, figures in of for figure in figures)
        kg = math.fsum(lot.kg for lot in lots) if known else None
        found.append(EmbodiedEstimate(estimate=estimate, embodied_kg=kg, source="; ".join(sources)))
    return found


@dataclass(frozen=True)
class _Lot:
    """Drives bought at an instant, or evenly from ``at_s`` until ``until_s``, and the kg of all of them."""

    at_s: float
    until_s: float | None
    kg: float


def _bought(case: Case, drive: Drive) -> list[_Lot]:
    return _lots(case, drive, _chosen(case, drive))


def _lots(case: Case, drive: Drive, figures: list[Figure]) -> list[_Lot]:
    """The drive and what replaces it, with the kg that ``figures`` say of it."""
    kg = _kg(figures, drive) * _share(case, drive) * drive.count
    replaced = [_Lot(one.at_s, one.until_s, kg * one.count) for one in wear.bought(case, drive)]
    return [_Lot(0.0, None, kg), *replaced]


def _share(case: Case, drive: Drive) -> float:
    """Where only used gigabytes are charged, only theirs is counted."""
    return case.charged_gb(drive) / drive.capacity_gb


def _kg(figures: list[Figure], drive: Drive) -> float:
    """kg of one whole drive: so much a GB and so much a drive."""
    return sum(
        float(figure.value) * (drive.capacity_gb if figure.key.startswith(BY_GB) else 1.0)
        for figure in figures
    )


def _chosen(case: Case, drive: Drive) -> list[Figure]:
    book = case.book
    estimate = book.word("carbon.estimate")
    figures = _figures(book, estimate, drive)
    if not figures:
        known = estimates(book)
        near = nearest(estimate, known)
        listed = estimate in known
        what = f"has no figure for {drive.model} ({drive.kind})" if listed else "is not in the book"
        raise InputError(
            "missing-figure" if listed else "unknown-name",
            "carbon.estimate",
            f"the estimate of embodied carbon {estimate!r} {what}; expected {', '.join(known)}",
            hint=f"did you mean {near!r}?" if near and near != estimate else None,
        )
    return figures


def _figures(book: Book, estimate: str, drive: Drive) -> list[Figure]:
    """What an estimate has of a drive: by its model, its class or its kind; a GB and a drive each."""
    of = (*drive.names, drive.price_class, drive.kind)
    by_gb = book.find(*(f"{BY_GB}.{estimate}.{name}" for name in of))
    by_drive = book.find(*(f"{BY_DRIVE}.{estimate}.{name}" for name in of))
    return [figure for figure in (by_gb, by_drive) if figure is not None]


def _embodied_rests_on(case: Case) -> list[str]:
    """Keys of the book: the estimate's figures, and what says how often drives are replaced.

    A rating that the work did not touch is among the latter: with another figure it may be what binds.
    """
    keys = [figure.key for drive in case.system.drives for figure in _chosen(case, drive)]
    if case.book.word("wear.charge") == "replacements":
        lives = (key for drive in case.system.drives for key in wear.place(case, drive).rests_on)
        keys += [key for key in lives if key != "wear.price_decline"]
    return list(dict.fromkeys(keys))


def _note(case: Case) -> str:
    if not case.system.drives:
        return "its drives are not known, so their embodied carbon is not either (an inventory names them)"
    said = ["embodied carbon is that of drives alone"]
    if case.system.parts:
        said.append("controllers, shelves, memory and supplies have none here")
    if case.book.word("wear.charge") == "replacements":
        said.append("replacements are counted, drives that fail are not")
    else:
        said.append("each drive is counted once")
    return "; ".join(said)
