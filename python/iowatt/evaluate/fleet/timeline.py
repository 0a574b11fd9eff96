"""Members over time: those there are, bought when demands outgrow them, retired when they are old.

At each stage, in this order: members past their age are retired, then as many are bought as the demand needs
until the next stage, by its fill and by the load of its members. Data lies evenly on usable capacity, and
load on the data.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from iowatt.base.errors import InputError
from iowatt.evaluate.fleet.class_keys import MOST_MEMBERS
from iowatt.evaluate.fleet.demand import QUARTERS, most_within
from iowatt.lenses.wear import SECONDS_PER_YEAR

if TYPE_CHECKING:
    from iowatt.evaluate.fleet.keys import FleetDemand, FleetPlan
    from iowatt.evaluate.fleet.spread import LoadSpread

_DAYS_A_YEAR: Final = 365.25
_NEXT: Final = 1e-9


@dataclass(frozen=True)
class ClassCapacity:
    """What one member holds and serves."""

    usable_bytes: float
    #: The highest load that keeps the service level.
    most_iops: float
    load_weight: float


@dataclass
class Cohort:
    """Members of a class bought at one time, in years from the start; it is negative for those there are."""

    name: str
    bought: float
    count: int
    retired: float = math.inf

    def at(self, time: float) -> int:
        """How many there are at a time."""
        return self.count if self.bought <= time + _NEXT and time + _NEXT < self.retired else 0


@dataclass
class MemberTimeline:
    """All cohorts of the plan, and what could not be done in time."""

    cohorts: list[Cohort] = field(default_factory=list)
    #: Time, demand and members that were short, and could not arrive yet.
    short: list[tuple[float, str, int]] = field(default_factory=list)
    #: Time, class and members whose retirement had to wait for what replaces them.
    kept: list[tuple[float, str, int]] = field(default_factory=list)

    def count(self, name: str, time: float) -> int:
        """Members of a class at a time."""
        return sum(one.at(time) for one in self.cohorts if one.name == name)

    def bought(self, name: str, start: float, end: float) -> int:
        """Members of a class bought from a time on until another."""
        return sum(
            one.count
            for one in self.cohorts
            if one.name == name and start - _NEXT <= one.bought < end - _NEXT
        )

    def retired(self, name: str, start: float, end: float) -> int:
        """Members of a class retired from a time on until another."""
        return sum(
            one.count
            for one in self.cohorts
            if one.name == name and start - _NEXT <= one.retired < end - _NEXT
        )


@dataclass(frozen=True)
class DemandShare:
    """How a demand lies on its members at a moment."""

    #: Usable bytes of all, and those times the load weight of each class.
    usable: float
    weighted: float

    @classmethod
    def of(cls, counts: Mapping[str, int], members: Mapping[str, ClassCapacity]) -> DemandShare:
        """Of so many members of each class."""
        usable = {name: count * members[name].usable_bytes for name, count in counts.items()}
        return cls(sum(usable.values()), sum(members[name].load_weight * one for name, one in usable.items()))

    def member_iops(self, member: ClassCapacity, load: float) -> float:
        """Mean load of one member where all of them together have ``load``."""
        return member.load_weight * member.usable_bytes * load / self.weighted if self.weighted else 0.0


def follow(
    plan: FleetPlan, members: Mapping[str, ClassCapacity], spreads: Mapping[str, LoadSpread]
) -> MemberTimeline:
    """The members of a plan; ``members`` by class, ``spreads`` of loads by demand.

    Raises ``InputError`` where a demand cannot be served by any number of members, or needs too many.
    """
    made = MemberTimeline(_first(plan))
    each = 1.0 if plan.purchases.every == "year" else 1.0 / QUARTERS
    lead = plan.purchases.lead_time / SECONDS_PER_YEAR
    for number in range(round(plan.years / each)):
        now = number * each
        arrives = now >= lead - _NEXT
        _retire(plan, made, now, arrives=arrives)
        for demand in plan.demand:
            name = bought_class(plan, demand, now)
            counts = {one.name: made.count(one.name, now) for one in plan.classes_of(demand)}
            short = _short(
                demand, counts, members, bought=name, within=(now, now + each), spread=spreads[demand.name]
            )
            if short and arrives:
                made.cohorts.append(Cohort(name, now, short))
            elif short:
                made.short.append((now, demand.name, short))
        if sum(one.at(now) for one in made.cohorts) > MOST_MEMBERS:
            message = f"more than {MOST_MEMBERS:,} members are needed after {now:g} years"
            raise InputError("too-large", "class", message)
    return made


def bought_class(plan: FleetPlan, demand: FleetDemand, time: float) -> str:
    """The class that a demand buys at a time."""
    first = plan.first_day.year + (plan.first_day.month - 1) / 12
    name = demand.buys[0].class_ if demand.buys else plan.classes_of(demand)[0].name
    for one in demand.buys:
        if one.from_ is None or one.from_ <= first + time + _NEXT:
            name = one.class_
    return name


def _first(plan: FleetPlan) -> list[Cohort]:
    cohorts = []
    for member in plan.class_:
        if member.count:
            cohorts.append(Cohort(member.name, -member.age, member.count))
        for one in member.bought:
            days = (plan.first_day - plan.first_day.fromisoformat(one.date)).days
            # A purchase on the first day is one of those there are, not of the plan.
            cohorts.append(Cohort(member.name, min(-2 * _NEXT, -days / _DAYS_A_YEAR), one.count))
    return [Cohort(one.name, min(one.bought, -2 * _NEXT), one.count) for one in cohorts if one.count]


def _retire(plan: FleetPlan, made: MemberTimeline, now: float, *, arrives: bool) -> None:
    for member in plan.class_:
        if member.refresh_after is None:
            continue
        for one in made.cohorts:
            due = one.name == member.name and now - one.bought >= member.refresh_after - 1e-6
            if due and one.retired > now:
                if arrives:
                    one.retired = now
                else:
                    made.kept.append((now, one.name, one.count))


def _short(
    demand: FleetDemand,
    counts: Mapping[str, int],
    members: Mapping[str, ClassCapacity],
    *,
    bought: str,
    within: tuple[float, float],
    spread: LoadSpread,
) -> int:
    """How many members of the class that is bought are short ``within`` two times."""
    stored, load = most_within(demand, *within)
    share, new = DemandShare.of(counts, members), members[bought]
    busy = load * demand.busy_hour * spread.quantile(demand.most_load.members)
    full = (stored / demand.most_fill - share.usable) / new.usable_bytes
    present = [name for name, count in counts.items() if count]
    number = max(_whole(full), _by_load(present, members, new, share, busy))
    # What is bought must keep its own load as well.
    return max(number, _by_load([bought], members, new, share, busy)) if number else 0


def _by_load(
    names: Sequence[str],
    members: Mapping[str, ClassCapacity],
    new: ClassCapacity,
    share: DemandShare,
    busy: float,
) -> int:
    """Members to buy until none of these classes is beyond its load: each one more takes load off all."""
    needed = 0.0
    for name in names:
        one = members[name]
        if one.most_iops <= 0.0:
            message = f"a member of the class {name!r} does not keep its service level at any simulated load"
            raise InputError("infeasible", f"class.{name}", message)
        needed = max(needed, one.load_weight * one.usable_bytes * busy / one.most_iops)
    return _whole((needed - share.weighted) / (new.load_weight * new.usable_bytes))


def _whole(members: float) -> int:
    return max(0, math.ceil(members - 1e-9 * max(1.0, abs(members))))
