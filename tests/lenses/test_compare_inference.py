"""Verdicts on pairs whose truth is plain, and what is said where nothing can be told."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from compare_trials import amounts
from iowatt.lenses.compare import metrics
from iowatt.lenses.compare.blocks import Blocks
from iowatt.lenses.compare.inference import Question, infer_all
from iowatt.lenses.compare.result import INDISTINGUISHABLE, NO_VERDICT
from iowatt.run.histogram import PERCENTILES, Histogram
from known_series import ar1_lognormal, cut, independent, mm1

MEAN = [metrics.mean(), metrics.quantile(0.5), metrics.quantile(0.99)]


def infer(before, after, compared, **options):
    """Differences of metrics between two groups of Runs."""
    return infer_all([Question(before, after, compared)], **options)[0]


def run(seed: int, process=None, requests: int = 20_000, blocks: int = 256, scale: float = 1.0) -> Blocks:
    return (process or mm1(0.3)).blocks(np.random.default_rng(seed), requests, blocks, scale)


def of_one(blocks: Blocks) -> Blocks:
    """The same requests as one histogram."""
    return Blocks.of_histogram(
        blocks.low_ns,
        blocks.high_ns,
        blocks.histogram,
        1.0,
        sum_ns=blocks.sum_ns.sum(),
        max_ns=blocks.max_ns.max(),
    )


def test_a_slower_run_is_worse_and_the_other_way_round_better():
    fast, slow = run(1), run(2, scale=1.5)
    for before, after, verdict, sign in ((fast, slow, "worse", 1), (slow, fast, "better", -1)):
        for one in infer([before], [after], MEAN, seed=1):
            assert one.verdict == verdict
            assert one.interval[0] < one.difference < one.interval[1]
            assert min(sign * limit for limit in one.interval) > 0
            assert one.interval_before[0] < one.before < one.interval_before[1]
            assert one.p < 0.01
            assert one.basis.method == "blocks"
            assert one.basis.independent_blocks >= (12, 12)


def test_figures_are_those_that_are_printed():
    blocks = run(1)
    printed = Histogram.of(blocks.low_ns, blocks.high_ns, blocks.histogram)
    mean, median, high = infer([blocks], [run(2)], MEAN, seed=1)
    assert mean.before == pytest.approx(blocks.sum_ns.sum() / blocks.count.sum() / 1e6)
    assert median.before == printed.quantile(0.5) / 1e6
    assert high.before == printed.quantile(0.99) / 1e6
    assert high.events[0] == 200
    assert high.difference == high.after - high.before


def test_a_run_beside_itself_does_not_differ():
    blocks = run(1)
    quantiles = [metrics.quantile(q) for q in PERCENTILES.values()]
    for one in infer([blocks], [blocks], [metrics.mean(), *quantiles], seed=1):
        assert one.difference == 0
        assert one.verdict in (INDISTINGUISHABLE, NO_VERDICT)
        if one.interval is not None:
            assert one.interval[0] < 0 < one.interval[1]


def test_the_same_seed_gives_the_same_and_another_nearly():
    first, again, other = (infer([run(1)], [run(2, scale=1.05)], MEAN, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first[0].interval != other[0].interval
    assert first[0].interval[0] == pytest.approx(other[0].interval[0], rel=0.3)


def test_beyond_what_the_events_allow_there_is_no_verdict():
    extreme = metrics.quantile(0.9999)
    [one] = infer([run(1)], [run(2, scale=9.0)], [extreme], seed=1)
    assert one.events == (2, 2)
    assert one.interval is None
    assert one.p is None
    assert one.verdict == NO_VERDICT
    assert one.after / one.before == pytest.approx(9, rel=0.7)
    (said,) = [remark for remark in one.remarks if remark.startswith("before: ")]
    assert "2 requests" in said and "30" in said


def test_events_of_one_burst_are_not_many():
    """A hundred slow requests in one block of time are one event."""
    random = np.random.default_rng(1)
    times = np.arange(1, 20_001) * 1e-3
    response = 1e5 * np.exp(0.1 * random.standard_normal(20_000))
    response[5000:5250] *= 20
    burst = cut(times, response, 256)
    [one] = infer([burst], [burst], [metrics.quantile(0.99)], seed=1)
    assert one.events == (200, 200)
    assert one.interval is None
    assert max(one.basis.blocks_with_events) < 10
    assert one.remarks


def test_a_series_that_is_too_short_for_its_correlation_says_so():
    slow = ar1_lognormal(0.9999, 0.8)
    answers = infer([run(1, slow)], [run(2, slow, scale=2.0)], MEAN[:2], seed=1)
    for one in answers:
        assert one.verdict == NO_VERDICT
        assert one.interval is None
        assert max(one.basis.correlation) > 0.9
        assert one.remarks


def test_too_few_blocks_say_so():
    few = [run(seed, blocks=8) for seed in (1, 2)]
    [one] = infer([few[0]], [few[1]], [metrics.mean()], seed=1)
    assert one.verdict == NO_VERDICT
    assert one.basis.blocks == (8, 8)
    (said,) = [remark for remark in one.remarks if remark.startswith("before: ")]
    assert "8 blocks" in said and "12" in said


def test_one_histogram_has_intervals_of_independent_requests_and_no_verdict():
    before, after = run(1, independent(0.5)), run(2, independent(0.5), scale=2.0)
    with_order = infer([before], [after], MEAN, seed=1)
    for one, known in zip(infer([of_one(before)], [of_one(after)], MEAN, seed=1), with_order, strict=True):
        assert one.basis.method == "requests"
        assert one.verdict == NO_VERDICT
        assert one.remarks
        # These requests are independent: both ways have to come to about the same.
        width, known_width = (x.interval[1] - x.interval[0] for x in (one, known))
        assert width == pytest.approx(known_width, rel=0.5)
    [rate] = infer([of_one(before)], [of_one(after)], [metrics.rate()], seed=1)
    assert rate.interval is None
    assert rate.verdict == one.verdict
    assert rate.remarks


def test_repeated_runs_that_blocks_explain_are_one_long_run():
    groups = [
        [run(10 * side + number, scale=scale) for number in range(3)] for side, scale in ((0, 1.0), (1, 1.1))
    ]
    one = infer(*groups, [metrics.mean()], seed=1)[0]
    alone = infer(groups[0][:1], groups[1][:1], [metrics.mean()], seed=1)[0]
    assert one.basis.runs == (3, 3)
    assert one.verdict == "worse"
    assert one.interval[1] - one.interval[0] < 0.8 * (alone.interval[1] - alone.interval[0])


def test_repeated_runs_that_differ_by_more_rest_on_runs():
    """Means of 1, 2, 3 and 1.5, 2.5, 3.5: Student's t with 4 degrees, 0.5 +- 2.776 sqrt(2 / 3)."""
    before = [run(seed, independent(0.01), scale=factor) for seed, factor in ((1, 1.0), (2, 2.0), (3, 3.0))]
    after = [run(seed, independent(0.01), scale=factor) for seed, factor in ((4, 1.5), (5, 2.5), (6, 3.5))]
    one = infer(before, after, [metrics.mean()], seed=1, resamples=40_000)[0]
    assert one.basis.method == "runs"
    assert one.basis.runs == (3, 3)
    assert "3 and 3" in one.remarks[0]
    assert one.verdict == INDISTINGUISHABLE
    half = (one.interval[1] - one.interval[0]) / 2
    assert half == pytest.approx(0.1 * 2.7764451 * math.sqrt(2 / 3), rel=0.15)
    # One histogram each is enough where Runs are many.
    single = infer([of_one(x) for x in before], [of_one(x) for x in after], [metrics.mean()], seed=1)[0]
    assert single.basis.method == "runs"
    assert single.verdict == INDISTINGUISHABLE


def test_amounts_of_other_blocks_are_corrected_together_with_response_times():
    runs = [run(seed, blocks=256) for seed in (1, 2)]
    other = [amounts(np.random.default_rng(seed), blocks) for seed, blocks in enumerate(runs)]
    dear = replace(other[1], amounts={**other[1].amounts, "device_j": other[1].amounts["device_j"] * 3})
    asked = [metrics.power(), metrics.energy_per_request(), metrics.bandwidth(), metrics.rate()]
    times, sums = infer_all(
        [Question([runs[0]], [runs[1]], MEAN), Question([other[0]], [dear], asked)], seed=1
    )
    assert [one.verdict for one in sums[:2]] == ["worse", "worse"]
    assert sums[0].after / sums[0].before == pytest.approx(3, rel=0.2)
    assert {one.verdict for one in times} == {INDISTINGUISHABLE}
    alone = infer([runs[0]], [runs[1]], MEAN, seed=1)
    # The first question has the same stream whether or not another follows.
    assert [one.p for one in times] == [min(1.0, 2 * one.p) for one in alone]


def test_an_amount_that_one_run_has_not_is_no_figure():
    known = amounts(np.random.default_rng(1), run(1))
    without = replace(known, amounts={})
    [one] = infer([known], [without], [metrics.power()], seed=1)
    assert one.before is not None
    assert one.after is None
    assert one.difference is None
    assert one.verdict == NO_VERDICT
    (said,) = one.remarks
    assert said.startswith("after: ")


def test_what_does_not_vary_differs_for_certain_or_not_at_all():
    calm = amounts(np.random.default_rng(1), run(1))
    seconds = calm.seconds
    watts = {value: replace(calm, amounts={"device_j": value * seconds}) for value in (5.0, 6.0)}
    [same] = infer([watts[5.0]], [watts[5.0]], [metrics.power()], seed=1)
    [more] = infer([watts[5.0]], [watts[6.0]], [metrics.power()], seed=1)
    assert same.verdict == INDISTINGUISHABLE
    assert more.verdict == "worse"
    assert more.interval == (pytest.approx(1.0), pytest.approx(1.0))


def test_shares_over_a_threshold():
    over = metrics.share_over(300_000)
    assert over.name == "over_0.3_ms"
    [one] = infer([run(1)], [run(2, scale=2.0)], [over], seed=1)
    # Exponential with mean 1 / 0.7 of the service time, then twice that.
    assert one.before == pytest.approx(math.exp(-2.1), rel=0.15)
    assert one.after == pytest.approx(math.exp(-1.05), rel=0.15)
    assert one.verdict == "worse"
    never = metrics.share_over(1e12)
    [none] = infer([run(1)], [run(2)], [never], seed=1)
    assert (none.before, none.after, none.difference) == (0, 0, 0)
    assert none.verdict in (INDISTINGUISHABLE, NO_VERDICT)


def test_seeds_need_more_to_be_held_apart_than_measurements():
    """Factors at which Q has a chance between 1 and 20 %."""
    before = [run(1, independent(0.5)), run(2, independent(0.5), scale=1.005)]
    after = [run(3, independent(0.5))]
    measured, by_seed = (
        infer_all([Question(before, after, [metrics.mean()], by_seed=flag)], seed=1)[0][0]
        for flag in (False, True)
    )
    assert (measured.basis.method, by_seed.basis.method) == ("runs", "blocks")
    assert measured.interval[1] - measured.interval[0] > 3 * (by_seed.interval[1] - by_seed.interval[0])


@pytest.mark.filterwarnings("error")
def test_groups_whose_power_never_varies():
    calm = amounts(np.random.default_rng(1), run(1))
    sides = [
        [
            replace(calm, amounts={"device_j": watts * calm.seconds * wobble})
            for wobble in (1.0, 1 + 1e-15, 1 - 1e-15)
        ]
        for watts in (5.0, 6.0)
    ]
    [one] = infer(*sides, [metrics.power()], seed=1)
    assert one.basis.method == "blocks"
    assert one.verdict == "worse"
    [same] = infer(sides[0], sides[0], [metrics.power()], seed=1)
    assert same.verdict == INDISTINGUISHABLE
