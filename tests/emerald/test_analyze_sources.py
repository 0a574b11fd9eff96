"""What a load generator left of a stage: one call of vdbench for several, or the simulator's bundles."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import conducted
import numpy as np
import pytest

import emerald_runs
from iowatt.emerald.analyze import MeasuredStages, judge, read
from iowatt.emerald.analyze.read import folder_of, observe
from iowatt.emerald.analyze.stages import Logs, stage_run
from iowatt.emerald.generator import limited_stage
from iowatt.emerald.rules import load
from iowatt.run.histogram import Histogram
from iowatt.sources.meters.log.instrument import Instrument, InstrumentLog
from iowatt.sources.observation import Direction, Interval, Observation
from refused import refused

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
    with refused("not-found", str(SAMPLE)) as caught:
        observe(plan, stage("HB-warmup"), SAMPLE)
    assert "HB-warmup" in caught.value.hint and "HB_warmup" in caught.value.hint
    assert "hband" in caught.value.message


def test_a_folder_without_the_stage_says_what_is_read(tmp_path):
    with refused("not-found", str(tmp_path)) as caught:
        folder_of(emerald_runs.plan(source="fio"), stage("HB"), tmp_path)
    assert "HB" in caught.value.message


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
    logs = Logs([InstrumentLog(meter, time_s, {"watts": np.full(len(time_s), 500.0)})])
    first = stage_run(plan, warm, observed("RR_warmup", begin, [60_000] * 10, uncounted=1), logs)
    counts = [30_000, *[60_000] * 30]
    second = stage_run(plan, main, observed("RR", begin + 600, counts, uncounted=1), logs)
    (phase,) = judge(MeasuredStages(plan, [first, second]), load("emerald-4.0.0")).phases
    assert [row.minute for row in phase.minutes] == list(range(-10, 31))
    assert phase.operations_rate == pytest.approx(1000.0)
    rows = {row.minute: row for row in phase.minutes}
    assert rows[0].pe == pytest.approx(1.0)
    assert rows[-1].pe == rows[1].pe == pytest.approx(2.0)
    # Minute 0 has the second weight of B in the average of minute 1.
    assert rows[1].ea == pytest.approx(2.0 - 0.21)
    codes = {one.code for one in phase.findings}
    assert not codes & {"too-short", "minutes-missing", "no-warmup", "power-missing", "stability-unknown"}


def official(folder_stages, *, averaged_from_one):
    """Warm-ups of 10 minutes and measurements of 31, run by a lab's own script one after the other.

    Each first minute of a measurement is left out, or not: vdbench 5.04.06 has it in its averages.
    """
    plan = emerald_runs.plan(source="vdbench")
    stages = [one for one in plan.stages if one.phase in folder_stages]
    plan = plan.model_copy(update={"stages": stages})
    at, found = emerald_runs.BEGIN, []
    time_s = at + np.arange(1.0, len(stages) * 31 * 60 + 60)
    meter = Instrument("wt310", "ptdaemon", "emerald", "an analyser", sample_interval_s=1.0)
    logs = Logs([InstrumentLog(meter, time_s, {"watts": np.full(len(time_s), 500.0)})])
    for one in stages:
        main = one.role == "measurement"
        counts = [30_000, *[60_000] * 30] if main else [60_000] * 10
        seen = observed(one.id, at, counts, uncounted=int(main and not averaged_from_one))
        found.append(stage_run(plan, one, seen, logs))
        at = seen.end + 2.0  # vdbench begins the next run definition
    return judge(MeasuredStages(plan, found), load("emerald-4.0.0"))


@pytest.mark.parametrize("averaged_from_one", [False, True], ids=["as it says", "5.04.06"])
def test_31_minutes_of_which_the_first_is_dropped_are_no_break(averaged_from_one):
    found = official(("HB", "RR", "RW"), averaged_from_one=averaged_from_one)
    codes = {one.code for one in found.findings}
    assert "phases-missing" in codes and not codes & {"interrupted", "overlap", "out-of-order"}
    for phase in found.phases:
        numbers = [row.minute for row in phase.minutes if row.measured]
        assert numbers == list(range(1, 31)), "minutes 2 to 31 count, whatever vdbench averages"
        assert phase.iops == pytest.approx(1000.0), "the ramp is in no figure"
        assert phase.seconds == 1800
        against = {one.code for one in phase.findings}
        assert not against & {"minutes-missing", "too-short", "generator-limited"}


def test_a_measurement_that_the_load_generator_limited_is_invalid():
    """900 of 1,000 requests per second at 5 ms: the storage answers in time, and nobody asks it."""
    plan = emerald_runs.plan(source="vdbench")
    warm, main = (one for one in plan.stages if one.phase == "RR")
    plan = plan.model_copy(update={"stages": [warm, main]})
    begin = emerald_runs.BEGIN
    late = observed("RR", begin + 600, [54_000] * 31, uncounted=1)
    first = stage_run(plan, warm, observed("RR_warmup", begin, [60_000] * 10, uncounted=0), Logs())

    def of(seen):
        found = judge(
            MeasuredStages(plan, [first, stage_run(plan, main, seen, Logs())]), load("emerald-4.0.0")
        )
        (phase,) = found.phases
        return [one for one in phase.findings if one.code == "generator-limited"]

    for seen, why in (
        (late, "issue"),
        (replace(late, busy_percent=96.0), "processor"),
        # 4.5 of 5 are in use.
        (replace(late, outstanding=5), "outstanding"),
    ):
        (finding,) = of(seen)
        assert (finding.weight, finding.values["cause"]) == ("invalid", why)
        # `emerald run` notes the same when it has ended.
        assert [one.values["cause"] for one in limited_stage(plan, main, seen)] == [why]
    whole = observed("RR", begin + 600, [60_000] * 31, uncounted=1)
    for seen in (whole, replace(whole, busy_percent=96.0)):
        assert not of(seen) and not list(limited_stage(plan, main, seen))


def test_what_was_run_beyond_the_plan_is_in_no_figure():
    """A last row that is no whole minute: throughput and operations rate are of the same minutes."""
    plan = emerald_runs.plan(source="vdbench")
    warm, main = (one for one in plan.stages if one.phase == "SR")
    plan = plan.model_copy(update={"stages": [warm, main]})
    begin = emerald_runs.BEGIN
    first = stage_run(plan, warm, observed("SR_warmup", begin, [60_000] * 10, uncounted=0), Logs())
    seen = observed("SR", begin + 600, [*[60_000] * 30, 40_000], uncounted=0)
    last = replace(seen.intervals[-1], end=seen.intervals[-1].start + 20.0)
    short = replace(seen, tool="fio", intervals=[*seen.intervals[:-1], last], end=last.end)
    whole = MeasuredStages(plan, [first, stage_run(plan, main, short, Logs())])
    (phase,) = judge(whole, load("emerald-4.0.0")).phases
    assert phase.mib_per_s == phase.operations_rate == pytest.approx(1000 * 8192 / 2**20)


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
    (phase,) = found.phases
    assert found.kind == phase.kind == found.ready_idle.kind == "modelled"
    assert phase.status == "valid"
    assert phase.stability.verdict == "stable"
    assert [row.minute for row in phase.minutes] == list(range(-9, 16))
    bundle = json.loads((simulated / "stages" / "RR" / "run" / "run.json").read_text())
    assert phase.power_w == pytest.approx(bundle["power_w"]["wall_mean"])
    assert phase.ep == pytest.approx(phase.iops / phase.power_w)
    # In a rest nothing is asked; what was asked before may end in it.
    assert found.ready_idle.status == "valid"
    assert found.ready_idle.ep == pytest.approx(7200 / found.ready_idle.power_w)
    assert not found.compliant


def test_lenses_work_on_the_runs_that_are_left(simulated, tmp_path):
    from test_analyze_measured import COMMAND

    done = subprocess.run(
        [*COMMAND, str(simulated), "-o", str(tmp_path / "judged")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "modelled" in done.stdout
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
    with refused("not-found", str(again / "fio.json")):
        folder_of(plan, hot, tmp_path)
    (again / "fio.json").write_text("{}")
    assert folder_of(plan, hot, tmp_path) == again
