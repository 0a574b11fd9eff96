"""A system's cost: all its components under one book over one horizon."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from iowatt.base.results import Note
from iowatt.lenses.cost.pricing import carbon, drive_costs, energy, failures, losses, wear
from iowatt.lenses.cost.pricing.bills import Bills
from iowatt.lenses.cost.pricing.case import CostCase
from iowatt.lenses.cost.pricing.component import GROUPS, Component, Costs

if TYPE_CHECKING:
    from iowatt.lenses.book import Book, BookFigure
    from iowatt.lenses.cost.pricing.case import Horizon
    from iowatt.lenses.cost.systems.system import PricedDrive, PricedSystem
    from iowatt.tariffs.structure import Tariff

_COMPONENTS: Final = (
    drive_costs.purchase_costs, energy.energy_costs, energy.cooling_costs, wear.wear_costs,
    failures.failure_costs, losses.loss_costs, drive_costs.service_costs, drive_costs.disposal_costs,
    carbon.carbon_costs,
)  # fmt: skip


def components(case: CostCase) -> tuple[Component, ...]:
    """All components in the order of their groups; those without a price are not ``known``.

    Raises ``InputError`` where the book or the system lacks a figure that is needed.
    """
    found = [component for costs in _COMPONENTS for component in costs(case)]
    counts = {drive.name: drive.count for drive in case.system.drives if drive.count > 1}
    if counts:
        found = [c.times(counts[c.device]) if c.device in counts else c for c in found]
    return tuple(sorted(found, key=lambda component: GROUPS.index(component.group)))


def price(case: CostCase) -> Costs:
    """The components with what is said of them; raises as ``components``."""
    return Costs(
        system=case.system.name,
        components=components(case),
        operational_kg=carbon.operational_kg(case),
        embodied_kg=carbon.embodied_kg(case),
        notes=tuple(_notes(case)),
        cautions=(*case.system.cautions, *_cautions(case)),
    )


@dataclass(frozen=True)
class Pricer:
    """One system under any book over any horizon; bills are kept between calls."""

    system: PricedSystem
    bills: Bills
    #: Called before each price.
    asked: Callable[[], None] = lambda: None
    #: How many of the system are priced by ``components``, for rankings on equal terms.
    copies: float = 1.0

    def __call__(self, book: Book, horizon: Horizon) -> Costs:
        """All that is known of its cost."""
        return price(self._case(book, horizon))

    def components(self, book: Book, horizon: Horizon) -> tuple[Component, ...]:
        """Its dollars alone, for those who price it a thousand times."""
        found = components(self._case(book, horizon))
        return found if self.copies == 1.0 else tuple(one.times(self.copies) for one in found)

    def _case(self, book: Book, horizon: Horizon) -> CostCase:
        self.asked()
        return CostCase(self.system, book, horizon, self.bills)


def pricer(system: PricedSystem, tariff: Tariff, start: datetime) -> Pricer:
    """The cost of one system, billed from ``start`` (local standard time) on."""
    return Pricer(system, Bills(tariff, start, system.work.load))


def _notes(case: CostCase) -> list[Note]:
    notes = [*case.system.notes, *wear.warnings(case.system)]
    unpriced = case.unpriced_parts
    if unpriced:
        names = ", ".join(unpriced)
        text = f"parts without a price, which the purchase leaves out: {names} (purchase.part.NAME=USD)"
        notes.append(Note(code="unpriced-parts", text=text))
    if not case.system.drives:
        text = "the drives are not known: no purchase, wear or failures (an inventory lists them)"
        notes.append(Note(code="drives-unknown", text=text))
    return notes


def _cautions(case: CostCase) -> Iterator[Note]:
    """Notes to read before the total: missing prices, extrapolated prices, charges for a whole meter."""
    like: dict[tuple[str, float], list[PricedDrive]] = {}
    for drive in case.system.drives:
        like.setdefault((drive.model, drive.capacity_gb), []).append(drive)
    for drives in like.values():
        drive = drives[-1]
        price = case.price_of(drive)
        figure = case.book.figures.get(f"purchase.price.{drive.price_class}")
        listed = "its class has no price" if figure is None else f"{drive.price_class} is {_listed(figure)}"
        count = sum(one.count for one in drives)
        which = f"{count} x {drive.model} ({drive.capacity_gb:,.0f} GB; {listed})"
        remedy = f"purchase.model.{drive.model}=USD sets the price of one"
        if not price.known:
            text = f"the price of {which} is not known, so the total is not known either: {remedy}"
            yield Note(code="no-price", text=text, decides=True)
        elif price.extrapolated:
            text = f"the price of {which} is extrapolated, and its range is wide: {remedy}"
            yield Note(code="extrapolated-price", text=text, decides=True)
    for name, kind in case.system.part_kinds.items():
        if case.part_key(name) == f"purchase.{kind}":
            remedy = "cluster.node.price" if kind == "server" else "cluster.network.switch_price"
            text = (
                f"{case.system.parts[name]:,} x {name} at an assumed price of "
                f"{case.book.number(f'purchase.{kind}'):,.0f} USD each: {remedy} in the scenario, or "
                f"purchase.part.{name}=USD, sets it"
            )
            yield Note(code="assumed-part-price", text=text, decides=True)
    if case.book.word("energy.fixed") == "share" and not case.book.number("energy.site_kw"):
        meter_usd = energy.meter_charges(case)
        if meter_usd:
            text = (
                f"the total leaves out {meter_usd:,.2f} USD that the tariff charges for the whole site's "
                "meter: energy.site_kw=KW adds this system's share, energy.fixed=months all of it"
            )
            yield Note(code="whole-meter", text=text, decides=True)


def _listed(figure: BookFigure) -> str:
    low = "" if figure.from_gb is None else f" from {figure.from_gb:,.0f} GB"
    high = "" if figure.to_gb is None else f" to {figure.to_gb:,.0f} GB"
    return f"listed{low}{high}"
