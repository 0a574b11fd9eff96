"""The costs of systems in ``iowatt.cost/1``."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import ConfigDict, Field

from iowatt.base.printable import PrintableResult
from iowatt.base.results import Note, ResultDocument, is_none
from iowatt.lenses.book.result import Assumption
from iowatt.lenses.budget.result import ServiceLevel
from iowatt.lenses.cost.result.uncertainty import Crossover, Tornado, Uncertainty
from iowatt.lenses.cost.result.year import DutyYear
from iowatt.lenses.durability.result import RebuildTime
from iowatt.lenses.equal_terms import EqualTerms
from iowatt.lenses.kept_up import KeptUp
from iowatt.lenses.wear import SECONDS_PER_YEAR


class HorizonUsed(PrintableResult):
    """The horizon: ``amount`` times the work of each Run, or ``amount`` years."""

    basis: Literal["work", "time"]
    amount: float
    #: The same in words.
    said: str


class TariffUsed(PrintableResult):
    """The tariff that bills the energy."""

    key: str
    name: str
    utility: str
    source: str
    #: First and last day, where known.
    effective: tuple[str | None, str | None]
    verified: bool
    notes: list[Note]


class BookUsed(PrintableResult):
    """The book of the assumptions."""

    name: str
    title: str
    #: Books that it extends, itself first.
    lineage: list[str]
    notes: list[Note]
    cautions: list[Note]


class Excluded(PrintableResult):
    """A system that is not ranked: it did not keep up with its load (``late``), or misses the level."""

    system: str
    late: bool
    why: str


class Cheapest(PrintableResult):
    """Names of the cheapest candidates."""

    #: At equal work and usable capacity (``terms``); None where these cannot be made equal.
    equal: str | None
    total: str | None
    per_usable_tb: str | None


class Choice(PrintableResult):
    """The candidates and the cheapest of them."""

    level: ServiceLevel | None
    #: The first candidate, with which the others are compared.
    baseline: str | None
    candidates: list[str]
    excluded: list[Excluded]
    #: Whether usable capacities differ by more than 1 %; None where not all are known.
    capacities_differ: bool | None
    #: What differs between candidates; ``work`` is requests per second, or of the work once for equal work.
    terms: EqualTerms
    cheapest: Cheapest


class WorkOnce(PrintableResult):
    """The work that is repeated."""

    duration_s: float
    requests: float
    bytes_moved: float
    #: Mean and 95th percentile.
    response_ms: float | None
    response_p95_ms: float | None
    #: Why the percentile may not be trusted; None where it may, or was measured.
    tail_doubt: str | None = None
    energy_j: float


class SystemCapacity(PrintableResult):
    """Capacity in decimal GB: of all drives, after redundancy, after data reduction."""

    raw: float | None
    usable: float | None
    effective: float | None


#: Relative change of the discount over a payment below which its mean is taken from the series.
_SMALL: Final = 1e-9


@dataclass(frozen=True)
class Payment:
    """Dollars due at ``at_s``, or evenly from then until ``until_s``."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    usd: float
    at_s: float = 0.0
    until_s: float | None = None

    def present(self, rate: float) -> float:
        """Its value today at a yearly discount ``rate`` (share): ``usd / (1 + rate)^t``.

        Of an even payment the mean over its time, ``usd (d(a) - d(b)) / (ln(1 + rate) (b - a))``.
        """
        if rate == 0.0:
            return self.usd
        force = math.log1p(rate)
        start = self.at_s / SECONDS_PER_YEAR
        discounted = self.usd * math.exp(-force * start)
        if self.until_s is None or self.until_s <= self.at_s:
            return discounted
        change = force * (self.until_s / SECONDS_PER_YEAR - start)
        mean = 1.0 - change / 2 if abs(change) < _SMALL else -math.expm1(-change) / change
        return discounted * mean


class CostComponent(PrintableResult):
    """A named part of the cost with its formula and payments."""

    key: str
    group: str
    title: str
    #: Its drive; None for the whole system.
    device: str | None
    usd: float | None
    present_usd: float | None
    quantity: float | None
    unit: str
    unit_price: float | None
    formula: str
    #: ``usd`` as an expression of the workbook.
    expression: str | None
    source: str
    date: str | None
    scales: Literal["once", "work", "time"]
    #: Keys of the book.
    rests_on: list[str]
    note: str
    flows: list[Payment]


class BilledPeriod(PrintableResult):
    """A month of the bill, or a year of a long one."""

    month: str
    kwh: float
    energy_usd: float
    demand_usd: float
    fixed_usd: float
    other_usd: float

    @property
    def usd(self) -> float:
        """All charges."""
        return self.energy_usd + self.demand_usd + self.fixed_usd + self.other_usd


class Billed(PrintableResult):
    """The bill of the system's own power."""

    energy_kwh: float
    peak_kw: float
    months: list[BilledPeriod]

    @property
    def by(self) -> Literal["month", "year"] | None:
        """The period of a row; None without rows."""
        if not self.months:
            return None
        return "year" if len(self.months[0].month) == len("2026") else "month"


class DriveWear(PrintableResult):
    """The share of a drive's life that the work done once uses."""

    fraction: float
    #: The rating that binds.
    by: str | None
    #: Shares by rating.
    ratios: dict[str, float]
    life_years: float | None
    formula: str
    source: str
    note: str


class DriveReplaced(PrintableResult):
    """A replacement of a drive, or a group of ``count`` evenly until ``until_years``."""

    at_years: float
    reason: Literal["worn", "service_life"]
    usd: float | None
    count: int | None = Field(default=None, exclude_if=is_none)
    until_years: float | None = Field(default=None, exclude_if=is_none)


class DriveCost(PrintableResult):
    """One drive: price, life and replacements."""

    name: str
    model: str
    pool: str
    kind: str
    capacity_gb: float
    used_gb: float | None
    price_usd: float | None
    price_source: str
    price_date: str | None
    #: Whether the price per GB was taken from smaller drives.
    price_extrapolated: bool
    price_expression: str | None
    #: The horizon in lives, and the drives that serve in sequence.
    lives: float | None
    served: int | None
    lives_expression: str | None
    wear: DriveWear
    replacements: list[DriveReplaced]

    @property
    def replaced(self) -> int:
        """Replacements over the horizon."""
        return sum(one.count or 1 for one in self.replacements)


class Grid(PrintableResult):
    """Emissions of electricity."""

    key: str
    g_per_kwh: float
    source: str


class EmbodiedEstimate(PrintableResult):
    """Embodied carbon of all drives by one estimate; None where it lacks a drive."""

    estimate: str
    embodied_kg: float | None
    source: str


class Carbon(PrintableResult):
    """Carbon of electricity and of the drives bought, kg CO2e."""

    grid: Grid
    operational_kg: float
    operational_expression: str
    operational_rests_on: list[str]
    embodied_kg: float | None
    embodied_expression: str | None
    embodied_rests_on: list[str]
    estimate: str
    choices: list[EmbodiedEstimate]
    note: str


class CostRatio(PrintableResult):
    """A ratio, such as dollars per IOPS. ``value`` is None where it is not known (``note`` says why)."""

    key: str
    title: str
    value: float | None
    unit: str
    formula: str
    source: str
    note: str = ""


class CycleWear(PrintableResult):
    """The cost of one cycle by one rating, and the length of a rest that saves it."""

    rating: str
    #: Cycles.
    limit: float
    source: str
    usd_per_cycle: float
    #: None where no money is saved.
    seconds: float | None
    #: Ratio to the break-even time in joules; None where either is 0.
    times_energy: float | None


class BreakEven(PrintableResult):
    """The length from which on a rest at a power level saves joules, and dollars."""

    level: str
    #: Why the transitions may draw less; empty where they are known.
    at_most: str
    saved_w: float
    energy_s: float
    #: None where it never pays.
    dollars_s: float | None
    #: The rating that binds; None without any.
    by: str | None
    wear: list[CycleWear]


class DailyBudget(PrintableResult):
    """What one rating allows per day over ``years``, and what the work uses."""

    rating: str
    #: Cycles, or bytes that hosts write.
    limit: float
    source: str
    years: float
    per_day: float
    used_per_day: float


class Saved(PrintableResult):
    """Dollars of energy saved, of wear, and the difference."""

    saved_usd: float | None
    wear_usd: float | None
    net_usd: float | None


class SpinDown(PrintableResult):
    """Savings and wear of resting for the drives of one model in a pool, and break-even times."""

    title: str
    pool: str
    model: str
    #: Number of drives.
    drives: int
    stops: float
    level_changes: float
    low_share: float | None
    saved_j: float | None
    saved_usd: float | None
    wear_usd: float | None
    net_usd: float | None
    #: The same over the horizon.
    horizon: Saved
    usd_per_kwh: float
    pue: float
    life_years: float | None
    #: Break-even times of the deepest level.
    energy_s: float | None
    dollars_s: float | None
    #: Whether all drives have a price.
    priced: bool
    break_even: list[BreakEven]
    budget: list[DailyBudget]
    note: str


class SystemCost(PrintableResult):
    """The cost of one system over the horizon."""

    name: str
    where: str
    modelled: bool
    #: ``wall`` or ``device``.
    power_basis: str
    repeats: float
    seconds: float
    years: float
    work: WorkOnce
    capacity_gb: SystemCapacity
    kept_up: KeptUp | None
    #: The total as paid; None where a price is missing.
    usd: float | None
    usd_per_usable_tb: float | None
    #: As many of a candidate as do as much and hold as much as any, and their total.
    copies: float | None
    usd_equal: float | None
    #: Probability of a loss of data in a year and over the horizon; None where it is not known.
    loss_per_year: float | None
    loss_over_horizon: float | None
    #: The time of a rebuild by pool that these rest on, and where it is from.
    rebuilds: list[RebuildTime]
    #: In today's dollars.
    present_usd: float | None
    #: The sum of what has a price.
    known_usd: float
    by_group: dict[str, float | None]
    components: list[CostComponent]
    bill: Billed
    drives: list[DriveCost]
    carbon: Carbon
    views: list[CostRatio]
    spin_down: list[SpinDown]
    year: DutyYear | None
    cautions: list[Note]
    notes: list[Note]

    @property
    def late(self) -> bool:
        """Whether it fell behind its load."""
        return self.kept_up is not None and not self.kept_up.kept_up


class OtherTotal(PrintableResult):
    """A system under the other horizon."""

    name: str
    repeats: float
    years: float
    usd: float | None
    by_group: dict[str, float | None]


class OtherHorizon(PrintableResult):
    """All systems under the other horizon: equal time after equal work, or equal work after equal time."""

    horizon: HorizonUsed
    systems: list[OtherTotal]


class MoreThanFirst(PrintableResult):
    """How much more ``b`` costs than ``a``, the first candidate: in total, and on equal terms."""

    a: str
    b: str
    usd: float | None
    share: float | None
    usd_equal: float | None
    share_equal: float | None


class Cost(ResultDocument, PrintableResult):
    """The costs of Runs, side by side."""

    schema_id: Literal["iowatt.cost/1"] = Field(default="iowatt.cost/1", alias="schema")
    #: First day of the bill.
    start: str
    horizon: HorizonUsed
    #: Whether all systems were simulated.
    modelled: bool
    tariff: TariffUsed
    book: BookUsed
    assumptions: list[Assumption]
    choice: Choice
    systems: list[SystemCost]
    other: OtherHorizon
    comparison: list[MoreThanFirst]
    uncertainty: Uncertainty | None
    tornado: list[Tornado]
    crossovers: list[Crossover]

    def assumed(self, key: str) -> float | str | None:
        """The value of an assumption; None where it is not used."""
        return next((row.value for row in self.assumptions if row.key == key), None)
