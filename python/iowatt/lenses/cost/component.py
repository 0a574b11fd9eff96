"""A component of the cost of a system, and when its dollars are due."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

from iowatt.base.results import Note
from iowatt.lenses.wear import SECONDS_PER_YEAR

Group = Literal[
    "purchase", "energy", "demand", "fixed", "cooling", "wear", "failures", "service", "disposal", "carbon",
    "credit",
]  # fmt: skip
#: The order in which they are shown.
GROUPS: Final[tuple[Group, ...]] = get_args(Group)

#: Below it the second term of a series is all that a double holds of it.
_SMALL: Final = 1e-9


@dataclass(frozen=True)
class Flow:
    """Dollars that are due: at an instant (``until_s`` None), or evenly from ``at_s`` until ``until_s``."""

    usd: float
    at_s: float = 0.0
    until_s: float | None = None

    def present(self, rate: float) -> float:
        """What it is worth today at a yearly discount ``rate`` (share): ``usd / (1 + rate)^t``.

        Of an even flow the mean of that over its time, ``usd (d(a) - d(b)) / (ln(1 + rate) (b - a))``.
        """
        if rate == 0.0:
            return self.usd
        force = math.log1p(rate)
        start = self.at_s / SECONDS_PER_YEAR
        if self.until_s is None or self.until_s <= self.at_s:
            return self.usd * math.exp(-force * start)
        grown = force * (self.until_s / SECONDS_PER_YEAR - start)
        mean = 1.0 - grown / 2 if abs(grown) < _SMALL else -math.expm1(-grown) / grown
        return self.usd * math.exp(-force * start) * mean


@dataclass(frozen=True, kw_only=True)
class Component:
    """A named part of the cost; only components of the group ``credit`` are negative."""

    key: str
    group: Group
    title: str
    #: The drive that it belongs to; None where it belongs to the whole system.
    device: str | None = None
    flows: tuple[Flow, ...]
    #: ``usd = quantity x unit_price``, where the component is such a product.
    quantity: float | None = None
    unit: str = ""
    unit_price: float | None = None
    formula: str
    source: str
    date: str | None = None
    #: How it grows with the work: not at all, in proportion, or with the months and years billed.
    scales: Literal["once", "work", "time"]
    #: Keys of the book that it rests on.
    rests_on: tuple[str, ...] = ()
    note: str = ""
    #: ``usd`` as an expression (module ``expression``) that the workbook keeps live; None where it is data.
    expression: str | None = None
    #: False where a price is missing: the component costs more than ``usd``.
    known: bool = True

    @property
    def usd(self) -> float:
        """Dollars over the horizon, as they are paid."""
        return math.fsum(flow.usd for flow in self.flows)

    def present(self, rate: float) -> float:
        """The same in today's dollars."""
        return math.fsum(flow.present(rate) for flow in self.flows)

    def times(self, count: int) -> Component:
        """Of ``count`` drives alike."""
        flows = tuple(replace(flow, usd=flow.usd * count) for flow in self.flows)
        many = None if self.quantity is None else self.quantity * count
        live = None if self.expression is None else f"{count}*({self.expression})"
        return replace(self, flows=flows, quantity=many, expression=live)


@dataclass(frozen=True)
class Costs:
    """A system's components, and the assumptions' notes."""

    system: str
    components: tuple[Component, ...]
    #: Carbon in kg CO2e: operational and embodied, also where it has no price.
    operational_kg: float
    embodied_kg: float
    notes: tuple[Note, ...] = ()
    #: What must be read before the total.
    cautions: tuple[Note, ...] = ()

    @property
    def known(self) -> bool:
        """Whether all of it has a price."""
        return all(component.known for component in self.components)

    @property
    def usd(self) -> float:
        """All of it that has a price, as paid."""
        return math.fsum(component.usd for component in self.components)

    def present(self, rate: float) -> float:
        """All of it that has a price, in today's dollars."""
        return math.fsum(component.present(rate) for component in self.components)

    def of(self, group: Group) -> Sequence[Component]:
        """The components of a group."""
        return [component for component in self.components if component.group == group]
