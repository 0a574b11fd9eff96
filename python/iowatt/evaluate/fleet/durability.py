"""Loss of data in a fleet, from the probability that one member loses some in a year.

Members lose data independently of one another: of n members with probability p each, at least one does with
1 - (1 - p)^n. What members have in common (a site, a firmware) is not in it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from iowatt.base.errors import InputError
from iowatt.lenses.durability import YEARS, RebuildTime, expected_loss

if TYPE_CHECKING:
    from iowatt.evaluate.fleet.class_keys import FleetClass
    from iowatt.lenses.book import Book
    from iowatt.lenses.durability import DurableSystem

_AFR: Final = "failures.afr."


def any_loses(members: Iterable[tuple[float | None, float]]) -> float | None:
    """The probability that any member loses data, of pairs of a probability and member-years.

    None where that of any of the members is not known.
    """
    survives = 0.0
    for probability, years in members:
        if years <= 0.0:
            continue
        if probability is None:
            return None
        if probability >= 1.0:
            return 1.0
        survives += years * math.log1p(-probability)
    return -math.expm1(survives)


def at_age(by_age: Sequence[float] | None, age: float) -> float | None:
    """The probability of one member in a year at an age; the last of ``by_age`` goes on."""
    return None if by_age is None else by_age[min(int(age + 1e-9), len(by_age) - 1)]


def of_class(stated: FleetClass) -> tuple[float, ...] | None:
    """The probability that a plan states for one member in a year, by year of age; None without any."""
    given = stated.loss_probability
    return None if given is None else tuple(given) if isinstance(given, list) else (given,)


@dataclass(frozen=True)
class MemberLoss:
    """The probability that one member loses data in a year, by year of age, and the rebuilds it rests on.

    By the lens it is that of a mean year of its horizon: so many years of one member have the probability of
    ``iowatt durability`` over them.
    """

    by_age: tuple[float, ...]
    rebuilds: tuple[RebuildTime, ...]


def of_system(system: DurableSystem, book: Book, afr: Sequence[float] | None = None) -> MemberLoss | None:
    """The same by the durability lens; None where it cannot be assessed.

    ``afr`` are failure rates of its drives by year of age, in place of the book's.
    """
    found, rebuilds = list[float](), tuple[RebuildTime, ...]()
    for rate in afr or (None,):
        rates = {} if rate is None else {key: rate for key in book.figures if key.startswith(_AFR)}
        try:
            loss = expected_loss(system, book.changed(rates), YEARS)
        except InputError:
            return None
        if loss is None:
            return None
        found.append(a_year(loss.loss_over_horizon, YEARS))
        rebuilds = loss.rebuilds
    return MemberLoss(tuple(found), rebuilds)


def a_year(loss: float, years: float) -> float:
    """The probability in each of ``years`` like years, from that over all of them."""
    return 1.0 if loss >= 1.0 else -math.expm1(math.log1p(-loss) / years)


def over_years(yearly: Iterable[float | None]) -> float | None:
    """The probability over several years from that of each; None where one is not known."""
    return any_loses((one, 1.0) for one in yearly)
