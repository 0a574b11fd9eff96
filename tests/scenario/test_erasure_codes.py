"""Erasure codes in scenarios: plans, usable bytes, refusals, what they survive, estimated operations."""

from __future__ import annotations

import pytest

from iowatt.base.problems import DocumentError
from iowatt.evaluate.estimate import raid_work
from iowatt.evaluate.search.metrics.table import failures_survived
from iowatt.model.erasure_code import Code
from iowatt.model.scenario import compile_plan, load
from iowatt.model.scenario.describe import check
from iowatt.sources.simulation.counts import capacity
from refused import faults

SCENARIO = """\
name = "coded"
[[array.pool]]
name = "disks"
device = {{ name = "arrays2002-disk", capacity = "1GB" }}
count = {count}
raid = {{ level = {level}, {keys} }}
{more}
[observe]
duration = "1h"
"""
UNIT = 65536
DRIVE = 1_000_000_000 // UNIT * UNIT


def scenario(count: int, keys: str, more: str = "", level: str = '"ec"') -> str:
    return SCENARIO.format(count=count, keys=keys, more=more, level=level)


@pytest.mark.parametrize(
    ("count", "keys", "code", "survives"),
    [
        (6, "data = 4, parity = 2", Code(4, 2), 2),
        (11, "data = 8, parity = 3", Code(8, 3), 3),
        (20, "data = 17, parity = 3", Code(17, 3), 3),
        (16, "data = 12, parity = 2, local_groups = 2", Code(12, 2, 2), 3),
    ],
)
def test_the_plan_has_the_code_and_its_data_units_of_capacity(count, keys, code, survives):
    text = scenario(count, keys)
    plan = compile_plan(load(text))
    (pool,) = plan["simulation"]["pools"]
    assert pool["raid"]["level"] == "ec"
    assert Code(**pool["raid"]["code"]) == code
    assert check(text).pools[0].usable_bytes == code.data * DRIVE
    assert failures_survived(plan) == survives
    assert capacity({"devices": []}, plan["simulation"]).usable_bytes == code.data * DRIVE


def test_sets_over_more_drives_have_the_units_of_the_code():
    text = scenario(24, "data = 8, parity = 3", 'chunklet = "16MiB"\nsparing = "distributed"\nspares = 1')
    plan = compile_plan(load(text))
    (pool,) = plan["simulation"]["pools"]
    (region,) = pool["chunklets"]["regions"]
    assert (region["set_size"], region["raid"]["code"]) == (11, {"data": 8, "parity": 3})
    assert failures_survived(plan) == 3
    assert capacity({"devices": []}, plan["simulation"]).usable_bytes == region["sets"] * 8 * (16 << 20)


@pytest.mark.parametrize(
    ("count", "keys", "more", "level", "fault"),
    [
        (11, "data = 8", "", '"ec"', "missing @ raid.parity"),
        (11, "parity = 3", "", '"ec"', "missing @ raid.data"),
        (12, "data = 8, parity = 3", "", '"ec"', "out-of-range @ count"),
        (8, "data = 8", "", "5", "not-applicable @ raid.data"),
        (18, "data = 12, parity = 1, local_groups = 5", "", '"ec"', "not-accepted @ raid.local_groups"),
        (21, "data = 12, parity = 6, local_groups = 3", "", '"ec"', "not-accepted @ raid.parity"),
        (24, "data = 8, parity = 3, set_size = 8", "chunklet = true", '"ec"', "not-accepted @ raid.set_size"),
        (6, "data = 4, parity = 2", "spares = 2\nsparing = 'distributed'", '"ec"', "out-of-range @ spares"),
    ],
)
def test_what_makes_no_code_is_refused_in_its_place(count, keys, more, level, fault):
    with pytest.raises(DocumentError) as error:
        load(scenario(count, keys, more, level))
    assert faults(error.value) == fault.replace("@ ", "@ array.pool.disks.")


@pytest.mark.parametrize(
    ("keys", "count", "most"),
    [("data = 4, parity = 3", 7, 3), ("data = 4, parity = 1, local_groups = 2", 7, 3)],
)
def test_failures_beyond_all_parity_are_refused_before_the_run(keys, count, most):
    failures = [f'[[array.pool.failure]]\ndrive = {drive}\nat = "{drive}s"\n' for drive in range(most + 1)]
    load(scenario(count, keys, "".join(failures[:most])))
    with pytest.raises(DocumentError) as error:
        load(scenario(count, keys, "".join(failures)))
    assert faults(error.value) == f"data-loss @ array.pool.disks.failure.{most}"


@pytest.mark.parametrize("code", [Code(4, 2), Code(8, 3), Code(17, 3), Code(12, 2, 2)])
def test_estimated_operations_are_those_of_the_code(code):
    """Small: the unit and the parity over it, read and written. A stripe: written without reads."""
    small = raid_work("ec", code.width, UNIT, 4096, write=True, code=code)
    covering = code.parity + (1 if code.local_groups else 0)
    assert small.updates == (1 + covering, 4096)
    assert (small.reads, small.writes) == (1 + covering, 1 + covering)
    full = raid_work("ec", code.width, UNIT, code.data * UNIT, write=True, step=code.data * UNIT, code=code)
    assert (full.reads, full.plain_writes) == (0, (code.width, UNIT))


def test_a_write_in_one_group_leaves_the_parity_of_the_other():
    """Half a stripe of LRC(12,2,2): reconstruct-write, 6 units read, 6 and three of parity written."""
    code = Code(12, 2, 2)
    half = raid_work("ec", 16, UNIT, 6 * UNIT, write=True, step=6 * UNIT, code=code)
    assert (half.plain_reads, half.plain_writes) == ((6, UNIT), (9, UNIT))
