"""Durability of a Run or a scenario, with the rebuild of a drive simulated under its load."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from iowatt.base.errors import Argument, InputError
from iowatt.base.overrides import with_overrides
from iowatt.evaluate.evaluation import located
from iowatt.evaluate.other_systems import OtherSystems
from iowatt.evaluate.rebuild import with_rebuilds
from iowatt.lenses.book import find_book
from iowatt.lenses.durability import (
    YEARS,
    Durability,
    DurableSystem,
    Precision,
    RebuildTime,
    analyse,
    expected_loss,
    groups_of,
)
from iowatt.model.scenario import compile_plan, load
from iowatt.render.numbers import probability
from iowatt.run.bundle import Run

if TYPE_CHECKING:
    from iowatt.lenses.book import Book
    from iowatt.model.scenario.result import CheckedScenario

Rebuild = Literal["simulated", "stated"] | float


@dataclass(frozen=True)
class DurabilityRequest:
    """The options of ``iowatt durability``."""

    years: float
    precision: Precision
    #: How long the rebuild of a drive takes: simulated, by the book's rate (stated), or so many seconds.
    rebuild: Rebuild = "simulated"
    #: Most simulated seconds of a rebuild; None: by the kind of drives.
    window_s: float | None = None


def assess_durability(
    subject: str | os.PathLike[str] | Run,
    overrides: list[str],
    book: Book,
    request: DurabilityRequest,
    progress: Callable[[float | None, int], None] | None = None,
) -> Durability:
    """The document ``iowatt.durability/1`` of a Run, its folder, or a scenario.

    Raises ``InputError``: what is wrong with any of them, overrides of a Run, times that are not accepted.
    """
    system = _system(subject, overrides)

    def rebuilt(system: DurableSystem) -> DurableSystem:
        return rebuilt_as(system, request.rebuild, window_s=request.window_s, progress=progress)

    return analyse(
        rebuilt(system),
        book,
        years=request.years,
        precision=request.precision,
        others=OtherSystems(system, rebuilt),
    )


def rebuilt_as(
    system: DurableSystem,
    rebuild: Rebuild,
    *,
    window_s: float | None = None,
    progress: Callable[[float | None, int], None] | None = None,
) -> DurableSystem:
    """The system with rebuilds as asked for. Raises ``InputError`` for a time that is not accepted."""
    if isinstance(rebuild, float | int):
        if not rebuild > 0:
            raise InputError("out-of-range", Argument("rebuild"), "a rebuild takes more than 0 s")
        return replace(system, rebuilds=_given(system, float(rebuild)), overload="")
    if rebuild == "simulated":
        return with_rebuilds(system, window_s=window_s, progress=progress)
    return system


def _system(subject: str | os.PathLike[str] | Run, overrides: list[str]) -> DurableSystem:
    if isinstance(subject, Run) or ("\n" not in str(subject) and Path(subject).is_dir()):
        run = subject if isinstance(subject, Run) else Run.open(Path(subject))
        if overrides:
            message = "a Run is what it is; only the keys of a scenario can be set"
            raise InputError("not-applicable", Argument("set", overrides[0]), message)
        return DurableSystem.of_run(run)
    given, base, text = located(subject)
    plan = compile_plan(load(given, overrides), base)
    where = str(given) if isinstance(given, Path) else str(plan["name"])
    return DurableSystem.of_plan(plan, where, base=base, text=with_overrides(text, overrides))


def _given(system: DurableSystem, seconds: float) -> dict[str, RebuildTime]:
    """One time for all pools."""
    return {
        one.pool: RebuildTime(
            pool=one.pool,
            seconds=seconds,
            bytes_per_s=one.rebuild_bytes / seconds,
            basis="given",
            text="the time that was given",
            simulated_share=0.0,
        )
        for one in groups_of(system.plan)
    }


def with_risk(found: CheckedScenario, scenario: Path, overrides: list[str]) -> CheckedScenario:
    """A checked scenario whose warnings of wide redundancy groups say how likely these lose data."""
    wide = [at for at, one in enumerate(found.warnings) if one.where.endswith((".count", ".raid.set_size"))]
    if not wide:
        return found
    plan = compile_plan(load(scenario, overrides), scenario.parent)
    with suppress(InputError):
        loss = expected_loss(DurableSystem.of_plan(plan, str(scenario)), find_book("default"), YEARS)
        if loss is not None:
            text = f" ({probability(loss.loss_over_horizon)} in {YEARS:g} years at the stated rebuild rate)"
            warnings = list(found.warnings)
            for at in wide:
                warnings[at] = warnings[at].model_copy(update={"message": warnings[at].message + text})
            return found.model_copy(update={"warnings": warnings})
    return found
