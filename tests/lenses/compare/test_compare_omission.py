"""Coordinated omission: which Runs have it, and the correction against one request after another."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import compared_runs as made
from iowatt.base.errors import Argument
from iowatt.lenses.compare.measurement import Loop, loop_of, sides
from iowatt.lenses.compare.omission import corrected, described, expected
from iowatt.lenses.compare.request import CompareRequest
from iowatt.run.histogram import Histogram
from refused import refused


def put_back(values, interval):
    """The rule itself: v, v - I, v - 2 I ... down to I."""
    found = []
    for value in values:
        found.append(value)
        waited = value - interval
        while waited >= interval:
            found.append(waited)
            waited -= interval
    return np.sort(found)


@given(st.lists(st.integers(1_000, 40_000_000), min_size=1, max_size=40), st.integers(500_000, 3_000_000))
def test_the_correction_is_the_rule_within_half_a_percent(ns, interval):
    found = corrected(Histogram.of(ns, ns, np.ones(len(ns), dtype=int)), interval / 1e9)
    wanted = put_back(ns, interval)
    assert found.total == wanted.size
    for q in (0.1, 0.5, 0.9, 0.99):
        rank = wanted[max(1, int(np.ceil(round(q * wanted.size, 9)))) - 1]
        assert rank * (1 - 1e-6) - 1 <= found.quantile(q) <= rank * 1.0055 + 1


def test_what_is_never_slow_is_not_corrected():
    histogram = Histogram.of([10, 20], [10, 20], [5, 5])
    assert corrected(histogram, 11e-9) is histogram


def test_an_interval_that_no_count_can_hold_is_refused():
    with refused("out-of-range", Argument("expected_interval")):
        corrected(Histogram.of([10**12], [10**12], [10**9]), 1e-9)


def driver(asked):
    return made.load_generator(asked, 100.0)


def measured(asked, plan=None):
    return made.build(
        np.ones(500), source="fio", driver=driver(asked), plan={"measured": plan or {"target": "file"}}
    )


@pytest.mark.parametrize(
    ("run", "kind", "waits"),
    [
        (made.build(np.ones(100)), "open", False),
        (made.build(np.ones(100), replay=made.closed(8, 0.002)), "closed", True),
        (measured(None), "closed", True),
        (measured(500.0), "rate-limited", True),
        (made.build(np.ones(100), source="replay", plan={"measured": {"depth": 64}}), "replayed", False),
        (made.build(np.ones(100), source="trace", plan={}), "recorded", False),
    ],
)
def test_whose_loop_is_what(run, kind, waits):
    loop = loop_of(run, None)
    assert (loop.kind, loop.waits) == (kind, waits)


def test_a_closed_loop_says_its_outstanding_requests_and_think_time():
    loop = loop_of(made.build(np.ones(100), replay=made.closed(8, 0.002)), "oltp")
    assert (loop.outstanding, loop.think_s) == (8, 0.002)
    assert "8" in loop.said and "2 ms" in loop.said


def of(run, **asked):
    given = CompareRequest([run], [run], **asked)
    return described(sides(given)[0], given)


def test_an_open_loop_left_nothing_out():
    found = of(made.build(np.ones(100)))
    assert (found.modelled, found.loop, found.waits) == (None, "open", False) and found.why_not


def test_a_stall_of_a_closed_loop_is_put_back():
    # One outstanding: 9,900 requests of 1 ms, and one that took 10 s. The mean cycle is 2.01 ms.
    ms = np.append(np.ones(9900), 10_000.0)
    found = of(made.build(ms, replay=made.closed(1)))
    interval = ms.mean()
    assert found.expected_interval_ms == [pytest.approx(interval)]
    modelled = found.modelled
    assert modelled.added == pytest.approx(10_000 / interval - 1, rel=2e-3)  # by the end of its bin
    # As observed the stall is one request of 9,901; with what it kept back it is a third of all.
    assert modelled.observed["p99"] == pytest.approx(1.0, rel=2e-3)
    assert modelled.corrected["p99"] == pytest.approx(9700, rel=0.01)
    assert modelled.observed["p50"] == modelled.corrected["p50"]


def test_think_time_is_part_of_the_cycle():
    found = of(made.build(np.full(100, 4.0), replay=made.closed(2, 0.006)))
    assert found.expected_interval_ms == [pytest.approx(10.0)]


def test_a_rate_is_corrected_where_the_outstanding_requests_are_known():
    found = of(measured(500.0))
    assert found.modelled is None and "expected_interval" in found.why_not
    found = of(measured(500.0, {"outstanding": 4}))
    assert found.expected_interval_ms == [pytest.approx(8.0)]
    assert of(measured(500.0), expected_interval_s=0.001).modelled is not None


def test_corrections_are_of_the_host_alone():
    run = made.build(np.ones(100), replay=made.closed(1), points=("host", "array"))
    assert of(run).modelled is not None
    found = of(run, point="array")
    assert found.modelled is None and "array" in found.why_not


def test_what_a_measured_driver_did_between_two_requests_is_in_its_rate():
    loop = Loop("closed", "fio", outstanding=2)
    assert expected(loop, 0.05, None, 7_500.0).interval_s == pytest.approx(2 / 7_500)
    assert expected(loop, 0.05, None).interval_s == pytest.approx(50e-6), "a loop that does nothing between"
