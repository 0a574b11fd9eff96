"""`iowatt emerald plan` without its printing: builds, generates, checks, writes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from iowatt.base.results import Note
from iowatt.emerald.plan import checklist, files, folder
from iowatt.emerald.plan.build import PlanRequest, build, limit_ms, rules_of_plan
from iowatt.emerald.plan.calendar import calendar
from iowatt.emerald.plan.instruments import without_secrets
from iowatt.emerald.plan.model import Plan
from iowatt.emerald.plan.result import Planned
from iowatt.emerald.rules import Rules


def make_plan(
    request: PlanRequest,
    output: Path,
    *,
    start: datetime | None = None,
    fill_rate: float | None = None,
    force: bool = False,
) -> Planned:
    """Write a plan to the folder ``output``.

    ``start``, ``fill_rate``: for the calendar: when the first stage begins, and bytes per second of the
    pre-fill.
    Raises ``InputError``: the request is wrong, or the folder holds something else, or (without ``force``) a
    plan.
    """
    folder.check_target(output, force=force)
    plan, rules = build(request, output)
    return _write(plan, rules, output, start=start, fill_rate=fill_rate, force=force)


def rewrite(
    plan: Plan, output: Path, more: Mapping[str, str] | None = None, *, force: bool = False
) -> Planned:
    """Write a plan with other rates to the folder ``output``, its files made anew.

    ``more``: texts of further files by name.
    """
    folder.check_target(output, force=force)
    return _write(plan, rules_of_plan(plan), output, more=more, force=force)


def _write(
    plan: Plan,
    rules: Rules,
    output: Path,
    *,
    start: datetime | None = None,
    fill_rate: float | None = None,
    more: Mapping[str, str] | None = None,
    force: bool,
) -> Planned:
    limit = limit_ms(rules.fresh(), plan.category)
    texts, checked, notes = files.generate(plan, limit)
    planned = Planned(
        compliant=not plan.deviations,
        plan=without_secrets(plan),
        rules_used=list(rules.used),
        caveat=_caveat(rules),
        limit_ms=limit,
        start=None if start is None else start.isoformat(sep=" ", timespec="seconds"),
        calendar=calendar(plan, start, fill_rate),
        checklist=checklist.items(plan, rules, modelled_power=_has_power(plan, output)),
        files=checked,
        notes=[*notes, *_notes(plan, rules, limit)],
    )
    folder.write(output, plan, planned, {**texts, **(more or {})}, force=force)
    return planned


def _has_power(plan: Plan, output: Path) -> bool:
    """Whether the scenario of a simulated array has the power of the whole array."""
    if plan.target.scenario is None:
        return False
    from iowatt.model.scenario import load

    # The folder may not be there yet, so that ".." could not be followed through it.
    return load(Path(os.path.normpath(output.absolute() / plan.target.scenario))).has_wall_power


def _caveat(rules: Rules) -> str | None:
    text = rules.caveat()
    return None if text is None else text.replace("judged with", "planned with", 1)


def _notes(plan: Plan, rules: Rules, limit_ms: float | None) -> Iterator[Note]:
    """Notes on the plan, those of unverified rules included."""
    text = "COM tests follow ready idle: `iowatt emerald com`; their length is not fixed"
    yield Note(code="com-follows", text=text)
    if limit_ms is None and any(not s.closed and s.role == "measurement" for s in plan.stages):
        text = (
            f"no limit of the response time is known for {plan.category}; "
            "give one to `iowatt emerald calibrate`"
        )
        yield Note(code="limit-unknown", text=text, decides=True)
    if len((plan.target.path or "").split(",")) > 1:
        text = (
            "several targets: every range of a workload, hot bands included, is that range of each of them; "
            "whether the official script joins them into one (concatenate) is not known"
        )
        yield Note(code="several-targets", text=text)
    if plan.target.block_size == 4096:
        text = "blocks of 4096 bytes: smaller transfer sizes are rounded up to 4 KiB, an assumption"
        yield Note(code="blocks-4096", text=text)
    for rule in rules.used:
        if rule.note and not rule.verified:
            yield Note(code="rule", text=f"{rule.key}: {rule.note}")
