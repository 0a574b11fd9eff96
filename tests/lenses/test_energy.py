"""The energy ledger: exact sums, per request, above idle."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iowatt.lenses.energy import energy, power


def ledger(rows):
    return pl.DataFrame(
        rows, schema={"component": pl.String, "state": pl.String, "energy_j": pl.Float64}, orient="row"
    )


def test_sums_by_state_and_by_component():
    rows = [("a", "active", 1.0), ("a", "idle", 2.0), ("b", "active", 4.0), ("b", "idle", 8.0)]
    found = energy(ledger(rows), {"a": 0.2, "b": 0.5}, 10.0, completions=5, mean_response_s=0.01)
    assert found.total_j == 15
    assert found.by_state_j == {"active": 5, "idle": 10}
    assert found.by_component_j == {"a": 3, "b": 12}
    assert found.per_request_j == 3
    assert found.energy_delay_js == pytest.approx(0.03)
    # (0.2 + 0.5) W for 10 s would have been 7 J.
    assert found.above_idle_j == pytest.approx(8)


@given(st.floats(0.1, 100), st.floats(1e-9, 1e6), st.integers(1, 200))
def test_idle_only_is_exactly_idle_power_times_time(watts, seconds, drives):
    # The ledger holds watts * seconds for each drive; nothing is left above idle, not even rounding.
    rows = [(f"d{i}", "idle", watts * seconds) for i in range(drives)]
    found = energy(ledger(rows), {f"d{i}": watts for i in range(drives)}, seconds, 0, None)
    assert found.above_idle_j == 0
    assert found.total_j == pytest.approx(watts * seconds * drives, rel=1e-15)


def test_no_requests_have_no_energy_per_request():
    found = energy(ledger([("a", "idle", 1.0)]), {"a": 1.0}, 1.0, completions=0, mean_response_s=None)
    assert found.per_request_j is None
    assert found.energy_delay_js is None


def test_many_small_amounts_are_not_lost():
    # 1e16 + 1 is 1e16 in doubles: adding one by one would lose all ten.
    rows = [("a", "active", 1e16)] + [("a", "idle", 1.0)] * 10
    assert energy(ledger(rows), {}, 1.0, 1, 1.0).total_j == 1e16 + 10


def intervals(edges, watts):
    return pl.DataFrame(
        {"start_s": edges[:-1], "end_s": edges[1:], "power_w": watts},
        schema=dict.fromkeys(("start_s", "end_s", "power_w"), pl.Float64),
    )


def test_power_of_a_window():
    found = power(420.0, 10.0, intervals([0, 4, 8, 12], [40.0, None, 44.0]), {"a": 20.0, "b": 19.5})
    assert (found.mean, found.max, found.idle) == (42, 44, 39.5)
    assert found.wall_mean is None
    assert found.wall_max is None


def test_power_without_intervals_or_time():
    none = intervals([0], [])
    assert power(0.0, 0.0, none, {}).mean == 0
    assert power(420.0, 10.0, none, {}).max == 42


def test_the_last_interval_sets_no_record_where_it_is_cut_short():
    # 60 s at 10 W, 60 s at 12 W, and the first second of a third interval at 39 W: 600 + 720 + 39 J.
    found = power(1359.0, 121.0, intervals([0, 60, 120, 121], [10.0, 12.0, 39.0]), {})
    assert found.max == 12
    # With all of the third interval it counts.
    assert power(3660.0, 180.0, intervals([0, 60, 120, 180], [10.0, 12.0, 39.0]), {}).max == 39
    # The only interval counts, however short.
    assert power(39.0, 1.0, intervals([0, 1], [39.0]), {}).max == 39


def test_the_highest_mean_is_never_under_the_mean():
    # 10 s at 10 W and 9 s at 20 W: the window's 280 J / 19 s are a mean over more than an interval.
    found = power(280.0, 19.0, intervals([0, 10, 19], [10.0, 20.0]), {})
    assert found.max == found.mean == 280 / 19
