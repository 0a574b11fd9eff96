"""The page of a sweep or a curve says what the table says; no name that a user gave runs in it."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest

import iowatt
from figures import figures as numbers_in
from iowatt.evaluate.search.metrics import names as metrics
from iowatt.evaluate.search.metrics import pareto
from iowatt.pages.sweep import figures
from iowatt.pages.sweep.figures import Sweep
from iowatt.sources.simulation.wall import DRIVES_ALONE

OPEN = {"workload.oltp.replay.mode": "open"}
COUNT, LEVEL = "array.pool.disks.count", "array.pool.disks.raid.level"


def data(page):
    text = Path(page).read_text("utf-8")
    return json.loads(re.search(r'id="report-data">(.*?)</script>', text, re.DOTALL)[1])


@pytest.fixture
def sweep(scenario):
    over = {COUNT: [4, 5, 6], LEVEL: [5, 10], "workload.oltp.replay.speed": [0.5, 1.0, 100.0]}
    frame = iowatt.sweep(scenario, over, output="out", set=OPEN)
    return Sweep(frame, [(path,) for path in over])


def test_the_pareto_view_is_the_front_of_the_steady_points(sweep):
    drawn = figures.pareto_view(sweep)
    rows = sweep.rows
    on = [row for row in drawn.table.rows if row[4]]
    steady = [row for row in rows if row["status"] == "done" and not row["overloaded"]]
    over = [row for row in rows if row["overloaded"]]
    assert over, "one speed is meant to be too much"
    assert len(drawn.table.rows) == len(steady)
    expected = pareto.front([r[metrics.RESPONSE] for r in steady], [r["power_w.mean"] for r in steady])
    assert sorted(row[0] for row in on) == sorted(steady[at]["point"] for at in expected)
    (front,) = [trace for trace in drawn.spec["data"] if trace["name"] == "Pareto front"]
    assert sorted(front["x"]) == sorted(steady[at][metrics.RESPONSE] for at in expected)


def test_the_table_of_points_has_them_all_with_their_verdict(sweep):
    table = figures.points_table(sweep).table
    assert table.column("Point") == [row["point"] for row in sweep.rows]
    assert set(table.column("Verdict")) == {"steady", "overloaded", "failed"}
    assert table.columns[1].title == "count"
    # Values that were given are shown as given.
    speed = [column.title for column in table.columns].index("speed")
    assert {table.columns[speed].show(row[speed]) for row in table.rows} == {"0.5", "1", "100"}


@pytest.mark.parametrize("at", [0, 1, 2])
def test_by_each_path_the_table_twin_has_the_spread(sweep, at):
    path = sweep.paths[at]
    for figure in figures.by_axis(sweep, at):
        assert figure.table.columns[0].title == sweep.names[path]
        values = list(dict.fromkeys(row[path] for row in sweep.rows))
        assert [row[0] for row in figure.table.rows] == values
        for row in figure.table.rows:
            mine = [one for one in sweep.rows if one[path] == row[0]]
            assert sum(row[4:7]) == len(mine)
            if row[1] is not None:
                assert row[1] <= row[2] <= row[3]
    response = figures.by_axis(sweep, at)[0]
    lowest = min(row[1] for row in response.table.rows if row[1] is not None)
    assert lowest == min(v for v in sweep.values(metrics.RESPONSE) if v is not None)


def test_overloaded_points_are_in_no_line(sweep):
    for at in range(3):
        for figure in figures.by_axis(sweep, at):
            highest = max(row[3] for row in figure.table.rows if row[3] is not None)
            for trace in figure.spec["data"]:
                if trace["name"] != "Overloaded":
                    assert all(y is None or y <= highest for y in trace["y"])


def test_the_page_holds_what_the_reader_may_choose(sweep):
    found = data("out/report.html")["choices"]
    keys = [metric["key"] for metric in found["metrics"]]
    assert {"response_time_ms.all.mean", "power_w.mean", "devices.utilisation.max"} <= set(keys)
    assert COUNT not in keys
    assert len(found["points"]) == len(sweep.rows) == len(found["values"]["power_w.mean"])
    steady = [point["steady"] for point in found["points"]]
    assert steady == [sweep.steady(row) for row in sweep.rows]


def test_names_are_text_whatever_they_are(scenario):
    hostile = "<img src=x onerror=alert(1)>"
    Path(f"{hostile.replace('/', '')}.csv").write_text(Path("small.csv").read_text())
    over = {"workload.oltp.trace.path": ["small.csv", f"{hostile}.csv"]}
    iowatt.sweep(scenario, over, output="out")
    page = Path("out/report.html").read_text("utf-8")
    assert hostile not in page
    assert html.escape(hostile[:10]) in page
    for figure in data("out/report.html")["figures"].values():
        assert hostile not in json.dumps(figure["spec"])


def test_a_page_without_a_steady_point_still_says_so(scenario):
    iowatt.curve(scenario, rates=[20_000, 30_000], output="out")
    assert set(data("out/report.html")["figures"]) == {"curve-points"}
    iowatt.sweep(scenario, {"workload.oltp.replay.speed": [200, 300]}, output="out2", set=OPEN)
    found = data("out2/report.html")
    assert found["choices"] is None and set(found["figures"]) == {"sweep-points"}
    verdict = [column.partition(" (")[0] for column in found["figures"]["sweep-points"]["columns"]]
    assert {row[verdict.index("Verdict")] for row in found["figures"]["sweep-points"]["rows"]} == {
        "overloaded"
    }


def test_doubtful_designs_are_told_once_for_all_their_points(scenario):
    from iowatt.evaluate.search import ScenarioInput, run_sweep, sweep_request
    from iowatt.pages.sweep import report
    from iowatt.pages.sweep.page import sweep_notes

    given = ScenarioInput(scenario.read_text(), Path(), "small.toml", ())
    over = {COUNT: [4, 14, 16], LEVEL: [5, 6]}
    found = run_sweep(sweep_request(given, over), output=Path("out"), page=report)
    (one,) = found.warned
    assert list(one.points) == [3, 5]
    told = found.frame["warnings"].to_list()
    assert [one.text.partition(":")[0] in (text or "") for text in told] == [
        number in one.points for number in found.frame["point"]
    ]
    (note,) = [note for note in sweep_notes(found) if note.code == "doubtful-design"]
    assert one.text in note.text and one.last == "count=16, level=5" and note.decides
    page = html.unescape(re.sub("</?code>", "`", Path("out/report.html").read_text("utf-8")))
    assert note.text in page
    again = run_sweep(sweep_request(given, over), output=Path("out"), resume=True)
    assert again.resumed == 6 and again.warned == found.warned


def steady(number, mean, low, high):
    interval = {f"{metrics.RESPONSE}_ci95.low": low, f"{metrics.RESPONSE}_ci95.high": high}
    return {"point": number, "status": "done", "overloaded": False, metrics.RESPONSE: mean, **interval}


def test_means_with_a_wide_interval_or_none_are_named():
    from iowatt.lenses.findings import WIDE_INTERVAL
    from iowatt.pages.sweep.page import uncertain

    assert uncertain([steady(1, 10.0, 10 - 10 * WIDE_INTERVAL, 10 + 10 * WIDE_INTERVAL)]) == []
    rows = [
        steady(1, 10.0, 9.9, 10.1),
        steady(2, 10.0, 8.0, 12.0),
        steady(3, 10.0, 5.0, 15.0),
        steady(4, 10.0, None, None),
        {**steady(5, 10.0, 1.0, 19.0), "overloaded": True},
        {**steady(6, 10.0, 1.0, 19.0), "status": "failed"},
        steady(7, None, None, None),  # nothing completed: it idled
    ]
    wide, unknown = uncertain(rows)
    assert [note.code for note in (wide, unknown)] == ["wide-interval", "no-interval"]
    assert "2 points (2, 3)" in wide.text and "point 3" in wide.text
    assert "5.00 to 15.0" in wide.text and "50\u00a0%" in wide.text
    assert "point 4" in unknown.text


def test_a_table_says_whose_watts_they_are_and_which_models_are_stand_ins(scenario):
    from iowatt.evaluate.search.metrics.table import basis_line

    power = "{ name = 'head', slots = 4, part = [{ name = 'c', model = 'stand-in-io-module' }], supply = "
    power += "{ rating = '600W', count = 1, needed = 1, efficiency = 0.9 }, pools = ['disks'] }"
    Path("wall.toml").write_text(
        f"{scenario.read_text()}\n[array.power]\ncontroller = 'none'\nenclosure = [{power}]\n"
    )
    devices = ["arrays2002-disk", "intel-dc-s4600-1-92tb"]
    frame = iowatt.sweep("small.toml", {"array.pool.disks.device": devices}, output="out")
    assert frame["power_basis"].to_list() == ["device", "device"]
    assert frame["stand_ins"].to_list() == ["arrays2002-disk", None]
    assert frame["assumed"].to_list() == [None, "intel-dc-s4600-1-92tb"]
    rows = frame.to_dicts()
    said = basis_line(rows)
    run = iowatt.run("small.toml", set={"array.pool.disks.device": devices[0]})
    (alone,) = [note for note in run.notes if note in said]  # the very words of a Run
    assert DRIVES_ALONE in alone
    assert all(name in said for name in devices)
    assert said in html.unescape(Path("out/report.html").read_text("utf-8"))

    wall = iowatt.sweep("wall.toml", {COUNT: [4]}).to_dicts()
    assert wall[0]["stand_ins"] == "arrays2002-disk, stand-in-io-module"
    assert alone not in basis_line(wall)
    assert numbers_in(basis_line([*rows, *wall]))[:2] == [2, 3]
    assert basis_line([{"power_basis": "device", "energy.total_j": None}]) == ""


def test_an_idle_array_can_be_swept_too(scenario):
    text = 'name = "idle"\n[[array.pool]]\nname = "disks"\ndevice = "arrays2002-disk"\ncount = 2\n'
    text += 'raid = { level = 0, stripe_unit = "16KiB" }\n[observe]\nduration = "10s"\n'
    frame = iowatt.sweep(text, {COUNT: [2, 4]}, output="out")
    idle = frame["power_w.mean"].to_list()
    assert idle[1] == pytest.approx(2 * idle[0])
    assert frame["response_time_ms.all.mean"].null_count() == 2
    assert Path("out/report.html").exists()


def test_a_page_of_points_that_all_failed_says_why(scenario, tmp_path):
    # Beyond the end of the volume: found when the request comes, in every point.
    (tmp_path / "far.csv").write_text(f"time_us,op,offset,size\n0,R,{10**12},4096\n")
    far = {"workload.oltp.trace.path": "far.csv"}
    frame = iowatt.sweep(scenario, {COUNT: [4, 5]}, output="out", set=far)
    assert frame["status"].to_list() == ["failed", "failed"]
    (why,) = [f for key, f in data("out/report.html")["figures"].items() if key == "sweep-failed"]
    assert all("far.csv" in row[2] for row in why["rows"])
    iowatt.curve(scenario, outstanding=[1, 2], output="out2", set=far)
    assert "curve-failed" in data("out2/report.html")["figures"]
