"""Expected cost of lost data and of hours in which it cannot be reached, where the book prices them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.errors import InputError
from iowatt.lenses.cost.pricing.component import Component
from iowatt.lenses.cost.pricing.loss_scale import GIGABYTE, HOUR, LOSS, PRICES
from iowatt.lenses.cost.result.costs import Payment
from iowatt.lenses.durability import LONGEST_YEARS, expected_loss, loss_rates

if TYPE_CHECKING:
    from iowatt.lenses.cost.pricing.case import CostCase

GB: Final = 1e9
#: Keys of the book that the expected losses rest on, of those that were used.
_RATES: Final = ("failures.afr.", "durability.")
_SOURCE: Final = "expected value (iowatt durability)"


def loss_costs(case: CostCase) -> Iterator[Component]:
    """The probability of a loss, bytes lost and hours unavailable, each times its price.

    None where all prices are 0. The probability is that of ``iowatt durability`` over the horizon: who loses
    data twice pays once.

    Raises ``InputError`` where the book lacks a figure that durability rests on.
    """
    durable = case.system.durable
    if durable is None or not any(case.book.peek(key) for key in PRICES):
        return
    found = loss_rates(durable, case.book)
    if found is None:
        return
    lost, lost_gb = -math.expm1(-found.events * case.years), found.bytes_lost / GB * case.years
    hours = found.unavailable_hours * case.years
    for key, title, what, quantity, unit in (
        (LOSS, "Loss of data", "probability of a loss over the horizon", lost, "losses"),
        (GIGABYTE, "Lost data", "expected GB lost over the horizon", lost_gb, "GB"),
        (HOUR, "Unavailable data", "expected hours without data over the horizon", hours, "h"),
    ):
        price = case.book.number(key)
        if price and quantity:
            yield Component(
                key=f"loss:{key.partition('.')[2]}", group="loss", title=title,
                flows=(Payment(quantity * price, 0.0, case.seconds),),
                quantity=quantity, unit=unit, unit_price=price,
                formula=f"{what} x {key}", source=_SOURCE, scales="time",
                rests_on=(key, *(name for name in case.book.used if name.startswith(_RATES))),
            )  # fmt: skip


def probabilities(case: CostCase) -> dict[str, Any]:
    """``loss_per_year``, ``loss_over_horizon`` and ``rebuilds`` of a system; None where they are not known.

    They are told beside the dollars, so that the figures they rest on are not among those of the dollars.
    """
    durable, found = case.system.durable, None
    if durable is not None and case.years <= LONGEST_YEARS:
        with suppress(InputError):
            found = expected_loss(durable, case.book.changed({}), case.years)
    return {
        "loss_per_year": None if found is None else found.loss_per_year,
        "loss_over_horizon": None if found is None else found.loss_over_horizon,
        "rebuilds": [] if found is None else list(found.rebuilds),
    }
