"""Load curves: the load is what was asked for, and what cannot keep up is said so."""

from __future__ import annotations

import pytest

import iowatt
from iowatt.evaluate.search.curve import numbers
from iowatt.pages.sweep import curve_figures
from iowatt.pages.sweep.curve_figures import LoadCurve
from refused import refused

PROFILE = 'trace = { path = "small.csv" }'
MEAN = "response_time_ms.all.mean"


def with_profile(scenario, text):
    scenario.write_text(scenario.read_text().replace(PROFILE, f"profile = {text}"))


def test_the_rate_of_a_trace_is_set_by_its_speed(scenario):
    frame = iowatt.curve(scenario, rates=[25, 50, 100])
    assert frame["rate_iops"].to_list() == [25.0, 50.0, 100.0]
    # 400 requests, 399 gaps of 10 ms at 100 per second.
    assert frame["window.last_arrival_s"].to_list() == pytest.approx([399 / 25, 399 / 50, 399 / 100])
    assert not any(frame["overloaded"])
    assert frame[MEAN].is_sorted()


def test_a_load_beyond_what_the_drives_can_do_is_overloaded(scenario):
    frame = iowatt.curve(scenario, rates="100,5000")
    assert frame["overloaded"].to_list() == [False, True]
    curve = LoadCurve(frame, "rate_iops")
    drawn = {figure.key: figure for figure in curve_figures.figures(curve)}
    response = drawn["response"]
    lines = [t for t in response.spec["data"] if "lines" in t["mode"]]
    assert all(t["x"] == [100.0] for t in lines)
    (crosses,) = [t for t in response.spec["data"] if t["mode"] == "markers"]
    assert crosses["x"] == [5000.0]
    assert response.table.column("Verdict") == ["steady", "overloaded"]
    assert response.table.column("Mean")[1] is None
    (shape,) = response.spec["layout"]["shapes"]
    assert 100 < shape["x0"] < 5000


def test_the_mean_has_its_confidence_interval(scenario):
    frame = iowatt.curve(scenario, rates=[50, 100])
    (mean,) = [
        t
        for t in {f.key: f for f in curve_figures.figures(LoadCurve(frame, "rate_iops"))}["response"].spec[
            "data"
        ]
        if t["name"] == "Mean"
    ]
    for at, row in enumerate(frame.iter_rows(named=True)):
        assert mean["y"][at] - mean["error_y"]["arrayminus"][at] == pytest.approx(row[f"{MEAN}_ci95.low"])
        assert mean["y"][at] + mean["error_y"]["array"][at] == pytest.approx(row[f"{MEAN}_ci95.high"])


def test_a_closed_loop_keeps_as_many_outstanding(scenario):
    frame = iowatt.curve(scenario, outstanding=[1, 2, 4])
    assert frame["outstanding"].to_list() == [1, 2, 4]
    for row in frame.iter_rows(named=True):
        # Little's law: outstanding = throughput x response time; the end, where it drains, is a little less.
        in_flight = row["throughput.iops"] * row[MEAN] / 1e3
        assert in_flight == pytest.approx(row["outstanding"], rel=0.03)
    assert not any(frame["overloaded"])
    assert frame["throughput.iops"].is_sorted()


def test_a_closed_replay_keeps_its_think_time(scenario):
    closed = '{ mode = "closed", outstanding = 1, think = "100ms", think_law = "fixed" }'
    given = scenario.read_text().replace(PROFILE, f"{PROFILE}\nreplay = {closed}")
    scenario.write_text(given)
    frame = iowatt.curve(scenario, outstanding=[1])
    assert frame["throughput.iops"][0] < 10


def test_the_rate_of_a_profile_is_its_own_key(scenario):
    with_profile(scenario, '{ name = "uniform", duration = "5s", span = "10GB" }')
    frame = iowatt.curve(scenario, rates=[20, 60])
    offered = (frame["requests.count"] / 5).to_list()
    assert offered == pytest.approx([20, 60], rel=0.5)
    assert offered[0] < offered[1]


def test_a_trace_without_times_gets_its_rate(scenario, tmp_path):
    (tmp_path / "order.lis").write_text("".join(f"{i * 7919 % 1000} 8 0 {i}\n" for i in range(100)))
    text = scenario.read_text().replace("small.csv", "order.lis")
    scenario.write_text(text.replace('"order.lis" }', '"order.lis", format = "arc", rate_iops = 1 }'))
    frame = iowatt.curve(scenario, rates=[50])
    assert frame["window.last_arrival_s"][0] == pytest.approx(99 * 8 / 50, rel=0.9)
    assert frame["status"][0] == "done"


@pytest.mark.parametrize(
    ("options", "code", "place"),
    [
        ({}, "missing", "rates"),
        ({"rates": [1], "outstanding": [1]}, "conflict", "rates"),
        ({"rates": "0"}, "out-of-range", "rates: 0"),
        ({"rates": "x"}, "bad-syntax", "rates: x"),
        ({"rates": "5,5"}, "duplicate", "rates: 5,5"),
        ({"outstanding": "1.5"}, "wrong-type", "outstanding"),
        ({"rates": "10", "workload": "otlp"}, "unknown-name", "workload"),
    ],
)
def test_what_does_not_fit_is_refused(scenario, options, code, place):
    with refused(code, place):
        iowatt.curve(scenario, **options)


def test_a_closed_profile_has_no_rate(scenario, tmp_path):
    (tmp_path / "loop.toml").write_text(
        'schema = "iowatt.profile/1"\nname = "loop"\ntitle = "A loop"\n'
        '[arrivals]\nlaw = "closed"\noutstanding = 4\n'
        '[[stream]]\nname = "s"\nshare = 100\nread_share = 100\nsize = "4KiB"\n'
        'access = { pattern = "uniform" }\n'
    )
    with_profile(scenario, '{ name = "loop.toml", requests = 200, span = "10GB" }')
    with refused("not-applicable", "rates"):
        iowatt.curve(scenario, rates=[5])
    frame = iowatt.curve(scenario, outstanding=[1, 8])
    assert frame["throughput.iops"].is_sorted()


def test_several_workloads_need_a_name(scenario):
    scenario.write_text(
        scenario.read_text()
        + '\n[[workload]]\nname = "other"\nvolume = "db"\ntrace = { path = "small.csv" }\n'
    )
    with refused("ambiguous", "workload") as caught:
        iowatt.curve(scenario, rates=[10])
    assert {"oltp,", "other"} <= set(caught.value.hint.split())
    frame = iowatt.curve(scenario, rates=[10, 20], workload="other")
    assert frame["workloads.other.requests.count"].to_list() == [400, 400]


def test_loads_come_in_rising_order():
    assert numbers("8,1..3", "rates") == [1.0, 2.0, 3.0, 8.0]
    assert numbers([0.5, 4], "rates") == [0.5, 4.0]


def row(load, iops, mean):
    return {"load": load, "throughput.iops": iops, MEAN: mean}


def test_the_knee_has_the_most_throughput_per_response_time():
    curve = LoadCurve.__new__(LoadCurve)
    curve.load = "load"
    curve.steady = [row(1, 100, 10.0), row(2, 190, 11.0), row(3, 220, 20.0)]
    assert curve.knee()["load"] == 2
    curve.steady = curve.steady[:2]
    assert curve.knee() is None
