"""The expected losses of a system, by the plan and the engine of ``analyse``, for tables and prices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from iowatt.base.errors import InputError
from iowatt.lenses.book import find_book
from iowatt.lenses.durability import YEARS
from iowatt.lenses.durability.analysis import rebuilds_of, risky_groups
from iowatt.lenses.durability.caches import cache_losses, controller_outage
from iowatt.lenses.durability.drives import YEAR_S
from iowatt.lenses.durability.engine import Precision, assess
from iowatt.lenses.durability.system import DurableSystem

if TYPE_CHECKING:
    from iowatt.lenses.book import Book
    from iowatt.lenses.durability.result import RebuildTime
    from iowatt.run.bundle import Run


@dataclass(frozen=True)
class ExpectedLoss:
    """Losses over a horizon, as a table has them."""

    loss_per_year: float
    loss_over_horizon: float
    #: Events of loss a year, at a constant rate.
    events_per_year: float
    bytes_lost_per_year: float
    #: None where they were not asked for.
    unavailable_hours_per_year: float | None
    degraded_hours_per_year: float
    #: By pool, as the losses rest on them.
    rebuilds: tuple[RebuildTime, ...]


def expected_loss(
    system: DurableSystem, book: Book, years: float, *, hours: bool = False
) -> ExpectedLoss | None:
    """The expected losses over ``years``, those of ``analyse``; None where no data is kept on drives.

    ``hours`` asks for those in which data is unavailable, which takes longer. Raises ``InputError`` where the
    book lacks a figure.
    """
    risky = risky_groups(system, book)
    if not risky:
        return None
    plans = [one.plan(book, years, hours=hours) for one in risky]
    total = assess(plans, years, Precision())["total"]
    outage = total["unavailable_group_hours_a_year"] + controller_outage(system, book) if hours else None
    return _expected(system, book, years, total, hours=outage, rebuilds=rebuilds_of(risky))


def rough_loss(system: DurableSystem, book: Book, years: float) -> ExpectedLoss | None:
    """The same by a chain of few states, at constant rates and without failure domains: for screening."""
    risky = risky_groups(system, book)
    if not risky:
        return None
    total = assess([one.rough_plan(book) for one in risky], years, Precision(method="markov"))["total"]
    return _expected(system, book, years, total, hours=None, rebuilds=rebuilds_of(risky))


def _expected(
    system: DurableSystem,
    book: Book,
    years: float,
    total: dict[str, Any],
    *,
    hours: float | None,
    rebuilds: Sequence[RebuildTime],
) -> ExpectedLoss:
    caches = cache_losses(system, book, years)
    of_caches = sum(one.failures_per_year for one in caches)
    mttdl_s = total["mttdl_s"]

    def with_caches(loss: float, span: float) -> float:
        return 1.0 - (1.0 - loss) * math.exp(-of_caches * span) if of_caches else loss

    return ExpectedLoss(
        loss_per_year=with_caches(total["loss_first_year"]["mean"], min(1.0, years)),
        loss_over_horizon=with_caches(total["loss"]["mean"], years),
        events_per_year=(YEAR_S / mttdl_s if mttdl_s else 0.0) + of_caches,
        bytes_lost_per_year=total["bytes_lost"]["mean"] / years
        + sum(one.dirty_bytes * one.failures_per_year for one in caches),
        unavailable_hours_per_year=hours,
        degraded_hours_per_year=total["degraded_group_hours_a_year"],
        rebuilds=tuple(rebuilds),
    )


def loss_of_run(run: Run) -> float | None:
    """The probability that the system of a Run loses data in a year, by the default book.

    A rebuild takes what one in the Run took, else the book's rate; None where it is not known.
    """
    if not run.plan.get("simulation", {}).get("pools"):
        return None
    try:
        found = expected_loss(DurableSystem.of_run(run), find_book("default"), YEARS)
    except InputError:
        return None
    return None if found is None else found.loss_per_year
