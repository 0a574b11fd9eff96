"""The course over time and its spikes, on blocks worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

import compared_runs as made
from iowatt.lenses.compare.measurement import sides
from iowatt.lenses.compare.over_time import courses, spikes
from iowatt.lenses.compare.request import CompareRequest
from iowatt.pages.compare import over_time

#: Seconds of means of 0.5 ms but for these: ten requests a second, so 10 of 2 ms make 2 ms, one of 6 ms 1.05.
FULL = {3, 4, 5, 20}
ONE_SLOW = {40, 41}
HARDLY = {60}


def course_of(runs, after=None, **asked):
    found = CompareRequest(runs, after or runs, **asked)
    both = sides(found)
    return courses(both, found)


def ten_a_second(empty=()):
    at, ms = [], []
    for second in range(100):
        if second in empty:
            continue
        for k in range(10):
            at.append(second + (k + 0.5) / 10)
            ms.append(
                2.0
                if second in FULL
                else 6.0
                if second in ONE_SLOW and k == 0
                else 1.5
                if second in HARDLY and k == 0
                else 0.5
            )
    return made.build(ms, at)


@pytest.mark.parametrize("series", [True, False])
def test_spikes_by_means_and_by_single_requests(series):
    run = ten_a_second()
    if not series:
        run._tables.pop("series")
    found, width, notes = course_of([run])
    by = spikes(found["before"], 1e-3)
    assert width == 1.0 and not notes
    assert found["before"][0].basis == ("series" if series else "intervals")
    assert (by.mean.spikes, by.mean.blocks, by.mean.blocks_over) == (3, 100, 6)
    listed = [(one.start_s, one.length_s, one.blocks) for one in by.mean.listed]
    assert listed == [(3.0, 3.0, 3), (20.0, 1.0, 1), (40.0, 2.0, 2)]
    assert by.mean.greatest_ms == pytest.approx(2.0)
    assert by.mean.listed[2].greatest_ms == pytest.approx(1.05)
    assert (by.mean.longest_s, by.mean.seconds) == (3.0, 6.0)
    # A single request of 1.5 ms is a spike by requests, and none by means.
    assert (by.max.spikes, by.max.greatest_ms) == (4, 6.0)


def test_a_second_without_completions_ends_a_spike():
    found, _, _ = course_of([ten_a_second(empty={4})])
    by = spikes(found["before"], 1e-3)
    assert [(one.start_s, one.length_s) for one in by.mean.listed][:2] == [(3.0, 1.0), (5.0, 1.0)]
    assert by.mean.blocks == 99


def test_no_spike_without_anything_over():
    found, _, _ = course_of([ten_a_second()])
    by = spikes(found["before"], 10e-3)
    assert by.mean.as_dict() == {
        "spikes": 0, "blocks": 100, "blocks_over": 0, "seconds": 0.0, "longest_s": 0.0, "greatest_ms": None,
        "greatest_block_ms": pytest.approx(2.0), "list": [],
    }  # fmt: skip


def test_both_sides_are_joined_to_the_wider_blocks():
    ms = np.random.default_rng(1).exponential(1.0, 2000)
    fine, coarse = made.build(ms, width_s=0.25), made.build(ms, width_s=2.0)
    found, width, notes = course_of([fine], [coarse])
    assert width == 2.0 and [note.code for note in notes] == ["blocks-joined"]
    one, other = found["before"][0], found["after"][0]
    np.testing.assert_array_equal(one.start_s, other.start_s)
    np.testing.assert_array_equal(one.requests, other.requests)
    np.testing.assert_allclose(one.mean_ms, other.mean_ms, rtol=1e-12)
    np.testing.assert_array_equal(one.max_ms, other.max_ms)


def test_longer_blocks_can_be_asked_for_and_the_last_may_be_cut():
    found, width, _ = course_of([ten_a_second()], every_s=8.0)
    course = found["before"][0]
    assert width == 8.0 and course.end_s[-1] == 100.0 and course.start_s[-1] == 96.0
    assert sum(course.requests) == 1000
    assert course.mean_ms[0] == pytest.approx((3 * 2.0 + 5 * 0.5) / 8)


def test_one_direction_has_no_course_without_a_series():
    run = made.build(np.ones(1000), writes=np.arange(1000) % 2, series=False)
    found, width, notes = course_of([run], op="write")
    assert (found["before"], width) == ([], None)
    assert {note.code for note in notes} == {"no-course"}


def test_what_no_block_tells_is_not_called_none():
    none = spikes([], 1e-3).max
    assert none.blocks == 0
    one_block = none.model_copy(update={"blocks": 1})
    # Without blocks it gives no count; where blocks have no spike, it says how many blocks.
    assert not any(letter.isdigit() for letter in over_time._spikes(none))
    assert "1" in over_time._spikes(one_block)
