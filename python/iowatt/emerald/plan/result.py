"""All that planning found, as the one document that text, page and ``--json`` are made of."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from iowatt.emerald.plan import calendar, checklist
from iowatt.emerald.plan.generate import Generated
from iowatt.emerald.plan.model import Plan
from iowatt.emerald.plan.public import without_secrets
from iowatt.emerald.rules import Rules

SCHEMA: Final = "iowatt.emerald-planned/1"
RULED: Final = ("phases.*", "response.*", "rate.*")


def document(
    plan: Plan,
    rules: Rules,
    files: Sequence[Generated],
    *,
    start: datetime | None = None,
    fill_rate: float | None = None,
    modelled_power: bool = False,
    limit_ms: float | None = None,
    left_out: Sequence[str] = (),
) -> dict[str, Any]:
    """The document (schema ``iowatt.emerald-planned/1``).

    ``compliant`` is true where no deviation is known; ``rules_used`` are the rules that shaped the plan, each
    with its source and whether anybody verified it. ``left_out`` says which files could not be made, and why.
    """
    return {
        "schema": SCHEMA,
        "compliant": not plan.deviations,
        "plan": without_secrets(plan).model_dump(by_alias=True),
        "rules_used": [rule.as_dict() for rule in rules.used],
        "caveat": _caveat(rules),
        "limit_ms": limit_ms,
        "start": None if start is None else start.isoformat(sep=" ", timespec="seconds"),
        "calendar": calendar.as_dict(calendar.entries(plan, start, fill_rate)),
        "checklist": [one.as_dict() for one in checklist.items(plan, rules, modelled_power=modelled_power)],
        "files": [
            {
                "path": one.path,
                "what": one.what,
                "checked_by": one.checked.by,
                "parsed": one.checked.parsed,
                "problem": one.checked.problem,
            }
            for one in files
        ],
        "notes": [*left_out, *_notes(plan, rules, limit_ms)],
    }


def _caveat(rules: Rules) -> str | None:
    said = rules.caveat()
    return None if said is None else said.replace("judged with", "planned with", 1)


def _notes(plan: Plan, rules: Rules, limit_ms: float | None) -> list[str]:
    """What a reader of the plan should know, the rules' own notes on what was used included."""
    found = ["COM tests follow ready idle: `iowatt emerald com`; how long they take is not fixed"]
    if limit_ms is None and any(not s.closed and s.role == "measurement" for s in plan.stages):
        found.append(
            f"no limit of the response time is known for {plan.category}; "
            "`iowatt emerald calibrate` must be given one"
        )
    if len((plan.target.path or "").split(",")) > 1:
        found.append(
            "several targets: every range of a workload, hot bands included, is that range of each of them; "
            "whether the official script joins them into one (concatenate) is not known"
        )
    if plan.target.block_size == 4096:
        found.append("blocks of 4096 bytes: the transfer sizes below are folded into 4 KiB, which is a guess")
    found += [f"{rule.key}: {rule.note}" for rule in rules.used if rule.note and not rule.verified]
    return found
