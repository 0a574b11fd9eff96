"""What Runs cost as a document, ``iowatt.cost/1``.

Money is in US dollars, energy in J or kWh, carbon in kg CO2e, capacity in decimal GB. Seconds count from the
first day of the bill; years have 365 days. None is what is not known.
"""

from __future__ import annotations

import re
from typing import Any, Final, Literal

from pydantic import Field, model_validator

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.lenses.budget.result import ServiceLevel
from iowatt.lenses.kept_up import KeptUp

#: Control characters, halves of surrogate pairs (folders whose names are not UTF-8), and the two characters
#: that XML forbids: neither a terminal nor a file should get them.
_UNPRINTABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def _printable(part: Any) -> Any:
    """The texts of a list or of the keys of a dict with question marks for what cannot be printed."""
    if isinstance(part, str):
        return _UNPRINTABLE.sub("?", " ".join(part.splitlines())) if _UNPRINTABLE.search(part) else part
    if isinstance(part, list | tuple):
        return [_printable(one) for one in part]
    if isinstance(part, dict):
        return {_printable(key): _printable(value) for key, value in part.items()}
    return part


class Part(Result):
    """A part of the document. Names come from folders and files, so that any text may be in them."""

    @model_validator(mode="before")
    @classmethod
    def _printable_texts(cls, given: Any) -> Any:
        return _printable(given)


class HorizonUsed(Part):
    """How long the work goes on: ``amount`` times the same work, or ``amount`` years."""

    basis: Literal["work", "time"]
    amount: float
    #: The same in words.
    said: str


class TariffUsed(Part):
    """Which tariff bills the energy."""

    key: str
    name: str
    utility: str
    source: str
    #: First and last day, where known.
    effective: tuple[str | None, str | None]
    verified: bool
    notes: list[Note]


class BookUsed(Part):
    """Which book the assumptions come from."""

    name: str
    title: str
    #: Books that it is made of, itself first.
    lineage: list[str]
    notes: list[Note]
    cautions: list[Note]


class Assumption(Part):
    """A figure of the book with its range and its source."""

    key: str
    unit: str
    #: What it is.
    text: str
    value: float | str
    low: float | None
    high: float | None
    source: str
    date: str | None
    quality: str
    note: str


class Excluded(Part):
    """A system that is not ranked: it did not keep up with its load (``late``), or misses the level."""

    system: str
    late: bool
    why: str


class Cheapest(Part):
    """Names of the cheapest candidates."""

    total: str | None
    per_usable_tb: str | None


class Choice(Part):
    """Which systems may be ranked, and which is the cheapest."""

    level: ServiceLevel | None
    #: The first candidate, which the others are compared with.
    baseline: str | None
    candidates: list[str]
    excluded: list[Excluded]
    #: Whether usable capacities differ by more than 1 %; None where not all are known.
    capacities_differ: bool | None
    cheapest: Cheapest


class WorkOnce(Part):
    """The work that is repeated."""

    duration_s: float
    requests: float
    bytes_moved: float
    #: Mean and 95th percentile.
    response_ms: float | None
    response_p95_ms: float | None
    energy_j: float


class Capacity(Part):
    """Capacity in decimal GB: of all drives, after redundancy, after data reduction."""

    raw: float | None
    usable: float | None
    effective: float | None


class Payment(Result):
    """Dollars due at ``at_s``, or evenly from then until ``until_s``."""

    usd: float
    at_s: float
    until_s: float | None


class CostComponent(Part):
    """A named part of the cost with its formula and the payments that it consists of."""

    key: str
    group: str
    title: str
    #: The drive it is of; None where it is of the whole system.
    device: str | None
    usd: float | None
    present_usd: float | None
    quantity: float | None
    unit: str
    unit_price: float | None
    formula: str
    #: ``usd`` for a spreadsheet (`iowatt.lenses.cost.expression`).
    expression: str | None
    source: str
    date: str | None
    scales: Literal["once", "work", "time"]
    #: Keys of the book.
    rests_on: list[str]
    note: str
    flows: list[Payment]


class BilledMonth(Part):
    """A month of the bill, or a year where there are many."""

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


class Billed(Part):
    """The bill of the system's own power."""

    energy_kwh: float
    peak_kw: float
    months: list[BilledMonth]

    @property
    def by(self) -> Literal["month", "year"] | None:
        """What a row is of; None where there is none."""
        if not self.months:
            return None
        return "year" if len(self.months[0].month) == len("2026") else "month"


class DriveWear(Part):
    """How much of its life one drive uses in the work once."""

    fraction: float
    #: The rating that binds.
    by: str | None
    #: Shares by rating.
    ratios: dict[str, float]
    life_years: float | None
    formula: str
    source: str
    note: str


def _absent(value: object) -> bool:
    return value is None


class DriveReplaced(Part):
    """A drive bought in place of a worn one; ``count`` of them evenly until ``until_years`` in a group."""

    at_years: float
    reason: Literal["worn", "service_life"]
    usd: float | None
    count: int | None = Field(default=None, exclude_if=_absent)
    until_years: float | None = Field(default=None, exclude_if=_absent)


class DriveCost(Part):
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
    #: Whether the price per GB is stretched beyond the capacities that it was taken from.
    price_extrapolated: bool
    price_expression: str | None
    #: The horizon in lives, and how many drives serve one after another.
    lives: float | None
    served: int | None
    lives_expression: str | None
    wear: DriveWear
    replacements: list[DriveReplaced]

    @property
    def replaced(self) -> int:
        """How often it is replaced over the horizon."""
        return sum(one.count or 1 for one in self.replacements)


class Grid(Part):
    """Emissions of electricity."""

    key: str
    g_per_kwh: float
    source: str


class EmbodiedEstimate(Part):
    """Embodied carbon of all drives by one estimate; None where it does not know all of them."""

    estimate: str
    embodied_kg: float | None
    source: str


class Carbon(Part):
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


class View(Part):
    """One ratio, such as dollars an IOPS. ``value`` is None where it cannot be formed (``note`` says why)."""

    key: str
    title: str
    value: float | None
    unit: str
    formula: str
    source: str
    note: str = ""


class CycleWear(Part):
    """What one stop costs by one rating of cycles, and how long a rest must last to save that."""

    rating: str
    #: Cycles.
    limit: float
    source: str
    usd_per_cycle: float
    #: None where no money is saved.
    seconds: float | None
    #: Over the break-even time in joules; None where that, or ``seconds``, is not above 0.
    times_energy: float | None


class BreakEven(Part):
    """From which length on a rest at a power level pays, in joules and in dollars."""

    level: str
    #: Why the energy of the way there and back may be less; empty where it is known.
    at_most: str
    saved_w: float
    energy_s: float
    #: None where it never pays.
    dollars_s: float | None
    #: The rating that counts; None without any.
    by: str | None
    wear: list[CycleWear]


class DailyBudget(Part):
    """What one rating allows a day, so that a drive lasts ``years``, and what the work uses."""

    rating: str
    #: Cycles, or bytes that hosts write.
    limit: float
    source: str
    years: float
    per_day: float
    used_per_day: float


class Saved(Part):
    """Dollars of energy saved, of wear, and the difference."""

    saved_usd: float | None
    wear_usd: float | None
    net_usd: float | None


class SpinDown(Part):
    """What resting did for the drives of one model in one pool, and from which length on it pays."""

    title: str
    pool: str
    model: str
    #: How many.
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


class DutyCycle(Part):
    """The load of each hour of the week, and factors of months and holidays, in ``measure``."""

    name: str
    title: str
    where: str
    measure: str
    #: 7 x 24, Monday first.
    week: list[list[float]]
    mean_day: list[float]
    months: list[float]
    holidays: list[str]
    holiday: list[float] | None
    growth_per_year: float
    source: str
    date: str | None
    quality: str
    notes: list[Note]


class HighestHour(Part):
    """The hour with the highest load."""

    when: str
    load: float
    watts: float
    response_ms: float | None


class LoadLevel(Part):
    """A Run, and the hours that it stands for."""

    where: str
    load: float
    #: Of the highest load.
    share: float
    watts: float
    response_ms: float | None
    hours: float


class LoadBand(Part):
    """Hours at loads above one share of the highest load, up to another."""

    above: float
    to: float
    hours: int
    kwh: float


class MeanWeek(Part):
    """Means by hour of the week, 7 x 24, Monday first."""

    days: list[str]
    load: list[list[float]]
    watts: list[list[float]]


class MeanDay(Part):
    """Means by hour of the day."""

    load: list[float]
    watts: list[float]


class CalendarMonth(Part):
    """A calendar month of all years together."""

    month: int
    hours: int
    kwh: float
    mean_load: float


class DutyYear(ResultDocument, Part):
    """A year of a duty cycle on one array: loads in ``unit``, power in W."""

    schema_id: Literal["iowatt.year/1"] = Field(default="iowatt.year/1", alias="schema")
    system: str
    cycle: DutyCycle
    start: str
    years: int
    measure: str
    unit: str
    highest: float
    power_basis: str
    modelled: bool
    energy_kwh: float
    mean_w: float
    requests: float
    bytes_moved: float
    response_ms: float | None
    highest_hour: HighestHour
    levels: list[LoadLevel]
    by_load: list[LoadBand]
    week: MeanWeek
    mean_day: MeanDay
    months: list[CalendarMonth]
    notes: list[Note]


class SystemCost(Part):
    """What one system costs over the horizon."""

    name: str
    where: str
    modelled: bool
    #: ``wall`` or ``device``.
    power_basis: str
    repeats: float
    seconds: float
    years: float
    work: WorkOnce
    capacity_gb: Capacity
    kept_up: KeptUp | None
    #: The total as it is paid; None where a price is missing.
    usd: float | None
    usd_per_usable_tb: float | None
    #: In today's dollars.
    present_usd: float | None
    #: All that has a price.
    known_usd: float
    by_group: dict[str, float | None]
    components: list[CostComponent]
    bill: Billed
    drives: list[DriveCost]
    carbon: Carbon
    views: list[View]
    spin_down: list[SpinDown]
    year: DutyYear | None
    cautions: list[Note]
    notes: list[Note]

    @property
    def late(self) -> bool:
        """Whether it did not keep up with its load."""
        return self.kept_up is not None and not self.kept_up.kept_up


class OtherTotal(Part):
    """A system under the other horizon."""

    name: str
    repeats: float
    years: float
    usd: float | None
    by_group: dict[str, float | None]


class OtherHorizon(Part):
    """All systems under the other horizon: equal time beside equal work, or the other way round."""

    horizon: HorizonUsed
    systems: list[OtherTotal]


class MoreThanFirst(Part):
    """What ``b`` costs more than ``a``, the first candidate."""

    a: str
    b: str
    usd: float | None
    share: float | None


class DrawnFigure(Part):
    """A figure that is drawn within its range."""

    key: str
    unit: str
    text: str
    law: Literal["triangular", "log-triangular"]
    low: float
    mode: float
    high: float


class Quantiles(Result):
    """Dollars that so many per cent of the draws stay below."""

    p5: float
    p25: float
    p50: float
    p75: float
    p95: float


class DrawnDollars(Part):
    """Dollars at the book's values and over the draws."""

    usd: float
    mean: float
    sd: float
    quantiles: Quantiles
    #: Those at 1 %, 2 % ... 99 %.
    curve: list[float]
    #: Share of the draws above ``usd``; those that are the same count half.
    share_above: float


class DrawnGroup(Part):
    """A group's dollars over the draws."""

    group: str
    usd: float
    quantiles: Quantiles


class _OfSystem(Part):
    name: str


class _OfPair(Part):
    a: str
    b: str


class DrawnSystem(DrawnDollars, _OfSystem):
    """A system's total over the draws."""

    groups: list[DrawnGroup]
    #: Share of the draws in which it is the cheapest.
    cheapest_share: float
    #: The same per usable TB; None where a capacity is not known.
    cheapest_per_tb_share: float | None


class DrawnDifference(DrawnDollars, _OfPair):
    """What ``b`` costs more than ``a`` over the draws; ties count half."""

    share_b_cheaper: float


class Uncertainty(Part):
    """Totals and differences over draws of all figures that have a range."""

    samples: int
    seed: int
    #: ``present``: discounted by ``discount.rate``.
    dollars: Literal["present", "paid"]
    method: str
    figures: list[DrawnFigure]
    systems: list[DrawnSystem]
    differences: list[DrawnDifference]


class Bar(Part):
    """One figure: its range in the key's unit, and the dollars at either end of it."""

    key: str
    unit: str
    text: str
    low: float
    value: float
    high: float
    usd_low: float
    usd_high: float
    #: Dollars between the least and the most of the three.
    swing: float
    #: Whether a difference changes its sign.
    flips: bool


class Tornado(Part):
    """Bars of a system's total, or of what ``b`` costs more than ``a``; the largest swing first."""

    of: Literal["total", "difference"]
    system: str | None
    a: str | None
    b: str | None
    #: At the book's values.
    usd: float
    dollars: Literal["present", "paid"]
    bars: list[Bar]
    #: Keys of figures with a range that change nothing here.
    without_effect: list[str]


class Elsewhere(Part):
    """A place along an assumption in other terms, for one system."""

    text: str
    value: float
    unit: str


class PlaceRange(Part):
    """Where a ranking flips over draws: quantiles of the first place, and what the other draws do.

    Quantiles are None where fewer than 20 draws have a place. The shares sum to 1.
    """

    draws: int
    seed: int
    p5: float | None
    p50: float | None
    p95: float | None
    share_crossing: float
    share_a_cheaper: float
    share_b_cheaper: float
    share_same: float
    share_reversed: float


class Crossing(Part):
    """A place between ``lower`` and ``upper`` where the cheaper of two systems changes."""

    at: float
    lower: float
    upper: float
    kind: Literal["cross", "jump", "tie"]
    cheaper_below: str
    cheaper_above: str
    #: The difference at either side.
    usd_below: float
    usd_above: float
    also: list[Elsewhere]


class Pair(Part):
    """The crossings of two systems, or why there is none; and how sure the first one is."""

    a: str
    b: str
    crossings: list[Crossing]
    why: str | None
    range: PlaceRange | None


class Course(Part):
    """Totals of each system along an assumption."""

    at: list[float]
    usd: dict[str, list[float]]


class CheapestStretch(Part):
    """Which system is the cheapest from where until where."""

    start: float = Field(alias="from")
    until: float
    system: str


class Crossover(Part):
    """One assumption varied: what all systems cost along it, who is the cheapest where, and the pairs."""

    #: ``alpha``, ``years`` or a key of the book.
    of: str
    unit: str
    text: str
    #: In force; None where nothing is.
    value: float | None
    low: float
    high: float
    #: Why it ends there, where that is not by choice.
    ended_by: str | None
    dollars: Literal["present", "paid"]
    axis: Literal["log", "linear"]
    course: Course
    cheapest: list[CheapestStretch]
    pairs: list[Pair]


class Cost(ResultDocument, Part):
    """What Runs cost, side by side."""

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
        """The value of an assumption; None where nothing asked for it."""
        return next((one.value for one in self.assumptions if one.key == key), None)
