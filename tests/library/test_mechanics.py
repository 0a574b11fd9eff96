"""Seek curves and zones from the figures of data sheets."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iowatt.model.library.mechanics import (
    TrackZone,
    average_seek,
    linear_zones,
    seek_time,
    sequential_rate,
    three_point_curve,
)
from refused import refused


def test_the_three_points_are_on_the_curve():
    curve = three_point_curve(1.0e-3, 9.0e-3, 17.0e-3, 10_000)
    assert curve[0] == (1, 1.0e-3)
    assert curve[-1][0] == 9_999
    # The formula reaches the full stroke at distance N + 1; N - 1 is two cylinders short of it.
    assert curve[-1][1] == pytest.approx(17.0e-3, rel=1e-3)
    assert average_seek(curve, 10_000) == pytest.approx(9.0e-3, rel=1e-3)


def test_the_curve_by_hand():
    # N = 100: a = (-10 + 15 x 9 - 5 x 17) / (3 x 10) = 40 / 30 ms, b = (7 - 135 + 136) / 300 = 8 / 300 ms.
    # Distance 26: 4/3 x 5 + 8/300 x 25 + 1 = 6.6667 + 0.6667 + 1 = 8.3333 ms.
    curve = dict(three_point_curve(1e-3, 9e-3, 17e-3, 100))
    assert curve[26] == pytest.approx(8.3333e-3, rel=1e-4)


@given(st.floats(0.3, 2), st.floats(0.35, 0.6), st.floats(8, 25), st.integers(500, 400_000))
def test_thinned_curves_stay_on_the_formula(single, share, full, cylinders):
    single_s, full_s = single * 1e-3, full * 1e-3
    average_s = single_s + share * (full_s - single_s)
    n = cylinders
    a = (-10 * single_s + 15 * average_s - 5 * full_s) / (3 * math.sqrt(n))
    b = (7 * single_s - 15 * average_s + 8 * full_s) / (3 * n)
    curve = three_point_curve(single_s, average_s, full_s, cylinders)
    for distance in {2, 37, 60, 61, n // 3, n // 2, n - 2}:
        exact = a * math.sqrt(distance - 1) + b * (distance - 1) + single_s
        assert seek_time(curve, distance) == pytest.approx(exact, rel=1e-3)


def test_figures_that_no_rising_curve_has():
    # An average far above half of the full stroke would need a curve that falls again.
    with refused("infeasible", None):
        three_point_curve(1e-3, 16e-3, 17e-3, 1000)


def test_interpolation_and_its_ends():
    curve = ((1, 1.0), (11, 2.0), (21, 4.0))
    assert [seek_time(curve, d) for d in (0, 1, 6, 11, 16, 21, 99)] == [0.0, 1.0, 1.5, 2.0, 3.0, 4.0, 4.0]


def test_the_average_by_hand():
    # 3 cylinders: of 9 pairs 3 are equal, 4 are one apart (1 s), 2 are two apart (4 s): 12 / 9.
    assert average_seek(((1, 1.0), (2, 4.0)), 3) == pytest.approx(12 / 9)
    assert average_seek(((1, 1.0),), 1) == 0.0


def test_the_average_of_many_cylinders():
    # t(x) = x: the mean distance of random pairs is (N^2 - 1) / 3N.
    n = 300_000
    assert average_seek(((1, 1.0), (n - 1, n - 1.0)), n) == pytest.approx((n * n - 1) / (3 * n), rel=1e-5)


@given(
    st.integers(1, 10**9), st.integers(1, 20), st.integers(100, 4000), st.floats(0.3, 1), st.integers(1, 40)
)
def test_zones_hold_the_sectors_and_little_more(sectors, surfaces, outer, share, count):
    inner = max(1, round(outer * share))
    zones = linear_zones(
        sectors,
        surfaces,
        outer_spt=outer,
        inner_spt=inner,
        zone_count=count,
        track_skew_turns=0.1,
        cylinder_skew_turns=0.2,
    )
    held = surfaces * sum(z.cylinders * z.sectors_per_track for z in zones)
    assert sectors <= held < sectors + surfaces * sum(z.sectors_per_track for z in zones)
    spts = [z.sectors_per_track for z in zones]
    assert spts[0] == outer
    assert spts == sorted(spts, reverse=True)
    assert all(z.track_skew >= 0.1 * z.sectors_per_track for z in zones)


def test_the_sequential_rate_by_hand():
    # 6,000 rpm = 100 turns/s. A cylinder: 2 x 100 sectors of 512 B in 2 + (10 + 20) / 100 = 2.3 turns.
    zone = TrackZone(cylinders=5, sectors_per_track=100, track_skew=10, cylinder_skew=20)
    assert sequential_rate(zone, 6000, 512, 2) == pytest.approx(200 * 512 * 100 / 2.3)
