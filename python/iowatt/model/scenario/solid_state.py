"""What a scenario may say about the SSDs of a pool, and what it must not say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from iowatt.base.problems import KeyPath, Problem, suggestion
from iowatt.model.library.ssd.drive import Ssd
from iowatt.model.library.ssd.figures import Behaviour, Traffic
from iowatt.model.scenario.keys.power import MultiSpeedPolicy, NeverPolicy, levels_needed
from iowatt.model.scenario.keys.ssd import SsdSettings

if TYPE_CHECKING:
    from iowatt.model.scenario.keys.array import Pool

Report = Callable[[Problem], None]

_OF_DISKS: Final = {
    "drive_scheduler": "an SSD serves its commands side by side; leave it out",
    "write_cache": 'its buffer is ssd = { write_buffer = "16MiB" }, or 0 for none',
    "phase": "an SSD has no spindle; leave it out",
}
_WATTS_OF_DISKS: Final = (
    "positioning", "standby", "spin_up", "spin_down", "spin_up_time", "spin_down_time", "level", "speeds",
)  # fmt: skip


def adapt(pool: Pool, drive: Ssd, path: KeyPath, report: Report) -> Ssd | None:
    """``drive`` as the scenario has it; None, and what is wrong reported, where that makes no sense."""
    if not isinstance(pool.power, NeverPolicy):
        drive = drive.kept_awake()
    found = [*_disk_keys(pool, path), *_watts(pool, drive, path)]
    settings = pool.ssd or SsdSettings()
    if settings.model == "flash" and drive.geometry is None:
        hint = 'leave it out, or give the flash in a device file with [flash], such as cell = "tlc"'
        found.append(
            Problem("missing-figure", (*path, "ssd", "model"), f"{drive.name!r}: {drive.why_sheet}", hint)
        )
    elif settings.model == "data-sheet" and drive.geometry is not None:
        drive = drive.by_data_sheet()
    if drive.geometry is None:
        found += [
            Problem(
                "not-applicable",
                (*path, "ssd", name),
                f"{drive.name!r} is simulated by its data sheet, which does not describe this",
            )
            for name in ("over_provisioning", "write_buffer", "gc", "wear_levelling", "initial")
            if name in settings.model_fields_set
        ]
    if settings.over_provisioning is not None:
        drive = drive.provisioned(settings.over_provisioning)
    if settings.write_buffer is not None:
        drive = replace(drive, buffer_bytes=settings.write_buffer)
    cap = _cap(settings, drive, path, found)
    initial = settings.initial
    if initial.state == "fresh":
        hint = 'leave it out, or say state = "steady"'
        found += [
            Problem(
                "not-applicable",
                (*path, "ssd", "initial", name),
                "a fresh drive has no history and holds no data",
                hint,
            )
            for name in ("fill", "traffic", "run")
            if name in initial.model_fields_set
        ]
    if initial.run is not None and drive.geometry and initial.run % drive.geometry.mapping_bytes:
        message = (
            f"{initial.run} bytes are not a multiple of the mapping unit, {drive.geometry.mapping_bytes}"
        )
        found.append(Problem("not-accepted", (*path, "ssd", "initial", "run"), message))
    behaviour = Behaviour(
        gc=settings.gc.policy,
        hot_cold=settings.gc.hot_cold,
        wear_levelling=settings.wear_levelling,
        steady=initial.state == "steady",
        fill=initial.fill,
        traffic=tuple(Traffic(part.space, part.writes) for part in initial.traffic),
        run_bytes=initial.run,
        cap_w=cap,
    )
    drive = replace(drive, behaviour=behaviour)
    wrong = drive.problem()
    if wrong is not None:
        found.append(Problem("conflict", (*path, "device"), f"{drive.name!r}: {wrong}"))
    for problem in found:
        report(problem)
    return None if found else drive


def only_for_ssds(pool: Pool, name: str, path: KeyPath) -> Iterator[Problem]:
    """What a pool of disks must not have."""
    if pool.ssd is not None:
        yield Problem(
            "not-applicable", (*path, "ssd"), f"{name!r} is a disk, which has no flash", "leave the key out"
        )
    if pool.device.power is not None and pool.device.power.active_idle is not None:
        message = f"{name!r} is a disk: it draws `idle` whether it works or not"
        yield Problem("not-applicable", (*path, "device", "power", "active_idle"), message, "leave it out")
    if pool.device.power is not None and pool.device.power.state:
        message = f"{name!r} is a disk, which has no NVMe power states"
        yield Problem(
            "not-applicable", (*path, "device", "power", "state"), message, "a disk has power.level"
        )


def _disk_keys(pool: Pool, path: KeyPath) -> Iterator[Problem]:
    for name, hint in _OF_DISKS.items():
        if name in pool.model_fields_set and getattr(pool, name) is not None:
            yield Problem("not-applicable", (*path, name), f"{pool.device.name!r} is an SSD", hint)
    if pool.device.rpm is not None:
        yield Problem(
            "not-applicable", (*path, "device", "rpm"), f"{pool.device.name!r} is an SSD: it has no spindle"
        )
    if "scheduler" in pool.model_fields_set and pool.scheduler != "fcfs":
        message = f"{pool.device.name!r} is an SSD: it has no seek distances"
        yield Problem("not-applicable", (*path, "scheduler"), message, 'leave it out, or "fcfs"')
    if isinstance(pool.power, MultiSpeedPolicy):
        message = f"{pool.device.name!r} is an SSD: it has no speeds"
        yield Problem(
            "not-applicable", (*path, "power", "policy"), message, "multi-level goes from state to state"
        )
    if getattr(pool.power, "stagger", None) is not None:
        yield Problem(
            "not-applicable",
            (*path, "power", "stagger"),
            f"{pool.device.name!r} is an SSD: it does not spin up",
        )
    given = pool.device.power
    for name in _WATTS_OF_DISKS:
        if given is not None and name in given.model_fields_set and getattr(given, name):
            hint = "an SSD has active, idle and state (power states of NVMe)"
            yield Problem(
                "not-applicable", (*path, "device", "power", name), f"{pool.device.name!r} is an SSD", hint
            )


def _watts(pool: Pool, drive: Ssd, path: KeyPath) -> Iterator[Problem]:
    """The levels that the policy uses."""
    usable, had = drive.ladder.names, drive.levels
    if isinstance(pool.power, NeverPolicy | MultiSpeedPolicy):
        return
    if not had:
        message = (
            f"the policy {pool.power.policy!r} needs a power state below idling, and {drive.name!r} has none"
        )
        state = (
            'name = "ps3", power = "50mW", operational = false, enter_latency = "2ms", exit_latency = "1ms"'
        )
        hint = f"give it one: device = {{ power = {{ state = [{{ {state} }}] }} }}"
        yield Problem("missing-figure", (*path, "power"), message, hint)
        return
    for name in levels_needed(pool.power):
        if name in had and name not in usable:
            message = f"state {name!r} of {drive.name!r} draws more than idling ({drive.power.idle:g} W)"
            yield Problem("out-of-range", (*path, "power"), message)
        elif name not in had:
            message = f"{drive.name!r} has no power level {name!r}"
            hint = f"it has {', '.join(had)}; say which with `to`, or with `timers`"
            yield Problem("unknown-name", (*path, "power"), message, hint)


def _cap(settings: SsdSettings, drive: Ssd, path: KeyPath, found: list[Problem]) -> float | None:
    """Watts that the drive must not exceed."""
    place: KeyPath = (*path, "ssd", "power_cap")
    cap = settings.power_cap
    if settings.power_state is not None:
        place = (*path, "ssd", "power_state")
        if cap is not None:
            found.append(
                Problem("conflict", place, "both `power_state` and `power_cap` are given", "keep one")
            )
        state, names = drive.states.get(settings.power_state), list(drive.states)
        if state is None:
            message = f"{drive.name!r} has no power state {settings.power_state!r}"
            hint = 'give the watts, such as power_cap = "12W", or leave it out'
            if names:
                hint = suggestion(settings.power_state, names, "states")
            found.append(Problem("unknown-name", place, message, hint))
            return None
        if not state.operational:
            message = f"{state.name!r} of {drive.name!r} serves no commands"
            hint = 'a policy goes there while it idles: power = { policy = "fixed-threshold", ... }'
            found.append(Problem("not-applicable", place, message, hint))
            return None
        cap = state.power
    awake = drive.awake_w
    if cap is not None and awake is not None and cap <= awake:
        message = f"a cap of {cap:g} W leaves no power for work: the drive draws {awake:g} W without work"
        found.append(Problem("out-of-range", place, message))
    return cap
