"""The population of a closed loop at a response limit, against queues whose answer is known."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from iowatt.errors import InputError
from iowatt.scenario.document import Document
from iowatt.scenario.model import Scenario
from iowatt.search import inputs, population, prepare
from iowatt.search.over import axes
from iowatt.search.population import Tried, Within
from iowatt.search.prepare import Given
from iowatt.search.sweep import Request, search

BASE = Path()
#: A back end of one millisecond a command in front of drives that are hardly busy: at most 1,000 a second.
TEXT = """\
name = "back-end"

[[workload]]
name = "reads"
volume = "disks"
profile = { name = "uniform", rate_iops = 100, requests = 1000, set = ["stream.uniform.read_share=100"] }

[[array.pool]]
name = "disks"
device = "emerald2012-sff-15k-146gb"
count = 40
raid = { level = 0 }

[array.controller]
back_end = { command = "1ms" }
"""
WITHIN = Within(0.050, requests=3_000, warmup_requests=500)


def found(within: Within, text: str = TEXT) -> population.Found:
    return population.of_scenario(Document(text, "here").validate(Scenario), BASE, text, within)


def test_a_station_that_is_busy_gives_its_rate_and_littles_law_the_population():
    one = found(WITHIN)
    assert one.settled
    assert one.rate_iops == pytest.approx(1000, rel=0.01)
    assert one.outstanding == pytest.approx(50, rel=0.02)
    assert one.run.summary["response_time_ms"]["all"]["mean"] == pytest.approx(50, rel=0.01)


def test_wherever_it_begins_it_ends_at_the_same_rate():
    rates = [found(replace(WITHIN, start=start)).rate_iops for start in (50.0, 1_000.0, 20_000.0)]
    assert max(rates) / min(rates) < 1.01


def test_the_same_twice():
    first, second = found(WITHIN), found(WITHIN)
    assert first.tried == second.tried
    assert first.rate_iops == second.rate_iops


def test_rates_of_several_workloads_keep_their_proportion():
    second = TEXT.split("[[array.pool]]", maxsplit=1)[0].split("\n\n", 1)[1].replace('"reads"', '"more"')
    text = TEXT.replace(
        "[[array.pool]]", second.replace("rate_iops = 100", "rate_iops = 300") + "[[array.pool]]"
    )
    run = found(WITHIN, text).run
    rates = {part["name"]: part["throughput"]["iops"] for part in run.summary["workloads"]}
    assert rates["more"] / rates["reads"] == pytest.approx(3, rel=0.1)


def test_a_limit_that_one_request_exceeds_is_an_error():
    with pytest.raises(InputError, match="with one request outstanding"):
        found(replace(WITHIN, limit_s=0.0005))


def test_a_scenario_without_work_or_with_a_recorded_trace_is_an_error():
    head, rest = TEXT.split("[[workload]]")
    bare = head + rest[rest.index("[[array") :]
    with pytest.raises(InputError, match="no workload"):
        found(WITHIN, bare + '\n[observe]\nduration = "1s"\n')
    traced = TEXT.replace(
        TEXT[TEXT.index("profile") : TEXT.index("[[array")], 'trace = { path = "none.csv" }\n\n'
    )
    with pytest.raises(InputError, match="recorded trace"):
        found(WITHIN, traced)


@pytest.mark.parametrize(
    "wrong", [{"limit_s": 0.0}, {"limit_s": math.nan}, {"tolerance": 0.0}, {"requests": 10}, {"most_runs": 1}]
)
def test_what_cannot_be_meant_is_refused(wrong):
    with pytest.raises(InputError):
        replace(WITHIN, **wrong)


def test_elasticity_lies_between_a_bottleneck_and_no_waiting():
    flat = [Tried(10, 1000.0, 0.010), Tried(20, 1000.0, 0.020)]
    free = [Tried(10, 1000.0, 0.010), Tried(40, 2000.0, 0.020)]
    near = [Tried(10, 1000.0, 0.0100), Tried(10, 1001.0, 0.0101)]
    assert population._elasticity(flat) == 0.0
    assert population._elasticity(free) == 1.0
    assert 0 < population._elasticity(near) < 1


def test_a_point_of_a_sweep_is_taken_to_the_limit(tmp_path):
    request = Request(
        "sweep", Given(TEXT, BASE, "here", ()), axes(["array.pool.disks.count=20,40"]), within=WITHIN
    )
    one = search(request, output=tmp_path / "sweep")
    rows = one.frame.to_dicts()
    assert [row["status"] for row in rows] == ["done", "done"]
    assert [row["throughput.iops"] for row in rows] == pytest.approx([1000, 1000], rel=0.01)
    assert all(row["rate_iops"] == pytest.approx(row["throughput.iops"]) for row in rows)
    assert all(row["outstanding"] == pytest.approx(50, rel=0.02) for row in rows)
    again = search(request, output=tmp_path / "sweep", resume=True)
    assert again.resumed == 2
    assert again.frame.equals(one.frame)


def test_a_sweep_at_another_limit_is_another_one(tmp_path):
    given = Given(TEXT, BASE, "here", ())
    request = Request("sweep", given, axes(["array.pool.disks.count=20"]), within=WITHIN)
    search(request, output=tmp_path / "sweep")
    other = Request("sweep", given, axes(["array.pool.disks.count=20"]), within=replace(WITHIN, limit_s=0.1))
    found = search(other, output=tmp_path / "again")
    assert found.frame["outstanding"][0] == pytest.approx(100, rel=0.02)
    keys = [
        json.loads((tmp_path / name / "points.jsonl").read_text("utf-8"))["key"]
        for name in ("sweep", "again")
    ]
    assert keys[0] != keys[1]


def test_a_point_that_cannot_be_run_is_a_record_with_its_reason():
    (checked,) = prepare.check(Given(TEXT, BASE, "here", ()), axes(["seed=1"]), _points(), own_seeds=False)
    task = population.Task(
        key="k", document=checked.document, base=".", text=TEXT,
        files=inputs.described(checked.files, inputs.digests(path for _, path in checked.files)),
        bundle=None, command=None,
    )  # fmt: skip
    work = partial(population.evaluate, within=replace(WITHIN, limit_s=0.0005))
    record = work(task, lambda _fraction: None)
    assert record["key"] == "k"
    assert "outstanding" in record["error"]["message"]


def _points():
    from iowatt.search import grid

    return grid.points(axes(["seed=1"]))
