"""The search for the highest rate within a limit, on queues whose answer is known."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from iowatt.evaluate.search.highest.rate import RateMeasurement, highest_rate

RATES = st.floats(0.0, 6.0).map(lambda exponent: 10**exponent)


def mm1(capacity: float, run_s: float = 60.0) -> Callable[[float], RateMeasurement]:
    """M/M/1; above capacity the queue grows for as long as the run lasts."""

    def measure(rate: float) -> RateMeasurement:
        if rate >= capacity:
            return RateMeasurement(
                rate, capacity, 1 / capacity + run_s * (1 - capacity / rate) / 2 + run_s / 10
            )
        return RateMeasurement(rate, rate, 1 / (capacity - rate))

    return measure


def erlang_c(servers: int, mean_s: float) -> Callable[[float], RateMeasurement]:
    """M/M/c (Kleinrock I, 3.5): flat until near its capacity, then steep."""

    def measure(rate: float) -> RateMeasurement:
        load = rate * mean_s
        if load >= servers:
            return RateMeasurement(rate, servers / mean_s, 10.0)
        blocking = 1.0
        for n in range(1, servers + 1):
            blocking = load * blocking / (n + load * blocking)
        waiting = servers * blocking / (servers - load * (1 - blocking))
        return RateMeasurement(rate, rate, mean_s + waiting * mean_s / (servers - load))

    return measure


def highest_of(measure: Callable[[float], RateMeasurement], limit: float, below: float) -> float:
    """The answer by bisection of the curve itself."""
    low, high = 0.0, below
    for _ in range(200):
        middle = (low + high) / 2
        met = measure(middle)
        if met.achieved >= 0.99 * middle and met.response_s is not None and met.response_s <= limit:
            low = middle
        else:
            high = middle
    return low


@settings(max_examples=300, deadline=None)
@given(capacity=RATES, ratio=st.floats(1.2, 1000.0), start=RATES)
def test_one_server_is_found_in_few_runs(capacity: float, ratio: float, start: float) -> None:
    limit = ratio / capacity
    found = highest_rate(mm1(capacity, run_s=100 * limit), limit, start=start, tolerance=0.02, most_runs=100)
    answer = capacity - 1 / limit
    assert found.settled and found.best is not None and found.beyond is not None
    assert found.best.rate <= answer * (1 + 1e-9) <= found.beyond.rate * (1 + 1e-9)
    assert found.best.rate >= answer * 0.98 * (1 - 1e-9)
    # From the first rate to the answer by at least half as much again, then a few.
    assert found.runs <= 8 + abs(math.log(start / answer)) / math.log(2.5), found.points


@settings(max_examples=150, deadline=None)
@example(servers=1, mean=0.01, ratio=1.0625, tolerance=0.005, start=10.0)  # flat, and yet it falls
@given(
    servers=st.integers(1, 64),
    mean=st.floats(-5.0, -2.0).map(lambda e: 10**e),
    ratio=st.floats(1.05, 50.0),
    tolerance=st.sampled_from([0.005, 0.02, 0.1]),
    start=RATES,
)
def test_many_servers_are_bracketed(
    servers: int, mean: float, ratio: float, tolerance: float, start: float
) -> None:
    measure, limit = erlang_c(servers, mean), ratio * mean
    answer = highest_of(measure, limit, servers / mean)
    found = highest_rate(measure, limit, start=start, tolerance=tolerance, most_runs=200)
    if found.best is None:  # the answer lies further below the first rate than is looked
        assert answer < start / 1000
        return
    assert found.settled and found.beyond is not None
    assert found.best.rate <= answer * (1 + 1e-6) <= found.beyond.rate * (1 + 1e-5)
    bound = 8 + abs(math.log2(start / answer)) + 3 * math.log2(8 / tolerance)
    assert found.runs <= bound, found.points


def test_a_step_is_bisected() -> None:
    """Constant until capacity: the line of 1/R says nothing, halving does it."""

    def measure(rate: float) -> RateMeasurement:
        return RateMeasurement(rate, min(rate, 5000.0), 1e-4 if rate <= 5000 else 5.0)

    found = highest_rate(measure, 0.02, start=100, tolerance=0.01)
    assert found.settled and found.best is not None
    assert 4950 <= found.best.rate <= 5051  # 99 % of what is asked for is kept up with
    assert found.runs <= 16


@pytest.mark.parametrize("seed", range(20))
def test_noise_costs_no_more_than_itself(seed: int) -> None:
    """Runs whose means scatter by 3 %, as their own confidence intervals say."""
    draws, clean = np.random.default_rng(seed), mm1(1000.0)

    def noisy(rate: float) -> RateMeasurement:
        one = clean(rate)
        assert one.response_s is not None
        factor = 1 + 0.03 * float(draws.standard_normal())
        return RateMeasurement(rate, one.achieved, one.response_s * factor, 1.96 * 0.03 * one.response_s)

    found = highest_rate(noisy, 0.02, start=50, tolerance=0.02)
    assert found.best is not None
    # The answer is 950; there, 3 % of the response time are 1.5 requests per second: 0.16 %.
    assert 0.97 * 950 <= found.best.rate <= 1.01 * 950
    assert found.runs <= 14


def test_undecided_points_are_run_again_and_pooled() -> None:
    answers = iter([0.0201, 0.0195])

    def measure(rate: float) -> RateMeasurement:
        return RateMeasurement(rate, rate, next(answers, 1.0 if rate > 100 else 0.01), 0.001)

    found = highest_rate(measure, 0.02, start=100, most_runs=2)
    (point,) = found.points
    assert (point.runs, point.verdict, point.uncertain) == (2, "meets", True)
    assert point.response_s == pytest.approx(0.0198)
    assert [note.code for note in found.notes if note.code != "runs-used-up"] == ["limit-in-noise"]


def test_a_rate_that_is_not_achieved_does_not_meet_the_limit() -> None:
    """A driver that falls behind reports short response times of the few that it issued."""
    found = highest_rate(lambda r: RateMeasurement(r, min(r, 800.0), 0.001), 0.02, start=100)
    assert found.best is not None and 784 <= found.best.rate <= 809
    assert {point.verdict for point in found.points} == {"meets", "saturated"}


def test_response_times_that_fall_with_the_rate_are_said() -> None:
    """Disks that sleep at low load: over the limit at 10 requests per second, within it at 100."""

    def measure(rate: float) -> RateMeasurement:
        queue = mm1(1000.0)(rate)
        assert queue.response_s is not None
        return RateMeasurement(rate, queue.achieved, queue.response_s + 0.5 * math.exp(-rate / 15))

    found = highest_rate(measure, 0.02, start=10)
    assert found.best is not None and 0.98 * 950 <= found.best.rate <= 950
    assert not found.monotone
    falls = [re.findall(r"[\d.]+ ms|at [\d.]+", note.text) for note in found.notes]
    assert {note.code for note in found.notes} == {"not-monotone"}
    assert falls[-1] == ["35.78 ms", "at 40", "1.202 ms", "at 160"] and len(falls) == 3


def test_no_rate_within_the_limit() -> None:
    found = highest_rate(lambda r: RateMeasurement(r, r, 0.03 + r * 1e-5), 0.02, start=100, most_runs=40)
    assert found.best is None and not found.settled
    assert [note.code for note in found.notes] == ["no-rate"]


def test_nothing_completes() -> None:
    found = highest_rate(lambda r: RateMeasurement(r, 0.0, None), 0.02, start=100, most_runs=40)
    assert found.best is None and {point.verdict for point in found.points} == {"saturated"}


def test_a_ceiling_that_is_within_the_limit() -> None:
    found = highest_rate(mm1(1e6), 0.02, start=10, ceiling=300)
    assert found.best is not None and found.best.rate == 300 and not found.settled
    (note,) = found.notes
    assert note.code == "ceiling-within-limit" and " 300," in note.text


def test_runs_are_bounded_and_what_was_found_is_kept() -> None:
    calls = []

    def measure(rate: float) -> RateMeasurement:
        calls.append(rate)
        return mm1(1e5)(rate)

    found = highest_rate(measure, 0.02, start=1, most_runs=4)
    assert len(calls) == found.runs == 4 and not found.settled
    assert found.best is not None and found.best.rate == max(calls)
    (note,) = found.notes
    assert note.code == "runs-used-up" and " 4 " in note.text


@pytest.mark.parametrize("wrong", [{"limit": 0.0}, {"start": 0.0}, {"tolerance": 0.0}, {"start": math.nan}])
def test_what_cannot_be_searched_is_refused(wrong: dict[str, float]) -> None:
    asked = {"limit": 0.02, "start": 100.0, "tolerance": 0.02} | wrong
    with pytest.raises(ValueError):
        highest_rate(mm1(100), asked["limit"], start=asked["start"], tolerance=asked["tolerance"])


def test_rates_that_can_only_be_whole_numbers() -> None:
    found = highest_rate(mm1(60.0), 0.02, start=3, tolerance=0.001, rounded=lambda rate: float(round(rate)))
    assert found.best is not None and found.best.rate == 10 and found.beyond is not None
    assert found.beyond.rate == 11 and [note.code for note in found.notes] == ["no-rate-between"]


def test_few_random_arrivals_are_not_taken_for_lateness() -> None:
    """20 requests in a run scatter by more than a hundredth; only what is beyond that is late."""

    def measure(rate: float) -> RateMeasurement:
        return RateMeasurement(
            rate, 0.9 * rate if rate < 50 else rate, 0.001 if rate < 500 else 1.0, scatter=0.2 * rate
        )

    found = highest_rate(measure, 0.02, start=20)
    assert found.best is not None and 490 <= found.best.rate <= 500


def test_a_start_that_is_nearly_right_is_confirmed_in_few_runs() -> None:
    """M/M/1 with a limit of 20 service times: the answer is 950; from 5 % beside it a few runs are enough."""
    for start in (903.0, 998.0):
        found = highest_rate(mm1(1000.0), 0.02, start=start, tolerance=0.02, near=0.05)
        assert found.settled and found.best is not None and 931 <= found.best.rate <= 950
        assert found.runs <= 5, found.points
    # A belief that is wrong costs runs, and no answer.
    wrong = highest_rate(mm1(1000.0), 0.02, start=3.0, tolerance=0.02, near=0.05, most_runs=60)
    assert wrong.settled and wrong.best is not None and 931 <= wrong.best.rate <= 950


def test_a_shade_more_at_a_lower_rate_is_noise_and_no_curve_that_falls() -> None:
    """A flat stretch above the limit, as simulated: 12.03 ms, less load, 12.04 ms; the answer lies below."""
    curve = {378.2: 0.01203, 371.4: 0.01204}

    def measure(rate: float) -> RateMeasurement:
        known = next((value for at, value in curve.items() if abs(rate - at) < 0.1), None)
        return RateMeasurement(rate, rate, known or 0.0110 + rate * 2.7e-6)

    found = highest_rate(measure, 0.012, start=378.2, tolerance=0.02, near=0.05)
    assert found.settled and found.best is not None and 360 <= found.best.rate <= 371
