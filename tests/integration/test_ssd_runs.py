"""SSDs from the scenario to run.json and the report: amplification, wear, joules, states, caps."""

from __future__ import annotations

import functools
import math
from pathlib import Path

import polars as pl
import pytest

import iowatt
from iowatt.library import device_file
from iowatt.library.ssd.amplification import amplification
from iowatt.report import figures
from iowatt.run.tables import FLASH

EXAMPLE = Path(__file__).parents[2] / "examples" / "ssd.toml"
DRIVE = "samsung-845dc-pro-400gb"
WRITES = 120_000


def scenario(
    pool: str, *, device: str = f"'{DRIVE}'", read_share: int = 0, observe: str = "", depth: int = 32
):
    keys = f'"stream.uniform.read_share={read_share}"'
    return (
        'name = "ssd"\n[[workload]]\nname = "w"\n'
        f'profile = {{ name = "uniform", rate_iops = 1000, set = [{keys}], '
        f'requests = {WRITES} }}\nreplay = {{ mode = "closed", outstanding = {depth} }}\n'
        f"[[array.pool]]\nname = 'drive'\ndevice = {device}\ncount = 1\n{pool}\n[observe]\n{observe}\n"
    )


@functools.cache
def example():
    return iowatt.run(EXAMPLE)


def flash(run):
    (device,) = run.summary["devices"]
    return device["flash"]


@pytest.mark.parametrize("spare", [0.07, 0.28, 1.0])
def test_random_writes_are_amplified_as_the_closed_form_says(spare):
    run = iowatt.run(scenario(f'ssd = {{ over_provisioning = {spare}, gc = {{ policy = "fifo" }} }}'))
    assert flash(run)["write_amplification"] == pytest.approx(amplification(spare), rel=0.02)
    assert flash(run)["gc_pages_moved"] > 0


def test_a_fresh_drive_amplifies_nothing():
    found = flash(iowatt.run(scenario('ssd = { initial = { state = "fresh" } }')))
    assert found["write_amplification"] == 1.0
    assert (found["gc_pages_moved"], found["erases"]) == (0, 0)


def test_half_of_it_trimmed_is_spare():
    keys = "ssd = { over_provisioning = 0.2, gc = { policy = 'fifo' }, initial = { fill = 0.5 } }"
    text = scenario(keys).replace("rate_iops", "span = '199GB', rate_iops")
    assert flash(iowatt.run(text))["write_amplification"] == pytest.approx(amplification(1.4), rel=0.03)


def test_wear_is_that_of_the_ratings():
    run = iowatt.run(scenario(""))
    (device,) = run.summary["devices"]
    file = device_file(DRIVE)
    assert device["wear_fraction"] == pytest.approx(WRITES * 4096 / file.endurance.tbw)
    found = device["flash"]
    programmed = found["flash_bytes_written"]
    assert programmed == pytest.approx(found["write_amplification"] * WRITES * 4096)
    assert found["pe_cycles_fraction"] == pytest.approx(programmed / found["raw_bytes"] / 10_000)


def test_joules_by_operation_are_part_of_those_while_active():
    for run in (example(), iowatt.run(scenario("", read_share=50))):
        for device in run.summary["devices"]:
            active = device["energy_j"]["active"] - device["state_time_s"]["active"] * _idle_w(run, device)
            operations = sum(device["flash"]["energy_by_operation_j"].values())
            assert operations == pytest.approx(active, rel=1e-6)
            assert math.isclose(sum(device["energy_by_cause_j"].values()), sum(device["energy_j"].values()))


def _idle_w(run, device):
    (watts,) = [d["idle_w"] for d in run.plan["names"]["devices"] if d["name"] == device["name"]]
    return watts


def test_the_example_writes_parity_too():
    summary = example().summary
    assert summary["power_w"]["mean"] > summary["power_w"]["idle"]
    hosts = summary["requests"]["bytes_written"]
    written = sum(device["flash"]["host_bytes_written"] for device in summary["devices"])
    # A small write of RAID-5 writes data and parity.
    assert written == pytest.approx(2 * hosts, rel=0.02)
    assert summary["energy"]["by_cause_j"]["redundancy"] > 0
    assert summary["energy"]["by_cause_j"]["background"] > 0
    assert any("flash.over_provisioning" in note for note in summary["notes"])


def test_the_table_of_devices_has_it():
    table = example().table("devices")
    assert {f"flash_{key}" for key in FLASH} <= set(table.columns)
    assert table["flash_modelled"].to_list() == [True] * 4
    energy = example().table("energy")
    assert energy["kind"].unique().to_list() == ["ssd"]
    assert energy.filter(pl.col("state") == "positioning")["time_s"].sum() == 0


def test_a_cap_bounds_watts_and_rate():
    device, more = "'intel-d7-p5600-6-4tb'", {"observe": 'warmup = "100ms"', "depth": 256}
    free = iowatt.run(scenario("", device=device, **more)).summary
    capped = iowatt.run(scenario('ssd = { power_cap = "10W" }', device=device, **more)).summary
    assert capped["power_w"]["mean"] <= 10 * (1 + 1e-9)
    assert free["power_w"]["mean"] > 14
    # Above idling, watts and requests go together.
    share = (capped["power_w"]["mean"] - 5) / (free["power_w"]["mean"] - 5)
    assert capped["throughput"]["iops"] / free["throughput"]["iops"] == pytest.approx(share, rel=0.05)


def test_states_of_nvme_save_power_and_cost_latency():
    device = "{ name = 'samsung-960-evo-1tb', power = { idle = '1.1W' } }"
    text = scenario("", device=device).replace("rate_iops = 1000", "rate_iops = 2").replace(f"{WRITES}", "40")
    text = text.replace('mode = "closed", outstanding = 32', 'mode = "open"')
    policy = 'power = { policy = "fixed-threshold", threshold = "20ms", to = "ps4" }'
    awake = iowatt.run(text).summary
    asleep = iowatt.run(text.replace("count = 1\n", f"count = 1\n{policy}\n")).summary
    assert asleep["energy"]["total_j"] < 0.3 * awake["energy"]["total_j"]
    (device,) = asleep["devices"]
    assert device["state_time_s"]["ps4"] > 0.9 * asleep["window"]["duration_s"]
    # ps4 is left in 6 ms.
    assert asleep["response_time_ms"]["all"]["p50"] == pytest.approx(6, rel=0.02)
    assert awake["response_time_ms"]["all"]["max"] < 1


def test_its_part_of_the_report():
    sections = {section.key: section for section in figures.of_run(example())}
    writes, energy = sections["flash"].figures
    assert [column.title for column in writes.table.columns][:2] == ["Drive", "Written by hosts"]
    assert len(writes.table.rows) == 4
    programmed = [bar["y"] for bar in writes.spec["data"]]
    for row, own, beyond in zip(writes.table.rows, *programmed, strict=True):
        assert row[2] == pytest.approx(own + beyond)
        assert row[3] == pytest.approx((own + beyond) / own)
    assert sum(energy.table.column("Share")) == pytest.approx(100)
    disks = iowatt.run(EXAMPLE.parent / "idle.toml")
    assert "flash" not in {section.key for section in figures.of_run(disks)}
    assert "flash" not in disks.summary["devices"][0]
