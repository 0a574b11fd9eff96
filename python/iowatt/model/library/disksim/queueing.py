"""What DiskSim's driver, controllers and disks do with a queue, in our words.

DiskSim has a queue in each of them. A scenario has two for every drive: that of the host (the driver, or a
controller that schedules) and the drive's own.
"""

from __future__ import annotations

from typing import Any, Final

from iowatt.model.library.disksim.drives import Drive
from iowatt.model.library.disksim.system import System

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
"""Variants of SPTF and SPCTF: ours, and what they weigh besides."""


def discipline(policy: str) -> str | None:
    """Our discipline for a policy of DiskSim; None where there is none like it."""
    return _NEAR_SPTF[policy][0] if policy in _NEAR_SPTF else DISCIPLINES.get(policy)


def command_queue(drive: Drive) -> dict[str, Any]:
    """The raw table ``command_queue`` of a device file; empty where the drive takes one command at a time.

    A ``Max queue length`` of 0 or 1 is no limit here: it is what a set says that was measured one request at
    a time.
    """
    depth, scheduler = drive.interface.max_queue_length, discipline(drive.scheduler.policy) or "fcfs"
    table: dict[str, Any] = {"depth": depth} if depth > 1 else {}
    return table if scheduler == "fcfs" else {**table, "scheduler": scheduler}


def remarks(drive: Drive) -> list[str]:
    """Where the drive's own discipline is near to DiskSim's and not the same."""
    policy = drive.scheduler.policy
    if policy not in _NEAR_SPTF:
        return []
    ours, besides = _NEAR_SPTF[policy]
    return [f"Scheduling policy {policy} is read as {ours}: {besides} does not count"]


def unused(drive: Drive) -> list[str]:
    """The drive's own discipline, where there is none like it."""
    policy = drive.scheduler.policy
    if discipline(policy) is not None:
        return []
    return [f"Scheduling policy {policy} is ignored: the drive serves its commands first come, first served"]


def host_side(system: System, component: str) -> str | None:
    """What the driver of a system does with the requests of a drive, as keys of a scenario's pool.

    None where that is what a pool does if nothing is said, or there is no driver. A controller that schedules
    keeps the queue in place of a driver that passes everything on.
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
    if scheduler in ("sptf", "spctf") and depth > 1:  # DiskSim's driver knows what no driver can
        scheduler = "fcfs"
    return f'its host is a pool\'s scheduler = "{scheduler}" and queue_depth = {depth}'
