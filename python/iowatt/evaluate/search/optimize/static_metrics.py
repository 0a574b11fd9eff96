"""Metrics of a point that follow from its plan, so that no run has to say them; exactly as a Run has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from iowatt.evaluate.search import pricing, redundancy
from iowatt.evaluate.search.optimize import metric
from iowatt.lenses.efficiency import BYTES_PER_GB
from iowatt.sources.simulation.counts import capacity

PURCHASE: Final = "cost.purchase_usd"


def known(plan: Mapping[str, Any], prices: pricing.Pricing | None) -> dict[str, float]:
    """Drives, capacity, redundancy, the purchase where it is priced, idle watts.

    Raises ``InputError`` where something of it has no price.
    """
    found: dict[str, float] = {
        "devices.count": float(len(plan["names"]["devices"])),
        metric.SURVIVED: float(redundancy.failures_survived(plan)),
    }
    if not _reduced(plan):
        bytes_ = capacity(plan["names"], plan["simulation"])
        for name, value in (
            ("raw", bytes_.raw_bytes), ("usable", bytes_.usable_bytes), ("effective", bytes_.effective_bytes),
        ):  # fmt: skip
            if value is not None:
                found[f"capacity_gb.{name}"] = value / BYTES_PER_GB
    if prices is not None:
        found[PURCHASE] = pricing.purchase(plan, prices)
    return found


def _reduced(plan: Mapping[str, Any]) -> bool:
    """Whether what a volume is worth depends on what is written: snapshots keep data of their own."""
    return bool(plan["simulation"].get("virtual_pools"))
