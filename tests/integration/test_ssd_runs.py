"""SSDs from the scenario to run.json and the report: amplification, wear, joules, states, caps."""

from __future__ import annotations

import functools
import math
import re
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import iowatt
from iowatt.base.errors import InputError
from iowatt.lenses.findings import findings
from iowatt.model.library import device_file, device_names
from iowatt.model.library.describe import good_for
from iowatt.model.library.find import find_device
from iowatt.model.library.ssd.media import MEDIA, amplification, cells_of
from iowatt.pages.run import document
from iowatt.run.tables import FLASH

EXAMPLE = Path(__file__).parents[2] / "examples" / "ssd.toml"
DRIVE = "samsung-845dc-pro-400gb"
WRITES = 120_000
SSDS = [
    name
    for name in device_names()
    if device_file(name).kind == "ssd" and "mechanics" in good_for(device_file(name))
]


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


#: Collects in step with the host's writes; ``DRIVE`` does so in bursts.
STEADY = "'intel-dc-p3700-2tb'"
MAP_ENTRY = 8  # bytes of the map that go to flash for each unit of 4096 bytes


@pytest.mark.parametrize("spare", [0.07, 0.28, 1.0])
def test_random_writes_are_amplified_as_the_closed_form_says(spare):
    pool = f'ssd = {{ over_provisioning = {spare}, gc = {{ policy = "fifo" }} }}'
    found = flash(iowatt.run(scenario(pool, device=STEADY)))
    assert found["write_amplification"] == pytest.approx(amplification(spare), rel=0.02)
    assert found["gc_pages_moved"] > 0


def bursts(writes):
    """A drive that collects in bursts, as fast as it goes."""
    pool = 'ssd = { over_provisioning = 0.07, gc = { policy = "fifo" } }'
    return iowatt.run(scenario(pool).replace(f"{WRITES}", f"{writes}"))


def test_a_drive_that_has_rested_is_told_from_one_that_has_not():
    """Until the free superblocks of a drive that collects in bursts are written, it is faster than later."""
    rested, steady = bursts(WRITES), bursts(1_500_000)
    codes = [{one.code for one in findings(run) if one.decides} for run in (rested, steady)]
    assert ["few-bursts" in found for found in codes] == [True, False]
    assert flash(rested)["write_amplification"] < 0.5 * flash(steady)["write_amplification"]
    assert flash(steady)["write_amplification"] == pytest.approx(amplification(0.07), rel=0.15)
    read = iowatt.run(scenario("", read_share=100).replace(f"{WRITES}", "1000"))
    assert "few-bursts" not in {one.code for one in findings(read)}


def test_a_fresh_drive_amplifies_by_its_map_alone():
    found = flash(iowatt.run(scenario('ssd = { initial = { state = "fresh" } }')))
    assert found["write_amplification"] == pytest.approx(1 + MAP_ENTRY / 4096, rel=1e-3)
    assert (found["gc_pages_moved"], found["erases"]) == (0, 0)


def test_half_of_it_trimmed_is_spare():
    keys = "ssd = { over_provisioning = 0.2, gc = { policy = 'fifo' }, initial = { fill = 0.5 } }"
    text = scenario(keys).replace("rate_iops", "span = '199GB', rate_iops")
    assert flash(iowatt.run(text))["write_amplification"] == pytest.approx(amplification(1.4), rel=0.03)


@pytest.mark.parametrize(
    ("pool", "passed"), [("count = 1", True), ("count = 3\nraid = { level = 5 }", False)]
)
def test_trims_of_a_trace_reach_drives_without_parity(tmp_path, pool, passed):
    rows = [f"{i / 1000},{op},{i // 2 * 8192},8192" for i, op in enumerate(["write", "trim"] * 50)]
    (tmp_path / "t.csv").write_text("\n".join(["time,op,offset,size", *rows]) + "\n")
    text = (
        'name = "trims"\n[[workload]]\nname = "w"\n'
        'trace = { path = "t.csv", format = "csv", time_unit = "s" }\n'
        f"[[array.pool]]\nname = 'drive'\ndevice = '{DRIVE}'\n{pool}\n"
    )
    (tmp_path / "trims.toml").write_text(text)
    run = iowatt.run(tmp_path / "trims.toml")
    trimmed = sum(device["flash"]["trimmed_bytes"] for device in run.summary["devices"])
    notes = " ".join(run.summary["notes"])
    assert trimmed == (50 * 8192 if passed else 0)
    assert (run.summary["requests"]["reads"], run.summary["requests"]["writes"]) == (0, 50)
    left_out = re.findall(r"(\d+) trims and (\d+) flushes", notes)
    assert left_out == ([] if passed else [("50", "0")])
    assert "50 trims" in notes


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
    drive = "{ name = 'samsung-960-evo-1tb', power = { idle = '1.1W' } }"
    text = scenario("", device=drive).replace("rate_iops = 1000", "rate_iops = 2").replace(f"{WRITES}", "40")
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


def one_read_at_a_time(name):
    """Random reads of 4 KiB, one at a time, with watts made up where the device has none."""
    drive = find_device(name)
    made_up = (
        "" if not drive.missing_watts else f", power = {{ idle = '{drive.power.idle or 2}W', active = '9W' }}"
    )
    text = scenario("", device=f"{{ name = '{name}'{made_up} }}", read_share=100, depth=1)
    return iowatt.run(text.replace(f"{WRITES}", "20000")).summary


@pytest.mark.parametrize("name", SSDS)
def test_no_cell_is_read_faster_than_it_is_sensed(name):
    """Where a latency is published, that; else no less than what cells of the kind need."""
    file, reads = device_file(name), one_read_at_a_time(name)["response_time_ms"]["read"]
    if file.performance.read_latency is not None:
        # Page types are drawn, and a few pages are sensed again.
        assert reads["mean"] / 1e3 == pytest.approx(file.performance.read_latency, rel=0.03)
        return
    if "XPoint" in (file.media or ""):
        assert reads["mean"] < 0.02, "it is no NAND"
        return
    sensing = [MEDIA[cell].read_s for cell in cells_of(file.media)] or [MEDIA["tlc"].read_s]
    assert reads["mean"] / 1e3 > min(sensing)


def test_published_reads_at_depth_1_are_met():
    """14,000 reads a second of the 960 EVO and PRO, as their reviews print Samsung's specification."""
    for name in ("samsung-960-evo-1tb", "samsung-960-pro-512gb"):
        assert one_read_at_a_time(name)["throughput"]["iops"] == pytest.approx(14_000, rel=0.01)


SLEEPER = "samsung-960-evo-1tb"


def test_a_drive_draws_its_base_as_long_as_it_has_work():
    """A measured NVMe drive draws 2.52 W at 14,531 reads of 4 KiB a second, at most 4.4 W (PowerSensor3)."""
    summary = one_read_at_a_time(SLEEPER)
    assert summary["power_w"]["mean"] == pytest.approx(2.52, rel=0.15)
    awake_w = find_device(SLEEPER).awake_w
    assert 0.3 <= awake_w / 5.7 <= 0.57
    # Twice the rate is nowhere near twice the watts.
    text = scenario("", device=f"'{SLEEPER}'", read_share=100, depth=2).replace(f"{WRITES}", "2000")
    twice = iowatt.run(text).summary
    assert twice["throughput"]["iops"] == pytest.approx(2 * summary["throughput"]["iops"], rel=0.02)
    assert awake_w < summary["power_w"]["mean"] < twice["power_w"]["mean"] < 1.1 * summary["power_w"]["mean"]


def slowly(rate, count=40, pool=""):
    text = scenario(pool, device=f"'{SLEEPER}'", read_share=100).replace(f"{WRITES}", f"{count}")
    text = text.replace("rate_iops = 1000", f"rate_iops = {rate}")
    return iowatt.run(text.replace('mode = "closed", outstanding = 32', 'mode = "open"')).summary


def test_it_stays_awake_for_a_while_and_then_sleeps():
    drive = find_device(SLEEPER)
    often, seldom = slowly(200), slowly(0.5)
    # Every 5 ms: it never sleeps.
    assert often["power_w"]["mean"] == pytest.approx(drive.awake_w, rel=0.02)
    # Every 2 s: awake for 100 ms after most reads, asleep at the published idle else.
    (device,) = seldom["devices"]
    span, idle_s = seldom["window"]["duration_s"], device["state_time_s"]["idle"]
    awake_s = (device["energy_j"]["idle"] - drive.power.idle * idle_s) / (drive.awake_w - drive.power.idle)
    assert 0.7 * 4 < awake_s <= 4 * (1 + 1e-9)
    assert sum(device["state_time_s"].values()) == pytest.approx(span, rel=1e-9)
    assert math.isclose(sum(device["energy_by_cause_j"].values()), sum(device["energy_j"].values()))
    assert seldom["power_w"]["mean"] < 0.2


def test_without_work_it_draws_its_idle_and_nothing_else():
    text = scenario("", device=f"'{SLEEPER}'", observe='warmup = "0s"\nduration = "20s"')
    start, end = text.index("[[workload]]"), text.index("[[array.pool]]")
    summary = iowatt.run(text[:start] + text[end:]).summary
    assert summary["energy"]["total_j"] == pytest.approx(find_device(SLEEPER).power.idle * 20, rel=1e-12)


def test_under_a_power_policy_it_sleeps_when_the_policy_says_so():
    policy = 'power = { policy = "fixed-threshold", threshold = "50ms", to = "ps3" }'
    summary = slowly(0.5, pool=policy)
    drive, (device,) = find_device(SLEEPER), summary["devices"]
    assert device["state_time_s"]["ps3"] > 0.9 * summary["window"]["duration_s"]
    assert device["energy_j"]["idle"] == pytest.approx(
        drive.awake_w * device["state_time_s"]["idle"], rel=1e-9
    )
    assert drive.kept_awake().notes[-1] in summary["notes"]


def test_watts_above_the_sheet_are_a_warning():
    """Reads of what was never written need no cells: beside writes, both links are at their full rate."""
    device, pool = "'intel-d7-p5500-7-68tb'", 'ssd = { initial = { state = "fresh" } }'
    text = scenario(pool, device=device, read_share=40, depth=256).replace(f"{WRITES}", "40000")
    text = text.replace('read_share=40"', 'read_share=40", "stream.uniform.size=131072"')
    run = iowatt.run(text)
    watts = run.summary["power_w"]["mean"]
    assert watts > 20 * 1.03
    (warning,) = [one for one in findings(run) if "data sheet" in one.text]
    assert warning.decides
    assert f"{watts:.1f}" in warning.text
    assert any(f"{watts:.3g} W" in note and "20 W" in note for note in run.summary["notes"])


@pytest.mark.parametrize("name", ["intel-dc-p3700-2tb", "intel-d7-p5500-7-68tb", "samsung-845dc-pro-400gb"])
def test_reading_draws_no_more_than_the_sheet_wherever_the_data_lie(name):
    """128 KiB of randomly written data, 32 at a time: as many pages are sensed as there are units."""
    text = scenario("", device=f"'{name}'", read_share=100).replace(f"{WRITES}", "10000")
    run = iowatt.run(text.replace('read_share=100"', 'read_share=100", "stream.uniform.size=131072"'))
    assert run.summary["power_w"]["mean"] <= find_device(name).work.most * 1.001
    assert "above-rated-power" not in {one.code for one in findings(run)}


def test_its_part_of_the_report():
    sections = {section.key: section for section in document(example()).sections}
    writes, energy = sections["flash"].figures
    devices = example().summary["devices"]
    assert [row[0] for row in writes.table.rows] == [device["name"] for device in devices]
    assert len(devices) == 4
    by_hosts = [device["flash"]["host_bytes_written"] for device in devices]
    assert [row[1] / writes.table.rows[0][1] for row in writes.table.rows] == pytest.approx(
        [written / by_hosts[0] for written in by_hosts]
    )
    programmed = [bar["y"] for bar in writes.spec["data"]]
    for row, own, beyond in zip(writes.table.rows, *programmed, strict=True):
        assert row[2] == pytest.approx(own + beyond)
        assert row[3] == pytest.approx((own + beyond) / own)
    assert sum(energy.table.column("Share")) == pytest.approx(100)
    disks = iowatt.run(EXAMPLE.parent / "idle.toml")
    assert "flash" not in {section.key for section in document(disks).sections}
    assert "flash" not in disks.summary["devices"][0]


RATE, IOPS = st.floats(1, 20_000), st.floats(100, 1e7)
FLASH_KEYS = st.sampled_from(
    ["", "over_provisioning = 0.02", 'mapping_unit = "16KiB"', 'mapping_unit = "12KiB"', 'write_buffer = "0"']
)


@settings(max_examples=40, deadline=None)
@given(
    rates=st.tuples(RATE, RATE, IOPS, IOPS),
    capacity=st.integers(10**8, 10**14),
    media=st.sampled_from(["SLC", "MLC", "TLC", "QLC", "3D XPoint"]),
    more=st.tuples(FLASH_KEYS, st.sampled_from(["steady", "fresh"])),
)
def test_any_data_sheet_is_simulated_or_refused(tmp_path_factory, rates, capacity, media, more):
    keys, state = more
    folder = tmp_path_factory.mktemp("own")
    read, write, random_read, random_write = rates
    (folder / "own.toml").write_text(
        f'name = "own"\nkind = "ssd"\ntitle = "Own"\ncapacity = "{capacity}B"\ninterface = "NVMe"\n'
        f'media = "{media}"\n[performance]\nsequential_read = "{read:.6f}MB/s"\n'
        f'sequential_write = "{write:.6f}MB/s"\nrandom_read_iops = {random_read}\n'
        f'random_write_iops = {random_write}\n[power]\nidle = "1W"\nactive = "5W"\n[flash]\n{keys}\n'
    )
    pool = f'ssd = {{ initial = {{ state = "{state}" }} }}'
    text = scenario(pool, device=f"'{folder / 'own.toml'}'", read_share=50).replace(f"{WRITES}", "200")
    try:
        summary = iowatt.run(text).summary
    except InputError as error:
        assert "own.toml" in str(error) or error.code == "not-applicable", str(error)
        return
    assert summary["requests"]["completed"] == 200
    assert summary["devices"][0]["flash"]["modelled"] in (True, False)
