"""The answer as a document, ``iowatt.choose/1``. Times are in ms, money in USD over the question's years."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.lenses.cost import Cost


class Missed(Result):
    """A limit that a system does not keep."""

    #: ``load``, ``WORKLOAD.STATISTIC``, ``loss_per_year``, ``unavailable``, ``watts``, ``rack_units``,
    #: ``budget``.
    what: str
    limit: float
    #: None where it was not measured.
    found: float | None
    unit: str
    #: Whether the interval of what was found has the limit inside: more simulations could decide.
    undecided: bool = False


def shortfall(missed: Sequence[Missed]) -> tuple[bool, int, float]:
    """How far a system is from what is asked, to order systems by: the least comes nearest.

    Whether it does less than the load, then the number of limits that it misses, then the largest factor by
    which it does. Response times of a system that does not keep up count for nothing: they grow with the
    length of a run.
    """
    late = any(one.what == "load" for one in missed)
    counted = [one for one in missed if not (late and "." in one.what)]
    return late, len(counted), max(map(_times, counted), default=1.0)


def _times(one: Missed) -> float:
    """By what factor a limit is missed; infinite where nothing was found."""
    if not one.found:
        return math.inf
    return one.limit / one.found if one.what == "load" else one.found / one.limit


class KeptLevel(Result):
    """A service level beside the mean of several seeds, with the 95 % interval of that mean."""

    workload: str
    statistic: str
    limit_ms: float
    ms: float | None
    low_ms: float | None
    high_ms: float | None


class SystemFigures(Result):
    """A system, simulated."""

    family: str
    title: str
    #: Its drive models, the slow ones of several first.
    devices: list[str]
    count: int
    #: Drives, or nodes of a cluster.
    unit: Literal["drives", "nodes"]
    #: Whether its figures are of several seeds, and its durability of a simulated rebuild.
    confirmed: bool
    usd: float | None
    #: 5th and 95th percentile of dollars over draws of all prices; None where none were drawn.
    usd_low: float | None = None
    usd_high: float | None = None
    #: By part of the bill.
    by_group: dict[str, float]
    #: Of the first day.
    purchase_usd: float | None
    watts: float | None
    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    levels: list[KeptLevel]
    #: What its drives hold with their RAID level or erasure code, a cache's apart: at least what is asked.
    usable_tb: float | None
    rack_units: int | None
    loss_per_year: float | None
    carbon_kg: float | None
    utilisation: float | None
    #: How well the models of its drives were held to measurements: the worst grade.
    evidence: str
    missed: list[Missed]

    @property
    def keeps(self) -> bool:
        """Whether it keeps all that is asked."""
        return not self.missed


class OtherFootprint(Result):
    """A system under the same trace, scaled in another way."""

    #: The system, which need not be the best of its family: it may be one that misses one limit only.
    title: str = ""
    footprint: str
    p95_ms: float | None
    usd: float | None
    missed: list[Missed]


class FamilyAnswer(Result):
    """A family: its best system, or by how much it misses."""

    name: str
    title: str
    #: Its cheapest system that keeps all; else the one that comes nearest; None where none can be built.
    best: SystemFigures | None
    #: Designs of it that were estimated, and systems of it that were simulated.
    designs: int
    simulated: int
    #: Why none can be built.
    refused: str | None = None
    #: Its cheapest system if the trace were scaled the other way, and what that misses; None where it was not
    #: tried.
    otherwise: OtherFootprint | None = None


class EstimateError(Result):
    """How estimates compare with simulations, over the systems that have both."""

    of: Literal["usd", "watts", "p95_ms"]
    systems: int
    #: Relative errors without sign: median and 95th percentile.
    median: float
    p95: float


class TurningPoint(Result):
    """A figure at which another system becomes the cheapest, with all others as they are."""

    #: A key of the price book, or ``years``.
    of: str
    text: str
    unit: str
    value: float
    #: The nearest changes below and above the value, and the cheapest there; None where there is none in the
    #: range.
    below: float | None
    below_winner: str | None
    above: float | None
    above_winner: str | None
    #: The range that was looked at.
    low: float
    high: float


class Relaxed(Result):
    """A cheaper system that misses one limit, and how far the limit would have to give way."""

    what: str
    limit: float
    #: Whether the limit is that of a question that states none.
    default: bool = False
    needed: float
    unit: str
    title: str
    family: str
    usd: float


class WhatIf(Result):
    """The answer to a changed question, by the estimator."""

    what: str
    #: Of the question's own.
    factor: float
    winner: str | None
    family: str | None
    usd: float | None


TraceTrait = Literal["skew", "reuse", "runs", "burstiness", "spread"]


class FootprintMeasure(Result):
    """A trace's requests as recorded, or scaled in one way, over the same part of the trace."""

    workload: str
    #: ``recorded``, or how it was scaled.
    stream: str
    #: Whether the question asks for it.
    chosen: bool
    #: Requests that were measured; of clones those of some tenants.
    requests: int
    #: Requests a second of the whole workload.
    rate_iops: float
    #: Data that they touch, and its share of the capacity; as recorded, of what the trace reaches.
    touched_bytes: int
    touched_share: float
    #: Share of the capacity's parts, about a thousand, in which they touch anything.
    spread_share: float
    #: Share of the block references that go to the hottest hundredth, and tenth, of the blocks touched.
    hottest_hundredth: float | None
    hottest_tenth: float | None
    #: Hits of an LRU cache of 1 % of the capacity, empty at first.
    cache_hits: float | None
    #: Mean bytes of a sequential run.
    run_bytes: float | None
    #: Coefficient of variation of requests a second.
    burstiness: float | None
    #: What is as recorded, and what is off by more than 20 % (and, of shares and variations, by 0.02).
    kept: list[TraceTrait]
    lost: list[TraceTrait]


class MadeScenario(Result):
    """The scenario of a family's best system, and the commands that make its figures again."""

    title: str
    #: Relative to the answer's folder.
    path: str
    commands: list[str]


class Choose(ResultDocument):
    """What to buy."""

    schema_id: Literal["iowatt.choose/1"] = Field(default="iowatt.choose/1", alias="schema")
    #: The question's name; one that is called ``question`` has its capacity, rate and levels here.
    name: str
    #: The question in a sentence.
    asked: str
    years: float
    #: The cheapest system that keeps all; None where none does.
    winner: SystemFigures | None
    #: The next cheapest, of another family.
    next: SystemFigures | None
    #: Families whose best may be cheaper than the winner, as far as prices are known, and what would decide.
    too_close: list[TooClose]
    #: Families whose best costs about as much as the winner or the next, and does better in another respect.
    near_ties: list[NearTie] = Field(default_factory=list)
    families: list[FamilyAnswer]
    #: All systems that were simulated.
    systems: list[SystemFigures]
    errors: list[EstimateError]
    break_evens: list[TurningPoint]
    relaxed: list[Relaxed]
    what_if: list[WhatIf]
    footprints: list[FootprintMeasure]
    #: Dollars of the families' best with their uncertainty; None with no candidate.
    cost: Cost | None
    scenarios: list[MadeScenario]
    simulations: int
    notes: list[Note]


class TooClose(Result):
    """A family's best that may be cheaper than the winner."""

    title: str
    family: str
    #: Share of draws of all prices in which it is.
    share: float
    #: The figure whose change by the least factor makes it the cheapest, a key of the price book; None where
    #: none does.
    decides: str | None
    text: str
    #: Its value now, and at the break-even.
    now: float | None = None
    at: float | None
    unit: str


Respect = Literal["watts", "p95_ms", "loss_per_year"]


class FigureBeside(Result):
    """A figure of a system beside the same of another."""

    of: Respect
    value: float
    beside: float


class NearTie(Result):
    """A family's best that costs about as much as another system and does better in some respect."""

    title: str
    family: str
    usd: float
    #: The other system: the winner or the next.
    beside: str
    beside_usd: float
    better: list[FigureBeside]
    worse: list[FigureBeside]
