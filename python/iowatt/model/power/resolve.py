"""From the keys of an array's power to its plan: drives in enclosures, parts and supplies in numbers."""

from __future__ import annotations

from collections.abc import Mapping

from iowatt.base.problems import KeyPath, suggestion
from iowatt.base.results import Note
from iowatt.model.power import feasible
from iowatt.model.power.components import PATH, ResolvedPower, array_part, supplies
from iowatt.model.power.keys import ArrayPower, EnclosureKeys
from iowatt.model.power.plan import (
    BTU_FACTORS,
    ArrayPlan,
    Enclosure,
    Mix,
    PoolDrives,
    StaggeredStart,
    fill,
    runs,
)


def resolve_power(
    keys: ArrayPower,
    pools: Mapping[str, PoolDrives],
    resolved: ResolvedPower,
    cache_bytes: int | None = None,
) -> None:
    """Put the plan of an array with these ``pools`` into ``resolved``, or the problems that prevent it.

    ``cache_bytes``: the controller's cache, None without one.
    """
    _names(keys, pools, resolved)
    _placed(keys, pools, resolved)
    built = [_enclosure(enclosure, index, pools, resolved) for index, enclosure in enumerate(keys.enclosure)]
    enclosures = tuple(enclosure for enclosure in built if enclosure is not None)
    if resolved.problems or len(enclosures) != len(keys.enclosure):
        return
    feasible.controllers(keys, enclosures, pools, resolved)
    feasible.cache_boards(enclosures, cache_bytes, resolved)
    start = keys.spin_up
    plan = ArrayPlan(
        enclosures=enclosures,
        drives=pools,
        stagger=None
        if start is None
        else StaggeredStart(start.at_once, start.interval, start.per == "array"),
        pue=keys.pue,
        btu_per_wh=BTU_FACTORS[keys.btu_factor],
        btu_slip=keys.btu_factor == "p9500-slip",
    )
    feasible.strong_enough(plan, resolved)
    feasible.startable(plan, resolved)
    if not resolved.problems:
        resolved.plan = plan


def _names(keys: ArrayPower, pools: Mapping[str, PoolDrives], resolved: ResolvedPower) -> None:
    taken = dict.fromkeys(pools, "pool")
    for index, enclosure in enumerate(keys.enclosure):
        path: KeyPath = (*PATH, "enclosure", index)
        if enclosure.name in taken:
            message = f"the name {enclosure.name!r} is taken by another {taken[enclosure.name]}"
            resolved.problem("duplicate", (*path, "name"), message, "give each a name of its own")
        taken[enclosure.name] = "enclosure"
        parts: set[str] = {"supplies"}
        for number, part in enumerate(enclosure.part):
            if part.name in parts:
                message = f"the name {part.name!r} is taken in this enclosure"
                place: KeyPath = (*path, "part", number, "name")
                resolved.problem("duplicate", place, message, "give each a name of its own")
            parts.add(part.name)


def _placed(keys: ArrayPower, pools: Mapping[str, PoolDrives], resolved: ResolvedPower) -> None:
    """Report pools that are not in exactly one kind of enclosure."""
    holder: dict[str, str] = {}
    for index, enclosure in enumerate(keys.enclosure):
        for number, name in enumerate(enclosure.pools):
            path: KeyPath = (*PATH, "enclosure", index, "pools", number)
            if name not in pools:
                hint = suggestion(name, list(pools), "pools")
                resolved.problem("unknown-name", path, f"there is no pool {name!r}", hint)
            elif name in holder:
                message = f"the drives of pool {name!r} are already in {holder[name]!r}"
                resolved.problem("duplicate", path, message, "split the pool, or name it once")
            else:
                holder[name] = enclosure.name
    for name, pool in pools.items():
        if name not in holder and not resolved.problems:
            message = f"the {pool.count} drives of pool {name!r} are in no enclosure"
            hint = f'name it in an enclosure: slots = {min(pool.count, 24)}, pools = ["{name}"]'
            resolved.problem("missing", (*PATH, "enclosure"), message, hint)


def _enclosure(
    keys: EnclosureKeys, index: int, pools: Mapping[str, PoolDrives], resolved: ResolvedPower
) -> Enclosure | None:
    path: KeyPath = (*PATH, "enclosure", index)
    before = len(resolved.problems)
    mixes = _mixes(keys, path, pools, resolved)
    parts = [array_part(part, (*path, "part", number), resolved) for number, part in enumerate(keys.part)]
    group = None if keys.supply is None else supplies(keys.supply, (*path, "supply"), resolved)
    if keys.supply is None:
        resolved.notes.append(
            Note(
                code="no-supplies",
                text=f"enclosure {keys.name!r} has no supplies: its watts are taken as if at the wall",
            )
        )
    if len(resolved.problems) > before or mixes is None:
        return None
    return Enclosure(
        name=keys.name,
        pools=tuple(keys.pools),
        slots=keys.slots or 0,
        filling=runs(mixes),
        parts=tuple(part for part in parts if part is not None),
        supplies=group,
    )


def _mixes(
    keys: EnclosureKeys, path: KeyPath, pools: Mapping[str, PoolDrives], resolved: ResolvedPower
) -> list[Mix] | None:
    """The drives of each pool in each enclosure."""
    if any(name not in pools for name in keys.pools):
        return None
    counts = [pools[name].count for name in keys.pools]
    total = sum(counts)
    if not total:
        return [()] * (keys.count or 1)
    if keys.slots is None:
        message = f"the key `slots` is missing: how many of its {total} drives one enclosure takes"
        resolved.problem("missing", (*path, "slots"), message, "for example slots = 24")
        return None
    for number, name in enumerate(keys.pools):
        factor = pools[name].form_factor
        if keys.form_factor == "2.5" and factor == "3.5":
            message = f"the drives of pool {name!r} ({pools[name].model}) are 3.5 inches wide, its slots 2.5"
            hint = 'form_factor = "3.5" takes both, or choose another drive'
            resolved.problem("conflict", (*path, "pools", number), message, hint)
    needed = -(-total // keys.slots)
    enclosures = keys.count or needed
    if enclosures < needed:
        message = (
            f"{total} drives do not fit: {enclosures} of {keys.slots} slots hold {enclosures * keys.slots}"
        )
        hint = f"count = {needed}, or at most {enclosures * keys.slots} drives"
        resolved.problem("out-of-range", (*path, "count"), message, hint)
        return None
    mixes = fill(counts, keys.slots, enclosures, even=keys.fill == "even")
    if any(sum(mix) > keys.slots for mix in mixes):  # several pools, each with a remainder
        mixes = fill(counts, keys.slots, enclosures, even=False)
        resolved.notes.append(
            Note(
                code="filled-in-order",
                text=f"enclosure {keys.name!r}: its pools do not fit evenly; it is filled in order",
            )
        )
    return mixes
