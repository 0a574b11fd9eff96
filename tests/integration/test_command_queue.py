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


def test_queue_lengths_of_both_levels(burst):
    for device in burst().summary["devices"]:
        assert device["queue_length_mean_host"] is device["queue_length_mean_drive"] is None
    for device in burst(f"{DEPTH}=8").summary["devices"]:
        host, drive = device["queue_length_mean_host"], device["queue_length_mean_drive"]
        assert host + drive == pytest.approx(device["queue_length_mean"])
        assert 4 < drive <= 8 and host > drive
    for device in burst(f"{DEPTH}=512").summary["devices"]:
        assert device["queue_length_mean_host"] == 0
