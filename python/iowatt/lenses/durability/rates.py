"""Losses a year under draws of the assumptions: a price asks for thousands of them.

At the book's own values they are those of ``expected_loss``. Under other values they move as a chain of few
states does, and hours in which data is unavailable with a power of the load of each failure domain.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from iowatt.lenses.durability import YEARS
from iowatt.lenses.durability.analysis import risky_groups
from iowatt.lenses.durability.caches import controller_outage
from iowatt.lenses.durability.engine import Precision, RiskyGroup, assess
from iowatt.lenses.durability.expected import ExpectedLoss, expected_loss, rough_loss
from iowatt.lenses.durability.system import DurableSystem, LossScale

if TYPE_CHECKING:
    from iowatt.lenses.book import Book

#: Keys of the book that losses rest on.
RESTS_ON: Final = ("failures.afr.", "durability.")
#: Factor of a domain's load from which the power of its hours is taken.
_STEP: Final = 2.0


@dataclass(frozen=True)
class LossRates:
    """Losses a year.

    ``events`` is the constant rate at which losing data once or more over the horizon of the scale has the
    probability of ``expected_loss``.
    """

    events: float
    bytes_lost: float
    unavailable_hours: float


def scale_of(system: DurableSystem, book: Book, years: float, *, hours: bool) -> LossScale | None:
    """What brings rough losses to those over ``years`` at the values of ``book``; None without data.

    ``hours`` asks for those in which data is unavailable. Raises ``InputError`` as ``expected_loss``.
    """
    whole, rough = expected_loss(system, book, years, hours=hours), rough_loss(system, book, YEARS)
    if whole is None or rough is None:
        return None
    risky = risky_groups(system, book)
    return LossScale(
        events=_ratio(_rate(whole, years), rough.events_per_year),
        bytes_lost=_ratio(whole.bytes_lost_per_year, rough.bytes_lost_per_year),
        hours=(whole.unavailable_hours_per_year or 0.0) - controller_outage(system, book) if hours else 0.0,
        loads=_loads(risky, book),
        powers=_powers(risky, book, years) if hours else {},
    )


def loss_rates(system: DurableSystem, book: Book) -> LossRates | None:
    """Losses a year at the values of ``book``, by the scale of the system; None where it keeps no data.

    Figures that no loss rests on (a price of energy) do not ask the engine again.
    """
    if system.scale is None:
        return _rates(system, book)
    given = tuple((key, book.figures[key].value) for key in book.figures if key.startswith(RESTS_ON))
    known = system.scale.known
    if given not in known:
        asked = book.changed({})
        known[given] = _rates(system, asked), tuple(asked.used)
    rates, used = known[given]
    book.use(used)
    found: LossRates | None = rates
    return found


def _rates(system: DurableSystem, book: Book) -> LossRates | None:
    rough = rough_loss(system, book, YEARS)
    if rough is None:
        return None
    scale = system.scale or LossScale(1.0, 1.0, 0.0, {}, {})
    loads = _loads(risky_groups(system, book), book)
    moved = math.prod((loads[kind] / scale.loads[kind]) ** power for kind, power in scale.powers.items())
    return LossRates(
        events=rough.events_per_year * scale.events,
        bytes_lost=rough.bytes_lost_per_year * scale.bytes_lost,
        unavailable_hours=scale.hours * moved + controller_outage(system, book),
    )


def _rate(whole: ExpectedLoss, years: float) -> float:
    """Events a year that give the probability over the horizon; a certain loss has no such rate."""
    loss = whole.loss_over_horizon
    return -math.log1p(-loss) / years if loss < 1.0 else whole.events_per_year


def _ratio(whole: float, rough: float) -> float:
    return whole / rough if rough else 1.0


def _loads(risky: Sequence[RiskyGroup], book: Book) -> dict[str, float]:
    """Share of time that a unit of each kind of domain is down."""
    kinds = {domain.kind for one in risky for domain in one.group.domains}
    return {
        kind: book.number(f"durability.failures.{kind}") * book.number(f"durability.repair_hours.{kind}")
        for kind in sorted(kinds)
    }


def _powers(risky: Sequence[RiskyGroup], book: Book, years: float) -> Mapping[str, float]:
    """With which power of the load of each domain the hours grow: the units that must be down together."""

    def hours(kind: str | None) -> float:
        plans = [one.plan(book, years) for one in risky]
        for one, plan in zip(risky, plans, strict=True):
            for domain, keys in zip(one.group.domains, plan["domains"], strict=True):
                keys["failures_per_s"] *= _STEP if domain.kind == kind else 1.0
        total = assess(plans, years, Precision(method="markov"))["total"]
        return float(total["unavailable_group_hours_a_year"])

    now = hours(None)
    loads = _loads(risky, book)
    return {
        kind: math.log(more / now, _STEP)
        for kind, load in loads.items()
        if load > 0 and now > 0 and (more := hours(kind)) > now
    }
