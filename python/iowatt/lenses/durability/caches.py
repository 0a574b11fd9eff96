"""Data that is in the controllers' cache alone, and is lost with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from iowatt.lenses.durability.drives import HOURS_A_YEAR
from iowatt.lenses.durability.result import CacheDurability
from iowatt.render.numbers import with_unit

if TYPE_CHECKING:
    from iowatt.lenses.book import Book
    from iowatt.lenses.durability.system import DurableSystem

OF: Final = "controller"


def controllers(system: DurableSystem, book: Book) -> int:
    """Controllers of which one suffices: those of the scenario, else as the book says."""
    keys = system.plan["simulation"].get("controller") or {}
    nodes = (keys.get("nodes") or {}).get("count")
    if nodes:
        return int(nodes)
    cache = keys.get("cache") or {}
    if cache.get("write") == "back" and cache.get("mirror") is None:
        return 1
    return int(book.number("durability.controllers"))


def together_per_year(rate: float, count: int, repair_hours: float) -> float:
    """Times a year that ``count`` units, each failing at ``rate`` a year, are all down at once.

    ``n rate (rate R)^(n - 1)`` with the repair R of one in years, which is small.
    """
    return count * rate * (rate * repair_hours / HOURS_A_YEAR) ** (count - 1)


def cache_losses(system: DurableSystem, book: Book, years: float) -> list[CacheDurability]:
    """What the failure of controllers loses of a write-back cache; nothing of a cache that writes through.

    Without a mirror one failure loses it; with one, the failure of both before the first is repaired.
    """
    from math import expm1

    keys = system.plan["simulation"].get("controller") or {}
    cache = keys.get("cache") or {}
    if cache.get("write") != "back":
        return []
    rate = book.number(f"durability.failures.{OF}")
    lost = book.number(f"durability.lost_share.{OF}")
    hours = book.number(f"durability.repair_hours.{OF}")
    mirrored = cache.get("mirror") is not None or keys.get("nodes")
    copies = 2 if mirrored else 1
    per_year = lost * together_per_year(rate, copies, hours)
    dirty = system.dirty_bytes
    known = "the mean of the Run" if dirty is not None else "as much as destaging allows"
    if dirty is None:
        dirty = cache["capacity_bytes"] * float(cache.get("high_watermark") or 1.0)
    how = "mirrored: lost with both controllers" if mirrored else "not mirrored: lost with its controller"
    return [
        CacheDurability(
            name="cache",
            dirty_bytes=float(dirty),
            failures_per_year=per_year,
            loss_over_horizon=-expm1(-per_year * years),
            text=f"write-back cache, {how}; {with_unit(dirty / 1e6, 'MB')} dirty, {known}",
        )
    ]


def controller_outage(system: DurableSystem, book: Book) -> float:
    """Hours a year in which no controller works."""
    if system.plan["simulation"].get("clusters"):
        return 0.0  # nodes are domains of their drives
    count = controllers(system, book)
    rate = book.number(f"durability.failures.{OF}")
    hours = book.number(f"durability.repair_hours.{OF}")
    return together_per_year(rate, count, hours) * hours / count
