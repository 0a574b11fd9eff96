"""Bins, percentiles and shares of a comparison, held against single requests."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import compared_runs as made
from iowatt.lenses.compare import response
from iowatt.lenses.compare.measurement import sides
from iowatt.lenses.compare.request import CompareRequest
from iowatt.run.histogram import PERCENTILES, Histogram

TIMES = st.lists(st.integers(1, 20_000_000_000), min_size=1, max_size=200)


def exact(ns):
    return Histogram.of(ns, ns, np.ones(len(ns), dtype=int))


@given(TIMES, st.sampled_from(response.SCALES))
def test_every_request_is_in_the_bin_that_its_time_says(ns, scale):
    counted = response.counted(exact(ns), scale)
    edges = [0, *scale.edges_ns, math.inf]
    direct = [sum(low < value <= high for value in ns) for low, high in pairwise(edges)]
    assert counted.counts == direct and counted.straddling == 0


@given(TIMES, st.sampled_from(response.SCALES), st.integers(2, 3_000_000))
def test_bins_over_an_edge_count_by_their_upper_end_and_are_told(ns, scale, width):
    low = np.asarray(ns) // width * width
    wide = Histogram.of(low, low + width - 1, np.ones(len(ns), dtype=int))
    counted = response.counted(wide, scale)
    assert sum(counted.counts) == len(ns)
    crossing = [
        at for at in low if any(at <= edge < at + width - 1 for edge in scale.edges_ns)
    ]  # the upper end lies beyond an edge that the lower does not
    assert counted.straddling == len(crossing)


def test_the_buckets_of_array_reporters_are_doublings_of_an_eighth_of_a_millisecond():
    assert [edge / 1e6 for edge in response.ARRAY.edges_ns[:6]] == [0.125, 0.25, 0.5, 1, 2, 4]
    assert [edge / 1e3 for edge in response.POWERS.edges_ns[:5]] == [1, 2, 4, 8, 16]


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=60), st.integers(1, 10**9))
def test_the_share_over_a_threshold(ns, threshold):
    found = response.over(exact(ns), threshold / 1e9)
    assert found.requests == sum(value > threshold for value in ns)
    assert found.share == pytest.approx(found.requests / len(ns))


@given(st.integers(1, 100_000), st.sampled_from(list(PERCENTILES.values())))
def test_what_lies_beyond_a_percentile_is_what_its_rank_leaves(total, q):
    ns = np.arange(1, min(total, 2000) + 1)
    assert response.beyond(ns.size, q) == int((ns > exact(ns).quantile(q)).sum())


def draws(seed, scale=1.0, size=4000):
    return scale * np.random.default_rng(seed).lognormal(0.0, 0.8, size)


def side_of(*runs, **asked):
    return sides(CompareRequest(list(runs), list(runs), **asked))[0]


def test_percentiles_of_one_run_are_those_of_its_own_report():
    run = made.build(draws(1))
    found = response.percentiles(side_of(run))
    times = run.summary["response_time_ms"]["all"]
    for name, key in (("p50", "p50"), ("p99", "p99"), ("p99.9", "p999"), ("p99.99", "p9999"), ("max", "max")):
        assert found.named(name) == times[key]
    assert found.mean == times["mean"]


def test_repeated_runs_are_merged_and_their_percentiles_not_averaged():
    slow, fast = draws(1, 10.0, 1000), draws(2, 1.0, 9000)
    found = response.percentiles(side_of(made.build(slow), made.build(fast, seed=2)))
    together = np.sort(np.concatenate([slow, fast]))
    for name, q in PERCENTILES.items():
        assert found.named(name) == pytest.approx(together[math.ceil(q * together.size) - 1], rel=2e-3)
    assert found.mean == pytest.approx(together.mean(), rel=1e-6)
    averaged = (np.quantile(slow, 0.99) + np.quantile(fast, 0.99)) / 2
    assert abs(found.p99 / averaged - 1) > 0.1
    assert found.beyond["p99"] == 100


@pytest.mark.parametrize(("op", "code"), [("read", 0), ("write", 1)])
def test_one_direction_alone(op, code):
    ms, writes = draws(3), np.arange(4000) % 4 == 0
    side = side_of(made.build(ms, writes=writes), op=op)
    mine = ms[writes == bool(code)]
    assert (side.requests, side.histogram.total) == (mine.size, mine.size)
    assert side.mean_ms == pytest.approx(mine.mean(), rel=1e-6)
    assert side.iops == pytest.approx(mine.size / 100.0)
    assert side.mib_per_s == pytest.approx(mine.size * made.BYTES / 100.0 / 2**20)


def test_another_point_comes_from_the_series():
    ms = draws(4)
    run = made.build(ms, points=("host", "array"))
    host, array = side_of(run), side_of(run, point="array")
    assert array.requests == host.requests
    assert array.mean_ms == pytest.approx(host.mean_ms / 2, rel=1e-5)
    assert array.max_ms == pytest.approx(host.max_ms / 2, rel=1e-5)
    half = response.percentiles(array).p99 / response.percentiles(host).p99
    assert half == pytest.approx(0.5, rel=5e-3)


def test_a_curve_ends_at_all_requests_and_only_rises():
    points = side_of(made.build(draws(5))).histogram.curve()
    assert points[-1][1:] == (1.0, 0.0)
    assert all(one[0] < other[0] and one[1] <= other[1] for one, other in pairwise(points))


def test_bins_of_both_sides_stand_side_by_side():
    one, other = made.build(np.full(100, 0.2)), made.build(np.full(50, 3.0))
    found = response.histograms(sides(CompareRequest([one], [other])))
    array = next(scale for scale in found if scale.scale == "array")
    assert [(row.over_ms, row.to_ms) for row in array.bins] == [
        (0.125, 0.25), (0.25, 0.5), (0.5, 1.0), (1.0, 2.0), (2.0, 4.0),
    ]  # fmt: skip
    assert [row.before.share for row in array.bins] == [1, 0, 0, 0, 0]
    assert [row.after.share_to for row in array.bins] == [0, 0, 0, 0, 1]
