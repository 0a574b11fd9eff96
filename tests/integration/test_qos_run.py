"""Limits of volumes through a whole Run: `run.json`, the table of hops, the budget lens."""

from __future__ import annotations

import polars as pl
import pytest

import iowatt
from iowatt.lenses.budget import ledger

SCENARIO = """\
name = "limited"
[[workload]]
name = "oltp"
profile = { name = "uniform", rate_iops = 400, duration = "10s" }
[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 16
raid = { level = 10 }
[[array.volume]]
name = "db"
pool = "disks"
qos = { iops = 300, burst = "1s" }
[[path]]
name = "san"
protocol = "fcp"
hop = [{ link = "fc-8g" }]
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("qos")
    (folder / "limited.toml").write_text(SCENARIO)
    return iowatt.run(folder / "limited.toml", output=folder / "run")


def test_run_json_has_what_the_volume_waited(run):
    (volume,) = run.summary["volumes"]
    qos, requests = volume["qos"], volume["requests"]["count"]
    assert (qos["iops_limit"], qos["bandwidth_limit_bytes_per_s"], qos["burst_s"]) == (300, None, 1.0)
    assert qos["queued"] == {"share": 0.0, "mean_ms": 0.0, "waiting_mean": 0.0}
    # Little's law: all that waited did so in the window, which ends with the last of them.
    duration = run.summary["window"]["duration_s"]
    mean_s = qos["throttled"]["mean_ms"] / 1e3
    assert qos["throttled"]["waiting_mean"] == pytest.approx(requests / duration * mean_s, rel=1e-9)
    # 4,000 or so at 300 a second, but for the burst of 300 and one that may owe.
    assert duration == pytest.approx((requests - 301) / 300, abs=0.1)
    assert qos["iops_of_limit"] == pytest.approx(requests / duration / 300, rel=1e-9)


def test_waiting_for_the_limit_is_a_hop_behind_the_port(run):
    hops = run.hops
    waits = hops.filter(pl.col("hop") == "quality of service")
    (volume,) = run.summary["volumes"]
    mean_s, requests = volume["qos"]["throttled"]["mean_ms"] / 1e3, volume["requests"]["count"]
    assert waits["wait_ns"].sum() / 1e9 == pytest.approx(mean_s * requests, rel=1e-9)
    assert waits["service_ns"].sum() == 0
    booked = (hops["wait_ns"].sum() + hops["service_ns"].sum()) / 1e6 / requests
    assert booked == pytest.approx(run.summary["response_time_ms"]["all"]["mean"], rel=1e-9)
    for one in ledger.of_frame(hops):
        names = [hop.hop for hop in one.hops]
        assert names.index("target port") + 1 == names.index("quality of service")
        assert one.outside() == 0


def test_the_budget_has_the_hop_and_no_saturation_of_it(run):
    for one in iowatt.budget(run).classes:
        (hop,) = (hop for hop in one.shown_load.hops if hop.hop == "quality of service")
        assert hop.waiting_ms > 0 and hop.service_ms == 0
        assert hop.utilisation is None
        assert one.shown_load.adds_up.holds
