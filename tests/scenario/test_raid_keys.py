"""Parity checks on read and the steering of mirror reads in scenarios: plans, notes, refusals."""

from __future__ import annotations

import pytest

from iowatt.base.problems import DocumentError
from iowatt.evaluate.estimate.unknown import NotEstimated, check_modelled
from iowatt.model.scenario import compile_plan, load
from noted import noted
from refused import faults

SCENARIO = """\
name = "raid-keys"
[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 6
raid = {{ level = {level}, {keys} }}
{power}
[observe]
duration = "1h"
"""
SLEEPING = 'power = { policy = "fixed-threshold", threshold = "10s" }'


def scenario(level: int, keys: str, power: str = SLEEPING) -> str:
    return SCENARIO.format(level=level, keys=keys, power=power)


@pytest.mark.parametrize("reads", ["shorter-queue", "spinning", "primary"])
def test_the_plan_says_which_copy_is_read(reads):
    raid = compile_plan(load(scenario(10, f'mirror_reads = "{reads}"')))["simulation"]["pools"][0]["raid"]
    assert raid.get("mirror_reads", "shorter-queue") == reads
    assert ("mirror_reads" in raid) == (reads != "shorter-queue")


@pytest.mark.parametrize(
    ("level", "keys", "power", "unused"),
    [
        (5, "parity_check_on_read = true", SLEEPING, False),
        (10, "parity_check_on_read = true", SLEEPING, True),
        (10, 'mirror_reads = "spinning"', SLEEPING, False),
        (6, 'mirror_reads = "spinning"', SLEEPING, True),
        (1, 'mirror_reads = "spinning"', "", True),
        (1, 'mirror_reads = "primary"', "", False),
    ],
)
def test_keys_without_effect_are_noted(level, keys, power, unused):
    plan = compile_plan(load(scenario(level, keys, power)))
    assert ("raid-key-unused" in noted(plan["notes"])) == unused


def test_an_oracle_allows_no_steering():
    text = scenario(10, 'mirror_reads = "primary"', 'power = { policy = "oracle-energy" }')
    with pytest.raises(DocumentError) as error:
        load(text)
    assert faults(error.value) == "conflict @ array.pool.disks.power"


@pytest.mark.parametrize(
    ("level", "keys", "key"),
    [
        (10, 'mirror_reads = "primary"', "mirror_reads"),
        (5, "parity_check_on_read = true", "parity_check_on_read"),
    ],
)
def test_the_estimator_refuses_both(level, keys, key):
    plan = compile_plan(load(scenario(level, keys, "")))
    with pytest.raises(NotEstimated) as error:
        check_modelled(plan["simulation"], plan["names"])
    assert error.value.place == f"array.pool.disks.raid.{key}"
