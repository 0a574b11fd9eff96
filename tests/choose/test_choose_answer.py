"""The answer to a small question: its document, page and folder, systems of one's own, and what an
interrupted one keeps."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner

import iowatt
from iowatt.base.errors import InputError
from iowatt.cli.main import app
from iowatt.evaluate.choose.result import Choose
from iowatt.pages.choose import document

ROOT = Path(__file__).resolve().parents[2]
QUESTION = """
schema = "iowatt.question/1"
name = "small"
usable = "30TB"
requests = 1000
families = ["flash-sata", "flash-qlc", "disks-7k"]

[[workload]]
name = "files"
profile = { name = "uniform", rate_iops = 2000, set = ["stream.uniform.read_share=70"] }
p95 = "2ms"

[durability]
loss_per_year = 1e-3

[energy]
usd_per_kwh = 0.2
region = "usa"

[[own]]
name = "today"
scenario = "today.toml"
owned = true
"""
TODAY = """
name = "today"
[[workload]]
name = "old"
profile = { name = "uniform", rate_iops = 10, duration = "1s" }
[[array.pool]]
name = "flash"
device = "samsung-pm9a3-7-68tb"
count = 6
raid = { level = 5 }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The question, one's own system beside it, and the answer in ``answer``."""
    folder = tmp_path_factory.mktemp("choose")
    (folder / "question.toml").write_text(QUESTION, encoding="utf-8")
    (folder / "today.toml").write_text(TODAY, encoding="utf-8")
    iowatt.choose(folder / "question.toml", output=folder / "answer")
    return folder


@pytest.fixture(scope="module")
def found(folder):
    """The document of the answer."""
    return Choose.model_validate_json((folder / "answer" / "choose.json").read_text("utf-8"))


def test_the_document_is_that_of_its_schema(folder):
    schema = json.loads((ROOT / "schema" / "results" / "iowatt.choose.schema.json").read_text("utf-8"))
    jsonschema.validate(json.loads((folder / "answer" / "choose.json").read_text("utf-8")), schema)


def test_what_one_has_costs_no_purchase_and_competes(found):
    own = next(one for one in found.families if one.name == "today")
    assert own.best is not None
    assert own.best.keeps
    assert own.best.purchase_usd == 0
    assert found.winner.family == "today"


def test_the_next_is_the_cheapest_that_is_bought(found):
    bought = [one.best for one in found.families if one.best is not None and one.best.keeps]
    ranked = sorted(bought, key=lambda one: one.usd)
    assert [found.winner.title, found.next.title] == [one.title for one in ranked[:2]]
    assert all(one.confirmed and one.levels[0].high_ms <= one.levels[0].limit_ms for one in ranked)


def test_a_family_that_misses_says_by_how_much(found):
    disks = next(one for one in found.families if one.name == "disks-7k")
    assert disks.best is not None
    [missed] = [one for one in disks.best.missed if one.what == "files.p95"]
    assert missed.found > missed.limit == 2


def test_the_terminal_has_the_verdict_first_and_each_family(found):
    shown = document(found)
    assert shown.verdict[0].startswith("Cheapest that meets the requirements: today (yours)")
    rows = {str(row[0]) for row in shown.sections[0].figures[0].table.rows}
    assert rows == {one.title for one in found.families}


def test_scenarios_of_the_best_run_as_their_commands_say(folder, found, monkeypatch):
    assert {one.path for one in found.scenarios} >= {"systems/flash-sata.toml", "systems/flash-qlc.toml"}
    one = next(one for one in found.scenarios if one.path == "systems/flash-sata.toml")
    run, cost, _ = (shlex.split(command) for command in one.commands)
    monkeypatch.chdir(folder)
    assert CliRunner().invoke(app, [*run[1:2], str(folder / "answer" / one.path), *run[3:]]).exit_code == 0
    priced = CliRunner().invoke(app, [*cost[1:], "--json"])
    assert priced.exit_code == 0
    [system] = json.loads(priced.stdout)["systems"]
    best = next(family.best for family in found.families if family.name == "flash-sata")
    assert system["usd"] == pytest.approx(best.usd, rel=0.02)


def test_a_resumed_answer_simulates_nothing_again_and_is_the_same(folder, found):
    before = (folder / "answer" / "points.jsonl").read_text("utf-8")
    again = iowatt.choose(folder / "question.toml", output=folder / "answer", resume=True, jobs=1)
    assert (folder / "answer" / "points.jsonl").read_text("utf-8") == before
    assert again.document.as_dict() == {**found.as_dict(), "scenarios": again.document.as_dict()["scenarios"]}


def test_a_measured_or_simulated_run_competes_as_it_was(folder):
    iowatt.run(folder / "today.toml", output=folder / "run")
    text = QUESTION.replace('scenario = "today.toml"', 'run = "run"').replace(
        '"flash-qlc", "disks-7k"', '"flash-qlc"'
    )
    (folder / "with-run.toml").write_text(text, encoding="utf-8")
    own = next(
        one for one in iowatt.choose(folder / "with-run.toml").document.families if one.name == "today"
    )
    assert [one.what for one in own.best.missed] == ["load"]  # it did 10 requests a second of 2,000


def test_an_answer_without_a_name_of_its_own_has_what_is_asked(folder):
    text = QUESTION.replace('name = "small"', 'name = "question"').replace(
        '"flash-sata", "flash-qlc", "disks-7k"', '"flash-sata"'
    )
    (folder / "unnamed.toml").write_text(text, encoding="utf-8")
    found = iowatt.choose(folder / "unnamed.toml").document
    assert [part in found.name for part in ("30 TB", "2,000", "p95 2 ms")] == [True] * 3
    assert document(found).title == found.name


def test_a_question_that_is_not_there_says_what_writes_one(tmp_path):
    with pytest.raises(InputError) as error:
        iowatt.choose(tmp_path / "none.toml")
    assert "choose --init" in error.value.hint


def test_no_system_is_exit_1_with_the_nearest(folder, tmp_path):
    changes = ["--set", "workload.files.p95=1us", "--set", 'families=["flash-qlc"]', "--set", "own=[]"]
    done = CliRunner().invoke(
        app, ["choose", str(folder / "question.toml"), *changes, "-o", str(tmp_path / "none")]
    )
    assert done.exit_code == 1
    assert re.search(r"files\.p95", done.stdout)
    assert json.loads((tmp_path / "none" / "choose.json").read_text("utf-8"))["winner"] is None


@pytest.mark.parametrize(
    ("change", "code", "place"),
    [
        ('own=[{name="today", scenario="missing.toml"}]', "not-found", "missing.toml"),
        ('own=[{name="today", run="missing"}]', "not-found", "missing"),
        ('energy.region="atlantis"', "unknown-name", "energy"),
        ('families=["flash"]', "unknown-name", "families"),
        ('prices={"samsung-870"=100}', "unknown-name", "prices"),
        ('family=[{name="mine", devices=["nodrive"]}]', "unknown-name", "family.mine.devices.0"),
        ('name="home NAS"', "bad-syntax", "such as 'home-NAS'"),
        ('workload.files={name="files", trace={path="no.csv"}, p95="2ms"}', "not-found", "no trace file"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(folder, tmp_path, change, code, place):
    with pytest.raises(InputError) as error:
        iowatt.choose(folder / "question.toml", set=[change], output=tmp_path / "out")
    problem = error.value.problems[0] if hasattr(error.value, "problems") else error.value
    assert problem.code == code
    assert place in f"{error.value} {problem.hint}"
    assert len(problem.hint or "") < 200
    assert not (tmp_path / "out").exists()
