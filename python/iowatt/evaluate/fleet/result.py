"""A fleet over years as a document, ``iowatt.fleet/1``: W, kWh, USD, kg CO2e, decimal TB, requests/s."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument

PARTS: Final = (
    "purchase", "spares", "failures", "wear", "energy", "service", "space", "carbon", "residual",
)  # fmt: skip
"""Parts of the dollars of a year; ``residual`` is what retired members bring, and negative."""


class FleetRange(Result):
    """An expected figure, with the range that it is in with a probability of 90 % (5 to 95 %)."""

    expected: float
    low: float
    high: float


class MemberLoadPoint(Result):
    """One member at one load that was simulated or measured."""

    load_iops: float
    watts: float
    #: The highest mean of an interval.
    peak_w: float
    p95_ms: float | None
    #: Of its busiest drive.
    utilisation: float | None
    kept_up: bool
    #: Worn share of its SSDs a year.
    wear_per_year: float
    #: Whether it keeps the service level of its demand.
    within: bool


class FleetDrive(Result):
    """Drives of one model in a member."""

    model: str
    count: int
    #: Annual failure rate by year of age; the last goes on.
    afr: list[float]
    usd: float


class FleetMember(Result):
    """One member of a class."""

    name: str
    serves: str
    #: The scenario's name, or those of the Runs.
    source: str
    #: Whether its figures are simulated.
    modelled: bool
    usable_tb: float
    #: The highest simulated load that keeps the service level.
    most_iops: float
    #: The first load above it that does not; None where none was simulated.
    breaks_at_iops: float | None
    idle_w: float | None
    #: Peak watts with redundant supplies lost over those without; 1 where not modelled.
    failover: float
    usd: float
    embodied_kg: float
    #: Parts that the price leaves out.
    unpriced: list[str]
    drives: list[FleetDrive]
    #: Members in one rack, and how many its units hold, or the class states.
    in_rack: int
    units_hold: int
    #: Members that the power cap of a rack carries in every year; None without a cap, or without members. Of
    #: 0, racks are counted as if each held one.
    cap_carries: int | None
    #: Probability that one loses data in a year by year of age, the last going on; None if not known.
    loss_by_age: list[float] | None
    points: list[MemberLoadPoint]


class ClassYear(Result):
    """Members of a class in a year."""

    name: str
    #: At its end.
    members: int
    bought: int
    retired: int
    #: Mean load of one member, and that of the busy hour of a member at the share that must keep its level.
    member_iops: float
    busy_iops: float
    #: The 95th percentile of the response time at that load; None beyond all loads that kept up.
    busy_p95_ms: float | None
    #: Expected members beyond their highest load in the busy hour.
    members_beyond: float
    #: Mean watts of one, the most that one rack draws, and racks taken.
    member_w: float
    rack_peak_w: float
    racks: int


class DemandYear(Result):
    """A demand in a year: at its end, but for the load."""

    name: str
    stored_tb: float
    usable_tb: float
    #: The most in the year.
    fill: float
    load_iops: float


class SpareYear(Result):
    """Drives of one model in a year."""

    model: str
    drives: int
    failures: FleetRange
    #: Expected drives worn out and replaced.
    worn: float
    #: Stock held, and the probability that it runs out before a used spare is replaced.
    stock: int
    stock_out: float | None
    bought: float


class FleetYear(Result):
    """One year of the plan. Figures are means and sums over its quarters."""

    year: int
    starts: str
    demands: list[DemandYear]
    classes: list[ClassYear]
    drives: list[SpareYear]
    #: Mean IT power, and the most of all members in the busy hour.
    watts: FleetRange
    peak_w: float
    #: Of the facility.
    kwh: FleetRange
    usd: dict[str, float]
    total_usd: FleetRange
    present_usd: float
    operational_kg: float
    embodied_kg: float
    failures: FleetRange
    spares_bought: float
    #: Probability that any member loses data; None where not known of all.
    loss_probability: float | None
    racks: int
    #: The most that one rack draws, with probability 95 % none more.
    rack_peak_w: float


class FleetTotals(Result):
    """Over the horizon."""

    usd: dict[str, float]
    total_usd: FleetRange
    present_usd: float
    kwh: FleetRange
    #: Mean IT power.
    watts: FleetRange
    operational_kg: float
    embodied_kg: float
    failures: FleetRange
    spares_bought: float
    bought: dict[str, int]
    retired: dict[str, int]
    loss_probability: float | None
    #: Straight-line value at the end of members bought within the plan; not in the dollars.
    value_left_usd: float


class BrokenLimit(Result):
    """A limit that the plan breaks, in a year for the first time."""

    code: Literal[
        "over-capacity", "over-load", "rack-power", "racks", "site-power", "refresh-late", "delivery-late"
    ]
    #: The demand, class or site that it is of.
    what: str
    year: int
    value: float
    limit: float
    unit: str
    text: str


class PlannedPurchase(Result):
    """Members to buy."""

    name: str
    count: int
    #: The day to order, and the day of delivery.
    order_by: str
    delivery: str
    usd: float


class FleetAlternative(Result):
    """The same fleet with changes of its plan."""

    changes: list[str]
    total_usd: FleetRange
    present_usd: float
    value_left_usd: float
    kwh: float
    carbon_kg: float
    failures: float
    bought: int
    most_racks: int
    loss_probability: float | None
    broken: list[BrokenLimit]


class Fleet(ResultDocument):
    """A fleet over the years of its plan."""

    schema_id: Literal["iowatt.fleet/1"] = Field(default="iowatt.fleet/1", alias="schema")
    name: str
    start: str
    seed: int
    book: str
    tariff: str
    pue: float
    discount_rate: float
    #: Whether the dollars of all members are priced whole: no part without a price.
    whole: bool
    rack_cap_w: float | None
    racks_available: int | None
    site_cap_w: float | None
    members: list[FleetMember]
    years: list[FleetYear]
    totals: FleetTotals
    purchases: list[PlannedPurchase]
    #: Limits that the plan breaks; none where it holds.
    broken: list[BrokenLimit]
    alternatives: list[FleetAlternative]
    notes: list[Note]

    @property
    def holds(self) -> bool:
        """Whether the plan breaks no limit."""
        return not self.broken
