"""Write off-loading, MAID and PDC in a scenario: what becomes of their keys, and what is refused."""

from __future__ import annotations

import pytest

from iowatt.base.problems import DocumentError
from iowatt.model.scenario import compile_plan, load
from refused import faults

HEAD = (
    'name = "s"\n[[workload]]\nname = "w"\nprofile = { name = "uniform", rate_iops = 1, duration = "1s" }\n'
)
POOL = '[[array.pool]]\nname = "{}"\ndevice = "arrays2002-disk"\ncount = 1\n'
POOLS = "".join(POOL.format(name) for name in ("a", "b", "c"))
OFF_LOADING = 'scheme = "write-off-loading"\npart = ["a", "b", "c"]\nlog = "1GiB"\n'
MAID = 'scheme = "maid"\ncache = { pool = "a", capacity = "1GiB" }\ndata = ["b", "c"]\n'
PDC = 'scheme = "pdc"\npart = ["a", "b", "c"]\n'
GIB = 1 << 30


def plan_of(keys):
    text = f'{HEAD}{POOLS}[[array.virtual_pool]]\nname = "all"\n{keys}'
    plan = compile_plan(load(text))["simulation"]
    return plan["virtual_pools"][0], plan["volumes"][0]


def test_off_loading_leaves_each_part_less_its_log():
    pool, volume = plan_of(OFF_LOADING)
    parts = [part["capacity_bytes"] // 4096 * 4096 for part in pool["parts"]]
    assert volume["capacity_bytes"] == sum(parts) - 3 * GIB
    assert pool["scheme"] == {
        "kind": "write-off-loading", "log_bytes": GIB, "off_load_after_s": 60.0, "log_fill": 0.75,
        "reclaim_bytes": 256 * 1024, "reclaims_at_once": 1,
    }  # fmt: skip


def test_maids_cache_adds_nothing_to_its_capacity():
    pool, volume = plan_of(MAID + 'writes = "through"\nline = "16KiB"\n')
    assert [part["pool"] for part in pool["parts"]] == [0, 1, 2]
    assert volume["capacity_bytes"] == sum(p["capacity_bytes"] // 16_384 * 16_384 for p in pool["parts"][1:])
    assert pool["scheme"] == {
        "kind": "maid", "line_bytes": 16_384, "log_writes": False, "log_after_s": 60.0, "log_fill": 0.5,
        "destages_at_once": 2,
    }  # fmt: skip


def test_pdc_keeps_room_for_moves():
    pool, volume = plan_of(PDC + 'extent = "16MiB"\nmigrations_at_once = 2\nload = 50\nperiod = "1h"\n')
    extents = [part["capacity_bytes"] // (16 << 20) - 2 for part in pool["parts"]]
    assert volume["capacity_bytes"] == sum(extents) * (16 << 20)
    assert pool["scheme"] == {
        "kind": "pdc", "extent_bytes": 16 << 20, "period_s": 3600.0, "memory": 0.5, "load_per_s": 50.0,
        "migrations_at_once": 2, "step_bytes": 1 << 20,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        (OFF_LOADING.replace("1GiB", "10TiB"), "out-of-range @ array.virtual_pool.all.log"),
        (
            OFF_LOADING.replace('"1GiB"', '"900GiB"'),
            (
                "out-of-range @ array.virtual_pool.all.log & "
                "out-of-range @ array.virtual_pool.all.log & "
                "out-of-range @ array.virtual_pool.all.log"
            ),
        ),
        (OFF_LOADING.replace('["a", "b", "c"]', '["a"]'), "out-of-range @ array.virtual_pool.all.part"),
        (OFF_LOADING + "log_fill = 0\n", "out-of-range @ array.virtual_pool.all.log_fill"),
        (MAID + 'line = "12KiB"\n', "not-accepted @ array.virtual_pool.all.line"),
        (MAID + 'writes = "back"\n', "not-accepted @ array.virtual_pool.all.writes"),
        (
            MAID.replace('["b", "c"]', '["a", "c"]'),
            "missing @ workload.w & duplicate @ array.virtual_pool.all.data.0.pool",
        ),
        (PDC + "memory = 1\n", "out-of-range @ array.virtual_pool.all.memory"),
        (PDC + 'extent = "1MiB"\nstep = "2MiB"\n', "not-accepted @ array.virtual_pool.all.step"),
        (
            PDC.replace('"a"', '{ pool = "a", capacity = "128MiB" }') + "migrations_at_once = 2\n",
            "out-of-range @ array.virtual_pool.all.extent",
        ),
    ],
)
def test_what_cannot_be_is_refused(keys, fault):
    with pytest.raises(DocumentError) as error:
        plan_of(keys)
    assert faults(error.value) == fault
