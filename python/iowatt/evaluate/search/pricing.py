"""The cost lens on each point of a search: dollars and carbon as columns of its row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from iowatt.base.errors import InputError
from iowatt.evaluate.search.axes import Cell

if TYPE_CHECKING:
    from iowatt.lenses.cost import Book, Horizon
    from iowatt.lenses.cost.pricing import Component, CostCase
    from iowatt.lenses.cost.systems import PricedSystem
    from iowatt.run.bundle import Run
    from iowatt.tariffs.structure import Tariff


@dataclass(frozen=True)
class Pricing:
    """Under which assumptions; travels with a task."""

    book: Book
    tariff: Tariff
    horizon: Horizon
    start: datetime
    #: Digest of the assumptions.
    digest: str


def columns(run: Run, pricing: Pricing) -> dict[str, Cell | None]:
    """``cost.total_usd``, each group of components as ``cost.GROUP_usd``, carbon in kg CO2e, USD a kWh.

    Raises ``InputError`` where something of the system has no price.
    """
    from iowatt.lenses.cost.pricing import mean_price, price
    from iowatt.lenses.cost.systems import observe

    case = _case(observe(run).merged(), pricing)
    costs = price(case)
    _all_known(costs.components, case.system)
    row: dict[str, Cell | None] = {"cost.total_usd": costs.usd}
    row |= {f"cost.{group}_usd": usd for group, usd in costs.by_group.items()}
    embodied = costs.embodied_kg
    row["cost.operational_kg"] = costs.operational_kg
    row["cost.embodied_kg"] = embodied
    row["cost.carbon_kg"] = costs.operational_kg + embodied
    row["cost.usd_per_kwh"] = mean_price(case)
    return row


def basis(plan: Mapping[str, Any], row: Mapping[str, Cell | None], pricing: Pricing) -> dict[str, Any]:
    """The assumptions behind the dollars of a point with this plan and row.

    ``horizon`` (``basis``, ``amount``: years, or times the work), ``book`` and ``tariff`` by name,
    ``usd_per_kwh``, ``unpriced`` (parts that cost nothing for want of a price), and ``drives_only``: whether
    nothing but drives has a price.
    """
    case = _case(_system(plan), pricing)
    unpriced = case.unpriced_parts
    priced = len(unpriced) < len(case.system.parts) or case.book.number("purchase.other") != 0.0
    return {
        "horizon": {"basis": pricing.horizon.basis, "amount": pricing.horizon.amount},
        "book": pricing.book.name,
        "tariff": pricing.tariff.key,
        "usd_per_kwh": row.get("cost.usd_per_kwh"),
        "unpriced": unpriced,
        "drives_only": not priced,
    }


def _case(system: PricedSystem, pricing: Pricing) -> CostCase:
    from iowatt.lenses.cost.pricing import CostCase

    return CostCase.of(system, pricing.book.changed({}), pricing.tariff, pricing.horizon, pricing.start)


def _system(plan: Mapping[str, Any], watts: float = 0.0, iops: float = 0.0) -> PricedSystem:
    """The system of a plan that was not run, at ``watts`` and ``iops``."""
    from iowatt.lenses.cost.systems import system_of_plan

    return system_of_plan(plan, str(plan["name"]), watts=watts, iops=iops).merged()


def _all_known(components: Iterable[Component], system: PricedSystem) -> None:
    """Refuse to rank a system by dollars that it lacks a price for."""
    unknown = next((one for one in components if not one.known), None)
    if unknown is None:
        return
    drive = next(drive for drive in system.drives if drive.name == unknown.device)
    message = f"no price is known for {drive.model} ({drive.capacity_gb:,.4g} GB, class {drive.price_class})"
    hint = f"`assume=purchase.model.{drive.model}=USD` states what one costs"
    raise InputError("missing-figure", system.where, message, hint=hint)


def purchase(plan: Mapping[str, Any], pricing: Pricing) -> float:
    """Purchase cost of a plan's drives and parts in USD, known before any run.

    Raises ``InputError`` where something of it has no price.
    """
    from iowatt.lenses.cost.pricing import purchase_costs

    case = _case(_system(plan), pricing)
    many = {drive.name: drive.count for drive in case.system.drives}
    components = list(purchase_costs(case))
    _all_known(components, case.system)
    return sum(one.usd * many.get(one.device or "", 1) for one in components)


def expected(plan: Mapping[str, Any], row: Mapping[str, float], pricing: Pricing) -> dict[str, float]:
    """The total of a system at the watts and the rate of an estimate, for screening: without any wear.

    Nothing where equal work is priced: how long that takes is not estimated.
    """
    from iowatt.lenses.cost.pricing import price

    watts = row.get("power_w.wall_mean", row.get("power_w.mean"))
    if pricing.horizon.basis == "work" or watts is None:
        return {}
    case = _case(_system(plan, watts, row["throughput.iops"]), pricing)
    costs = price(case)
    _all_known(costs.components, case.system)
    carbon = costs.operational_kg + costs.embodied_kg
    found = {"cost.total_usd": costs.usd, "cost.carbon_kg": carbon}
    return found | {f"cost.{group}_usd": usd for group, usd in costs.by_group.items()}
