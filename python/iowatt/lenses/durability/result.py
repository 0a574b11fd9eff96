"""Durability as a document, ``iowatt.durability/1``.

Probabilities are shares, capacity is in decimal GB, lost data in bytes, rates in events a year of 8,760
hours. Intervals are of 95 %; of a Markov chain both ends are the figure itself.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from iowatt.base.printable import PrintableResult
from iowatt.base.results import Note, ResultDocument
from iowatt.lenses.book.result import Assumption

RebuildBasis = Literal["run", "simulated", "stated", "given"]


class InputFigure(PrintableResult):
    """A figure that the result rests on."""

    value: float
    #: field, rated, or the quality of the book's figure: measured, stated, derived, assumed, given ...
    basis: str
    source: str
    #: Its key in the book; None where it is the drive's own.
    key: str | None


class DriveInputs(PrintableResult):
    """How often a model fails and cannot read."""

    model: str
    kind: str
    of_class: str = Field(alias="class")
    #: Failures of a drive a year.
    afr: InputFigure
    #: What its data sheet says; None where it says nothing.
    rated_afr: float | None
    #: Unrecoverable errors for each bit read.
    uber: InputFigure
    #: Latent sector errors of a drive a year.
    latent: InputFigure


class RebuildTime(PrintableResult):
    """How long the rebuild of one drive of a pool takes."""

    pool: str
    seconds: float
    bytes_per_s: float
    #: run: of the Run's own rebuild. simulated: of one made for this result. stated: from a stated rate.
    #: given: by whoever asked.
    basis: RebuildBasis
    #: What of it was simulated, or who states it.
    text: str
    #: Share of the drive whose rebuild was simulated; 0 where it is stated.
    simulated_share: float


class ProbabilityRange(PrintableResult):
    """An estimate with its interval."""

    value: float
    low: float
    high: float


class GroupDurability(PrintableResult):
    """Like redundancy groups of one pool, together."""

    name: str
    pool: str
    title: str
    count: int
    members: int
    #: Lost drives that the data survives whichever they are.
    survives: int
    spares: int
    user_gb: float
    model: str
    #: From a failure to the start of the rebuild, with a spare at hand, and the rebuild itself.
    delay_s: float
    rebuild_s: float
    method: Literal["markov", "monte-carlo"]
    #: Why a Markov chain does not hold it.
    beyond_markov: list[str]
    trials: int
    loss_per_year: ProbabilityRange
    loss_over_horizon: ProbabilityRange
    #: Loss of more drives than it survives, not of single sectors.
    group_loss_over_horizon: ProbabilityRange
    bytes_lost_per_year: float
    mttdl_years: float | None
    degraded_hours_per_year: float
    unavailable_hours_per_year: float


class LossCause(PrintableResult):
    """A part of the probability of loss."""

    group: str
    cause: str
    loss_over_horizon: float
    #: Of the sum over all causes.
    share: float
    #: Of the expected bytes; those by drives and by each domain are divided as their probabilities are.
    bytes_lost_per_year: float


class CacheDurability(PrintableResult):
    """Data that is in a cache alone, and is lost with it."""

    name: str
    dirty_bytes: float
    failures_per_year: float
    loss_over_horizon: float
    text: str


class DurabilityChange(PrintableResult):
    """The same system with one thing changed, by the same engine and random streams.

    The rebuild is the system's own; with other copies or parities of a cluster, that of the changed cluster.
    """

    change: str
    #: Lost drives that it survives more than it does as it is.
    survives_more: int
    #: Drives that it has more than it does as it is.
    drives_more: int
    loss_per_year: float
    loss_over_horizon: float
    #: Interval of the loss over the horizon.
    low: float
    high: float
    bytes_lost_per_year: float
    #: Data of volumes, and usable capacity, which parity takes from.
    user_gb: float
    usable_gb: float
    #: Loss over the horizon as it is, over that with the change; None where trials do not tell them apart.
    better: float | None


class Durability(ResultDocument, PrintableResult):
    """How likely a system loses data, how much, and by what."""

    schema_id: Literal["iowatt.durability/1"] = Field(default="iowatt.durability/1", alias="schema")
    name: str
    where: str
    years: float
    seed: int
    modelled: bool
    #: Data of volumes, and usable capacity of the pools that carry them.
    user_gb: float
    usable_gb: float
    #: Why the load leaves no time of a rebuild to plan with; empty where it does.
    overload: str
    loss_per_year: ProbabilityRange
    loss_over_horizon: ProbabilityRange
    #: Of the probability of a year without loss: -log10 of loss_per_year; None without any loss.
    nines: float | None
    #: Of the share of the data that a year leaves, which is what a single object has.
    nines_of_data: float | None
    bytes_lost_per_year: float
    #: Expected bytes lost over the horizon, over the bytes kept (NOMDL).
    nomdl: float
    mttdl_years: float | None
    degraded_hours_per_year: float
    unavailable_hours_per_year: float
    groups: list[GroupDurability]
    caches: list[CacheDurability]
    causes: list[LossCause]
    changes: list[DurabilityChange]
    drives: list[DriveInputs]
    rebuilds: list[RebuildTime]
    assumptions: list[Assumption]
    notes: list[Note]
