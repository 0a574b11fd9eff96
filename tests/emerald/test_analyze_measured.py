"""From files to a judgement: a real measurement by fio with logs of meters, and what can be wrong."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time

import conducted
import pytest

import needs
from iowatt.emerald.analyze import Analysis, judge, read
from iowatt.emerald.rules import load
from iowatt.run.bundle import Run
from refused import printed_code

COMMAND = [sys.executable, "-c", "from iowatt.cli.main import main; main()", "emerald", "analyze"]
INTERVAL = 0.5
POWER = 123.0
RULES = load("emerald-4.0.0")


def stages():
    """Ten intervals of warm-up, twelve measured, of random reads; and a rest."""
    rate = {"rate_iops": 200.0}
    return [
        conducted.stage("fill", "fill", "prefill", "fill", None, closed=True),
        conducted.stage("RR-warmup", "RR", "warmup", "RR", 10 * INTERVAL, **rate),
        conducted.stage("RR", "RR", "measurement", "RR", 12 * INTERVAL, **rate),
        conducted.stage("ready-idle", "RI", "idle", None, 4 * INTERVAL),
    ]


def meter_log(path, start, seconds, *, step=0.05, celsius=False, watts=POWER, shift=0.0):
    """A log that a meter wrote, as delimited text in UTC."""
    name = "celsius" if celsius else "watts"
    lines = [f"time,{name}"]
    count = int(seconds / step)
    lines += [f"{start + shift + number * step:.3f},{22.5 if celsius else watts}" for number in range(count)]
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder of a measurement, run once; its logs are collected at its end."""
    needs.program("fio")
    folder = tmp_path_factory.mktemp("measurement")
    declared = "&grade=emerald&model=WT310E&uncertainty=0.4&calibrated=2026-01-10"
    instruments = [
        {"name": "wt310", "source": f"csv:{folder}/power.csv?utc-offset=Z{declared}", "role": "power"},
        {"name": "inlet", "source": f"csv:{folder}/inlet.csv?utc-offset=Z", "role": "temperature"},
    ]
    path = conducted.plan(folder, stages(), instruments, raw_capacity_bytes=1_000_000_000_000)
    meter_log(folder / "power.csv", time.time() - 5, 90)
    meter_log(folder / "inlet.csv", time.time() - 5, 90, celsius=True)
    done = conducted.run(path)
    assert done.returncode == 0, done.stderr
    return folder / "out"


@pytest.fixture
def copy(whole, tmp_path):
    """One's own copy of it, to be broken."""
    target = tmp_path / "out"
    shutil.copytree(whole, target)
    return target


def judged(folder):
    return judge(read.measurement(folder), RULES)


def codes(part, weight=None):
    return {one.code for one in part.findings if weight in (None, one.weight)}


def test_power_and_requests_are_joined_by_time(whole):
    found = judged(whole)
    (phase,) = found.phases
    assert phase.power_w == pytest.approx(POWER)
    assert phase.ep == pytest.approx(phase.iops / POWER)
    assert phase.iops == pytest.approx(200.0, rel=0.25)
    assert [row.minute for row in phase.minutes] == list(range(-9, 13))
    assert all(row.power_w == pytest.approx(POWER) for row in phase.minutes)
    assert found.ready_idle.ep == pytest.approx(1000 / POWER)
    assert found.kind == "measured"
    assert not found.compliant
    names = {row.name: row for row in phase.instruments}
    assert names["wt310"].model == "WT310E"
    assert names["inlet"].readings["celsius"].mean == pytest.approx(22.5)
    against = codes(phase) | codes(found) | codes(found.ready_idle)
    assert not against & {"no-meter", "meter-other-time", "temperature-missing", "other-run", "clock-apart"}
    assert "driver-other" in codes(found, "non-compliant")


def test_the_verb_writes_runs_result_and_page_and_prints_both_verdicts(copy):
    done = subprocess.run([*COMMAND, str(copy)], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    result = json.loads((copy / "analysis.json").read_text())
    assert result["judged"] in done.stdout
    assert result["schema"] == "iowatt.emerald/1"
    assert done.returncode == (0 if result["status"] == "valid" else 1)
    assert Run.open(copy / "runs" / "RR").summary["source"] == "fio"
    assert result["judged"] in (copy / "analysis.html").read_text()
    again = subprocess.run([*COMMAND, str(copy)], capture_output=True, text=True, check=False)
    assert again.returncode == 2
    assert printed_code(again.stderr) == "exists"
    forced = subprocess.run([*COMMAND, str(copy), "--force", "--json"], capture_output=True, check=False)
    assert json.loads(forced.stdout) == result


def test_a_meter_whose_clock_is_an_hour_off_is_named(copy):
    log = copy / "meters" / "wt310-log.csv"
    rows = log.read_text().splitlines()
    moved = [rows[0], *(f"{float(row.split(',')[0]) + 3600:.3f},{row.split(',')[1]}" for row in rows[1:])]
    log.write_text("\n".join(moved) + "\n")
    (phase,) = judged(copy).phases
    assert codes(phase, "invalid") >= {"meter-other-time", "power-missing", "no-meter"}
    assert phase.ep is None


def test_a_meter_that_says_minus_one_is_named_and_not_averaged(copy):
    log = copy / "meters" / "wt310-log.csv"
    rows = log.read_text().splitlines()
    rows = [row if number % 3 or not number else f"{row.split(',')[0]},-1" for number, row in enumerate(rows)]
    log.write_text("\n".join(rows) + "\n")
    (phase,) = judged(copy).phases
    assert "meter-not-available" in codes(phase)
    assert codes(phase, "invalid") >= {"samples-too-few", "power-missing"}


def test_a_log_that_is_missing_or_no_log_is_named(copy):
    (copy / "meters" / "wt310-log.csv").write_text("nothing of the kind\n")
    found = judged(copy)
    assert "log-unreadable" in codes(found, "invalid")
    assert found.status == "invalid"


def test_output_of_fio_that_is_damaged_or_of_another_run_is_named(copy, whole):
    output = copy / "stages" / "RR" / "fio.json"
    output.write_text(output.read_text()[:200])
    (phase,) = judged(copy).phases
    assert codes(phase, "invalid") >= {"unreadable", "stage-missing"}
    # The warm-up's folder in place of the measurement's: another time.
    shutil.rmtree(copy / "stages" / "RR")
    shutil.copytree(whole / "stages" / "RR-warmup", copy / "stages" / "RR")
    found = judged(copy)
    assert "other-run" in codes(found, "invalid")
    assert "overlap" in codes(found, "invalid") or "out-of-order" in codes(found, "invalid")


def test_files_made_elsewhere_are_read_without_a_journal(whole, tmp_path):
    plan = json.loads((whole / "plan.json").read_text())
    plan["stages"] = [stage for stage in plan["stages"] if stage["id"] != "fill"]
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    log = whole / "meters" / "wt310-log.csv"
    command = [
        *COMMAND,
        *("--plan", str(tmp_path / "plan.json"), "--driver-output", str(whole / "stages")),
        *("--meter", f"csv:{log}?utc-offset=Z", "--reading", "b", "--weights", "A", "--json"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = Analysis.model_validate_json(done.stdout)
    (phase,) = found.phases
    assert phase.power_w == pytest.approx(POWER)
    assert (found.stability.reading, found.stability.weights) == ("b", "A")
    assert {"clocks-not-compared", "settings-unknown"} <= codes(found)
    assert "temperature-missing" in codes(phase)
    assert "rest-assumed" in codes(found.ready_idle)
    assert "meter-indicative" in codes(phase)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ([], ["error[missing]", "--plan", "--driver-output"]),
        (["nowhere"], ["nowhere/measurement.json"]),
        (["nowhere", "--meter", "csv:x.csv"], ["nowhere", "--meter"]),
    ],
)
def test_what_cannot_be_analyzed_is_refused(options, named, tmp_path):
    done = subprocess.run([*COMMAND, *options], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 2
    assert all(name in done.stderr for name in named), done.stderr
