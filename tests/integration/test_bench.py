"""``make bench`` works: on small inputs, every figure that it promises is there."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "benches" / "bench.py"


def test_every_figure_is_measured_and_recorded(tmp_path: Path) -> None:
    path = tmp_path / "history.toml"
    done = subprocess.run(
        [sys.executable, BENCH, "--quick", "--json", "--record", "--note", "a try", "--history", path],
        capture_output=True,
        text=True,
        check=True,
    )
    document = json.loads(done.stdout)
    assert document["schema"] == "iowatt.bench/1"
    [entry] = tomllib.loads(path.read_text())["entry"]
    assert (entry["note"], entry["inputs"]) == ("a try", "pg_tpcc_paced_excerpt.parquet, quick")
    assert list(entry["figures"]) == list(document["speeds"])
    assert document["slower"] == []
    measured = {(m["section"], m["name"]): m for m in document["measurements"]}
    simulations = {name: m for (section, name), m in measured.items() if section == "simulation"}
    # The history has every speed: of simulations, decoding, profiles and prices.
    assert set(simulations) < set(entry["figures"])
    assert len(entry["figures"]) == len(simulations) + 6 + 3 + 2
    for name, figures in simulations.items():
        # One repetition: its speed is the median, and has no spread.
        kept = entry["figures"][name]
        assert kept["per_cpu_s"] == pytest.approx(figures["requests_per_cpu_s"], rel=1e-3), name
        assert (kept["ratio"] > 0, kept["spread"]) == (True, 0.0), name
    assert list(simulations) == [
        "one disk, FCFS, open",
        "one disk, SPTF, 32 outstanding",
        "32 disks, RAID-5, DiskSim's",
        "32 disks, RAID-10, DiskSim's",
        "32 disks, RAID-0, DiskSim's",
        "32 disks, RAID-5, TPC-C paced",
        "32 disks, RAID-5, 256 outstanding",
        "one SSD, 4 KiB writes, collecting",
        "one SSD, 70 % reads, collecting",
        "SSD and disk, tiering",
        "SSD and disk, caching",
    ]
    for name, figures in simulations.items():
        rate = figures["requests"] / figures["cpu_s"]
        assert figures["requests_per_cpu_s"] == pytest.approx(rate, rel=0.01), name
        assert figures["drive_operations_per_cpu_s"] >= 0.99 * rate, (
            "an uncached read or write reaches a drive"
        )
        assert ("times_disksim" in figures) == ("DiskSim" in name)
    # A request of the benchmark is 2.24 drive operations on RAID-5 (docs/validation.md: 672,129 of 300,000).
    five = simulations["32 disks, RAID-5, DiskSim's"]
    assert five["requests"] == 300_000
    assert five["drive_operations_per_cpu_s"] / five["requests_per_cpu_s"] == pytest.approx(2.24, abs=0.03)
    base = measured["memory", "interpreter with iowatt imported"]["peak_rss_mib"]
    much = measured["memory", "100000 requests"]
    assert much["beyond_interpreter_mib"] == pytest.approx(much["peak_rss_mib"] - base)
    assert measured["side by side", "two of RAID-5 in two threads, over one"]["ratio"] > 0
    assert len([1 for section, _ in measured if section == "decoding"]) == 6
    profiles = {name: m for (section, name), m in measured.items() if section == "profile"}
    assert list(profiles) == ["TPC-C paced, parquet", "random, 16 GiB", "random, 8 TiB"]
    assert all(
        m["requests_per_cpu_s"] == pytest.approx(m["requests"] / m["cpu_s"]) for m in profiles.values()
    )
    prices = {name: m for (section, name), m in measured.items() if section == "prices"}
    assert list(prices) == ["sdge-al-tou-2024", "south-central-ppd-lp1-2012"]
    assert all(m["prices"] == 20 and m["times_first"] > 0 for m in prices.values())
    [estimates] = [m for (section, _), m in measured.items() if section == "estimator"]
    assert estimates["configurations"] == estimates["power"]["count"] == 2
    assert estimates["estimate_s"] > 0
    [together] = [m for (section, _), m in measured.items() if section == "caches in one pass"]
    assert (together["caches"], together["hits"] > 0) == (27, True)


def test_a_trace_that_is_not_there_is_named() -> None:
    done = subprocess.run(
        [sys.executable, BENCH, "--trace", "nowhere.parquet"], check=False, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "nowhere.parquet" in done.stderr
