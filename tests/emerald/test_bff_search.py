"""The search on a family whose peaks are worked out by hand (``tiny_family``), and what it writes."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest
from tiny_family import FAMILY, OUT, count, family, formula, judged, watts

from figures import figures
from iowatt.base.document import TomlDocument
from iowatt.base.errors import Argument, InputError, IowattError
from iowatt.emerald.bff import BffRequest, Output, page, search_family
from iowatt.emerald.bff.result import BestFootForward, NoFigures, PointFigures
from iowatt.emerald.family import Candidate, Group, find_metric, scenario_text
from iowatt.model.power.calculator import calculate
from iowatt.model.scenario.array_power import resolve
from iowatt.model.scenario.keys.scenario import Scenario
from iowatt.render import write
from refused import refused

THREE = ("RR", "RW", "RI")
NAMED = """
[[configuration]]
name = "sold"
controller = "only"
group = [{ drive = "disk", count = 12, raid = "stripes" }]
note = "what is sold"
"""


class Told:
    """Work by the formula, that remembers what was run."""

    def __init__(self):
        self.ran = []

    def __call__(self, task, report):
        self.ran.append((task.metric.name, count(task.text)))
        return formula(task, report)


@pytest.fixture
def work(monkeypatch):
    told = Told()
    monkeypatch.setattr("iowatt.emerald.bff.make.evaluate", told)
    return told


class Guesses:
    """Estimates ten percent above the formula at RR and exact at RW."""

    benchmarks = 1

    def of(self, text, what, limit_s):
        return judged(what, text, "estimated", 1.1 if what.name == "RR" else 1.0)


def asked(folder, more="", **options):
    return BffRequest(family(folder, FAMILY + more), **{"metrics": THREE, "estimate": False, **options})


def by_name(found):
    return {one.name: one for one in found.metrics}


def test_peaks_by_shelves_and_by_drives_are_those_worked_out_by_hand(tmp_path, work):
    found = by_name(search_family(asked(tmp_path)))
    read, write, idle = (found[name] for name in THREE)
    assert read.peak.drives == 8 and read.peak.ep == pytest.approx(800 / 220)
    assert read.peak.less_percent == pytest.approx(100 * (2.5 / (800 / 220) - 1))
    assert read.peak.more_percent == pytest.approx(100 * ((1000 / 280) / (800 / 220) - 1))
    assert read.by_drive.drives == 10 and read.by_drive.ep == pytest.approx(1000 / 260)
    assert write.peak.drives == 8 and write.by_drive.drives == 6
    assert idle.peak.drives == 16 and idle.peak.kind == "largest"
    assert idle.peak.ep == pytest.approx(1600 / (260 / 0.8))


def test_where_nothing_is_estimated_every_shelf_is_simulated_and_few_drives(tmp_path, work):
    found = search_family(asked(tmp_path, metrics=("RR",)))
    assert {4, 8, 12, 16} <= {drives for _, drives in work.ran}
    assert len(work.ran) == len(set(work.ran)) < 16
    assert not found.estimator.used and "not-estimated" in {note.code for note in found.notes}


def test_estimates_choose_what_is_simulated_and_their_error_is_printed(tmp_path, work, monkeypatch):
    monkeypatch.setattr("iowatt.emerald.bff.make._estimates", lambda _asked: Guesses())
    found = search_family(asked(tmp_path, estimate=True))
    errors = found.estimator.by_metric
    assert errors["RR"].median_percent == pytest.approx(10) and errors["RW"].worst_percent < 1e-9
    assert ("RR", 16) not in [one for one in work.ran if one[0] == "RR"][:3]
    assert by_name(found)["RR"].by_drive.drives == 10
    assert any("10.0 %" in caveat.text for caveat in page.document(found).caveats)


def test_without_simulation_all_is_estimated_and_says_so(tmp_path, work, monkeypatch):
    monkeypatch.setattr("iowatt.emerald.bff.make._estimates", lambda _asked: Guesses())
    found = search_family(asked(tmp_path, estimate=True, simulate=False))
    assert work.ran == [] and by_name(found)["RR"].peak.basis == "estimated"
    assert by_name(found)["RI"].peak.basis == "calculated"
    (note,) = [note for note in found.notes if note.code == "estimates-only"]
    assert note.decides
    assert note.text in write.page([page.document(found)])


def test_the_reduced_list_comes_near_every_peak(tmp_path, work):
    listed = search_family(asked(tmp_path)).reduced
    assert [(one.drives, one.covers) for one in listed.configurations] == [
        (8, ["RR", "RW"]),
        (16, ["RI"]),
    ]
    assert listed.uncovered == []
    for one in listed.configurations:
        for name in one.covers:
            assert one.figures[name].share >= 0.95
    # The weakest metric: 10 drives reach 77 % of RI's peak, 11 drives 81 % of RW's, 12 drives 79 %.
    assert listed.compromise.drives == 11
    assert listed.compromise.least_share == pytest.approx((300 / 270) / (300 / 220))
    (setup,) = listed.setups
    assert setup.drives == 16 and len(setup.contains) == 2


def test_the_projection_is_the_calculators(tmp_path, work):
    (row,) = search_family(asked(tmp_path)).projection
    found = family(tmp_path)
    largest = Candidate("only", (Group("disk", 16, "stripes"),))
    parsed = TomlDocument(scenario_text(found, largest, "RI"), "x").validate(Scenario)
    plan = resolve(parsed, tmp_path, simulated=False).plan
    normal = calculate(plan, "x").modes["normal"]
    assert row.idle_w == normal["idle"].wall_w == pytest.approx((100 + 80 + 80) / 0.8)
    assert row.active_w == normal["active"].wall_w == pytest.approx((100 + 80 + 160) / 0.8)
    assert (row.drives, row.shelves, row.raw_gb) == (16, 4, 1600)


def test_a_family_that_scales_out_says_why_there_is_no_peak(tmp_path, work):
    found = by_name(search_family(asked(tmp_path, OUT, metrics=("RR", "RI"))))
    # 400 IOPS a node until 1000: 2.5 (1 node), 800/220, 1000/280, ... falls at once behind two nodes
    assert (found["RR"].peak.nodes, found["RR"].peak.kind) == (2, "peak")
    assert found["RI"].peak.kind == "plateau" and found["RI"].peak.why
    assert found["RI"].peak.nodes == 1 and found["RI"].by_drive is None  # each node has its own head


def test_named_configurations_are_evaluated_as_they_are(tmp_path, work):
    (one,) = search_family(asked(tmp_path, NAMED)).configurations
    figures = {figure.metric: figure for figure in one.figures}
    assert figures["RR"].ep == pytest.approx(1000 / watts(12))
    assert one.idle_w == pytest.approx(220 / 0.8) and figures["RI"].wall_w == one.idle_w


def test_a_named_configuration_that_cannot_be_run_has_the_reason(tmp_path, monkeypatch):
    def failing(task, report):
        if count(task.text) != 12:
            return formula(task, report)
        error = {"code": "infeasible", "place": None, "message": "over-20-ms", "hint": None}
        return {"key": task.key, "error": error}

    monkeypatch.setattr("iowatt.emerald.bff.make.evaluate", failing)
    found = search_family(asked(tmp_path, NAMED, metrics=("RR",)))
    (figures,) = found.configurations[0].figures
    assert isinstance(figures, NoFigures) and "over-20-ms" in figures.error
    again = BestFootForward.model_validate(found.as_dict())
    assert again == found
    html = write.page([page.document(found)])
    assert "over-20-ms" in html


def test_a_search_goes_on_where_it_was_interrupted(tmp_path, monkeypatch):
    first, target = Told(), tmp_path / "out"

    def interrupted(task, report):
        if len(first.ran) == 3:
            raise KeyboardInterrupt
        return first(task, report)

    monkeypatch.setattr("iowatt.emerald.bff.make.evaluate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        search_family(asked(tmp_path), Output(target), jobs=1)
    assert not (target / "bff.json").exists()
    with pytest.raises(InputError) as caught:
        search_family(asked(tmp_path), Output(target), jobs=1)
    assert caught.value.place == str(target)
    second = Told()
    monkeypatch.setattr("iowatt.emerald.bff.make.evaluate", second)
    resumed = search_family(asked(tmp_path), Output(target, resume=True), jobs=1)
    assert second.ran and not set(first.ran) & set(second.ran)
    whole = Told()
    monkeypatch.setattr("iowatt.emerald.bff.make.evaluate", whole)
    assert search_family(asked(tmp_path), Output(target, force=True)) == resumed
    assert sorted(whole.ran) == sorted(first.ran + second.ran)


def test_a_fault_of_ours_is_an_error_and_tried_again(tmp_path, monkeypatch):
    def faulty(task, report):
        if count(task.text) == 8:
            raise RuntimeError("wheel-7")
        return formula(task, report)

    monkeypatch.setattr("iowatt.emerald.bff.make.evaluate", faulty)
    with refused("internal", None, IowattError) as caught:
        search_family(asked(tmp_path, metrics=("RR",)), Output(tmp_path / "out"))
    assert "wheel-7" in caught.value.message
    assert caught.value.exit_code == 3 and not (tmp_path / "out" / "bff.json").exists()
    monkeypatch.setattr("iowatt.emerald.bff.make.evaluate", formula)
    found = search_family(asked(tmp_path, metrics=("RR",)), Output(tmp_path / "out", resume=True))
    assert by_name(found)["RR"].peak.drives == 8


def test_what_is_written_is_what_is_returned(tmp_path, work):
    target = tmp_path / "out"
    found = search_family(asked(tmp_path, NAMED), Output(target), jobs=2)
    assert json.loads((target / "bff.json").read_text()) == json.loads(json.dumps(found.as_dict()))
    frame = pl.read_parquet(target / "table.parquet")
    assert frame.height == sum(len(one.points) for one in found.series)
    top = frame.filter((pl.col("metric") == "RR") & (pl.col("by") == "drive") & pl.col("peak"))
    assert top["drives"].to_list() == [10]
    assert (target / "family.toml").read_text() == FAMILY + NAMED


def test_the_page_has_a_table_for_every_figure_and_marks_the_peak(tmp_path, work):
    found = search_family(asked(tmp_path, NAMED.replace("what is sold", "<b>sold</b>")))
    html = write.page([page.document(found)])
    data = json.loads(re.search(r'id="report-data">(.*?)</script>', html, re.S)[1])
    figures = data["figures"]
    names = ("peaks", "reduced", "curve-rr", "drives-rr", "projection", "configurations", "stated")
    assert {f"bff-{name}" for name in names} <= set(figures)
    assert all(figure["rows"] for figure in figures.values())
    star = figures["bff-curve-rr"]["spec"]["data"][-1]
    assert (star["name"], star["x"]) == ("Peak", [8])
    assert "<b>sold" not in html and "&lt;b&gt;sold" in html
    assert "modelled" in html.lower()


def test_the_text_has_every_metric_and_its_basis(tmp_path, work):
    found = search_family(asked(tmp_path))
    drawn = page.document(found)
    (read,) = [line for line in drawn.verdict if line.startswith("RR:")]
    assert figures(read)[0] == 3.636
    assert Candidate("only", (Group("disk", 8, "stripes"),)).label in read
    brief = {figure.key: figure.table for figure in drawn.figures() if figure.brief}
    assert brief.keys() == {"peaks", "reduced"}
    assert set(brief["peaks"].column("Basis")) == {"simulated", "calculated"}
    assert brief["peaks"].column("Metric") == ["RR", "RR", "RW", "RW", "RI", "RI"]
    assert any(found.modelled[1:] in caveat.text for caveat in drawn.caveats)


def test_what_cannot_be_asked(tmp_path, work):
    with refused("unknown-name", Argument("metric")):
        search_family(asked(tmp_path, metrics=("XX",)))
    with refused("unknown-name", Argument("drive")) as caught:
        search_family(asked(tmp_path, drives=("disc",)))
    assert "'disc'" in caught.value.message and "'disk'" in caught.value.hint
    with refused("out-of-range", Argument("tolerance")):
        asked(tmp_path, tolerance=0)
    with refused("conflict", Argument("simulate")):
        asked(tmp_path, simulate=False)
    offered = (
        '\n[[drive]]\nname = "other"\ndevice = "drive.toml"\nraid = ["mirrors"]\n'
        '\n[[raid]]\nname = "mirrors"\nlevel = 10\n'
    )
    with refused("empty"):
        search_family(asked(tmp_path, offered, drives=("other",), levels=("stripes",)))
    assert find_metric(family(tmp_path), "RR").name == "RR"


def test_a_search_of_which_nothing_can_be_judged_is_an_error(tmp_path, monkeypatch):
    def failing(task, report):
        return {
            "key": task.key,
            "error": {"code": "infeasible", "place": None, "message": "over-20-ms", "hint": None},
        }

    monkeypatch.setattr("iowatt.emerald.bff.make.evaluate", failing)
    with refused("infeasible") as caught:
        search_family(asked(tmp_path, metrics=("RR",)))
    assert "over-20-ms" in caught.value.message


def test_between_simulated_points_a_curve_without_a_peak_is_estimated(tmp_path, monkeypatch):
    """n nodes do n - 1/n units of work at n units of power: 2 % below the asymptote from 7 nodes on."""
    ran = []

    def done(metric, text, basis, off=1.0):
        nodes = count(text) / 4
        ep = off * (1 - 1 / nodes**2)
        return PointFigures(basis=basis, ep=ep, wall_w=100.0 * nodes, iops=off * 100 * nodes)

    def flat(task, report):
        ran.append(count(task.text) // 4)
        return {"key": task.key, "figures": done(task.metric, task.text, "simulated").as_dict()}

    class Low(Guesses):
        def of(self, text, what, limit_s):
            return done(what, text, "estimated", 0.8)

    monkeypatch.setattr("iowatt.emerald.bff.make.evaluate", flat)
    monkeypatch.setattr("iowatt.emerald.bff.make._estimates", lambda _asked: Low())
    out = OUT.replace("least = 1, most = 8", "least = 2, most = 40")
    found = search_family(asked(tmp_path, out, metrics=("RR",), estimate=True))
    peak = found.metrics[0].peak
    assert (peak.nodes, peak.kind, peak.basis) == (7, "plateau", "simulated")
    # the ends, the point and its neighbours; the highest is the last
    assert sorted(set(ran)) == [2, 6, 7, 8, 40]


FLASH = """
[[drive]]
name = "flash"
device = "drive.toml"
group = "ssd"
raid = ["stripes"]
"""


def test_groups_of_drives_have_peaks_of_their_own(tmp_path, work):
    """Both options do the same here: each group has its own peak, at 8 drives, and its own optimal point."""
    found = search_family(asked(tmp_path, FLASH, metrics=("RR",)))
    read = found.metrics[0]
    assert {one.group: (one.drive, one.drives) for one in read.by_group} == {
        "hdd": ("disk", 8),
        "ssd": ("flash", 8),
    }
    assert {one.drive: one.group for one in found.variables.drives} == {"disk": "hdd", "flash": "ssd"}
    assert {one.group for one in found.optimal_points} == {"hdd", "ssd"}


def test_one_group_has_no_peaks_apart(tmp_path, work):
    assert search_family(asked(tmp_path, metrics=("RR",))).metrics[0].by_group == []


def test_an_optimal_point_says_which_configurations_its_test_covers(tmp_path, work):
    """-40 to +15 % of 8 drives: 4.8 to 9.2, so 5 to 9; of whole shelves 8 alone. 12 are not covered."""
    found = search_family(asked(tmp_path, NAMED, metrics=("RR",)))
    (point,) = found.optimal_points
    assert (point.drives, point.least, point.most, point.built) == (8, 5, 9, [8])
    assert not point.verified
    assert point.standing == "covered if the unverified rule holds"
    (sold,) = point.configurations
    assert (sold.name, sold.standing) == ("sold", "not covered")
    keys = {figure.key for figure in page.document(found).figures()}
    assert {"variables", "optimal-points"} <= keys
