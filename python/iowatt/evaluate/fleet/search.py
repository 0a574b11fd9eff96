"""One member of each class at the loads that all plans of a request need, simulated round by round.

Each round has the loads of all classes that are wanted next, so that they are simulated side by side; which
they are depends on nothing but the figures found, so that threads, a cluster and a resumed search agree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from iowatt.base.errors import InputError
from iowatt.evaluate.fleet.curve import MemberCurve, MemberLimit
from iowatt.evaluate.fleet.demand import QUARTERS, load_iops, stored_bytes
from iowatt.evaluate.fleet.loads import LoadSearch
from iowatt.evaluate.fleet.member import MemberSource, curve_of, usable_bytes
from iowatt.evaluate.fleet.point import MemberPoint
from iowatt.evaluate.fleet.spread import LoadSpread
from iowatt.evaluate.search.tasks import Evaluator, Job, error_at_point

if TYPE_CHECKING:
    from iowatt.evaluate.fleet.class_keys import FleetClass
    from iowatt.evaluate.fleet.keys import FleetDemand, FleetPlan
    from iowatt.evaluate.search import PointTask

_SPREAD_TOP = 0.999
"""Members up to this share are simulated at their own loads; those beyond count as beyond."""


@dataclass
class SimulatedMember:
    """One scenario, or the Runs, of members: rows by load."""

    source: MemberSource
    plan: Mapping[str, Any] | None = None
    rows: dict[float, Mapping[str, Any]] = field(default_factory=dict)
    searches: list[LoadSearch] = field(default_factory=list)
    #: The first row: the scenario as it is.
    own: Mapping[str, Any] = field(default_factory=dict)

    @property
    def curve(self) -> MemberCurve:
        """What is known of it."""
        return curve_of(self.rows, self.source.where)

    def points(self) -> list[MemberPoint]:
        """Its points, those without watts left out."""
        found = (MemberPoint.of_row(row, load) for load, row in self.rows.items())
        return [one for one in found if one is not None]


class MemberSimulations:
    """The members of all plans of a request."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self._members: dict[tuple[object, ...], SimulatedMember] = {}

    def of(self, source: MemberSource) -> SimulatedMember:
        """The member of a scenario or of Runs; classes with one and the same share it."""
        return self._members.setdefault(source.identity, SimulatedMember(source))

    def begin(self) -> None:
        """Simulate each scenario as it is, and read the Runs."""
        tasks = {}
        for key, one in self._members.items():
            if one.source.given is None:
                for row in one.source.rows():
                    one.rows[float(row["throughput.iops"])] = row
                one.own = next(iter(one.rows.values()))
            else:
                tasks[key], one.plan = one.source.task()
        for key, record in self._evaluate(tasks, "its own load").items():
            one = self._members[key]
            one.own = record
            one.rows[float(record["throughput.iops"])] = record

    def search(self) -> None:
        """Simulate until no search wants another load."""
        while True:
            wanted: dict[tuple[object, ...], Any] = {}
            for key, one in self._members.items():
                if one.source.given is None:
                    continue
                for load in dict.fromkeys(
                    load for each in one.searches for load in each.wanted(one.points())
                ):
                    if load not in one.rows:
                        task, _ = one.source.task(one.source.at_rate(load, one.own))
                        wanted[*key, load] = task
            if not wanted:
                return
            for long, row in self._evaluate(wanted, "").items():
                self._members[long[:-1]].rows[float(long[-1])] = row  # type: ignore[arg-type]

    def _evaluate(
        self, tasks: Mapping[tuple[object, ...], PointTask], label: str
    ) -> dict[tuple[object, ...], Mapping[str, Any]]:
        """The row of each task. Raises ``InputError`` for the first that cannot be simulated."""
        jobs: dict[str, Job] = {}
        for key, task in tasks.items():
            said = label or f"{key[-1]:g} IOPS"
            jobs.setdefault(task.key, Job(task, said))
        self.evaluator.total = self.evaluator.done + len(jobs)
        known = [key for key in jobs if key in self.evaluator.records]
        self.evaluator.count(self.evaluator.records[key] for key in known)
        self.evaluator.evaluate(jobs)
        found = {}
        for key, task in tasks.items():
            record = self.evaluator.records[task.key]
            if "error" in record:
                raise error_at_point(record["error"], f"a member at {jobs[task.key].label}")
            found[key] = record["row"]
        return found


def add_searches(
    plan: FleetPlan, member_of: Callable[[FleetClass], SimulatedMember], where: Callable[[FleetClass], str]
) -> None:
    """Ask for the loads that a plan needs of its classes."""
    for demand in plan.demand:
        classes = plan.classes_of(demand)
        usable = {one.name: usable_bytes(one, member_of(one).own, where(one)) for one in classes}
        for one in classes:
            found = member_of(one)
            top = highest_load(plan, demand, one, usable)
            stated = one.loads or None
            own = float(found.own["throughput.iops"])
            if own <= 0.0:
                raise InputError("empty", where(one), f"a member of {one.name!r} completes no requests")
            found.searches.append(LoadSearch(MemberLimit.of(demand.most_load), top, own, stated))


def highest_load(
    plan: FleetPlan, demand: FleetDemand, member: FleetClass, usable: Mapping[str, float]
) -> float:
    """The highest load that the plan can ask of one member: of one that is full, in its busy hour."""
    classes = plan.classes_of(demand)
    lightest = min(one.load_weight for one in classes)
    there = sum(usable[one.name] * (one.count + sum(b.count for b in one.bought)) for one in classes)
    fill = max(demand.most_fill, min(1.0, demand.stored / there) if there else 0.0)
    times = [quarter / QUARTERS for quarter in range(QUARTERS * plan.years + 1)]
    dense = max(load_iops(demand, time) / stored_bytes(demand, time) for time in times)
    spread = LoadSpread.of(demand.load_spread).quantile(_SPREAD_TOP)
    share = member.load_weight / lightest
    return dense * fill * usable[member.name] * share * demand.busy_hour * spread


def spreads_of(plan: FleetPlan) -> dict[str, LoadSpread]:
    """The spread of loads of each demand."""
    return {demand.name: LoadSpread.of(demand.load_spread) for demand in plan.demand}
