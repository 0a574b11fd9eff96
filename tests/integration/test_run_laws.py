"""What must hold for every run, whatever is simulated on runs through all of iowatt."""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl
import pytest
import small_arrays

import iowatt
from iowatt.lenses.findings import findings
from iowatt.lenses.kept_up import kept_up
from iowatt.run.bundle import TABLES
from iowatt.sources.simulation.remarks import NO_ARRIVALS

IDLE_W = 22.3  # arrays2002-disk
BOUND = {"rel": 1e-9}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("laws")
    small_arrays.one_pool(folder, small_arrays.requests(3000))
    return folder


@pytest.fixture(scope="module")
def run(folder):
    return iowatt.run(folder / "scenario.toml")


def test_requests_in_are_completed_and_in_flight(run):
    for part in (run.summary, *run.summary["volumes"], *run.summary["workloads"]):
        requests = part["requests"]
        assert requests["count"] == requests["completed"] + requests["in_flight_at_end"]
        assert requests["count"] == requests["reads"] + requests["writes"]
    assert run.summary["requests"]["count"] == 3000
    assert run.summary["requests"]["completed"] == run.table("latency")["count"].sum()
    assert run.table("intervals")["arrivals"].sum() == 3000
    assert run.table("intervals")["completions"].sum() == run.summary["requests"]["completed"]
    # Without a warm-up there are no stragglers: the completions are those of the arrivals.
    assert run.summary["throughput"]["completions"] == run.summary["requests"]["completed"]


def test_requests_at_the_end_of_a_cut_run_are_in_flight(folder):
    # Everything arrives in the first microsecond; the observation ends while most of it is queued.
    lines = [f"0,R,{i * 1_000_000 // 4096 * 4096},4096" for i in range(200)]
    (folder / "burst").mkdir()
    scenario = small_arrays.one_pool(folder / "burst", lines)
    run = iowatt.run(scenario, set=['observe.duration="50ms"'])
    requests = run.summary["requests"]
    assert requests["count"] == 200
    assert requests["in_flight_at_end"] > 0
    assert requests["count"] == requests["completed"] + requests["in_flight_at_end"]
    assert run.summary["window"]["duration_s"] == pytest.approx(0.05)


def test_joules_by_state_and_by_component_sum_to_the_total(run):
    energy = run.summary["energy"]
    assert sum(energy["by_state_j"].values()) == pytest.approx(energy["total_j"], rel=1e-12)
    assert sum(energy["by_component_j"].values()) == pytest.approx(energy["total_j"], rel=1e-12)
    assert run.table("energy")["energy_j"].sum() == pytest.approx(energy["total_j"], rel=1e-12)
    assert run.table("devices")["energy_total_j"].sum() == pytest.approx(energy["total_j"], rel=1e-12)


def test_joules_are_additive_over_intervals(run):
    intervals = run.table("intervals")
    for state, joules in run.summary["energy"]["by_state_j"].items():
        assert intervals[f"{state}_j"].sum() == pytest.approx(joules, **BOUND, abs=1e-9)
    powers = (intervals["power_w"] * (intervals["end_s"] - intervals["start_s"])).sum()
    assert powers == pytest.approx(run.summary["energy"]["total_j"], **BOUND)


def test_state_times_of_each_disk_sum_to_the_window(run):
    window = run.summary["window"]
    assert window["duration_s"] == window["end_s"] - window["start_s"]
    for device in run.summary["devices"]:
        assert math.fsum(device["state_time_s"].values()) == pytest.approx(window["duration_s"], rel=1e-12)


def test_energy_has_the_floor_of_spinning_disks(run):
    # Policy never: every disk draws at least its idle power all the time.
    window, energy = run.summary["window"], run.summary["energy"]
    assert energy["total_j"] > 5 * IDLE_W * window["duration_s"]
    assert energy["above_idle_j"] == pytest.approx(energy["total_j"] - 5 * IDLE_W * window["duration_s"])
    assert all(device["spin_downs"] == 0 for device in run.summary["devices"])


def test_littles_law(run):
    # L = lambda W over the window; requests cross its edges, but 3000 to 5 at most.
    summary = run.summary
    arriving = summary["requests"]["count"] / summary["window"]["duration_s"]
    in_flight = summary["workloads"][0]["in_flight_mean"]
    assert in_flight == pytest.approx(arriving * summary["response_time_ms"]["all"]["mean"] / 1e3, rel=0.01)


def test_utilisation_law_of_each_disk(run):
    # Busy time = accesses x service time.
    for device in run.summary["devices"]:
        busy = device["accesses"] * device["service_time_mean_ms"] / 1e3
        assert device["utilisation"] * run.summary["window"]["duration_s"] == pytest.approx(busy, rel=0.01)


def test_the_histogram_agrees_with_the_exact_moments(run):
    # Bins are 0.1 % wide at most and reported at their upper ends: the mean over bins is the exact mean, or
    # at most 0.1 % above. Three significant digits.
    latency = run.table("latency")
    for op in ("read", "write"):
        bins, block = latency.filter(op=op), run.summary["response_time_ms"][op]
        assert bins["count"].sum() == block["count"]
        mean_ms = (bins["high_ns"] * bins["count"]).sum() / block["count"] / 1e6
        assert block["mean"] * (1 - 1e-9) <= mean_ms <= block["mean"] * 1.001
        assert bins["low_ns"].max() / 1e6 <= block["max"] <= bins["high_ns"].max() / 1e6
        assert ((bins["high_ns"] - bins["low_ns"]) <= bins["low_ns"] * 0.001 + 1).all()


def test_percentiles_agree_with_those_of_the_intervals(run):
    # The p99 of a mixture lies between the least and the greatest of its parts; interval bins are coarse,
    # and reported up to 6.3 % too high.
    per_interval = run.table("intervals")["response_p99_ms"].drop_nulls()
    p99 = run.summary["response_time_ms"]["all"]["p99"]
    assert per_interval.min() / 1.063 <= p99 <= per_interval.max() * 1.001


def test_percentiles_are_ordered(run):
    for block in run.summary["response_time_ms"].values():
        order = [block[key] for key in ("p50", "p90", "p95", "p99", "p999", "p9999", "max")]
        assert order == sorted(order)
        assert block["mean_ci95"][0] < block["mean"] < block["mean_ci95"][1]


def test_an_idle_array_is_exactly_idle_power_times_time(tmp_path):
    (tmp_path / "idle.toml").write_text(small_arrays.IDLE)
    summary = iowatt.run(tmp_path / "idle.toml").summary
    # 8 disks x 22.3 W x 1000 s.
    assert summary["energy"]["total_j"] == 8 * 22.3 * 1000
    assert summary["energy"]["above_idle_j"] == 0
    assert summary["energy"]["by_state_j"]["idle"] == summary["energy"]["total_j"]
    assert summary["power_w"]["mean"] == pytest.approx(8 * 22.3, rel=1e-15)
    assert summary["power_w"]["max"] == pytest.approx(8 * 22.3, rel=1e-12)
    assert summary["energy"]["per_request_j"] is None
    assert summary["requests"]["count"] == 0
    assert summary["response_time_ms"]["all"]["mean"] is None
    assert all(device["state_time_s"]["idle"] == 1000 for device in summary["devices"])


def comparable(summary):
    return {key: value for key, value in summary.items() if key not in ("provenance", "simulation")}


def test_the_same_seed_gives_the_same_bytes(folder, tmp_path):
    runs = [iowatt.run(folder / "scenario.toml", output=tmp_path / name) for name in ("a", "b")]
    for file in [f"{name}.parquet" for name in TABLES] + ["plan.json", "scenario.toml"]:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    first, second = (comparable(run.summary) for run in runs)
    assert first == second
    assert list(runs[0].summary) == list(runs[1].summary)


def test_another_seed_gives_other_figures(folder, run):
    # The rotational phases are drawn from it.
    other = iowatt.run(folder / "scenario.toml", seed=2)
    assert other.summary["provenance"]["seed"] == 2
    assert other.summary["response_time_ms"]["all"]["mean"] != run.summary["response_time_ms"]["all"]["mean"]
    assert comparable(iowatt.run(folder / "scenario.toml", seed=1).summary) == comparable(run.summary)


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    folder = tmp_path_factory.mktemp("two")
    small_arrays.write_trace(folder / "oltp.csv", small_arrays.requests(2000, seed=5))
    small_arrays.write_trace(folder / "backup.csv", small_arrays.requests(500, seed=6, mean_us=32_000))
    (folder / "scenario.toml").write_text(small_arrays.TWO_POOLS)
    return iowatt.run(folder / "scenario.toml")


def test_two_workloads_on_two_unlike_pools_add_up(two):
    summary = two.summary
    oltp, backup = summary["workloads"]
    assert (oltp["volume"], backup["volume"]) == ("db", "archive")
    assert (oltp["requests"]["count"], backup["requests"]["count"]) == (2000, 500)
    for key in ("count", "completed", "reads", "writes", "bytes_read", "bytes_written", "in_flight_at_end"):
        assert summary["requests"][key] == sum(part["requests"][key] for part in (oltp, backup))
        assert summary["requests"][key] == sum(part["requests"][key] for part in summary["volumes"])
    assert summary["throughput"]["iops"] == pytest.approx(
        sum(part["throughput"]["iops"] for part in (oltp, backup))
    )
    counts = [part["response_time_ms"]["all"]["count"] for part in (oltp, backup)]
    means = [part["response_time_ms"]["all"]["mean"] for part in (oltp, backup)]
    pooled = sum(count * mean for count, mean in zip(counts, means, strict=True)) / sum(counts)
    assert summary["response_time_ms"]["all"]["mean"] == pytest.approx(pooled)
    assert summary["response_time_ms"]["all"]["max"] == max(
        part["response_time_ms"]["all"]["max"] for part in (oltp, backup)
    )


def test_unlike_pools_have_separate_results(two, tmp_path):
    by_pool: dict[str, list[dict]] = {}
    for device in two.summary["devices"]:
        by_pool.setdefault(device["pool"], []).append(device)
    assert {pool: len(devices) for pool, devices in by_pool.items()} == {"fast": 5, "large": 2}
    assert {device["model"] for device in by_pool["fast"]} != {device["model"] for device in by_pool["large"]}
    # Mirrors: every write goes to both drives of the pair, every read to one of them.
    backup = two.summary["workloads"][1]["requests"]
    assert sum(device["writes"] for device in by_pool["large"]) == 2 * backup["writes"]
    assert sum(device["reads"] for device in by_pool["large"]) == backup["reads"]
    # The other pool does not feel it: the first workload alone gives the same response times, but for the
    # rotational phases, which are drawn drive by drive and stay where they are.
    text = small_arrays.TWO_POOLS
    start, end = text.index('[[workload]]\nname = "backup"'), text.index("[[array.pool]]")
    (tmp_path / "alone.toml").write_text(text[:start] + text[end:])
    small_arrays.write_trace(tmp_path / "oltp.csv", small_arrays.requests(2000, seed=5))
    alone = iowatt.run(tmp_path / "alone.toml")
    assert (
        alone.summary["workloads"][0]["response_time_ms"] == two.summary["workloads"][0]["response_time_ms"]
    )


def test_a_warm_up_is_cut_from_every_figure(folder, run):
    cut = iowatt.run(folder / "scenario.toml", set=['observe.warmup="5s"'])
    window = cut.summary["window"]
    assert (window["start_s"], window["warmup_s"]) == (5, 5)
    assert window["end_s"] == run.summary["window"]["end_s"]
    early = sum(int(line.split(",")[0]) < 5_000_000 for line in small_arrays.requests(3000))
    assert cut.summary["requests"]["count"] == 3000 - early
    assert cut.table("intervals")["start_s"][0] == 5
    # Work and energy are of all that completed inside the window, the warm-up's stragglers included: with
    # nothing in flight at the end, all that had not completed by the 5th second.
    done, energy = cut.summary["throughput"]["completions"], cut.summary["energy"]
    before = run.table("intervals").filter(pl.col("end_s") <= 5)["completions"].sum()
    assert done == cut.table("intervals")["completions"].sum() == 3000 - before
    assert done == cut.summary["requests"]["completed"] + early - before
    assert cut.summary["throughput"]["iops"] == pytest.approx(done / window["duration_s"])
    assert energy["per_request_j"] == pytest.approx(energy["total_j"] / done)
    for device in cut.summary["devices"]:
        assert math.fsum(device["state_time_s"].values()) == pytest.approx(window["duration_s"], rel=1e-12)


def test_the_last_arrival_is_in_the_window(run):
    last_us = max(int(line.split(",")[0]) for line in small_arrays.requests(3000))
    window = run.summary["window"]
    assert window["last_arrival_s"] == pytest.approx(last_us / 1e6)
    assert window["last_arrival_s"] < window["end_s"]


def test_a_window_without_arrivals_is_said(tmp_path):
    # Everything arrives at once, 200 requests queue up, and the window starts when some are still queued.
    lines = [f"0,R,{i * 1_000_000 // 4096 * 4096},4096" for i in range(200)]
    late = iowatt.run(small_arrays.one_pool(tmp_path, lines), set=["observe.warmup=20ms"])
    assert late.summary["requests"]["count"] == 0
    assert 0 < late.summary["throughput"]["completions"] < 200
    assert NO_ARRIVALS in late.notes


def test_overload_is_named(tmp_path):
    # 600 random reads in 0.6 s for five drives that manage some hundred a second each.
    lines = [f"{i * 1000},R,{(i * 7919 % 100_000) * 40_960},4096" for i in range(600)]
    run = iowatt.run(small_arrays.one_pool(tmp_path, lines), set=["observe.interval=10ms"])
    assert not kept_up(run).kept_up
    warned = [finding.text for finding in findings(run) if finding.decides]
    assert warned and not any("longer run" in text for text in warned)


def test_an_automatic_warm_up_is_found_and_said(folder):
    found = iowatt.run(folder / "scenario.toml", set=["observe.warmup=auto"])
    assert 0 <= found.summary["window"]["warmup_s"] <= found.summary["window"]["end_s"] / 2 + 1
    assert any("MSER-5" in note for note in found.notes)
    assert found.plan["simulation"]["observe"]["warmup_s"] == found.summary["window"]["warmup_s"]


def test_memory_of_what_was_given_is_kept(folder, tmp_path):
    run = iowatt.run(folder / "scenario.toml", set={"array.pool.disks.count": 6}, output=tmp_path / "six")
    assert run.scenario_text.startswith((folder / "scenario.toml").read_text().rstrip())
    assert run.scenario_text.endswith("#   array.pool.disks.count=6\n")
    assert len(run.summary["devices"]) == 6
    paths = [Path(entry["path"]).name for entry in run.summary["provenance"]["inputs"]]
    assert paths == ["scenario.toml", "trace.csv"]
    # What is kept can be run again, once its trace paths fit.
    assert iowatt.open_run(tmp_path / "six").plan["schema"] == "iowatt.plan/1"
