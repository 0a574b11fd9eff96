"""The definition of a percentile, and that merging loses nothing."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iowatt.run.histogram import Histogram


def exact(values):
    """One bin per value: percentiles are then those of the values themselves."""
    return Histogram.of(values, values, [1] * len(values))


def test_the_quantile_is_the_value_at_rank_ceil_q_n():
    ten = exact(list(range(1, 11)))
    # Ranks: ceil(.5 x 10) = 5, ceil(.95 x 10) = 10, ceil(.9 x 10) = 9, ceil(.91 x 10) = 10.
    assert [ten.quantile(q) for q in (0.5, 0.95, 0.9, 0.91)] == [5, 10, 9, 10]
    assert ten.quantile(0) == 1
    assert ten.quantile(1) == 10


def test_ranks_are_decimal():
    # 0.07 x 100 is 7.000000000000001 in binary: its ceiling would be 8.
    assert exact(list(range(1, 101))).quantile(0.07) == 7
    assert exact(list(range(1, 10_001))).quantile(0.9999) == 9999


def test_a_rank_has_the_upper_end_of_its_bin():
    bins = Histogram.of([100, 200], [199, 299], [3, 1])
    assert bins.quantile(0.75) == 199
    assert bins.quantile(0.76) == 299


def test_an_empty_histogram_has_no_quantile():
    empty = Histogram.of([], [], [])
    assert empty.quantile(0.5) is None
    assert empty.total == 0
    assert Histogram.merged([]).quantile(0.5) is None
    assert Histogram.of([5], [6], [0]).quantile(0.5) is None


@pytest.mark.parametrize("q", [-0.1, 1.1, math.nan])
def test_a_share_outside_0_and_1_is_refused(q):
    with pytest.raises(ValueError):
        exact([1]).quantile(q)


values = st.lists(st.integers(0, 2**40), min_size=1, max_size=200)


@given(values, st.sampled_from([0.0, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0]))
def test_exact_bins_give_the_order_statistic(sample, q):
    rank = max(1, math.ceil(round(q * len(sample), 9)))
    assert exact(sample).quantile(q) == sorted(sample)[rank - 1]


@given(st.lists(values, max_size=6))
def test_merging_is_counting_together(parts):
    merged = Histogram.merged(exact(part) for part in parts)
    together = exact([value for part in parts for value in part])
    assert np.array_equal(merged.high_ns, together.high_ns)
    assert np.array_equal(merged.count, together.count)
    assert merged.total == sum(map(len, parts))


def test_a_table_of_bins_in_any_order_is_one_histogram():
    table = pl.DataFrame({"low_ns": [20, 10, 20], "high_ns": [29, 19, 29], "count": [1, 2, 4]})
    found = Histogram.from_table(table)
    assert found.high_ns.tolist() == [19, 29]
    assert found.count.tolist() == [2, 5]
