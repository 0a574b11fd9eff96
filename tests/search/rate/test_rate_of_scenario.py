"""The highest rate of scenarios, simulated: queues with known answers, traces, several workloads."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from md1_queue import answer
from station import STATION, found, scenario

from iowatt.evaluate.search.rate import ALL, RateRequest, search_scenario
from iowatt.evaluate.search.rate.load import load_of
from iowatt.evaluate.search.tasks.executor import Cancelled, Threads
from refused import refused

TWO = STATION.replace(
    "[[array.pool]]",
    """[[workload]]
name = "more"
zero_share = 1.0

[workload.profile]
name = "uniform"
rate_iops = 100
duration = "10s"
span = "1GB"
set = ["stream.uniform.read_share=0"]

[[array.pool]]""",
)
TRACED = STATION.replace(
    'profile = { name = "uniform", requests = 4000, span = "1GB", set = ["stream.uniform.read_share=0"] }',
    'trace = { path = "writes.csv" }',
)


@pytest.mark.parametrize("limit", [0.0015, 0.005])
def test_one_station_is_found_at_its_closed_form(limit: float) -> None:
    made = found(RateRequest(limit, replications=3, requests=8000))
    assert made.settled and made.rate_iops == pytest.approx(answer(limit), rel=0.04)
    assert made.crossing_iops == pytest.approx(answer(limit), rel=0.03)
    low, high = made.ci95_iops or (0, 0)
    assert low < made.crossing_iops < high and made.runs == sum(point.runs for point in made.points)
    assert made.points[0].kind == "probe" and made.points[0].achieved == pytest.approx(1000, rel=0.01)
    assert made.run is not None and made.run.summary["requests"]["count"] == pytest.approx(
        made.points[-1].requests, rel=0.05
    )
    assert made.run.summary["response_time_ms"]["all"]["mean"] <= 1.3 * limit * 1e3


def test_the_same_scenario_gives_the_same_answer_and_another_seed_another() -> None:
    request = RateRequest(0.004, start=800, start_error=0.1)
    one, other = found(request), found(request)
    assert replace(one, run=None) == replace(other, run=None)
    assert found(request, overrides=["seed=2"]).crossing_iops != one.crossing_iops
    assert one.points[0].rate == 800  # no probe


def test_the_same_requests_come_at_every_rate() -> None:
    made = found(RateRequest(0.004, start=700))
    assert len({point.requests for point in made.points if point.kind == made.points[-1].kind}) == 1


def test_a_trace_is_replayed_faster_and_read_for_its_pace_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{i * 2000},W,{i * 7919 % 100_000 * 4096},4096" for i in range(3000)]
    (tmp_path / "writes.csv").write_text("\n".join(["time_us,op,offset,size", *rows]) + "\n")
    made = found(RateRequest(0.05), TRACED)
    # Constant gaps: no queue up to the station's own rate, and none that is kept up with beyond.
    assert made.points[0].rate == pytest.approx(500, rel=0.01) and made.points[0].response_s == pytest.approx(
        1e-3
    )
    assert made.rate_iops == pytest.approx(1000, rel=0.03)
    assert made.crossing_iops is None and made.ci95_iops is None
    assert "saturated-beyond" in {note.code for note in made.notes}


def test_a_trace_without_times_gets_the_rate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = ["fio version 2 iolog", "x add", "x open", *(f"x write {i * 4096} 4096" for i in range(3000))]
    (tmp_path / "writes.log").write_text("\n".join(lines) + "\n")
    text = TRACED.replace('"writes.csv"', '"writes.log", format = "fio-iolog", rate_iops = 100')
    assert found(RateRequest(0.05), text).rate_iops == pytest.approx(1000, rel=0.03)


def test_one_of_several_workloads_is_judged_by_its_own_requests() -> None:
    made = found(RateRequest(0.005, workload="zeros", start=700, start_error=0.2), TWO)
    assert made.workloads == ("zeros",)
    assert made.rate_iops == pytest.approx(answer(0.005) - 100, rel=0.08)
    assert made.run is not None and made.run.summary["throughput"]["iops"] > made.rate_iops + 80


def test_all_workloads_are_raised_in_proportion() -> None:
    text = TWO.replace(
        'profile = { name = "uniform", requests', 'profile = { name = "uniform", rate_iops = 300, requests'
    )
    made = found(RateRequest(0.005, workload=ALL, requests=8000), text)
    assert made.workloads == () and made.rate_iops == pytest.approx(answer(0.005), rel=0.06)
    assert made.run is not None
    by_name = {one["name"]: one["requests"]["count"] for one in made.run.summary["workloads"]}
    assert by_name["zeros"] == pytest.approx(3 * by_name["more"], rel=0.1)


def test_warm_up_of_a_scenario_is_a_number_of_requests() -> None:
    text = (
        STATION.replace("requests = 4000", "rate_iops = 400, requests = 4000")
        + '\n[observe]\nwarmup = "5s"\n'
    )
    load = load_of(scenario(text), Path(), text, RateRequest(0.002))
    assert load.lasts(400) == pytest.approx((5.0, 10.0)) and load.lasts(800) == pytest.approx((2.5, 5.0))
    timed = text.replace("requests = 4000", 'duration = "60s"')
    load = load_of(scenario(timed), Path(), timed, RateRequest(0.002))
    assert load.lasts(400) == pytest.approx((5.0, 55.0)) and load.lasts(800) == pytest.approx((5.0, 55.0))
    bare = STATION
    load = load_of(scenario(bare), Path(), bare, RateRequest(0.002))
    assert load.lasts(400) == pytest.approx((1.0, 10.0))
    assert load_of(scenario(bare), Path(), bare, RateRequest(0.002, statistic="p99.9")).lasts(1000)[
        1
    ] == pytest.approx(200)


LOOP = STATION.replace("zero_share = 1.0", 'replay = { mode = "closed", outstanding = 4 }')
OWN_LOOP = STATION.replace(
    '"stream.uniform.read_share=0"', '"arrivals={ law = \\"closed\\", outstanding = 4 }"'
)
IDLE = STATION[: STATION.index("[[workload]]")] + STATION[STATION.index("[[array.pool]]") :]


@pytest.mark.parametrize(
    ("text", "workload", "code", "place"),
    [
        (LOOP, None, "not-applicable", r"^workload\."),
        (OWN_LOOP, None, "not-applicable", r"^workload\."),
        (IDLE, None, "missing", "^scenario "),
        (TWO, None, "ambiguous", "^workload$"),
        (STATION, "zeroes", "unknown-name", "^workload$"),
        (TWO, ALL, "missing", r"^workload\."),
        (TRACED, None, "not-found", r"writes\.csv$"),
        (TRACED.replace("writes.csv", "-"), None, "read-once", "-"),
    ],
)
def test_what_has_no_rate_to_raise_is_refused(
    text: str, workload: str | None, code: str, place: str, *, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with refused(code, re.compile(place)):
        found(RateRequest(0.01, workload=workload), text)


@pytest.mark.parametrize(
    ("given", "code", "place"),
    [
        ({"limit_s": 0.0}, "out-of-range", "within"),
        ({"limit_s": float("nan")}, "out-of-range", "within"),
        ({"limit_s": 0.01, "tolerance": 0.9}, "out-of-range", "tolerance"),
        ({"limit_s": 0.01, "statistic": "median"}, "not-accepted", "of"),
        ({"limit_s": 0.01, "replications": 0}, "out-of-range", "replications"),
        ({"limit_s": 0.01, "requests": 5}, "out-of-range", "requests"),
        ({"limit_s": 0.01, "most_runs": 1}, "out-of-range", "most_runs"),
        ({"limit_s": 0.01, "start": -1.0}, "out-of-range", "start"),
    ],
)
def test_what_is_asked_is_checked(given: dict[str, object], code: str, place: str) -> None:
    with refused(code, place):
        RateRequest(**given)  # type: ignore[arg-type]


def _as_a_task(limit_s: float, report: object) -> float | None:
    return search_scenario(
        scenario(STATION), Path(), STATION, RateRequest(limit_s, start=850), report
    ).rate_iops  # type: ignore[arg-type]


def test_it_is_a_task_of_an_executor_and_can_be_cancelled() -> None:
    heard: list[float] = []
    executor = Threads(2, lambda _ticket, fraction: heard.append(fraction))
    for limit in (0.003, 0.004):
        executor.submit(_as_a_task, limit)
    rates = [done.result for done in executor.as_completed()]
    executor.close()
    assert len(rates) == 2 and all(rates) and all(0 <= fraction < 1 for fraction in heard) and len(heard) > 4

    def cancelled(_fraction: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        _as_a_task(0.003, cancelled)


def test_runs_that_only_fill_a_write_cache_are_told_of() -> None:
    cached = STATION.replace("zero_detect = true", 'cache = { size = "4GiB", write = "back" }')
    request = RateRequest(0.004, start=800, start_error=0.1, requests=2000)
    (note,) = [note for note in found(request, cached).notes if note.code == "cache-not-filled"]
    assert " 8." in note.text and note.decides
    assert "cache-not-filled" not in {note.code for note in found(request).notes}
