"""``iowatt run``: parses, calls the API, prints. The API is a hand-made one."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import iowatt
import iowatt.pages.run
from iowatt.cli.main import app
from iowatt.lenses.findings import findings
from iowatt.pages.run.headlines import headlines, particular

SCENARIO = """\
name = "my-scenario"

[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 1

[observe]
duration = "1s"
"""


@pytest.fixture
def called(run, monkeypatch, tmp_path):
    """What the API was called with; it answers with the run of ``handmade``."""
    calls = []

    def api(scenario, **options):
        calls.append((scenario, options))
        return run.save(options["output"])

    monkeypatch.setattr(iowatt, "run", api)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    return calls


def invoke(*arguments):
    return CliRunner().invoke(app, ["run", "scenario.toml", *arguments])


def test_the_default_place_is_named_after_the_scenario(called):
    result = invoke()
    assert result.exit_code == 0, result.output
    ((scenario, options),) = called
    assert str(scenario) == "scenario.toml"
    assert str(options["output"]) == "runs/my-scenario"
    assert (options["set"], options["seed"], options["force"]) == ([], None, False)
    assert "runs/my-scenario" in result.stdout


def test_an_override_of_the_name_renames_the_default_place(called):
    assert invoke("--set", "name=other").exit_code == 0
    assert str(called[0][1]["output"]) == "runs/other"


def test_options_reach_the_api(called):
    invoke("--set", "a=1", "--set", "b=2", "-o", "out", "--force", "--seed", "9")
    options = called[0][1]
    assert options["set"] == ["a=1", "b=2"]
    assert (str(options["output"]), options["force"], options["seed"]) == ("out", True, 9)
    assert options["command"].split()[0] == "iowatt"


def test_no_bar_where_stderr_is_no_terminal(called):
    result = invoke("-o", "out")
    assert called[0][1]["progress"] is None
    assert result.stderr == ""


def test_the_headline_has_the_figures_and_notes_on_request(called):
    text = " ".join(invoke("-o", "out").stdout.replace("\u00a0", " ").split())
    figures = ("5 reads, 3 writes", "0.0700 IOPS", "6.43 ms", "20.0 ms", "42.0 W", "43.0 W", "4.20 kJ")
    shares = ("active 7.1 %, positioning 11.9 %, idle 81 %", "600 J", "3.86 J·s", "run: out")
    for words in (*figures, *shares):
        assert words in text
    note = "test-disk is a stand-in"
    assert note not in text
    assert note in invoke("-o", "out2", "--notes").stdout


def test_the_title_names_what_was_overridden_as_it_was_written(called, run):
    first = invoke("--set", 'b=["[red]"]', "--set", "a=1", "-o", "out").stdout.splitlines()[0]
    assert first.startswith(run.name) and 'b=["[red]"], a=1' in first


def test_json_is_run_json_and_nothing_else(called, run):
    result = invoke("-o", "out", "--json")
    assert json.loads(result.stdout) == run.summary


def test_a_report_goes_into_the_bundle(called, monkeypatch, tmp_path):
    written = []
    monkeypatch.setattr(iowatt.pages.run, "write", lambda runs, path: written.append((runs, path)) or path)
    result = invoke("-o", "out", "--report")
    assert [str(path) for _, path in written] == ["out/report.html"]
    assert "out/report.html" in result.stdout


def shown(summary):
    """The headline figures of a summary, by key: as shown, and with their remark."""
    every = [*headlines(summary), *particular(summary)]
    return {one.key: f"{one.shown} {one.remark}".replace("\u00a0", " ") for one in every}


def test_a_run_without_requests_has_dashes_for_what_it_has_not(run):
    empty = json.loads(json.dumps(run.summary))
    empty["response_time_ms"]["all"] |= {"mean": None, "p95": None, "p99": None}
    empty["energy"] |= {"per_request_j": None, "energy_delay_js": None}
    assert all(shown(empty)[key].startswith("–") for key in ("mean", "p95", "p99", "per_request"))


def test_a_confidence_interval_is_shown_where_there_is_one(run):
    known = json.loads(json.dumps(run.summary))
    known["response_time_ms"]["all"] |= {"mean": 6.4, "mean_ci95": [5.5, 7.25]}
    text = shown(known)["mean"]
    assert (text.split()[:2], text.split()[-4:]) == (["6.40", "ms"], ["5.50", "to", "7.25", "ms"])
    # In the unit of its own size, like the mean beside it.
    known["response_time_ms"]["all"] |= {"mean": 94_100.0, "mean_ci95": [74_300.0, 114_000.0]}
    text = shown(known)["mean"]
    assert (text.split()[:2], text.split()[-4:]) == (["94.1", "s"], ["74.3", "to", "114", "s"])


def test_warnings_decide_and_are_printed_too(called, run):
    (warning,) = [note.text for note in findings(run) if note.code == "mean-uncertain"]
    assert f"note: {warning}\n" in invoke("-o", "out").stdout
    result = invoke("-o", "other", "--json")
    assert any(line.endswith(f": {warning}") for line in result.stderr.splitlines())
    assert warning not in result.stdout


def test_capacity_optimisation_shows_what_it_saves(run):
    known = json.loads(json.dumps(run.summary))
    reduction = {
        "reduction_ratio": 2.5,
        "logical_bytes": 5 * 10**12,
        "stored_bytes": 2 * 10**12,
        "snapshot_bytes": 0,
        "unallocated_bytes_read": 275 * 10**6,
    }
    known["virtual_pools"] = [{"name": "saved", "reduction": reduction}]
    known["tiers"] = []
    known["efficiency"] |= {"usable_gb_per_w": 5.86, "effective_gb_per_w": 14.7}
    text = shown(known)
    assert all(part in text["reduction-saved"] for part in ("2.50 : 1", "5.00 TB", "2.00 TB", "275 MB"))
    assert "snapshots" not in text["reduction-saved"]
    assert all(part in text["efficiency"] for part in ("5.86 GB/W", "14.7 GB/W"))
