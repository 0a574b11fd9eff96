"""Any number of systems, each compared with a baseline, as a document: ``iowatt.compare-systems/1``.

Response times are in ms, power in W, energy in J, capacities in decimal TB, shares from 0 to 1.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.lenses.budget.result import ServiceLevel
from iowatt.lenses.compare.result import AskedFor, BeforeAfter, ResponsePercentiles, Verdict
from iowatt.lenses.equal_terms import EqualTerms


class ComparedSystem(Result):
    """One system: its figures, and what they are ranked by."""

    label: str
    #: Of its Runs: how many, and where they are.
    runs: int
    paths: list[str]
    response_time_ms: ResponsePercentiles
    iops: float | None
    #: All requests, whatever is compared: the work that power is put to.
    requests_per_s: float | None
    #: Completed over offered requests, at most 1; None in a closed loop, where nothing is offered.
    done_share: float | None
    power_w: float | None
    #: ``wall`` or ``device``; None where its Runs differ.
    power_basis: str | None
    joules_per_request: float | None
    usable_tb: float | None
    #: Probability that it loses data in a year; None where its drives are not known.
    loss_per_year: float | None
    #: As many of it as do as much work and hold as much as any that is ranked; None where not known.
    copies: float | None
    #: Mean power of so many.
    power_equal_w: float | None
    #: Why it is not ranked at all; empty where it is.
    not_ranked: str
    #: Why its response times are not ranked though it is; empty where they are.
    response_not_ranked: str
    #: Why the tail of a simulated system may not be trusted; None where it may, or was measured.
    tail_doubt: str | None


class LowestFigure(Result):
    """The ranked system with the lowest of a figure."""

    metric: Literal["response", "power_equal_w"]
    #: What it is: ``p95 response time``, ``power at equal work``.
    title: str
    unit: str
    system: str
    value: float
    #: The next one; None where only one is ranked.
    next: str | None
    next_value: float | None
    #: Of the difference from the baseline, where the system is another one and the figure is as measured.
    verdict: Verdict | None


class SystemsCompared(ResultDocument):
    """What systems do side by side, and which differences from the first are more than chance."""

    schema_id: Literal["iowatt.compare-systems/1"] = Field(default="iowatt.compare-systems/1", alias="schema")
    asked: AskedFor
    level: ServiceLevel | None
    #: The label of the system that the others are compared with: the first that kept up with its load.
    baseline: str
    systems: list[ComparedSystem]
    terms: EqualTerms
    lowest: list[LowestFigure]
    #: How many comparisons each verdict is corrected for.
    comparisons: int
    #: The baseline (``before``) against each other system (``after``), in their order.
    pairs: list[BeforeAfter]
    notes: list[Note]

    def named(self, label: str) -> ComparedSystem:
        """The system of a label."""
        return next(one for one in self.systems if one.label == label)
