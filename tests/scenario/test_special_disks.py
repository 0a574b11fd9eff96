"""Disks of two actuators, shingled disks and queues with deadlines in scenarios: plans and refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

from iowatt.base.errors import InputError
from iowatt.evaluate.estimate.unknown import NotEstimated, check_modelled
from iowatt.model.scenario import compile_plan, load
from refused import faults, refused

DEVICE = """\
name = "acme-14"
kind = "hdd"
title = "Acme 14"
capacity = "14TB"
rpm = 7200
{keys}
[seek]
average = "8ms"
[performance]
sequential_read = "524MB/s"
[power]
idle = "7W"
active = "10W"
positioning = "11W"
{power}
"""
SPEEDS = 'speeds = { rpm = [5400], electronics = "3W", step_time = "1s", step_power = "8W" }'
SCENARIO = """\
name = "special"
[[array.pool]]
name = "disks"
device = "acme.toml"
count = 1
{keys}
[observe]
duration = "1h"
"""


def plan(folder: Path, device: str = "", power: str = "", pool: str = "") -> dict:
    (folder / "acme.toml").write_text(DEVICE.format(keys=device, power=power))
    (folder / "special.toml").write_text(SCENARIO.format(keys=pool))
    return compile_plan(load(folder / "special.toml"), folder)


@pytest.mark.parametrize(
    ("device", "given"),
    [("", set()), ("actuators = 2", {"actuators"}), ('recording = "dm-smr"', {"shingled"})],
)
def test_only_special_disks_say_so_in_the_plan(tmp_path, device, given):
    compiled = plan(tmp_path, device)["simulation"]["pools"][0]["device"]
    assert {"actuators", "shingled"} & compiled.keys() == given


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"device": 'recording = "hm-smr"'}, "unsupported @ array.pool.disks.device"),
        (
            {"device": "actuators = 2", "power": SPEEDS},
            "unsupported @ array.pool.disks.device.power.speeds",
        ),
        (
            {"pool": 'scheduler = "fcfs"\nscheduler_deadline = "1s"'},
            "not-applicable @ array.pool.disks.scheduler_deadline",
        ),
        ({"pool": 'drive_deadline = "1s"'}, "not-applicable @ array.pool.disks.drive_deadline"),
    ],
)
def test_what_is_refused(tmp_path, given, fault):
    with pytest.raises(InputError) as error:
        plan(tmp_path, **given)
    assert faults(error.value) == fault


@pytest.mark.parametrize(
    ("device", "pool", "place"),
    [
        ("actuators = 2", "", "array.pool.disks.device"),
        ('recording = "dm-smr"', "", "array.pool.disks.device"),
        ("", 'scheduler_deadline = "1s"', "array.pool.disks.scheduler_deadline"),
        ("", 'queue_depth = 8\ndrive_deadline = "1s"', "array.pool.disks.drive_deadline"),
    ],
)
def test_the_estimator_refuses_what_it_does_not_model(tmp_path, device, pool, place):
    compiled = plan(tmp_path, device, pool=pool)
    with refused("unsupported", place, NotEstimated):
        check_modelled(compiled["simulation"], compiled["names"])
