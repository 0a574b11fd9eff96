"""Commands that a drive holds, through all of iowatt."""

from __future__ import annotations

import pytest
import small_arrays

import iowatt

DEPTH = "array.pool.disks.queue_depth"
SCHEDULER = "array.pool.disks.drive_scheduler"


@pytest.fixture(scope="module")
def burst(tmp_path_factory):
    """500 reads that come at once."""
    folder = tmp_path_factory.mktemp("queues")
    lines = [f"0,R,{i * 7_919 % 100_000 * 4096},4096" for i in range(500)]
    scenario = small_arrays.one_pool(folder, lines)
    return lambda *sets: iowatt.run(scenario, set=["array.pool.disks.scheduler=fcfs", *sets])


def mean_ms(run):
    return run.summary["response_time_ms"]["all"]["mean"]


def test_the_drive_chooses_among_what_it_holds(burst):
    one, eight, all_of_them = burst(), burst(f"{DEPTH}=8", f"{SCHEDULER}=sptf"), burst(
        f"{DEPTH}=512", f"{SCHEDULER}=sptf"
    )  # fmt: skip
    assert mean_ms(all_of_them) < mean_ms(eight) < mean_ms(one)
    # The host's own SPTF, which sees the arm and sends one at a time, is the same as a drive that holds all.
    host = burst("array.pool.disks.scheduler=sptf")
    assert host.summary["response_time_ms"] == all_of_them.summary["response_time_ms"]


def test_a_deadline_bounds_the_longest_wait(burst):
    def longest_ms(*sets):
        return burst(f"{DEPTH}=512", f"{SCHEDULER}=sstf", *sets).summary["response_time_ms"]["all"]["max"]

    # All 500 come at once: whatever is left after 100 ms is served in order of arrival.
    without, fcfs = longest_ms(), burst().summary["response_time_ms"]["all"]["max"]
    late = longest_ms("array.pool.disks.drive_deadline=100ms")
    assert without < late <= fcfs
    assert longest_ms("array.pool.disks.drive_deadline=1h") == without


def test_queue_lengths_of_both_levels(burst):
    for device in burst().summary["devices"]:
        assert device["queue_length_mean_host"] is device["queue_length_mean_drive"] is None
    for device in burst(f"{DEPTH}=8").summary["devices"]:
        host, drive = device["queue_length_mean_host"], device["queue_length_mean_drive"]
        assert host + drive == pytest.approx(device["queue_length_mean"])
        assert 4 < drive <= 8 and host > drive
    for device in burst(f"{DEPTH}=512").summary["devices"]:
        assert device["queue_length_mean_host"] == 0


STREAM = """\
name = "stream"

[[workload]]
name = "reads"
volume = "v"
profile = { name = "emerald-1.0-sr", requests = 1000, rate_iops = 100 }
replay = { mode = "closed", outstanding = 4 }

[[array.pool]]
name = "disks"
device = "toshiba-mg04sca500e"
count = 1
scheduler = "fcfs"
queue_depth = 8

[[array.volume]]
name = "v"
pool = "disks"
"""


def test_a_drives_queue_keeps_a_sequential_stream_in_order(tmp_path):
    """By default the drive knows what it reads ahead; by position alone most reads would lose a turn."""
    scenario = tmp_path / "stream.toml"
    scenario.write_text(STREAM)
    rate = {
        named: iowatt.run(scenario, set=[f"{SCHEDULER}={named}"] if named else []).summary["throughput"][
            "iops"
        ]
        for named in (None, "fcfs", "sptf")
    }
    assert rate[None] == pytest.approx(rate["fcfs"], rel=0.01)
    assert rate["sptf"] < 0.6 * rate["fcfs"]
