"""Pools of SSDs: what they may have, what is refused with place and fix, and what the simulator is told."""

from __future__ import annotations

import re

import pytest

from iowatt.base.errors import InputError
from iowatt.model.scenario import compile_plan, load
from iowatt.model.scenario.describe import describe
from noted import noted
from refused import faults, refused

STATE = '{ name = "ps3", power = "50mW", operational = false, enter_latency = "2ms", exit_latency = "1ms" }'
CAP = '{ name = "ps1", power = "12W" }'


def text(pool, device="'intel-d7-p5600-6-4tb'"):
    return (
        'name = "flash"\n[[workload]]\nname = "w"\n'
        'profile = { name = "uniform", rate_iops = 1000, duration = "1s" }\n'
        f"[[array.pool]]\nname = 'ssds'\ndevice = {device}\ncount = 1\n{pool}\n"
    )


def plan(pool="", device="'intel-d7-p5600-6-4tb'"):
    return compile_plan(load(text(pool, device)))


def device_plan(pool="", device="'intel-d7-p5600-6-4tb'"):
    return plan(pool, device)["simulation"]["pools"][0]["device"]


def test_without_any_key():
    made = plan()
    (pool,) = made["simulation"]["pools"]
    assert pool["scheduler"] == "fcfs"
    assert pool["command_queue"] == {"depth": 1024, "scheduler": "fcfs"}
    device = pool["device"]
    assert (device["kind"], device["sectors"] * device["sector_bytes"]) == ("ssd", 6_400_000_000_000)
    assert device["media"]["initial"] == {"kind": "steady", "fill": 1.0, "traffic": [], "run_bytes": None}
    assert device["media"]["gc"] == {"policy": "greedy", "free_blocks": 4, "hot_cold": False, "burst": None}
    assert device["power"] == {
        "active_w": 5.0,
        "awake_s": 0.0,
        "levels": {"idle_w": 5.0, "below": []},
        "states": [],
        "cap_w": None,
    }
    assert device["wear"] == {"pe_cycles": 3000, "rated_bytes_written": 3 * 6.4e12 * 365 * 5}
    assert made["names"]["devices"][0]["kind"] == "ssd"
    assert "flash.over_provisioning" in noted(made["notes"])["drive"]


def at(key: str) -> re.Pattern[str]:
    return re.compile(rf": array\.pool\.ssds\.{re.escape(key)}$")


def test_what_a_scenario_says_reaches_the_plan():
    keys = (
        'queue_depth = 64\nssd = { over_provisioning = 0.5, write_buffer = "0", wear_levelling = 50, '
        'power_cap = "15W", '
        'gc = { policy = "cost-benefit", hot_cold = true }, initial = { fill = 0.5, run = "64KiB", '
        "traffic = [{ space = 0.2, writes = 0.8 }, { space = 0.8, writes = 0.2 }] } }"
    )
    made = plan(keys)
    (pool,) = made["simulation"]["pools"]
    media = pool["device"]["media"]
    assert pool["command_queue"]["depth"] == 64
    assert media["gc"] == {"policy": "cost-benefit", "free_blocks": 4, "hot_cold": True, "burst": None}
    assert (media["buffer_bytes"], media["wear_levelling"]) == (0, 50)
    assert media["initial"] == {
        "kind": "steady",
        "fill": 0.5,
        "traffic": [{"space": 0.2, "writes": 0.8}, {"space": 0.8, "writes": 0.2}],
        "run_bytes": 65536,
    }
    assert pool["device"]["power"]["cap_w"] == 15.0
    flash = media["blocks_per_plane"] * media["pages_per_block"] * media["page_bytes"] * media["planes"]
    flash *= media["channels"] * media["dies_per_channel"]
    assert flash == pytest.approx(1.5 * 6.4e12, rel=0.01)
    assert "over-provisioning to 0.5" in noted(made["notes"])["drive"]


def test_fresh_and_by_the_data_sheet():
    assert device_plan('ssd = { initial = { state = "fresh" } }')["media"]["initial"] == {"kind": "fresh"}
    media = device_plan('ssd = { model = "data-sheet" }')["media"]
    assert media["kind"] == "data-sheet"
    assert media["write"]["iops"] == 260_000
    assert media["write_amplification"] == pytest.approx(4300e6 / (260_000 * 4096))


def test_states_of_nvme():
    device = f"{{ name = 'intel-d7-p5600-6-4tb', power = {{ state = [{CAP}, {STATE}] }} }}"
    made = plan('power = { policy = "fixed-threshold", threshold = "1s", to = "ps3" }', device)
    assert made["names"]["states"] == ["ps3"]
    assert made["names"]["devices"][0]["levels"] == ["ps3"]
    power = made["simulation"]["pools"][0]["device"]["power"]
    assert power["states"] == [6]
    assert device_plan('ssd = { power_state = "ps1" }', device)["power"]["cap_w"] == 12.0


def test_figures_that_a_scenario_gives():
    device = "{ name = 'kioxia-cd6-r-15-36tb', power = { idle = '5W', active = '14W' } }"
    assert device_plan(device=device)["power"]["active_w"] == 5.0
    device = "{ name = 'intel-d7-p5600-6-4tb', capacity = '3.2TB' }"
    assert device_plan(device=device)["sectors"] * 512 == 3_200_000_000_000


def test_check_says_what_it_amounts_to():
    (pool,) = describe(load(text(""))).pools
    assert (pool.kind, pool.simulated_by, pool.queue_depth) == ("ssd", "flash", 1024)
    assert pool.flash_bytes > pool.raw_bytes
    (pool,) = describe(load(text('ssd = { model = "data-sheet" }'))).pools
    assert (pool.simulated_by != "flash", pool.dies) == (True, None)


@pytest.mark.parametrize(
    ("pool", "fault", "figures"),
    [
        ('scheduler = "look"', "not-applicable @ array.pool.ssds.scheduler", []),
        ('drive_scheduler = "sptf"', "not-applicable @ array.pool.ssds.drive_scheduler", []),
        ('scheduler_deadline = "1s"', "not-applicable @ array.pool.ssds.scheduler_deadline", []),
        ('drive_deadline = "1s"', "not-applicable @ array.pool.ssds.drive_deadline", []),
        ("write_cache = false", "not-applicable @ array.pool.ssds.write_cache", []),
        ('phase = "zero"', "not-applicable @ array.pool.ssds.phase", []),
        ("queue_depth = 5000", "out-of-range @ array.pool.ssds.queue_depth", ["1024"]),
        ('power = { policy = "two-competitive" }', "missing-figure @ array.pool.ssds.power", []),
        (
            'power = { policy = "multi-speed", timers = { rpm_1 = "1s" } }',
            "not-applicable @ array.pool.ssds.power.policy",
            [],
        ),
        ('ssd = { power_state = "ps1" }', "unknown-name @ array.pool.ssds.ssd.power_state", ["'ps1'"]),
        (
            'ssd = { initial = { state = "fresh", fill = 0.5 } }',
            "not-applicable @ array.pool.ssds.ssd.initial.fill",
            [],
        ),
        ('ssd = { power_cap = "5W" }', "out-of-range @ array.pool.ssds.ssd.power_cap", []),
        ('ssd = { initial = { run = "6KiB" } }', "not-accepted @ array.pool.ssds.ssd.initial.run", []),
    ],
)
def test_what_makes_no_sense(pool, fault, figures):
    with pytest.raises(InputError) as error:
        plan(pool)
    assert faults(error.value) == fault
    assert [figure for figure in figures if figure not in str(error.value)] == []


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        ("rpm = 7200", "not-applicable @ array.pool.ssds.device.rpm"),
        ("power = { standby = '1W' }", "not-applicable @ array.pool.ssds.device.power.standby"),
        ("power = { spin_up_time = '1s' }", "not-applicable @ array.pool.ssds.device.power.spin_up_time"),
        (
            "power = { level = [{ name = 'idle_b', power = '1W' }] }",
            "not-applicable @ array.pool.ssds.device.power.level",
        ),
    ],
)
def test_figures_of_disks_are_refused(keys, fault):
    with pytest.raises(InputError) as error:
        plan(device=f"{{ name = 'intel-d7-p5600-6-4tb', {keys} }}")
    assert faults(error.value) == fault


def test_levels_that_are_not_there():
    device = f"{{ name = 'intel-d7-p5600-6-4tb', power = {{ state = [{CAP}, {STATE}] }} }}"
    with refused("unknown-name", at("power")) as error:
        plan('power = { policy = "fixed-threshold", threshold = "1s" }', device)
    assert "'standby'" in error.value.message
    assert "ps3" in (error.value.hint or "")
    with refused("not-applicable", at("ssd.power_state")):
        plan('ssd = { power_state = "ps3" }', device)
    with refused("conflict", at("ssd.power_state")):
        plan('ssd = { power_state = "ps1", power_cap = "9W" }', device)


def test_the_data_sheet_has_no_flash():
    with refused("not-applicable", at("ssd.gc")):
        plan('ssd = { model = "data-sheet", gc = { policy = "fifo" } }')
    with refused("missing-figure", at("ssd.model")):
        plan('ssd = { model = "flash" }', "'intel-optane-dc-p4800x-375gb'")


def test_disks_have_no_flash():
    with refused("not-applicable", at("ssd")):
        plan("ssd = { over_provisioning = 0.1 }", "'arrays2002-disk'")
    device = f"{{ name = 'arrays2002-disk', power = {{ state = [{STATE}] }} }}"
    with refused("not-applicable", at("device.power.state")):
        plan(device=device)


def test_traffic_adds_up():
    with refused("conflict", at("ssd.initial")) as error:
        plan("ssd = { initial = { traffic = [{ space = 0.5, writes = 1.0 }] } }")
    assert "0.5" in error.value.message
