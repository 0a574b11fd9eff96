"""Each example runs to the end and answers the question it stands for."""

from __future__ import annotations

import functools
import math
from pathlib import Path

import pytest

import iowatt

EXAMPLES = Path(__file__).parents[2] / "examples"


@functools.cache
def summary(name):
    return iowatt.run(EXAMPLES / f"{name}.toml").summary


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.toml")), ids=lambda file: file.stem)
def test_an_example_runs_and_keeps_the_books(file):
    found = summary(file.stem)
    requests = found["requests"]
    assert requests["count"] == requests["completed"] + requests["in_flight_at_end"]
    assert math.isclose(sum(found["energy"]["by_state_j"].values()), found["energy"]["total_j"])
    for device in found["devices"]:
        assert math.isclose(sum(device["state_time_s"].values()), found["window"]["duration_s"])


def test_tpcc_raid5_stands_near_the_studys_floor():
    found = summary("tpcc-raid5")
    # 655,687 requests over 1,800 s of capture, slowed to 0.4.
    assert found["throughput"]["iops"] == pytest.approx(655_687 / 1_800 * 0.4, rel=0.01)
    # Never under 32 disks x 22.3 W over the window; the study expects its disks 4 to 5 % busy.
    energy, window = found["energy"], found["window"]
    assert energy["total_j"] >= 32 * 22.3 * window["duration_s"]
    assert energy["by_state_j"]["idle"] > energy["by_state_j"]["positioning"] > energy["by_state_j"]["active"]
    busy = [device["utilisation"] for device in found["devices"]]
    assert 0.03 < sum(busy) / len(busy) < 0.06


def test_idle_costs_idle_power():
    assert summary("idle")["energy"]["total_j"] == pytest.approx(32 * 22.3 * 3600, rel=1e-12)


def test_spinning_down_saves_the_hours_of_rest():
    found = summary("spin-down")
    assert found["power_w"]["mean"] < found["power_w"]["idle"]
    assert [device["spin_downs"] for device in found["devices"]] == [1] * 8
    for device in found["devices"]:
        # The work ends near 1,800 s; 60 s of threshold and 15 s of spin-down later the disk stands still.
        assert device["state_time_s"]["standby"] == pytest.approx(3600 - 1800 - 60 - 15, abs=5)


def test_the_cache_of_cached_raid5_answers_writes():
    found = summary("cached-raid5")
    assert found["cache"]["read_hit_ratio"] > 0.4
    assert found["cache"]["waits_for_space"] == 0
    assert (
        found["response_time_ms"]["write"]["p99"] < summary("tpcc-raid5")["response_time_ms"]["write"]["p50"]
    )


def test_two_pools_give_results_that_add_up():
    found = summary("two-pools")
    assert len(found["workloads"]) == len(found["volumes"]) == 2
    for key in ("count", "reads", "writes", "bytes_read", "bytes_written"):
        assert found["requests"][key] == sum(w["requests"][key] for w in found["workloads"])
    assert len({device["model"] for device in found["devices"]}) == 2


def test_a_closed_loop_keeps_its_number_outstanding():
    (workload,) = summary("tpcc-closed")["workloads"]
    assert workload["in_flight_mean"] == pytest.approx(32, rel=0.02)


def test_a_rebuild_ends_and_costs_response_time_and_energy_while_it_lasts():
    run = iowatt.run(EXAMPLES / "rebuild.toml")
    (rebuild,) = run.summary["rebuilds"]
    assert (rebuild["failed_s"], rebuild["fraction"]) == (600, 1)
    # Never faster than its rate: 9 GB at 10 MB/s.
    assert rebuild["finished_s"] - rebuild["started_s"] >= 900 * 0.999
    rows = run.table("intervals").to_dicts()

    def mean(key, start, end):
        inside = [row[key] for row in rows if start <= row["start_s"] < row["end_s"] <= end]
        return sum(inside) / len(inside)

    during, after = (600, 1500), (rebuild["finished_s"], 4400)
    assert mean("response_mean_ms", *during) > mean("response_mean_ms", *after)
    # Nine disks before, eight that work during and after.
    assert mean("power_w", *during) > mean("power_w", 0, 600) > mean("power_w", *after)
