"""`iowatt emerald calibrate` as typed, and what follows it on a simulated array."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from refused import printed_code

EXAMPLE = Path(__file__).parents[2] / "examples" / "emerald-small.toml"


def iowatt(*words, cwd):
    command = [sys.executable, "-c", "from iowatt.cli.main import main; main()", "emerald", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("calibrate")
    shutil.copy(EXAMPLE, folder)
    done = iowatt(
        "plan", "--category", "online", "--driver", "simulation", "--scenario", EXAMPLE.name,
        "--time-scale", "0.05", "--phase-streams", "4", "-o", "plan", cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


def test_from_plan_to_judgement_on_a_simulated_array(place):
    """Every metric of the example is judged valid, unverified rules and all."""
    done = iowatt("calibrate", "plan", "-o", "new", cwd=place)
    assert done.returncode == 0, done.stderr
    assert "new/calibration.html" in done.stderr
    probes = [line.split() for line in done.stderr.splitlines() if "probe" in line]
    assert any("HB" in words and "32" in words for words in probes)
    names = {path.name for path in (place / "new").glob("calibration.*")}
    assert names == {"calibration.json", "calibration.txt", "calibration.html"}
    done = iowatt("run", "new", "-o", "measured", cwd=place)
    assert done.returncode == 0, done.stderr
    done = iowatt("analyze", "measured", "--json", cwd=place)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert [phase["phase"] for phase in found["phases"]] == ["HB", "RR", "RW", "SR", "SW"]
    assert {phase["status"] for phase in found["phases"]} == {"valid"}, done.stdout
    calibration = json.loads((place / "new" / "calibration.json").read_text())
    for phase, judged in zip(calibration["phases"], found["phases"], strict=True):
        assert judged["response_mean_ms"] == pytest.approx(phase["chosen"]["response_ms"])


def test_a_phase_without_a_rate_is_exit_code_1(place):
    few = ("--most-runs", "2", "--point-seconds", "1")
    done = iowatt("calibrate", "plan", "-o", "none", "--phase", "RR", "--within", "0.01ms", *few, cwd=place)
    assert done.returncode == 1
    assert printed_code(done.stderr) == "infeasible"
    (error,) = [line for line in done.stderr.splitlines() if "error[infeasible]" in line]
    assert error.endswith(" RR")
    found = json.loads((place / "none" / "calibration.json").read_text())
    assert found["complete"] is False and found["limit"]["rule"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("plan", "-o", "x", "--tolerance", "2"), "error[out-of-range]: --tolerance: 2 "),
        (("plan", "-o", "x", "--within", "0s"), "error[out-of-range]: --within: "),
        (("plan", "-o", "x", "--phase", "XY"), "error[unknown-name]: --phase: "),
        (("plan", "-o", "x", "--erase", "y"), "error[not-applicable]: --erase: "),
        (("nowhere", "-o", "x"), "nowhere"),
        ((EXAMPLE.name, "-o", "x"), EXAMPLE.name),
    ],
)
def test_what_is_wrong_is_exit_code_2(place, words, said):
    done = iowatt("calibrate", *words, cwd=place)
    assert done.returncode == 2 and said in done.stderr, done.stderr
    assert not list(place.glob("x*"))
