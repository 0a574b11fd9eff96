"""From a scenario's keys to an array's power in numbers, and all that is impossible about it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.errors import InputError
from iowatt.base.problems import KeyPath, suggestion
from iowatt.base.results import Note
from iowatt.model.library import derive
from iowatt.model.library.device import DeviceFile
from iowatt.model.library.find import device_file
from iowatt.model.power import components, feasible
from iowatt.model.power.components import PATH, Resolved
from iowatt.model.power.keys import EnclosureKeys
from iowatt.model.power.plan import FACTORS, ArrayPlan, Drives, Enclosure, Mix, Stagger, fill, runs

if TYPE_CHECKING:
    from iowatt.model.scenario.keys.array import Pool
    from iowatt.model.scenario.keys.scenario import Scenario


_ON_WATTS: Final = re.compile(r"\b(power|watts?|W)\b")
_SSD_WORK: Final = ("random_read", "random_write", "sequential_read", "sequential_write", "active")


def pool_drives(pool: Pool, base_dir: Path) -> Drives:
    """The drives of ``pool``.

    Raises ``InputError`` where there is no such device or its file is wrong.
    """
    choice = pool.device
    file = device_file(choice.name, base_dir, choice.drive)
    steps = derive.Steps()
    known = derive.power(file, steps)
    own = choice.power
    if own is not None:
        known = known.model_copy(update=own.model_dump(exclude_none=True))
    capacity = choice.capacity or file.capacity or 0
    peak = [watts for watts in (derive.usable(file, "spin_up_peak"), known.spin_up) if watts is not None]
    operating, how = _operating(file, known, own)
    return Drives(
        pool=pool.name,
        model=file.name,
        count=pool.drives,
        raw_bytes=capacity * pool.drives,
        form_factor=file.form_factor,
        idle_w=known.idle,
        operating_w=operating,
        standby_w=known.standby,
        # Nothing spins up in an ssd.
        spin_up_w=known.idle if file.kind == "ssd" else max(peak, default=None),
        spin_up_s=0.0 if file.kind == "ssd" else known.spin_up_time,
        sources=tuple(_sources(file, own, operating, how)),
    )


def _operating(file: DeviceFile, known: Any, own: Any) -> tuple[float | None, str]:
    if own is not None:
        for name in ("positioning", "active"):
            if getattr(own, name) is not None:
                return getattr(own, name), "given by the scenario"
    if file.kind == "ssd":
        found = {name: watts for name in _SSD_WORK if (watts := derive.usable(file, name)) is not None}
        best = max(found, key=lambda name: found[name], default=None)
        return (None, "") if best is None else (found[best], f"power.{best}")
    watts = derive.usable(file, "random_read")
    if watts is not None:
        return watts, "power.random_read"
    for name in ("positioning", "active"):
        if (watts := getattr(known, name)) is not None:
            return watts, f"power.{name}"
    return None, ""


def _sources(file: DeviceFile, own: Any, operating: float | None, how: str) -> list[str]:
    """One sentence for each figure: its watts, how good it is, and where it comes from."""
    said = [f"{file.name}: {text}" for text in file.assumptions if _ON_WATTS.search(text)]
    for figure, watts, path in (("idle", file.power.idle, "power.idle"), ("operating", operating, how)):
        if watts is None:
            continue
        if path == "given by the scenario" or (own is not None and figure == "idle" and own.idle is not None):
            shown = own.idle if figure == "idle" and own.idle is not None else watts
            said.append(f"{file.name}: {figure} {shown:g} W, given by the scenario")
            continue
        source = file.source_of(path)
        if source is None:
            said.append(f"{file.name}: {figure} {watts:g} W, derived from its other figures ({path})")
        else:
            basis = f", {source.basis}" if source.basis else ""
            said.append(f"{file.name}: {figure} {watts:g} W, {source.quality}{basis}: {source.text}")
    return said


def resolve(scenario: Scenario, base_dir: Path, *, simulated: bool) -> Resolved:
    """The power of the array of ``scenario``; device and part files are relative to ``base_dir``.

    ``simulated``: a Run follows, which must know the utilisation of every part.
    """
    controller = scenario.array.controller
    found = Resolved(base_dir, simulated and (controller is None or controller.processing is None))
    keys = scenario.array.power
    if keys is None:
        return found
    kinds = _drives(scenario, found)
    if found.problems:
        return found
    _names(scenario, found)
    _placed(scenario, found)
    built = [_enclosure(enclosure, index, kinds, found) for index, enclosure in enumerate(keys.enclosure)]
    enclosures = tuple(enclosure for enclosure in built if enclosure is not None)
    if found.problems or len(enclosures) != len(keys.enclosure):
        return found
    feasible.controllers(keys, enclosures, kinds, found)
    stagger = keys.spin_up
    plan = ArrayPlan(
        enclosures=enclosures,
        drives=kinds,
        stagger=None
        if stagger is None
        else Stagger(stagger.at_once, stagger.interval, stagger.per == "array"),
        pue=keys.pue,
        btu_per_wh=FACTORS[keys.btu_factor],
        btu_slip=keys.btu_factor == "p9500-slip",
    )
    feasible.strong_enough(plan, found)
    feasible.startable(plan, found)
    if not found.problems:
        found.plan = plan
    return found


def _drives(scenario: Scenario, found: Resolved) -> dict[str, Drives]:
    kinds = {}
    for index, pool in enumerate(scenario.array.pool):
        path: KeyPath = ("array", "pool", index, "device")
        try:
            kind = pool_drives(pool, found.base_dir)
        except InputError as error:
            message = f"{error.place}: {error.message}" if error.place else error.message
            found.problem(error.code, path, message, error.hint)
            continue
        lacking = [name for name in ("idle", "operating") if getattr(kind, f"{name}_w") is None]
        if lacking:
            given = {"idle": 'idle = "..W"', "operating": 'active = "..W"'}
            figures = ", ".join(given[name] for name in lacking)
            found.problem(
                "missing-figure",
                path,
                f"{kind.model!r} has no {' and no '.join(lacking)} watts, which the array's power needs",
                f'give them: device = {{ name = "{pool.device.name}", power = {{ {figures} }} }}',
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
            found.problem("duplicate", (*path, "name"), message, "give each a name of its own")
        taken[enclosure.name] = "enclosure"
        parts: set[str] = {"supplies"}
        for number, part in enumerate(enclosure.part):
            if part.name in parts:
                message = f"the name {part.name!r} is taken in this enclosure"
                place: KeyPath = (*path, "part", number, "name")
                found.problem("duplicate", place, message, "give each a name of its own")
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
                found.problem("unknown-name", path, f"there is no pool {name!r}", hint)
            elif name in holder:
                message = f"the drives of pool {name!r} are already in {holder[name]!r}"
                found.problem("duplicate", path, message, "split the pool, or name it once")
            else:
                holder[name] = enclosure.name
    for name, pool in pools.items():
        if name not in holder and not found.problems:
            message = f"the {pool.drives} drives of pool {name!r} are in no enclosure"
            hint = f'name it in an enclosure: slots = {min(pool.drives, 24)}, pools = ["{name}"]'
            found.problem("missing", (*PATH, "enclosure"), message, hint)


def _enclosure(
    keys: EnclosureKeys, index: int, kinds: dict[str, Drives], found: Resolved
) -> Enclosure | None:
    path: KeyPath = (*PATH, "enclosure", index)
    before = len(found.problems)
    mixes = _mixes(keys, path, kinds, found)
    parts = [components.part(part, (*path, "part", number), found) for number, part in enumerate(keys.part)]
    supplies = None if keys.supply is None else components.supplies(keys.supply, (*path, "supply"), found)
    if keys.supply is None:
        found.notes.append(
            Note(
                code="no-supplies",
                text=f"enclosure {keys.name!r} has no supplies: its watts are taken as if at the wall",
            )
        )
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
        message = f"the key `slots` is missing: how many of its {total} drives one enclosure takes"
        found.problem("missing", (*path, "slots"), message, "for example slots = 24")
        return None
    for number, name in enumerate(keys.pools):
        factor = kinds[name].form_factor
        if keys.form_factor == "2.5" and factor == "3.5":
            message = f"the drives of pool {name!r} ({kinds[name].model}) are 3.5 inches wide, its slots 2.5"
            hint = 'form_factor = "3.5" takes both, or choose another drive'
            found.problem("conflict", (*path, "pools", number), message, hint)
    needed = -(-total // keys.slots)
    enclosures = keys.count or needed
    if enclosures < needed:
        message = (
            f"{total} drives do not fit: {enclosures} of {keys.slots} slots hold {enclosures * keys.slots}"
        )
        hint = f"count = {needed}, or at most {enclosures * keys.slots} drives"
        found.problem("out-of-range", (*path, "count"), message, hint)
        return None
    mixes = fill(counts, keys.slots, enclosures, even=keys.fill == "even")
    if any(sum(mix) > keys.slots for mix in mixes):  # several pools, each with a remainder
        mixes = fill(counts, keys.slots, enclosures, even=False)
        found.notes.append(
            Note(
                code="filled-in-order",
                text=f"enclosure {keys.name!r}: its pools do not fit evenly; it is filled in order",
            )
        )
    return mixes
