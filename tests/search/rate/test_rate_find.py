"""The search over rates and seeds, on a queue whose answer is known in closed form."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from md1_queue import answer, queue

from iowatt.base.results import Note
from iowatt.evaluate.search.rate import RateRequest
from iowatt.evaluate.search.rate.find import crossing, find_highest_rate, mean_and_half_width, slope

LIMITS = st.floats(0.0013, 0.012)


def found_of(limit_s: float, seed: int = 1, *, requests: int = 20_000, **request: Any) -> Any:
    run = queue(requests)
    given = RateRequest(limit_s, **request)
    return find_highest_rate(run, given, start=600, near=0.5, seeds=range(seed, seed + given.replications))


@settings(max_examples=25, deadline=None)
@example(limit=0.01171875, seed=12, tolerance=0.005)  # saturated just beyond the rate
@given(limit=LIMITS, seed=st.integers(1, 50), tolerance=st.sampled_from([0.005, 0.02, 0.1]))
def test_the_bracket_is_as_narrow_as_asked_and_holds_what_was_run(
    limit: float, seed: int, tolerance: float
) -> None:
    found = found_of(limit, seed, requests=5000, tolerance=tolerance)
    assert found.settled and found.rate_iops is not None and found.beyond_iops is not None
    assert found.beyond_iops - found.rate_iops <= tolerance * found.beyond_iops * (1 + 1e-9)
    again = queue(5000)
    low, high = (
        again(rate, seed).summary["response_time_ms"]["all"]["mean"] / 1e3
        for rate in (found.rate_iops, found.beyond_iops)
    )
    assert low == pytest.approx(found.response_s) and low <= limit
    (beyond,) = {point.verdict for point in found.points if point.rate == found.beyond_iops}
    assert limit < high or beyond == "saturated"  # which is beyond the limit, whatever its mean
    if found.crossing_iops is None:  # the capacity ends the search, and the result says so
        assert beyond == "saturated" and "saturated-beyond" in {note.code for note in found.notes}
    else:
        assert found.rate_iops <= found.crossing_iops <= found.beyond_iops
    assert found.run.summary["response_time_ms"]["all"]["mean"] == pytest.approx(low * 1e3)


@settings(max_examples=20, deadline=None)
@given(one=LIMITS, other=LIMITS, seed=st.integers(1, 50))
def test_a_longer_limit_has_no_lower_rate(one: float, other: float, seed: int) -> None:
    shorter, longer = sorted([one, other])
    low, high = (found_of(limit, seed, requests=5000) for limit in (shorter, longer))
    assert low.rate_iops <= high.rate_iops / (1 - 0.02) * (1 + 1e-9)


@pytest.mark.parametrize("limit", [0.0015, 0.005, 0.02])
def test_the_rate_is_that_of_the_closed_form(limit: float) -> None:
    found = found_of(limit, requests=100_000, replications=4)
    assert found.rate_iops == pytest.approx(answer(limit), rel=0.03)
    assert found.crossing_iops == pytest.approx(answer(limit), rel=0.01)
    assert found.basis == "replications" and len(found.by_seed) == 4
    low, high = found.ci95_iops
    assert 0 < high - low < 0.05 * answer(limit)


def test_the_interval_of_the_rate_covers_the_truth_as_often_as_it_says() -> None:
    """60 searches with five seeds each; of 95 % intervals 50 or fewer would hold it once in 500 times."""
    truth, held = answer(0.005), 0
    for number in range(60):
        found = found_of(0.005, 1 + 5 * number, replications=5, tolerance=0.03)
        low, high = found.ci95_iops
        held += low <= truth <= high
    assert 51 <= held <= 60


def test_the_same_seeds_give_the_same_answer() -> None:
    one, other = (found_of(0.004, 3, replications=3) for _ in range(2))
    assert replace(one, run=None) == replace(other, run=None)
    assert found_of(0.004, 4, replications=3).rate_iops != one.rate_iops


def test_every_seed_is_run_at_every_rate_that_decides() -> None:
    request: list[tuple[float, int]] = []
    run = queue(5000)

    def counted(rate: float, seed: int) -> Any:
        request.append((rate, seed))
        return run(rate, seed)

    found = find_highest_rate(counted, RateRequest(0.004, replications=3), start=700, seeds=(7, 8, 9))
    decided = [point for point in found.points if point.runs == 3]
    assert decided and found.runs == len(request)
    for point in decided:
        assert [seed for rate, seed in request if rate == point.rate] == [7, 8, 9]
    assert {seed for rate, seed in request if rate not in {p.rate for p in decided}} == {7}


def test_a_single_seed_has_an_interval_by_batch_means() -> None:
    found = found_of(0.005)
    low, high = found.ci95_iops
    assert found.basis not in (None, "replications") and low < found.crossing_iops < high
    assert low < answer(0.005) < high


def test_few_requests_are_made_more_until_the_rate_is_known() -> None:
    scale = [1.0]

    def run(rate: float, seed: int) -> Any:
        return queue(round(1000 * scale[0]))(rate, seed)

    def longer(times: float) -> Note:
        scale[0] *= times
        return Note(code="runs-made-longer", text=f"longer: {scale[0]:.3g}")

    found = find_highest_rate(run, RateRequest(0.005), start=600, longer=longer)
    assert scale[0] > 1.5 and found.notes[0].code == "runs-made-longer"
    assert found.points[-1].kind == "longer" and found.points[-1].requests > 1500
    low, high = found.ci95_iops
    assert (high - low) / 2 < 1.5 * 0.02 * found.crossing_iops


def test_overload_is_no_answer_however_short_the_run() -> None:
    """At 1.2 times its rate 200 requests have a mean far below the limit, and are saturated all the same."""
    run = queue(200, warm_up=0.0)
    assert run(1200, 1).summary["response_time_ms"]["all"]["mean"] < 100
    found = find_highest_rate(run, RateRequest(0.1, requests=200), start=1200)
    assert found.points[0].verdict == "saturated" and found.rate_iops < 1100


def test_a_limit_below_every_response_time_says_the_shortest() -> None:
    found = found_of(0.0009)
    assert found.rate_iops is None and found.run is None and not found.settled
    assert re.findall(r"([\d.]+) ms", found.problem)[0] == "0.9"
    assert 1 <= float(re.findall(r"([\d.]+) ms", found.problem)[1]) < 2
    assert found.ci95_iops is None


def test_a_limit_that_is_never_reached_is_said() -> None:
    def run(rate: float, seed: int) -> Any:
        return queue(1000, service_s=1e-9)(rate, seed)

    found = find_highest_rate(run, RateRequest(0.02, ceiling=1e6), start=1000)
    assert found.rate_iops == 1e6 and found.beyond_iops is None
    assert {"20", "1e+06"} <= set(found.problem.split())


def test_percentiles_are_searched_too() -> None:
    mean, high = found_of(0.004), found_of(0.004, statistic="p95")
    assert high.rate_iops < mean.rate_iops and high.ci95_iops is None
    assert found_of(0.004, statistic="p95", replications=4).basis == "replications"


def test_limits_of_reads_bind_in_proportion() -> None:
    plain, reads = found_of(0.008), found_of(0.008, read_limit_s=0.004)
    assert reads.rate_iops == pytest.approx(found_of(0.004).rate_iops, rel=0.02)
    assert reads.rate_iops < plain.rate_iops
    assert found_of(0.008, write_limit_s=0.001).rate_iops == plain.rate_iops  # there are no writes


def test_the_line_of_one_over_r_is_exact_for_mm1() -> None:
    curve = [(x, 1 / (1000 - x)) for x in (100.0, 400.0, 700.0, 990.0)]
    assert crossing(curve, 0.005) == pytest.approx(800)
    assert crossing(curve[:2], 0.005) == pytest.approx(800)  # from below
    assert crossing(curve[3:], 0.005) is None and crossing([], 0.005) is None
    assert crossing([(1.0, 2.0), (2.0, 1.0)], 1.5) is None  # falls
    assert slope(curve, 0.005) == pytest.approx(0.005**2)


def test_student_t_over_seeds() -> None:
    mean, half = mean_and_half_width([9.0, 10.0, 11.0])
    assert mean == 10 and half == pytest.approx(4.302653 / math.sqrt(3))
    assert mean_and_half_width([3.0]) == (3.0, None)
