"""Small systems to be priced by hand: two drives, a constant load, a tariff of one price."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from iowatt.lenses.book.book import Book
from iowatt.lenses.book.find import find_book
from iowatt.lenses.cost.pricing.bills import Bills
from iowatt.lenses.cost.pricing.case import CostCase, Horizon
from iowatt.lenses.cost.pricing.component import Costs
from iowatt.lenses.cost.pricing.total import pricer
from iowatt.lenses.cost.systems.system import Counts, PricedDrive, PricedSystem, PricedWork
from iowatt.tariffs.find import find_tariff
from iowatt.tariffs.load import ElectricLoad

START = datetime(2026, 1, 1)
#: No figure that is more than nothing but those of a test: only what it sets costs anything.
NOTHING = (
    "cooling.pue=1", "failures.afr.hdd=0", "failures.afr.ssd=0", "disposal.per_drive=0",
    "disposal.residual=0", "carbon.price=0", "purchase.factor=1", "wear.service_life=1000", "energy.factor=1",
)  # fmt: skip


def book(*sets: str, preset: str = "default") -> Book:
    """A preset with some figures set."""
    return find_book(preset, sets)


def ssd(**more: Any) -> PricedDrive:
    """300 GB for 450 USD, rated for 36.5 TB, three quarters of it not used."""
    counts = {"bytes_read": 1e9, "bytes_written": 2e9, "start_stops": 0, "load_unloads": 0}
    counts |= {"pe_fraction": None, "write_amplification": None} | more.pop("counts", {})
    given: dict[str, Any] = {
        "name": "ssd.0", "model": "test-ssd", "pool": "ssd", "kind": "ssd", "capacity_gb": 300.0,
        "used_gb": 75.0, "price_class": "ssd-sata", "price": (450.0, "2011", "a test"),
        "ratings": {"bytes_written": 36.5e12}, "counts": Counts(**counts),
    } | more  # fmt: skip
    return PricedDrive(**given)


def hdd(**more: Any) -> PricedDrive:
    """2,000 GB for 160 USD, 225 GB of it used, two stops of the spindle, three unloads."""
    counts = {"bytes_read": 4e9, "bytes_written": 8e9, "start_stops": 2, "load_unloads": 3}
    counts |= {"pe_fraction": None, "write_amplification": None} | more.pop("counts", {})
    given: dict[str, Any] = {
        "name": "hdd.0", "model": "test-hdd", "pool": "hdd", "kind": "hdd", "capacity_gb": 2000.0,
        "used_gb": 225.0, "price_class": "hdd-to-6tb", "price": (160.0, "2011", "a test"),
        "ratings": {"start_stop_cycles": 50_000.0, "load_unload_cycles": 300_000.0},
        "counts": Counts(**counts),
    } | more  # fmt: skip
    return PricedDrive(**given)


def system(
    name: str = "hybrid", *drives: PricedDrive, watts: float = 8.0, seconds: float = 600.0, **more: Any
) -> PricedSystem:
    """Drives under a constant load."""
    load = more.pop("load", None) or ElectricLoad.constant(watts, seconds)
    given: dict[str, Any] = {
        "name": name, "where": f"runs/{name}", "drives": drives, "parts": {}, "raw_gb": 2300.0,
        "usable_gb": 300.0, "effective_gb": 300.0, "power_basis": "device", "modelled": True,
        "work": PricedWork(seconds, load, 60_000.0, 2.4e8, 2.0),
    } | more  # fmt: skip
    return PricedSystem(**given)


def priced(of: PricedSystem, made: Book, horizon: Horizon, tariff: str = "flat:0.2") -> Costs:
    """What a system costs."""
    return pricer(of, find_tariff(tariff), START)(made, horizon)


def case(of: PricedSystem, made: Book, horizon: Horizon, tariff: str = "flat:0.2") -> CostCase:
    """The same before its components."""
    return CostCase(of, made, horizon, Bills(find_tariff(tariff), START, of.work.load))


def usd(costs: Costs, *keys: str) -> float:
    """Dollars of components by their keys."""
    return sum(one.usd for one in costs.components if one.key in keys)
