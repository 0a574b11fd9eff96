"""`iowatt emerald plan` without its printing: builds, generates, checks, writes."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

from iowatt.emerald.plan import folder
from iowatt.emerald.plan.build import Asked, build, consulted, limit_ms
from iowatt.emerald.plan.generate import files
from iowatt.emerald.plan.model import Plan
from iowatt.emerald.plan.result import Planned, planned


def make(
    asked: Asked,
    output: Path,
    *,
    start: datetime | None = None,
    fill_rate: float | None = None,
    force: bool = False,
) -> Planned:
    """Write a plan to the folder ``output``.

    Raises
    ------
    InputError
        What is asked is wrong, or the folder holds something else, or (without ``force``) a plan.
    """
    folder.refuse(output, force=force)
    plan, rules = build(asked, output)
    limit = limit_ms(rules.fresh(), plan.category)
    generated, left_out = files(plan, limit)
    found = planned(
        plan,
        rules,
        generated,
        start=start,
        fill_rate=fill_rate,
        modelled_power=_has_power(plan, output),
        limit_ms=limit,
        left_out=left_out,
    )
    folder.write(output, plan, found, generated, force=force)
    return found


def rewrite(plan: Plan, output: Path, *, force: bool = False) -> Planned:
    """Write a plan with other rates to the folder ``output``, its files made anew."""
    folder.refuse(output, force=force)
    rules = consulted(plan)
    limit = limit_ms(rules.fresh(), plan.category)
    generated, left_out = files(plan, limit)
    found = planned(
        plan, rules, generated, modelled_power=_has_power(plan, output), limit_ms=limit, left_out=left_out
    )
    folder.write(output, plan, found, generated, force=force)
    return found


def _has_power(plan: Plan, output: Path) -> bool:
    """Whether a simulated array says what all of it draws."""
    if plan.target.scenario is None:
        return False
    from iowatt.model.scenario import load

    # The folder may not be there yet, so that ".." could not be followed through it.
    return load(Path(os.path.normpath(output.absolute() / plan.target.scenario))).array.power is not None
