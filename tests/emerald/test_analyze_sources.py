"""What a load generator left of a stage: one call of vdbench for several, or the simulator's bundles."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import conducted
import numpy as np
import pytest

import emerald_runs
from iowatt.emerald.analyze import Measured, judge, read
from iowatt.emerald.analyze.observe import folder_of, observe
from iowatt.emerald.analyze.stages import Logs, stage_run
from iowatt.emerald.rules import load
from iowatt.errors import InputError
from iowatt.run.histogram import Histogram
from iowatt.sources.meters.log import Instrument, Log
from iowatt.sources.observation import Direction, Interval, Observation

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "tests" / "data" / "vdbench"


def stage(name):
    given = emerald_runs.plan().stages[1]
    return given.model_copy(update={"id": name})


def test_a_run_of_vdbench_is_found_by_the_stage_s_name():
    plan, hot = emerald_runs.plan(source="vdbench"), stage("hband")
    folder = folder_of(plan, hot, SAMPLE)
    assert folder == SAMPLE
    found = observe(plan, hot, folder)
    assert found.name == "hband"
    assert found.tool == "vdbench"


def test_a_stage_that_vdbench_did_not_run_is_named_with_those_it_did():
    plan = emerald_runs.plan(source="vdbench")
    with pytest.raises(InputError, match="no run of stage HB-warmup, which is called HB-warmup or HB_warmup"):
        observe(plan, stage("HB-warmup"), SAMPLE)


def test_a_folder_without_the_stage_says_what_is_read(tmp_path):
    with pytest.raises(InputError, match="holds nothing of stage HB"):
        folder_of(emerald_runs.plan(source="fio"), stage("HB"), tmp_path)


def observed(name, begin, counts, *, uncounted):
    """What vdbench says of a run of 8 KiB reads, a minute each; its first intervals are not counted."""
    none = Direction(0, 0, None)
    intervals = [
        Interval(
            begin + 60.0 * at,
            begin + 60.0 * (at + 1),
            Direction(count, 8192 * count, 0.005),
            none,
            counted=at >= uncounted,
        )
        for at, count in enumerate(counts)
    ]
    empty = Histogram.merged([])
    return Observation(
        name, "vdbench", "5.04.05", begin, intervals[-1].end, intervals, empty, empty, asked_iops=1000.0
    )


def test_the_minute_that_vdbench_leaves_out_is_history():
    """31 minutes are run of which 30 count: the first stands between the warm-up and the measurement."""
    plan = emerald_runs.plan(source="vdbench")
    warm, main = (one for one in plan.stages if one.phase == "RR")
    plan = plan.model_copy(update={"stages": [warm, main]})
    begin = emerald_runs.BEGIN
    time_s = begin + np.arange(1.0, 41 * 60 + 1)
    meter = Instrument("wt310", "ptdaemon", "emerald", "an analyser", sample_interval_s=1.0)
    logs = Logs([Log(meter, time_s, {"watts": np.full(len(time_s), 500.0)})])
    first = stage_run(plan, warm, observed("RR_warmup", begin, [60_000] * 10, uncounted=1), logs)
    counts = [30_000, *[60_000] * 30]
    second = stage_run(plan, main, observed("RR", begin + 600, counts, uncounted=1), logs)
    (phase,) = judge(Measured(plan, [first, second]), load("emerald-4.0.0"))["phases"]
    assert [row["minute"] for row in phase["minutes"]] == list(range(-10, 31))
    assert phase["operations_rate"] == pytest.approx(1000.0)
    rows = {row["minute"]: row for row in phase["minutes"]}
    assert rows[0]["pe"] == pytest.approx(1.0)
    assert rows[-1]["pe"] == rows[1]["pe"] == pytest.approx(2.0)
    # Minute 0 has the second weight of B in the average of minute 1.
    assert rows[1]["ea"] == pytest.approx(2.0 - 0.21)
    codes = {one["code"] for one in phase["findings"]}
    assert not codes & {"too-short", "minutes-missing", "no-warmup", "power-missing", "stability-unknown"}


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """Random reads and a rest on a small array, conducted."""
    folder = tmp_path_factory.mktemp("simulated")
    rate = {"rate_iops": 400.0, "interval_s": 4.0}
    stages = [
        conducted.stage("RR-warmup", "RR", "warmup", "RR", 40.0, **rate),
        conducted.stage("RR", "RR", "measurement", "RR", 60.0, **rate),
        conducted.stage("ready-idle", "RI", "idle", None, 20.0, interval_s=4.0),
    ]
    scenario = {"scenario": str(ROOT / "examples" / "emerald-small.toml")}
    path = conducted.plan(
        folder, stages, source="simulation", target=scenario, raw_capacity_bytes=7_200_000_000_000
    )
    done = conducted.run(path)
    assert done.returncode == 0, done.stderr
    return folder / "out"


def test_a_simulated_measurement_is_modelled_and_judged_by_the_same_rules(simulated):
    found = judge(read.measurement(simulated), load("emerald-4.0.0"))
    (phase,) = found["phases"]
    assert found["kind"] == phase["kind"] == found["ready_idle"]["kind"] == "modelled"
    assert phase["status"] == "valid"
    assert phase["stability"]["verdict"] == "stable"
    assert [row["minute"] for row in phase["minutes"]] == list(range(-9, 16))
    bundle = json.loads((simulated / "stages" / "RR" / "run" / "run.json").read_text())
    assert phase["power_w"] == pytest.approx(bundle["power_w"]["wall_mean"])
    assert phase["ep"] == pytest.approx(phase["iops"] / phase["power_w"])
    # In a rest nothing is asked; what was asked before may end in it.
    assert found["ready_idle"]["status"] == "valid"
    assert found["ready_idle"]["ep"] == pytest.approx(7200 / found["ready_idle"]["power_w"])
    assert not found["compliant"]


def test_lenses_work_on_the_runs_that_are_left(simulated, tmp_path):
    from test_analyze_measured import COMMAND

    done = subprocess.run(
        [*COMMAND, str(simulated), "-o", str(tmp_path / "judged")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "modelled, not measured" in done.stdout
    assert sorted(path.name for path in (tmp_path / "judged" / "runs").iterdir()) == [
        "RR",
        "RR-warmup",
        "ready-idle",
    ]


def test_the_latest_attempt_of_a_resumed_stage_is_read(tmp_path):
    plan, hot = emerald_runs.plan(source="fio"), stage("HB")
    again = tmp_path / "HB" / "attempt-2"
    again.mkdir(parents=True)
    (tmp_path / "HB" / "fio.json").write_text("{")
    with pytest.raises(InputError, match="earlier attempts at the stage were broken off"):
        folder_of(plan, hot, tmp_path)
    (again / "fio.json").write_text("{}")
    assert folder_of(plan, hot, tmp_path) == again
