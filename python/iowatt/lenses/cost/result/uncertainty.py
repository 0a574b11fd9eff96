"""Uncertainty of costs in ``iowatt.cost/1``: draws, tornados, crossovers."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from iowatt.base.printable import PrintableResult
from iowatt.base.results import Result


class DrawnFigure(PrintableResult):
    """A figure that is drawn within its range."""

    key: str
    unit: str
    text: str
    law: Literal["triangular", "log-triangular"]
    low: float
    mode: float
    high: float


class Quantiles(Result):
    """Quantiles of the draws in dollars."""

    p5: float
    p25: float
    p50: float
    p75: float
    p95: float


class DrawnDollars(PrintableResult):
    """Dollars at the book's values and over the draws."""

    usd: float
    mean: float
    sd: float
    quantiles: Quantiles
    #: Those at 1 %, 2 % ... 99 %.
    curve: list[float]
    #: Share of the draws above ``usd``; equal draws count half.
    share_above: float


class DrawnGroup(PrintableResult):
    """A group's dollars over the draws."""

    group: str
    usd: float
    quantiles: Quantiles


class _OfSystem(PrintableResult):
    name: str


class _OfPair(PrintableResult):
    a: str
    b: str


class DrawnSystem(DrawnDollars, _OfSystem):
    """A system's total over the draws."""

    groups: list[DrawnGroup]
    #: Share of the draws in which it is the cheapest.
    cheapest_share: float
    #: The same per usable TB; None where a capacity is not known.
    cheapest_per_tb_share: float | None
    #: The same at equal work and usable capacity, where these differ; else as ``cheapest_share``.
    cheapest_equal_share: float


class DrawnDifference(DrawnDollars, _OfPair):
    """How much more ``b`` costs than ``a`` over the draws, on equal terms; ties count half."""

    share_b_cheaper: float


class Uncertainty(PrintableResult):
    """Totals and differences over draws of all figures that have a range."""

    samples: int
    seed: int
    #: ``present``: discounted by ``discount.rate``.
    dollars: Literal["present", "paid"]
    method: str
    figures: list[DrawnFigure]
    systems: list[DrawnSystem]
    differences: list[DrawnDifference]


class TornadoBar(PrintableResult):
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


class Tornado(PrintableResult):
    """Bars of a system's total, or of the difference ``b - a`` on equal terms; the largest swing first."""

    of: Literal["total", "difference"]
    system: str | None
    a: str | None
    b: str | None
    #: At the book's values.
    usd: float
    dollars: Literal["present", "paid"]
    bars: list[TornadoBar]
    #: Keys of figures with a range and without effect.
    without_effect: list[str]


class Elsewhere(PrintableResult):
    """A value of an assumption in other terms, for one system."""

    text: str
    value: float
    unit: str


class PlaceRange(PrintableResult):
    """Where a ranking changes over draws: quantiles of the first place, and shares of draws, which sum to 1.

    Quantiles are None where fewer than 20 draws have a place.
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


class CostCrossing(PrintableResult):
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


class PairCrossings(PrintableResult):
    """The crossings of two systems, or why there is none, and the range of the first."""

    a: str
    b: str
    crossings: list[CostCrossing]
    why: str | None
    range: PlaceRange | None


class CostCurve(PrintableResult):
    """Totals of each system along an assumption, on equal terms."""

    at: list[float]
    usd: dict[str, list[float]]


class CheapestStretch(PrintableResult):
    """A stretch of an assumption and its cheapest system."""

    start: float = Field(alias="from")
    until: float
    system: str


class Crossover(PrintableResult):
    """Costs of all systems along one assumption, the cheapest by stretches, and the crossings of pairs."""

    #: ``alpha``, ``years`` or a key of the book.
    of: str
    unit: str
    text: str
    #: The value in force, if any.
    value: float | None
    low: float
    high: float
    #: What ended it, where not the bounds.
    ended_by: str | None
    dollars: Literal["present", "paid"]
    axis: Literal["log", "linear"]
    course: CostCurve
    cheapest: list[CheapestStretch]
    pairs: list[PairCrossings]
