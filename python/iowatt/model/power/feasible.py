"""Checks of an array's power between keys that are right one by one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from iowatt.base.problems import KeyPath
from iowatt.base.results import Note
from iowatt.model.power.components import PATH, ResolvedPower
from iowatt.model.power.keys import ArrayPower
from iowatt.model.power.part import CONTROLLERS, find_part
from iowatt.model.power.plan import ArrayPlan, Enclosure, Mix, PoolDrives


def controllers(
    keys: ArrayPower,
    enclosures: Sequence[Enclosure],
    kinds: Mapping[str, PoolDrives],
    resolved: ResolvedPower,
) -> None:
    """Report missing controllers, and drives beyond what they take."""
    inside = [part for enclosure in enclosures for part in enclosure.parts if part.kind in CONTROLLERS]
    if keys.controller == "none":
        if inside:
            message = f"the part {inside[0].name!r} is a controller"
            resolved.problem("conflict", (*PATH, "controller"), message, 'controller = "inside"')
        return
    if not inside:
        message = "there is no controller: no enclosure has a part of kind controller or processor-blade"
        hint = 'add a part with kind = "controller", or set controller = "none" for shelves behind a host'
        resolved.problem("missing", (*PATH, "enclosure"), message, hint)
        return
    for index, enclosure in enumerate(keys.enclosure):
        for number, part in enumerate(enclosure.part):
            file = find_part(part.model, resolved.base_dir) if part.model else None
            for name, widths in (("max_sff", ("2.5",)), ("max_lff", ("3.5",))):
                limit = getattr(part, name) or (getattr(file, name) if file else None)
                total = sum(kind.count for kind in kinds.values() if kind.form_factor in widths)
                if limit is not None and total > limit:
                    message = f"{total} drives of {widths[0]} inches are more than the {limit} that it takes"
                    place: KeyPath = (*PATH, "enclosure", index, "part", number)
                    resolved.problem(
                        "out-of-range", place, message, f"at most {limit}, or a larger controller"
                    )


def cache_boards(enclosures: Sequence[Enclosure], cache_bytes: int | None, resolved: ResolvedPower) -> None:
    """Report a controller cache that the boards of cache cannot hold."""
    boards = [
        (number, enclosure, part)
        for number, enclosure in enumerate(enclosures)
        for part in enclosure.parts
        if part.capacity_bytes is not None
    ]
    held = sum(
        enclosure.count * part.count * part.capacity_bytes
        for _, enclosure, part in boards
        if part.capacity_bytes is not None
    )
    if boards and cache_bytes is not None and cache_bytes > held:
        number, _, part = boards[0]
        message = (
            f"the boards of cache hold {held / 1e9:.4g} GB; the controller's cache is "
            f"{cache_bytes / 1e9:.4g} GB"
        )
        hint = f"more of {part.name!r}, or array.controller.cache.size of {held} B at most"
        resolved.problem("infeasible", (*PATH, "enclosure", number, "part"), message, hint)


def strong_enough(plan: ArrayPlan, resolved: ResolvedPower) -> None:
    """Report enclosures at work that overload their supplies once the redundant ones are lost."""
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
            hint = f"a rating of {math.ceil(worst / supplies.needed)} W or more, more supplies, or less in it"
            place: KeyPath = (*PATH, "enclosure", index, "supply", "rating")
            resolved.problem("infeasible", place, message, hint)


def enclosure_w(plan: ArrayPlan, enclosure: Enclosure, mix: Mix) -> float:
    """Output of the supplies of one enclosure at work, with fans at their failover speed."""
    of_drives = sum(
        number * (plan.drives[pool].operating_w or 0.0)
        for pool, number in zip(enclosure.pools, mix, strict=True)
    )
    return of_drives + sum(part.watts(1.0, "failover") for part in enclosure.parts if not part.at_wall)


def startable(plan: ArrayPlan, resolved: ResolvedPower) -> None:
    """Report starts of the drives that are impossible or whose watts are not known."""
    from iowatt.model.power import spin_up  # with numpy, which only an array with supplies needs

    unknown = spin_up.missing(plan)
    place: KeyPath = (*PATH, "spin_up")
    if unknown:
        drives = ", ".join(f"{pool} ({plan.drives[pool].model})" for pool in unknown)
        if plan.stagger is not None:
            time = "" if plan.stagger.interval_s is None else " and time"
            message = f"the start-up watts{time} of a drive are not known: {drives}"
            hint = 'device = { name = "...", power = { spin_up = "24W", spin_up_time = "15s" } } in the pool'
            resolved.problem("missing-figure", place, message, hint)
        else:
            resolved.notes.append(
                Note(
                    code="no-start-up-watts",
                    text=f"no power of a spin-up: the start-up watts of a drive are not known: {drives}",
                )
            )
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
        resolved.notes.append(
            Note(
                code="start-overload",
                text=f"{message}: switched on all at once they would be overloaded (array.power.spin_up)",
                decides=True,
            )
        )
    else:
        hint = f"at_once below {plan.stagger.at_once}, a longer interval, or a supply with more `peak`"
        resolved.problem("infeasible", (*place, "at_once"), message, hint)
