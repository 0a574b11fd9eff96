"""The side-by-side benchmark: DiskSim's answers for three arrays, by mean and by distribution."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import iowatt

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data" / "disksim-bench"
EXPECTED = json.loads((DATA / "expected_disksim.json").read_text())
RANKS = (np.arange(1, 10_001) - 0.5) / 10_000


def disksim_quantiles(name):
    with gzip.open(DATA / f"{name}.resp_cdf.csv.gz", "rt") as file:
        rows = [(float(row["upper_edge_ms"]), float(row["cum_frac"])) for row in csv.DictReader(file)]
    edges, shares = np.array(rows).T
    return np.interp(RANKS, shares, edges)


def our_quantiles(run):
    bins = run.table("latency").group_by("high_ns").agg(pl.col("count").sum()).sort("high_ns")
    shares = bins["count"].cum_sum().to_numpy() / bins["count"].sum()
    return np.interp(RANKS, shares, bins["high_ns"].to_numpy() / 1e6)


@pytest.mark.parametrize(
    ("level", "trace", "name"),
    [
        (5, "oltp300k.trace.gz", "raid5_32"),
        (10, "oltp300k_r10.trace.gz", "raid10_32"),
        (0, "oltp300k.trace.gz", "raid0_32"),
    ],
)
def test_mean_within_2_and_distribution_within_3_percent_of_disksim(level, trace, name):
    path = ROOT / "examples" / "disksim-bench" / trace
    run = iowatt.run(
        ROOT / "examples" / "disksim-raid5.toml",
        set=[f"array.pool.disks.raid.level={level}", f"workload.oltp.trace.path={path}"],
    )
    mean, expected = run.summary["response_time_ms"]["all"]["mean"], EXPECTED[name]["resp_mean_ms"]
    assert mean == pytest.approx(expected, rel=0.02)
    difference = our_quantiles(run) - disksim_quantiles(name)
    assert np.sqrt(np.mean(difference**2)) < 0.03 * expected
    if level != 5:  # DiskSim chooses otherwise between read-modify-write and reconstruct
        devices = run.summary["devices"]
        assert sum(device["reads"] for device in devices) == EXPECTED[name]["disk_reads"]
        assert sum(device["writes"] for device in devices) == EXPECTED[name]["disk_writes"]
