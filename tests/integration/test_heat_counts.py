"""The table of heat through scenario, simulator and bundle, against counts by hand and a cache."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import iowatt
from iowatt.base.errors import InputError
from iowatt.lenses.heat import analyse, of_run, of_trace
from iowatt.run.bundle import Run
from refused import refused

MIB = 1 << 20
TRACE = """time_s,op,offset,size
0.0,R,0,4096
1.0,W,1044480,8192
12.0,W,9437184,65536
"""
SCENARIO = """
name = "counted"
[[workload]]
name = "w"
volume = "second"
trace = {{ path = "{path}" }}
[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 2
raid = {{ level = 0 }}
[[array.volume]]
name = "first"
pool = "disks"
capacity = "100MiB"
[[array.volume]]
name = "second"
pool = "disks"
capacity = "10MiB"
[observe]
heat = {{ extent = "1MiB", period = "10s" }}
{more}
"""


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "trace.csv"
    path.write_text(TRACE)
    return path


def scenario(trace: Path, more: str = "") -> str:
    return SCENARIO.format(path=trace, more=more)


def rows(run: Run, point: str) -> list[tuple[object, ...]]:
    table = run.table("heat").filter(pl.col("point") == point)
    return [tuple(row) for row in table.drop("point").rows()]


def test_counts_equal_those_by_hand(trace, tmp_path):
    run = iowatt.run(scenario(trace), output=tmp_path / "run")
    expected = [
        (0, 0.0, 1, 1, 4096, 4096),
        (1, 0.0, 0, 0, 0, 4096),
        (9, 10.0, 0, 1, 0, 65536),
    ]
    assert rows(run, "front") == [("second", *row) for row in expected]
    assert rows(run, "back") == [("disks", row[0] + 100, *row[1:]) for row in expected]
    told = run.summary["heat"]
    assert (told["extent_bytes"], told["period_s"]) == (MIB, 10.0)
    by_name = {space["name"]: space for space in told["spaces"]}
    assert by_name["second"]["capacity_bytes"] == 10 * MIB
    # What volumes hold of the pool; the rest of it is no cold data.
    assert by_name["disks"]["capacity_bytes"] == 110 * MIB
    assert [by_name[name]["writes"] for name in ("first", "second", "disks")] == [0, 2, 2]
    # The same from the file, in another process's eyes.
    again = Run.open(tmp_path / "run")
    assert again.table("heat").equals(run.table("heat"))
    found = analyse(of_run(again), "counted")
    assert [point.writes for point in found.points] == [2, 2]


def test_a_trace_by_itself_has_the_same_counts(trace):
    extents = of_trace({"path": str(trace)}, extent_bytes=MIB, period_s=10.0)
    extent, reads, writes, bytes_read, bytes_written = extents.touched()
    assert extent.tolist() == [0, 1, 9]
    assert (reads.tolist(), writes.tolist()) == ([1, 0, 0], [1, 0, 1])
    assert (bytes_read.tolist(), bytes_written.tolist()) == ([4096, 0, 0], [4096, 4096, 65536])
    assert (extents.duration_s, extents.capacity_bytes) == (12.0, 9437184 + 65536)
    with refused("out-of-range", str(trace)) as caught:
        of_trace({"path": str(trace)}, extent_bytes=MIB, capacity_bytes=MIB)
    assert f"{9437184 + 65536:,}" in caught.value.message


def test_a_run_that_keeps_no_heat_has_no_table(trace):
    run = iowatt.run(scenario(trace).replace("heat = ", "heat = false # "))
    assert not run.has("heat")
    assert "heat" not in run.summary
    with refused("missing-figure") as caught:
        of_run(run)
    assert "observe.heat = {}" in str(caught.value)


def test_one_point_alone(trace):
    run = iowatt.run(scenario(trace), set=['observe.heat.points=["back"]'])
    assert rows(run, "front") == []
    assert [extents.point for extents in of_run(run)] == ["back"]


CACHED = """
[array.controller.cache]
size = "2MiB"
line = "16KiB"
write = "back"
high_watermark = 0.5
low_watermark = 0.2
"""


def test_behind_a_cache_is_what_it_fetches_and_destages(tmp_path):
    text = """
name = "cached"
[[workload]]
name = "w"
profile = { name = "uniform", rate_iops = 100, requests = 4000 }
[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 4
raid = { level = 10 }
[[array.volume]]
name = "v"
pool = "disks"
capacity = "16MiB"
[observe]
heat = { extent = "64KiB" }
"""
    run = iowatt.run(text + CACHED)
    front, back = of_run(run)
    cache = run.summary["cache"]
    assert cache["fetches"] > 100 and cache["destages"] > 100
    assert back.reads.sum() == cache["fetches"]
    assert back.bytes_read.sum() == cache["fetched_bytes"]
    assert back.writes.sum() == cache["destages"]
    assert back.bytes_written.sum() == cache["destaged_bytes"]
    assert front.reads.sum() == run.summary["requests"]["reads"]
    assert back.extent.max() < 256


def test_the_curve_of_a_made_skew_is_its_law():
    text = """
name = "skewed"
[[workload]]
name = "w"
profile = { name = "skew", rate_iops = 2000, requests = 60000, set = ["stream.skew.access.k=7"] }
replay = { mode = "closed", outstanding = 16 }
[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 16
raid = { level = 0 }
[[array.volume]]
name = "v"
pool = "disks"
capacity = "256MiB"
[observe]
heat = { extent = "1MiB" }
"""
    (front, back) = analyse(of_run(iowatt.run(text)), "skewed").points
    for point in (front, back):
        assert point.extents == 256
        law = point.skew.law
        # 234 requests to an extent: the count of one strays by 6.5 %, the sorted curve by little.
        assert law.k == pytest.approx(7, rel=0.05)
        assert law.max_error < 0.015
        assert 100 * point.skew.skew_point.io_share == pytest.approx(79.7, abs=1)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("observe.heat.extent=4KiB", "64 KiB"),
        ("observe.heat.extent=0", "64 KiB"),
        ('observe.heat.points=["middle"]', "front"),
        ("observe.heat.points=[]", "points"),
        ("observe.heat.period=0s", "period"),
        ("observe.heat=7", "heat"),
        ("observe.heat.extents=1MiB", "extent"),
    ],
)
def test_what_is_wrong_with_the_key_is_said(trace, change, said):
    with pytest.raises(InputError) as caught:
        iowatt.run(scenario(trace), set=[change])
    assert caught.value.exit_code == 2
    assert said in str(caught.value)


def test_the_plan_says_the_same_as_the_scenario(trace, tmp_path):
    run = iowatt.run(scenario(trace), output=tmp_path / "run")
    plan = json.loads((tmp_path / "run" / "plan.json").read_text())
    assert plan["simulation"]["observe"]["heat"] == {
        "extent_bytes": MIB,
        "period_s": 10.0,
        "front": True,
        "back": True,
    }
    assert run.notes is not None
