"""A system's cost: all its components under one book over one horizon."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Final

from iowatt.lenses.cost import carbon, cooling, disposal, energy, failures, purchase, service, wear
from iowatt.lenses.cost.bills import Bills
from iowatt.lenses.cost.case import Case
from iowatt.lenses.cost.component import GROUPS, Costs
from iowatt.library.price_class import below_listings

if TYPE_CHECKING:
    from iowatt.lenses.cost.book.book import Book
    from iowatt.lenses.cost.horizon import Horizon
    from iowatt.lenses.cost.system import Drive, System
    from iowatt.tariffs.structure import Tariff

#: What a system costs under a book over a horizon.
Pricer = Callable[["Book", "Horizon"], Costs]

_PARTS: Final = (purchase, energy, cooling, wear, failures, service, disposal, carbon)


def price(case: Case) -> Costs:
    """All components, in order of their groups.

    Raises ``InputError`` where something that is asked for has no price or is not known.
    """
    found = [component for part in _PARTS for component in part.components(case)]
    many = {drive.name: drive.count for drive in case.system.drives if drive.count > 1}
    if many:
        found = [one.times(many[one.device]) if one.device in many else one for one in found]
    found.sort(key=lambda component: GROUPS.index(component.group))
    return Costs(
        system=case.system.name,
        components=tuple(found),
        operational_kg=carbon.operational_kg(case),
        embodied_kg=carbon.embodied_kg(case),
        notes=tuple(_notes(case)),
    )


def pricer(system: System, tariff: Tariff, start: datetime) -> Pricer:
    """The cost of one system as a function of the assumptions; what its meter reads is kept between calls."""
    bills = Bills(tariff, start, system.work.load)
    return lambda book, horizon: price(Case(system, book, horizon, bills))


def _notes(case: Case) -> list[str]:
    notes = [*case.system.notes, *wear.warnings(case.system)]
    unpriced = purchase.unpriced(case)
    if unpriced:
        notes.append(
            f"not priced, so not in the purchase: {', '.join(unpriced)} (--set purchase.part.NAME=USD)"
        )
    notes += dict.fromkeys(note for drive in case.system.drives if (note := _too_cheap(case, drive)))
    if not case.system.drives:
        notes.append(
            "its drives are not known: no purchase, wear or failures (an inventory names them: --inventory)"
        )
    return notes


def _too_cheap(case: Case, drive: Drive) -> str | None:
    """What to say of a drive that is smaller than those that its price per GB is of."""
    if not case.price_of(drive).by_gb:
        return None
    said = below_listings(drive.price_class, drive.capacity_gb)
    return None if said is None else f"{drive.model}: {said}"
