"""Calibration: rates within the limit, shares of others, throughput; simulated, and on a known queue."""

from __future__ import annotations

import json
import random
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from simulated_plans import ARRAY, CACHE, SSD, conditioning, plan_of, stage_of, stages_of

from iowatt.base.errors import Argument
from iowatt.emerald.calibrate import (
    Calibration,
    CalibrationRequest,
    Point,
    SearchSettings,
    calibrate,
    calibrate_plan,
    page,
)
from iowatt.emerald.calibrate import notes as phase_notes
from iowatt.emerald.calibrate.bench import DriverBench, SimulationBench
from iowatt.emerald.calibrate.outcome import PointOutcome, of_observation
from iowatt.emerald.conduct.drivers.simulation import SimulationDriver
from iowatt.emerald.plan.model import Plan, PlanStage
from iowatt.emerald.rules import Rules, load
from iowatt.run.histogram import Histogram
from iowatt.sources.observation import Direction, Interval, Observation
from refused import refused


def calibrated(
    folder: Path, plan: Plan, rules: Rules | None = None, **settings: Any
) -> tuple[Plan, Calibration, SimulationDriver]:
    """The plan with its rates, the result, and what ran it."""
    driver = SimulationDriver(folder)
    bench = SimulationBench(driver)
    done = calibrate(plan, rules or load("emerald-4.0.0"), bench, SearchSettings(**settings), tool="test")
    return *done, driver


@pytest.mark.parametrize("text", [ARRAY, ARRAY + CACHE], ids=["plain", "cached"])
def test_the_measurement_gives_what_calibration_promised(tmp_path: Path, text: str) -> None:
    """The chosen points are the Runs of the calibrated plan; two hundredths more would be over the limit."""
    plan = plan_of(tmp_path, [conditioning(), *stages_of("HB"), *stages_of("RR")], text)
    plan, found, driver = calibrated(tmp_path, plan)
    assert found.complete and found.limit is not None and found.limit.response_mean_ms == 20
    for phase in found.phases:
        assert phase.method == "limit" and phase.settled and phase.chosen is not None
        run = driver.simulate(plan, stage_of(plan, phase.phase))
        rows = run.table("intervals").select("completions", "response_mean_ms").rows()
        mean = sum(n * ms for n, ms in rows) / sum(n for n, _ in rows)
        assert max(ms for _, ms in rows) <= 80
        assert mean == pytest.approx(phase.chosen.outcome.response_s * 1e3) and mean <= 20
        over = [row for row in phase.points if row.verdict not in (None, "meets")]
        assert min(row.rate_iops for row in over) <= phase.rate_iops * 1.0205
        both = [stage.rate_iops for stage in plan.stages if stage.phase == phase.phase]
        assert both == [phase.rate_iops] * 2
    # What conditions by the hot band has its rate.
    assert stage_of(plan, "conditioning").rate_iops == found.phases[0].rate_iops
    assert plan.rules.unverified == [
        "rate.achieved_percent", "response.mean_ms.random", "response.minute_ms.random",
    ]  # fmt: skip
    assert found.caveat is not None and "3 unverified" in found.caveat


def test_mw2_is_a_quarter_of_mw1_exactly(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, [*stages_of("MW1"), *stages_of("MW2")])
    plan, found, _ = calibrated(tmp_path, plan, load("emerald-1.0.0"))
    mw1, mw2 = found.phases
    assert mw1.rate_iops is not None and mw2.method == "share"
    assert mw2.rate_iops == mw1.rate_iops / 4
    assert stage_of(plan, "MW2-warmup").rate_iops == mw1.rate_iops / 4


def test_mw2_alone_goes_by_the_plans_mw1(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, [*stages_of("MW1", rate_iops=120.0), *stages_of("MW2")])
    _, found, _ = calibrated(tmp_path, plan, load("emerald-1.0.0"), phases=["MW2"])
    assert [phase.rate_iops for phase in found.phases] == [30.0]
    _, without, _ = calibrated(
        tmp_path, plan_of(tmp_path, stages_of("MW2")), load("emerald-1.0.0"), phases=["MW2"]
    )
    assert not without.complete
    assert [(note.code, note.text.split()[0]) for note in without.phases[0].notes] == [
        ("no-base-rate", "MW1")
    ]


def test_sequential_phases_take_what_gives_most(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, stages_of("SR", closed=True, outstanding=8, streams=1))
    plan, found, driver = calibrated(tmp_path, plan, streams=[1, 4], most_outstanding=32)
    (phase,) = found.phases
    most = max(row.outcome.mib_per_s for row in phase.points)
    assert phase.chosen is not None and phase.chosen.outcome.mib_per_s >= 0.98 * most
    stage = stage_of(plan, "SR")
    assert (stage.closed, stage.streams, stage.outstanding) == (
        True, phase.chosen.streams, phase.chosen.outstanding,
    )  # fmt: skip
    again = driver.simulate(plan, stage).summary["throughput"]["mib_per_s"]
    assert again == pytest.approx(phase.chosen.outcome.mib_per_s)


def test_a_limit_by_hand_is_a_deviation(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, stages_of("RR"))
    planned_ten, at_ten, _ = calibrated(tmp_path, plan, limit_ms=10.0)
    planned_rules, at_rules, _ = calibrated(tmp_path, plan)
    assert at_ten.phases[0].rate_iops < at_rules.phases[0].rate_iops
    assert [one.code for one in planned_ten.deviations] == ["limit-by-hand"]
    assert at_ten.deviations == planned_ten.deviations and "10 ms" in at_ten.deviations[0].text
    assert not planned_rules.deviations and not at_rules.deviations


def test_a_limit_that_nobody_knows_is_asked_for(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, stages_of("RR")).model_copy(update={"category": "near-online"})
    with refused("missing-figure", "emerald-4.0.0") as caught:
        calibrated(tmp_path, plan)
    assert "`within=20ms`" in str(caught.value.hint)
    _, found, _ = calibrated(tmp_path, plan, limit_ms=30.0)
    assert found.complete


def test_no_rate_within_the_limit_leaves_the_phase_open(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, stages_of("RR"))
    plan, found, _ = calibrated(tmp_path, plan, limit_ms=0.1)
    assert not found.complete and stage_of(plan, "RR").rate_iops is None
    assert found.phases[0].chosen is None and found.phases[0].notes


def test_a_phase_that_is_not_there(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, stages_of("RR"))
    with refused("unknown-name", Argument("phase")) as caught:
        calibrated(tmp_path, plan, phases=["HB"])
    assert "'HB'" in caught.value.message and caught.value.message.endswith(" RR")


def test_long_points_are_shortened_and_the_whole_phase_is_checked(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, stages_of("RR", measured=40.0))
    driver = SimulationDriver(tmp_path)
    bench = SimulationBench(driver, point_s=5.0)
    found = calibrate(plan, load("emerald-4.0.0"), bench, SearchSettings(), tool="t").result
    rows = found.phases[0].points
    assert {row.outcome.seconds for row in rows if row.kind == "search"} == {5.0}
    checks = [row for row in rows if row.kind == "check"]
    assert checks and {row.outcome.seconds for row in checks} == {40.0}
    assert found.phases[0].chosen is checks[-1]


def test_an_array_that_remembers_for_good_is_searched_behind_one_stage_and_checked_behind_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of(
        tmp_path,
        [conditioning(seconds=0.2), *stages_of("RR", warmup=0.1, measured=0.2, rate_iops=500.0),
         *stages_of("RW", warmup=0.1, measured=0.2)],
        SSD,
    )  # fmt: skip
    seen: list[tuple[str, int]] = []
    simulate = SimulationDriver.simulate

    def counted(*given: Any) -> Any:
        seen.append((given[1].stages[0].id, len(given[1].stages)))
        return simulate(*given)

    monkeypatch.setattr(SimulationDriver, "simulate", counted)
    _, found, _ = calibrated(tmp_path, plan, phases=["RW"], tolerance=0.1)
    assert found.complete and found.phases[0].points[-1].kind == "check"
    assert seen[-1] == ("conditioning", 5)
    assert set(seen[:-1]) <= {("RR", 3), ("conditioning", 5)} and ("RR", 3) in seen


# The verb's function: folders, interruption, resumption.


def planned(folder: Path) -> Path:
    plan = plan_of(folder, [*stages_of("RR"), *stages_of("SW", closed=True, outstanding=4)])
    (folder / "plan").mkdir()
    plan = plan.model_copy(update={"target": plan.target.model_copy(update={"scenario": "../array.toml"})})
    (folder / "plan" / "plan.json").write_text(plan.model_dump_json(by_alias=True), "utf-8")
    return folder / "plan"


def test_the_folder_of_a_calibrated_plan(tmp_path: Path) -> None:
    told: list[str] = []
    where = CalibrationRequest(planned(tmp_path), tmp_path / "deep" / "new")
    where.output.parent.mkdir()
    found = calibrate_plan(where, SearchSettings(), talk=told.append)
    names = {path.name for path in where.output.iterdir()}
    assert {"plan.json", "calibration.json", "calibration.txt", "calibration.html", "points.jsonl"} <= names
    assert json.loads((where.output / "calibration.json").read_text("utf-8")) == found.as_dict()
    assert len(told) == sum(len(phase.points) for phase in found.phases)
    plan = Plan.model_validate_json((where.output / "plan.json").read_text("utf-8"))
    assert stage_of(plan, "RR").rate_iops == found.phases[0].rate_iops
    # It is found from the new place.
    assert plan.target.scenario == "../../array.toml"
    SimulationDriver(where.output).check(plan)
    assert not (tmp_path / "deep" / "new.calibrating").exists()
    page = (where.output / "calibration.html").read_text("utf-8")
    assert 'id="calibration-curve-RR"' in page and 'id="calibration-curve-SW"' in page
    with refused("exists", str(where.output)):
        calibrate_plan(where, SearchSettings(), talk=told.append)


def test_an_interrupted_calibration_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(tmp_path)
    whole = calibrate_plan(
        CalibrationRequest(plan, tmp_path / "whole"), SearchSettings(), talk=lambda line: None
    )
    seen: list[str] = []

    def interrupt(line: str) -> None:
        seen.append(line)
        if len(seen) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        calibrate_plan(CalibrationRequest(plan, tmp_path / "broken"), SearchSettings(), talk=interrupt)
    assert not (tmp_path / "broken").exists()
    with refused("exists", str(tmp_path / "broken.calibrating")):
        calibrate_plan(CalibrationRequest(plan, tmp_path / "broken"), SearchSettings(), talk=seen.append)
    runs: list[str] = []
    simulate = SimulationDriver.simulate

    def counted(*given: Any) -> Any:
        runs.append(given[2].id)
        return simulate(*given)

    monkeypatch.setattr(SimulationDriver, "simulate", counted)
    resumed = calibrate_plan(
        CalibrationRequest(plan, tmp_path / "broken", resume=True), SearchSettings(), talk=seen.append
    )
    assert [line for line in seen[4:] if re.match(r"4\b", line)]
    kept = (tmp_path / "broken" / "points.jsonl").read_text("utf-8").count("\n")
    assert len(runs) == kept - 4
    assert resumed.phases == whole.phases


def test_erase_is_for_real_storage(tmp_path: Path) -> None:
    with refused("not-applicable", Argument("erase")):
        calibrate_plan(
            CalibrationRequest(planned(tmp_path), tmp_path / "new", erase="x"),
            SearchSettings(),
            talk=lambda line: None,
        )


# A load generator whose queue is known.


class Queue:
    """An M/M/1 of 1,000 requests per second as a driver that observes with noise; SW: 500 MiB/s from 8 on."""

    kind = "vdbench"

    def __init__(self) -> None:
        self.stages: list[PlanStage] = []
        self._draws = random.Random(5)

    def version(self) -> str:
        return "vdbench-test"

    def check(self, plan: Plan) -> None:
        del plan

    def run(self, plan: Plan, stage: PlanStage, folder: Path, stop: threading.Event) -> None:
        del plan, stop
        assert folder.is_dir() and not any(folder.iterdir())
        (folder / "flatfile.html").write_text("", "utf-8")
        self.stages.append(stage)

    def observe(self, plan: Plan, stage: PlanStage, folder: Path) -> Observation:
        del plan
        assert (folder / "flatfile.html").exists()
        if stage.closed:
            rate, mean = min(stage.outstanding * 250.0, 2000.0), 0.01
        else:
            asked = stage.rate_iops or 0.0
            rate = min(asked, 1000.0)
            mean = 1 / (1000 - asked) if asked < 1000 else 1.0
        assert stage.seconds is not None
        intervals = []
        for at in range(round(stage.seconds / stage.interval_s)):
            start = 100.0 + at * stage.interval_s
            # Before it has settled, it is far too slow.
            slow = 50.0 if start - 100.0 < 0.99 else 1.0
            response = mean * slow * (1 + 0.05 * self._draws.gauss(0, 1))
            count = round(rate * stage.interval_s)
            size = 2**18 if stage.closed else 8192
            intervals.append(
                Interval(
                    start,
                    start + stage.interval_s,
                    Direction(count, count * size, response),
                    Direction(0, 0, None),
                )
            )
        empty = Histogram.of([], [], [])
        return Observation(
            stage.id,
            "vdbench",
            "test",
            100.0,
            100.0 + stage.seconds,
            intervals,
            empty,
            empty,
            warnings=("warm",),
        )


def test_a_load_generator_is_run_in_short_points_and_judged_behind_its_settling(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, [*stages_of("RW"), *stages_of("SW", closed=True, outstanding=2)])
    queue = Queue()
    bench = DriverBench(queue, tmp_path / "points", time_scale=0.01, point_s=4.2, settle_s=0.5)
    found = calibrate(plan, load("emerald-4.0.0"), bench, SearchSettings(), tool="t").result
    random_phase, sequential = found.phases
    # 19 ms, with 5 % of the limit kept free, are met by 1000 - 1 / 0.019 = 947.4 requests per second.
    assert random_phase.rate_iops is not None and 925 <= random_phase.rate_iops <= 955
    assert random_phase.rate_iops == int(random_phase.rate_iops)
    assert found.limit is not None and found.limit.margin == 0.05
    assert sequential.chosen is not None and sequential.chosen.outstanding == 8
    assert sequential.chosen.outcome.mib_per_s == pytest.approx(500.0)
    # vdbench counts in whole seconds.
    assert {(stage.seconds, stage.interval_s) for stage in queue.stages} == {(6.0, 1.0)}
    assert len({stage.id for stage in queue.stages}) == len(queue.stages)
    assert (random_phase.notes[-1].code, random_phase.notes[-1].text) == ("load-generator", "warm")
    assert len(random_phase.points) <= 12


def test_an_observation_without_intervals_behind_its_settling(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, stages_of("RW", rate_iops=10.0, measured=2.0))
    queue, stage = Queue(), plan.stages[1]
    folder = tmp_path / "one"
    folder.mkdir()
    queue.run(plan, stage, folder, threading.Event())
    seen = queue.observe(plan, stage, folder)
    with refused("empty", f"stage {seen.name}") as caught:
        of_observation(seen, 5.0)
    assert " 5 s" in caught.value.message


def point(number: int, iops: float, verdict: Any = None, **load: Any) -> Point:
    outcome = PointOutcome(
        seconds=60.0, requests=round(60 * iops), iops=iops, mib_per_s=iops / 4, response_s=0.012,
        half_width_s=None,
    )  # fmt: skip
    return Point.of(outcome, number, "search", verdict=verdict, **load)


def test_a_faster_point_that_was_not_chosen_is_explained() -> None:
    passed_over, within = phase_notes.passed_over, phase_notes.within_tolerance
    chosen = point(1, 500.0, "meets", rate_iops=500.0)
    slower = point(2, 490.0, "saturated", rate_iops=700.0)
    faster = point(3, 520.0, "saturated", rate_iops=600.0)
    assert passed_over([chosen, slower], chosen, 0.99) == []
    assert passed_over([chosen, faster], None, 0.99) == []
    (note,) = passed_over([chosen, slower, faster], chosen, 0.99)
    assert note.code == "faster-not-kept-up"
    assert re.findall(r"\d+", note.text)[:2] == ["520", "600"] and "99 %" in note.text
    few, many = (point(1, 400.0, outstanding=8, streams=1), point(2, 404.0, outstanding=16, streams=1))
    assert within([few, many], many, 0.02) == []
    (note,) = within([few, many], few, 0.02)
    assert note.code == "within-tolerance"
    assert re.findall(r"\d+", note.text) == ["101", "16", "2"]


def test_a_point_in_a_line() -> None:
    assert re.search(r"\b8\b.*\b1 stream\b", page.progress("SR", point(1, 400.0, outstanding=8, streams=1)))
    assert re.search(r"\b4 streams\b", page.progress("SR", point(1, 400.0, outstanding=8, streams=4)))
