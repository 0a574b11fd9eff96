"""A component of the cost of a system, and when its dollars are due."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from iowatt.base.results import Note
from iowatt.lenses.cost.result.costs import Payment

Group = Literal[
    "purchase", "energy", "demand", "fixed", "cooling", "wear", "failures", "loss", "service", "disposal",
    "carbon", "credit",
]  # fmt: skip
#: The order in which they are shown.
GROUPS: Final[tuple[Group, ...]] = get_args(Group)


@dataclass(frozen=True, kw_only=True)
class Component:
    """A named part of the cost. Only components of the group ``credit`` are negative."""

    key: str
    group: Group
    title: str
    #: The drive it belongs to; None for the whole system.
    device: str | None = None
    flows: tuple[Payment, ...]
    #: ``usd = quantity x unit_price``, where the component is such a product.
    quantity: float | None = None
    unit: str = ""
    unit_price: float | None = None
    formula: str
    source: str
    date: str | None = None
    #: What it grows with: nothing, the work, or the months and years billed.
    scales: Literal["once", "work", "time"]
    #: Keys of the book that it depends on.
    rests_on: tuple[str, ...] = ()
    note: str = ""
    #: ``usd`` as an expression of the book's figures, for the workbook; None where it is data.
    expression: str | None = None
    #: False where a price is missing, so that it costs more than ``usd``.
    known: bool = True

    @property
    def usd(self) -> float:
        """Dollars over the horizon, as they are paid."""
        return math.fsum(flow.usd for flow in self.flows)

    def present(self, rate: float) -> float:
        """The same in today's dollars."""
        return math.fsum(flow.present(rate) for flow in self.flows)

    def times(self, count: float) -> Component:
        """The same component of ``count`` like drives, or systems."""
        flows = tuple(Payment(flow.usd * count, flow.at_s, flow.until_s) for flow in self.flows)
        quantity = None if self.quantity is None else self.quantity * count
        expression = None if self.expression is None else f"{count}*({self.expression})"
        same = vars(self)  # not `replace`, which looks every field up: prices are made by the thousand
        return Component(**{**same, "flows": flows, "quantity": quantity, "expression": expression})


@dataclass(frozen=True)
class Costs:
    """The components of a system's cost, with notes."""

    system: str
    components: tuple[Component, ...]
    #: Carbon in kg CO2e, with or without a price.
    operational_kg: float
    embodied_kg: float
    notes: tuple[Note, ...] = ()
    #: Notes to read before the total.
    cautions: tuple[Note, ...] = ()

    @property
    def known(self) -> bool:
        """Whether every component has a price."""
        return all(component.known for component in self.components)

    @property
    def usd(self) -> float:
        """The sum of what has a price, as paid."""
        return math.fsum(component.usd for component in self.components)

    def present(self, rate: float) -> float:
        """The same in today's dollars."""
        return math.fsum(component.present(rate) for component in self.components)

    def of(self, group: Group) -> Sequence[Component]:
        """The components of a group."""
        return [component for component in self.components if component.group == group]

    @property
    def by_group(self) -> dict[Group, float]:
        """The dollars of every group that have a price, as paid, in the order of ``GROUPS``."""
        return {group: sum(component.usd for component in self.of(group)) for group in GROUPS}


def number(value: float) -> str:
    """A finite number as workbook expressions write it: with all digits, in parentheses where negative."""
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a number of an expression")
    return f"({value!r})" if value < 0 else repr(value)
