"""The power calculator: watts of an array idle and active, in normal, redundant and failover operation.

normal: the supplies share the load as the scenario sets it. redundant: all of them carry it equally.
failover: the redundant ones are lost (half the supplies with N+N: one feed), the needed ones carry all of it,
and fans run at their failover speed; an enclosure without redundant supplies stays as in normal operation.
Active: every drive at its operating watts, every part at its active watts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from iowatt.base.results import Note
from iowatt.model.library import stand_ins
from iowatt.model.power.efficiency import MODES, Mode, Supplies
from iowatt.model.power.plan import ArrayPart, ArrayPlan, Enclosure, Mix, tons
from iowatt.model.power.result import (
    ACTIVITIES,
    Activity,
    CalculatedPower,
    ComponentPower,
    DriveStart,
    EnclosureKind,
    PartFailure,
    PowerTotal,
    Supply,
    SupplyState,
)
from iowatt.model.power.spin_up import SpinUp, spin_up


def calculate(plan: ArrayPlan, name: str, notes: Sequence[Note] = ()) -> CalculatedPower:
    """The array's power in every mode; ``notes`` are those of its plan."""
    modes = {mode: {how: total(plan, mode, how) for how in ACTIVITIES} for mode in MODES}
    raw_gb = sum(kind.raw_bytes for kind in plan.drives.values()) / 1e9
    idle_w = modes["normal"]["idle"].wall_w
    return CalculatedPower(
        name=name,
        drives=sum(kind.count for kind in plan.drives.values()),
        raw_gb=raw_gb,
        raw_gb_per_w=raw_gb / idle_w if idle_w > 0 else None,
        pue=plan.pue,
        btu_per_wh=plan.btu_per_wh,
        modes=modes,
        components=component_watts(plan),
        failures=part_failures(plan),
        enclosures=[_enclosure(plan, enclosure) for enclosure in plan.enclosures],
        spin_up=_spin_up(plan),
        notes=[*notes, *_notes(plan)],
        sources=plan.sources(),
    )


def total(plan: ArrayPlan, mode: Mode, how: Activity) -> PowerTotal:
    """The whole array in one mode and activity."""
    output = drawn = 0.0
    va: float | None = 0.0
    for enclosure in plan.enclosures:
        dc, wall = enclosure_watts(plan, enclosure, mode, how)
        output, drawn = output + dc, drawn + wall
        factor = None if enclosure.supplies is None else enclosure.supplies.power_factor
        va = None if va is None or (factor is None and wall > 0) else va + wall / (factor or 1.0)
    return PowerTotal(
        wall_w=drawn,
        loss_w=drawn - output,
        va=va,
        btu_per_h=drawn * plan.btu_per_wh,
        tons=tons(drawn),
        facility_w=None if plan.pue is None else drawn * plan.pue,
    )


def enclosure_watts(plan: ArrayPlan, enclosure: Enclosure, mode: Mode, how: Activity) -> tuple[float, float]:
    """Watts of all enclosures of a kind: of their contents, and at the wall."""
    inside = drawn = 0.0
    for number, mix in enclosure.filling:
        fed, direct, wall = _one(plan, enclosure, mix, mode, how)
        inside += number * (fed + direct)
        drawn += number * (wall + direct)
    return inside, drawn


def _one(
    plan: ArrayPlan, enclosure: Enclosure, mix: Mix, mode: Mode, how: Activity
) -> tuple[float, float, float]:
    """Watts of one: output of its supplies, parts known at the wall, input of its supplies."""
    mode = enclosure.mode(mode)
    fed = sum(number * drive_w(plan, pool, how) for pool, number in zip(enclosure.pools, mix, strict=True))
    fed += sum(part_w(part, mode, how) for part in enclosure.parts if not part.at_wall)
    direct = sum(part_w(part, mode, how) for part in enclosure.parts if part.at_wall)
    supplies = enclosure.supplies
    return fed, direct, fed if supplies is None else float(supplies.input_w(fed, mode))


def drive_w(plan: ArrayPlan, pool: str, how: Activity) -> float:
    """Watts of one drive."""
    kind = plan.drives[pool]
    return (kind.idle_w if how == "idle" else kind.operating_w) or 0.0


def part_w(part: ArrayPart, mode: Mode, how: Activity) -> float:
    """Watts of the like parts of one enclosure."""
    if how == "active" and part.law in ("constant", "charging"):
        return part.count * part.active_w
    return part.watts(0.0 if how == "idle" else 1.0, mode)


def component_watts(plan: ArrayPlan) -> list[ComponentPower]:
    """Each pool's drives, each part and each enclosure's supply losses, with their watts."""
    rows = []
    for enclosure in plan.enclosures:
        for at, pool in enumerate(enclosure.pools):
            number = sum(times * mix[at] for times, mix in enclosure.filling)
            drawn = {how: number * drive_w(plan, pool, how) for how in ACTIVITIES}
            watts = dict.fromkeys(MODES, drawn)
            model = plan.drives[pool].model
            rows.append(
                ComponentPower(
                    name=pool, kind="drives", enclosure=enclosure.name, count=number, what=model, basis="dc",
                    watts=watts,
                )
            )  # fmt: skip
        for part in enclosure.parts:
            rows.append(
                ComponentPower(
                    name=enclosure.component(part), kind=part.kind, enclosure=enclosure.name,
                    count=enclosure.count * part.count, what=part.law, basis="wall" if part.at_wall else "dc",
                    watts={
                        mode: {
                            how: enclosure.count * part_w(part, enclosure.mode(mode), how)
                            for how in ACTIVITIES
                        }
                        for mode in MODES
                    },
                )
            )  # fmt: skip
        if enclosure.supplies is not None:
            losses: dict[Mode, dict[Activity, float]] = {}
            for mode in MODES:
                both = {how: enclosure_watts(plan, enclosure, mode, how) for how in ACTIVITIES}
                losses[mode] = {how: drawn - inside for how, (inside, drawn) in both.items()}
            rows.append(
                ComponentPower(
                    name=f"{enclosure.name}.supplies", kind="supply loss", enclosure=enclosure.name,
                    count=enclosure.count * enclosure.supplies.count, what=enclosure.supplies.efficiency,
                    basis="wall", watts=losses,
                )
            )  # fmt: skip
    return rows


def part_failures(plan: ArrayPlan) -> list[PartFailure]:
    """The array's power while one of each part that has a spare has failed, one part at a time."""
    found = []
    for at, enclosure in enumerate(plan.enclosures):
        for part in enclosure.parts:
            if part.needed is None or part.needed >= part.count:
                continue
            enclosures = [*plan.enclosures[:at], *_without(enclosure, part), *plan.enclosures[at + 1 :]]
            degraded = replace(plan, enclosures=tuple(enclosures))
            found.append(
                PartFailure(
                    component=enclosure.component(part), kind=part.kind, count=part.count, needed=part.needed,
                    total={how: total(degraded, "normal", how) for how in ACTIVITIES},
                )
            )  # fmt: skip
    return found


def _without(enclosure: Enclosure, lost: ArrayPart) -> list[Enclosure]:
    """The enclosures of a kind, the first of which has one part less and its fans at their failover speed."""
    parts = tuple(
        replace(part, count=part.count - 1)
        if part is lost
        else replace(part, speed=1.0 if part.failover_speed is None else part.failover_speed)
        if part.law == "speed-cubed"
        else part
        for part in enclosure.parts
    )
    (number, mix), *others = enclosure.filling
    left = ((number - 1, mix), *others) if number > 1 else tuple(others)
    first = replace(enclosure, filling=((1, mix),), parts=parts)
    return [first, replace(enclosure, filling=left)] if left else [first]


def _enclosure(plan: ArrayPlan, enclosure: Enclosure) -> EnclosureKind:
    supplies = enclosure.supplies
    return EnclosureKind(
        name=enclosure.name,
        count=enclosure.count,
        slots=enclosure.slots * enclosure.count,
        drives=enclosure.drives,
        supply=None if supplies is None else _supply(plan, enclosure, supplies),
    )


def _supply(plan: ArrayPlan, enclosure: Enclosure, supplies: Supplies) -> Supply:
    """The supplies of an enclosure kind, at work in the fullest enclosure."""
    fullest = max(
        (mix for _, mix in enclosure.filling), key=lambda mix: _one(plan, enclosure, mix, "normal", "active")
    )

    def state(mode: Mode, how: Activity) -> SupplyState:
        fed, _, wall = _one(plan, enclosure, fullest, mode, how)
        return SupplyState(
            output_w=fed,
            load=float(supplies.load(fed, mode)),
            efficiency=fed / wall if wall > 0 else None,
        )

    return Supply(
        rating_w=supplies.rating_w,
        count=supplies.count,
        needed=supplies.needed,
        sharing="active-standby" if supplies.active_standby else "load-sharing",
        efficiency=supplies.efficiency,
        points=list(supplies.points),
        power_factor=supplies.power_factor,
        fullest={mode: {how: state(mode, how) for how in ACTIVITIES} for mode in MODES},
    )


def _spin_up(plan: ArrayPlan) -> DriveStart | None:
    start = spin_up(plan)
    if start is None:
        return None
    at_once = start if plan.stagger is None else spin_up(plan, staggered=False)
    assert at_once is not None
    return DriveStart(
        peak_w=start.peak_w,
        at_once_peak_w=at_once.peak_w,
        peak_va=_volt_amperes(plan, start),
        duration_s=float(start.at[-1]) if start.timed else None,
        steps=start.points(),
        at_once=None if plan.stagger is None else plan.stagger.at_once,
        scope=None if plan.stagger is None else "array" if plan.stagger.per_array else "enclosure",
    )


def _volt_amperes(plan: ArrayPlan, start: SpinUp) -> float | None:
    """VA at the lowest power factor of the array."""
    factors = [e.supplies.power_factor if e.supplies else None for e in plan.enclosures]
    known = [factor for factor in factors if factor is not None]
    return start.peak_w / min(known) if len(known) == len(factors) else None


def _notes(plan: ArrayPlan) -> list[Note]:
    notes = [
        Note(
            code="meaning-of-active",
            text="Active means that every drive draws its operating watts (random reads, where known) and "
            "every part its active watts.",
        )
    ]
    if plan.btu_slip:
        notes.append(
            Note(
                code="btu-slip",
                text="BTU/h are watts x 3.14, the slip of a published calculator, not x 3.412142: 8 % too "
                "low.",
                decides=True,
            )
        )
    assumed = stand_ins(plan.sources())
    if assumed:
        notes.append(
            Note(
                code="stand-in-parts",
                text=f"Stand-ins, whose watts nobody published: {', '.join(assumed)}.",
                decides=True,
            )
        )
    if any(part.at_wall for _, part in plan.parts):
        notes.append(
            Note(
                code="parts-at-wall",
                text="Some watts were published or measured at the wall; no supply loss is added to them.",
            )
        )
    if any(enclosure.supplies for enclosure in plan.enclosures):
        notes.append(
            Note(
                code="certificate-minimum",
                text="A certificate states the lowest efficiency; a supply that has it is at least as good.",
            )
        )
    return notes
