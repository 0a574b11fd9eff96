"""``iowatt sweep`` and ``iowatt curve``: parsing, printing, exit codes."""

from __future__ import annotations

import html
import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from iowatt.cli.main import app
from iowatt.cli.progress import time_left
from refused import printed_code

SCENARIO = """\
name = "small"

[[workload]]
name = "oltp"
trace = { path = "small.csv" }

[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 4
raid = { level = 5, stripe_unit = "16KiB" }
"""


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{i * 10_000},R,{i * 7919 % 100_000 * 4096},4096" for i in range(100)]
    (tmp_path / "small.csv").write_text("\n".join(["time_us,op,offset,size", *rows]) + "\n")
    (tmp_path / "small.toml").write_text(SCENARIO)
    return tmp_path


def invoke(*arguments):
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def test_a_sweep_prints_its_points_and_where_its_files_are(place):
    out = invoke("sweep", "small.toml", "--over", "array.pool.disks.count=4..5").stdout
    assert "count" in out and "IOPS/W" in out
    assert [line.split()[0] for line in table(out)] == ["1", "2"]
    for name in ("table.parquet", "table.csv", "report.html"):
        assert f"sweeps/small/{name}" in out
        assert (place / "sweeps" / "small" / name).exists()
    assert "note: " not in out


def table(out):
    """The lines of the points; what did not fit follows in a second table."""
    lines = out.splitlines()
    head = next(at for at, line in enumerate(lines) if line.startswith("Point "))
    rows = lines[head + 1 :]
    return rows[: next(at for at, line in enumerate(rows) if not line[:1].isspace())]


def test_failed_points_are_said_and_are_no_failure_of_the_command():
    over = ["--over", "array.pool.disks.count=4,5", "--set", "array.pool.disks.raid.level=10"]
    out = invoke("sweep", "small.toml", *over).stdout
    assert [line.split()[:2] for line in table(out)][1] == ["2", "5"] and "failed" in table(out)[1]
    (note,) = [line for line in out.splitlines() if line.startswith("note: ")]
    assert ", 2: [" in note


def test_json_has_the_points(place):
    done = invoke("sweep", "small.toml", "--over", "array.pool.disks.count=4,6", "--json", "-o", "out")
    found = json.loads(done.stdout)
    assert (found["schema"], found["kind"], found["failed"]) == ("iowatt.sweep/1", "sweep", 0)
    assert found["axes"] == [["array.pool.disks.count"]]
    assert [point["array.pool.disks.count"] for point in found["points"]] == [4, 6]
    assert found["points"][0]["throughput.iops"] > 0
    again = invoke(
        "sweep", "small.toml", "--over", "array.pool.disks.count=4,6", "--json", "-o", "out", "--resume"
    )
    assert json.loads(again.stdout)["resumed"] == 2


def test_a_sweep_warns_of_groups_that_are_too_wide():
    over = ["--over", "array.pool.disks.count=4,13,14"]
    out = invoke("sweep", "small.toml", *over, "-o", "wide").stdout
    (line,) = [line for line in out.splitlines() if line.startswith("note: ")]
    rows = [row.split()[:2] for row in table(out)]
    assert rows == [["1", "4"], ["2", "13"], ["3", "14"]]  # the numbers of the warning
    found = json.loads(invoke("sweep", "small.toml", *over, "-o", "wide", "--json", "--resume").stdout)
    (warning,) = found["warnings"]
    assert warning["points"] == [2, 3]
    assert warning["message"] in line


def test_the_terminal_says_what_the_page_says(place):
    """Uncertain means, whose watts, which stand-ins: on both, in the same words."""
    for name, burst in (("calm", 1), ("bursts", 40), ("long", 100)):
        # Every other stretch of requests comes at once.
        times = [i * 10_000 if (i // burst) % 2 else i // burst * burst * 10_000 for i in range(400)]
        rows = [f"{at},R,{i * 7919 % 100_000 * 4096},4096" for i, at in enumerate(times)]
        (place / f"{name}.csv").write_text("\n".join(["time_us,op,offset,size", *rows]) + "\n")
    over = ["--over", "workload.oltp.trace.path=calm.csv,bursts.csv,long.csv", "-o", "out"]
    out = invoke("sweep", "small.toml", *over, "--notes").stdout
    page = html.unescape((place / "out" / "report.html").read_text("utf-8"))
    *warnings, note = [line.removeprefix("note: ") for line in out.splitlines() if line.startswith("note: ")]
    points = json.loads(invoke("sweep", "small.toml", *over, "--resume", "--json").stdout)
    wide, none = (points["points"][at] for at in (1, 2))
    key = "response_time_ms.all.mean"
    assert wide[f"{key}_ci95.high"] - wide[f"{key}_ci95.low"] > 0.2 * wide[key]
    assert none[f"{key}_ci95.high"] is None
    assert [text for text in warnings if text in page] == warnings
    assert ["point 2" in text for text in warnings] == [True, False]
    assert ["point 3" in text for text in warnings] == [False, True]
    assert note == points["basis"] and "arrays2002-disk" in note
    assert note in page


def test_a_curve_by_rates_and_by_outstanding(place):
    out = invoke("curve", "small.toml", "--rates", "50,100").stdout
    assert [float(line.split()[0]) for line in curve(out)] == [50, 100]
    assert (place / "curves" / "small" / "report.html").exists()
    out = invoke("curve", "small.toml", "--outstanding", "1..4:x2", "-o", "closed").stdout
    assert [float(line.split()[0]) for line in curve(out)] == [1, 2, 4]


def curve(out):
    """The lines of the loads."""
    lines = out.splitlines()
    (head,) = [at for at, line in enumerate(lines) if "Verdict" in line]
    rows = lines[head + 1 :]
    return rows[: next(at for at, line in enumerate(rows) if "steady" not in line)]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["sweep", "small.toml"], None, "--over"),
        (["sweep", "small.toml", "--over", "array.pool.disks.count=abc"], "wrong-type", "abc"),
        (["sweep", "none.toml", "--over", "a=1"], "not-found", "none.toml"),
        (
            ["sweep", "small.toml", "--over", "array.pool.disks.count=4", "--jobs", "0"],
            "out-of-range",
            "--jobs",
        ),
        (["curve", "small.toml"], "missing", "--rates"),
        (["curve", "small.toml", "--rates", "ten"], "bad-syntax", "--rates ten"),
    ],
)
def test_wrong_input_exits_with_two(place, arguments, code, said):
    command = [sys.executable, "-c", "from iowatt.cli.main import main; main()", *arguments]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert printed_code(done.stderr) == code and said in done.stderr
    assert done.stdout == ""
    assert not (place / "sweeps").exists()


def test_the_time_that_is_left():
    assert time_left(10.0, 2.0, 6.0) == "0:00:30 left"
    assert time_left(3600.0, 1.0, 2.5) == "2:30:00 left"
    assert time_left(0.5, 1.0, 1.0) == ""
    assert time_left(10.0, 0.0, 1.0) == ""
