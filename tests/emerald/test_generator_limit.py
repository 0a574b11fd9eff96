"""A load generator is never taken for the limit of the storage: by known figures, and by fio on a file."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from delayed_file import delayed_file, possible
from emerald_plans import by_id, plan
from simulated_plans import plan_of, stages_of

import needs
from iowatt.emerald.calibrate import CalibrationRequest, SearchSettings, calibrate, calibrate_plan
from iowatt.emerald.calibrate.bench import DriverBench
from iowatt.emerald.generator import GeneratorLoad, cause, limited
from iowatt.emerald.plan import PlanRequest, make_plan
from iowatt.emerald.plan.load import vdbench
from iowatt.emerald.plan.load.fio import job_text
from iowatt.emerald.plan.model import Plan, PlanStage
from iowatt.emerald.rules import load
from iowatt.run.histogram import Histogram
from iowatt.sources import fio
from iowatt.sources.export.loads import outstanding_needed
from iowatt.sources.observation import Direction, Interval, Observation

BOTH = (
    needs.mark("fio")
    if shutil.which("fio") is None
    else pytest.mark.skipif(not possible(), reason="needs root to mount FUSE")
)


def test_a_published_result_needs_more_than_64_outstanding() -> None:
    """42,870 IOPS at 5.77 ms have 247 requests in flight (Little's law)."""
    assert pytest.approx(247.4, abs=0.1) == 42_870 * 5.77e-3
    assert outstanding_needed(42_870, 5.77e-3) == 495
    assert outstanding_needed(100, 0.02) == 64
    assert outstanding_needed(1e6, 1.0) == 16_384, "no more than libaio may have"


def test_a_rate_has_as_many_outstanding_as_it_needs_over_jobs_and_targets(tmp_path: Path) -> None:
    rates = {"HB": 20_000.0, "RR": 42_870.0, "RW": 900.0}
    fast = plan(tmp_path, rates=rates, targets=[str(tmp_path / "a"), str(tmp_path / "b")])
    stages = by_id(fast)
    assert {name: stages[name].outstanding for name in rates} == {"HB": 800, "RR": 1715, "RW": 64}
    assert stages["RR-warmup"].outstanding == 1715 and stages["conditioning"].outstanding == 800
    for name, rate in rates.items():
        depth = asked = 0
        for section in job_text(fast, stages[name]).split("\n[")[2:]:
            options = dict(line.split("=", 1) for line in section.splitlines()[1:] if "=" in line)
            jobs = int(options.get("numjobs", 1))
            depth += jobs * int(options["iodepth"])
            asked += jobs * int(options["rate_iops"])
        assert depth >= stages[name].outstanding
        assert asked == pytest.approx(rate, rel=0.002)
        line = next(
            line for line in vdbench.stage_text(fast, stages[name]).splitlines() if line.startswith("rd=")
        )
        assert int(line.rpartition("threads=")[2]) * 2 >= stages[name].outstanding
    # What is asked for by hand counts, and a rate that is not known yet leaves room.
    by_hand = by_id(plan(tmp_path, rates={}, outstanding={"RR": 512}))["RR"]
    assert by_hand.outstanding == 512
    text = vdbench.rate_finding_text(plan(tmp_path, rates={}), 20.0)
    assert "rd=find_RR" in text and "threads=1024" in text


@pytest.mark.parametrize(
    ("load", "limit_s", "expected"),
    [
        # All 64 are in use, and the storage answers within the limit: as it was found.
        (GeneratorLoad(9225.0, 4694.0, 0.0126, 180.0, 64), 0.02, "outstanding"),
        # The same storage with room: it is over the limit by itself.
        (GeneratorLoad(9600.0, 9225.0, 0.040, 180.0, 384), 0.02, None),
        (GeneratorLoad(9000.0, 9000.0, 0.0173, 180.0, 384), 0.02, None),
        (GeneratorLoad(9000.0, 5000.0, 0.002, 180.0, 384, 97.0), 0.02, "processor"),
        (GeneratorLoad(9000.0, 5000.0, 0.040, 180.0, 384, 97.0), 0.02, "processor"),
        (GeneratorLoad(9000.0, 9000.0, 0.002, 180.0, 384, 97.0), 0.02, None),
        # Neither all in use nor busy, and late by more than can wait in the storage.
        (GeneratorLoad(9000.0, 8000.0, 0.002, 180.0, 384, 40.0), 0.02, "issue"),
        (GeneratorLoad(9000.0, 8850.0, 0.018, 1.0, 384, 40.0), 0.02, None),
        # As fast as it can: all are always in use.
        (GeneratorLoad(None, 800.0, 0.010, 180.0, 8), None, None),
        (GeneratorLoad(None, 800.0, 0.010, 180.0, 8, 99.0), None, "processor"),
        # Nothing is known of it.
        (GeneratorLoad(9000.0, 8000.0, None, 180.0), 0.02, None),
    ],
)
def test_what_the_load_generator_had_too_little_of(
    load: GeneratorLoad, limit_s: float | None, expected: str | None
) -> None:
    assert cause(load, limit_s, keeps_up=0.99) == expected
    codes = [(one.code, one.weight) for one in limited(load, limit_s, keeps_up=0.99)]
    assert codes == ([] if expected is None else [("generator-limited", "invalid")])
    # Chance is no limit.
    assert cause(replace(load, busy_percent=None), limit_s, keeps_up=0.99, scatter=1e6) in (
        None, "outstanding",
    )  # fmt: skip


# Slow, so that a busy machine's own delays do not count; the like of 10 ms, 9,200 IOPS and 20 ms.
LATENCY_S, IOPS, LIMIT_MS = 0.2, 600.0, 400.0
SIZE = 64 << 20


def reached(file: Path, folder: Path, outstanding: int) -> tuple[float, float]:
    """Requests per second and mean response time, ms, of fio with so many outstanding."""
    words = [
        "fio", "--name=a", f"--filename={file}", "--rw=randread", "--bs=8k", "--direct=1",
        "--ioengine=libaio", f"--iodepth={outstanding}", "--runtime=3", "--time_based", "--thread",
        "--norandommap", "--output-format=json", "--output=out.json",
    ]  # fmt: skip
    subprocess.run(words, cwd=folder, check=True, capture_output=True)
    done = json.loads((folder / "out.json").read_text())["jobs"][0]["read"]
    return done["iops"], done["lat_ns"]["mean"] / 1e6


@BOTH
def test_a_calibration_finds_what_fio_reaches_with_many_outstanding(tmp_path: Path) -> None:
    """A file of 200 ms and 600 IOPS needs 240 requests outstanding at 400 ms; 64 make 320.

    In points of 3 s counts scatter by 2 in 100. By hand, points of 6 s, a file of 10 ms and 9,200 IOPS:
    9,179 IOPS at a limit of 20 ms, where fio with 128 to 512 outstanding does 9,174.
    """
    with delayed_file(tmp_path / "slow", SIZE, latency_s=LATENCY_S, iops=IOPS) as file:
        most, response_ms = reached(file, tmp_path, round(IOPS * LIMIT_MS / 1e3))
        asked = PlanRequest(
            category="online", source="fio", targets=[str(file)], size_bytes=SIZE, time_scale=0.02,
            raw_capacity_bytes=10**9, prefill=False,
        )  # fmt: skip
        make_plan(asked, tmp_path / "plan")
        where = CalibrationRequest(
            tmp_path / "plan", tmp_path / "new", erase=str(file), point_s=3.0, settle_s=1.0
        )
        how = SearchSettings(limit_ms=LIMIT_MS, start=0.9 * most, most_runs=3, phases=["RR"], tolerance=0.03)
        found = calibrate_plan(where, how, talk=lambda line: None)
        (phase,) = found.phases
        jobs = (tmp_path / "new" / "fio" / "RR.fio").read_text("utf-8")
    assert response_ms == pytest.approx(LIMIT_MS, rel=0.15)
    assert phase.chosen is not None, phase.notes
    assert phase.chosen.achieved_iops == pytest.approx(most, rel=0.1)
    assert phase.chosen.achieved_iops > 64 / LATENCY_S
    assert phase.chosen.outstanding >= 2 * phase.chosen.rate_iops * LIMIT_MS / 1e3
    # What was found is what the measurement will have.
    assert sum(_outstanding(part) for part in jobs.split("\n[rr]")[1:]) >= 2 * IOPS * 0.9 * LIMIT_MS / 1e3


def _outstanding(section: str) -> int:
    options = dict(line.split("=", 1) for line in section.splitlines() if "=" in line)
    return int(options.get("numjobs", 1)) * int(options["iodepth"])


@BOTH
def test_fios_own_bound_is_seen_in_what_it_leaves(tmp_path: Path) -> None:
    """With 16 outstanding a file of 200 ms gives 80 IOPS, whatever is asked for."""
    with delayed_file(tmp_path / "slow", SIZE, latency_s=LATENCY_S) as file:
        words = [
            "fio", "--name=a", f"--filename={file}", "--rw=randread", "--bs=8k", "--direct=1", "--thread",
            "--ioengine=libaio", "--iodepth=16", "--rate_iops=300", "--rate_process=poisson",
            "--runtime=3", "--time_based", "--norandommap", "--output-format=json", "--output=out.json",
        ]  # fmt: skip
        subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    seen = fio.read(tmp_path / "out.json")
    assert seen.outstanding == 16 and seen.busy_percent is not None and seen.processors is not None
    assert seen.total is None and seen.totals is not None
    done, seconds = seen.totals[0], seen.end - seen.start
    load = GeneratorLoad(300.0, done.requests / seconds, done.response_mean_s, seconds, seen.outstanding)
    assert cause(load, LIMIT_MS / 1e3, keeps_up=0.99) == "outstanding"


class Delay:
    """A driver on storage of 10 ms, however many are outstanding, whose host issues no more than it can."""

    kind = "vdbench"

    def __init__(self, most_iops: float, busy_percent: float | None) -> None:
        self.most_iops, self.busy_percent = most_iops, busy_percent
        self.stages: list[PlanStage] = []

    def version(self) -> str:
        return "vdbench-test"

    def check(self, plan: Plan) -> None:
        del plan

    def run(self, plan: Plan, stage: PlanStage, folder: Path, stop: threading.Event) -> None:
        del plan, folder, stop
        self.stages.append(stage)

    def observe(self, plan: Plan, stage: PlanStage, folder: Path) -> Observation:
        del plan, folder
        possible = min(stage.outstanding / 0.01, self.most_iops)
        rate = possible if stage.closed else min(stage.rate_iops or 0.0, possible)
        width, seconds = stage.interval_s, stage.seconds or 0.0
        count = round(rate * width)
        intervals = [
            Interval(
                at * width, (at + 1) * width, Direction(count, 8192 * count, 0.010), Direction(0, 0, None)
            )
            for at in range(round(seconds / width))
        ]
        empty = Histogram.of([], [], [])
        busy = self.busy_percent if rate >= 0.99 * self.most_iops else 20.0
        return Observation(
            stage.id, "vdbench", "test", 0.0, seconds, intervals, empty, empty, busy_percent=busy
        )


@pytest.mark.parametrize(("busy", "why"), [(97.0, "97 %"), (None, "late")])
def test_a_rate_that_the_load_generator_limited_is_no_result(
    tmp_path: Path, busy: float | None, why: str
) -> None:
    given = plan_of(tmp_path, stages_of("RR"))
    driver = Delay(5000.0, busy)
    bench = DriverBench(driver, tmp_path / "points", time_scale=0.1, point_s=20.0, settle_s=1.0)
    calibrated, found = calibrate(given, load("emerald-4.0.0"), bench, SearchSettings(), tool="t")
    (phase,) = found.phases
    assert phase.chosen is None and not phase.settled and not found.complete
    assert phase.notes[0].code == "generator-limited"
    assert "5000 IOPS" in phase.notes[0].text and why in phase.notes[0].text
    limits = [row for row in phase.points if row.verdict == "generator"]
    assert limits and all(row.outcome.response_s == pytest.approx(0.010) for row in limits)
    # More outstanding requests were tried where they might have helped.
    tried = {stage.outstanding for stage in driver.stages if stage.rate_iops == limits[0].rate_iops}
    assert len(tried) == (1 if busy else 2)
    # What it leaves is a plan without a rate.
    assert {stage.rate_iops for stage in calibrated.stages} == {None}
