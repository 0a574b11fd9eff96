"""The power of a start: worked examples, and a schedule summed drive by drive."""

from __future__ import annotations

import numpy as np
import pytest
from arrays import array, drives, part, supplies
from hypothesis import given
from hypothesis import strategies as st

from iowatt.model.power.spin_up import MOST_POINTS, missing, spin_up


def test_all_at_once():
    start = spin_up(array())
    assert start.timed
    assert start.at.tolist() == [0, 5]
    assert start.wall_w.tolist() == [8 * 30, 8 * 10]


def test_one_group_after_another_per_enclosure():
    # Two shelves of four, each starts two at a time: 4 x 30 + 4 x 2, then 4 x 10 + 4 x 30.
    start = spin_up(array(stagger=(2, None, False)))
    assert start.at.tolist() == [0, 5, 10]
    assert start.wall_w.tolist() == [128, 160, 80]
    assert start.peak_w == 160


def test_one_group_after_another_in_the_array():
    start = spin_up(array(stagger=(2, None, True)))
    assert start.wall_w.tolist() == [60 + 12, 20 + 60 + 8, 40 + 60 + 4, 60 + 60, 80]


def test_starts_that_overlap():
    # Every 2 s one of two drives that take 5 s: 2 s alone, 3 s both.
    start = spin_up(array([drives(2)], stagger=(1, 2.0, True)))
    assert list(zip(start.at, start.wall_w, strict=True)) == [(0, 32), (2, 60), (5, 40), (7, 20)]


def test_parts_and_supplies_count():
    plan = array(parts=[part(idle_w=20.0, active_w=90.0, law="charging")], feed=supplies(500, 0.8))
    assert spin_up(plan).peak_w == pytest.approx((8 * 30 + 2 * 20) / 0.8)
    direct = array(parts=[part(idle_w=20.0, active_w=20.0, at_wall=True)], feed=supplies(500, 0.8))
    assert spin_up(direct).peak_w == pytest.approx(8 * 30 / 0.8 + 2 * 20)


def test_supplies_asked_too_much_are_named():
    assert spin_up(array(feed=supplies(120, 0.8))).overload is None
    assert spin_up(array(feed=supplies(119, 0.8))).overload == (0, 120)


def test_without_a_time_steps_have_no_length():
    plan = array([drives(8, spin_up_s=None)], stagger=(4, None, True))
    start = spin_up(plan)
    assert not start.timed
    assert start.wall_w.tolist() == [4 * 30 + 4 * 2, 4 * 10 + 4 * 30, 80]
    # An interval is a time, and needs one.
    assert missing(array([drives(8, spin_up_s=None)], stagger=(4, 2.0, True))) == ["disks"]


def test_unknown_watts_give_no_figure():
    plan = array([drives(8, spin_up_w=None)])
    assert missing(plan) == ["disks"]
    assert spin_up(plan) is None


@given(
    count=st.integers(1, 40),
    slots=st.integers(1, 9),
    at_once=st.integers(1, 9),
    interval=st.one_of(st.none(), st.integers(1, 12).map(float)),
    per_array=st.booleans(),
)
def test_a_schedule_is_the_sum_of_its_drives(count, slots, at_once, interval, per_array):
    plan = array([drives(count)], slots=slots, stagger=(at_once, interval, per_array))
    start = spin_up(plan)
    step = 5.0 if interval is None else interval
    begins = []
    for first in range(0, count, slots):
        inside = min(slots, count - first)
        begins += [((first if per_array else 0) + i) // at_once * step for i in range(inside)]
    for at, watts in zip(start.at, start.wall_w, strict=True):
        drawn = sum(2.0 if at < begin else 30.0 if at < begin + 5 else 10.0 for begin in begins)
        assert watts == pytest.approx(drawn)
    # Between two steps nothing changes, so that the highest step is the highest power.
    fine = np.arange(0, max(begins) + 6, 0.5)
    most = max(sum(2.0 if t < b else 30.0 if t < b + 5 else 10.0 for b in begins) for t in fine)
    assert start.peak_w == pytest.approx(most)


def test_points_to_draw_keep_the_peak():
    start = spin_up(array([drives(3000)], slots=3000, stagger=(1, None, True)))
    points = start.points()
    assert len(points) <= MOST_POINTS + 1
    assert max(watts for _, watts in points) == start.peak_w


def test_a_large_array_is_summed_in_the_order_of_its_drives():
    # 20,000 enclosures of one drive, started one after another: the work must not be their square.
    start = spin_up(array([drives(20_000)], slots=1, stagger=(1, None, True)))
    assert len(start.at) == 20_001
    assert start.peak_w == pytest.approx(19_999 * 10 + 30)


@pytest.mark.parametrize("seconds", [0.1, 0.3, 0.7, 13.5])
def test_a_start_does_not_overlap_the_one_it_waits_for(seconds):
    # In binary fractions 5 x 0.1 + 0.1 is not 6 x 0.1.
    kind = drives(50, spin_up_s=seconds)
    for stagger in ((1, None, True), (1, seconds, True)):
        start = spin_up(array([kind], slots=7, stagger=stagger))
        assert start.peak_w == pytest.approx(49 * 10 + 30)
        assert len(start.at) == 51


def test_the_shelf_of_dec():
    # Drives of 13.6 W that take 28 W to start, one at a time, beside a blower of 7.2 W.
    kind = drives(7, idle_w=13.6, operating_w=13.6, standby_w=0.0, spin_up_w=28.0)
    blower = part(law="speed-cubed", idle_w=7.2, active_w=7.2, speed=1.0)
    assert spin_up(array([kind], slots=7, parts=[blower], stagger=(1, None, False))).peak_w == pytest.approx(
        6 * 13.6 + 28 + 7.2
    )
