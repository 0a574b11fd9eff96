"""Plans and members of tests: figures chosen so that their arithmetic is plain."""

from __future__ import annotations

from functools import cache

from iowatt.evaluate.fleet.curve import MemberCurve, MemberLimit
from iowatt.evaluate.fleet.durability import of_class
from iowatt.evaluate.fleet.evaluate import evaluate
from iowatt.evaluate.fleet.keys import FleetPlan
from iowatt.evaluate.fleet.member import DriveGroup, MemberPrice
from iowatt.evaluate.fleet.point import MemberPoint
from iowatt.evaluate.fleet.quarters import ModelledMember
from iowatt.evaluate.fleet.running import FleetPrices
from iowatt.evaluate.fleet.spread import LoadSpread
from iowatt.evaluate.fleet.timeline import ClassCapacity
from iowatt.lenses.book import find_book
from iowatt.tariffs.find import find_tariff

TB = 10**12

#: A member draws 100 W idle and 0.1 W for each request a second, up to 1000, where it no longer keeps up.
LINEAR = tuple((load, 100.0 + load / 10) for load in (250.0, 500.0, 750.0, 1000.0))


def points(watts=LINEAR, *, bad=()):
    return [
        MemberPoint(load, drawn, drawn + 10, load / 50, load / 1000, load not in bad, 0.0)
        for load, drawn in watts
    ]


def plan(**more):
    """One class of 100 TB and one demand; ``demand`` and ``member`` change their tables."""
    demand = {"name": "files", "stored": "1PB", "load": 1000.0} | more.pop("demand", {})
    member = {"name": "array", "scenario": "array.toml", "count": 10} | more.pop("member", {})
    classes = [member, *more.pop("others", [])]
    return FleetPlan.model_validate(
        {"schema": "iowatt.fleet-plan/1", "name": "test", "years": 4, "demand": [demand], "class": classes}
        | more
    )


def members(made, curve=LINEAR, *, usd=1000.0, usable=100.0 * TB, drives=(), bad=(), idle_w=100.0):
    """The members of a plan, all alike."""
    found = {}
    for demand in made.demand:
        for one in made.classes_of(demand):
            drawn = MemberCurve.of(points(curve, bad=bad), idle_w)
            most = drawn.most_iops(MemberLimit.of(demand.most_load))
            found[one.name] = ModelledMember(
                one, demand, LoadSpread.of(demand.load_spread), drawn,
                ClassCapacity(usable, most, one.load_weight),
                MemberPrice(usd, tuple(drives), 5.0, one.service or 0.0, one.residual or 0.0, ()),
                1.0, drawn.lowest_iops, of_class(one),
            )  # fmt: skip
    return found


@cache
def _book(*assume):
    return find_book("default", ["wear.price_decline=0", *assume])


def followed(made, *, assume=(), tariff="flat:0.10", **of_members):
    """What follows from a plan."""
    book = _book(*assume)
    pue = 1.0 if made.site.pue is None else made.site.pue
    return evaluate(
        made, members(made, **of_members), FleetPrices(book, find_tariff(tariff), [(2026.0, 400.0)], pue)
    )


def drives(count=10, afr=(0.1,), usd=100.0, kind="hdd"):
    return [DriveGroup("disk", kind, count, tuple(afr), usd, 2.0)]
