"""Response times over time and the budget of hops in whole runs: they add up to the figures of the Run."""

from __future__ import annotations

import polars as pl
import pytest

import iowatt

SCENARIO = """
name = "series"
seed = 3

[[workload]]
name = "oltp"
profile = {{ name = "uniform", requests = 3000, set = [
    "arrivals={{law='poisson', rate=1500}}", "stream.uniform.read_share=70"] }}

[[array.pool]]
name = "ssds"
device = "intel-dc-p3700-2tb"
count = 4
raid = {{ level = 10 }}

[array.controller]
processing = {{ read = "30us", write = "60us", ready = "20us" }}

[observe]
warmup = "200ms"
{observe}

{path}
"""

PATH = """
[[path]]
name = "san"
protocol = "fcp"
hba = "emulex-lpe12002"
hop = [{link = "fc-8g"}, {switch = "brocade-6510", name = "sw1"}, {link = "fc-8g"}]
port = {command = "2us"}
"""


@pytest.fixture(scope="module")
def simulate(tmp_path_factory):
    def run(observe: str = "", path: str = "", into: str | None = None):
        folder = tmp_path_factory.mktemp("series")
        file = folder / "scenario.toml"
        file.write_text(SCENARIO.format(observe=observe, path=path), encoding="utf-8")
        return iowatt.run(file, output=folder / (into or "out"))

    return run


@pytest.fixture(scope="module")
def by_path(simulate):
    return simulate(path=PATH)


def counts(table: pl.DataFrame, column: str) -> dict[str, int]:
    return dict(table.group_by("op").agg(pl.col(column).sum()).rows())


def test_every_point_counts_what_the_histograms_count(by_path):
    latency = counts(by_path.table("latency"), "count")
    for point in ("host", "switch", "array"):
        assert counts(by_path.series.filter(pl.col("point") == point), "count") == latency
    held = by_path.series.select(pl.col("bin_count").list.sum() == pl.col("count")).to_series()
    assert held.all()


def test_blocks_cover_the_window_without_gaps(by_path):
    window = by_path.summary["window"]
    for _, own in by_path.series.group_by("point", "op"):
        assert own["start_s"][0] == pytest.approx(window["start_s"])
        assert own["end_s"][-1] == pytest.approx(window["end_s"])
        assert own["start_s"][1:].to_list() == own["end_s"][:-1].to_list()
        assert 256 < own.height <= 512


def test_means_at_each_point_are_those_of_the_series_and_grow_towards_the_host(by_path):
    means = []
    for point in ("array", "switch"):
        own = by_path.series.filter(pl.col("point") == point)
        mean_ms = own["sum_ns"].sum() / own["count"].sum() / 1e6
        assert by_path.summary["response_time_at"][point]["all"]["mean"] == pytest.approx(mean_ms)
        means.append(mean_ms)
    assert means[0] < means[1] < by_path.summary["response_time_ms"]["all"]["mean"]


def test_hops_add_up_to_the_response_times_to_the_nanosecond(by_path):
    host = by_path.series.filter(pl.col("point") == "host")
    spent = by_path.hops.with_columns(ns=pl.col("wait_ns") + pl.col("service_ns"))
    assert counts(spent, "ns") == counts(host, "sum_ns")
    drives = by_path.hops.filter(pl.col("place") == "drive")
    assert counts(drives, "requests") == counts(host, "count")
    assert [path["name"] for path in by_path.summary["paths"]] == ["san"]


def test_a_run_without_a_path_has_the_host_alone(simulate):
    run = simulate()
    assert run.series["point"].unique().to_list() == ["host"]
    assert run.hops is None
    assert {"paths", "response_time_at"}.isdisjoint(run.summary)


def test_equal_seeds_give_equal_bytes(by_path, simulate):
    other = simulate(path=PATH)
    for name in ("series.parquet", "hops.parquet"):
        assert (by_path.path / name).read_bytes() == (other.path / name).read_bytes()


def test_the_width_of_blocks_is_the_one_asked_for(simulate):
    asked = simulate(observe='series = "100ms"')
    own = asked.series.filter(pl.col("op") == "read")
    assert own["start_s"].to_list() == pytest.approx([0.2 + 0.1 * i for i in range(own.height)])
    assert asked.plan["simulation"]["observe"]["series_s"] == 0.1
    # Nothing else changes.
    assert asked.table("latency").equals(simulate().table("latency"))
