"""The durability of one system: the engine's figures for its groups, its caches, what they come from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.errors import Argument, InputError
from iowatt.lenses.book import assumptions
from iowatt.lenses.durability import LONGEST_YEARS, notes
from iowatt.lenses.durability.caches import cache_losses, controller_outage
from iowatt.lenses.durability.causes import causes
from iowatt.lenses.durability.changes import Anew, ChangedSystems, Losses, changes
from iowatt.lenses.durability.drives import YEAR_S, drive_risk
from iowatt.lenses.durability.engine import METHODS, Precision, RiskyGroup, assess, estimate
from iowatt.lenses.durability.groups import groups_of
from iowatt.lenses.durability.rebuilds import rebuild_times
from iowatt.lenses.durability.result import (
    CacheDurability,
    DriveInputs,
    Durability,
    GroupDurability,
    ProbabilityRange,
    RebuildTime,
)

if TYPE_CHECKING:
    from iowatt.lenses.book import Book
    from iowatt.lenses.durability.system import DurableSystem

GB: Final = 1e9


def analyse(
    system: DurableSystem,
    book: Book,
    *,
    years: float = 5.0,
    precision: Precision | None = None,
    others: ChangedSystems | None = None,
) -> Durability:
    """The document ``iowatt.durability/1``.

    Parameters
    ----------
    system:
        What is assessed; pools without a known rebuild get the book's rate.
    book:
        The assumptions; figures that are used are listed in the result.
    years:
        The horizon.
    precision:
        The engine and when it ends; left out, a Markov chain where it holds the group.
    others:
        The system with another redundancy or other steps, with its own rebuild; left out, its groups are
        changed as they are.

    Raises
    ------
    InputError
        A horizon or a method that is not accepted, a system that keeps no data, a figure that is missing.
    """
    precision = precision or Precision()
    _check(years, precision)
    risky = risky_groups(system, book)
    if not risky:
        message = "no volume lies on a pool of drives, so no data can be lost"
        raise InputError("empty", system.where, message)
    found = assess([one.plan(book, years) for one in risky], years, precision)
    groups = [_group(one, answer, book, years) for one, answer in zip(risky, found["groups"], strict=True)]
    caches = cache_losses(system, book, years)
    total = found["total"]

    def losses_of(total: Mapping[str, Any]) -> Losses:
        return _losses(total, caches, years)

    def groups_in(other: DurableSystem | None) -> Mapping[str, RiskyGroup]:
        own = [] if other is None else risky_groups(other, book)
        return {one.group.name: one for one in own}

    losses = losses_of(total)
    per_year, lost = losses.per_year, losses.bytes_per_year
    user_bytes = float(total["user_bytes"])
    group_hours = float(total["unavailable_group_hours_a_year"])
    return Durability(
        name=system.name,
        where=system.where,
        years=years,
        seed=precision.seed,
        modelled=system.modelled,
        user_gb=user_bytes / GB,
        usable_gb=system.usable_bytes / GB,
        overload=system.overload,
        loss_per_year=per_year,
        loss_over_horizon=losses.over_horizon,
        nines=nines(per_year.value),
        nines_of_data=nines(lost / user_bytes),
        bytes_lost_per_year=lost,
        nomdl=lost * years / user_bytes,
        mttdl_years=_mttdl(total["mttdl_s"], caches),
        degraded_hours_per_year=float(total["degraded_group_hours_a_year"]),
        unavailable_hours_per_year=group_hours + controller_outage(system, book),
        groups=groups,
        caches=caches,
        causes=causes(risky, groups, found["groups"], caches),
        changes=changes(
            risky,
            book,
            years,
            precision,
            found=total,
            losses_of=losses_of,
            anew=Anew(others, groups_in),
            usable_bytes=system.usable_bytes,
            overloaded=bool(system.overload),
        ),
        drives=_drives(risky),
        rebuilds=rebuilds_of(risky),
        assumptions=assumptions(book),
        notes=notes.of(system, risky, groups, caches),
    )


def _check(years: float, precision: Precision) -> None:
    if not 0 < years <= LONGEST_YEARS:
        message = f"{years:g} is not accepted; expected more than 0 and at most {LONGEST_YEARS:g}"
        raise InputError("out-of-range", Argument("years"), message)
    if precision.method not in METHODS:
        message = f"{precision.method!r} is not an engine; expected {', '.join(METHODS)}"
        raise InputError("not-accepted", Argument("solver"), message)


def risky_groups(system: DurableSystem, book: Book) -> list[RiskyGroup]:
    """The groups of a system with all that the engine takes of them."""
    groups = groups_of(system.plan)
    times = rebuild_times(groups, system.rebuilds, book, system.utilisation)
    return [RiskyGroup(group, drive_risk(group.drive, book), times[group.pool]) for group in groups]


def _group(one: RiskyGroup, found: Mapping[str, Any], book: Book, years: float) -> GroupDurability:
    group, count = one.group, one.group.count
    mttdl = found["mttdl_s"]
    return GroupDurability(
        name=group.name, pool=group.pool, title=group.title, count=count, members=group.members,
        survives=group.survives, spares=group.spares, user_gb=count * group.user_bytes / GB,
        model=str(group.drive["model"]), delay_s=one.delay_s(book), rebuild_s=one.rebuild.seconds,
        method=found["method"], beyond_markov=found["beyond_markov"], trials=found["trials"],
        loss_per_year=_of_all(found["loss_first_year"], count),
        loss_over_horizon=_of_all(found["loss"], count),
        group_loss_over_horizon=_of_all(found["group_loss"], count),
        bytes_lost_per_year=count * float(found["bytes_lost"]["mean"]) / years,
        mttdl_years=None if mttdl is None else mttdl / YEAR_S / count,
        degraded_hours_per_year=count * found["degraded_hours_a_year"],
        unavailable_hours_per_year=count * found["unavailable_hours_a_year"],
    )  # fmt: skip


def _of_all(found: Mapping[str, float], count: int) -> ProbabilityRange:
    """The probability that any of ``count`` independent groups loses data."""
    ends = {"value": found["mean"], "low": found["low"], "high": found["high"]}
    return ProbabilityRange(**{name: any_of([end] * count) for name, end in ends.items()})


def any_of(probabilities: Sequence[float]) -> float:
    """The probability that any of independent events happens."""
    if any(one >= 1 for one in probabilities):
        return 1.0
    return -math.expm1(sum(math.log1p(-one) for one in probabilities))


def _losses(total: Mapping[str, Any], caches: Sequence[CacheDurability], years: float) -> Losses:
    """Losses of the drives as the engine says, and of the caches."""
    of_caches = sum(one.dirty_bytes * one.failures_per_year for one in caches)
    return Losses(
        over_horizon=_with_caches(estimate(total["loss"]), caches, years),
        per_year=_with_caches(estimate(total["loss_first_year"]), caches, min(1.0, years)),
        bytes_per_year=float(total["bytes_lost"]["mean"]) / years + of_caches,
    )


def _with_caches(
    drives: ProbabilityRange, caches: Sequence[CacheDurability], years: float
) -> ProbabilityRange:
    events = [-math.expm1(-one.failures_per_year * years) for one in caches]
    return ProbabilityRange(**{name: any_of([end, *events]) for name, end in drives.model_dump().items()})


def _mttdl(seconds: float | None, caches: Sequence[CacheDurability]) -> float | None:
    rate = (YEAR_S / seconds if seconds else 0.0) + sum(one.failures_per_year for one in caches)
    return 1 / rate if rate else None


def nines(share: float) -> float | None:
    """Leading nines of ``1 - share``, as a number: 11 for 1e-11; None for 0."""
    return -math.log10(share) if share > 0 else None


def rebuilds_of(risky: Sequence[RiskyGroup]) -> list[RebuildTime]:
    """The rebuild of each pool that survives the loss of a drive."""
    return list({one.rebuild.pool: one.rebuild for one in risky if one.group.survives}.values())


def _drives(risky: Sequence[RiskyGroup]) -> list[DriveInputs]:
    return list({one.risk.inputs.model: one.risk.inputs for one in risky}.values())
