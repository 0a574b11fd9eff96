"""The meaning of DiskSim's parameters where their names leave it open: each rule with its reason, none
fitted.

Most sets were made by DIXtrac, whose procedures define the values; older ones are hand-made. A rule looks
only at the drive's own parameters.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, Final

from iowatt.model.library.disksim.drives import DiskSimDrive
from iowatt.model.library.disksim.electronics import Overheads
from iowatt.model.library.disksim.layout import G1Layout
from iowatt.model.library.disksim.system import DiskSimSystem

DISCIPLINES: Final = {
    "fcfs": "fcfs",
    "elevator-lbn": "look",
    "elevator-cylinder": "look",
    "cycle-lbn": "c-look",
    "cycle-cylinder": "c-look",
    "sstf-lbn": "sstf",
    "sstf-cylinder": "sstf",
    "sptf": "sptf",
    "spctf": "spctf",
}
"""Our disciplines for DiskSim's. ELEVATOR turns at the last request, as ``look`` does."""

_NEAR_SPTF: Final = {
    "satf": ("sptf", "the transfer"),
    "asptf": ("sptf", "the age of a request"),
    "aspctf": ("spctf", "the age of a request"),
    "asatf": ("sptf", "the age of a request and the transfer"),
    "priority-asptf": ("sptf", "priority and age of a request"),
    "priority-aspctf": ("spctf", "priority and age of a request"),
}
"""Variants of SPTF and SPCTF: our discipline, and what they weigh in addition."""


def discipline(policy: str) -> str | None:
    """Our discipline for a policy of DiskSim; None where we have no similar one."""
    return _NEAR_SPTF[policy][0] if policy in _NEAR_SPTF else DISCIPLINES.get(policy)


def command_queue(drive: DiskSimDrive) -> dict[str, Any]:
    """The raw table ``command_queue`` of a device file; empty where the drive takes one command at a time.

    A ``Max queue length`` of 0 or 1 does not limit the queue: sets that were measured one request at a time
    have it.
    """
    depth, scheduler = drive.interface.max_queue_length, discipline(drive.scheduler.policy) or "fcfs"
    table: dict[str, Any] = {"depth": depth} if depth > 1 else {}
    return table if scheduler == "fcfs" else {**table, "scheduler": scheduler}


def _queue_remarks(drive: DiskSimDrive) -> list[str]:
    """The remark where the drive's discipline is near to DiskSim's and not the same."""
    policy = drive.scheduler.policy
    if policy not in _NEAR_SPTF:
        return []
    ours, besides = _NEAR_SPTF[policy]
    return [f"Scheduling policy {policy} is read as {ours}: {besides} does not count"]


def _queue_unused(drive: DiskSimDrive) -> list[str]:
    """The remark where we have no discipline like the drive's."""
    policy = drive.scheduler.policy
    if discipline(policy) is not None:
        return []
    return [f"Scheduling policy {policy} is ignored: the drive serves its commands first come, first served"]


def host_side(system: DiskSimSystem, component: str) -> str | None:
    """How the driver of a system queues the requests of a drive, as keys of a scenario's pool.

    None where that is a pool's default, or there is no driver. Where the driver passes everything on, a
    controller that schedules keeps the queue.
    """
    driver, drive = system.driver, system.drives[component]
    if driver is None:
        return None
    policy, depth = driver.scheduler.policy, 1
    if driver.uses_queues_below:
        depth = max(1, drive.interface.max_queue_length)
        place = system.places.get(component)
        for controller in (system.controllers[name] for name in (place.controllers if place else ())):
            if controller.type == "smart" and controller.scheduler is not None:
                policy = controller.scheduler.policy
                depth = min(depth, max(1, controller.max_pending_per_drive))
    scheduler = discipline(policy)
    if scheduler is None:
        return f"the host's Scheduling policy {policy} has no counterpart in a scenario"
    if (scheduler, depth) == ("look", 1):
        return None
    if scheduler in ("sptf", "spctf") and depth > 1:  # only the drive knows positions
        scheduler = "fcfs"
    return f'its host is a pool\'s scheduler = "{scheduler}" and queue_depth = {depth}'


MARGIN_S = 10e-6
"""Kept free between the end of positioning and the next sector."""


def extraction(drive: DiskSimDrive) -> str:
    """How the overheads were obtained: ``commands`` (DIXtrac) or ``separate``.

    DIXtrac times whole SEEK commands, takes miss overheads as the remainder, and measures a read hit with the
    read-ahead running and at rest. It writes no completion overheads; all older, hand-made sets have one.
    """
    overheads = drive.overheads
    return "separate" if overheads.read_completion_s + overheads.write_completion_s > 0 else "commands"


def reads_ahead_at_once(drive: DiskSimDrive) -> bool:
    """Whether a drive with read-ahead of type 4 reads ahead after a single read, too.

    Type 4 means that the drive passed DIXtrac's test for read-ahead by history: tracks n-1 and n were read,
    and n+1 was in the buffer. Two other figures of the set tell whether it needs that history. A drive that
    gives up requested data counts as caching only if one read was followed by read-ahead; and a largest
    read-ahead below the size of the segment, which caps the figure, was measured after one read.
    """
    buffer = drive.buffer
    return buffer.read_ahead_over_requested > 0 or buffer.max_read_ahead < buffer.segment_sectors


def read_ahead(drive: DiskSimDrive) -> str:
    """The read-ahead of the drive, as our buffer names it."""
    kind = drive.buffer.read_ahead
    if kind == "track-ahead":
        return "segment" if reads_ahead_at_once(drive) else "history"
    return kind


def keeps_passing_sectors(drive: DiskSimDrive) -> bool:
    """Whether to trust "Read any free blocks".

    A drive that reads ahead although it was told not to also passes DIXtrac's test (read n-3, then n, and n-1
    is a hit); only sets made in other ways are trusted.
    """
    return drive.buffer.read_free_sectors and extraction(drive) == "separate"


def requested(drive: DiskSimDrive) -> str:
    """What becomes of sectors that the host has read.

    The value 1 is DIXtrac's finding that a block read once, and again three turns later, misses; -1 means
    that they leave at once.
    """
    value = drive.buffer.read_ahead_over_requested
    return "discard" if value < 0 else "release" if value > 0 else "keep"


def write_settle_s(drive: DiskSimDrive) -> float:
    """The settle time of writes; a negative one is a magnitude with the wrong sign.

    Head switch and settle time together make up the track skew, which lets a write just catch the next track
    (DEC RZ26: 0.865 + 0.483 = 1.348 ms; skew 1.351 ms). The tightest skew therefore bounds it.
    """
    mechanics, layout = drive.model.mechanics, drive.model.layout
    settle_s = mechanics.write_settle_s
    if settle_s >= 0 or not isinstance(layout, G1Layout):
        return settle_s
    skews_s = [zone.track_skew * mechanics.turn_s / zone.sectors_per_track for zone in layout.zones]
    room_s = min(skews_s) - mechanics.head_switch_s - MARGIN_S
    return min(abs(settle_s), max(0.0, room_s))


def overheads(drive: DiskSimDrive) -> Overheads:
    """The overheads; those of a hand-made set are corrected where they are not the drive's own at rest.

    - A read miss costs the same after a read and after a write, as in all other hand-made sets: the figure
      after a write, when there is no read-ahead to stop. The model itself adds the time of stopping it.
    - A figure finer than a microsecond in a set of whole microseconds is left over from another drive. The
      figure after the other direction replaces it.
    - A hit that costs nothing was not measured either.

    An automatic extraction is used unchanged: its miss overheads are remainders, finer than the figures they
    are taken from, different by direction, and 0 where nothing remains.
    """
    times = drive.overheads
    if extraction(drive) == "commands":
        return times
    foreign = _other_resolution(times)
    changed: dict[str, Any] = {}
    for operation in ("read_hit", "read_miss", "write_hit", "write_miss"):
        names = [f"{operation}_after_{direction}_s" for direction in ("read", "write")]
        given = [getattr(times, name) for name in names]
        unmeasured = [
            name in foreign or (operation.endswith("hit") and value == 0)
            for name, value in zip(names, given, strict=True)
        ]
        if unmeasured[0] != unmeasured[1]:
            changed[names[unmeasured.index(True)]] = given[unmeasured.index(False)]
        elif operation == "read_miss" and given[1] > 0:
            changed[names[0]] = given[1]
    return replace(times, **changed)


def _other_resolution(times: Overheads) -> set[str]:
    """Names of figures finer than a microsecond, where most are not."""
    names = [part.name for part in fields(times) if part.name.endswith("_s")]
    given = {name: round(ns) for name in names if (ns := getattr(times, name) * 1e9)}
    finer = {name for name, ns in given.items() if ns % 1000}
    return finer if 2 * len(finer) < len(given) else set()


def remarks(drive: DiskSimDrive) -> list[str]:
    """A sentence for each value that a rule changed."""
    changed = []
    used = overheads(drive)
    for part in fields(used):
        given_s, used_s = getattr(drive.overheads, part.name), getattr(used, part.name)
        if used_s != given_s:
            name = part.name.removesuffix("_s").replace("_", " ")
            changed.append(f"overhead of a {name} = {given_s * 1e3:g} ms is read as {used_s * 1e3:g} ms")
    settle_s = write_settle_s(drive)
    given_s = drive.model.mechanics.write_settle_s
    if settle_s != given_s:
        changed.append(
            f"Add. write settling delay = {given_s * 1e3:g} ms is read as a magnitude that the tightest "
            f"track skew bounds: {settle_s * 1e3:.4g} ms"
        )
    if drive.buffer.read_ahead == "track-ahead":
        kind = "after any read" if reads_ahead_at_once(drive) else "after a read that goes on where one ended"
        changed.append(
            f"Buffer continuous read = 4 is read as: reads ahead until the segment is full, {kind}"
        )
    if drive.buffer.read_free_sectors and not keeps_passing_sectors(drive):
        changed.append(
            "Read any free blocks = 1 is not trusted from an automatic extraction: read-ahead passes its test"
        )
    return changed + _queue_remarks(drive)


def unused(drive: DiskSimDrive) -> list[str]:
    """A sentence for each parameter that has a value and no effect on the simulated drive."""
    interface, buffer, mechanics = drive.interface, drive.buffer, drive.model.mechanics
    ignored = []
    if mechanics.access_time != "rotating":
        ignored.append("Access time type is ignored: positioning always follows the platter")
    ignored += _queue_unused(drive)
    if interface.disconnects_write_to_seek:
        ignored.append(
            "Disconnect write if seek is ignored: a write gives the bus up once its data have come"
        )
    if buffer.write_segments > 1 and not buffer.write_prebuffering:
        ignored.append(
            "Maximum number of write segments is ignored: without Allow write prebuffering a write waits for "
            "the one before it"
        )
    if not buffer.reads_directly_to_buffer:
        ignored.append("Read directly to buffer = 0 is ignored: media data always go to the segment")
    if drive.overheads.other_reselect_s > 0 and not interface.hold_bus_for_read:
        ignored.append("Other reselect overhead is ignored: a transfer is not broken up")
    return [f"{drive.path.name}: {text}" for text in ignored]
