"""The pools of a scenario with their drives: keys checked against the drive, capacities computed."""

from __future__ import annotations

from pathlib import Path

from iowatt.base.errors import InputError
from iowatt.base.problems import Reporter
from iowatt.base.results import Note
from iowatt.base.units import format_bytes
from iowatt.model import raid
from iowatt.model.library import Disk, assumed, find_device, stand_ins
from iowatt.model.library.ssd import Ssd
from iowatt.model.scenario import solid_state, survival
from iowatt.model.scenario.code_keys import check_code
from iowatt.model.scenario.keys.array import DeviceChoice, Pool
from iowatt.model.scenario.keys.power import NeverPolicy
from iowatt.model.scenario.log_keys import check_log_keys, parity_log
from iowatt.model.scenario.placing import adaptive, chunklet_allocator
from iowatt.model.scenario.pool_power import check_levels, check_timers, refuse_missing
from iowatt.model.scenario.raid_keys import check_raid_keys
from iowatt.model.scenario.resolved import ResolvedPool, ResolvedSystem
from iowatt.model.scenario.zones import check_redundancy


def resolve_pool(
    pool: Pool, report: Reporter, base_dir: Path, system: ResolvedSystem, *, wall_power: bool
) -> None:
    """Append a pool to ``system.pools``, or report what is wrong with it.

    ``wall_power``: the array's power is to be calculated, for which drives need watts.
    """
    _redundancy(pool, report, system)
    check_raid_keys(pool, report, system)
    check_log_keys(pool, report, system)
    adapted = resolve_drive(pool, report, base_dir, system, wall_power=wall_power)
    if adapted is None:
        return
    if pool.chunklet is None:
        joined = _joined(pool, adapted, report, system)
        if check_redundancy(pool, joined, report):
            system.pools.append(joined)
    elif (
        chunklets := chunklet_allocator(pool, adapted, report)
    ) is not None and chunklets.default is not None:
        adapted = adaptive(pool, adapted, chunklets, system)
        kind = chunklets.default
        divided = ResolvedPool(
            pool, adapted, kind.level, kind.raid.stripe_unit, chunklets.whole_bytes, chunklets
        )
        if check_redundancy(pool, divided, report):
            system.pools.append(divided)


def resolve_drive(
    pool: Pool, report: Reporter, base_dir: Path, system: ResolvedSystem, *, wall_power: bool
) -> Disk | Ssd | None:
    """The drive of a pool with what its keys change, or report what is wrong with it.

    ``wall_power``: the system's power is to be calculated, for which drives need watts.
    """
    drive = _drive(pool.device, base_dir, report.at("device"))
    if drive is None or (drive.missing_watts and not _time_only(pool, drive, report, system, wall_power)):
        return None
    adapted = _ssd(pool, drive, report) if isinstance(drive, Ssd) else _disk(pool, drive, report)
    if adapted is not None:
        _queues(pool, adapted, report, system)
    return adapted


def note_drives(system: ResolvedSystem) -> None:
    """Add what must be known of the drives' figures, each note once, and of large sectors."""
    for resolved in system.pools:
        notes = [Note(code=_code(text), text=text) for text in resolved.drive.notes]
        system.notes.extend(note for note in notes if note not in system.notes)
        if isinstance(resolved.drive, Disk) and resolved.drive.sector_bytes > 512:
            text = (
                f"pool {resolved.pool.name!r}: requests are rounded out to whole sectors of "
                f"{resolved.drive.sector_bytes} bytes; a write of part of a sector costs no "
                "read-modify-write in the drive"
            )
            system.note("whole-sectors", text)


def _code(text: str) -> str:
    if stand_ins([text]):
        return "stand-in"
    return "assumed-figures" if assumed([text]) else "drive"


def _redundancy(pool: Pool, report: Reporter, system: ResolvedSystem) -> None:
    """Check how the drives are joined, without looking at the drive."""
    level = None if pool.raid is None else pool.raid.level
    if pool.chunklet is not None:
        survival.check_chunklets(pool, report)
    else:
        if level is None and pool.count > 1:
            message = f"{pool.count} drives need the key `raid` to say how they are joined"
            hint = (
                'for example raid = { level = 5, stripe_unit = "64KiB" }; level 0 stripes without redundancy'
            )
            report("missing", "count", message, hint)
        if pool.raid is not None and pool.raid.set_size is not None:
            message = "RAID sets consist of chunklets, and the pool has none"
            hint = 'leave it out, or give chunklet = "256MiB"'
            report("not-applicable", "raid.set_size", message, hint)
        if pool.raid is not None and not check_code(pool.raid, report.at("raid")):
            return
        code = None if pool.raid is None else pool.raid.code
        wrong_count = None if level is None else raid.count_problem(level, pool.count, code)
        if wrong_count:
            report("out-of-range", "count", *wrong_count)
        else:
            survival.check(pool, report)
    if pool.raid is not None:
        sets = pool.raid.set_size or 0
        width, key = (pool.count, "count") if pool.chunklet is None else (sets, "raid.set_size")
        if (warning := raid.width_warning(pool.raid.level, width)) is not None:
            Reporter(report.path, system.warnings)("out-of-range", key, warning)


def _joined(pool: Pool, drive: Disk | Ssd, report: Reporter, system: ResolvedSystem) -> ResolvedPool:
    """The pool of whole drives."""
    # Without raid the one drive is one stripe unit, so that no request is ever split.
    level: raid.Level
    level, unit = (0, drive.raw_bytes) if pool.raid is None else (pool.raid.level, pool.raid.stripe_unit)
    code = None if pool.raid is None else pool.raid.code
    if level == raid.EC and code is None:
        return ResolvedPool(pool, drive, level, unit, 0)  # reported already
    if unit % drive.sector_bytes:
        message = f"{unit} bytes are not a multiple of the drive's sector, {drive.sector_bytes} bytes"
        report("not-accepted", "raid.stripe_unit", message, f"use a multiple of {drive.sector_bytes}")
    log = parity_log(pool, drive.raw_bytes, report, system)
    logged = 0 if log is None else log.drive_bytes
    usable = raid.usable_bytes(level, pool.count, unit, drive.raw_bytes, code, log_bytes=logged)
    if usable <= 0 and pool.raid is not None and raid.count_problem(level, pool.count, code) is None:
        message = f"{unit} bytes are more than a drive has ({format_bytes(drive.raw_bytes)})"
        report("out-of-range", "raid.stripe_unit", message)
    return ResolvedPool(pool, drive, level, unit, usable, parity_log=log)


def _time_only(
    pool: Pool, drive: Disk | Ssd, report: Reporter, system: ResolvedSystem, wall_power: bool
) -> bool:
    """Whether the pool can be simulated without the watts that ``drive`` lacks; else they are a problem."""
    settings = pool.ssd
    reason = None
    if not isinstance(pool.power, NeverPolicy):
        reason = f"the policy {pool.power.policy!r} needs"
    elif wall_power:
        reason = "the array's power ([array.power]) needs"
    elif settings is not None and (settings.power_cap is not None or settings.power_state is not None):
        reason = "a power cap needs"
    if reason is not None:
        refuse_missing(pool, drive, reason, drive.missing_watts, report)
        return False
    lacking = ", ".join(f"power.{name}" for name in drive.missing_watts)
    text = (
        f"pool {pool.name!r}: {drive.name!r} has no {lacking}, so it is simulated for time only: its energy "
        "and every total that includes it are null"
    )
    system.note("time-only", text, decides=True)
    return True


def _disk(pool: Pool, drive: Disk, report: Reporter) -> Disk | None:
    solid_state.refuse_ssd_keys(pool, drive.name, report)
    if drive.is_special and any(level["serves_at"] for level in drive.ladder.plan["below"]):
        message = (
            f"{drive.name!r} has two actuators or overlapping tracks, which are simulated at full speed only"
        )
        report("unsupported", "device.power.speeds", message, "leave out the speeds at which it serves")
        return None
    settings = (
        ("write_cache", pool.write_cache, Disk.with_write_cache),
        ("read_ahead", pool.read_ahead, Disk.with_read_ahead),
    )
    for name, on, turned in settings:
        if on is None:
            continue
        try:
            drive = turned(drive, on)
        except ValueError as error:
            hint = f'describe it in a device file with based_on = "{drive.name}" and segments in [buffer]'
            report("missing-figure", name, str(error), hint)
            return None
    check_levels(pool, drive, report)
    return drive


def _ssd(pool: Pool, drive: Ssd, report: Reporter) -> Ssd | None:
    adapted = solid_state.adapt(pool, drive, report)
    if adapted is not None:
        check_timers(pool, adapted, report)
    return adapted


def _drive(choice: DeviceChoice, base_dir: Path, report: Reporter) -> Disk | Ssd | None:
    """The drive of the library or of a file, with the figures that the scenario changes."""
    try:
        drive = find_device(choice.name, base_dir, choice.drive)
    except InputError as error:
        message = f"{error.place}: {error.message}" if error.place else error.message
        report(error.code, "", message, error.hint)
        return None
    key = "rpm"
    try:
        if choice.rpm is not None and isinstance(drive, Disk):  # solid_state refuses it for SSDs
            drive = drive.at_rpm(choice.rpm)
        key = "capacity"
        if choice.capacity is not None:
            drive = drive.short_stroked(choice.capacity)
    except ValueError as error:
        report("out-of-range", key, str(error))
        return None
    return drive if choice.power is None else drive.with_power(choice.power)


def _deadlines(pool: Pool, depth: int, report: Reporter) -> None:
    """Refuse deadlines of queues whose order they could not change."""
    if pool.scheduler_deadline is not None and pool.scheduler == "fcfs":
        message = "with fcfs the request that has waited longest comes first anyway"
        report("not-applicable", "scheduler_deadline", message, 'leave it out, or scheduler = "look"')
    if pool.drive_deadline is not None and depth == 1:
        message = "with queue_depth = 1 the drive has no choice"
        report("not-applicable", "drive_deadline", message, "leave it out, or queue_depth = 32")


def _queues(pool: Pool, drive: Disk | Ssd, report: Reporter, system: ResolvedSystem) -> None:
    """Check the queue depth and the schedulers against what the host and the drive can know."""
    most, depth = drive.command_queue.depth, pool.queue_depth or 1
    if most is not None and depth > most:
        message = f"{drive.name!r} holds at most {most} commands, not {depth}"
        report("out-of-range", "queue_depth", message, f"at most {most}")
    if isinstance(drive, Ssd):
        return
    if depth > 1 and pool.scheduler in ("sptf", "spctf"):
        message = f"with queue_depth = {depth} the host does not know where the head will be"
        hint = f'leave it to the drive: scheduler = "fcfs", drive_scheduler = "{pool.scheduler}"'
        report("conflict", "scheduler", message, hint)
    if depth == 1 and pool.drive_scheduler is not None:
        text = (
            f"pool {pool.name!r}: drive_scheduler has no effect with queue_depth = 1: the drive has no choice"
        )
        system.note("drive-scheduler-unused", text, decides=True)
    _deadlines(pool, depth, report)
