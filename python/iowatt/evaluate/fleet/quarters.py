"""A fleet quarter by quarter: members, loads, watts, wear and failures, before anything is priced."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from iowatt.evaluate.fleet.demand import QUARTERS, load_iops, most_within, stored_bytes
from iowatt.evaluate.fleet.drives import DriveUse
from iowatt.evaluate.fleet.timeline import Cohort, DemandShare, MemberTimeline

if TYPE_CHECKING:
    from iowatt.evaluate.fleet.class_keys import FleetClass
    from iowatt.evaluate.fleet.curve import MemberCurve
    from iowatt.evaluate.fleet.keys import FleetDemand, FleetPlan
    from iowatt.evaluate.fleet.member import MemberPrice
    from iowatt.evaluate.fleet.spread import LoadSpread
    from iowatt.evaluate.fleet.timeline import ClassCapacity
    from iowatt.lenses.durability import RebuildTime


@dataclass(frozen=True)
class ModelledMember:
    """All that is known of one member of a class."""

    stated: FleetClass
    demand: FleetDemand
    spread: LoadSpread
    curve: MemberCurve
    capacity: ClassCapacity
    price: MemberPrice
    #: Peak watts with redundant supplies lost over those without.
    failover: float
    #: The lowest load of one whose watts are known.
    lowest_iops: float
    #: Probability that one loses data in a year by year of age, the last going on; None if not known.
    loss_by_age: tuple[float, ...] | None = None
    #: Times of rebuilds that it rests on; none where the plan states it.
    rebuilds: tuple[RebuildTime, ...] = ()


@dataclass(frozen=True)
class ClassQuarter:
    """A class in a quarter."""

    members: int
    #: Mean load of one member, and the highest of the busy hour.
    mean_iops: float
    busy_iops: float
    #: Mean watts of one member, and the deviation that one adds to the sum of all.
    watts: float
    deviation_w: float
    #: Peak watts of one member in the busy hour.
    peak_w: float
    #: Share of members beyond their highest load in the busy hour.
    beyond: float
    #: Of all members, by model of drives: expected failures, and those beyond the warranty; worn-out drives.
    failures: Mapping[str, tuple[float, float]]
    worn: Mapping[str, float]

    @property
    def all_deviation_w(self) -> float:
        """The standard deviation of the sum of all members' mean watts."""
        return math.sqrt(self.members) * self.deviation_w


@dataclass(frozen=True)
class FleetQuarter:
    """All classes in a quarter, and the fill of each demand."""

    classes: Mapping[str, ClassQuarter]
    #: The most in the quarter, over the usable bytes that there are.
    fill: Mapping[str, float]
    usable: Mapping[str, float]
    stored: Mapping[str, float]
    load: Mapping[str, float]

    @property
    def watts(self) -> float:
        """Mean IT watts."""
        return sum(one.members * one.watts for one in self.classes.values())

    @property
    def peak_w(self) -> float:
        """The most that all members draw together in the busy hour."""
        return sum(one.members * one.peak_w for one in self.classes.values())


def quarters(
    plan: FleetPlan, members: Mapping[str, ModelledMember], timeline: MemberTimeline, warranty: float
) -> list[FleetQuarter]:
    """Each quarter of the plan; ``warranty`` in years of a drive's age."""
    use, found = DriveUse(warranty), []
    for number in range(QUARTERS * plan.years):
        start, end = number / QUARTERS, (number + 1) / QUARTERS
        classes: dict[str, ClassQuarter] = {}
        fill, usable, stored, loads = {}, {}, {}, {}
        for demand in plan.demand:
            names = [one.name for one in plan.classes_of(demand)]
            counts = {name: timeline.count(name, start) for name in names}
            share = DemandShare.of(counts, {name: members[name].capacity for name in names})
            most, busiest = most_within(demand, start, end)
            mean = load_iops(demand, (start + end) / 2)
            fill[demand.name] = most / share.usable if share.usable else float("inf")
            usable[demand.name], loads[demand.name] = share.usable, mean
            stored[demand.name] = stored_bytes(demand, end)
            for name in names:
                one = members[name]
                busy = share.member_iops(one.capacity, busiest) * demand.busy_hour
                cohorts = [cohort for cohort in timeline.cohorts if cohort.name == name and cohort.at(start)]
                own = (share.member_iops(one.capacity, mean), busy)
                classes[name] = _of_class(one, cohorts, own, start, use)
        found.append(FleetQuarter(classes, fill, usable, stored, loads))
    return found


def _of_class(
    member: ModelledMember, cohorts: Sequence[Cohort], loads: tuple[float, float], start: float, use: DriveUse
) -> ClassQuarter:
    """A class in the quarter from ``start`` on; ``loads`` are the mean and the highest of one member."""
    mean, busy = loads
    count = sum(one.count for one in cohorts)
    watts, deviation = member.spread.mean_and_deviation(member.curve.watts, mean, count)
    peak = member.failover * float(np.mean(member.curve.peak_w(busy * member.spread.nodes)))
    beyond = member.spread.share_above(member.capacity.most_iops / busy) if busy > 0 else 0.0
    failures, worn = use.quarter(member.price.drives, cohorts, start, member.curve.wear_per_year(mean))
    return ClassQuarter(count, mean, busy, watts, deviation, peak, beyond, failures, worn)
