"""The lag of a meter's clock, from power that steps between stages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iowatt.emerald.analyze.checks import clocks
from iowatt.emerald.analyze.checks.clocks import Boundary

LEVELS = (620.0, 655.0, 640.0, 668.0, 610.0, 592.0)
STAGE = 600.0


def log(lag, *, step=1.0, sigma=2.0, levels=LEVELS, tail_s=0.0, seed=1):
    """Samples of a power that steps every ten minutes, stamped by a clock that is ahead by ``lag``."""
    random = np.random.default_rng(seed)
    true = np.arange(step, STAGE * len(levels), step)
    at = np.minimum((true / STAGE).astype(int), len(levels) - 1)
    watts = np.asarray(levels)[at]
    if tail_s:  # the cache goes on emptying after the last step
        since = true - STAGE * (len(levels) - 1)
        late = (since >= 0) & (since < tail_s)
        watts = np.where(late, levels[-2], watts)
    return true + lag, watts + sigma * random.standard_normal(len(true))


BOUNDARIES = [Boundary(STAGE * number, 180.0) for number in range(1, len(LEVELS))]


@settings(max_examples=30, deadline=None)
@given(lag=st.floats(-90.0, 90.0), step=st.sampled_from([0.5, 1.0, 5.0]), seed=st.integers(0, 99))
def test_a_lag_is_found_within_a_sample(lag, step, seed):
    found = clocks.lag(BOUNDARIES, *log(lag, step=step, seed=seed), 0.8)
    assert found.seconds == pytest.approx(lag, abs=1.5 * step)
    assert found.boundaries == len(BOUNDARIES)


@pytest.mark.parametrize(
    ("lag", "weight"),
    [(0.0, None), (0.7, None), (5.0, "non-compliant"), (-5.0, "non-compliant"), (75.0, "invalid")],
)
def test_what_is_said_of_a_lag(lag, weight):
    found = clocks.lag(BOUNDARIES, *log(lag), 0.8)
    said = list(clocks.compared("wt310", found, 0.8, 60.0))
    assert [one.weight for one in said] == ([weight] if weight else [])
    if said:
        assert said[0].code == "clock-apart"
        assert ("later" if lag > 0 else "earlier") in said[0].text


def test_a_cache_that_goes_on_emptying_does_not_mislead():
    found = clocks.lag(BOUNDARIES, *log(0.0, tail_s=90.0), 0.8)
    assert abs(found.seconds) <= 1.5
    assert found.agree == len(BOUNDARIES) - 1


@pytest.mark.parametrize(
    "given_log",
    [log(0.0, levels=[600.0] * 6), log(0.0, sigma=400.0), (np.array([]), np.array([]))],
    ids=["constant", "noise", "empty"],
)
def test_power_without_steps_is_not_compared_and_said_so(given_log):
    found = clocks.lag(BOUNDARIES, *given_log, 0.8)
    assert found is None
    (said,) = clocks.compared("wt310", found, 0.8, 60.0)
    assert (said.code, said.weight) == ("clocks-not-compared", "non-compliant")


def test_boundaries_that_disagree_say_nothing():
    time_s, watts = log(0.0)
    shifted = [
        Boundary(one.at + off, 180.0) for one, off in zip(BOUNDARIES, (-60, -30, 0, 30, 60), strict=True)
    ]
    assert clocks.lag(shifted, time_s, watts, 0.8) is None


def test_constant_power_of_a_model_without_noise_is_no_step():
    assert clocks.lag(BOUNDARIES, *log(0.0, levels=[600.0] * 6, sigma=0.0), 0.8) is None


@pytest.mark.parametrize(("scale", "step"), [(1.0, 1.0), (1.0, 5.0), (0.1, 5.0), (0.02, 1.0)])
@pytest.mark.parametrize("lag", [0.0, 3.0])
def test_three_seconds_are_found_by_steps_of_ten_to_fifty_watts_at_the_lengths_of_a_test(scale, step, lag):
    random = np.random.default_rng(7)
    seconds = scale * np.array([43200.0, *[2400.0] * 5, 7200.0])
    levels = np.array([600.0, 630.0, 610.0, 650.0, 640.0, 620.0, 592.0])
    edges = np.cumsum(seconds)
    true = np.arange(step, edges[-1], step)
    watts = levels[np.searchsorted(edges, true)] + 5 * random.standard_normal(len(true))
    given = [
        Boundary(at, min(180.0, 0.45 * min(a, b)))
        for at, a, b in zip(edges, seconds, seconds[1:], strict=False)
    ]
    found = clocks.lag(given, true + lag, watts, 0.8)
    assert found.seconds == pytest.approx(lag, abs=step)
