"""What DiskSim's driver, controllers and disks do with a queue, in our words."""

from __future__ import annotations

import dataclasses
import re

import pytest
from disksim_files import CHEETAH, FIFTEEN, RAID5, changed, import_drive, read_drive

from iowatt.model.library.disksim import read_system, rules
from iowatt.model.library.disksim.components import POLICIES, DiskSimController, Scheduler


def served(drive, policy: str, length: int = 1):
    """The drive with another discipline and queue."""
    return dataclasses.replace(
        drive,
        scheduler=dataclasses.replace(drive.scheduler, policy=policy),
        interface=dataclasses.replace(drive.interface, max_queue_length=length),
    )


def test_the_drives_own_queue():
    drive = read_drive(CHEETAH)
    # Its set was measured one request at a time: that is no limit.
    assert rules.command_queue(drive) == {}
    assert rules.command_queue(served(drive, "fcfs", 0)) == {}
    assert rules.command_queue(served(drive, "fcfs", 8)) == {"depth": 8}
    assert rules.command_queue(served(drive, "cycle-lbn", 64)) == {"depth": 64, "scheduler": "c-look"}
    assert import_drive(FIFTEEN, name="mine").tables["command_queue"] == {"depth": 8, "scheduler": "sptf"}
    assert import_drive(FIFTEEN, name="mine").drive().command_queue.depth == 8
    assert "command_queue" not in import_drive(CHEETAH).tables


@pytest.mark.parametrize("policy", POLICIES.values())
def test_every_policy_is_read_or_named(policy):
    drive = served(read_drive(CHEETAH), policy, 8)
    scheduler = rules.command_queue(drive).get("scheduler", "fcfs")
    said = [text for text in (*rules.remarks(drive), *rules.unused(drive)) if "Scheduling policy" in text]
    exact = rules.DISCIPLINES.get(policy)
    assert exact == scheduler if exact else said and policy in said[0]
    assert not (exact and said)
    near = {"asptf": "sptf", "satf": "sptf", "aspctf": "spctf", "priority-aspctf": "spctf"}
    assert scheduler == near.get(policy, scheduler)


def test_what_the_host_does(tmp_path):
    system = read_system(RAID5)
    # Elevator, one at a time: what a pool does if nothing is said.
    assert rules.host_side(system, "disk0") is None
    file = changed(
        tmp_path, "raid5_32.parv", "Use queueing in subsystem = 0", "Use queueing in subsystem = 1"
    )
    queued = read_system(file)
    assert rules.host_side(queued, "disk0") is None, "its drives take one command"
    drives = {name: served(drive, "sptf", 16) for name, drive in queued.drives.items()}
    deep = dataclasses.replace(queued, drives=drives)
    assert re.findall(r"(\w+) = (\S+)", rules.host_side(deep, "disk0") or "") == [
        ("scheduler", '"look"'), ("queue_depth", "16"),
    ]  # fmt: skip
    not_below = dataclasses.replace(system, drives=drives)
    assert rules.host_side(not_below, "disk0") is None, "the driver does not use it"

    # A controller that schedules keeps the queue, and sends a drive only so many.
    smart = DiskSimController(
        type="smart", delay_scale=1.0, sector_s=0.0, max_queue_length=0, cache=None, max_pending_per_drive=4,
        scheduler=Scheduler("cycle-lbn", 0, 0.0, 0.0),
    )  # fmt: skip
    with_it = dataclasses.replace(deep, controllers=dict.fromkeys(deep.controllers, smart))
    assert "c-look" in (said := rules.host_side(with_it, "disk0") or "")
    assert said.endswith("queue_depth = 4")
    strange = dataclasses.replace(smart, scheduler=Scheduler("vscan-lbn", 0, 0.0, 0.0))
    with_it = dataclasses.replace(deep, controllers=dict.fromkeys(deep.controllers, strange))
    assert "vscan-lbn" in (rules.host_side(with_it, "disk0") or "")


def test_a_scenario_that_names_the_system_is_told(tmp_path):
    file = changed(tmp_path, "raid5_32.parv", "Scheduling policy = 2", "Scheduling policy = 3")
    imported = import_drive(file, "disk0")
    said = f"{file.name}: {rules.host_side(read_system(file), 'disk0')}"
    assert re.findall(r"(\w+) = (\S+)", said) == [("scheduler", '"c-look"'), ("queue_depth", "1")]
    assert said in imported.notes
    assert any(said in note for note in imported.drive().notes)
    assert said not in imported.tables["notes"], "the drive's own file says nothing of its host"
