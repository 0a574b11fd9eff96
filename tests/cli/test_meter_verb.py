"""`iowatt meter` as typed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from iowatt.base.errors import CheckFailedError, InputError, IowattError
from iowatt.cli.main import app
from iowatt.sources.meters.address import SCHEMES
from iowatt.sources.meters.recording import recorder as recording
from refused import check

LOG = "Time,Watts,Volts,Amps\n" + "".join(
    f"2026-11-21 10:00:{s:02},{w},230.1,1.5\n" for s, w in [(0, 344.1), (1, -1), (2, 345.1), (9, 346.1)]
)


@pytest.fixture
def watts_up(tmp_path):
    path = tmp_path / "wattsup.csv"
    path.write_text(LOG)
    return f"watts-up:{path}"


@pytest.fixture
def sensor(tmp_path):
    chip = tmp_path / "sys" / "hwmon0"
    chip.mkdir(parents=True)
    (chip / "name").write_text("power_meter\n")
    (chip / "power1_average").write_text("344000000\n")
    return f"hwmon:power_meter/power1?root={tmp_path / 'sys'}"


def run(*words):
    done = CliRunner().invoke(app, ["meter", *words], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def refusal(*words):
    done = CliRunner().invoke(app, ["meter", *words])
    assert isinstance(done.exception, IowattError)
    return done.exception


def test_the_list_names_every_kind_and_its_grade():
    shown = run("list")
    found = json.loads(run("list", "--json"))
    assert found["schema"] == "iowatt.meter-list/1"
    assert [kind["scheme"] for kind in found["kinds"]] == list(SCHEMES)
    assert all(name in shown for name in SCHEMES)
    grades = {"emerald", "indicative"}
    assert grades < {kind["grade"] for kind in found["kinds"]}
    assert [kind["scheme"] for kind in found["kinds"] if kind["grade"] not in grades] == ["recording"]


def test_the_options_of_one_kind():
    (kind,) = json.loads(run("list", "csv", "--json"))["kinds"]
    assert {"time", "watts", "watts-unit", "utc-offset", "model"} <= set(kind["options"])
    assert "time-format" in run("list", "csv")
    check(refusal("list", "cvs"), "unknown-name", None)


def test_a_log_is_summarised_with_all_that_is_wrong_with_it(watts_up):
    assert refusal("read", watts_up).code == "no-time-zone"
    assert {"345.24", "gap"} <= set(run("read", watts_up, "--utc-offset", "+01:00").split())
    (one,) = json.loads(run("read", watts_up, "--utc-offset", "Z", "--json"))["instruments"]
    problems = one["log"]["problems"]
    assert [problem["kind"] for problem in problems] == ["uncertain", "not-available", "gap"]
    assert (problems[-1]["at"], problems[-1]["seconds"]) == ("2026-11-21T10:00:02.000Z", 7.0)
    watts = one["log"]["quantities"]["watts"]
    # 1 s, 1 s, and behind the gap 1.5 s at most: (344.1 + 345.1 + 1.5 x 346.1) / 3.5.
    assert watts["mean"] == pytest.approx(345.2429, abs=1e-4)
    assert (watts["samples"], watts["not_available"], watts["longest_gap_s"]) == (3, 1, 7.0)


def test_a_live_instrument_is_read(sensor):
    shown = run("read", sensor, "--count", "2", "--sample-interval", "10ms")
    assert shown.split().count("344") == 2 and "indicative" in shown
    (one,) = json.loads(run("read", sensor, "--json"))["instruments"]
    assert one["readings"][0]["watts"] == 344.0


def test_a_recording_is_made_read_and_gone_on_with(sensor, tmp_path):
    folder = tmp_path / "meters"
    words = (
        "record",
        f"{sensor}&name=left",
        "-o",
        str(folder),
        "--sample-interval",
        "20ms",
        "--duration",
        "200ms",
    )
    assert "left.csv" in run(*words)
    rows = len(recording.read_log(folder / "left.csv").time_s)
    assert 5 <= rows <= 12
    check(refusal(*words), "exists", str(folder / "left.csv"))
    (more,) = json.loads(run(*words, "--resume", "--json"))["recordings"]
    assert more["rows"] > rows
    (read,) = json.loads(run("read", f"recording:{folder / 'left.csv'}", "--json"))["instruments"]
    assert "failure" in [problem["kind"] for problem in read["log"]["problems"]]
    assert ",restarted," in (folder / "left.csv").read_text()


def test_two_instruments_of_one_name_are_refused(sensor, tmp_path):
    check(refusal("record", sensor, sensor, "-o", str(tmp_path)), "duplicate", None)


def test_a_log_is_not_recorded(watts_up, tmp_path):
    assert isinstance(refusal("record", watts_up, "-o", str(tmp_path)), InputError)


def test_an_instrument_that_gave_nothing_is_a_failure(tmp_path):
    words = ("record", f"rapl:?root={tmp_path}/none", "-o", str(tmp_path / "m"), "--duration", "100ms")
    error = refusal(*words)
    assert isinstance(error, CheckFailedError)
    check(error, "unreachable")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_is_the_usual_end_of_a_recording(sensor, tmp_path, number):
    main = "import sys; from iowatt.cli.main import main; main()"
    words = ["meter", "record", f"{sensor}&name=left", "-o", str(tmp_path / "m"), "--sample-interval", "20ms"]
    words.append("--json")
    child = subprocess.Popen(
        [sys.executable, "-c", main, *words], stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    path = tmp_path / "m" / "left.csv"
    until = time.monotonic() + 30
    while not (path.exists() and path.read_text().count("344.0") >= 3) and time.monotonic() < until:
        time.sleep(0.05)
    child.send_signal(number)
    shown, _ = child.communicate(timeout=30)
    assert child.returncode == 0
    (log,) = json.loads(shown)["recordings"]
    assert log["quantities"]["watts"]["mean"] == 344.0


def test_a_killed_recorder_loses_nothing(sensor, tmp_path):
    main = "import sys; from iowatt.cli.main import main; main()"
    words = ["meter", "record", f"{sensor}&name=left", "-o", str(tmp_path / "m"), "--sample-interval", "20ms"]
    child = subprocess.Popen([sys.executable, "-c", main, *words], env=dict(os.environ))
    path = tmp_path / "m" / "left.csv"
    until = time.monotonic() + 30
    while not (path.exists() and path.read_text().count("344.0") >= 3) and time.monotonic() < until:
        time.sleep(0.05)
    child.kill()
    child.wait(30)
    assert len(recording.read_log(path).time_s) >= 3


def test_a_path_alone_is_told_the_kinds_of_logs():
    said = str(refusal("read", "examples/meters/wt332e.csv"))
    logs = [name for name, kind in SCHEMES.items() if not kind.live]
    assert {"csv", "yokogawa", "watts-up", "recording", "ptdaemon-log"} <= set(logs)
    assert all(f"{name}:" in said for name in logs)
    assert "csv:power.csv" not in said  # as if any file were that
    assert "`iowatt meter list`" in said
