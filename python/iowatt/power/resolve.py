"""From a scenario's keys to an array's power in numbers, and all that is impossible about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt.errors import InputError
from iowatt.library.efficiency import certificates
from iowatt.library.part import PartFile, find_part
from iowatt.power import cooling, spin_up
from iowatt.power.drives import Drives, drives
from iowatt.power.efficiency import Curve
from iowatt.power.laws import Part
from iowatt.power.plan import ArrayPlan, Enclosure, Mix, Stagger, fill, runs
from iowatt.power.supplies import Supplies
from iowatt.scenario.power import EnclosureKeys, PartKeys, SupplyKeys
from iowatt.scenario.problems import KeyPath, Problem, suggestion

if TYPE_CHECKING:
    from iowatt.scenario.model import Scenario

PATH: Final[KeyPath] = ("array", "power")


@dataclass
class Resolved:
    """The plan, where nothing is wrong, and notes for whoever reads its figures."""

    plan: ArrayPlan | None = None
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def resolve(scenario: Scenario, base_dir: Path, *, simulated: bool) -> Resolved:
    """The power of the array of ``scenario``.

    Parameters
    ----------
    base_dir:
        What device and part files are relative to.
    simulated:
        Whether a Run is to follow, which must know the utilisation of every part.
    """
    found = Resolved()
    keys = scenario.array.power
    if keys is None:
        return found
    kinds = _drives(scenario, base_dir, found)
    if found.problems:
        return found
    _names(scenario, found)
    _placed(scenario, found)
    busy_known = scenario.array.controller is not None and scenario.array.controller.processing is not None
    built = [
        _enclosure(enclosure, index, kinds, base_dir, simulated and not busy_known, found)
        for index, enclosure in enumerate(keys.enclosure)
    ]
    enclosures = tuple(enclosure for enclosure in built if enclosure is not None)
    if found.problems or len(enclosures) != len(keys.enclosure):
        return found
    _controllers(scenario, enclosures, kinds, base_dir, found)
    stagger = keys.spin_up
    plan = ArrayPlan(
        enclosures=enclosures,
        drives=kinds,
        stagger=None
        if stagger is None
        else Stagger(stagger.at_once, stagger.interval, stagger.per == "array"),
        pue=keys.pue,
        btu_per_wh=cooling.FACTORS[keys.btu_factor],
        btu_slip=keys.btu_factor == "p9500-slip",
    )
    _strong_enough(plan, found)
    _start(plan, found)
    if not found.problems:
        found.plan = plan
    return found


def _drives(scenario: Scenario, base_dir: Path, found: Resolved) -> dict[str, Drives]:
    kinds = {}
    for index, pool in enumerate(scenario.array.pool):
        path: KeyPath = ("array", "pool", index, "device")
        try:
            kind = drives(pool, base_dir)
        except InputError as error:
            message = f"{error.where}: {error.message}" if error.where else error.message
            found.problems.append(Problem(path, message, error.hint))
            continue
        lacking = [name for name in ("idle", "operating") if getattr(kind, f"{name}_w") is None]
        if lacking:
            given = {"idle": 'idle = "..W"', "operating": 'active = "..W"'}
            figures = ", ".join(given[name] for name in lacking)
            found.problems.append(
                Problem(
                    path,
                    f"the array's power needs {' and '.join(lacking)} watts that {kind.model!r} does not have",
                    f'give them: device = {{ name = "{pool.device.name}", power = {{ {figures} }} }}',
                )
            )
        kinds[pool.name] = kind
    return kinds


def _names(scenario: Scenario, found: Resolved) -> None:
    keys = scenario.array.power
    assert keys is not None
    taken = {pool.name: "pool" for pool in scenario.array.pool}
    for index, enclosure in enumerate(keys.enclosure):
        path: KeyPath = (*PATH, "enclosure", index)
        if enclosure.name in taken:
            message = f"the name {enclosure.name!r} is taken by another {taken[enclosure.name]}"
            found.problems.append(Problem((*path, "name"), message, "give each a name of its own"))
        taken[enclosure.name] = "enclosure"
        parts: set[str] = {"supplies"}
        for number, part in enumerate(enclosure.part):
            if part.name in parts:
                message = f"the name {part.name!r} is taken in this enclosure"
                place: KeyPath = (*path, "part", number, "name")
                found.problems.append(Problem(place, message, "give each a name of its own"))
            parts.add(part.name)


def _placed(scenario: Scenario, found: Resolved) -> None:
    """Every pool in exactly one kind of enclosure."""
    keys = scenario.array.power
    assert keys is not None
    pools = {pool.name: pool for pool in scenario.array.pool}
    holder: dict[str, str] = {}
    for index, enclosure in enumerate(keys.enclosure):
        for number, name in enumerate(enclosure.pools):
            path: KeyPath = (*PATH, "enclosure", index, "pools", number)
            if name not in pools:
                hint = suggestion(name, list(pools), "pools")
                found.problems.append(Problem(path, f"there is no pool {name!r}", hint))
            elif name in holder:
                message = f"the drives of pool {name!r} are already in {holder[name]!r}"
                found.problems.append(Problem(path, message, "split the pool, or name it once"))
            else:
                holder[name] = enclosure.name
    for name, pool in pools.items():
        if name not in holder and not found.problems:
            message = f"the {pool.drives} drives of pool {name!r} are in no enclosure"
            hint = f'name it in an enclosure: slots = {min(pool.drives, 24)}, pools = ["{name}"]'
            found.problems.append(Problem((*PATH, "enclosure"), message, hint))


def _enclosure(
    keys: EnclosureKeys,
    index: int,
    kinds: dict[str, Drives],
    base_dir: Path,
    must_know_busy: bool,
    found: Resolved,
) -> Enclosure | None:
    path: KeyPath = (*PATH, "enclosure", index)
    before = len(found.problems)
    mixes = _mixes(keys, path, kinds, found)
    parts = [
        _part(part, (*path, "part", number), base_dir, must_know_busy, found)
        for number, part in enumerate(keys.part)
    ]
    supplies = None if keys.supply is None else _supplies(keys.supply, (*path, "supply"), found)
    if keys.supply is None:
        found.notes.append(f"enclosure {keys.name!r} has no supplies: its watts are taken as if at the wall")
    if len(found.problems) > before or mixes is None:
        return None
    return Enclosure(
        name=keys.name,
        pools=tuple(keys.pools),
        slots=keys.slots or 0,
        filling=runs(mixes),
        parts=tuple(part for part in parts if part is not None),
        supplies=supplies,
    )


def _mixes(keys: EnclosureKeys, path: KeyPath, kinds: dict[str, Drives], found: Resolved) -> list[Mix] | None:
    """The drives of each pool in each enclosure."""
    if any(name not in kinds for name in keys.pools):
        return None
    counts = [kinds[name].count for name in keys.pools]
    total = sum(counts)
    if not total:
        return [()] * (keys.count or 1)
    if keys.slots is None:
        message = (
            f"it holds {total} drives, and the key `slots` is missing: how many does one enclosure take?"
        )
        found.problems.append(Problem((*path, "slots"), message, "for example slots = 24"))
        return None
    for number, name in enumerate(keys.pools):
        factor = kinds[name].form_factor
        if keys.form_factor == "2.5" and factor == "3.5":
            message = f"the drives of pool {name!r} ({kinds[name].model}) are 3.5 inches wide, its slots 2.5"
            hint = 'form_factor = "3.5" takes both, or choose another drive'
            found.problems.append(Problem((*path, "pools", number), message, hint))
    needed = -(-total // keys.slots)
    enclosures = keys.count or needed
    if enclosures < needed:
        message = (
            f"{total} drives do not fit: {enclosures} of {keys.slots} slots hold {enclosures * keys.slots}"
        )
        hint = f"count = {needed}, or at most {enclosures * keys.slots} drives"
        found.problems.append(Problem((*path, "count"), message, hint))
        return None
    mixes = fill(counts, keys.slots, enclosures, even=keys.fill == "even")
    if any(sum(mix) > keys.slots for mix in mixes):  # several pools, each with a remainder
        mixes = fill(counts, keys.slots, enclosures, even=False)
        found.notes.append(f"enclosure {keys.name!r}: its pools do not fit evenly; it is filled in order")
    return mixes


def _part(
    keys: PartKeys, path: KeyPath, base_dir: Path, must_know_busy: bool, found: Resolved
) -> Part | None:
    figures: dict[str, Any] = {}
    file: PartFile | None = None
    if keys.model is not None:
        try:
            file = find_part(keys.model, base_dir)
        except InputError as error:
            message = f"{error.where}: {error.message}" if error.where else error.message
            found.problems.append(Problem((*path, "model"), message, error.hint))
            return None
        figures = {name: getattr(file, name) for name in _FIGURES}
    figures.update({name: value for name in _FIGURES if (value := getattr(keys, name)) is not None})
    law = figures.get("law") or "constant"
    idle, active = figures.get("idle"), figures.get("active")
    problem = _part_problem(keys, law, figures, must_know_busy)
    if problem is not None:
        name, message, hint = problem
        found.problems.append(Problem((*path, name), message, hint))
        return None
    if law == "speed-cubed":
        speed = figures["speed"]
        idle = active * speed**3
    return Part(
        name=keys.name,
        kind=figures.get("kind") or "other",
        count=keys.count,
        law=law,
        idle_w=idle,
        active_w=idle if active is None else active,
        at_wall=figures.get("basis") == "wall",
        full_iops=figures.get("full_iops"),
        full_bytes_per_s=figures.get("full_rate"),
        speed=figures.get("speed"),
        failover_speed=figures.get("failover_speed"),
        sources=tuple(_part_sources(keys, file)),
    )


_FIGURES: Final = (
    "kind", "idle", "active", "law", "full_iops", "full_rate", "speed", "failover_speed", "basis",
    "max_sff", "max_lff",
)  # fmt: skip


def _part_problem(
    keys: PartKeys, law: str, figures: dict[str, Any], must_know_busy: bool
) -> tuple[str, str, str] | None:
    """Key, message and fix of what is wrong with a part's figures."""
    idle, active = figures.get("idle"), figures.get("active")
    rated = figures.get("full_iops") or figures.get("full_rate")
    if law == "speed-cubed":
        if active is None:
            return "active", "a fan needs its watts at full speed", 'for example active = "14W"'
        if figures.get("speed") is None:
            return "speed", "a fan needs its speed, a share of full speed", "for example speed = 0.6"
        return None
    if idle is None:
        known = "" if keys.model else ", or a `model` of the library"
        return "idle", f"part {keys.name!r} needs its idle watts{known}", 'for example idle = "86W"'
    if active is not None and active < idle and law != "constant":
        return "active", f"{active:g} W are less than its idle watts, {idle:g} W", "look at the two figures"
    if law in ("utilisation", "throughput") and active is None:
        return "active", f"the law {law!r} needs the watts at full work", 'for example active = "99W"'
    if law == "throughput" and not rated:
        message = "the law 'throughput' needs the rate at which the part draws its active watts"
        return "law", message, "give full_iops, full_rate or both, such as full_iops = 40000"
    if law == "utilisation" and must_know_busy and not rated:
        message = (
            "the law 'utilisation' follows the controller's processors, which the scenario does not have"
        )
        hint = "give [array.controller.processing], or full_iops and full_rate, which then stand for them"
        return "law", message, hint
    return None


def _part_sources(keys: PartKeys, file: PartFile | None) -> list[str]:
    """One sentence for each source of the part's watts, and its assumptions."""
    own = [name for name in ("idle", "active", "speed") if getattr(keys, name) is not None]
    said = [f"{keys.name}: {', '.join(own)} given by the scenario"] if own else []
    if file is not None:
        if file.stand_in:
            said.append(f"{file.name} is a stand-in: {file.stand_in}")
        said += [f"{file.name}: {text}" for text in file.assumptions]
        for source in file.source:
            said.append(f"{file.name}: {', '.join(source.figures)}, {source.quality}: {source.text}")
    return said


def _supplies(keys: SupplyKeys, path: KeyPath, found: Resolved) -> Supplies | None:
    needed = keys.needed or -(-keys.count // 2)
    if needed > keys.count:
        message = f"{needed} supplies are needed and there are {keys.count}"
        found.problems.append(Problem((*path, "needed"), message, f"at most {keys.count}"))
        return None
    if keys.sharing == "active-standby" and needed == keys.count:
        message = f"all {keys.count} supplies are needed, so that none can stand by"
        hint = 'sharing = "load-sharing", or more supplies'
        found.problems.append(Problem((*path, "sharing"), message, hint))
        return None
    peak = keys.rating if keys.peak is None else keys.peak
    if peak < keys.rating:
        message = f"{peak:g} W are less than the rating, {keys.rating:g} W"
        found.problems.append(Problem((*path, "peak"), message, "leave it out, or give more"))
        return None
    efficiency = keys.efficiency
    if isinstance(efficiency, str):
        tables = certificates()[efficiency].tables
        if keys.input not in tables:
            message = f"{certificates()[efficiency].title} has no table for {keys.input}"
            hint = f"input = {' or '.join(repr(known) for known in tables)}, or another certificate"
            found.problems.append(Problem((*path, "efficiency"), message, hint))
            return None
        curve = Curve(tables[keys.input], f"{efficiency} at {keys.input}")
    else:
        curve = Curve(efficiency, "given by the scenario")
    return Supplies(
        rating_w=keys.rating,
        peak_w=peak,
        count=keys.count,
        needed=needed,
        active_standby=keys.sharing == "active-standby",
        standby_w=keys.standby,
        power_factor=keys.power_factor,
        curve=curve,
    )


def _controllers(
    scenario: Scenario,
    enclosures: Sequence[Enclosure],
    kinds: dict[str, Drives],
    base_dir: Path,
    found: Resolved,
) -> None:
    keys = scenario.array.power
    assert keys is not None
    inside = [part for enclosure in enclosures for part in enclosure.parts if part.kind == "controller"]
    if keys.controller == "none":
        if inside:
            message = f"the part {inside[0].name!r} is a controller, and there are to be none"
            found.problems.append(Problem((*PATH, "controller"), message, 'controller = "inside"'))
        return
    if not inside:
        message = "there is no controller: no enclosure has a part of kind controller"
        hint = 'add a part with kind = "controller", or say controller = "none" for shelves behind a host'
        found.problems.append(Problem((*PATH, "enclosure"), message, hint))
        return
    for index, enclosure in enumerate(keys.enclosure):
        for number, part in enumerate(enclosure.part):
            file = find_part(part.model, base_dir) if part.model else None
            for name, widths in (("max_sff", ("2.5",)), ("max_lff", ("3.5",))):
                limit = getattr(part, name) or (getattr(file, name) if file else None)
                total = sum(kind.count for kind in kinds.values() if kind.form_factor in widths)
                if limit is not None and total > limit:
                    message = f"{total} drives of {widths[0]} inches are too many for it: it takes {limit}"
                    place: KeyPath = (*PATH, "enclosure", index, "part", number)
                    found.problems.append(Problem(place, message, f"at most {limit}, or a larger controller"))


def _strong_enough(plan: ArrayPlan, found: Resolved) -> None:
    """The needed supplies of every enclosure carry it at work, with the redundant ones lost."""
    for index, enclosure in enumerate(plan.enclosures):
        supplies = enclosure.supplies
        if supplies is None:
            continue
        worst = max(enclosure_w(plan, enclosure, mix) for mix in enclosure.each())
        if worst > supplies.capacity_w * (1 + 1e-12):
            have = f"{supplies.needed} x {supplies.rating_w:g} W" if supplies.needed > 1 else "one supply"
            message = (
                f"{supplies.rating_w:g} W are too little: {enclosure.name!r} at work takes {worst:.1f} W of "
                f"{have}, once the redundant ones are lost"
            )
            hint = f"a rating of {worst / supplies.needed:.0f} W or more, more supplies, or less in it"
            place: KeyPath = (*PATH, "enclosure", index, "supply", "rating")
            found.problems.append(Problem(place, message, hint))


def enclosure_w(plan: ArrayPlan, enclosure: Enclosure, mix: Mix) -> float:
    """Watts that the supplies of one enclosure give out at work, with fans as in failover."""
    of_drives = sum(
        number * (plan.drives[pool].operating_w or 0.0)
        for pool, number in zip(enclosure.pools, mix, strict=True)
    )
    return of_drives + sum(part.watts(1.0, "failover") for part in enclosure.parts if not part.at_wall)


def _start(plan: ArrayPlan, found: Resolved) -> None:
    """The drives can be started as asked."""
    unknown = spin_up.missing(plan)
    place: KeyPath = (*PATH, "spin_up")
    if unknown:
        said = ", ".join(f"{pool} ({plan.drives[pool].model})" for pool in unknown)
        if plan.stagger is not None:
            time = "" if plan.stagger.interval_s is None else " and time"
            message = f"the start-up watts{time} of a drive are not known: {said}"
            hint = 'give them in the pool: device = { name = "...", power = { spin_up = "24W", spin_up_time = "15s" } }'
            found.problems.append(Problem(place, message, hint))
        else:
            found.notes.append(f"no power of a spin-up: the start-up watts of a drive are not known: {said}")
        return
    start = spin_up.spin_up(plan)
    if start is None or start.overload is None:
        return
    index, watts = start.overload
    enclosure = plan.enclosures[index]
    supplies = enclosure.supplies
    assert supplies is not None
    message = (
        f"starting the drives takes {watts:.0f} W in one {enclosure.name!r}; its supplies give "
        f"{supplies.peak_capacity_w:g} W for a short time, once the redundant ones are lost"
    )
    if plan.stagger is None:
        found.notes.append(
            f"{message}: switched on all at once they would be overloaded (array.power.spin_up)"
        )
    else:
        hint = f"at_once below {plan.stagger.at_once}, a longer interval, or a supply with more `peak`"
        found.problems.append(Problem((*place, "at_once"), message, hint))
