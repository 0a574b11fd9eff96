"""`iowatt emerald report`: files, exit codes, what it refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from emerald_runs import measured, plan
from iowatt.base.errors import InputError
from iowatt.cli.main import app
from iowatt.emerald.analyze import judge
from iowatt.emerald.report import about
from iowatt.emerald.rules import load
from refused import check

runner = CliRunner()
ROOT = Path(__file__).parents[2]
ABOUT = ROOT / "examples" / "emerald" / "about.toml"


def invoke(*words):
    return runner.invoke(app, ["emerald", "report", *map(str, words)])


def analysis(folder, version="emerald-4.0.0"):
    folder.mkdir()
    found = judge(measured(plan(version, name=folder.name)), load(version))
    (folder / "analysis.json").write_text(json.dumps(found.as_dict()), "utf-8")
    return folder


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return analysis(tmp_path_factory.mktemp("verb") / "new")


def test_files_are_written_by_their_suffix(place, tmp_path):
    names = ["tdr.xlsx", "tdr.html", "star.csv", "star.json"]
    words = [word for name in names for word in ("-o", tmp_path / name)]
    done = invoke(place, "--about", ABOUT, *words)
    assert done.exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    header, row = csv.reader((tmp_path / "star.csv").read_text("utf-8").splitlines())
    fields = dict(zip(header, row, strict=True))
    assert fields["iowatt_standing"].startswith("NON-COMPLIANT")
    assert fields["trans_optimal_point_hot_band_workload_test_iops_w"] == "1.25"
    assert fields["stream_optimal_point_seq_read_workload_test_mibps_w"] == ""
    assert json.loads((tmp_path / "star.json").read_text())["schema"] == "iowatt.energystar-export/1"


def test_the_summary_names_what_is_missing_and_strict_fails(place):
    done = invoke(place / "analysis.json")
    assert done.exit_code == 0
    assert "Incomplete: " in done.stdout
    (topology,) = [line for line in done.stdout.splitlines() if "topology" in line]
    assert "--about: system.topology" in topology
    assert "NON-COMPLIANT" in done.stdout
    assert invoke(place, "--require-complete").exit_code == 1


def test_json_is_the_same(place):
    found = json.loads(invoke(place, "--json").stdout)
    assert found["schema"] == "iowatt.emerald-report/1"
    assert not found["complete"]
    assert {"page", "what", "state", "how"} == found["items"][0].keys()
    (topology,) = [item for item in found["items"] if item["what"] == "topology"]
    assert topology["state"] == "missing" and topology["how"].endswith("system.topology")
    assert topology["page"] in [item["page"] for item in found["items"] if item["what"] == "hosts"]


def test_the_export_goes_to_stdout(place):
    done = invoke(place, "--energystar")
    assert next(csv.reader(done.stdout.splitlines()))[0] == "iowatt_analysis"
    found = json.loads(invoke(place, "--energystar", "--json").stdout)
    assert found["fields"]["trans_optimal_point_random_read_workload_test_iops_w"] == 1.25


def test_metrics_of_two_generations_are_refused_with_exit_code_2(place, tmp_path):
    old = analysis(tmp_path / "old", "emerald-1.0.0")
    error = invoke(old, place).exception
    assert isinstance(error, InputError)
    assert error.exit_code == 2
    check(error, "not-comparable", str(place / "analysis.json"))
    assert "MW1, MW2" in error.message


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["-o", "tdr.doc"], ("not-accepted", "tdr.doc")),
        (["-o", "no-such-folder/tdr.pdf"], ("not-found", "no-such-folder")),
        (["-o", "tdr.xlsx", "-o", "tdr.xlsx"], ("duplicate", "tdr.xlsx")),
        (["--about", "no-such.toml"], (None, "no-such.toml")),
        (["--com", "no-such.json"], (None, "no-such.json")),
    ],
)
def test_what_is_wrong_is_said(place, tmp_path, monkeypatch, words, fault):
    monkeypatch.chdir(tmp_path)
    error = invoke(place, *words).exception
    assert isinstance(error, InputError)
    check(error, fault[0] or error.code, fault[1])  # None: that of whoever reads files
    assert list(tmp_path.iterdir()) == []


def test_what_exists_is_not_overwritten(place, tmp_path):
    target = tmp_path / "tdr.html"
    target.write_text("mine")
    check(invoke(place, "-o", target).exception, "exists", str(target))
    assert target.read_text() == "mine"
    assert invoke(place, "-o", target, "--force").exit_code == 0


def test_several_analyses_take_no_description(place):
    check(invoke(place, place, "--about", ABOUT).exception, "not-applicable", None)
    check(invoke(place, place, "--energystar").exception, "not-applicable", None)
    assert "EP_HB" in invoke(place, place).stdout


def test_the_example_is_read_and_names_its_schema():
    assert about.read(ABOUT).energystar.optimal_point_of == ["transactional"]
    first = ABOUT.read_text("utf-8").partition("\n")[0]
    directive, schema = first.split()
    assert directive == "#:schema"
    assert (ABOUT.parent / schema).resolve() == ROOT / "schema" / "iowatt.emerald-about.schema.json"
