"""A log cut by intervals: counts, means by hand, gaps that are seen, sums only of what is complete."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from figures import figures
from iowatt.sources.meters.log.alignment import align, total
from iowatt.sources.meters.log.checks import checked
from iowatt.sources.meters.log.instrument import Instrument

T0 = 1_790_000_000.0


def log(times, watts, interval=5.0, **quantities):
    meter = Instrument("m", "test", "emerald", "made by a test", sample_interval_s=interval)
    columns = {"watts": np.array(watts, dtype=float)}
    columns |= {name: np.array(values, dtype=float) for name, values in quantities.items()}
    return checked(meter, T0 + np.asarray(times, dtype=float), columns)


def minutes(count):
    start = T0 + 60.0 * np.arange(count)
    return start, start + 60


def test_a_minute_of_twelve_samples_has_their_arithmetic_mean():
    times = np.arange(5, 125, 5)
    found = align(log(times, times), "watts", *minutes(2), longest_gap_s=5)
    assert found.samples.tolist() == [12, 12] == found.expected.tolist()
    # The sample at 60 s belongs to the first minute: (5 + 60) / 2 and (65 + 120) / 2.
    assert found.mean.tolist() == [32.5, 92.5]
    assert (found.minimum.tolist(), found.maximum.tolist()) == ([5, 65], [60, 120])
    assert found.longest_gap_s.tolist() == [5, 5]
    assert found.complete.all() and found.flags == ((), ())


def test_a_minute_with_less_than_nine_tenths_is_incomplete_and_says_why():
    times = [t for t in range(5, 125, 5) if t not in (75, 80)]
    found = align(log(times, [100.0] * len(times)), "watts", *minutes(2))
    assert found.samples.tolist() == [12, 10]
    assert found.complete.tolist() == [True, False]
    assert [figures(flag) for flag in found.flags[1]] == [[10, 12]]
    assert np.isnan(found.usable_mean).tolist() == [False, True]
    assert found.longest_gap_s.tolist() == [5, 15]


def test_one_missing_of_twelve_is_enough_but_breaks_a_limit_of_five_seconds():
    times = [t for t in range(5, 65, 5) if t != 30]
    one = log(times, [100.0] * 11)
    assert align(one, "watts", *minutes(1)).complete.all()
    found = align(one, "watts", *minutes(1), longest_gap_s=5)
    assert [figures(flag) for flag in found.flags[0]] == [[10, 5]]
    assert not found.complete.any()


def test_a_sample_behind_a_gap_does_not_stand_for_the_gap():
    # Samples at 1 s apart, then none for 50 s, then one of 1000 W: it weighs 1.5 s, not 50.
    times = [*range(1, 10), 59.5]
    found = align(log(times, [100.0] * 9 + [1000.0], interval=1.0), "watts", *minutes(1))
    assert found.mean[0] == pytest.approx((9 * 100 + 1.5 * 1000) / 10.5)
    assert found.samples[0] == 10 and found.expected[0] == 60 and not found.complete[0]
    assert found.longest_gap_s[0] == 50.5


def test_unequal_samples_weigh_the_time_they_stand_for():
    found = align(
        log([1.0, 2.0, 2.5], [100.0, 200.0, 400.0], interval=1.0),
        "watts",
        np.array([T0]),
        np.array([T0 + 2.5]),
    )
    assert found.mean[0] == pytest.approx((100 + 200 + 0.5 * 400) / 2.5)


def test_invalid_rows_are_counted_by_reason():
    watts = [100.0, -1, -1, -7, 100, 100, 100, 100, 100, 100, 100, 100]
    found = align(log(range(5, 65, 5), watts), "watts", *minutes(1))
    assert (found.samples[0], found.not_available[0], found.out_of_range[0]) == (9, 2, 1)
    assert [figures(flag) for flag in found.flags[0]] == [[9, 12], [1]]
    assert found.flags[0][1].startswith("out-of-range: watts:")


def test_where_the_log_does_not_reach_there_is_nothing():
    found = align(log([5, 10], [100, 100]), "watts", *minutes(2))
    assert found.samples.tolist() == [2, 0]
    assert np.isnan(found.mean[1]) and not found.complete.any()
    assert found.longest_gap_s.tolist() == [50, 110]
    nothing = align(log([5], [100]), "celsius", *minutes(1))
    assert nothing.samples[0] == 0 and [figures(flag) for flag in nothing.flags[0]] == [[0, 12]]


def test_meters_are_summed_where_all_are_complete():
    whole = align(log(range(5, 125, 5), [100.0] * 24), "watts", *minutes(2))
    half = align(log(range(5, 65, 5), [50.0] * 12), "watts", *minutes(2))
    assert total([whole, half]).tolist()[0] == 150
    assert np.isnan(total([whole, half])[1])
    other = align(log([5], [1.0]), "watts", *minutes(1))
    with pytest.raises(ValueError):
        total([whole, other])
    with pytest.raises(ValueError):
        total([])


@given(
    st.lists(st.tuples(st.floats(0, 300), st.one_of(st.just(float("nan")), st.floats(0, 1e6))), max_size=80),
    st.floats(0.1, 20),
)
def test_counts_add_up_and_a_mean_lies_between_its_samples(rows, interval):
    rows.sort()
    one = log([at for at, _ in rows], [value for _, value in rows], interval=interval)
    found = align(one, "watts", *minutes(5))
    counted = found.samples + found.not_available + found.out_of_range
    times = one.time_s
    for k in range(5):
        assert counted[k] == ((times > found.start[k]) & (times <= found.end[k])).sum()
        if found.samples[k]:
            assert found.minimum[k] <= found.mean[k] <= found.maximum[k]
        else:
            assert np.isnan(found.mean[k]) and not found.complete[k]
        assert found.longest_gap_s[k] >= 0
        assert found.complete[k] == (found.samples[k] >= 0.9 * found.expected[k])


def test_an_interval_shorter_than_the_sampling_owes_no_sample_and_has_no_mean_of_its_own():
    found = align(
        log(range(5, 65, 5), [100.0] * 12), "watts", T0 + np.array([0, 60]), T0 + np.array([60, 60.3])
    )
    assert found.expected.tolist() == [12, 0]
    assert found.complete.tolist() == [True, False]
    assert len(found.flags[1]) == 1
