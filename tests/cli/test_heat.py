"""`iowatt heat`: of a Run and of a trace, text, JSON, the page; what it refuses, and with which exit code."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest
from typer.testing import CliRunner

import iowatt
from iowatt.cli.main import app
from iowatt.pages.heat.figures import POINTS
from refused import check

runner = CliRunner()

TRACE = "time_s,op,offset,size,device\n" + "".join(
    f"{at / 10},{'RW'[at % 2]},{(at * at % 37) * 1048576},8192,{'ab'[at % 3 == 0]}\n" for at in range(400)
)
SCENARIO = """
name = "small"
[[workload]]
name = "w"
profile = { name = "skew", rate_iops = 100, duration = "20s" }
[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 2
raid = { level = 1 }
[array.controller.cache]
size = "4MiB"
line = "8KiB"
write = "back"
[observe]
heat = { extent = "64MiB" }
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("heat")
    (folder / "trace.csv").write_text(TRACE)
    (folder / "small.toml").write_text(SCENARIO)
    iowatt.run(folder / "small.toml", output=folder / "run")
    iowatt.run(folder / "small.toml", set=["observe={heat=false}"], output=folder / "bare")
    return folder


def invoke(*words):
    return runner.invoke(app, ["heat", *map(str, words)])


def test_a_run_is_told_in_text_json_and_a_page(made, tmp_path):
    text = invoke(made / "run", "-o", tmp_path / "heat.html")
    assert text.exit_code == 0, text.output
    found = json.loads(invoke(made / "run" / "run.json", "--json").stdout)
    assert found["schema"] == "iowatt.heat/1"
    assert [point["point"] for point in found["points"]] == ["front", "back"]
    # The terminal has the figures of both points: the share on the hottest tenth, and the skew point.
    for point in found["points"]:
        (tenth,) = (row["io_share"] for row in point["skew"]["hottest"] if row["space_share"] == 0.10)
        skew_point = point["skew"]["skew_point"]
        assert f"{100 * tenth:.1f}".removesuffix(".0") in text.stdout
        assert f"{100 * skew_point['io_share']:.3g}/{100 * skew_point['space_share']:.3g}" in text.stdout
    page = (tmp_path / "heat.html").read_text(encoding="utf-8")
    for key in ("curve", "density", "skew", "address-back", "time-back", "ways-back"):
        assert f'id="heat-{key}"' in page


def test_the_report_of_a_run_shows_the_curve(made):
    from iowatt.pages.run import document
    from iowatt.run.bundle import Run

    keys = [{figure.key for figure in document(Run.open(made / name)).figures()} for name in ("run", "bare")]
    assert ["heat-curve" in found for found in keys] == [True, False]


def test_a_trace_by_itself(made):
    found = json.loads(invoke(made / "trace.csv", "--extent", "1MiB", "--period", "10s", "--json").stdout)
    (front,) = found["points"]
    assert front["point"] == "trace"
    assert front["reads"] + front["writes"] == 400
    assert [space["name"] for space in front["spaces"]] == ["b", "a"]
    one = json.loads(invoke(made / "trace.csv", "--extent", "1MiB", "--device", "a", "--json").stdout)
    assert one["points"][0]["reads"] + one["points"][0]["writes"] == sum(at % 3 != 0 for at in range(400))
    big = json.loads(
        invoke(made / "trace.csv", "--capacity", "1TB", "--share-of", "capacity", "--json").stdout
    )
    assert big["points"][0]["capacity_bytes"] == 2_000_000_000_000


def test_a_trace_is_not_said_to_be_of_hosts(made, tmp_path):
    behind = tmp_path / "behind.parquet"
    run = iowatt.run(made / "small.toml", save_back_end=behind)
    text = invoke(behind, "-o", tmp_path / "heat.html")
    assert text.exit_code == 0, text.output
    page = (tmp_path / "heat.html").read_text(encoding="utf-8")
    assert 'id="heat-time-trace"' in page
    assert 'id="heat-time-front"' not in page
    for shown in (text.stdout, page):
        assert "hosts" not in shown.split("<script")[0].lower()
        assert POINTS["front"].lower() not in shown.lower()
    # It is the stream that the Run counted behind its cache.
    (trace,) = json.loads(invoke(behind, "--json").stdout)["points"]
    counted = run.table("heat").filter(pl.col("point") == "back")
    assert trace["writes"] == counted["writes"].sum() > 0
    assert invoke(made / "trace.csv", "-o", tmp_path / "two.html").exit_code == 0
    two = (tmp_path / "two.html").read_text(encoding="utf-8")
    assert 'id="heat-spaces"' in two
    assert "Volumes" not in two.split("<script")[0]
    few = json.loads(invoke(made / "trace.csv", "--extent", "64KiB", "--json").stdout)
    (note,) = (note for note in few["notes"] if note["code"] == "few-requests")
    assert note["text"].startswith("trace: ")


@pytest.mark.parametrize(
    ("words", "code", "place"),
    [
        (["run", "--extent", "1MiB"], "not-applicable", re.compile("run$")),
        (["bare"], None, re.compile("bare$")),
        (["nowhere.csv"], "not-found", re.compile(r"nowhere\.csv$")),
        (["trace.csv", "--extent", "1KiB"], "out-of-range", re.compile("extent$")),
        (["trace.csv", "--period", "1us"], "out-of-range", re.compile("period$")),
        (["trace.csv", "--capacity", "1MB"], "out-of-range", re.compile(r"trace\.csv$")),
        (["trace.csv", "--share-of", "there"], "not-accepted", re.compile("over$")),
        (["trace.csv", "--capacity", "17"], None, re.compile("capacity$")),
        (["run", "-o", "page.txt"], "not-accepted", "page.txt"),
    ],
)
def test_bad_input_is_refused(made, words, code, place):
    done = invoke(made / words[0], *words[1:])
    check(done.exception, code or done.exception.code, place)
    assert done.exception.exit_code == 2


def test_a_trace_without_requests_is_refused(tmp_path):
    (tmp_path / "empty.csv").write_text("time_s,op,offset,size\n")
    check(invoke(tmp_path / "empty.csv").exception, "empty", str(tmp_path / "empty.csv"))


def test_addresses_at_the_end_of_the_world(tmp_path):
    # Extents and periods become coarse; nothing overflows and memory stays what it is.
    far = "".join(f"{at},R,{2**63 - 8192 * (at + 1)},512\n0" for at in range(1))
    (tmp_path / "far.csv").write_text("time_s,op,offset,size\n0,R,0,512\n" + far.rstrip("0"))
    done = invoke(tmp_path / "far.csv", "--json")
    check(done.exception, "too-large", str(tmp_path / "far.csv"))
    done = invoke(tmp_path / "far.csv", "--extent", "1PiB", "--json")
    assert done.exit_code == 0, done.exception
    (front,) = json.loads(done.stdout)["points"]
    assert front["reads"] == 2
    assert front["over_time"]["end_gb"] == pytest.approx(2**63 / 1e9, rel=1e-3)
