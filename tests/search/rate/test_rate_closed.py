"""The population of a closed loop at a response limit, against queues whose answer is known."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from iowatt.base.document import TomlDocument
from iowatt.evaluate.search import prepare
from iowatt.evaluate.search.axes import parse_axes
from iowatt.evaluate.search.point import TOO_SLOW, PointTask, evaluate_point, key_of
from iowatt.evaluate.search.prepare import ScenarioInput
from iowatt.evaluate.search.rate import ALL, RateRequest, RateResult, RateRun, row_at_limit, search_scenario
from iowatt.evaluate.search.rate.closed import elasticity
from iowatt.evaluate.search.sweep import SweepRequest, run_sweep
from iowatt.evaluate.search.tasks.executor import MachineError
from iowatt.evaluate.search.tasks.files import InputFile, described_files
from iowatt.model.scenario.keys.scenario import Scenario
from refused import refused

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
WITHIN = RateRequest(0.050, loop="closed", tolerance=0.01, requests=3_000, warmup_requests=500)


def found(within: RateRequest, text: str = TEXT) -> RateResult:
    return search_scenario(TomlDocument(text, "here").validate(Scenario), BASE, text, within)


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
    assert first.points == second.points
    assert first.rate_iops == second.rate_iops


def test_rates_of_several_workloads_keep_their_proportion():
    second = TEXT.split("[[array.pool]]", maxsplit=1)[0].split("\n\n", 1)[1].replace('"reads"', '"more"')
    text = TEXT.replace(
        "[[array.pool]]", second.replace("rate_iops = 100", "rate_iops = 300") + "[[array.pool]]"
    )
    run = found(replace(WITHIN, workload=ALL), text).run
    rates = {part["name"]: part["throughput"]["iops"] for part in run.summary["workloads"]}
    assert rates["more"] / rates["reads"] == pytest.approx(3, rel=0.1)


def test_a_limit_that_one_request_exceeds_has_no_rate():
    one = found(replace(WITHIN, limit_s=0.0005))
    assert one.rate_iops is None and one.run is None
    assert "0.5 ms" in one.problem and one.points[-1].outstanding == 1


def test_a_scenario_without_work_or_with_a_recorded_trace_is_an_error():
    head, rest = TEXT.split("[[workload]]")
    bare = head + rest[rest.index("[[array") :]
    with refused("missing", re.compile("^scenario ")):
        found(WITHIN, bare + '\n[observe]\nduration = "1s"\n')
    traced = TEXT.replace(
        TEXT[TEXT.index("profile") : TEXT.index("[[array")], 'trace = { path = "none.csv" }\n\n'
    )
    with refused("not-applicable", "workload.reads"):
        found(WITHIN, traced)


@pytest.mark.parametrize(
    ("wrong", "code", "place"),
    [
        ({"limit_s": 0.0}, "out-of-range", "within"),
        ({"limit_s": math.nan}, "out-of-range", "within"),
        ({"tolerance": 0.0}, "out-of-range", "tolerance"),
        ({"requests": 10}, "out-of-range", "requests"),
        ({"most_runs": 1}, "out-of-range", "most_runs"),
        ({"warmup_requests": -1}, "out-of-range", "warmup_requests"),
        ({"loop": "half"}, "not-accepted", "loop"),
        ({"loop": "open"}, "not-applicable", "warmup_requests"),
        ({"statistic": "p95"}, "not-applicable", "of"),
        ({"read_limit_s": 0.1}, "not-applicable", "read_limit"),
        ({"write_limit_s": 0.1}, "not-applicable", "write_limit"),
        ({"replications": 2}, "not-applicable", "replications"),
    ],
)
def test_what_cannot_be_meant_is_refused(wrong, code, place):
    with refused(code, place):
        replace(WITHIN, **wrong)


def test_elasticity_lies_between_a_bottleneck_and_no_waiting():
    flat = [_tried(1000.0, 0.010), _tried(1000.0, 0.020)]
    free = [_tried(1000.0, 0.010), _tried(2000.0, 0.020)]
    near = [_tried(1000.0, 0.0100), _tried(1001.0, 0.0101)]
    assert elasticity(flat) == 0.0
    assert elasticity(free) == 1.0
    assert 0 < elasticity(near) < 1


def _tried(iops: float, response_s: float) -> RateRun:
    return RateRun("search", None, 10, iops, response_s, None, None, None, "meets", 1, 1000, 1.0)


def test_workloads_are_judged_together_and_that_is_to_be_said():
    part = TEXT.split("[[array.pool]]", maxsplit=1)[0].split("\n\n", 1)[1].replace('"reads"', '"more"')
    text = TEXT.replace("[[array.pool]]", part + "[[array.pool]]")
    with refused("ambiguous", "workload"):
        found(WITHIN, text)
    with refused("not-applicable", "workload"):
        found(replace(WITHIN, workload="reads"), text)


def test_a_row_taken_to_the_limit_agrees_with_itself():
    """By drives, whose rate grows with the limit, and far from it: what is taken is then much."""
    text = TEXT.replace('"1ms"', '"10us"').replace("count = 40", "count = 4")
    one = found(replace(WITHIN, limit_s=0.020, start=900.0, tolerance=0.5), text)
    cells, summary = row_at_limit(one), one.run.summary
    assert abs(one.scale - 1) > 0.01
    assert cells["throughput.iops"] == pytest.approx(one.rate_iops)
    assert cells["throughput.iops"] != pytest.approx(summary["throughput"]["iops"], rel=1e-7)
    watts = cells["power_w.mean"]
    assert cells["efficiency.iops_per_w"] == pytest.approx(cells["throughput.iops"] / watts, rel=1e-12)
    assert cells["efficiency.mib_per_s_per_w"] == pytest.approx(
        cells["throughput.mib_per_s"] / watts, rel=1e-12
    )
    for kind in ("raw", "usable", "effective"):
        assert cells[f"efficiency.{kind}_gb_per_w"] == pytest.approx(
            cells[f"capacity_gb.{kind}"] / watts, rel=1e-12
        )
    # A request's share of the watts: exactly so in the Run, where all energy is that of its window.
    assert cells["energy.per_request_j"] == pytest.approx(watts / cells["throughput.iops"], rel=1e-9)
    assert cells["energy.energy_delay_js"] == pytest.approx(
        cells["energy.per_request_j"] * cells["response_time_ms.all.mean"] / 1e3, rel=1e-12
    )
    assert (cells["rate_iops"], cells["outstanding"], cells["rate.runs"]) == (
        one.rate_iops, one.outstanding, one.runs,
    )  # fmt: skip


def test_a_point_of_a_sweep_is_taken_to_the_limit(tmp_path):
    request = SweepRequest(
        "sweep",
        ScenarioInput(TEXT, BASE, "here", ()),
        parse_axes(["array.pool.disks.count=20,40"]),
        within=WITHIN,
    )
    one = run_sweep(request, output=tmp_path / "sweep")
    rows = one.frame.to_dicts()
    assert [row["status"] for row in rows] == ["done", "done"]
    assert [row["throughput.iops"] for row in rows] == pytest.approx([1000, 1000], rel=0.01)
    assert all(row["rate_iops"] == pytest.approx(row["throughput.iops"]) for row in rows)
    assert all(row["outstanding"] == pytest.approx(50, rel=0.02) for row in rows)
    again = run_sweep(request, output=tmp_path / "sweep", resume=True)
    assert again.resumed == 2
    assert again.frame.equals(one.frame)


def test_a_sweep_at_another_limit_is_another_one(tmp_path):
    given = ScenarioInput(TEXT, BASE, "here", ())
    request = SweepRequest("sweep", given, parse_axes(["array.pool.disks.count=20"]), within=WITHIN)
    run_sweep(request, output=tmp_path / "sweep")
    other = SweepRequest(
        "sweep", given, parse_axes(["array.pool.disks.count=20"]), within=replace(WITHIN, limit_s=0.1)
    )
    found = run_sweep(other, output=tmp_path / "again")
    assert found.frame["outstanding"][0] == pytest.approx(100, rel=0.02)
    keys = [
        json.loads((tmp_path / name / "points.jsonl").read_text("utf-8"))["key"]
        for name in ("sweep", "again")
    ]
    assert keys[0] != keys[1]


def test_a_sweep_does_not_go_on_with_points_that_were_judged_otherwise(tmp_path):
    given = ScenarioInput(TEXT, BASE, "here", ())
    request = SweepRequest("sweep", given, parse_axes(["array.pool.disks.count=20"]), within=WITHIN)
    run_sweep(request, output=tmp_path / "sweep")
    for other in (replace(WITHIN, limit_s=0.1), replace(WITHIN, requests=2_000), None):
        with refused("changed", tmp_path / "sweep"):
            run_sweep(replace(request, within=other), output=tmp_path / "sweep", resume=True)
    assert run_sweep(request, output=tmp_path / "sweep", resume=True).resumed == 1


def test_the_key_of_a_point_is_that_of_how_it_is_judged():
    judged = [None, WITHIN, replace(WITHIN, limit_s=0.1), replace(WITHIN, tolerance=0.02), RateRequest(0.050)]
    keys = [key_of("files", one) for one in judged]
    assert len(set(keys)) == len(keys)
    assert keys[0] == "files"


def test_a_point_that_cannot_be_run_is_a_record_with_its_reason():
    record = evaluate_point(_task(replace(WITHIN, limit_s=0.0005)), lambda _fraction: None)
    assert record["key"] == "k"
    assert set(record["error"]) == {"code", "place", "message", "hint"}
    assert (record["error"]["code"], record["error"]["place"]) == ("infeasible", TOO_SLOW)


@pytest.mark.parametrize("how", ["as it is", "closed", "open", "family, closed", "family, open", "family"])
def test_a_file_that_is_not_there_is_a_fault_of_the_machine_in_every_task(how):
    from iowatt.emerald.bff import point as family
    from iowatt.emerald.family import EmeraldMetric

    gone = (InputFile("gone.toml", "/nowhere/gone.toml", 1, "0" * 64),)
    within = {"as it is": None, "closed": WITHIN, "open": RateRequest(0.05)}
    metric = EmeraldMetric("RR", "Random read", "random", "IOPS/W")
    ways = {"family, closed": "closed", "family, open": "open", "family": "as-is"}
    with pytest.raises(MachineError):
        if how in within:
            evaluate_point(replace(_task(within[how]), files=gone), lambda _fraction: None)
        else:
            family.evaluate(
                family.Task("k", metric, TEXT, ".", gone, ways[how], 0.05, 0.01, 3_000, 500),
                lambda _fraction: None,
            )


def _task(within: RateRequest | None) -> PointTask:
    (checked,) = prepare.check_points(
        ScenarioInput(TEXT, BASE, "here", ()), parse_axes(["seed=1"]), _points(), own_seeds=False
    )
    return PointTask(
        key="k", document=checked.document, base=".", text=TEXT,
        files=described_files(checked.files),
        bundle=None, command=None, rate=within,
    )  # fmt: skip


def _points():
    from iowatt.evaluate.search.axes import all_points

    return all_points(parse_axes(["seed=1"]))


def test_the_verb_finds_it_too(tmp_path):
    import iowatt
    from iowatt.pages.rate import document

    place = tmp_path / "back-end.toml"
    place.write_text(TEXT, "utf-8")
    page = tmp_path / "page.html"
    answer = iowatt.rate(
        place, "50ms", loop="closed", tolerance=0.01, requests=3_000, warmup_requests=500, output=page
    )
    one = found(WITHIN)
    assert answer.rate_iops == one.rate_iops and answer.outstanding == one.outstanding
    assert answer.at_rate["efficiency.iops_per_w"] == row_at_limit(one)["efficiency.iops_per_w"]
    shown = document(answer)
    assert [headline.key for headline in shown.headlines][:2] == ["rate", "outstanding"]
    assert shown.chart.table.column("Kind") == [point.kind for point in answer.points]
    assert "<html" in page.read_text("utf-8")
