"""A scenario with its names resolved: drives found, capacities computed, volumes laid out, buses assigned.

All that can be wrong between keys (as opposed to within one key, which the models say) is found here, with
the key to blame and the fix.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from iowatt.base.errors import InputError
from iowatt.base.problems import KeyPath, Problem, nearest, suggestion
from iowatt.base.units import format_bytes
from iowatt.model.library import Disk, find_device
from iowatt.model.library.electrical import (
    STANDBY,
    PowerLevel,
    missing_figures,
    power_levels,
    speed_problem,
)
from iowatt.model.library.ssd import Ssd
from iowatt.model.profile.recorded_trace import Trace
from iowatt.model.scenario import controller, raid, solid_state, survival
from iowatt.model.scenario.array import DRIVES_PATTERN, DeviceChoice, Pool
from iowatt.model.scenario.model import Scenario
from iowatt.model.scenario.paths import as_named
from iowatt.model.scenario.placing import adaptive, chunklet_room, place_volumes
from iowatt.model.scenario.power import MultiSpeedPolicy, NeverPolicy, levels_needed
from iowatt.model.scenario.resolved import ResolvedPool, System
from iowatt.model.scenario.tracing import recorded
from iowatt.model.scenario.workload import OpenReplay

SPIN_DOWN_NEEDS = ("standby", "spin_up", "spin_down", "spin_up_time", "spin_down_time")


def resolve(scenario: Scenario, base_dir: Path, *, traces_must_exist: bool = True) -> System:
    """Resolve all names of ``scenario``; the system is complete only where ``problems`` stays empty.

    Parameters
    ----------
    base_dir:
        The directory that trace and device files are relative to.
    traces_must_exist:
        Whether a missing trace file is a problem.
    """
    system = System()
    _unique_names(scenario, system)
    for index, pool in enumerate(scenario.array.pool):
        _pool(index, pool, base_dir, system, scenario.array.power is not None)
    _buses(scenario, system)
    if len(system.pools) == len(scenario.array.pool):
        place_volumes(scenario, system)
    _controller(scenario, system)
    _array_power(scenario, base_dir, system)
    _workloads(scenario, base_dir, traces_must_exist, system)
    _paths(scenario, system)
    _observe(scenario, system)
    for resolved in system.pools:
        system.notes.extend(note for note in resolved.drive.notes if note not in system.notes)
        if isinstance(resolved.drive, Disk) and resolved.drive.sector_bytes > 512:
            sectors = f"whole sectors of {resolved.drive.sector_bytes} bytes"
            system.notes.append(
                f"pool {resolved.pool.name!r}: requests are rounded out to {sectors}; a write of part of a "
                "sector costs no read-modify-write in the drive"
            )
    return system


def _unique_names(scenario: Scenario, system: System) -> None:
    groups: list[tuple[KeyPath, list[str]]] = [
        (("workload",), [w.name for w in scenario.workload]),
        (("array", "pool"), [p.name for p in scenario.array.pool]),
        (("array", "virtual_pool"), [v.name for v in scenario.array.virtual_pool]),
        (("array", "volume"), [v.name for v in scenario.array.volume]),
        (("array", "bus"), [b.name for b in scenario.array.bus]),
    ]
    for path, names in groups:
        counts = Counter(names)
        for index, name in enumerate(names):
            if counts[name] > 1 and names.index(name) != index:
                message = f"the name {name!r} is taken by another {path[-1]}"
                system.problems.append(
                    Problem("duplicate", (*path, index, "name"), message, "give each a name of its own")
                )


def _pool(index: int, pool: Pool, base_dir: Path, system: System, wall_asked: bool) -> None:
    path: KeyPath = ("array", "pool", index)
    report = system.problems.append
    if pool.chunklet is not None:
        pass
    elif pool.raid is None and pool.count > 1:
        hint = 'for example raid = { level = 5, stripe_unit = "64KiB" }; level 0 stripes without redundancy'
        report(
            Problem(
                "missing",
                (*path, "count"),
                f"{pool.count} drives need the key `raid` to say how they are joined",
                hint,
            )
        )
    if pool.chunklet is None and pool.raid is not None and pool.raid.set_size is not None:
        message = "RAID sets consist of chunklets, and the pool has none"
        report(
            Problem(
                "not-applicable",
                (*path, "raid", "set_size"),
                message,
                'leave it out, or give chunklet = "256MiB"',
            )
        )
    if pool.chunklet is not None:
        system.problems.extend(survival.chunklet_problems(pool, path))
    elif pool.raid is not None and (found := raid.count_problem(pool.raid.level, pool.count)):
        report(Problem("out-of-range", (*path, "count"), *found))
    else:
        system.problems.extend(survival.problems(pool, path))

    _width(pool, path, system)

    drive = _drive(pool.device, (*path, "device"), base_dir, system)
    adapted = None if drive is None else _adapted(pool, drive, path, system, wall_asked)
    if adapted is None:
        return
    drive = adapted
    _queues(pool, drive, path, system)
    if pool.chunklet is not None:
        if (room := chunklet_room(pool, drive, path, system)) is not None and room.default is not None:
            kind = room.default
            drive = adaptive(pool, drive, room, system)
            system.pools.append(ResolvedPool(pool, drive, kind.level, kind.stripe_unit, room.whole, room))
        return
    # Without raid the one drive is one stripe unit, so that no request is ever split.
    level, unit = (0, drive.raw_bytes) if pool.raid is None else (pool.raid.level, pool.raid.stripe_unit)
    if unit % drive.sector_bytes:
        message = f"{unit} bytes are not a multiple of the drive's sector, {drive.sector_bytes} bytes"
        report(
            Problem(
                "not-accepted",
                (*path, "raid", "stripe_unit"),
                message,
                f"use a multiple of {drive.sector_bytes}",
            )
        )
    usable = raid.usable_bytes(level, pool.count, unit, drive.raw_bytes)
    if usable <= 0 and pool.raid is not None and raid.count_problem(level, pool.count) is None:
        message = f"{unit} bytes are more than a drive has ({format_bytes(drive.raw_bytes)})"
        report(Problem("out-of-range", (*path, "raid", "stripe_unit"), message))
    system.pools.append(ResolvedPool(pool, drive, level, unit, usable))


def _adapted(
    pool: Pool, drive: Disk | Ssd, path: KeyPath, system: System, wall_asked: bool
) -> Disk | Ssd | None:
    """The drive as the pool's keys have it; None where these ask what it cannot do."""
    if drive.missing_watts and not _time_alone(pool, drive, path, system, wall_asked):
        return None
    return _ssd(pool, drive, path, system) if isinstance(drive, Ssd) else _disk(pool, drive, path, system)


def _time_alone(pool: Pool, drive: Disk | Ssd, path: KeyPath, system: System, wall_asked: bool) -> bool:
    """Whether nothing is asked that needs the watts which ``drive`` lacks: else they are a problem."""
    settings = pool.ssd
    reason = None
    if not isinstance(pool.power, NeverPolicy):
        reason = f"the policy {pool.power.policy!r} needs"
    elif wall_asked:
        reason = "the array's power ([array.power]) needs"
    elif settings is not None and (settings.power_cap is not None or settings.power_state is not None):
        reason = "a power cap needs"
    if reason is not None:
        system.problems.append(_figures_missing(pool, drive, path, reason, drive.missing_watts))
        return False
    lacking = ", ".join(f"power.{name}" for name in drive.missing_watts)
    system.notes.append(
        f"pool {pool.name!r}: {drive.name!r} has no {lacking}, so it is simulated for time only: its energy "
        "and every total that includes it are null"
    )
    return True


def _width(pool: Pool, path: KeyPath, system: System) -> None:
    """Warn of a redundancy group that is wider than practice."""
    if pool.raid is None:
        return
    sets = pool.raid.set_size
    width, key = (pool.count, ("count",)) if pool.chunklet is None else (sets or 0, ("raid", "set_size"))
    if (message := raid.width_warning(pool.raid.level, width)) is not None:
        system.warnings.append(Problem("out-of-range", (*path, *key), message))


def _disk(pool: Pool, drive: Disk, path: KeyPath, system: System) -> Disk | None:
    system.problems.extend(solid_state.only_for_ssds(pool, drive.name, path))
    if pool.write_cache is not None:
        try:
            drive = drive.write_cached(pool.write_cache)
        except ValueError as error:
            hint = f'describe it in a device file with based_on = "{drive.name}" and segments in [buffer]'
            system.problems.append(Problem("missing-figure", (*path, "write_cache"), str(error), hint))
            return None
    _power(pool, drive, path, system)
    return drive


def _ssd(pool: Pool, drive: Ssd, path: KeyPath, system: System) -> Ssd | None:
    adapted = solid_state.adapt(pool, drive, path, system.problems.append)
    if adapted is not None:
        _timers(pool, adapted, path, system)
    return adapted


def _drive(choice: DeviceChoice, path: KeyPath, base_dir: Path, system: System) -> Disk | Ssd | None:
    try:
        drive = find_device(choice.name, base_dir, choice.drive)
    except InputError as error:
        message = f"{error.place}: {error.message}" if error.place else error.message
        system.problems.append(Problem(error.code, path, message, error.hint))
        return None
    if choice.rpm is not None and isinstance(drive, Disk):  # an SSD's is refused with its other keys of disks
        try:
            drive = drive.respun(choice.rpm)
        except ValueError as error:
            system.problems.append(Problem("out-of-range", (*path, "rpm"), str(error)))
            return None
    if choice.capacity is not None:
        try:
            drive = drive.shortened(choice.capacity)
        except ValueError as error:
            system.problems.append(Problem("out-of-range", (*path, "capacity"), str(error)))
            return None
    return drive if choice.power is None else drive.powered(choice.power)


def _power(pool: Pool, drive: Disk, path: KeyPath, system: System) -> None:
    report = system.problems.append
    wrong = speed_problem(drive.power, drive.rpm)
    if wrong is not None:
        report(Problem("conflict", (*path, "device"), f"{drive.name!r}: {wrong}"))
        return
    had = power_levels(drive.power, drive.rpm)
    usable = drive.ladder.names
    needed = levels_needed(pool.power)
    if not needed and not usable and not isinstance(pool.power, NeverPolicy):
        needed = [STANDBY]
    for name in needed:
        if name in usable:
            continue
        if name == STANDBY and name not in had:
            lacking = list(SPIN_DOWN_NEEDS)
        elif name not in had:
            hint = f"it has {', '.join(sorted(had))}" if had else "it has none"
            hint += f'; or give it one: device = {{ power = {{ level = [{{ name = "{name}", ... }}] }} }}'
            message = f"{drive.name!r} has no power level {name!r}"
            report(
                Problem(
                    "unknown-name", (*path, "power"), message, suggestion(name, list(had), "levels") or hint
                )
            )
            continue
        else:
            lacking = missing_figures(had[name])
        if not lacking:
            message = f"level {name!r} of {drive.name!r} draws more than idling ({drive.power.idle:g} W)"
            report(Problem("conflict", (*path, "power"), message))
            continue
        reason = f"the policy {pool.power.policy!r} needs"
        if name == STANDBY:
            report(_figures_missing(pool, drive, path, reason, lacking))
        else:
            figures = f'level = [{{ name = "{name}", {_asked(lacking)} }}]'
            said = ", ".join(f"{figure} of level {name}" for figure in lacking)
            message = f"{reason} power figures that {drive.name!r} does not have: {said}"
            hint = f'give them: device = {{ name = "{pool.device.name}", power = {{ {figures} }} }}'
            report(Problem("missing-figure", (*path, "device"), message, hint))
    _speeds(pool, had, path, system)
    _timers(pool, drive, path, system)


def _timers(pool: Pool, drive: Disk | Ssd, path: KeyPath, system: System) -> None:
    """Timers rise with the depth of their levels: one that is later than a deeper level's never acts."""
    timers = getattr(pool.power, "timers", None) or {}
    order = [name for name in drive.ladder.names if name in timers]
    for at, name in enumerate(order):
        for deeper in order[at + 1 :]:
            if timers[name] > timers[deeper]:
                message = (
                    f"{name!r} is never entered: {deeper!r}, which draws less, is entered after "
                    f"{timers[deeper]:g} s, before its {timers[name]:g} s"
                )
                hint = f"a time that rises from level to level, here {', '.join(order)}; or leave it out"
                system.problems.append(Problem("conflict", (*path, "power", "timers", name), message, hint))
                break


def _speeds(pool: Pool, had: Mapping[str, PowerLevel], path: KeyPath, system: System) -> None:
    """A policy of several speeds needs speeds."""
    if not isinstance(pool.power, MultiSpeedPolicy):
        return
    for name in pool.power.timers:
        level = had.get(name)
        if level is not None and level.speed is None and not level.stopped:
            hint = "give its speed, or use the policy multi-level"
            problem = Problem(
                "conflict",
                (*path, "power", "timers"),
                f"level {name!r} has no speed, so it serves no requests",
                hint,
            )
            system.problems.append(problem)


def _figures_missing(pool: Pool, drive: Disk | Ssd, path: KeyPath, reason: str, names: list[str]) -> Problem:
    return Problem(
        "missing-figure",
        (*path, "device"),
        f"{reason} power figures that {drive.name!r} does not have: {', '.join(names)}",
        f'give them: device = {{ name = "{pool.device.name}", power = {{ {_asked(names)} }} }}',
    )


def _asked(names: list[str]) -> str:
    return ", ".join(f'{n} = "..{"s" if n.endswith("_time") else "W"}"' for n in names)


def _queues(pool: Pool, drive: Disk | Ssd, path: KeyPath, system: System) -> None:
    """What the host and the drives can know and hold."""
    held, depth = drive.command_queue.depth, pool.queue_depth or 1
    if held is not None and depth > held:
        message = f"{drive.name!r} holds at most {held} commands, not {depth}"
        system.problems.append(Problem("out-of-range", (*path, "queue_depth"), message, f"at most {held}"))
    if isinstance(drive, Ssd):
        return
    if depth > 1 and pool.scheduler in ("sptf", "spctf"):
        message = f"with queue_depth = {depth} the host does not know where the head will be"
        hint = f'leave it to the drive: scheduler = "fcfs", drive_scheduler = "{pool.scheduler}"'
        system.problems.append(Problem("conflict", (*path, "scheduler"), message, hint))
    if depth == 1 and pool.drive_scheduler is not None:
        system.notes.append(
            f"pool {pool.name!r}: drive_scheduler has no effect with queue_depth = 1: the drive has no choice"
        )


def _workloads(scenario: Scenario, base_dir: Path, traces_must_exist: bool, system: System) -> None:
    volumes = scenario.array.volume_names
    placed = {extent.name: index for index, extent in enumerate(system.volumes)}
    reads_standard_input = ""
    for index, workload in enumerate(scenario.workload):
        path: KeyPath = ("workload", index)
        if workload.end is not None and workload.end <= workload.start:
            message = f"the end at {workload.end:g} s is not after the start at {workload.start:g} s"
            system.problems.append(Problem("conflict", (*path, "end"), message, "give a later `end`"))
        if workload.volume is None and len(volumes) > 1:
            message = f"the key `volume` is missing, and there are {len(volumes)} to choose from"
            system.problems.append(Problem("missing", path, message, f"one of {', '.join(volumes)}"))
        elif workload.volume is not None and workload.volume not in volumes:
            hint = suggestion(workload.volume, volumes, "volumes")
            system.problems.append(
                Problem("unknown-name", (*path, "volume"), f"there is no volume {workload.volume!r}", hint)
            )
        else:
            system.volume_of_workload.append(placed.get(workload.volume or volumes[0], -1))

        if (workload.trace is None) == (workload.profile is None):
            code = "conflict" if workload.trace else "missing"
            both = "both `trace` and `profile` are" if workload.trace else "neither `trace` nor `profile` is"
            hint = 'trace = { path = "oltp.csv.gz" }, or profile = { name = "hot-band", rate_iops = 500 }'
            system.problems.append(Problem(code, path, f"{both} given; a workload has one of them", hint))
            continue
        if workload.trace is None:
            _synthetic(scenario, index, base_dir, system)
            continue
        trace: KeyPath = (*path, "trace")
        named: list[tuple[KeyPath, str]] = [((*trace, "path"), workload.trace.path)]
        named += [((*trace, "more", number), file) for number, file in enumerate(workload.trace.more)]
        for place, file in named:
            if file == "-":
                if reads_standard_input:
                    message = f"workload {reads_standard_input!r} already reads standard input"
                    system.problems.append(
                        Problem("read-once", place, message, "name a file for one of them")
                    )
                reads_standard_input = workload.name
            elif traces_must_exist and not all(part.is_file() for part in recorded(base_dir / file)):
                system.problems.append(_missing_trace(place, Path(as_named(base_dir, file))))
        system.problems.extend(_contradictions(trace, workload.trace))
        if isinstance(workload.replay, OpenReplay) and workload.replay.speed != 1:
            system.notes.append(
                f"workload {workload.name!r}: its trace is replayed at {workload.replay.speed:g} times the "
                "recorded speed (replay.speed)"
            )


def _contradictions(path: KeyPath, trace: Trace) -> list[Problem]:
    """Keys of a trace that do not go together."""
    problems = []
    if trace.device is not None and trace.devices is not None:
        problems.append(
            Problem("conflict", (*path, "devices"), "`device` and `devices` are both given", "keep one")
        )
    if trace.end is not None and trace.end <= (trace.start or 0.0):
        problems.append(
            Problem("conflict", (*path, "end"), "the end is not after the start", "give a later `end`")
        )
    if "-" in (trace.path, *trace.more) and trace.place == "end-to-end":
        message = "end-to-end reads the trace twice, and standard input can be read once only"
        problems.append(
            Problem("read-once", (*path, "place"), message, "give each device its offset, or name a file")
        )
    return problems


def _synthetic(scenario: Scenario, index: int, base_dir: Path, system: System) -> None:
    from iowatt.model.scenario.synthetic import make  # with the models of profiles, which few scenarios have

    workload = scenario.workload[index]
    name = workload.volume or scenario.array.volume_names[0]
    capacity = next((extent.capacity for extent in system.volumes if extent.name == name), None)
    ends = scenario.observe.duration is not None or workload.end is not None
    made = make(workload, index, base_dir=base_dir, seed=scenario.seed, capacity=capacity, ends=ends)
    system.synthetic[index] = made
    system.problems.extend(made.problems)
    system.notes.extend(made.notes)


def _missing_trace(path: KeyPath, file: Path) -> Problem:
    if file.is_dir():
        return Problem("wrong-kind", path, f"{file} is a directory; expected a trace file")
    siblings = [p.name for p in file.parent.iterdir() if p.is_file()] if file.parent.is_dir() else []
    near = nearest(file.name, siblings)
    relative = (
        "trace paths are relative to the scenario's directory; those of `set=` to the current one first"
    )
    hint = f"did you mean {near!r}?" if near else relative
    return Problem("not-found", path, f"there is no trace file {file}", hint)


def _buses(scenario: Scenario, system: System) -> None:
    pools = {pool.name: index for index, pool in enumerate(scenario.array.pool)}
    system.bus_of_drive = [[-1] * pool.drives for pool in scenario.array.pool]
    for bus_index, bus in enumerate(scenario.array.bus):
        for position, selector in enumerate(bus.drives):
            path: KeyPath = ("array", "bus", bus_index, "drives", position)
            problem = _connect(selector, bus_index, scenario, pools, system.bus_of_drive)
            if problem:
                system.problems.append(replace(problem, path=path))
    if any(p.path[:2] == ("array", "bus") for p in system.problems):
        return
    for index, buses in enumerate(system.bus_of_drive):
        loose = [drive for drive, bus_index in enumerate(buses) if bus_index < 0]
        if len(loose) == len(buses):
            system.bus_of_drive[index] = []
        elif loose:
            name = scenario.array.pool[index].name
            message = f"{len(loose)} of the {len(buses)} drives are on no bus; the first is {name}.{loose[0]}"
            hint = "put all drives of a pool on buses, or none"
            system.problems.append(Problem("conflict", ("array", "pool", index), message, hint))


def _connect(
    selector: str, bus: int, scenario: Scenario, pools: dict[str, int], bus_of_drive: list[list[int]]
) -> Problem | None:
    """Put the drives of ``selector`` on ``bus``; what is wrong, where something is."""
    match = re.match(DRIVES_PATTERN, selector)
    if match is None:  # the model has checked the pattern
        return Problem("bad-syntax", (), f"{selector!r} names no drives")
    name, one, first, end, step = match.groups()
    if name not in pools:
        message = f"there is no pool {name!r}"
        return Problem("unknown-name", (), message, suggestion(name, list(pools), "pools"))
    drives = bus_of_drive[pools[name]]
    start, stop = (
        (int(one), int(one) + 1) if one else (_bound(first, 0, drives), _bound(end, len(drives), drives))
    )
    if not start < stop <= len(drives):
        hint = f"bounds may be shares of the pool, such as {name}[:50%]"
        message = f"{selector!r} is not within pool {name!r}, whose drives are {name}[0:{len(drives)}]"
        return Problem("out-of-range", (), message, hint)
    for drive in range(start, stop, int(step or 1)):
        if drives[drive] >= 0:
            other = scenario.array.bus[drives[drive]].name
            message = f"drive {name}.{drive} is already on bus {other!r}"
            return Problem("duplicate", (), message, "a drive is on one bus only")
        drives[drive] = bus
    return None


def _bound(text: str | None, left_out: int, drives: list[int]) -> int:
    if text is None:
        return left_out
    return len(drives) * int(text[:-1]) // 100 if text.endswith("%") else int(text)


def _controller(scenario: Scenario, system: System) -> None:
    sectors = [pool.drive.sector_bytes for pool in system.pools]
    found = list(controller.problems(scenario.array.controller, sectors))
    system.problems.extend(found)
    if not found:
        system.notes.extend(controller.notes(scenario.array.controller, sectors))


def _paths(scenario: Scenario, system: System) -> None:
    if scenario.path:
        from iowatt.model.scenario.path_resolve import resolve as resolve_paths

        system.paths = resolve_paths(scenario)
    system.problems.extend(system.paths.problems)
    for path in system.paths.resolved:
        system.notes.extend(path.notes)
    held = scenario.array.controller
    processing = None if held is None else held.processing
    if processing is not None and not scenario.path:
        idle = [name for name in ("ready", "interrupt", "moderation") if getattr(processing, name)]
        if idle:
            system.notes.append(
                f"controller: {', '.join(idle)} of processing has no effect: no workload goes by a path"
            )


def _array_power(scenario: Scenario, base_dir: Path, system: System) -> None:
    if scenario.array.power is None or any(p.path[:2] == ("array", "pool") for p in system.problems):
        return  # faulty drives are reported already
    from iowatt.model.scenario.array_power import resolve as resolve_power

    found = resolve_power(scenario, base_dir, simulated=True)
    system.power = found.plan
    system.problems.extend(found.problems)
    system.notes.extend(note.text for note in found.notes)


def _observe(scenario: Scenario, system: System) -> None:
    observe = scenario.observe
    if not scenario.workload and observe.duration is None:
        message = "there is no workload, so observe.duration must say how long to simulate"
        hint = 'add [[workload]], or [observe] with duration = "1h" for an idle array'
        system.problems.append(Problem("missing", ("observe", "duration"), message, hint))
    if (
        observe.duration is not None
        and isinstance(observe.warmup, float)
        and observe.warmup >= observe.duration
    ):
        message = (
            f"the warm-up ({observe.warmup:g} s) leaves nothing of the duration ({observe.duration:g} s)"
        )
        system.problems.append(Problem("out-of-range", ("observe", "warmup"), message))
