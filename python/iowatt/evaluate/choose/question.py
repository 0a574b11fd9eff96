"""A question, ``iowatt.question/1``: what the storage must hold and serve, how long, within which limits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final, Literal

from pydantic import Field

from iowatt.base.problems import KeyPath, Problem, suggestion
from iowatt.base.quantity import Capacity, Duration, Power
from iowatt.base.strict import Name, Strict, key
from iowatt.lenses.durability import ALLOWED_LOSS_PER_YEAR
from iowatt.model.recorded_trace import TraceKeys
from iowatt.model.scenario.keys import ProfileChoice

SCHEMA: Final = "iowatt.question/1"
#: Statistics of a service level, strictest first.
LEVELS: Final = ("p99", "p95", "p50", "mean")

Footprint = Literal["clones", "stretch", "profile"]
Growth = Annotated[float, Field(ge=-0.9, le=10)]


class AskedWorkload(Strict):
    """A load and the service level that it needs."""

    name: Name = key("Name of the workload.", example="oltp")
    trace: TraceKeys | None = key(
        "Recorded requests, scaled by `times` and `footprint`. Do not set `clones`, `stretch` or `span` "
        "here.",
        unset="the workload has a profile",
        example={"path": "traces/oltp.csv.gz"},
    )
    profile: ProfileChoice | None = key(
        "A synthetic load over the workload's full capacity. Do not set `span`, `requests` or `duration` "
        "here.",
        unset="the workload has a trace",
        example={"name": "skew", "rate_iops": 7000},
    )
    times: float = key(
        "Load, as a multiple of the rate of the trace or profile; fractions are allowed.",
        default=1.0,
        within=(1e-6, 1e6),
        example=20,
    )
    footprint: Footprint = key(
        "How to scale a trace to more data than it touched. clones: `times` tenants with their own data, "
        "started at random times; reuse is as in the trace, but little of the capacity is touched. stretch: "
        "the same tenants with data spread over the full capacity; hardly any reuse. profile: one synthetic "
        "load fitted to the trace, over the full capacity; keeps skew and much of the reuse. The answer "
        "lists what each preserves.",
        default="clones",
        example="stretch",
    )
    capacity: Capacity | None = key(
        "Part of the usable capacity used by the workload.",
        unset="an equal share of the capacity not assigned to other workloads",
        gt=0,
        example="20TiB",
    )
    p50: Duration | None = key("Limit on the median response time.", unset="no limit", gt=0, example="1ms")
    p95: Duration | None = key(
        "Limit on the 95th percentile of response times.", unset="no limit", gt=0, example="5ms"
    )
    p99: Duration | None = key(
        "Limit on the 99th percentile of response times.", unset="no limit", gt=0, example="20ms"
    )
    mean: Duration | None = key("Limit on the mean response time.", unset="no limit", gt=0, example="2ms")

    @property
    def limits_s(self) -> dict[str, float]:
        """Limits of response times in seconds, by statistic."""
        return {name: limit for name in LEVELS if (limit := getattr(self, name)) is not None}

    def problems(self, at: KeyPath) -> Iterator[Problem]:
        """Contradictions between keys of the workload, which lies at ``at``."""
        if (self.trace is None) == (self.profile is None):
            message = "expected either a trace or a profile"
            yield Problem("missing" if self.trace is None else "conflict", at, message)
        if self.trace is not None:
            for name in sorted({"clones", "stretch", "span"} & self.trace.model_fields_set):
                message = "`times`, `footprint` and `capacity` set how the trace is scaled"
                yield Problem("conflict", (*at, "trace", name), message, "leave it out")
            return
        if self.footprint != "clones":
            message = "a profile already covers the full capacity"
            yield Problem("not-applicable", (*at, "footprint"), message, "leave it out")
        if self.profile is not None:
            for name in sorted({"span", "requests", "duration"} & self.profile.model_fields_set):
                message = "the question sets the capacity and the length of simulations"
                yield Problem("conflict", (*at, "profile", name), message, "leave it out")


class AskedEnergy(Strict):
    """The price of electricity, and what the site adds to the power of the storage."""

    usd_per_kwh: float | None = key(
        "A flat price of energy.", unset="set by the tariff", unit="USD/kWh", ge=0, example=0.18
    )
    tariff: str | None = key(
        "A library tariff (`iowatt tariff list`) or a file, with hours, seasons and demand charges.",
        unset="the tariff of the price book",
        min_length=1,
        example="us-ca-commercial-2023",
    )
    region: str | None = key(
        "Grid for carbon emissions: a name in `carbon.grid` of the price book.",
        unset="the tariff's",
        min_length=1,
        example="usa",
    )
    pue: float | None = key(
        "Power usage effectiveness: site power divided by IT power.",
        unset="cooling.pue of the price book",
        ge=1,
        le=10,
        example=1.4,
    )


class AskedDurability(Strict):
    """How often data may be lost or out of reach."""

    loss_per_year: float = key(
        "Limit on the probability of losing any data, even one sector, in a year.",
        default=ALLOWED_LOSS_PER_YEAR,
        gt=0,
        le=1,
        example=1e-6,
    )
    unavailable_hours: float | None = key(
        "Limit on the expected hours per year in which some data cannot be read.",
        unset="no limit",
        unit="h",
        gt=0,
        example=0.5,
    )


class AskedLimits(Strict):
    """Limits on the system besides its service levels."""

    watts: Power | None = key("Limit on mean power at the wall.", unset="no limit", gt=0, example="800W")
    rack_units: int | None = key(
        "Limit on rack space, including controllers and shelves.",
        unset="no limit",
        unit="U",
        ge=1,
        example=12,
    )
    budget: float | None = key(
        "Limit on the purchase price.", unset="no limit", unit="USD", gt=0, example=50000
    )
    vendors: list[str] | None = key(
        "Vendors whose drives may be bought.", unset="all", min_length=1, example=["Seagate"]
    )
    form_factors: list[Literal["2.5", "3.5"]] | None = key(
        "Form factors of the drives that may be bought, in inches.",
        unset="all",
        min_length=1,
        example=["2.5"],
    )


class AskedFamily(Strict):
    """A family of candidates with drives of your choice."""

    name: Name = key(
        "Name of a built-in family, whose drives these replace; or a new name, for all-flash or all-disk "
        "arrays of these drives.",
        example="flash-qlc",
    )
    devices: list[str] = key(
        "Drives to try. In a family with a cache or tiers they replace the fast drives.",
        min_length=1,
        max_length=12,
        example=["solidigm-d5-p5336-30-72tb"],
    )


class OwnSystem(Strict):
    """A system of your own as a candidate: the array you have, or a quote."""

    name: Name = key("Its name.", example="today")
    scenario: str | None = key(
        "Its scenario, relative to this file. The question's workloads and volumes replace its own.",
        unset="a Run is given",
        min_length=1,
        example="today.toml",
    )
    run: str | None = key(
        "A Run of it, simulated or measured, relative to this file. It is judged by its figures in that Run.",
        unset="its scenario is simulated",
        min_length=1,
        example="runs/today",
    )
    owned: bool = key("Whether you already own it, so that its purchase costs nothing.", default=False)


class StorageQuestion(Strict):
    """What the storage must hold and serve, and within which limits."""

    schema_: Literal["iowatt.question/1"] = key(
        "Version of this format.", accepts=f'"{SCHEMA}"', example=SCHEMA, alias="schema"
    )
    name: Name = key("Name of the question, used as the title of the answer.", example="oltp")
    usable: Capacity = key("Usable capacity, after redundancy, on the first day.", gt=0, example="100TiB")
    growth: Growth = key(
        "Data growth per year: 0.2 is 20 %. The system is sized for the last year.",
        default=0.0,
        example=0.2,
    )
    load_growth: Growth | None = key(
        "Load growth per year. Service levels must be met under the load of the last year.",
        unset="same as `growth`",
        example=0.1,
    )
    years: float = key(
        "Service life: costs are totalled over these years.",
        default=5.0,
        unit="years",
        gt=0,
        le=20,
        example=5,
    )
    seed: int = key(
        "Random seed of simulations and price uncertainty.",
        default=1,
        ge=0,
        le=2**63 - 1,
    )
    chassis: Literal["array", "nas"] = key(
        "Chassis. array: rack-mounted, with two controllers, a mirrored write cache, and shelves with "
        "redundant power supplies. nas: one box for up to 8 drives, with one controller and one power "
        "supply.",
        default="array",
        example="nas",
    )
    requests: int = key(
        "Requests per simulation, unless a trace ends earlier. More requests make tail percentiles more "
        "certain.",
        default=200_000,
        ge=1_000,
        le=100_000_000,
        example=1_000_000,
    )
    workload: list[AskedWorkload] = key(
        "Workloads that the system serves concurrently.", min_length=1, max_length=16
    )
    energy: AskedEnergy = key("Price of electricity.", default=AskedEnergy())
    durability: AskedDurability = key("Durability and availability.", default=AskedDurability())
    limits: AskedLimits = key("Limits on power, space and money.", default=AskedLimits())
    families: list[str] | None = key(
        "Families to search, as listed in the answer of `iowatt choose`.",
        unset="all",
        min_length=1,
        example=["flash-tlc"],
    )
    without: list[str] = key("Families to leave out.", default=[], example=["disks-10k"])
    family: list[AskedFamily] = key("Families with drives that you choose.", default=[], max_length=32)
    own: list[OwnSystem] = key("Your own systems, compared with the candidates.", default=[], max_length=8)
    prices: dict[str, float] = key(
        "Your unit prices in USD, in place of the price book's: for drives by model, a "
        "`controller`, an `io-module` (half a shelf), a `nas`, a `server`.",
        default={},
        example={"solidigm-d5-p5336-30-72tb": 3300},
    )
    assume: list[str] = key(
        "Overrides of other price-book entries, as in `iowatt cost --assume`: KEY=VALUE, or "
        "KEY=VALUE:LOW..HIGH with a range.",
        default=[],
        example=["discount.rate=0.06"],
    )

    def problems(self, families: tuple[str, ...]) -> Iterator[Problem]:
        """Contradictions between keys; ``families`` are those of the library."""
        names = [one.name for one in self.workload]
        for index, one in enumerate(self.workload):
            if one.name in names[:index]:
                yield Problem(
                    "duplicate", ("workload", index, "name"), f"two workloads are named {one.name!r}"
                )
            yield from one.problems(("workload", index))
        if not any(one.limits_s for one in self.workload):
            message = "no workload has a service level; any system would be fast enough"
            yield Problem("missing", ("workload", 0, "p95"), message, "set p50, p95, p99 or mean")
        stated = [one.capacity for one in self.workload]
        taken = sum(part or 0 for part in stated)
        if taken > self.usable or (taken == self.usable and None in stated):
            message = (
                "the workloads take more than the usable capacity, or leave nothing for a workload without a "
                "capacity"
            )
            yield Problem("out-of-range", ("usable",), message)
        if self.energy.usd_per_kwh is not None and self.energy.tariff is not None:
            yield Problem(
                "conflict", ("energy", "tariff"), "a flat price is also given", "remove one of them"
            )
        known = (*families, *(one.name for one in self.family))
        yield from self._of_own(known)
        for place in ("families", "without"):
            for index, name in enumerate(getattr(self, place) or ()):
                if name not in known:
                    hint = suggestion(name, known, "families")
                    yield Problem("unknown-name", (place, index), f"there is no family {name!r}", hint)

    def _of_own(self, known: tuple[str, ...]) -> Iterator[Problem]:
        for index, own in enumerate(self.own):
            if (own.scenario is None) == (own.run is None):
                code = "missing" if own.scenario is None else "conflict"
                yield Problem(code, ("own", index), "expected either a scenario or a run")
            if own.name in known or own.name in [one.name for one in self.own[:index]]:
                message = f"the name {own.name!r} is already used by a family or another system"
                yield Problem("duplicate", ("own", index, "name"), message)

    @property
    def grown(self) -> float:
        """Data of the last year over that of the first day; 1 where it shrinks."""
        return float(max(1.0, (1 + self.growth) ** self.years))

    @property
    def load_grown(self) -> float:
        """Load of the last year over that of the first day; 1 where it shrinks."""
        growth = self.growth if self.load_growth is None else self.load_growth
        return float(max(1.0, (1 + growth) ** self.years))

    @property
    def bought_bytes(self) -> float:
        """Usable bytes that are bought, enough for the last year."""
        return self.usable * self.grown
