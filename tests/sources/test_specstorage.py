"""Summaries of SPECstorage and SPEC SFS, made by hand after public descriptions: no real one could be had."""

import json

import pytest
from typer.testing import CliRunner

from iowatt.cli import main
from iowatt.sources import specstorage
from refused import check, refused

TEXT = """\
  Business   Requested    Achieved  Avg Lat      Total        Read       Write   Run    #    Cl  Workload
    Metric     Op Rate     Op Rate     (ms)       KBps        KBps        KBps   Sec   Cl  Proc      Name
        10  5000.00  5000.500  0.500  60000.00  40000.00  20000.00   300    2    20   SWBUILD
        20  10000.00  9000.000  2.500  100000.00  70000.00  30000.00  300  2  40  SWBUILD INVALID_RUN
"""
CSV = """\
Business Metric,Requested Op Rate,Achieved Op Rate,Avg Lat,Total KBps,Read KBps,Write KBps,Run Sec,Workload
10,5000,5000.5,0.5,60000,40000,20000,300,SWBUILD
"""
XML = """\
<?xml version="1.0"?>
<summary><run><business_metric>10</business_metric><benchmark name="SWBUILD"/><results><valid_run/>
<metric name="requested op rate" units="ops/s">5000</metric>
<metric name="achieved op rate" units="ops/s">5000.5</metric>
<metric name="average latency" units="milliseconds">0.5</metric>
<metric name="overall throughput" units="KB/s">60000</metric>
<metric name="read throughput" units="KB/s">40000</metric>
<metric name="write throughput" units="KB/s">20000</metric>
<metric name="run time" units="seconds">300</metric></results></run></summary>
"""


@pytest.mark.parametrize(("ending", "text"), [("txt", TEXT), ("csv", CSV), ("xml", XML)])
def test_each_form_gives_the_same_load_point(tmp_path, ending, text):
    file = tmp_path / f"sfssum_SWBUILD.{ending}"
    file.write_text(text)
    one = specstorage.read(file)[0]
    assert (one.name, one.tool, one.asked_iops) == ("SWBUILD-10", "specstorage", 5000)
    (interval,) = one.intervals
    assert interval.end - interval.start == 300
    assert interval.read.requests == 1_500_150  # 5,000.5 x 300
    assert interval.read.response_mean_s == pytest.approx(0.0005)
    assert interval.write.bytes == 20_000 * 1024 * 300
    assert any("no summary" in warning for warning in one.warnings)


def test_load_points_become_runs_and_an_invalid_one_says_so(tmp_path):
    file = tmp_path / "sfssum_SWBUILD.txt"
    file.write_text(TEXT)
    done = CliRunner().invoke(main.app, ["import", str(file), "-o", str(tmp_path / "runs"), "--json"])
    runs = json.loads(done.stdout)["runs"]
    assert [one["name"] for one in runs] == ["SWBUILD-10", "SWBUILD-20"]
    last = runs[1]["summary"]
    assert last["source"] == last["driver"]["tool"] == "specstorage"
    assert last["throughput"]["iops"] == pytest.approx(9000)
    assert last["response_time_ms"]["all"]["mean"] == pytest.approx(2.5)
    assert len(last["driver"]["warnings"]) == 1 + len(runs[0]["summary"]["driver"]["warnings"])


def test_what_does_not_fit_is_refused_with_its_place(tmp_path):
    file = tmp_path / "sfssum_x.txt"
    for text, code, place in (
        (TEXT.replace("   300    2    20   SWBUILD", ""), "damaged", f"{file}:3"),
        (TEXT.replace("   300    2    20 ", "     0    2    20 "), "out-of-range", f"{file}:3: run time"),
        ("Business Metric\n", "empty", str(file)),
        (CSV.replace("5000.5", "many"), "bad-syntax", f"{file}:2: achieved op rate"),
        (CSV.replace(",SWBUILD", ","), "damaged", f"{file}:2"),
        (XML.replace("</summary>", ""), "damaged", None),
    ):
        file.write_text(text)
        with refused(code, place) if place else refused(code):
            specstorage.read(file)
    file.write_text(TEXT)
    words = ["import", str(file), "--meter", f"csv:{file}?time=a&watts=b", "-o", str(tmp_path / "runs")]
    assert CliRunner().invoke(main.app, words).exit_code != 0
    check(CliRunner().invoke(main.app, ["import", str(tmp_path / "none.txt")]).exception, "not-found")
