"""Pools of SSDs: what they may have, what is refused with place and fix, and what the simulator is told."""

from __future__ import annotations

import pytest

from iowatt.base.errors import InputError
from iowatt.model.scenario import compile_plan, load
from iowatt.model.scenario.describe import describe

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
    assert device["media"]["gc"] == {"policy": "greedy", "free_blocks": 4, "hot_cold": False}
    assert device["power"] == {
        "active_w": 5.0,
        "awake_s": 0.0,
        "levels": {"idle_w": 5.0, "below": []},
        "states": [],
        "cap_w": None,
    }
    assert device["wear"] == {"pe_cycles": 3000, "rated_bytes_written": 3 * 6.4e12 * 365 * 5}
    assert made["names"]["devices"][0]["kind"] == "ssd"
    assert any("flash.over_provisioning" in note for note in made["notes"])


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
    assert media["gc"] == {"policy": "cost-benefit", "free_blocks": 4, "hot_cold": True}
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
    assert any("sets its over-provisioning to 0.5" in note for note in made["notes"])


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
    (pool,) = describe(load(text("")))["pools"]
    assert (pool["kind"], pool["simulated_by"], pool["queue_depth"]) == ("ssd", "flash", 1024)
    assert pool["flash_bytes"] > pool["raw_bytes"]
    (pool,) = describe(load(text('ssd = { model = "data-sheet" }')))["pools"]
    assert (pool["simulated_by"], pool["dies"]) == ("data sheet", None)


@pytest.mark.parametrize(
    ("pool", "place", "message", "hint"),
    [
        ('scheduler = "look"', "scheduler", "distances mean nothing", "leave it out"),
        ('drive_scheduler = "sptf"', "drive_scheduler", "is an SSD", "side by side"),
        ("write_cache = false", "write_cache", "is an SSD", "write_buffer"),
        ('phase = "zero"', "phase", "is an SSD", "nothing turns"),
        ("queue_depth = 5000", "queue_depth", "holds at most 1024 commands", "at most 1024"),
        ('power = { policy = "two-competitive" }', "power", "needs a power state below idling", "ps3"),
        (
            'power = { policy = "multi-speed", timers = { rpm_1 = "1s" } }',
            "power.policy",
            "no speeds",
            "multi-level",
        ),
        ('ssd = { power_state = "ps1" }', "ssd.power_state", "has no power state 'ps1'", "power_cap = "),
        (
            'ssd = { initial = { state = "fresh", fill = 0.5 } }',
            "ssd.initial.fill",
            "a fresh drive has nothing behind it",
            "leave it out",
        ),
        ('ssd = { power_cap = "5W" }', "ssd.power_cap", "leaves nothing to work with", None),
        ('ssd = { initial = { run = "6KiB" } }', "ssd.initial.run", "no whole number of mapping units", None),
    ],
)
def test_what_makes_no_sense(pool, place, message, hint):
    with pytest.raises(InputError) as error:
        plan(pool)
    assert message in str(error.value)
    assert f"array.pool.ssds.{place}" in str(error.value)
    assert hint is None or hint in str(error.value)


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ("rpm = 7200", "device.rpm"),
        ("power = { standby = '1W' }", "device.power.standby"),
        ("power = { spin_up_time = '1s' }", "device.power.spin_up_time"),
        ("power = { level = [{ name = 'idle_b', power = '1W' }] }", "device.power.level"),
    ],
)
def test_figures_of_disks_are_refused(keys, place):
    with pytest.raises(InputError) as error:
        plan(device=f"{{ name = 'intel-d7-p5600-6-4tb', {keys} }}")
    assert f"array.pool.ssds.{place}" in str(error.value)


def test_levels_that_are_not_there():
    device = f"{{ name = 'intel-d7-p5600-6-4tb', power = {{ state = [{CAP}, {STATE}] }} }}"
    with pytest.raises(InputError, match=r"no power level 'standby'.*\n.*it has ps3"):
        plan('power = { policy = "fixed-threshold", threshold = "1s" }', device)
    with pytest.raises(InputError, match="'ps3' of 'intel-d7-p5600-6-4tb' serves no commands"):
        plan('ssd = { power_state = "ps3" }', device)
    with pytest.raises(InputError, match="both `power_state` and `power_cap` are given"):
        plan('ssd = { power_state = "ps1", power_cap = "9W" }', device)


def test_the_data_sheet_has_no_flash():
    with pytest.raises(InputError, match=r"array\.pool\.ssds\.ssd\.gc: .* is simulated by its data sheet"):
        plan('ssd = { model = "data-sheet", gc = { policy = "fifo" } }')
    with pytest.raises(
        InputError, match=r"array\.pool\.ssds\.ssd\.model: .*names no single type of NAND cell"
    ):
        plan('ssd = { model = "flash" }', "'intel-optane-dc-p4800x-375gb'")


def test_disks_have_no_flash():
    for keys, place in (("ssd = { over_provisioning = 0.1 }", "ssd"),):
        with pytest.raises(InputError) as error:
            plan(keys, "'arrays2002-disk'")
        assert f"array.pool.ssds.{place}" in str(error.value)
    device = f"{{ name = 'arrays2002-disk', power = {{ state = [{STATE}] }} }}"
    with pytest.raises(InputError, match=r"array\.pool\.ssds\.device\.power\.state: .* is a disk"):
        plan(device=device)


def test_traffic_adds_up():
    with pytest.raises(InputError, match=r"the shares of space in traffic add up to 0\.5; expected 1"):
        plan("ssd = { initial = { traffic = [{ space = 0.5, writes = 1.0 }] } }")
