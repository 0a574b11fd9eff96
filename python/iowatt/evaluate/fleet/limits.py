"""Limits that a plan breaks, each in the first year in which it does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from iowatt.evaluate.fleet.result import BrokenLimit
from iowatt.render.numbers import significant

if TYPE_CHECKING:
    from iowatt.evaluate.fleet.keys import FleetPlan
    from iowatt.evaluate.fleet.quarters import FleetQuarter, ModelledMember
    from iowatt.evaluate.fleet.result import FleetYear
    from iowatt.evaluate.fleet.timeline import MemberTimeline

_NEXT = 1e-6


def broken(
    plan: FleetPlan,
    members: Mapping[str, ModelledMember],
    timeline: MemberTimeline,
    quarters: Sequence[FleetQuarter],
    years: Sequence[FleetYear],
) -> list[BrokenLimit]:
    """All limits that the plan breaks, in the order of the years."""
    found: dict[tuple[str, str], BrokenLimit] = {}
    for one in _all(plan, members, timeline, quarters, years):
        key = (one.code, one.what)
        if key not in found or one.year < found[key].year:
            found[key] = one
    return sorted(found.values(), key=lambda one: (one.year, one.code, one.what))


def _all(
    plan: FleetPlan,
    members: Mapping[str, ModelledMember],
    timeline: MemberTimeline,
    quarters: Sequence[FleetQuarter],
    years: Sequence[FleetYear],
) -> Iterator[BrokenLimit]:
    per_year = len(quarters) // len(years)
    for number, year in enumerate(years):
        own = quarters[number * per_year : (number + 1) * per_year]
        yield from _of_members(plan, members, own, year)
        yield from _of_racks(plan, year)
    first = plan.first_day.year
    for time, demand, short in timeline.short:
        text = (
            f"{short:,} more members are needed for {demand} than can be delivered by then: "
            f"the lead time is {plan.purchases.lead_time / 86400:.3g} days"
        )
        yield BrokenLimit(
            code="delivery-late",
            what=demand,
            year=first + int(time),
            value=float(short),
            limit=0.0,
            unit="members",
            text=text,
        )
    for time, name, count in timeline.kept:
        text = (
            f"{count:,} members of {name} stay beyond their retirement age until replacements are delivered"
        )
        yield BrokenLimit(
            code="refresh-late",
            what=name,
            year=first + int(time),
            value=float(count),
            limit=0.0,
            unit="members",
            text=text,
        )


def _of_members(
    plan: FleetPlan, members: Mapping[str, ModelledMember], own: Sequence[FleetQuarter], year: FleetYear
) -> Iterator[BrokenLimit]:
    for demand in plan.demand:
        fill = max(quarter.fill[demand.name] for quarter in own)
        if fill > demand.most_fill + _NEXT:
            full = "there is no member for it" if fill == float("inf") else f"{100 * fill:.3g} % full"
            text = f"{demand.name} is {full}, above {100 * demand.most_fill:.3g} %"
            yield BrokenLimit(
                code="over-capacity",
                what=demand.name,
                year=year.year,
                value=100 * min(fill, 1e9),
                limit=100 * demand.most_fill,
                unit="%",
                text=text,
            )
    for one in year.classes:
        demand, most = members[one.name].demand, members[one.name].capacity.most_iops
        share = max(
            (quarter.classes[one.name].beyond for quarter in own if quarter.classes[one.name].members),
            default=0.0,
        )
        if one.members_beyond and share > 1.0 - demand.most_load.members + _NEXT:
            text = (
                f"{significant(one.members_beyond)} members of {one.name} exceed the "
                f"{significant(most)} IOPS that one sustains within its service level; in the busy hour, "
                f"{100 * demand.most_load.members:.3g} % of them get up to {significant(one.busy_iops)} IOPS"
            )
            yield BrokenLimit(
                code="over-load",
                what=one.name,
                year=year.year,
                value=one.busy_iops,
                limit=most,
                unit="IOPS",
                text=text,
            )


def _of_racks(plan: FleetPlan, year: FleetYear) -> Iterator[BrokenLimit]:
    cap, there, site = plan.racks.power_cap, plan.racks.available, plan.site.power_cap
    alone, fits = plan.racks.by == "power", True
    for one in year.classes:
        if cap is not None and one.rack_peak_w > cap * (1 + _NEXT):
            drawn, fits = significant(one.rack_peak_w), not alone
            text = (
                f"no member of {one.name} fits a rack: one draws {drawn} W, above {significant(cap)} W"
                if alone
                else f"a rack of {one.name} draws {drawn} W, above its {significant(cap)} W"
            )
            yield BrokenLimit(
                code="rack-power",
                what=one.name,
                year=year.year,
                value=one.rack_peak_w,
                limit=cap,
                unit="W",
                text=text,
            )
    if there is not None and fits and year.racks > there:
        text = f"{year.racks:,} racks are needed, {there:,} are available"
        yield BrokenLimit(
            code="racks",
            what="racks",
            year=year.year,
            value=float(year.racks),
            limit=float(there),
            unit="racks",
            text=text,
        )
    if site is not None and year.peak_w > site * (1 + _NEXT):
        text = f"all members draw {significant(year.peak_w)} W in the busy hour, above {significant(site)} W"
        yield BrokenLimit(
            code="site-power", what="site", year=year.year, value=year.peak_w, limit=site, unit="W", text=text
        )
