"""The result of planning, ``iowatt.emerald-planned/1``: the plan with its calendar, check-list and files."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.emerald.plan.load.check import PlannedFile
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
    seconds: float | None  #: How long it takes; None where that is not known.
    estimated: bool  #: Whether that is computed from a given rate.
    start_s: float
    end_s: float | None
    since: str | None  #: The stage from whose end the seconds count; None for the start of all.
    starts: str | None  #: ISO 8601, where a start was given and nothing before is of unknown length.
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
    rule: str | None  #: Key of the rule that requires it; None where it is good practice.
    verified: bool | None


class Planned(ResultDocument):
    """A plan with its calendar, check-list and files."""

    schema_id: Literal["iowatt.emerald-planned/1"] = Field(default="iowatt.emerald-planned/1", alias="schema")
    compliant: bool  #: No deviation is known.
    plan: Plan  #: Without the secrets of its addresses.
    rules_used: list[Rule]  #: The rules that shaped the plan.
    caveat: str | None
    limit_ms: float | None  #: Of the mean response time of random phases.
    start: str | None
    calendar: Calendar
    checklist: list[ChecklistItem]
    files: list[PlannedFile]
    notes: list[Note]
