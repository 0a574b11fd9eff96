"""All that planning found, ``iowatt.emerald-planned/1``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final, Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.emerald.plan import checklist
from iowatt.emerald.plan.calendar import Calendar, calendar, entries
from iowatt.emerald.plan.checklist import Item
from iowatt.emerald.plan.generate import Generated
from iowatt.emerald.plan.model import Plan
from iowatt.emerald.plan.public import without_secrets
from iowatt.emerald.rules import Rule, Rules

RULED: Final = ("phases.*", "response.*", "rate.*")


class PlannedFile(Result):
    """A file for a load generator, and what its own parser said."""

    path: str
    what: str
    checked_by: str
    parsed: bool
    problem: str | None


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
    checklist: list[Item]
    files: list[PlannedFile]
    notes: list[Note]


def planned(
    plan: Plan,
    rules: Rules,
    files: Sequence[Generated],
    *,
    start: datetime | None = None,
    fill_rate: float | None = None,
    modelled_power: bool = False,
    limit_ms: float | None = None,
    left_out: Sequence[Note] = (),
) -> Planned:
    """The result of planning; ``left_out`` says which files could not be made, and why."""
    return Planned(
        compliant=not plan.deviations,
        plan=without_secrets(plan),
        rules_used=list(rules.used),
        caveat=_caveat(rules),
        limit_ms=limit_ms,
        start=None if start is None else start.isoformat(sep=" ", timespec="seconds"),
        calendar=calendar(entries(plan, start, fill_rate)),
        checklist=checklist.items(plan, rules, modelled_power=modelled_power),
        files=[
            PlannedFile(
                path=one.path,
                what=one.what,
                checked_by=one.checked.by,
                parsed=one.checked.parsed,
                problem=one.checked.problem,
            )
            for one in files
        ],
        notes=[*left_out, *_notes(plan, rules, limit_ms)],
    )


def _caveat(rules: Rules) -> str | None:
    said = rules.caveat()
    return None if said is None else said.replace("judged with", "planned with", 1)


def _notes(plan: Plan, rules: Rules, limit_ms: float | None) -> Iterator[Note]:
    """What a reader of the plan should know, the notes of unverified rules included."""
    text = "COM tests follow ready idle: `iowatt emerald com`; their length is not fixed"
    yield Note(code="com-follows", text=text)
    if limit_ms is None and any(not s.closed and s.role == "measurement" for s in plan.stages):
        text = (
            f"no limit of the response time is known for {plan.category}; "
            "`iowatt emerald calibrate` must be given one"
        )
        yield Note(code="limit-unknown", text=text, decides=True)
    if len((plan.target.path or "").split(",")) > 1:
        text = (
            "several targets: every range of a workload, hot bands included, is that range of each of them; "
            "whether the official script joins them into one (concatenate) is not known"
        )
        yield Note(code="several-targets", text=text)
    if plan.target.block_size == 4096:
        text = "blocks of 4096 bytes: smaller transfer sizes are rounded up to 4 KiB, which is a guess"
        yield Note(code="blocks-4096", text=text)
    for rule in rules.used:
        if rule.note and not rule.verified:
            yield Note(code="rule", text=f"{rule.key}: {rule.note}")
