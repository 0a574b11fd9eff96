"""`iowatt budget`: of Runs and of a scenario, text, JSON, the page, the Python API; what it refuses."""

from __future__ import annotations

import json
import re

import pytest
from typer.testing import CliRunner

import iowatt
from iowatt.base.errors import InputError
from iowatt.cli.main import app
from lenses.budget_runs import made
from refused import check

runner = CliRunner()

SCENARIO = """
name = "small"
[[workload]]
name = "oltp"
profile = { name = "uniform", rate_iops = 1000, duration = "1s" }
[[path]]
name = "san"
protocol = "fcp"
queue_depth = 32
hop = [{ link = "fc-8g" }]
[[array.pool]]
name = "flash"
device = "intel-dc-s4600-1-92tb"
count = 4
raid = { level = 5 }
[array.controller.processing]
processors = 1
read = "50us"
write = "50us"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("budget")
    for rate in (1000, 4000, 7000):
        made(rate, 2000)[0].save(place / f"at-{rate}")
    (place / "small.toml").write_text(SCENARIO)
    return place


def invoke(*words):
    return runner.invoke(app, ["budget", *map(str, words)])


def test_a_run_is_told_in_text_json_and_a_page(folder, tmp_path):
    told = invoke(folder / "at-4000", "--within", "1ms", "-o", tmp_path / "budget.html")
    assert told.exit_code == 0, told.output
    found = json.loads(invoke(folder / "at-4000", "--json").stdout)
    assert all(each["name"] in told.stdout for each in found["classes"])
    assert all(
        hop["hop"] in told.stdout for hop in found["classes"][0]["loads"][0]["hops"] if hop["total_ms"]
    )
    assert "(--notes)" in told.stdout
    assert f"note: {found['notes'][0]['text']}" in invoke(folder / "at-4000", "--notes").stdout
    assert found["schema"] == "iowatt.budget/1"
    assert found["classes"][0]["against"] is None
    assert 'id="budget-budget-hops-0"' in (tmp_path / "budget.html").read_text(encoding="utf-8")
    again = invoke(folder / "at-4000", "-o", tmp_path / "budget.html")
    assert isinstance(again.exception, InputError)
    assert invoke(folder / "at-4000", "-o", tmp_path / "budget.html", "--force").exit_code == 0


def test_runs_at_several_loads_are_one_budget(folder):
    found = json.loads(
        invoke(*(folder / f"at-{rate}" for rate in (7000, 1000, 4000)), "--within", "1ms", "--json").stdout
    )
    held = found["classes"][0]["against"]
    assert held["basis"] == "loads"
    assert (held["first"]["place"], held["first"]["hop"].split()[-1]) == ("controller", "processors")
    rates = [load["rate_iops"] for load in found["classes"][0]["loads"]]
    assert rates == sorted(rates)


def test_a_scenario_is_simulated_at_its_loads(folder, tmp_path):
    told = invoke(folder / "small.toml", "--rates", "1000,16000", "--within", "300us", "--json")
    assert told.exit_code == 0, told.output
    found = json.loads(told.stdout)
    assert [name.split()[-1] for name in found["runs"]] == ["1000/s", "16000/s"]
    for one in found["classes"]:
        for load in one["loads"]:
            assert load["adds_up"]["holds"], load["adds_up"]
            assert load["adds_up"]["bins_outside"] == 0
    assert found["classes"][0]["loads"][1]["rate_iops"] == pytest.approx(16000, rel=0.1)
    # What was simulated for it is gone: nothing is left where it was called.
    assert sorted(path.name for path in folder.iterdir()) == ["at-1000", "at-4000", "at-7000", "small.toml"]


def test_the_api_takes_a_run_in_memory_and_a_scenario_at_its_own_load(folder):
    run = iowatt.run(folder / "small.toml")
    found = iowatt.budget(run, within=1e-3)
    alone = iowatt.budget(folder / "small.toml", within=1e-3)
    assert [one.against for one in alone.classes] == [one.against for one in found.classes]
    for one, other in zip(alone.classes, found.classes, strict=True):
        assert [load.model_copy(update={"run": "small"}) for load in other.loads] == one.loads
    told = runner.invoke(app, ["run", str(folder / "small.toml"), "-o", str(folder / "r")]).stdout
    assert any(hop.hop in told for hop in alone.classes[0].hops if hop.place == "controller")


@pytest.mark.parametrize(
    ("words", "code", "place"),
    [
        (["at-4000", "--rates", "1,2"], "not-applicable", "rates"),
        (["at-4000", "--workload", "oltp"], "not-applicable", "workload"),
        (["at-4000", "--set", "seed=2"], "not-applicable", "set"),
        (["at-4000", "--within", "1ms", "--of", "p98"], "not-accepted", "of"),
        (["at-4000", "--of", "p99"], "not-applicable", "of"),
        (["small.toml", "at-4000"], "conflict", "small.toml"),
        (["small.toml", "--workload", "oltp"], "not-applicable", "workload"),
    ],
)
def test_what_is_wrong_is_refused(folder, words, code, place):
    done = invoke(*[folder / word if (folder / word).exists() else word for word in words])
    check(done.exception, code, re.compile(f"{place}$"))


@pytest.mark.parametrize(
    ("words", "place"), [(["at-4000", "--within", "soon"], "within"), (["nowhere"], "nowhere")]
)
def test_what_cannot_be_read_is_named(folder, words, place):
    done = invoke(folder / words[0], *words[1:])
    assert isinstance(done.exception, InputError) and place in done.exception.place


def test_a_scenario_without_a_path_is_refused_before_it_is_simulated(folder):
    bare = folder / "bare.toml"
    bare.write_text(
        SCENARIO.partition("[[path]]")[0] + "[[array.pool]]" + SCENARIO.partition("[[array.pool]]")[2]
    )
    done = invoke(bare)
    bare.unlink()
    check(done.exception, "missing", f"{bare}: path")
