"""The cost lens on each point of a search: dollars and carbon as columns of its row."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from iowatt.base.errors import Argument, InputError
from iowatt.evaluate.search.axes import Cell

if TYPE_CHECKING:
    from iowatt.lenses.book import Book
    from iowatt.lenses.cost import Horizon
    from iowatt.lenses.cost.pricing import Component, CostCase, Costs
    from iowatt.lenses.cost.systems import PricedSystem
    from iowatt.run.bundle import Run
    from iowatt.tariffs.structure import Tariff


@dataclass(frozen=True)
class PricingRequest:
    """The assumptions of ``cost.*`` metrics by name, as ``iowatt cost`` takes them."""

    preset: str = "default"
    assume: tuple[str, ...] = ()
    tariff: str | None = None
    alpha: float | None = None
    years: float | None = None

    @property
    def changed(self) -> list[str]:
        """The arguments that are not at their default."""
        default = asdict(PricingRequest())
        return [name for name, value in asdict(self).items() if value != default[name]]

    def resolve(self) -> Pricing:
        """The assumptions, read. Raises ``InputError`` where one is wrong."""
        from iowatt.lenses.book import find_book
        from iowatt.lenses.cost import START, YEARS, Horizon
        from iowatt.tariffs.find import find_tariff

        if self.alpha is not None and self.years is not None:
            message = "`alpha=` compares equal work, and `years=` equal time: give one"
            raise InputError("conflict", Argument("alpha"), message)
        horizon = Horizon("time", YEARS if self.years is None else self.years)
        if self.alpha is not None:
            horizon = Horizon("work", self.alpha)
        book = find_book(self.preset, list(self.assume))
        tariff = find_tariff(self.tariff or book.word("energy.tariff"))
        figures = {key: str(figure.value) for key, figure in sorted(book.figures.items())}
        assumptions = [figures, asdict(tariff), asdict(horizon), START]
        digest = hashlib.sha256(json.dumps(assumptions, sort_keys=True, default=str).encode()).hexdigest()
        return Pricing(book, tariff, horizon, datetime.strptime(START, "%Y-%m-%d"), digest)


@dataclass(frozen=True)
class Pricing:
    """The assumptions that points are priced under; travels with a task.

    Its methods raise ``InputError`` where a drive of the system has no price.
    """

    book: Book
    tariff: Tariff
    horizon: Horizon
    start: datetime
    #: Digest of the assumptions.
    digest: str

    def columns(self, run: Run) -> dict[str, Cell | None]:
        """Columns of a row: total and groups of components in USD, carbon in kg CO2e, USD per kWh."""
        from iowatt.lenses.cost.pricing import mean_price
        from iowatt.lenses.cost.systems import observe

        case = self._case(observe(run).merged())
        costs = self._costs(case)
        return {
            **_dollars(costs),
            "cost.operational_kg": costs.operational_kg,
            "cost.embodied_kg": costs.embodied_kg,
            "cost.carbon_kg": costs.operational_kg + costs.embodied_kg,
            "cost.usd_per_kwh": mean_price(case),
        }

    def purchase(self, plan: Mapping[str, Any]) -> float:
        """Purchase cost of a plan's drives and parts in USD, known before any run."""
        from iowatt.lenses.cost.pricing import purchase_costs

        case = self._case(_system(plan))
        counts = {drive.name: drive.count for drive in case.system.drives}
        components = list(purchase_costs(case))
        _refuse_unpriced(components, case.system)
        return sum(component.usd * counts.get(component.device or "", 1) for component in components)

    def expected(self, plan: Mapping[str, Any], row: Mapping[str, float]) -> dict[str, float]:
        """The totals at the watts and the rate of an estimate, for screening: without any wear.

        Nothing where equal work is priced: how long that takes is not estimated.
        """
        watts = row.get("power_w.wall_mean", row.get("power_w.mean"))
        if self.horizon.basis == "work" or watts is None:
            return {}
        costs = self._costs(self._case(_system(plan, watts, row["throughput.iops"])))
        return {**_dollars(costs), "cost.carbon_kg": costs.operational_kg + costs.embodied_kg}

    def basis(self, plan: Mapping[str, Any], row: Mapping[str, Cell | None]) -> dict[str, Any]:
        """The assumptions behind the dollars of a point, by the fields of ``PricingBasis``."""
        case = self._case(_system(plan))
        unpriced = case.unpriced_parts
        priced = len(unpriced) < len(case.system.parts) or case.book.number("purchase.other") != 0.0
        return {
            "horizon": {"basis": self.horizon.basis, "amount": self.horizon.amount},
            "book": self.book.name,
            "tariff": self.tariff.key,
            "usd_per_kwh": row.get("cost.usd_per_kwh"),
            "unpriced": unpriced,
            "drives_only": not priced,
        }

    def _case(self, system: PricedSystem) -> CostCase:
        from iowatt.lenses.cost.pricing import CostCase

        return CostCase.of(system, self.book.changed({}), self.tariff, self.horizon, self.start)

    def _costs(self, case: CostCase) -> Costs:
        from iowatt.lenses.cost.pricing import price

        costs = price(case)
        _refuse_unpriced(costs.components, case.system)
        return costs


def _dollars(costs: Costs) -> dict[str, float]:
    return {
        "cost.total_usd": costs.usd,
        **{f"cost.{group}_usd": usd for group, usd in costs.by_group.items()},
    }


def _system(plan: Mapping[str, Any], watts: float = 0.0, iops: float = 0.0) -> PricedSystem:
    """The system of a plan that was not run, at ``watts`` and ``iops``."""
    from iowatt.lenses.cost.systems import system_of_plan

    return system_of_plan(plan, str(plan["name"]), watts=watts, iops=iops).merged()


def _refuse_unpriced(components: Iterable[Component], system: PricedSystem) -> None:
    """Systems are not ranked by dollars that leave out a drive."""
    unknown = next((component for component in components if not component.known), None)
    if unknown is None:
        return
    drive = next(drive for drive in system.drives if drive.name == unknown.device)
    message = f"no price is known for {drive.model} ({drive.capacity_gb:,.4g} GB, class {drive.price_class})"
    hint = f"`assume=purchase.model.{drive.model}=USD` states what one costs"
    raise InputError("missing-figure", system.where, message, hint=hint)
