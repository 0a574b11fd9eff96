"""What a scenario may say about the SSDs of a pool, and what it must not say."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from iowatt.base.problems import Reporter, suggestion
from iowatt.model.library.ssd import Behaviour, Ssd, Traffic
from iowatt.model.scenario.keys.power import MultiSpeedPolicy, NeverPolicy, levels_needed
from iowatt.model.scenario.keys.ssd import SsdSettings

if TYPE_CHECKING:
    from iowatt.model.scenario.keys.array import Pool

_OF_DISKS: Final = {
    "drive_scheduler": "an SSD serves its commands side by side; leave it out",
    "scheduler_deadline": "an SSD takes its commands first come, first served; leave it out",
    "drive_deadline": "an SSD serves its commands side by side; leave it out",
    "write_cache": 'its buffer is ssd = { write_buffer = "16MiB" }, or 0 for none',
    "read_ahead": "an SSD is not simulated with read-ahead; leave it out",
    "phase": "an SSD has no spindle; leave it out",
}
_WATTS_OF_DISKS: Final = (
    "positioning", "standby", "spin_up", "spin_down", "spin_up_time", "spin_down_time", "level", "speeds",
)  # fmt: skip


def adapt(pool: Pool, drive: Ssd, report: Reporter) -> Ssd | None:
    """``drive`` with the keys of the pool; None where they contradict it, which is reported."""
    if not isinstance(pool.power, NeverPolicy):
        drive = drive.kept_awake()
    before = len(report.problems)
    _disk_keys(pool, report)
    _watts(pool, drive, report)
    settings = pool.ssd or SsdSettings()
    if settings.model == "flash" and drive.geometry is None:
        hint = 'leave it out, or give the flash in a device file with [flash], such as cell = "tlc"'
        report("missing-figure", "ssd.model", f"{drive.name!r}: {drive.why_sheet}", hint)
    elif settings.model == "data-sheet" and drive.geometry is not None:
        drive = drive.by_data_sheet()
    if drive.geometry is None:
        for name in ("over_provisioning", "write_buffer", "gc", "wear_levelling", "initial"):
            if name in settings.model_fields_set:
                message = f"{drive.name!r} is simulated by its data sheet, which does not describe this"
                report("not-applicable", f"ssd.{name}", message)
    if drive.zones:
        _refuse_of_maps(settings, drive, report)
    if settings.over_provisioning is not None:
        drive = drive.provisioned(settings.over_provisioning)
    if settings.write_buffer is not None:
        drive = replace(drive, buffer_bytes=settings.write_buffer)
    cap = _cap(settings, drive, report.at("ssd"))
    _initial(settings, drive, report.at("ssd.initial"))
    initial = settings.initial
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
        report("conflict", "device", f"{drive.name!r}: {wrong}")
    return drive if len(report.problems) == before else None


def _refuse_of_maps(settings: SsdSettings, drive: Ssd, report: Reporter) -> None:
    """Report keys of a translation layer, which a zoned drive does not have."""
    for name in ("model", "over_provisioning", "gc", "wear_levelling"):
        if name in settings.model_fields_set:
            message = f"{drive.name!r} has zones: its host maps and cleans, not the drive"
            report("not-applicable", f"ssd.{name}", message, "leave it out; the virtual pool has `cleaning`")
    for name in ("traffic", "run"):
        if name in settings.initial.model_fields_set:
            message = f"{drive.name!r} has zones, which are written in order"
            report("not-applicable", f"ssd.initial.{name}", message, "leave it out")


def _initial(settings: SsdSettings, drive: Ssd, report: Reporter) -> None:
    """Report keys of the initial state that have no meaning for the drive."""
    initial = settings.initial
    if initial.state == "fresh":
        for name in ("fill", "traffic", "run"):
            if name in initial.model_fields_set:
                message = "a fresh drive has no history and holds no data"
                report("not-applicable", name, message, 'leave it out, or say state = "steady"')
    if initial.run is not None and drive.geometry and initial.run % drive.geometry.mapping_bytes:
        unit = drive.geometry.mapping_bytes
        message = f"{initial.run} bytes are not a multiple of the mapping unit, {unit}"
        report("not-accepted", "run", message)


def refuse_ssd_keys(pool: Pool, name: str, report: Reporter) -> None:
    """Report keys of SSDs in a pool of disks; ``name`` is the disk's."""
    if pool.ssd is not None:
        report("not-applicable", "ssd", f"{name!r} is a disk, which has no flash", "leave the key out")
    if pool.device.power is not None and pool.device.power.active_idle is not None:
        message = f"{name!r} is a disk: it draws `idle` whether it works or not"
        report("not-applicable", "device.power.active_idle", message, "leave it out")
    if pool.device.power is not None and pool.device.power.state:
        message = f"{name!r} is a disk, which has no NVMe power states"
        report("not-applicable", "device.power.state", message, "a disk has power.level")


def _disk_keys(pool: Pool, report: Reporter) -> None:
    for name, hint in _OF_DISKS.items():
        if name in pool.model_fields_set and getattr(pool, name) is not None:
            report("not-applicable", name, f"{pool.device.name!r} is an SSD", hint)
    if pool.device.rpm is not None:
        report("not-applicable", "device.rpm", f"{pool.device.name!r} is an SSD: it has no spindle")
    if "scheduler" in pool.model_fields_set and pool.scheduler != "fcfs":
        message = f"{pool.device.name!r} is an SSD: it has no seek distances"
        report("not-applicable", "scheduler", message, 'leave it out, or "fcfs"')
    if isinstance(pool.power, MultiSpeedPolicy):
        message = f"{pool.device.name!r} is an SSD: it has no speeds"
        report("not-applicable", "power.policy", message, "multi-level goes from state to state")
    if getattr(pool.power, "stagger", None) is not None:
        report("not-applicable", "power.stagger", f"{pool.device.name!r} is an SSD: it does not spin up")
    given = pool.device.power
    for name in _WATTS_OF_DISKS:
        if given is not None and name in given.model_fields_set and getattr(given, name):
            hint = "an SSD has active, idle and state (power states of NVMe)"
            report("not-applicable", f"device.power.{name}", f"{pool.device.name!r} is an SSD", hint)


def _watts(pool: Pool, drive: Ssd, report: Reporter) -> None:
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
        report("missing-figure", "power", message, hint)
        return
    for name in levels_needed(pool.power):
        if name in had and name not in usable:
            message = f"state {name!r} of {drive.name!r} draws more than idling ({drive.power.idle:g} W)"
            report("out-of-range", "power", message)
        elif name not in had:
            message = f"{drive.name!r} has no power level {name!r}"
            hint = f"it has {', '.join(had)}; say which with `to`, or with `timers`"
            report("unknown-name", "power", message, hint)


def _cap(settings: SsdSettings, drive: Ssd, report: Reporter) -> float | None:
    """Watts that the drive must not exceed."""
    cap, key = settings.power_cap, "power_cap"
    if settings.power_state is not None:
        key = "power_state"
        if cap is not None:
            report("conflict", key, "both `power_state` and `power_cap` are given", "keep one")
        state = drive.states.get(settings.power_state)
        if state is None:
            message = f"{drive.name!r} has no power state {settings.power_state!r}"
            hint = 'give the watts, such as power_cap = "12W", or leave it out'
            if drive.states:
                hint = suggestion(settings.power_state, list(drive.states), "states")
            report("unknown-name", key, message, hint)
            return None
        if not state.operational:
            message = f"{state.name!r} of {drive.name!r} serves no commands"
            hint = 'a policy goes there while it idles: power = { policy = "fixed-threshold", ... }'
            report("not-applicable", key, message, hint)
            return None
        cap = state.power
    awake = drive.awake_w
    if cap is not None and awake is not None and cap <= awake:
        message = f"a cap of {cap:g} W leaves no power for work: the drive draws {awake:g} W without work"
        report("out-of-range", key, message)
    return cap
