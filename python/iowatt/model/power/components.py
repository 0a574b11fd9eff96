"""Parts and supplies of an enclosure in numbers, from their keys and the library."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from iowatt.base.errors import InputError
from iowatt.base.problems import KeyPath, Problem, suggestion
from iowatt.base.results import Note
from iowatt.model.library import stand_in
from iowatt.model.power.efficiency import Supplies
from iowatt.model.power.keys import PartKeys, SupplyKeys
from iowatt.model.power.part import Law, PartFile, certificates, find_part
from iowatt.model.power.plan import ArrayPart, ArrayPlan, fan

PATH: Final[KeyPath] = ("array", "power")


@dataclass
class ResolvedPower:
    """The plan, or the problems that prevent it, and notes on its figures.

    ``base_dir`` is what files are relative to. ``busy_needed``: a Run follows in which the controller's
    processors are not simulated, so that parts must give the rate at which they draw their active watts.
    """

    base_dir: Path
    busy_needed: bool = False
    #: Buses and links that parts may follow.
    links: tuple[str, ...] = ()
    plan: ArrayPlan | None = None
    problems: list[Problem] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def problem(self, code: str, path: KeyPath, message: str, hint: str | None = None) -> None:
        """Add a problem at ``path``."""
        self.problems.append(Problem(code, path, message, hint))


def array_part(keys: PartKeys, path: KeyPath, resolved: ResolvedPower) -> ArrayPart | None:
    """The part, or None where there is a problem with it."""
    figures: dict[str, Any] = {}
    file: PartFile | None = None
    if keys.model is not None:
        try:
            file = find_part(keys.model, resolved.base_dir)
        except InputError as error:
            message = f"{error.place}: {error.message}" if error.place else error.message
            resolved.problem(error.code, (*path, "model"), message, error.hint)
            return None
        figures = {name: getattr(file, name) for name in _FIGURES}
    figures.update({name: value for name in _FIGURES if (value := getattr(keys, name)) is not None})
    law: Law = figures.get("law") or "constant"
    problem = (
        _fan_problem(figures) if law == "speed-cubed" else _watts_problem(keys.name, law, figures, resolved)
    )
    problem = problem or _link_problem(keys, law, resolved)
    if problem is not None:
        code, name, message, hint = problem
        resolved.problem(code, (*path, name), message, hint)
        return None
    working = keys.count - keys.failed
    problem = _count_problem(keys, figures.get("most"), working)
    if problem is not None:
        code, name, message, hint = problem
        resolved.problem(code, (*path, name), message, hint)
        return None
    if keys.failed:
        resolved.notes.append(_failed_note(keys, law))
    left = working / keys.count
    active = figures.get("active")
    idle = figures["idle"] if law != "speed-cubed" else fan(active or 0.0, figures["speed"])
    return ArrayPart(
        name=keys.name,
        kind=figures.get("kind") or "other",
        count=working,
        law=law,
        idle_w=idle,
        active_w=idle if active is None else active,
        at_wall=figures.get("basis") == "wall",
        full_iops=_share(figures.get("full_iops"), left),
        full_bytes_per_s=_share(figures.get("full_rate"), left),
        speed=figures.get("speed"),
        failover_speed=figures.get("failover_speed"),
        needed=keys.needed,
        failed=keys.failed,
        capacity_bytes=figures.get("capacity"),
        of=keys.of,
        sources=tuple(_part_sources(keys, file)),
    )


def _share(full: float | None, left: float) -> float | None:
    """The rate at which those that are ``left`` draw their active watts: they carry what all carried."""
    return None if full is None else full * left


def _failed_note(keys: PartKeys, law: Law) -> Note:
    text = (
        f"{keys.failed} of {keys.count} of {keys.name!r} failed and draw nothing; the others take their work"
    )
    if law == "utilisation":
        text += "; array.controller.processing says how many processors are left"
    return Note(code="failed-part", text=text, decides=True)


_FIGURES: Final = (
    "kind", "idle", "active", "law", "full_iops", "full_rate", "speed", "failover_speed", "basis",
    "max_sff", "max_lff", "most", "capacity",
)  # fmt: skip


_Fault = tuple[str, str, str, str | None]
"""Code, key, message and fix."""


def _count_problem(keys: PartKeys, most: int | None, working: int) -> _Fault | None:
    """More of them than fit, or fewer working than are needed."""
    if most is not None and keys.count > most:
        message = f"{keys.count} are more than the {most} that one enclosure takes"
        return "out-of-range", "count", message, f"at most {most}, or another enclosure"
    if keys.needed is not None and keys.needed > keys.count:
        return "conflict", "needed", f"{keys.needed} are needed of {keys.count}", f"at most {keys.count}"
    needed = keys.count if keys.needed is None and not keys.failed else keys.needed or 1
    if working < needed:
        message = (
            f"{keys.failed} of {keys.count} failed, and {needed} are needed: the array would stand still"
        )
        return "infeasible", "failed", message, f"at most {keys.count - needed}"
    return None


def _link_problem(keys: PartKeys, law: str, resolved: ResolvedPower) -> _Fault | None:
    if law == "transfer" and keys.of is None:
        message = "the law 'transfer' needs the bus or link that the part follows"
        return "missing", "of", message, 'for example of = "path.san.fibre"'
    if law != "transfer" and keys.of is not None:
        message = f"the law {law!r} follows no bus or link"
        return "not-applicable", "of", message, 'law = "transfer"'
    if keys.of is not None and keys.of not in resolved.links:
        hint = suggestion(keys.of, list(resolved.links), "buses and links")
        return "unknown-name", "of", f"the scenario has no bus or link {keys.of!r}", hint
    return None


def _fan_problem(figures: dict[str, Any]) -> _Fault | None:
    needed = "missing-figure"
    if figures.get("active") is None:
        return needed, "active", "a fan needs its watts at full speed", 'for example active = "14W"'
    if figures.get("speed") is None:
        return needed, "speed", "a fan needs its speed, a share of full speed", "for example speed = 0.6"
    return None


def _watts_problem(name: str, law: str, figures: dict[str, Any], resolved: ResolvedPower) -> _Fault | None:
    needed = "missing-figure"
    idle, active = figures.get("idle"), figures.get("active")
    rated = figures.get("full_iops") or figures.get("full_rate")
    if idle is None:
        return (
            needed,
            "idle",
            f"part {name!r} needs its idle watts, or a `model` that has them",
            'such as idle = "86W"',
        )
    if active is not None and active < idle and law != "constant":
        message = f"{active:g} W are less than its idle watts, {idle:g} W"
        return "conflict", "active", message, "check the two figures"
    if law in ("utilisation", "throughput", "transfer") and active is None:
        return needed, "active", f"the law {law!r} needs the watts at full load", 'for example active = "99W"'
    if law == "throughput" and not rated:
        message = "the law 'throughput' needs the rate at which the part draws its active watts"
        return needed, "law", message, "give full_iops, full_rate or both, such as full_iops = 40000"
    if law == "utilisation" and resolved.busy_needed and not rated:
        message = (
            "the law 'utilisation' follows the controller's processors, which the scenario does not have"
        )
        hint = "give [array.controller.processing], or full_iops and full_rate, which then stand for them"
        return needed, "law", message, hint
    return None


def _part_sources(keys: PartKeys, file: PartFile | None) -> list[str]:
    """One sentence for each source of the part's watts, and its assumptions."""
    given = [name for name in ("idle", "active", "speed") if getattr(keys, name) is not None]
    texts = [f"{keys.name}: {', '.join(given)} given by the scenario"] if given else []
    if file is not None:
        texts += stand_in(file.name, file.stand_in)
        texts += [f"{file.name}: {text}" for text in file.assumptions]
        for source in file.source:
            texts.append(f"{file.name}: {', '.join(source.figures)}, {source.quality}: {source.text}")
    return texts


def supplies(keys: SupplyKeys, path: KeyPath, resolved: ResolvedPower) -> Supplies | None:
    """The supplies, or None where there is a problem with them."""
    needed = keys.needed or -(-keys.count // 2)
    if needed > keys.count:
        message = f"{needed} supplies are needed and there are {keys.count}"
        resolved.problem("conflict", (*path, "needed"), message, f"at most {keys.count}")
        return None
    if keys.sharing == "active-standby" and needed == keys.count:
        message = f"all {keys.count} supplies are needed, so none can stand by"
        hint = 'sharing = "load-sharing", or more supplies'
        resolved.problem("conflict", (*path, "sharing"), message, hint)
        return None
    peak = keys.rating if keys.peak is None else keys.peak
    if peak < keys.rating:
        message = f"{peak:g} W are less than the rating, {keys.rating:g} W"
        resolved.problem("conflict", (*path, "peak"), message, "leave it out, or give more")
        return None
    efficiency = keys.efficiency
    if isinstance(efficiency, str):
        tables = certificates()[efficiency].tables
        if keys.input not in tables:
            message = f"{certificates()[efficiency].title} has no table for {keys.input}"
            hint = f"input = {' or '.join(repr(known) for known in tables)}, or another certificate"
            resolved.problem("missing-figure", (*path, "efficiency"), message, hint)
            return None
        name, points = f"{efficiency} at {keys.input}", tables[keys.input]
    else:
        name, points = "given by the scenario", efficiency
    return Supplies(
        rating_w=keys.rating,
        peak_w=peak,
        count=keys.count,
        needed=needed,
        active_standby=keys.sharing == "active-standby",
        standby_w=keys.standby,
        power_factor=keys.power_factor,
        efficiency=name,
        points=points,
    )
