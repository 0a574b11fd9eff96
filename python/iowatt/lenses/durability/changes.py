"""What one change would do: a parity or copy more or less, a faster rebuild, a scrub, another spare."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from iowatt.lenses.durability import LARGER_STEPS, SLOW_REBUILD_S
from iowatt.lenses.durability.engine import Precision, RiskyGroup, assess
from iowatt.lenses.durability.redundancy import in_words, with_more
from iowatt.lenses.durability.result import DurabilityChange, ProbabilityRange
from iowatt.render.numbers import binary

if TYPE_CHECKING:
    from iowatt.lenses.book import Book
    from iowatt.lenses.durability.groups import DataGroup
    from iowatt.lenses.durability.system import DurableSystem

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
    #: Whether it is a system of its own, laid out anew: its figures are those that it has itself.
    laid_out: bool = False

    @property
    def usable_bytes(self) -> float:
        """Of all groups."""
        return sum(one.group.count * one.group.usable_bytes for one in self.groups)


@dataclass(frozen=True)
class Losses:
    """The loss of a system: over the horizon, in the first year, in bytes a year."""

    over_horizon: ProbabilityRange
    per_year: ProbabilityRange
    bytes_per_year: float


class ChangedSystems(Protocol):
    """The system with one thing changed that its rebuild depends on; None where there is no such system."""

    def with_redundancy(self, more: int) -> DurableSystem | None:
        """With ``more`` (1 or -1) copies or parities in each pool of its clusters."""

    def with_larger_steps(self) -> DurableSystem | None:
        """With rebuilds in ``LARGER_STEPS``."""


@dataclass(frozen=True)
class Anew:
    """The groups of other systems, by name, with their own rebuilds; none where there is no such system."""

    others: ChangedSystems | None
    groups: Callable[[DurableSystem | None], Mapping[str, RiskyGroup]]

    def with_redundancy(self, more: int) -> Mapping[str, RiskyGroup]:
        """With ``more`` copies or parities."""
        return self.groups(None if self.others is None else self.others.with_redundancy(more))

    def with_larger_steps(self) -> Mapping[str, RiskyGroup]:
        """With rebuilds in larger steps."""
        return self.groups(None if self.others is None else self.others.with_larger_steps())


def changes(
    risky: Sequence[RiskyGroup],
    book: Book,
    years: float,
    precision: Precision,
    *,
    found: Mapping[str, Any],
    losses_of: Callable[[Mapping[str, Any]], Losses],
    usable_bytes: float,
    anew: Anew,
    overloaded: bool = False,
) -> list[DurabilityChange]:
    """The system as it is, ``found`` of the engine, and with one thing changed.

    All by one engine, with the same random streams; ``losses_of`` makes losses of its answer. ``anew`` has
    what has a rebuild of its own; the rest keeps the system's. An ``overloaded`` system has no rebuild that
    could be faster.
    """
    quick = replace(
        precision,
        relative_error=max(LEAST_ERROR, precision.relative_error),
        most_cpu_s=precision.most_cpu_s / 6,
    )
    now = losses_of(found)
    before = _Changed(AS_IT_IS, list(risky))
    rows = [_row(before, found, now, now, usable_bytes=usable_bytes, drives_more=0)]
    for one in _changed(risky, anew, overloaded=overloaded):
        plans = [group.plan(book, years, hours=one.laid_out) for group in one.groups]
        total = assess(plans, years, precision if one.laid_out else quick)["total"]
        more = sum(
            _drives(new.group) - _drives(old.group) for old, new in zip(risky, one.groups, strict=True)
        )
        usable = usable_bytes * one.usable_bytes / before.usable_bytes
        rows.append(_row(one, total, losses_of(total), now, usable_bytes=usable, drives_more=more))
    return rows


def _drives(group: DataGroup) -> int:
    """Drives of all groups with their spares; spare space of many drives takes none of its own."""
    whole = group.code["code"] != "declustered"
    return group.count * (group.members + (group.spares if whole else 0))


def _row(
    one: _Changed,
    total: Mapping[str, Any],
    losses: Losses,
    now: Losses,
    *,
    usable_bytes: float,
    drives_more: int,
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
        usable_gb=usable_bytes / GB,
        better=_better(now.over_horizon, losses.over_horizon),
    )


def _better(now: ProbabilityRange, then: ProbabilityRange) -> float | None:
    """How much less likely a loss is; None without any, and where trials do not tell the two apart."""
    trials = now.low < now.high or then.low < then.high
    if not then.value or (trials and now.low <= then.high and then.low <= now.high):
        return None
    return now.value / then.value


def _changed(risky: Sequence[RiskyGroup], anew: Anew, *, overloaded: bool) -> Iterator[_Changed]:
    for more in (1, -1):
        other = anew.with_redundancy(more)
        changed = [other.get(one.group.name) or _with_more(one, more) for one in risky]
        groups = [None if one is None else one.group for one in changed]
        if any(groups):
            whole = [new or old for old, new in zip(risky, changed, strict=True)]
            yield _Changed(in_words([one.group for one in risky], groups, more), whole, more, bool(other))
    redundant = [one for one in risky if one.group.survives]
    if redundant and not overloaded:
        faster = [
            replace(one, rebuild=one.rebuild.model_copy(update={"seconds": one.rebuild.seconds / 2}))
            for one in risky
        ]
        yield _Changed("rebuilds in half the time", faster)
        yield from _in_larger_steps(risky, anew)
    if any(one.group.delay_s for one in redundant):
        at_once = [replace(one, group=replace(one.group, delay_s=0.0)) for one in risky]
        yield _Changed("recovery at once", at_once)
    days = min(one.risk.scrub_days for one in risky)
    if redundant and (days > WEEK_DAYS or not days):
        weekly = [replace(one, risk=replace(one.risk, scrub_days=WEEK_DAYS)) for one in risky]
        yield _Changed("a scrub every week", weekly)
    if any(not one.lasting_spares for one in redundant):
        spare = [replace(one, group=replace(one.group, spares=one.group.spares + 1)) for one in risky]
        yield _Changed("one more spare", spare)


def _in_larger_steps(risky: Sequence[RiskyGroup], anew: Anew) -> Iterator[_Changed]:
    """A slow rebuild in larger steps, where its time is simulated as that of the system is."""
    if not any(one.rebuild.seconds > SLOW_REBUILD_S and one.rebuild.simulated_share for one in risky):
        return
    other = anew.with_larger_steps()
    changed = [other.get(one.group.name, one) for one in risky]
    if other and all(new.rebuild.simulated_share for new in changed if new.group.survives):
        steps = f"rebuilds in {LARGER_STEPS.outstanding} x {binary(LARGER_STEPS.step_bytes)}"
        yield _Changed(steps, changed, laid_out=True)


def _with_more(one: RiskyGroup, more: int) -> RiskyGroup | None:
    group = with_more(one.group, more)
    return None if group is None else replace(one, group=group)
