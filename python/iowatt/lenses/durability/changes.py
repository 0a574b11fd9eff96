"""What one change would do: a parity or copy more or less, a faster rebuild, a scrub, another spare."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from iowatt.lenses.durability.engine import Precision, RiskyGroup, assess
from iowatt.lenses.durability.redundancy import in_words, with_more
from iowatt.lenses.durability.result import DurabilityChange, ProbabilityRange

if TYPE_CHECKING:
    from iowatt.lenses.book import Book

GB: Final = 1e9
AS_IT_IS: Final = "as it is"
WEEK_DAYS: Final = 7.0
LEAST_ERROR: Final = 0.1
"""Relative error up to which trials of a change are made; the system itself has less."""


@dataclass(frozen=True)
class _Changed:
    """The groups with one thing changed, in words."""

    change: str
    groups: list[RiskyGroup]
    survives_more: int = 0


@dataclass(frozen=True)
class Losses:
    """The loss of a system: over the horizon, in the first year, in bytes a year."""

    over_horizon: ProbabilityRange
    per_year: ProbabilityRange
    bytes_per_year: float


def changes(
    risky: Sequence[RiskyGroup],
    book: Book,
    years: float,
    precision: Precision,
    *,
    found: Mapping[str, Any],
    losses_of: Callable[[Mapping[str, Any]], Losses],
    overloaded: bool = False,
) -> list[DurabilityChange]:
    """The system as it is, ``found`` of the engine, and with one thing changed.

    All by one engine, with the same rebuild and random streams; ``losses_of`` makes losses of its answer. An
    ``overloaded`` system has no rebuild that could be faster.
    """
    quick = replace(
        precision,
        relative_error=max(LEAST_ERROR, precision.relative_error),
        most_cpu_s=precision.most_cpu_s / 6,
    )
    now = losses_of(found)
    rows = [_row(_Changed(AS_IT_IS, list(risky)), found, now, now, 0)]
    for one in _changed(risky, overloaded=overloaded):
        total = assess([group.plan(book, years, hours=False) for group in one.groups], years, quick)["total"]
        more = sum(
            new.group.count * (new.group.members - old.group.members)
            for old, new in zip(risky, one.groups, strict=True)
        )
        rows.append(_row(one, total, losses_of(total), now, more))
    return rows


def _row(
    one: _Changed, total: Mapping[str, Any], losses: Losses, now: Losses, drives_more: int
) -> DurabilityChange:
    return DurabilityChange(
        change=one.change,
        survives_more=one.survives_more,
        drives_more=drives_more,
        loss_per_year=losses.per_year.value,
        loss_over_horizon=losses.over_horizon.value,
        low=losses.over_horizon.low,
        high=losses.over_horizon.high,
        bytes_lost_per_year=losses.bytes_per_year,
        user_gb=total["user_bytes"] / GB,
        better=_better(now.over_horizon, losses.over_horizon),
    )


def _better(now: ProbabilityRange, then: ProbabilityRange) -> float | None:
    """How much less likely a loss is; None without any, and where trials do not tell the two apart."""
    trials = now.low < now.high or then.low < then.high
    if not then.value or (trials and now.low <= then.high and then.low <= now.high):
        return None
    return now.value / then.value


def _changed(risky: Sequence[RiskyGroup], *, overloaded: bool) -> Iterator[_Changed]:
    for more in (1, -1):
        groups = [with_more(one.group, more) for one in risky]
        if any(groups):
            changed = [
                replace(one, group=group or one.group) for one, group in zip(risky, groups, strict=True)
            ]
            yield _Changed(in_words([one.group for one in risky], groups, more), changed, more)
    redundant = [one for one in risky if one.group.survives]
    if redundant and not overloaded:
        faster = [
            replace(one, rebuild=one.rebuild.model_copy(update={"seconds": one.rebuild.seconds / 2}))
            for one in risky
        ]
        yield _Changed("rebuilds in half the time", faster)
    days = min(one.risk.scrub_days for one in risky)
    if redundant and (days > WEEK_DAYS or not days):
        weekly = [replace(one, risk=replace(one.risk, scrub_days=WEEK_DAYS)) for one in risky]
        yield _Changed("a scrub every week", weekly)
    if any(not one.lasting_spares for one in redundant):
        spare = [replace(one, group=replace(one.group, spares=one.group.spares + 1)) for one in risky]
        yield _Changed("one more spare", spare)
