"""Services of an array controller from the scenario to ``run.json``, and the back-end stream as a trace."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import iowatt
from refused import refused

EXAMPLES = Path(__file__).parents[2] / "examples"
SHORT = [
    'workload.oltp.profile={ name = "uniform", rate_iops = 250, duration = "20s" }',
    "observe.warmup=0s",
]
CONTROLLER = "array.controller"


def run(*sets, **options):
    return iowatt.run(EXAMPLES / "array-services.toml", set=[*sets], **options).summary


def back_end(summary):
    return {way: sum(d[f"bytes_{way}"] for d in summary["devices"]) for way in ("read", "written")}


@pytest.fixture(scope="module")
def all_services():
    return run()


def of_workload(summary, name):
    return next(w for w in summary["workloads"] if w["name"] == name)


def test_all_of_it_is_in_the_summary(all_services):
    controller, cache = all_services["controller"], all_services["cache"]
    assert controller["mirror_link"]["requests"] > 0
    assert controller["losses"] == []
    ahead = cache["read_ahead"]
    assert ahead["used_ratio"] > 0.9
    assert ahead["wasted_bytes"] <= ahead["bytes"]
    # Hits by volume and by workload add up to those of all: each workload has a volume of its own here.
    for volume, workload in zip(all_services["volumes"], all_services["workloads"], strict=True):
        assert volume["cache"] == workload["cache"]
    scan, oltp = (of_workload(all_services, name)["cache"] for name in ("scan", "oltp"))
    assert scan["read_hit_ratio"] > 0.95
    assert oltp["read_hit_ratio"] < 0.05
    assert scan["write_hit_ratio"] is None


def test_zeros_are_half_of_what_the_fill_writes(all_services):
    written = of_workload(all_services, "fill")["requests"]["bytes_written"]
    assert all_services["controller"]["zeros"]["written_bytes"] == pytest.approx(0.5 * written, rel=0.05)
    plain = run(f"{CONTROLLER}.zero_detect=false")
    assert plain["controller"]["zeros"] is None
    assert back_end(plain)["written"] > 1.5 * back_end(all_services)["written"]
    assert plain["energy"]["above_idle_j"] > 1.1 * all_services["energy"]["above_idle_j"]


def test_small_requests_do_not_wait_for_large_ones_that_are_divided(all_services):
    whole = run(f"{CONTROLLER}.split=1MiB")
    small = [of_workload(s, "oltp")["response_time_ms"]["write"]["mean"] for s in (all_services, whole)]
    assert small[0] < 0.5 * small[1]
    # Requests are counted as hosts made them.
    assert whole["requests"]["count"] == all_services["requests"]["count"]


def test_adaptive_transfers_are_smaller(all_services):
    pages = run(f"{CONTROLLER}.cache.adaptive=false")
    for way in ("read", "written"):
        assert back_end(all_services)[way] < 0.9 * back_end(pages)[way]
    assert all_services["energy"]["above_idle_j"] < 0.95 * pages["energy"]["above_idle_j"]


def test_read_ahead_takes_the_waiting_off_a_scan(all_services):
    without = run(f"{CONTROLLER}.cache.read_ahead.share=0.0001")
    mean = [of_workload(s, "scan")["response_time_ms"]["read"]["mean"] for s in (all_services, without)]
    assert mean[0] < 0.2 * mean[1]


def test_a_lost_controller_is_visible():
    found = run(f'{CONTROLLER}.loss=[{{ of = "controller", at = "20s", back = "40s" }}]')
    (loss,) = found["controller"]["losses"]
    assert (loss["of"], loss["at_s"], loss["back_s"]) == ("controller", 20.0, 40.0)
    assert loss["dirty_bytes"] > 0
    assert 20 < loss["flushed_s"] < 40
    # 75 writes of the random load and 40 of the other that are no zeros, in each of 20 s.
    assert loss["written_through"] == pytest.approx(20 * (75 + 40), rel=0.05)
    assert any({"20", "40"} <= set(note.split()) and "controller" in note for note in found["notes"])
    assert of_workload(found, "oltp")["response_time_ms"]["write"]["mean"] > 2


def test_the_back_end_stream_replayed_on_the_pool_alone_is_the_same_work(tmp_path):
    file = tmp_path / "back.parquet"
    cached = run(
        f"{CONTROLLER}.cache.low_watermark=0", "observe.warmup=0s", "observe.duration=50s", save_back_end=file
    )
    rows = pl.read_parquet(file)
    assert rows.columns == ["time_ns", "device", "op", "offset", "size", "response_ns", "stream"]
    assert rows["device"].unique().to_list() == ["disks"]
    assert set(rows["stream"].unique()) == {"host", "fetch", "read-ahead", "destage"}
    assert rows["time_ns"].is_sorted()
    alone = iowatt.run(
        f"""\
name = "alone"
[[workload]]
name = "back"
trace = {{ path = "{file}" }}
[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 16
raid = {{ level = 5, stripe_unit = "64KiB" }}
[observe]
duration = "50s"
"""
    ).summary
    # Times begin at the first request of the trace, not at that of the run; what the end cuts may differ.
    assert alone["requests"]["bytes_written"] == pytest.approx(
        rows.filter(op="write")["size"].sum(), rel=1e-3
    )
    for key in ("bytes_read", "bytes_written", "reads", "writes"):
        ours, theirs = ([d[key] for d in summary["devices"]] for summary in (alone, cached))
        assert ours == pytest.approx(theirs, rel=0.01)
    assert alone["energy"]["total_j"] == pytest.approx(cached["energy"]["total_j"], rel=0.005)


def test_a_back_end_stream_needs_a_place(tmp_path):
    with refused("not-accepted", tmp_path / "back.csv"):
        run(*SHORT, save_back_end=tmp_path / "back.csv")
    with refused("not-found", tmp_path / "none" / "back.parquet"):
        run(*SHORT, save_back_end=tmp_path / "none" / "back.parquet")
    file = tmp_path / "back.parquet"
    file.write_text("mine")
    with refused("exists", file):
        run(*SHORT, save_back_end=file)
    assert file.read_text() == "mine"
    with refused("out-of-range"):
        run(*SHORT, "observe.warmup=1h", save_back_end=file, force=True)
    assert [f.name for f in tmp_path.iterdir()] == ["back.parquet"], "nothing is left of a run that failed"
    assert file.read_text() == "mine"
    run(*SHORT, save_back_end=file, force=True)
    assert pl.read_parquet(file).height > 0


def test_without_a_controller_the_stream_is_that_of_the_hosts(tmp_path):
    file = tmp_path / "back.parquet"
    found = iowatt.run(EXAMPLES / "two-pools.toml", set=["observe.duration=20s"], save_back_end=file).summary
    rows = pl.read_parquet(file)
    assert rows.height == found["requests"]["count"]
    assert set(rows["device"].unique()) == {volume["pool"] for volume in found["volumes"]}
    assert rows["stream"].unique().to_list() == ["host"]
    assert not any("cache" in flow for flow in (*found["volumes"], *found["workloads"]))


def test_under_a_virtual_pool_the_stream_is_that_of_its_parts(tmp_path):
    scenario = """\
name = "two"
[[workload]]
name = "w"
profile = { name = "uniform", rate_iops = 100, duration = "20s", span = "10MB" }
[[array.pool]]
name = "quick"
device = "arrays2002-disk"
count = 1
[[array.pool]]
name = "slow"
device = "arrays2002-disk"
count = 1
[[array.virtual_pool]]
name = "both"
scheme = "tiering"
fast = { pool = "quick", capacity = "8GB" }
slow = "slow"
extent = "64KiB"
promotion_threshold = 2
initial = "cold"
[[array.volume]]
name = "v"
pool = "both"
"""
    hosts, cached = tmp_path / "hosts.parquet", tmp_path / "cached.parquet"
    iowatt.run(scenario, save_back_end=hosts)
    rows = pl.read_parquet(hosts)
    assert set(rows["device"].unique()) == {"quick", "slow"}
    assert set(rows["stream"].unique()) == {"host", "migration"}
    iowatt.run(scenario + '[array.controller]\ncache = { size = "1MiB" }\n', save_back_end=cached)
    assert set(pl.read_parquet(cached)["stream"].unique()) == {"volume", "migration"}
