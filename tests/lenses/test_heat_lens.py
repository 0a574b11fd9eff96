"""The heat lens against figures worked out by hand, published points of the skew law, and laws for any."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from heat_runs import MIB, run_of
from hypothesis import given, settings
from hypothesis import strategies as st

from iowatt.lenses.heat import analyse, of_run, skew
from iowatt.pages.heat import figures
from refused import refused

#: Two extents hot, one warm, one with writes only, of ten; the first period has all of the second extent's.
ROWS = [
    ("front", "db", 0, 0.0, 30, 0),
    ("front", "db", 0, 10.0, 30, 0),
    ("front", "db", 3, 0.0, 20, 0),
    ("front", "db", 5, 10.0, 5, 5),
    ("front", "db", 9, 10.0, 0, 10),
    ("back", "disks", 0, 0.0, 10, 0),
    ("back", "disks", 9, 10.0, 0, 10),
]
SPACES = {("front", "db"): 10 * MIB, ("back", "disks"): 20 * MIB}


def found(**more):
    return analyse(of_run(run_of(ROWS, SPACES, **more)), "made", over="capacity")


def test_counts_density_and_curve_by_hand():
    front, back = found().points
    assert (front.reads, front.writes, front.iops) == (85, 15, 1.0)
    assert front.iops_per_gb == pytest.approx(1.0 / (10 * MIB / 1e9))
    assert (front.extents, front.touched_extents, back.extents) == (10, 4, 20)
    hottest = {row.space_share: row.io_share for row in front.skew.hottest}
    # 60, 20, 10 and 10 of 100 requests on one extent of ten each.
    assert hottest[0.10] == pytest.approx(0.6)
    assert hottest[0.20] == pytest.approx(0.8)
    assert hottest[0.05] == pytest.approx(0.3)
    # Twice the area under 0, .6, .8, .9, 1, 1 ... less 1.
    area = 0.1 * (0.3 + 0.7 + 0.85 + 0.95 + 6 * 1.0)
    assert front.skew.gini == pytest.approx(2 * area - 1)
    # 0.8 + 0.2 = 1: 80/20.
    assert front.skew.skew_point.as_dict() == pytest.approx({"io_share": 0.8, "space_share": 0.2})
    assert found().behind_cache.as_dict() == pytest.approx(
        {"io": 0.2, "reads": 10 / 85, "writes": 10 / 15, "bytes_read": 10 / 85, "bytes_written": 10 / 15}
    )


def test_reads_against_writes_by_hand():
    front = found().points[0]
    rows = {row.space_share: row for row in front.directions}
    assert rows[0.10].read_share == pytest.approx(60 / 85)
    assert rows[0.10].write_share == 0.0
    assert rows[0.5].write_share == pytest.approx(1.0)
    assert rows[1.0].writes_of_io == pytest.approx(0.15)


def test_address_and_time_by_hand():
    front = found(duration_s=20.0).points[0]
    bands = front.density_by_address
    gigabytes = MIB / 1e9
    assert len(bands) == 10
    assert bands[0].read_iops_per_gb == pytest.approx(60 / 20 / gigabytes)
    assert bands[9].write_iops_per_gb == pytest.approx(10 / 20 / gigabytes)
    picture = front.over_time
    assert picture.start_s == [0.0, 10.0]
    assert (picture.end_s, picture.end_gb) == (20.0, pytest.approx(10 * gigabytes))
    assert picture.iops_per_gb[0] == pytest.approx([3.0 / gigabytes, 3.0 / gigabytes])
    assert picture.iops_per_gb[3] == [pytest.approx(2.0 / gigabytes), None]
    assert picture.iops_per_gb[1] == [None, None]


def test_stability_by_hand():
    # One extent of ten is hot: number 0 in both periods, with 30 of 50 requests and 30 of 50.
    told = found(duration_s=20.0).points[0].stability
    assert (told.hot_extents, told.periods, told.period_s) == (1, 2, 10.0)
    assert told.caught == told.possible == told.whole == pytest.approx(0.6)
    assert told.kept == 1.0
    # It moves: what was hot takes nothing of what comes.
    moving = [("front", "db", at, 10.0 * at, 10, 0) for at in range(4)]
    (front,) = analyse(
        of_run(run_of(moving, {("front", "db"): 10 * MIB}, duration_s=40.0)), "moving", over="capacity"
    ).points
    told = front.stability
    assert (told.caught, told.possible, told.kept) == (0.0, 1.0, 0.0)
    assert told.whole == pytest.approx(0.25)


def test_shares_are_of_what_was_touched_where_little_was():
    told = analyse(of_run(run_of(ROWS, SPACES)), "made")
    assert told.shares_over == "touched"
    front = told.points[0]
    # 60 of 100 on the first of four.
    assert front.skew.hottest[-1].io_share == pytest.approx(0.8 * 0.6)
    full = [("front", "db", at, 0.0, 1, 0) for at in range(6)]
    assert analyse(of_run(run_of(full, {("front", "db"): 10 * MIB})), "made").shares_over == "capacity"


def test_the_last_extent_may_be_short():
    rows = [("front", "db", at, 0.0, 10, 0) for at in range(3)]
    (front,) = analyse(
        of_run(run_of(rows, {("front", "db"): 2 * MIB + MIB // 2})), "made", over="capacity"
    ).points
    # The half extent is twice as dense, and comes first.
    assert front.curve.io_share[-1] == 1.0
    assert front.skew.hottest[-1].io_share == pytest.approx(1 / 3)


# Levels of Disk Magic and the skew points that follow (share of I/O, of space, in percent; 62/38 for k = 2 as
# rounded).
@pytest.mark.parametrize(
    ("k", "io", "space"),
    [(2, 61.8, 38.2), (3.5, 70.5, 29.5), (7, 79.7, 20.3), (14, 86.6, 13.4), (24, 90.6, 9.4)],
)
def test_the_law_is_found_again(k, io, space):
    number = 2_000
    edges = np.linspace(0, 1, number + 1)
    requests = np.diff(skew.skew_law(k, edges)) * 1e9
    size = np.full(number, float(MIB))
    curve = skew.curve(requests, size, float(size.sum()), skew.order(requests, size))
    told = skew.figures(curve, float(requests.mean()))
    assert told.law.k == pytest.approx(k, rel=1e-3)
    assert told.law.max_error < 1e-3
    assert 100 * told.skew_point.io_share == pytest.approx(io, abs=0.1)
    assert 100 * told.skew_point.space_share == pytest.approx(space, abs=0.1)
    # 2 integral of f - 1 = (k - 1) / (k + 1)
    assert told.gini == pytest.approx((k - 1) / (k + 1), abs=1e-3)


def test_shares_of_the_law_as_published():
    for k, shares in ((7, (0.192, 0.302, 0.522, 0.790)), (14, (0.347, 0.512, 0.771, 0.956))):
        assert skew.skew_law(k, np.array([0.03, 0.05, 0.10, 0.20])) == pytest.approx(shares, abs=6e-4)


@pytest.mark.parametrize("mean", [0.2, 1.0, 5.0, 40.0, 900.0])
def test_chance_shows_as_much_skew_as_is_said(mean):
    drawn = np.random.default_rng(5).poisson(mean, 100_000).astype(float)
    size = np.ones(len(drawn))
    curve = skew.curve(drawn, size, float(len(drawn)), skew.order(drawn, size))
    told = skew.figures(curve, mean)
    assert told.gini == pytest.approx(told.gini_by_chance, rel=0.02)


def test_chance_at_great_means_goes_on_where_the_sum_ends():
    assert skew.gini_by_chance(1.0001e4) == pytest.approx(skew.gini_by_chance(0.9999e4), rel=1e-3)
    assert skew.gini_by_chance(0.0) == 0.0


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([("front", "a"), ("front", "b"), ("back", "p")]),
            st.integers(0, 30),
            st.integers(0, 9),
            st.integers(0, 50),
            st.integers(0, 50),
        ),
        min_size=1,
        max_size=60,
    ),
    st.sampled_from(["auto", "capacity", "touched"]),
)
def test_laws_that_hold_for_any_heat(cells, over):
    rows = [(*where, extent, 10.0 * period, reads, writes) for where, extent, period, reads, writes in cells]
    spaces = {("front", "a"): 31 * MIB, ("front", "b"): 31 * MIB - 5, ("back", "p"): 100 * MIB}
    told = analyse(of_run(run_of(rows, spaces)), "made", over=over)
    for point in told.points:
        own = [row for row in rows if row[0] == point.point]
        assert point.reads + point.writes == sum(row[4] + row[5] for row in own)
        io = point.curve.io_share
        assert all(later >= sooner - 1e-12 for sooner, later in pairwise(io))
        assert all(share >= space - 1e-9 for space, share in zip(point.curve.space_share, io, strict=True))
        assert 0 <= point.skew.gini <= 1
        density = sum(
            (band.read_iops_per_gb + band.write_iops_per_gb) * (band.until_gb - band.from_gb)
            for band in point.density_by_address
        )
        assert density == pytest.approx(point.iops)
        if point.stability is not None:
            assert point.stability.caught <= point.stability.possible + 1e-12
        assert math.isclose(sum(space.iops for space in point.spaces), point.iops, abs_tol=1e-9)


def test_no_request_is_an_error():
    with refused("empty", "made"):
        analyse(of_run(run_of([], {("front", "db"): MIB})), "made")


def test_the_density_is_drawn_from_the_first_step_on():
    given = found()
    drawn = figures.density(given)
    for point, trace in zip(given.points, drawn.spec["data"], strict=True):
        told = point.density_sorted
        assert trace["line"]["shape"] == "vh"
        assert trace["x"] == pytest.approx([0.0, *(100 * share for share in told.space_share)])
        # The hottest extent's density from 0 to its own share: a tenth of db, a twentieth of disks.
        assert trace["y"][:2] == [told.iops_per_gb[0]] * 2
        assert trace["x"][1] == pytest.approx(100 * MIB / point.capacity_bytes)
        assert trace["y"][1:] == pytest.approx(told.iops_per_gb)
