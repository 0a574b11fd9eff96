"""``iowatt import`` of what measured response times: logs of fio, a recording of blktrace, traces."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from block_events import Event, written
from iowatt.run.bundle import Run
from refused import printed_code

DATA = Path(__file__).parents[1] / "data"


def iowatt(*words, cwd):
    command = [sys.executable, "-c", "from iowatt.cli.main import main; main()", *map(str, words)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_histogram_logs_of_fio_are_in_the_bundle(tmp_path):
    out = tmp_path / "out"
    shutil.copytree(DATA / "fio-hist", out, ignore=shutil.ignore_patterns("x_lat*", "x_clat.*"))
    done = iowatt("import", out, "-o", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    run = Run.open(tmp_path / "run")
    series, latency = run.table("series"), run.table("latency")
    for op in ("read", "write"):
        assert (
            series.filter(pl.col("op") == op)["count"].sum()
            == latency.filter(pl.col("op") == op)["count"].sum()
        )
    assert set(run.table("hops")["hop"]) == {"submission", "completion"}
    assert run.plan["measured"]["outstanding"] == 6
    assert run.summary["driver"]["asked_iops"] == 290.0
    # The same again is refused, and the bundle is as it was.
    again = iowatt("import", out, "-o", "run", cwd=tmp_path)
    assert again.returncode == 2 and "--force" in again.stderr


def test_a_recording_is_imported_by_its_name(tmp_path):
    events = [
        Event(1_000_000 * k + after, action, 64 * k, device=8 << 20 | 16 * (k % 2))
        for k in range(30)
        for after, action in ((0, "Q"), (50_000, "D"), (600_000, "C"))
    ]
    written(tmp_path / "sda", events)
    done = iowatt("import", "sda", "--device", "8,16", "-o", "run", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["runs"]
    assert found["summary"]["source"] == "trace"
    assert found["summary"]["requests"]["count"] == 15
    assert found["summary"]["response_time_ms"]["read"]["mean"] == pytest.approx(0.6)
    assert [Path(one["path"]).name for one in found["summary"]["provenance"]["inputs"]] == ["sda.blktrace.0"]
    hops = Run.open(tmp_path / "run").table("hops")
    assert hops.select("hop", "place", "requests", "wait_ns", "service_ns").rows() == [
        ("host queue", "host", 15, 15 * 50_000, 0),
        ("device", "drive", 15, 0, 15 * 550_000),
    ]


@pytest.mark.parametrize(
    ("text", "words", "code"),
    [
        ("0,100,4096,R,0.5\n0,200,4096,W,0.75\n", (), "missing-figure"),
        ("what is this\n" * 5, ("--start", "1s"), "wrong-format"),
    ],
)
def test_what_is_no_measurement_is_refused(tmp_path, text, words, code):
    (tmp_path / "a.trace").write_text(text)
    done = iowatt("import", "a.trace", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert printed_code(done.stderr) == code
    assert "a.trace: " in done.stderr
    assert not (tmp_path / "runs").exists()
