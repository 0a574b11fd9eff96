"""`iowatt idle`: text, JSON, the page; what it refuses, and with which exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import iowatt
from iowatt.cli.main import app
from refused import check

ROOT = Path(__file__).parents[2]
IOWATT = Path(sys.executable).with_name("iowatt")
runner = CliRunner()


@pytest.fixture(scope="module")
def week(tmp_path_factory):
    folder = tmp_path_factory.mktemp("week") / "hp-week"
    iowatt.run(ROOT / "examples" / "hp-week.toml", output=folder)
    return folder


def invoke(*words):
    return runner.invoke(app, ["idle", *map(str, words)])


def test_the_week_is_what_is_known_of_it(week):
    found = json.loads(invoke(week, "--json").stdout)
    assert found["schema"] == "iowatt.idle/1"
    zero, one = found["devices"]
    # Gaps over a minute are 91.5 % of the week of disk 0; less the services that they begin with.
    assert zero["over_60s_share"] == pytest.approx(0.915, abs=0.002)
    assert one["over_60s_share"] > 0.99
    table = {row["policy"]: row for row in found["policies"]}
    oracle = table["oracle-energy"]["saved_share"]
    assert oracle == max(row["saved_share"] for row in table.values())
    assert 0.7 < oracle < (10.2 - 2.5) / 10.2
    assert table["two-competitive"]["energy_j"] <= 2 * table["oracle-energy"]["energy_j"]
    # 3,432 periods over 2 s: each is a stop and a delayed arrival (but for the last, whose end is the run's).
    assert table["fixed-threshold-2s"]["start_stops"] == next(
        row["periods"] for row in found["longer"] if row["length_s"] == 2.0
    )


def test_the_terminal_lists_the_policies_oracle_first(week):
    shown = invoke(week).stdout
    lines = [
        line
        for line in shown.splitlines()
        if line.startswith(("Oracle", "2-comp", "Adapt", "Share", "ARIMA", "Law", "Fixed", "Never"))
    ]
    assert len(lines) == 14
    assert all(len(line) <= 80 for line in lines)
    found = json.loads(invoke(week, "--json").stdout)
    policies = found["policies"]
    assert all(line.startswith(row["title"]) for line, row in zip(lines, policies, strict=True))
    assert (policies[0]["policy"], policies[-1]["policy"]) == ("oracle-energy", "never")
    assert {"power-of-drive", "delays-lower-bound"} <= {note["code"] for note in found["notes"]}


def test_predictions_delay_fewer_arrivals_the_more_certain_they_are(week):
    table = {row["policy"]: row for row in json.loads(invoke(week, "--json").stdout)["policies"]}
    reactive, oracle = table["two-competitive"], table["oracle-energy"]
    for key in ("arima", "law-driven"):
        half, surer = table[f"{key}-50"], table[f"{key}-90"]
        assert surer["delayed"] < half["delayed"] < reactive["delayed"] / 2
        assert 0 < surer["saved_j"] < half["saved_j"] < oracle["saved_j"]


def test_the_page_is_written_once(week, tmp_path):
    page = tmp_path / "idle.html"
    assert invoke(week, "-o", page).exit_code == 0
    assert 'id="idle-policies"' in page.read_text("utf-8")
    check(invoke(week, "-o", page).exception, "exists", str(page))
    assert invoke(week, "-o", page, "--force").exit_code == 0
    check(invoke(week, "-o", tmp_path / "idle.txt").exception, "not-accepted", str(tmp_path / "idle.txt"))
    assert [file.name for file in tmp_path.iterdir()] == ["idle.html"]


def test_a_run_without_periods_says_which_key(tmp_path):
    run = tmp_path / "run"
    iowatt.run(ROOT / "examples" / "idle.toml", set=["observe.idle=false"], output=run)
    error = invoke(run).exception
    check(error, "missing-figure", str(run))
    assert "observe.idle" in error.hint


def test_no_run_and_no_such_drive_are_refused(week, tmp_path):
    missing = tmp_path / "nothing"
    check(invoke(missing).exception, "not-found", str(missing))
    check(invoke(week, "--drive", "no-such-drive").exception, "unknown-name", None)
    check(invoke(week, "--drive", "hp-335h").exception, "missing-figure", "drive")


def test_a_refusal_exits_with_2(tmp_path):
    done = subprocess.run([IOWATT, "idle", tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr


def test_drives_that_were_always_idle(tmp_path):
    run = tmp_path / "run"
    iowatt.run(ROOT / "examples" / "idle.toml", set={"observe.idle": True}, output=run)
    found = json.loads(invoke(run, "--json").stdout)
    assert (found["periods"], found["cut"], found["idle_share"]) == (32, 32, 1.0)
    # An hour each: 22.3 W against 34.8 W x 26 s, 12.72 W x 15 s and 12.72 W for the rest.
    saved = 32 * (3600 * 22.3 - 34.8 * 26 - 12.72 * (3600 - 26))
    assert found["policies"][0]["saved_j"] == pytest.approx(saved)
    assert invoke(run, "-o", tmp_path / "page.html").exit_code == 0
