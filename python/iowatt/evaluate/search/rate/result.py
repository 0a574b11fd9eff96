"""The highest rate as a document, ``iowatt.rate/1``. Times are in ms, rates in requests per second."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.evaluate.search.axes import Cell
from iowatt.evaluate.search.highest_rate import Verdict
from iowatt.evaluate.search.rate.request import Loop

#: ``probe``: a closed loop that says where to begin; ``longer``: in runs longer than the first ones.
Kind = Literal["probe", "search", "longer"]
#: What an interval of the rate is made from.
Basis = Literal["replications", "batch means"]


class RatePoint(Result):
    """One rate with the runs of all its seeds."""

    kind: Kind
    #: Asked for; None of a closed loop, which has ``outstanding``.
    rate_iops: float | None
    outstanding: int | None
    achieved_iops: float
    #: The limited statistic over all seeds: of all requests, of reads, of writes; None where none completed.
    response_ms: float | None
    read_ms: float | None
    write_ms: float | None
    #: Half of the 95 % interval of ``response_ms``: over the seeds, or by batch means of a single run.
    half_width_ms: float | None
    #: None of a probe.
    verdict: Verdict | None
    runs: int
    #: Counted in each run.
    requests: int
    seconds: float


class HighestRate(ResultDocument):
    """The highest rate within a response-time limit."""

    schema_id: Literal["iowatt.rate/1"] = Field(default="iowatt.rate/1", alias="schema")
    version: str
    command: str | None
    scenario: str
    source: str
    #: Overrides of the scenario.
    overrides: list[str] = Field(alias="set")
    loop: Loop
    limit_ms: float
    read_limit_ms: float | None
    write_limit_ms: float | None
    statistic: str
    #: A share.
    tolerance: float
    #: Whose rate it is; empty: of all workloads.
    workloads: list[str]
    #: The highest rate that was run and met the limit; of a closed loop the rate at the limit, interpolated.
    rate_iops: float | None
    #: Of a closed loop: how many are outstanding at the rate, in the mean, by Little's law.
    outstanding: float | None
    #: The lowest rate above ``rate_iops`` that did not meet the limit.
    beyond_iops: float | None
    #: Whether ``rate_iops`` and ``beyond_iops`` are within the tolerance of one another.
    settled: bool
    #: Where the response time meets the limit, with its 95 % interval.
    crossing_iops: float | None
    crossing_ci95_iops: tuple[float, float] | None
    interval_by: Basis | None
    replications: int
    seeds: list[int]
    crossing_by_seed_iops: list[float]
    #: At ``rate_iops``.
    response_ms: float | None
    response_half_width_ms: float | None
    #: Simulations in all, probes included.
    runs: int
    points: list[RatePoint]
    #: Why there is no rate, or none beyond it.
    problem: str | None
    notes: list[Note]
    #: The Run at the rate under the names of a sweep's columns.
    at_rate: dict[str, Cell | None] | None
