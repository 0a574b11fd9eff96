"""Durability of a Run or a scenario, with the rebuild of a drive simulated under its load.

The lens takes rebuild times; this makes them. A copy of the plan, in which the first drive of each pool has
failed at the start and a spare takes its place, is run for a while; what was rebuilt by then gives the rate.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from iowatt.base.errors import Argument, InputError
from iowatt.base.overrides import with_overrides
from iowatt.base.results import Note
from iowatt.evaluate.evaluation import Prepared, located, simulate
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
    rebuild_of_run,
)
from iowatt.model.scenario import compile_plan, load, resolve_sources
from iowatt.render.numbers import probability
from iowatt.run import provenance
from iowatt.run.bundle import Run

if TYPE_CHECKING:
    from iowatt.lenses.book import Book
    from iowatt.model.scenario.result import CheckedScenario

#: Most simulated seconds of a rebuild: of disks, and of SSDs, which do more in a second.
DISK_WINDOW_S: Final = 60.0
SSD_WINDOW_S: Final = 2.0
_REBUILD: Final = {
    "delay_s": 0.0,
    "rate_bytes_per_s": None,
    "outstanding": 1,
    "step_bytes": 1 << 20,
    "priority": "host-first",
}


@dataclass(frozen=True)
class DurabilityRequest:
    """The options of ``iowatt durability``."""

    years: float
    precision: Precision
    #: How long the rebuild of a drive takes: simulated, by the book's rate (stated), or so many seconds.
    rebuild: Literal["simulated", "stated"] | float = "simulated"
    #: Most simulated seconds of a rebuild; None: by the kind of drives.
    window_s: float | None = None


@dataclass(frozen=True)
class _Subject:
    """A system, and what its load can be simulated again from."""

    system: DurableSystem
    #: Where file names of the plan are relative to; None where that is not known.
    base: Path | None
    text: str


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
    if isinstance(request.rebuild, float | int) and not request.rebuild > 0:
        raise InputError("out-of-range", Argument("rebuild"), "a rebuild takes more than 0 s")
    found = _subject(subject, overrides)
    system, notes = found.system, list[Note]()
    pools = {one.pool for one in groups_of(system.plan) if one.survives}
    unknown = pools - system.rebuilds.keys()
    if isinstance(request.rebuild, float | int):
        system = system.rebuilt(_given(system, float(request.rebuild)))
    elif request.rebuild == "simulated" and unknown:
        try:
            system = _simulated(found, unknown, request.window_s, progress)
        except InputError as error:
            text = f"a rebuild could not be simulated, so that its rate is stated: {error.message}"
            notes.append(Note(code="rebuild-not-simulated", text=text, decides=True))
    result = analyse(system, book, years=request.years, precision=request.precision)
    return result.model_copy(update={"notes": [*notes, *result.notes]}) if notes else result


def _subject(subject: str | os.PathLike[str] | Run, overrides: list[str]) -> _Subject:
    if isinstance(subject, Run) or ("\n" not in str(subject) and Path(subject).is_dir()):
        run = subject if isinstance(subject, Run) else Run.open(Path(subject))
        if overrides:
            message = "a Run is what it is; only the keys of a scenario can be set"
            raise InputError("not-applicable", Argument("set", overrides[0]), message)
        return _Subject(DurableSystem.of_run(run), _base_of(run), run.scenario_text)
    given, base, text = located(subject)
    plan = compile_plan(load(given, overrides), base)
    where = str(given) if isinstance(given, Path) else str(plan["name"])
    return _Subject(DurableSystem.of_plan(plan, where), base, with_overrides(text, overrides))


def _base_of(run: Run) -> Path | None:
    """The folder of the scenario that a Run was made from, where it is still there."""
    inputs = run.summary["provenance"].get("inputs") or []
    scenario = next((Path(one["path"]) for one in inputs if one["path"].endswith(".toml")), None)
    return scenario.parent if scenario is not None and scenario.is_file() else None


def _given(system: DurableSystem, seconds: float) -> dict[str, RebuildTime]:
    """One time for all pools."""
    return {
        one.pool: RebuildTime(
            pool=one.pool,
            seconds=seconds,
            bytes_per_s=one.drive_bytes / seconds,
            basis="stated",
            text="the time that was given",
            simulated_share=0.0,
        )
        for one in groups_of(system.plan)
    }


def _simulated(
    subject: _Subject,
    pools: set[str],
    window_s: float | None,
    progress: Callable[[float | None, int], None] | None,
) -> DurableSystem:
    """The system with rebuild times of ``pools`` from a run of at most ``window_s``.

    A pool whose rebuild makes no progress keeps the load of its drives, by which the book's rate is reduced.
    Raises ``InputError`` where its load cannot be run again.
    """
    if subject.base is None:
        message = "the scenario that the Run was made from is not found"
        raise InputError("not-found", subject.system.where, message)
    plan = degraded(subject.system.plan, pools, window_s or _window_s(subject.system.plan, pools))
    traces = resolve_sources(plan, subject.base)
    # Without lens tables nothing asks for the scenario itself.
    work = Prepared(None, plan, traces, subject.text)  # type: ignore[arg-type]
    run = simulate(work, inputs=list, started_at=provenance.now(), progress=progress)
    busy = DurableSystem.of_run(run).utilisation
    found = {pool: time for pool, time in rebuild_of_run(run, "simulated").items() if pool in pools}
    system = subject.system.rebuilt(found)
    return DurableSystem(**{**vars(system), "utilisation": {**busy, **system.utilisation}})


def _window_s(plan: Mapping[str, Any], pools: set[str]) -> float:
    kinds = {one["kind"] for one in plan["names"]["devices"] if one["pool"] in pools}
    return SSD_WINDOW_S if "ssd" in kinds else DISK_WINDOW_S


def degraded(plan: Mapping[str, Any], pools: set[str], window_s: float) -> dict[str, Any]:
    """A copy of the plan for ``window_s`` seconds at most, in which the first drive of ``pools`` has failed.

    A pool without spares gets one; what the array draws besides its drives is left out.
    """
    changed: dict[str, Any] = deepcopy({key: value for key, value in plan.items() if key != "power"})
    simulation, names = changed["simulation"], changed["names"]
    for name, pool in zip(names["pools"], simulation["pools"], strict=True):
        if name not in pools:
            continue
        recovery = pool.get("recovery") or {"spares": 0, "sparing": "dedicated", "rebuild": dict(_REBUILD)}
        recovery["rebuild"]["delay_s"] = 0.0
        recovery["failures"] = [{"drive": 0, "at_s": 0.0}]
        if not recovery["spares"] and not (pool.get("chunklets") or {}).get("spare"):
            recovery |= {"spares": 1, "sparing": "dedicated"}
            _add_drive(names["devices"], name)
            if pool["bus_of_drive"]:
                pool["bus_of_drive"].append(pool["bus_of_drive"][-1])
        pool["recovery"] = recovery
    observe = simulation["observe"]
    observe["warmup_s"], changed["warmup"] = 0.0, None
    if observe["end_s"] is not None:
        observe["end_s"] = min(window_s, observe["end_s"])
    # Without an end the run lasts to the last completion, so that no time without load is in it.
    for workload in simulation["workloads"]:
        workload["end_s"] = min(window_s, workload.get("end_s") or window_s)
    return changed


def _add_drive(devices: list[dict[str, Any]], pool: str) -> None:
    """Name a spare behind the last drive of a pool."""
    last = max(at for at, one in enumerate(devices) if one["pool"] == pool)
    number = sum(one["pool"] == pool for one in devices)
    devices.insert(last + 1, {**devices[last], "name": f"{pool}.{number}"})


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
