"""The scale of a system's losses, taken once at the book's values and kept under draws of them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from iowatt.base.errors import InputError
from iowatt.lenses.durability import LONGEST_YEARS, scale_of

if TYPE_CHECKING:
    from iowatt.lenses.book import Book
    from iowatt.lenses.cost.systems.system import PricedSystem

LOSS: Final = "durability.usd_per_loss"
GIGABYTE: Final = "durability.usd_per_lost_gb"
HOUR: Final = "durability.usd_per_unavailable_hour"
PRICES: Final = (LOSS, GIGABYTE, HOUR)


def with_scale(system: PricedSystem, book: Book, years: float) -> PricedSystem:
    """The system whose losses are those of ``iowatt durability`` at the values of a book that prices them."""
    durable = system.durable
    if durable is None or not years <= LONGEST_YEARS or not any(book.peek(key) for key in PRICES):
        return system
    with suppress(InputError):  # told where the losses are priced
        scale = scale_of(durable, book.changed({}), years, hours=bool(book.peek(HOUR)))
        return replace(system, durable=replace(durable, scale=scale))
    return system
