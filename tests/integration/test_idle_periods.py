"""Idle periods out of the simulator into the bundle: all, always the same, and only where asked for."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import iowatt
from iowatt.run.tables import IDLE

EXAMPLES = Path(__file__).parents[2] / "examples"
SCENARIO = f"""
name = "idle-periods"
[[workload]]
name = "oltp"
trace = {{ path = "{EXAMPLES}/traces/pg_tpcc_paced_excerpt.parquet" }}
[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 4
raid = {{ level = 5, stripe_unit = "64KiB" }}
[observe]
duration = "60s"
warmup = "10s"
idle = true
"""


def test_periods_are_the_idle_time_of_each_drive(tmp_path):
    run = iowatt.run(SCENARIO, output=tmp_path / "run")
    table = run.table("idle")
    assert dict(table.schema) == IDLE
    devices = run.table("devices")
    idle_ns = table.group_by("drive").agg(pl.col("length_ns").sum()).sort("drive")["length_ns"].to_list()
    # The drive reads ahead for nobody and caches no writes: without operations it is idle.
    assert [ns / 1e9 for ns in idle_ns] == pytest.approx(devices["time_idle_s"].to_list(), abs=1e-6)
    start, end = (round(run.summary["window"][key] * 1e9) for key in ("start_s", "end_s"))
    assert (table["start_ns"] >= start).all() and (table["start_ns"] + table["length_ns"] <= end).all()
    at_edge = (table["start_ns"] == start) | (table["start_ns"] + table["length_ns"] == end)
    assert table["cut"].to_list() == at_edge.to_list()


def test_the_same_seed_gives_the_same_bytes_and_memory_the_same_rows(tmp_path):
    files = []
    for name in ("one", "two"):
        iowatt.run(SCENARIO, output=tmp_path / name)
        files.append((tmp_path / name / "idle.parquet").read_bytes())
    assert files[0] == files[1]
    kept = iowatt.run(SCENARIO)
    assert kept.table("idle").equals(pl.read_parquet(tmp_path / "one" / "idle.parquet"))
    kept.save(tmp_path / "three")
    assert (tmp_path / "three" / "idle.parquet").read_bytes() == files[0]
    iowatt.open_run(tmp_path / "one").save(tmp_path / "four")
    assert (tmp_path / "four" / "idle.parquet").read_bytes() == files[0]


def test_what_is_not_asked_for_is_not_there_and_changes_nothing(tmp_path):
    asked = iowatt.run(SCENARIO, output=tmp_path / "asked")
    silent = iowatt.run(SCENARIO, set={"observe.idle": False}, output=tmp_path / "silent")
    assert not silent.has("idle") and not (tmp_path / "silent" / "idle.parquet").exists()
    for key in ("requests", "energy", "response_time_ms", "devices"):
        assert asked.summary[key] == silent.summary[key]


def test_an_automatic_warm_up_records_the_second_pass_alone(tmp_path):
    run = iowatt.run(SCENARIO, set={"observe.warmup": "auto"}, output=tmp_path / "run")
    periods = run.table("idle").group_by("drive").agg(pl.col("length_ns").sum()).sort("drive")["length_ns"]
    assert [ns / 1e9 for ns in periods] == pytest.approx(
        run.table("devices")["time_idle_s"].to_list(), abs=1e-6
    )


def test_more_periods_than_a_batch_stream_through(tmp_path):
    longer = {"observe.duration": "25min", "array.pool.disks.count": 24}
    run = iowatt.run(SCENARIO, set=longer, output=tmp_path / "run")
    rows = run.scan("idle").select(pl.len()).collect().item()
    # More than two batches of the log and one row group of the file.
    assert rows > 280_000
    total = run.scan("idle").select(pl.col("length_ns").sum()).collect().item()
    assert total / 1e9 == pytest.approx(run.table("devices")["time_idle_s"].sum(), rel=1e-9)
