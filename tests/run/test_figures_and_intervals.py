"""Wherever an interval stands beside a figure, the figure lies within it, or there is no interval."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iowatt.evaluate.search.rate.find import _between as between
from iowatt.evaluate.search.rate.measurement import half_width_s
from iowatt.lenses.compare.metric_verdicts import _interval as beside
from iowatt.pages.cost.page import headlines
from iowatt.run.histogram import Histogram
from iowatt.run.record import ResponseMoments
from iowatt.run.statistics import mean_interval
from iowatt.sources.measured import MeasuredAbout, measured_run
from iowatt.sources.observation import Direction, Interval, Observation
from report.cost_document import cost

START = 1_795_000_000.0
SECONDS = st.floats(1e-6, 1e3)
#: Requests and their mean response time in one interval of a load generator.
PIECES = st.lists(
    st.tuples(st.integers(0, 2000), SECONDS, st.integers(0, 2000), SECONDS), min_size=1, max_size=120
)


def holds(interval, figure):
    """Whether a figure that is a time lies within its interval, or there is none."""
    if interval is None:
        return True
    low, high = interval
    return 0 <= low <= figure * (1 + 1e-9) and figure * (1 - 1e-9) <= high < math.inf


def observed(pieces, tool="fio"):
    made = [
        Interval(START + k, START + k + 1, Direction(reads, reads * 4096, r), Direction(writes, writes, w))
        for k, (reads, r, writes, w) in enumerate(pieces)
    ]
    none = Histogram.of([], [], [])
    return Observation("x", tool, "1", START, START + len(made), made, none, none)


@given(PIECES)
def test_of_a_measured_run(pieces):
    summary = measured_run(MeasuredAbout("x"), observed(pieces), interval_s=1.0).summary
    for times in summary["response_time_ms"].values():
        assert holds(times["mean_ci95"], times["mean"])


def test_of_a_measured_run_whose_slow_requests_come_in_bursts():
    # Each fifth second has 40 times the requests, ten times as slow: 9.2 ms, and 2.8 ms over the seconds.
    rng = np.random.default_rng(2)
    pieces = [
        (800 if k % 5 == 0 else 20, (0.010 if k % 5 == 0 else 0.001) * rng.uniform(0.8, 1.2), 0, 0.0)
        for k in range(100)
    ]
    times = measured_run(MeasuredAbout("x"), observed(pieces), interval_s=1.0).summary["response_time_ms"][
        "all"
    ]
    assert times["mean"] == pytest.approx(9.2, rel=0.05)
    low, high = times["mean_ci95"]
    assert 0.9 * times["mean"] < low < times["mean"] < high < 1.1 * times["mean"]


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=1000))
def test_of_a_simulated_run(response_ns):
    # As the simulator batches them (crates/iowatt-sim, observe::batch).
    sums, size = [], 1
    for at in range(len(response_ns)):
        if (at + 1) % size == 0:
            sums.append(sum(response_ns[at + 1 - size : at + 1]))
        if len(sums) == 64:
            sums, size = [sums[2 * k] + sums[2 * k + 1] for k in range(32)], 2 * size
    mean = sum(response_ns) / len(response_ns) / 1e9
    moments = ResponseMoments.doubling(len(response_ns), mean, 0.0, 0.0, [one / size / 1e9 for one in sums])
    assert sum(count for count, _ in moments.batches) == len(response_ns)
    assert holds(mean_interval(moments.batches).limits, mean)


@given(SECONDS, SECONDS, SECONDS, st.floats(0.5, 1e6))
def test_of_a_comparison(low, high, figure, scale):
    # A printed figure may be a bin beside what its interval lies around, and symmetric limits below zero.
    interval = beside((low - high, low + high), scale, figure * scale, least=0.0)
    assert holds(interval, figure * scale)
    assert beside(None, scale, figure) is None


@given(SECONDS, SECONDS, SECONDS)
def test_of_the_highest_rate(middle, half, crossing):
    assert holds(between(middle, half, crossing), crossing)
    assert between(middle, None, crossing) is None


@given(PIECES)
def test_half_a_width_leaves_a_time(pieces):
    times = measured_run(MeasuredAbout("x"), observed(pieces), interval_s=1.0).summary["response_time_ms"][
        "all"
    ]
    half = half_width_s(times)
    if half is not None:
        assert holds((times["mean"] / 1e3 - half, times["mean"] / 1e3 + half), times["mean"] / 1e3)


def test_a_maximum_of_a_direction_is_unknown_where_only_bins_with_the_warm_up_have_it():
    # vdbench: both directions in one by interval, and a histogram that holds the first, slow one, too.
    pieces = [(100, 0.001, 100, 0.001)] * 12
    found = observed(pieces, "vdbench")
    intervals = [
        dataclasses.replace(part, counted=k > 0, both=Direction(200, 0, 0.001, 0.004 if k else 9.0, 0.0005))
        for k, part in enumerate(found.intervals)
    ]
    bins = Histogram.of([500_000, 8_000_000_000], [2_000_000, 9_000_000_000], [1199, 1])
    found = dataclasses.replace(found, intervals=intervals, read=bins, write=bins)
    times = measured_run(MeasuredAbout("x"), found, interval_s=1.0).summary["response_time_ms"]
    assert (times["all"]["max"], times["all"]["std"]) == pytest.approx((4.0, 0.5))
    for way in ("read", "write"):
        assert times[way]["mean"] == pytest.approx(1.0)
        assert (times[way]["max"], times[way]["std"]) == (None, None)
    # Without a warm-up the bins hold the same requests, and say what they can.
    alike = Histogram.of([500_000], [2_000_000], [1100])
    found = dataclasses.replace(found, read=alike, write=alike)
    times = measured_run(MeasuredAbout("x"), found, interval_s=1.0).summary["response_time_ms"]
    assert times["read"]["max"] == pytest.approx(2.0)


@pytest.mark.parametrize(("usd", "given_range"), [(50.0, False), (150.0, True), (250.0, False)])
def test_of_a_total_cost(usd, given_range):
    # Dollars paid may lie outside the range of their present value, and a figure at the end of its own range.
    found = cost()
    drawn = found.uncertainty.systems[0]
    ends = drawn.quantiles.model_copy(update={"p5": 100.0, "p95": 200.0})
    drawn = drawn.model_copy(update={"quantiles": ends})
    system = found.systems[0].model_copy(update={"usd": usd, "usd_per_usable_tb": None})
    spread = found.uncertainty.model_copy(update={"systems": [drawn]})
    (tile,) = headlines(found.model_copy(update={"systems": [system], "uncertainty": spread}))
    assert ("200.00 USD" in tile.remark) is given_range
