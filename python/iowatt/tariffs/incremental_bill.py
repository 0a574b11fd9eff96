"""What a load adds to the bill of a site that draws power anyway."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from iowatt.tariffs.bill import Bill, bill
from iowatt.tariffs.item import Item, Kind
from iowatt.tariffs.load import Load
from iowatt.tariffs.structure import Tariff

#: What makes two items of two bills the same line; the price of a minimum differs, and is left out.
_Line = tuple[Kind, str, int | None, int | None, str, float | None]


def beside(tariff: Tariff, load: Load, site_watts: float, start: datetime) -> tuple[Item, ...]:
    """The bill of ``load`` beside a site of ``site_watts``, less that of the site alone, as items.

    Quantities are what is added; of what lacks to a minimum the price is. An item that gets smaller is of
    kind ``sell``. The items add up to the difference of the two bills.
    """
    both = _by_line(bill(tariff, load.plus(site_watts), start))
    alone = _by_line(bill(tariff, load.scaled(0.0).plus(site_watts), start))
    return tuple(_added(both, alone))


def _added(both: dict[_Line, Item], alone: dict[_Line, Item]) -> Iterator[Item]:
    for line, item in (alone | both).items():
        here, there = both.get(line), alone.get(line)
        if line[0] == "minimum":
            more = (here.price if here else 0.0) - (there.price if there else 0.0)
            added = replace(item, price=more)
        else:
            more = (here.quantity if here else 0.0) - (there.quantity if there else 0.0)
            added = replace(item, quantity=more)
        if added.usd:
            yield added.signed()


def _by_line(made: Bill) -> dict[_Line, Item]:
    found: dict[_Line, Item] = {}
    for item in made.items:
        minimum = item.kind == "minimum"
        price = None if minimum else item.price
        line = (item.kind, item.month, item.period, item.tier, item.unit, price)
        known = found.get(line)
        if known is None:
            found[line] = item
        elif minimum:
            found[line] = replace(known, price=known.price + item.price)
        else:
            found[line] = replace(known, quantity=known.quantity + item.quantity)
    return found
