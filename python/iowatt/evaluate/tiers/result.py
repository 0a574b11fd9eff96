"""Derived tiers as a document, ``iowatt.tier/1``. Power is in W, money in USD."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.evaluate.tiers.one_pool import Objective
from iowatt.lenses.kept_up import KeptUp


class Limits(Result):
    """Limits that the tiers keep."""

    #: Share of a drive's rate that may be used.
    utilisation: float
    response_time_ms: float | None
    #: The load they are sized for, over the mean load.
    load: float


class _Pool(Result):
    pool: str
    device: str
    drives: int


class RunFigures(Result):
    """Figures of a simulation; times are means but for ``p99_ms``, None where nothing completed."""

    iops: float
    response_time_ms: float | None
    read_ms: float | None
    write_ms: float | None
    p99_ms: float | None
    power_w: float | None
    #: Busy share of the busiest drive.
    busiest: float | None


class OnePool(RunFigures, _Pool):
    """The Run on the one pool."""


class BackEndLoad(Result):
    """The load of the back end; sizes are means of a request."""

    stored_gb: float
    touched_gb: float
    extent_bytes: int
    iops: float
    iops_per_gb: float
    read_share: float | None
    read_bytes: float
    write_bytes: float
    #: The busiest period over the mean.
    peak: float


class CandidateFigures(Result):
    """A technology, and what one drive of it does with requests such as the load's."""

    name: str
    device: str
    raid_level: int
    #: Drives come in multiples of it.
    group: int
    capacity_gb: float
    service_ms: float
    #: Standard deviation of the service time over its mean.
    service_variation: float
    #: At saturation.
    iops: float
    idle_w: float
    operation_mj: float
    usd: float | None
    #: Over the horizon: what else a drive costs, and each watt that it draws.
    upkeep_usd: float
    usd_per_w: float
    watts_per_gb: float
    watts_per_iops: float


class ChosenTier(Result):
    """A chosen tier as it is expected to be."""

    name: str
    device: str
    raid_level: int
    drives: int
    groups: int
    #: Drives that were added for the response time.
    for_response_time: int
    held_gb: float
    usable_gb: float
    space_share: float
    io_share: float
    iops: float
    operations_per_s: float
    utilisation: float
    #: Share of the time that a disk works; None of SSDs, which also work behind their write buffers.
    busy: float | None
    service_ms: float
    read_ms: float | None
    write_ms: float | None
    power_w: float


class Predicted(Result):
    """Prediction for all tiers together; times are None where a tier cannot keep up."""

    iops: float
    #: The host rate that the busiest tier could bear.
    most_iops: float | None
    response_time_ms: float | None
    read_ms: float | None
    write_ms: float | None
    power_w: float
    usd: float | None
    #: Over the horizon.
    total_usd: float | None
    drives: int


class Chosen(Result):
    """The tiers, the fastest first, and what they are expected to do together."""

    tiers: list[ChosenTier]
    predicted: Predicted


class Alternative(Result):
    """A set of candidates and what it came to; None where it does not do what is asked."""

    #: Their names: ``fast + big``.
    tiers: str
    counts: list[int] | None = None
    drives: int | None = None
    power_w: float | None = None
    usd: float | None = None
    total_usd: float | None = None
    response_time_ms: float | None = None


class SimulatedTier(Result):
    """A tier in the simulation."""

    name: str
    operations_per_s: float
    busy: float
    power_w: float


class Simulated(RunFigures):
    """The simulation of the chosen tiers."""

    tiers: list[SimulatedTier]


class TierErrors(Result):
    """Prediction over simulation, less 1, of a tier."""

    name: str
    operations_per_s: float | None
    busy: float | None
    power_w: float | None


class Errors(Result):
    """Prediction over simulation, less 1; None where either is not known."""

    iops: float | None
    response_time_ms: float | None
    read_ms: float | None
    write_ms: float | None
    power_w: float | None
    tiers: list[TierErrors]


class Dollars(Result):
    """The assumptions of dollars, and what they leave out."""

    years: float
    tariff: str
    book: str
    included: list[str]
    not_included: list[str]


class BothKeptUp(Result):
    """Whether each of the two Runs kept up."""

    one_pool: KeptUp
    simulated: KeptUp | None


class DerivedTiers(ResultDocument):
    """Tiers for the work of one pool: chosen, predicted, and simulated."""

    schema_id: Literal["iowatt.tier/1"] = Field(default="iowatt.tier/1", alias="schema")
    scenario: str
    #: The objective that is minimized.
    objective: Objective
    limits: Limits
    one_pool: OnePool
    load: BackEndLoad
    candidates: list[CandidateFigures]
    chosen: Chosen
    alternatives: list[Alternative]
    simulated: Simulated | None
    errors: Errors | None
    dollars: Dollars
    kept_up: BothKeptUp
    notes: list[Note]
