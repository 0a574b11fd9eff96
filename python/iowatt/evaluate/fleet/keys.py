"""The file of a fleet, ``iowatt.fleet-plan/1``: demands, classes, purchases, spares, racks, site."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Final, Literal

from iowatt.base.problems import KeyPath, Problem, suggestion
from iowatt.base.quantity import Capacity, Duration, Iops, Power, Share
from iowatt.base.strict import Name, Strict, key
from iowatt.evaluate.fleet.class_keys import Decline, FleetClass, day, each_within

SCHEMA: Final = "iowatt.fleet-plan/1"
MOST_YEARS: Final = 50


def _twice(table: str, names: list[str]) -> Iterator[Problem]:
    for index, name in enumerate(names):
        if name in names[:index]:
            yield Problem("duplicate", (table, index, "name"), f"there are two called {name!r}")


class MostLoad(Strict):
    """What a member must keep in its busy hour; it must keep up with its load in any case."""

    p95: Duration | None = key("The longest 95th percentile of its response time.", default=None,
                               unset="any", gt=0, example="20ms")  # fmt: skip
    utilisation: Share | None = key(
        "The highest utilisation of its busiest drive.", default=None, unset="any", gt=0, example=0.7
    )
    load: Iops | None = key(
        "The highest load of one member, by its vendor or by experience.", default=None, unset="as simulated"
    )
    members: Share = key("Share of members that must keep it, where their loads differ.", default=0.95, gt=0)


class BuysFrom(Strict):
    """The class that is bought, from a year on."""

    class_: Name = key("A class.", alias="class", example="array-2026")
    from_: int | None = key(
        "The first calendar year in which it is bought.",
        default=None, unset="the start", alias="from", example=2028, ge=1900, le=2200,
    )  # fmt: skip


class FleetDemand(Strict):
    """Data and load that classes share, each member in proportion to its usable capacity."""

    name: Name = key("Its name.", example="files")
    stored: Capacity = key("Data stored at the start, before redundancy.", gt=0, example="8PB")
    load: Iops = key("Mean load at the start, of all members together.", example=60000)
    growth: float | list[float] = key(
        "Growth of the data by year: 0.3 is 30 %; or one figure for each year, of which the last goes on.",
        default=0.0, example=0.3,
    )  # fmt: skip
    load_growth: float | list[float] | None = key(
        "Growth of the load by year, likewise.", default=None, unset="as the data"
    )
    most_fill: Share = key("The most of its usable capacity that may be full.", default=0.8, gt=0)
    most_load: MostLoad = key("The service level of a member.", default=MostLoad())
    busy_hour: float = key(
        "Load of the busy hour over the mean: service level and peak watts are those of the busy hour, "
        "energy is that of the mean.",
        default=1.0, ge=1, le=1000, example=1.5,
    )  # fmt: skip
    load_spread: float | list[float] = key(
        "How loads differ between members: their coefficient of variation (log-normal), or measured loads of "
        "members in any unit.",
        default=0.0, example=0.3,
    )  # fmt: skip
    buys: list[BuysFrom] = key(
        "What is bought when members are short.",
        default=[], unset="the only class that serves it", example=[{"class": "array-2026"}],
    )  # fmt: skip


class PurchasePlan(Strict):
    """When members are bought, and at what price."""

    every: Literal["year", "quarter"] = key("Stages: each has what is needed until the next.", default="year")
    lead_time: Duration = key(
        "From order to delivery; no member can arrive earlier after the start. Prices are those of the "
        "order, dollars are due at delivery.",
        default=0.0, le=10 * 365 * 86400, example="90d",
    )  # fmt: skip
    price_decline: Decline | None = key(
        "How prices of members and drives fall by year.",
        default=None,
        unset="wear.price_decline of the book",
        example=0.1,
    )


class SparePlan(Strict):
    """Drives in stock, pooled by model."""

    service_level: float = key(
        "Probability that the stock lasts until it is replenished.", default=0.99, gt=0, lt=1
    )
    lead_time: Duration = key("Until a used spare is replaced.", default=14 * 86400.0, gt=0, example="14d")


class RackPlan(Strict):
    """Racks and what they carry."""

    units: int = key("Rack units of one that members may take.", default=42, unit="U", ge=1, le=100)
    power_cap: Power | None = key("The most power of one.", default=None, unset="none", gt=0, example="12kW")
    available: int | None = key("Racks that there are.", default=None, unset="any number", ge=0, le=10**6)
    by: Literal["power", "units"] = key(
        "What decides how many members a rack has: its units and its power cap, or its units alone.",
        default="power",
    )
    basis: Literal["peak", "nameplate"] = key(
        "The power held against the cap. peak: the highest mean of an interval of the simulation in the busy "
        "hour, with redundant supplies lost where the array's power is modelled. nameplate: as stated.",
        default="peak",
    )
    cost: float = key("Floor space of one rack.", default=0.0, unit="USD/year", ge=0, example=4000)


class GridYear(Strict):
    """Emissions of electricity in a year; between two years they change evenly."""

    year: int = key("The calendar year, at its start.", ge=1900, le=2200, example=2026)
    g_per_kwh: float = key("Emissions.", unit="g/kWh", ge=0, example=369)


class SitePlan(Strict):
    """The data centre."""

    pue: float | None = key(
        "Power usage effectiveness.", default=None, unset="cooling.pue of the book", ge=1, le=10, example=1.4
    )
    power_cap: Power | None = key("The most IT power of all members.", default=None, unset="none", gt=0)
    grid: list[GridYear] = key(
        "Emissions of electricity by year.", default=[], unset="the book's for all years"
    )


class FleetPlan(Strict):
    """A fleet and its future."""

    schema_: Literal["iowatt.fleet-plan/1"] = key(
        "The version of this format.", accepts=f'"{SCHEMA}"', example=SCHEMA, alias="schema"
    )
    name: Name = key("Its name.", example="archive")
    start: str = key(
        "The first day, the first of a month.", default="2026-01-01", pattern=r"^\d{4}-\d{2}-\d{2}$"
    )
    years: int = key("How many years are planned.", ge=1, le=MOST_YEARS, example=7)
    seed: int = key("Seed of the ranges.", default=1, ge=0, le=2**63 - 1)
    demand: list[FleetDemand] = key("What is stored and asked for.", min_length=1, max_length=100)
    class_: list[FleetClass] = key("Classes of members.", min_length=1, max_length=200, alias="class")
    purchases: PurchasePlan = key("How members are bought.", default=PurchasePlan())
    spares: SparePlan | None = key("The stock of spare drives.", default=None, unset="none is held")
    racks: RackPlan = key("The racks.", default=RackPlan())
    site: SitePlan = key("The data centre.", default=SitePlan())

    def problems(self) -> Iterator[Problem]:
        """What is wrong between keys."""
        first = day(self.start)
        if first is None or first.day != 1 or not 1900 <= first.year <= 2150:
            message = f"{self.start!r} is not accepted; expected the first of a month, such as 2026-01-01"
            yield Problem("out-of-range", ("start",), message)
        yield from _twice("demand", [one.name for one in self.demand])
        yield from _twice("class", [one.name for one in self.class_])
        for index, member in enumerate(self.class_):
            yield from member.problems(("class", index))
            yield from self._of_class(index, member)
        for index, demand in enumerate(self.demand):
            yield from self._of_demand(index, demand)
        years = [one.year for one in self.site.grid]
        if years != sorted(set(years)):
            yield Problem("out-of-order", ("site", "grid"), "expected rising years, each of them once")

    def _of_class(self, index: int, member: FleetClass) -> Iterator[Problem]:
        names = [one.name for one in self.demand]
        if member.serves is None and len(names) > 1:
            message = f"there are {len(names)} demands; say which one it serves"
            yield Problem("ambiguous", ("class", index, "serves"), message, f"one of {', '.join(names)}")
        if member.serves is not None and member.serves not in names:
            message = f"there is no demand {member.serves!r}"
            yield Problem(
                "unknown-name", ("class", index, "serves"), message,
                suggestion(member.serves, names, "demands"),
            )  # fmt: skip
        if self.racks.basis == "nameplate" and member.nameplate is None:
            yield Problem(
                "missing", ("class", index, "nameplate"), "racks.basis is nameplate: expected watts"
            )
        first = day(self.start)
        for at, one in enumerate(member.bought):
            when = day(one.date)
            if first is not None and when is not None and when > first:
                message = f"{one.date} is after the start ({self.start})"
                yield Problem("out-of-range", ("class", index, "bought", at, "date"), message)

    def _of_demand(self, index: int, demand: FleetDemand) -> Iterator[Problem]:
        serving, names = [one.name for one in self.classes_of(demand)], [one.name for one in self.demand]
        if not serving and all(one.serves in (None, *names) for one in self.class_):
            yield Problem("missing", ("demand", index), f"no class serves the demand {demand.name!r}")
        if not demand.buys and len(serving) > 1:
            message = f"{len(serving)} classes serve it; say which one is bought"
            yield Problem("missing", ("demand", index, "buys"), message, f"one of {', '.join(serving)}")
        for at, one in enumerate(demand.buys):
            if one.class_ not in serving:
                message = f"{one.class_!r} is not a class that serves the demand {demand.name!r}"
                yield Problem(
                    "unknown-name", ("demand", index, "buys", at, "class"), message,
                    suggestion(one.class_, serving, "classes"),
                )  # fmt: skip
        firsts = [one.from_ or 0 for one in demand.buys]
        if firsts != sorted(set(firsts)):
            yield Problem(
                "out-of-order", ("demand", index, "buys"), "expected rising years, each of them once"
            )
        spread = demand.load_spread
        place: KeyPath = ("demand", index)
        if isinstance(spread, list) and spread and not sum(spread):
            yield Problem("out-of-range", (*place, "load_spread"), "expected loads above 0")
        for name in ("growth", "load_growth"):
            yield from each_within(getattr(demand, name), -0.99, 10, ("demand", index, name))
        yield from each_within(spread, 0, 1e12 if isinstance(spread, list) else 10, (*place, "load_spread"))

    def classes_of(self, demand: FleetDemand) -> list[FleetClass]:
        """The classes that serve a demand, in the order of the file."""
        only = len(self.demand) == 1
        return [one for one in self.class_ if one.serves == demand.name or (only and one.serves is None)]

    @property
    def first_day(self) -> date:
        """The start."""
        found = day(self.start)
        assert found is not None
        return found
