"""What a load costs by a tariff, item by item."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from iowatt.tariffs.load import Load
from iowatt.tariffs.structure import Tariff

Kind = Literal["energy", "fuel", "demand", "fixed", "minimum", "sell"]


@dataclass(frozen=True)
class Item:
    """A line of a bill: ``usd = quantity x price x share``; ``sell`` is a credit, and negative."""

    kind: Kind
    #: "2026-07".
    month: str
    #: Period and tier, from 0; None where the charge has none.
    period: int | None
    tier: int | None
    quantity: float
    unit: str
    price: float
    #: Part of the month that the load lasts, by which demand and fixed charges count.
    share: float
    usd: float


@dataclass(frozen=True)
class Bill:
    """The items of a load, and the joules that they are for."""

    tariff: Tariff
    start: datetime
    load: Load
    items: tuple[Item, ...]
    #: Of the whole load.
    energy_j: float
    notes: tuple[str, ...]
