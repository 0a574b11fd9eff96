"""The latency budget as a document, ``iowatt.budget/1``. Times are in ms, rates in requests per second."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from pydantic import Field

from iowatt.base.errors import Argument, InputError
from iowatt.base.results import Note, Result, ResultDocument
from iowatt.run.histogram import PERCENTILES

#: The statistic besides the percentiles.
MEAN: Final = "mean"


class HopName(Result):
    """A place that requests pass; ``way`` is ``out``, ``in``, or empty where it is passed once."""

    hop: str
    place: str
    way: str

    @property
    def label(self) -> str:
        """Its name, with the way where there are two."""
        return f"{self.hop} {self.way}" if self.way else self.hop


class HopTime(Result):
    """Mean times of a hop at one load, and how busy it is."""

    hop: str
    way: str
    waiting_ms: float
    service_ms: float
    total_ms: float
    #: Of the mean response time.
    share: float | None
    #: Busy share; None where it does not show saturation, for the reason in ``remark``.
    utilisation: float | None
    servers: int
    saturation_iops: float | None
    remark: str

    @property
    def label(self) -> str:
        """Its name, with the way where there are two."""
        return f"{self.hop} {self.way}" if self.way else self.hop


class BothWays(Result):
    """A hop with its ways together."""

    hop: str
    waiting_ms: float
    service_ms: float
    total_ms: float
    share: float | None


class PercentileBand(Result):
    """Requests around a percentile, the slowest, or all (``mean``); times by hop, in the class's order."""

    of: str
    #: A share of a bin counts as such.
    requests: float
    response_ms: float
    #: Whether there are too few requests to conclude from.
    anecdote: bool
    waiting_ms: list[float]
    service_ms: list[float]


class AddsUp(Result):
    """Whether the hops add up to the response time."""

    hops_mean_ms: float
    reported_mean_ms: float | None
    bins: int
    bins_outside: int
    holds: bool


class ClassLoad(Result):
    """A class of requests in one Run."""

    run: str
    #: Of all requests of the Run, and of this class.
    rate_iops: float
    own_iops: float
    requests: int
    overloaded: bool
    #: ``mean`` and percentiles.
    response_ms: dict[str, float]
    hops: list[HopTime]
    both_ways: list[BothWays]
    made_of: list[PercentileBand]
    adds_up: AddsUp


class EstimatedHop(HopName):
    """At which rate a hop saturates, and at which it breaks the level while the others stay as they are."""

    saturation_iops: float | None
    alone_iops: float | None


class GrownHop(HopName):
    """A hop at the lowest load, where the level breaks (or at the highest load), and its growth."""

    unloaded_ms: float
    there_ms: float
    growth_ms: float
    alone_iops: float | None


class Estimated(Result):
    """A service level against one load: an estimate for other rates."""

    basis: Literal["estimate"] = "estimate"
    of: str
    within_ms: float
    seen_ms: float
    slack_ms: float
    kept: bool
    rate_iops: float | None
    first: EstimatedHop | None
    hops: list[EstimatedHop]
    validity: list[Note]


class LoadAgainstLevel(Result):
    """One of several loads against the level."""

    run: str
    rate_iops: float
    value_ms: float
    slack_ms: float
    kept: bool
    overloaded: bool


class BetweenLoads(Result):
    """A service level against several loads: between which it breaks."""

    basis: Literal["loads"] = "loads"
    of: str
    within_ms: float
    seen: list[LoadAgainstLevel]
    rate_iops: float | None
    between_iops: tuple[float, float] | None
    first: GrownHop | None
    hops: list[GrownHop]
    validity: list[Note]


class RequestClass(Result):
    """Requests of one kind of a workload on one path, at each load, the lowest first."""

    path: str
    #: None where the requests of all workloads of the path are merged.
    workload: str | None
    op: str
    name: str
    hops: list[HopName]
    loads: list[ClassLoad]
    against: Estimated | BetweenLoads | None = Field(discriminator="basis")

    @property
    def shown_load(self) -> ClassLoad:
        """The load shown in full: the highest one that the system kept up with, else the lowest."""
        steady = [load for load in self.loads if not load.overloaded]
        return steady[-1] if steady else self.loads[0]


class ServiceLevel(Result):
    """The longest response time to accept: ``of`` is the mean or a percentile.

    Raises ``InputError`` for a statistic that ``run.json`` does not have, and for a time that is not above 0.
    """

    within_ms: float
    of: str

    def model_post_init(self, _context: Any) -> None:
        """Check the statistic and the time."""
        if self.of != MEAN and self.of not in PERCENTILES:
            message = f"{self.of!r} is not a statistic; expected {', '.join((MEAN, *PERCENTILES))}"
            raise InputError("not-accepted", Argument("of"), message)
        if not 0 < self.within_ms < float("inf"):
            message = f"{self.within_ms / 1e3:g} s is not accepted; expected a time above 0"
            raise InputError("out-of-range", Argument("within"), message)

    def missed(self, response_ms: Mapping[str, float | None]) -> str:
        """Why response times (a class of ``response_time_ms``) miss the level; empty where they meet it."""
        value = response_ms[self.of.replace(".", "")]
        if value is None:
            return f"its {self.of} response time is not known"
        if value <= self.within_ms:
            return ""
        shown = f"{value / 1e3:,.3g} s" if value >= 1e3 else f"{value:,.3g} ms"
        return f"its {self.of} response time is {shown}, above {self.within_ms:g} ms"

    @property
    def quantile(self) -> float | None:
        """Share of the requests that must be within; None for the mean."""
        return PERCENTILES.get(self.of)


class Budget(ResultDocument):
    """Where the response time goes, hop by hop."""

    schema_id: Literal["iowatt.budget/1"] = Field(default="iowatt.budget/1", alias="schema")
    name: str
    runs: list[str]
    #: Whether all Runs were simulated.
    modelled: bool
    level: ServiceLevel | None
    classes: list[RequestClass]
    notes: list[Note]

    def title(self, one: RequestClass) -> str:
        """The name of a class; with its path where there are several."""
        several = len({other.path for other in self.classes}) > 1
        return f"{one.path}: {one.name}" if several else one.name

    @property
    def single(self) -> list[RequestClass]:
        """The classes without those that merge others."""
        return [one for one in self.classes if one.op != "all"] or self.classes
