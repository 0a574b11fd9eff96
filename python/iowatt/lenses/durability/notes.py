"""What limits a durability, or explains it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from iowatt.base.results import Note
from iowatt.lenses.durability import SLOW_REBUILD_S
from iowatt.lenses.durability.engine import RiskyGroup
from iowatt.lenses.durability.result import CacheDurability, GroupDurability
from iowatt.render.numbers import duration

if TYPE_CHECKING:
    from iowatt.lenses.durability.system import DurableSystem

_BEYOND: Final = {
    "ageing": "failure rates that change with age",
    "fixed-times": "times of fixed length",
    "batches": "batches of drives",
    "no-scrub": "latent errors that no scrub removes",
    "domain-losses": "enclosures whose failure destroys drives",
    "states": "so many states",
}


def of(
    system: DurableSystem,
    risky: Sequence[RiskyGroup],
    groups: Sequence[GroupDurability],
    caches: Sequence[CacheDurability],
) -> list[Note]:
    """The notes of a result, those that can change a decision first."""
    found = [*_rebuilds(risky), *_drives(risky), *_engine(groups), *_of_system(system, caches)]
    return sorted(found, key=lambda note: not note.decides)


def _rebuilds(risky: Sequence[RiskyGroup]) -> Iterator[Note]:
    for one in {one.rebuild.pool: one for one in risky}.values():
        if not one.group.survives:
            text = "has no redundancy: the first failure of a drive loses data"
            yield Note(code="no-redundancy", text=text, decides=True).about(one.group.name)
        elif one.rebuild.basis == "given":
            text = "its rebuild time was given"
            yield Note(code="rebuild-given", text=text).about(one.rebuild.pool)
        elif one.rebuild.basis == "stated":
            text = f"its rebuild was not simulated; its time is from {one.rebuild.text}"
            yield Note(code="rebuild-stated", text=text, decides=True).about(one.rebuild.pool)
        else:
            slow, text = one.rebuild.seconds > SLOW_REBUILD_S, one.rebuild.text
            if slow:
                text = (
                    f"a rebuild of {duration(one.rebuild.seconds)} decides this: {text}; rebuild.priority, "
                    "rebuild.outstanding and rebuild.step set its speed under load"
                )
            yield Note(code="rebuild-simulated", text=text, decides=slow).about(one.rebuild.pool)


def _drives(risky: Sequence[RiskyGroup]) -> Iterator[Note]:
    for drive in {one.risk.inputs.model: one.risk.inputs for one in risky}.values():
        rated = drive.rated_afr
        if rated is not None and drive.afr.basis != "rated" and drive.afr.value > 1.5 * rated:
            text = (
                f"fails {drive.afr.value:.2%} a year in the field ({drive.afr.source}), rated {rated:.2%}: "
                "durability.afr=rated uses the rating"
            )
            yield Note(code="field-rate", text=text).about(drive.model)
        if drive.uber.basis == "assumed":
            text = (
                f"{drive.uber.value:g} unrecoverable errors per bit are assumed of its class "
                f"({drive.of_class})"
            )
            yield Note(code="assumed-uber", text=text).about(drive.model)


def _engine(groups: Sequence[GroupDurability]) -> Iterator[Note]:
    for group in groups:
        if group.beyond_markov:
            what = ", ".join(_BEYOND.get(one, one) for one in group.beyond_markov)
            text = (
                f"by Monte Carlo ({group.trials:,} trials), as a Markov chain cannot model {what}"
                if group.method == "monte-carlo"
                else f"the Markov chain replaces or leaves out {what}"
            )
            yield Note(code="beyond-markov", text=text, decides=group.method == "markov").about(group.name)


def _of_system(system: DurableSystem, caches: Sequence[CacheDurability]) -> Iterator[Note]:
    if system.unsimulated:
        text = f"a rebuild could not be simulated, so its rate is stated: {system.unsimulated}"
        yield Note(code="rebuild-not-simulated", text=text, decides=True)
    for cache in caches:
        yield Note(code="cache-loss", text=cache.text)
    text = (
        "the mean time to data loss assumes a constant rate: it tells neither how much is lost nor how "
        "likely a loss is within a lifetime; compare probabilities and bytes (Greenan, Plank, Wylie, 2010)"
    )
    yield Note(code="mttdl", text=text)
    text = (
        "pools are assumed to fail independently; fire, theft, software faults and human error also lose "
        "data, and are not included"
    )
    yield Note(code="not-modelled", text=text)
    if system.plan["simulation"].get("replications"):
        text = "copies on a remote array are not counted: a loss here is one that they have to recover"
        yield Note(code="replicas-not-counted", text=text, decides=True)
