"""The result of planning, ``iowatt.emerald-planned/1``: the plan with its calendar, check-list and files."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.emerald.plan.check import PlannedFile
from iowatt.emerald.plan.model import Plan
from iowatt.emerald.rules import Rule

ItemState = Literal["in place", "missing", "not possible", "to do"]
#: In the order in which they are shown: open items first.
ITEM_STATES: Final[tuple[ItemState, ...]] = ("missing", "not possible", "to do", "in place")


class CalendarEntry(Result):
    """A stage in time. Seconds count from the start, or, after a stage of unknown length, from its end."""

    stage: str
    role: str
    workload: str | None
    #: How long it takes; None where that is not known.
    seconds: float | None
    #: Whether that is computed from a given rate.
    estimated: bool
    start_s: float
    end_s: float | None
    #: The stage from whose end the seconds count; None for the start of all.
    since: str | None
    #: ISO 8601, where a start was given and nothing before is of unknown length.
    starts: str | None
    ends: str | None


class Uninterrupted(Result):
    """The part without a break: warm-ups, measurements and ready idle."""

    from_: str = Field(alias="from")
    to: str
    seconds: float


class Calendar(Result):
    """The stages of a plan in time; ``unknown`` are those of unknown length."""

    stages: list[CalendarEntry]
    known_seconds: float
    unknown: list[str]
    uninterrupted: Uninterrupted


class ChecklistItem(Result):
    """An item of the check-list before the first request."""

    topic: str
    text: str
    state: ItemState
    #: Key of the rule that requires it; None where it is good practice.
    rule: str | None
    verified: bool | None


class Planned(ResultDocument):
    """A plan with its calendar, check-list and files."""

    schema_id: Literal["iowatt.emerald-planned/1"] = Field(default="iowatt.emerald-planned/1", alias="schema")
    #: No deviation is known.
    compliant: bool
    #: Without the secrets of its addresses.
    plan: Plan
    #: The rules that shaped the plan.
    rules_used: list[Rule]
    caveat: str | None
    #: Of the mean response time of random phases.
    limit_ms: float | None
    start: str | None
    calendar: Calendar
    checklist: list[ChecklistItem]
    files: list[PlannedFile]
    notes: list[Note]
