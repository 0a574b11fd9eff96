"""A line of a bill."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

#: ``sell`` holds all that is taken off a bill: what is paid for energy fed back, and charges that the
#: tariff makes negative. All other kinds are never negative.
Kind = Literal["energy", "fuel", "demand", "coincident", "fixed", "minimum", "sell"]


@dataclass(frozen=True)
class Item:
    """A line of a bill: ``usd = quantity x price x share``; ``sell`` is a credit, and negative."""

    kind: Kind
    month: str  #: "2026-07".
    period: int | None  #: Period and tier, from 0; None where the charge has none.
    tier: int | None
    quantity: float
    unit: str
    price: float
    #: Part of the month that the load lasts, by which demand and fixed charges count; 1 for energy.
    share: float = 1.0

    @property
    def usd(self) -> float:
        """Dollars."""
        return self.quantity * self.price * self.share

    def signed(self) -> Item:
        """The same; as ``sell`` where it is negative."""
        return replace(self, kind="sell") if self.usd < 0 else self
