"""`iowatt import` as typed: files made elsewhere become Runs that every verb takes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from iowatt.run.bundle import Run
from refused import printed_code

DATA = Path(__file__).parents[1] / "data"


def iowatt(*words, cwd):
    command = [sys.executable, "-c", "from iowatt.cli.main import main; main()", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def power(path, start, seconds, watts=120.0):
    rows = [f"{start + k},{watts + k % 2}" for k in range(seconds + 1)]
    path.write_text("when,P\n" + "\n".join(rows) + "\n")
    return f"csv:{path}?time=when&watts=P&utc-offset=Z"


def test_each_run_of_vdbench_becomes_a_bundle(tmp_path):
    done = iowatt("import", str(DATA / "vdbench"), "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "hband" in done.stdout
    run = Run.open(tmp_path / "out" / "hband")
    assert run.summary["source"] == "vdbench"
    assert run.summary["requests"]["count"] == 5923
    assert run.summary["driver"]["asked_iops"] == 500.0
    assert [share["stream"] for share in run.summary["driver"]["shares"]][:2] == ["HB_uniform", "HB_hot1"]
    assert run.summary["response_time_ms"]["all"]["mean"] == pytest.approx(0.2952, abs=2e-4)
    assert run.summary["response_time_ms"]["all"]["max"] == pytest.approx(45.18)


def test_fio_with_a_meter_gives_energy_for_each_request(tmp_path):
    address = power(tmp_path / "p.csv", 1795189520, 8)
    out = ("-o", "out", "--meter", address, "--raw-capacity", "10GB", "--name", "bench")
    done = iowatt("import", str(DATA / "fio"), *out, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["runs"]
    summary = Run.open(tmp_path / "out").summary
    assert found["summary"] == summary
    assert (summary["name"], summary["source"]) == ("bench", "fio")
    assert summary["power_w"]["wall_mean"] == pytest.approx(120.5, abs=0.5)
    per_request = summary["energy"]["per_request_j"]
    assert per_request == pytest.approx(summary["energy"]["total_j"] / 3000)
    assert summary["efficiency"]["iops_per_w"] == pytest.approx(1000 / 120.5, rel=0.01)


def test_groups_of_fio_become_runs_of_their_own(tmp_path):
    source = str(DATA / "fio-runs" / "groups" / "out.json")
    done = iowatt("import", source, "-o", "out", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["runs"]
    assert [one["name"] for one in found] == ["slow+also", "fast"]
    for one, (iops, asked) in zip(found, ((200, 200.0), (400, 400.0)), strict=True):
        summary = Run.open(tmp_path / "out" / one["name"]).summary
        assert summary["throughput"]["iops"] == pytest.approx(iops, rel=0.01)
        assert summary["driver"]["asked_iops"] == asked
    one = iowatt("import", source, "-o", "fast", "--run", "fast", cwd=tmp_path)
    assert one.returncode == 0, one.stderr
    assert Run.open(tmp_path / "fast").summary["requests"]["count"] == 401


def test_a_report_of_a_measured_run_is_written(tmp_path):
    assert iowatt("import", str(DATA / "fio"), "-o", "out", cwd=tmp_path).returncode == 0
    done = iowatt("report", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "fio-3.33" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize(
    ("words", "code", "named"),
    [
        ((DATA / "fio" / "x_lat.1.log",), "wrong-kind", ("x_lat.1.log: ",)),
        ((DATA / "fio-runs" / "failed.json",), "empty", (" 25 ",)),
        ((DATA / "fio-runs" / "terse.txt",), "wrong-format", (" terse,",)),
        ((DATA / "fio-runs" / "groups", "--run", "HB"), "unknown-name", ("slow+also", " fast")),
        ((DATA / "vdbench", "--run", "HB"), "unknown-name", (" fill", " hband")),
        ((DATA / "disksim",), "empty", ("disksim: ",)),
        ((DATA / "nothing",), "not-found", ("nothing: ",)),
        ((DATA / "vdbench", "--time-zone", "Mars"), "unknown-name", ("--time-zone Mars: ",)),
        ((DATA / "fio", "--meter", "csv:nothing.csv"), "not-found", ("nothing.csv: ",)),
    ],
)
def test_what_cannot_be_imported_is_said(tmp_path, words, code, named):
    done = iowatt("import", *map(str, words), cwd=tmp_path)
    assert done.returncode == 2
    assert printed_code(done.stderr) == code
    assert [one for one in named if one not in done.stderr] == []


def test_a_meter_of_another_day_is_refused(tmp_path):
    address = power(tmp_path / "p.csv", 1795100000, 8)
    done = iowatt("import", str(DATA / "fio"), "--meter", address, cwd=tmp_path)
    assert done.returncode == 2
    assert "error[not-comparable]" in done.stderr
