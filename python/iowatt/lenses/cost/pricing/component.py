"""A component of the cost of a system, and when its dollars are due."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

from iowatt.base.results import Note
from iowatt.lenses.cost.result.costs import Payment

Group = Literal[
    "purchase", "energy", "demand", "fixed", "cooling", "wear", "failures", "service", "disposal", "carbon",
    "credit",
]  # fmt: skip
#: The order in which they are shown.
GROUPS: Final[tuple[Group, ...]] = get_args(Group)


@dataclass(frozen=True, kw_only=True)
class Component:
    """A named part of the cost; only components of the group ``credit`` are negative."""

    key: str
    group: Group
    title: str
    #: The drive that it belongs to; None where it belongs to the whole system.
    device: str | None = None
    flows: tuple[Payment, ...]
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

    @property
    def by_group(self) -> dict[Group, float]:
        """The dollars of every group that have a price, as paid, in the order of ``GROUPS``."""
        return {group: sum(component.usd for component in self.of(group)) for group in GROUPS}


def number(value: float) -> str:
    """A finite number as workbook expressions write it: with all digits, in parentheses where negative."""
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a number of an expression")
    return f"({value!r})" if value < 0 else repr(value)
