"""The derivation from end to end: run on a pool, take the density curve, choose tiers, simulate, compare.

Its directory is written aside and put in its place only when complete:

tier.json      the result
scenario.toml  the chosen tiers, ready for ``iowatt run``
one-pool  tiers  the two Runs
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt.base import atomic_path, input_file
from iowatt.base.document import SCENARIO_HINT, TomlDocument, read_text
from iowatt.base.errors import InputError
from iowatt.base.results import Note
from iowatt.evaluate.tiers import benchmark, candidate, compare, predict
from iowatt.evaluate.tiers.benchmark import operation_mix, try_technologies
from iowatt.evaluate.tiers.choose import LaidOutTier
from iowatt.evaluate.tiers.one_pool import (
    MIB,
    ExtentLoad,
    Front,
    OnePoolScenario,
    TierRequest,
    left_out_notes,
    measured_load,
)
from iowatt.evaluate.tiers.predict import Prediction, best_configuration
from iowatt.evaluate.tiers.result import BackEndLoad, BothKeptUp, DerivedTiers, Dollars, TierLimits
from iowatt.evaluate.tiers.scenario import tiers_scenario
from iowatt.lenses.kept_up import kept_up
from iowatt.model.scenario import scenario_document

if TYPE_CHECKING:
    from iowatt.evaluate.evaluation import Prepared
    from iowatt.evaluate.search import Pricing
    from iowatt.run.bundle import Run

RESULT: Final = "tier.json"


def refuse_target(target: Path, *, force: bool) -> None:
    """Raise ``InputError`` where a derivation cannot be written to ``target``; before any work is done."""
    if not os.path.lexists(target) or (
        target.is_dir() and not target.is_symlink() and not any(target.iterdir())
    ):
        return
    if not _is_derivation(target):
        message = "exists and is not a derivation of tiers"
        hint = "choose another `output=`; `force=True` replaces only derivations"
        raise InputError("exists", str(target), message, hint=hint)
    if not force:
        message = "already exists; results are never overwritten"
        hint = "choose another `output=`, or replace it with `force=True`"
        raise InputError("exists", str(target), message, hint=hint)


@contextmanager
def reserve(target: Path, *, force: bool) -> Iterator[Path]:
    """A staging folder that becomes ``target`` when the block ends without an error."""
    with atomic_path.folder(target, lambda: refuse_target(target, force=force)) as made:
        yield made


def _is_derivation(target: Path) -> bool:
    if target.is_symlink():
        return False
    return input_file.schema_of(target / RESULT).startswith("iowatt.tier/")


Progress = Callable[[float | None, int], None]
#: Begins a stage by its name; gives a callback for its progress.
Stage = Callable[[str], AbstractContextManager[Progress | None]]


def _quiet(_name: str) -> AbstractContextManager[Progress | None]:
    return nullcontext()


def derive(request: TierRequest, target: Path, place: Path, stage: Stage = _quiet) -> DerivedTiers:
    """Derive tiers for the work of a scenario with one pool.

    Args:
        target: The folder of the written scenario, to which its paths are relative.
        place: Where to write now: ``scenario.toml`` and the Runs ``one-pool`` and ``tiers``. It exists, in
            the same folder as ``target`` or as ``target`` itself, so that relative paths mean the same from
            both.
        stage: Told each stage by its name.

    Returns:
        DerivedTiers: The document ``iowatt.tier/1`` (docs/reference/verbs/tier.md).

    Raises ``InputError``: what is wrong with the scenario or the candidates; none meet the requirements.
    """
    base = request.scenario.parent
    listed = candidate.read_candidates(request.tiers)
    one = OnePoolScenario.of(request, base)
    left_out = left_out_notes(one, listed.raws, request)
    heat = f'observe.heat={{ extent = "{one.extent_bytes}B", points = ["front", "back"] }}'
    with stage("simulating the one pool") as progress:
        first = _on_one_pool(request, heat, place / "one-pool", progress)
    load, front = measured_load(first, one, request)
    with stage("trying drives"):
        technologies, pools = try_technologies(listed, one=one, load=load, request=request)
    chosen, others = best_configuration(load, technologies, front, request)
    chosen = _refined(chosen, pools, load, front, one.seed)
    text, said = tiers_scenario(
        _document(request, base),
        base,
        target,
        volumes=one.volumes,
        tiers=[figures.tier for figures in chosen.tiers],
        pools=pools,
        load=load,
        name=f"{one.name}-tiers",
    )
    # Beside its final place, which is not there yet: its relative paths mean the same here.
    (place / "scenario.toml").write_text(text, encoding="utf-8")
    second = None
    if request.simulate:
        with stage("simulating the tiers") as progress:
            second = _on_tiers(text, place, progress)
    return DerivedTiers(
        scenario=one.name,
        objective=request.objective,
        limits=TierLimits(
            utilisation=request.limit,
            response_time_ms=None if request.response_s is None else 1e3 * request.response_s,
            load=load.peak if request.peak else 1.0,
        ),
        one_pool=compare.of_run(first, one.pool, one.count, one.device),
        load=BackEndLoad(
            stored_gb=load.total_bytes / 1e9,
            touched_gb=float(load.size.sum()) / 1e9,
            extent_bytes=load.extent_bytes,
            iops=load.iops,
            iops_per_gb=load.iops / (load.total_bytes / 1e9),
            read_share=float(load.reads.sum()) / load.iops if load.iops else None,
            read_bytes=load.read_bytes,
            write_bytes=load.write_bytes,
            peak=load.peak,
        ),
        candidates=[compare.technology(one) for one in technologies],
        chosen=compare.configuration(chosen, load),
        alternatives=[compare.brief(names, found) for names, found in others],
        simulated=None if second is None else compare.of_tiers(second, chosen),
        errors=None if second is None else compare.errors(second, chosen),
        dollars=_dollars(request.priced),
        kept_up=BothKeptUp(one_pool=kept_up(first), simulated=None if second is None else kept_up(second)),
        notes=[*_notes(first, one, load, request), *left_out, *said],
    )


def _document(request: TierRequest, base: Path) -> TomlDocument:
    """The scenario's own tables, overrides applied."""
    text = read_text(request.scenario, SCENARIO_HINT)
    return scenario_document(text, str(request.scenario), request.overrides, base)


def _refined(
    chosen: Prediction,
    pools: Mapping[str, tuple[dict[str, Any], Path]],
    load: ExtentLoad,
    front: Front,
    seed: int,
) -> Prediction:
    """The prediction with drives tried under the load that each tier has, over the part that it fills."""
    tiers: list[LaidOutTier] = []
    for figures in chosen.tiers:
        tier, technology = figures.tier, figures.tier.technology
        share = min(1.0, tier.held_bytes(load) / technology.usable(tier.count))
        own = replace(
            load, reads=load.reads[tier.first : tier.last], writes=load.writes[tier.first : tier.last]
        )
        if not own.reads.sum() + own.writes.sum():
            tiers.append(tier)
            continue
        table, base = pools[technology.name]
        mix = operation_mix(technology.level, tier.count, technology.stripe_unit, own)
        span = max(share * technology.drive.capacity_bytes, 64 * MIB)
        drive = benchmark.benchmark_drive(
            table, base, **mix, span_bytes=min(span, 0.999 * technology.drive.capacity_bytes), seed=seed
        )
        tiers.append(replace(tier, technology=replace(technology, drive=drive)))
    return predict.predict(load, tiers, front)


def _on_one_pool(request: TierRequest, heat: str, output: Path, progress: Progress | None) -> Run:
    from iowatt.base.overrides import with_overrides
    from iowatt.evaluate import evaluation
    from iowatt.model.scenario import load

    base, changes = request.scenario.parent, [*request.overrides, heat]
    text = with_overrides(read_text(request.scenario, SCENARIO_HINT), changes)
    work = evaluation.prepare(load(request.scenario, changes), base, text)
    return _simulated(work, base, output, progress)


def _on_tiers(text: str, place: Path, progress: Progress | None) -> Run:
    from iowatt.evaluate import evaluation
    from iowatt.model.scenario import load

    work = evaluation.prepare(load(text, base_dir=place), place, text)
    return _simulated(work, place, place / "tiers", progress)


def _simulated(work: Prepared, base: Path, output: Path, progress: Progress | None) -> Run:
    from iowatt.evaluate import evaluation
    from iowatt.run import bundle, provenance

    inputs = evaluation.files(work, base)
    with bundle.reserve(output) as place:
        options = {"started_at": provenance.now(), "progress": progress, "scratch": place.staging}
        evaluation.simulate_with_digests(work, inputs, **options).write_into(place.staging)
    return bundle.Run.open(output)


def _dollars(pricing: Pricing) -> Dollars:
    return Dollars(
        years=pricing.horizon.amount,
        tariff=pricing.tariff.name,
        book=pricing.book.name,
        included=["purchase of drives", "failures and service", "electricity and cooling"],
        not_included=[
            "shelves, controllers and their watts", "rack units", "wear by this work",
            "other RAID levels than those given: each tier has its candidate's, or the one pool's",
        ],
    )  # fmt: skip


def _notes(run: Run, one: OnePoolScenario, load: ExtentLoad, request: TierRequest) -> list[Note]:
    notes = [
        Note(
            code="modelled",
            text="predictions treat each tier as a queue with the service times of its drives under random "
            "requests of the mean size; they are modelled, not measured",
        ),
        Note(
            code="placed-from-start",
            text="extents are placed from the start by the heat of the whole run; nothing moves in the "
            "simulation (set promotion_threshold and initial for that)",
        ),
        Note(code="drives-alone", text="power is that of the drives alone"),
    ]
    busiest = max((float(d["utilisation"]) for d in run.summary["devices"]), default=0.0)
    if busiest > 0.97:
        text = (
            f"the one pool is overloaded (a drive is busy {100 * busiest:.0f} % of the time): the "
            "load is what was asked for until the last request arrived"
        )
        notes.append(Note(code="one-pool-overloaded", text=text, decides=True))
    dollars = _dollars(request.priced)
    text = (
        f"dollars over {dollars.years:g} years (tariff {dollars.tariff}, book {dollars.book}) "
        "include "
        f"{', '.join(dollars.included)}; they leave out {'; '.join(dollars.not_included)}"
    )
    notes.append(Note(code="dollars-include", text=text))
    if one.closed:
        text = (
            "a workload is a closed loop, which asks for as much as storage gives: the tiers are "
            "sized for what the one pool gave"
        )
        notes.append(Note(code="closed-loop", text=text, decides=True))
    cache = (one.plan["simulation"].get("controller") or {}).get("cache") or {}
    if cache.get("write") == "back" and cache.get("destage_outstanding", 1) > 1 and load.writes.sum():
        text = (
            f"up to {cache['destage_outstanding']} destages are under way at a time and reads wait "
            "behind them; the prediction assumes that requests arrive one by one"
        )
        notes.append(Note(code="destages-together", text=text))
    if load.peak > 1.2 and not request.peak:
        text = (
            f"the busiest period asks for {load.peak:.2g} times the mean load, and the tiers are "
            "sized "
            "for the mean load"
        )
        notes.append(Note(code="sized-for-mean", text=text, decides=True))
    return notes
