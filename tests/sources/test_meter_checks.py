"""What cannot be true of samples is found, named and set aside; nothing is filled."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from figures import figures
from iowatt.sources.meters.log.checks import checked, judged
from iowatt.sources.meters.log.instrument import Instrument
from meter_contract import check_log

T0 = 1_790_000_000.0
METER = Instrument("m", "test", "indicative", "made by a test", sample_interval_s=1.0)


def log(watts, times=None, range_w=None, **others):
    times = np.arange(len(watts), dtype=float) if times is None else np.asarray(times, dtype=float)
    quantities = {name: np.array(values, dtype=float) for name, values in {"watts": watts, **others}.items()}
    found = checked(METER, T0 + times, quantities, range_w=range_w)
    check_log(found)
    return found


def told(found, kind):
    """When each problem of a kind began, how long it lasted, and the figures in its text."""
    return [
        (problem.at - T0, problem.seconds, figures(problem.text))
        for problem in found.problems
        if problem.kind == kind
    ]


def test_a_good_log_has_no_problem():
    found = log([340, 341, 342, 341.5, 340])
    assert not found.problems
    assert list(found.quantities["watts"]) == [340, 341, 342, 341.5, 340]


def test_minus_one_is_not_available_and_a_run_of_it_is_one_problem():
    found = log([340, -1, -1, 341, -1, 342])
    assert np.isnan(found.quantities["watts"]).tolist() == [False, True, True, False, True, False]
    assert told(found, "not-available") == [
        (1, 1, [2]),
        (4, 0, [1]),
    ]


def test_negative_watts_and_overflow_are_out_of_range():
    found = log([340, -10, np.inf, 341])
    assert np.isnan(found.quantities["watts"]).tolist() == [False, True, True, False]
    assert [at for at, *_ in told(found, "out-of-range")] == [1, 2]


def test_watts_without_amperes_are_out_of_range():
    found = log([340, 341, 1.5], volts=[230, 230, 230], amperes=[1.5, 0, 0])
    # 1.5 W at 230 V are 7 mA, which an ammeter of two places shows as 0.
    assert np.isnan(found.quantities["watts"]).tolist() == [False, True, False]
    assert told(found, "out-of-range") == [(1, 0, [1])]


def test_what_a_meter_never_has_is_left_out_but_watts_stay():
    found = log([340, 341], volts=[-1, -1])
    assert "volts" not in found.quantities and not found.problems
    assert np.isnan(log([-1, -1]).quantities["watts"]).all()


def test_a_known_range_is_clipped_at_its_top():
    found = log([480, 499.9, 500, 501, 490], range_w=500)
    assert np.isnan(found.quantities["watts"]).tolist() == [False, False, True, True, False]
    assert told(found, "clipped") == [(2, 1, [500, 2])]


def test_a_plateau_at_the_maximum_of_a_moving_signal_is_suspected():
    moving = [400 + (k * 37 % 50) / 7 for k in range(30)]
    found = log(moving[:15] + [450.0] * 9 + moving[15:])
    assert told(found, "clipped")[0] == (15, 8, [9, 450])
    assert np.isfinite(found.quantities["watts"]).all(), "suspected: kept"


def test_a_still_signal_is_no_plateau():
    coarse = [344.0] * 20 + [343.0] * 20 + [344.0] * 20  # whole watts of an idle system
    assert not log(coarse).problems
    assert not log([344.0] * 50).problems


def test_a_gap_is_more_than_one_and_three_quarters_of_an_interval():
    found = log([340] * 5, times=[0, 1, 2.75, 4.625, 10.625])
    assert told(found, "gap") == [
        (2.75, 1.875, [1.875, 1]),
        (4.625, 6, [6, 1]),
    ]


def test_a_clock_that_steps_back_sets_aside_what_was_stamped_twice():
    found = log([1, 2, 3, 4, 5, 6, 7], times=[0, 1, 2, 3, 1.5, 2.5, 3.5])
    assert list(found.time_s - T0) == [0, 1, 1.5, 2, 2.5, 3, 3.5]
    watts = found.quantities["watts"]
    assert np.isnan(watts).tolist() == [False, False, True, True, True, True, False]
    assert told(found, "clock")[0] == (1.5, 1.5, [1.5])
    assert not told(found, "not-available"), "one reason"


def test_an_uncertainty_above_one_percent_is_said_once():
    vague = Instrument("m", "test", "indicative", "made by a test", uncertainty_percent=1.5)
    found = judged(judged(checked(vague, np.array([T0]), {"watts": np.array([5.0])})))
    assert [(problem.kind, problem.at) for problem in found.problems] == [("uncertain", None)]


@given(
    st.lists(
        st.tuples(
            st.floats(0, 1e9, allow_nan=False),
            st.one_of(st.floats(), st.sampled_from([-1.0, 0.0, 100.0])),
            st.one_of(st.floats(), st.sampled_from([-1.0, 0.0])),
        ),
        max_size=40,
    )
)
def test_whatever_comes_every_invalid_sample_is_named(rows):
    times, watts, amperes = (
        np.array(column, dtype=float) for column in (zip(*rows, strict=True) if rows else [[], [], []])
    )
    found = checked(METER, times, {"watts": watts, "amperes": amperes})
    check_log(found)
    assert len(found.time_s) == len(rows)
    spans = [
        (problem.at, problem.at + problem.seconds) for problem in found.problems if problem.at is not None
    ]
    for at, value in zip(found.time_s, found.quantities["watts"], strict=True):
        assert np.isfinite(value) or any(first <= at <= last * (1 + 1e-12) for first, last in spans)


@pytest.mark.parametrize("resolution", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("idle_s", [0, 900])
def test_phases_cut_by_the_range_are_found_however_still_the_rest_is(resolution, idle_s):
    random = np.random.default_rng(5)
    levels = [330.0, 352.0, 338.0, 351.0, 325.0]
    true = np.concatenate([level + 1.5 * random.standard_normal(200) for level in levels])
    true = np.round(np.concatenate([true, np.full(idle_s, 300.0)]) / resolution) * resolution
    assert not told(log(list(true)), "clipped")
    cut = told(log(list(np.minimum(true, 345.0))), "clipped")
    assert [round(at, -1) for at, _, _ in cut] == [200, 600]
    assert not told(log(list(np.minimum(true, 345.0)), range_w=1000), "clipped")
