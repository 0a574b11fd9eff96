"""The simulator as a driver: stages of a plan as Runs of one continuous simulation."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from simulated_plans import (
    ARRAY,
    CACHE,
    FILL,
    IDLE,
    POWER,
    SSD,
    conditioning,
    plan_of,
    simulated,
    stage_of,
    stages_of,
)

from iowatt.base.errors import InputError
from iowatt.emerald.conduct.drivers import course as simulation_course
from iowatt.emerald.conduct.drivers.simulation import RUN, SimulationDriver

COUNTS = ("arrivals", "completions", "reads", "writes", "bytes_read", "bytes_written")


@pytest.mark.parametrize("load", [{"rate_iops": 150.0}, {"closed": True, "outstanding": 6}])
@pytest.mark.parametrize("text", [ARRAY, ARRAY + CACHE], ids=["plain", "cached"])
def test_warm_up_and_measurement_are_one_simulation(tmp_path: Path, load: dict[str, Any], text: str) -> None:
    """Their intervals are those of the same work in one piece, request for request."""
    before = conditioning(rate_iops=200.0)
    plan = plan_of(tmp_path, [before, *stages_of("MW1", **load)], text)
    whole = plan_of(tmp_path, [before, stages_of("MW1", measured=8.0, **load)[1]], text)
    parts = [simulated(tmp_path, plan, name).table("intervals") for name in ("MW1-warmup", "MW1")]
    one = simulated(tmp_path, whole, "MW1").table("intervals")
    assert [len(part) for part in parts] == [2, 6]
    joined = pl.concat(parts).select(*COUNTS, "power_w", "response_mean_ms")
    assert joined.equals(one.select(joined.columns))


def test_each_stage_is_as_long_as_it_says_and_has_its_intervals(tmp_path: Path) -> None:
    plan = plan_of(
        tmp_path,
        [conditioning(rate_iops=100.0), *stages_of("HB", rate_iops=100.0),
         *stages_of("SR", closed=True, outstanding=8, streams=4), IDLE],
        ARRAY + CACHE + POWER,
    )  # fmt: skip
    driver = SimulationDriver(tmp_path)
    driver.check(plan)
    for stage in plan.stages:
        run = driver.simulate(plan, stage)
        assert run.summary["window"]["duration_s"] == pytest.approx(stage.seconds)
        intervals = run.table("intervals")
        assert len(intervals) == stage.seconds
        assert intervals["wall_w"].null_count() == 0 and intervals["wall_w"].min() > 0
    rest = driver.simulate(plan, stage_of(plan, "ready-idle"))
    assert rest.table("intervals")["arrivals"].sum() == 0
    assert rest.summary["power_w"]["wall_mean"] > 0


def test_sequential_stages_have_streams_over_the_tested_range(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, stages_of("SW", closed=True, outstanding=8, streams=4), size_bytes=2**26 + 1)
    driver = SimulationDriver(tmp_path)
    course = simulation_course.course(plan, plan.stages[1], "none", lambda _: 0.0)
    text = simulation_course.text(plan, driver.array(plan), course)
    assert f'span = "{2**26}B"' in text and "streams=4" in text and "outstanding=8" in text
    run = driver.simulate(plan, plan.stages[1])
    done = run.table("intervals").select("reads", "writes", "bytes_written").sum().row(0)
    assert done[0] == 0 and done[1] > 100 and done[2] == done[1] * 2**18
    assert [v["name"] for v in run.summary["volumes"] if v["requests"]["count"]] == ["tested"]


def test_a_fill_ends_when_all_is_written_and_what_follows_begins_there(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, [FILL, *stages_of("RR", rate_iops=50.0)], ARRAY + CACHE, size_bytes=2**26)
    driver = SimulationDriver(tmp_path)
    fill = driver.simulate(plan, plan.stages[0])
    assert fill.summary["requests"]["bytes_written"] == 2**26
    took = fill.summary["window"]["duration_s"]
    after = driver.simulate(plan, stage_of(plan, "RR-warmup"))
    assert after.summary["window"]["start_s"] == pytest.approx(took)
    # A driver that has not run the fill itself finds the same.
    again = SimulationDriver(tmp_path).simulate(plan, stage_of(plan, "RR-warmup"))
    assert again.table("intervals").equals(after.table("intervals"))


def test_a_cache_is_found_as_the_stage_before_left_it(tmp_path: Path) -> None:
    """Dirty data of RW are written back while nothing is asked for any more."""
    plan = plan_of(tmp_path, [*stages_of("RW", rate_iops=150.0), IDLE], ARRAY + CACHE)
    rest = simulated(tmp_path, plan, "ready-idle")
    fresh = simulated(tmp_path, plan_of(tmp_path, [IDLE], ARRAY + CACHE), "ready-idle")
    assert sum(device["bytes_written"] for device in fresh.summary["devices"]) == 0
    assert sum(device["bytes_written"] for device in rest.summary["devices"]) > 0
    assert [one for one in rest.notes if one not in fresh.notes and "cache" in one]


@pytest.mark.parametrize(
    ("text", "memory", "before"),
    [
        (ARRAY, "none", []),
        (ARRAY + CACHE, "recent", ["MW1-warmup", "MW1"]),
        (ARRAY.replace('capacity = "1GiB"', 'capacity = "1GiB"', 1).replace(
            "count = 4", 'count = 4\nspares = 1\nfailure = [{ drive = 0, at = "1s" }]'),
         "lasting", ["conditioning", "MW1-warmup", "MW1"]),
        (SSD, "lasting", ["conditioning", "MW1-warmup", "MW1"]),
    ],
    ids=["drives", "cache", "failure", "flash"],
)  # fmt: skip
def test_how_far_back_a_simulation_begins(tmp_path: Path, text: str, memory: str, before: list[str]) -> None:
    plan = plan_of(
        tmp_path,
        [conditioning(rate_iops=50.0), *stages_of("MW1", rate_iops=50.0), *stages_of("RR", rate_iops=50.0)],
        text,
    )
    array = SimulationDriver(tmp_path).array(plan)
    assert array.memory == memory
    course = simulation_course.course(plan, stage_of(plan, "RR"), array.memory, lambda _: 0.0)
    assert [stage.id for stage in course.before] == [*before, "RR-warmup"]
    assert (course.start, course.end) == (
        pytest.approx(sum(stage_of(plan, name).seconds for name in (*before, "RR-warmup"))),
        pytest.approx(course.start + 6.0),
    )


def test_stages_of_different_rates_are_workloads_of_their_own(tmp_path: Path) -> None:
    slow, fast = stages_of("RR", rate_iops=50.0)[0], stages_of("RR", rate_iops=90.0)[1]
    plan = plan_of(tmp_path, [slow, fast])
    course = simulation_course.course(plan, plan.stages[1], "recent", lambda _: 0.0)
    assert [len(part.stages) for part in course.parts] == [1, 1]


def test_the_run_lies_in_the_stages_folder(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, stages_of("RR", rate_iops=50.0))
    driver, stop = SimulationDriver(tmp_path), threading.Event()
    folder = tmp_path / "stage"
    folder.mkdir()
    driver.run(plan, plan.stages[0], folder, stop)
    run = driver.observe(plan, plan.stages[0], folder)
    assert run.summary["source"] == "simulation" and run.path == folder / RUN
    assert "array.power" in " ".join(run.notes)
    assert driver.version().startswith("iowatt-")


def test_a_stop_leaves_no_run(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, stages_of("RR", rate_iops=150.0, measured=600.0))
    stop = threading.Event()
    stop.set()
    SimulationDriver(tmp_path).run(plan, plan.stages[1], tmp_path, stop)
    assert not (tmp_path / RUN).exists()


@pytest.mark.parametrize(
    ("stages", "target", "code", "place"),
    [
        (stages_of("RR"), {}, "missing", r"^stage RR-warmup: rate_iops$"),
        (stages_of("RR", rate_iops=10.0), {"size_bytes": 2**31}, "out-of-range", r": target\.size_bytes$"),
        (stages_of("RR", rate_iops=10.0), {"size_bytes": 1000}, "out-of-range", r": target\.size_bytes$"),
        (
            stages_of("RR", rate_iops=10.0),
            {"scenario": None, "path": "/dev/null"},
            "missing",
            r": target\.scenario$",
        ),
        (stages_of("RR", rate_iops=10.0), {"scenario": "elsewhere.toml"}, None, r"elsewhere\.toml$"),
    ],
)
def test_what_cannot_be_simulated_is_said_before(
    tmp_path: Path, stages: list[dict[str, Any]], target: dict[str, Any], code: str | None, place: str
) -> None:
    plan = plan_of(tmp_path, stages, **target)
    with pytest.raises(InputError) as error:
        SimulationDriver(tmp_path).check(plan)
    assert re.search(place, str(error.value.place))
    assert code in (None, error.value.code)  # None: of the reader of scenarios
