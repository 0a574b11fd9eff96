"""The primary metrics, on published figures and on tables worked out by hand."""

from __future__ import annotations

import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emerald_runs import Made, plan, run_of
from iowatt.emerald.analyze.checks import efficiency, minutes, validity


def test_ready_idle_of_the_published_array():
    found = efficiency.ready_idle_gb_per_w(50 * 146e9, 592.692)
    assert round(found, 3) == 12.317
    assert efficiency.significant(found) == "12.3"


def test_mw2_takes_three_quarters_of_the_power_of_mw1():
    """From EP_MW1 = 10.501 and EP_MW2 = 3.486 at a quarter of the rate, as submitted for the same array."""
    ratio = efficiency.power_ratio(3.486, 10.501, 0.25)
    assert round(ratio, 3) == 0.753
    # The same by way of rates and powers.
    rate = 8000.0
    p1, p2 = rate / 10.501, 0.25 * rate / 3.486
    assert ratio == pytest.approx(p2 / p1)
    assert efficiency.ep(0.25 * rate, ratio * p1) == pytest.approx(3.486)


def test_ep_is_the_ratio_of_means_and_not_the_mean_of_ratios():
    stage = plan().stages[1]
    made = Made([600.0, 1200.0], [300.0, 900.0], [2.0, 8.0])
    run = run_of(stage, made, 0.0)
    own = minutes.of_table(run.table("intervals"), "IOPS")
    found = efficiency.means(own)
    assert (found.operations_rate, found.power_w) == (900.0, 600.0)
    assert efficiency.ep(found.operations_rate, found.power_w) == 1.5
    assert list(own.efficiency) == pytest.approx([2.0, 1200 / 900])
    # Each request counts once: 600 at 2 ms and 1200 at 8 ms.
    assert found.response_ms == pytest.approx(6.0)


def test_sequential_work_is_counted_in_binary_mebibytes():
    stage = next(stage for stage in plan().stages if stage.id == "SR")
    run = run_of(stage, Made([400.0] * 3, [100.0] * 3, [5.0] * 3), 0.0)
    own = minutes.of_table(run.table("intervals"), minutes.unit_of("SR"))
    assert efficiency.means(own).operations_rate == 100.0  # 400 requests of 256 KiB


def test_a_minute_without_power_is_in_neither_mean():
    stage = plan().stages[1]
    run = run_of(stage, Made([100.0, 900.0, 100.0], [50.0, None, 50.0], [1.0] * 3), 0.0)
    found = efficiency.means(minutes.of_table(run.table("intervals"), "IOPS"))
    assert (found.metered_rate, found.power_w, found.seconds) == (100.0, 50.0, 120.0)
    assert found.operations_rate == pytest.approx(1100 / 3)
    assert efficiency.ep(found.metered_rate, found.power_w) == 2.0


def test_what_a_load_generator_ran_beyond_the_plan_is_left_out():
    stage = plan().stages[1]
    table = run_of(stage, Made([100.0] * 4, [50.0] * 4, [1.0] * 4), 0.0).table("intervals")
    last = pl.col("start_s") == 180.0
    table = table.with_columns(pl.when(last).then(187.0).otherwise(pl.col("end_s")).alias("end_s"))
    own = minutes.of_table(table, "IOPS")
    assert len(own.planned(180.0, 60.0)) == 3
    assert len(own.planned(240.0, 60.0)) == 4  # then it is a part of what was asked for
    assert len(own.planned(None, 60.0)) == 4


def test_nothing_metered_gives_a_rate_and_no_metric():
    stage = plan().stages[1]
    run = run_of(stage, Made([100.0] * 2, [None] * 2, [1.0] * 2), 0.0)
    found = efficiency.means(minutes.of_table(run.table("intervals"), "IOPS"))
    assert found.operations_rate == 100.0
    assert efficiency.ep(found.metered_rate, found.power_w) is None
    assert efficiency.ep(100.0, 0.0) is None


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (12.3167, "12.3"),
        (592.692, "593"),
        (0.1204, "0.120"),
        (9.996, "10.0"),
        (99.96, "100"),
        (12345.6, "12300"),
        (1.0, "1.00"),
        (0.0, "0"),
    ],
)
def test_three_significant_digits(value, shown):
    assert efficiency.significant(value) == shown


@given(st.floats(1e-6, 1e9))
def test_what_is_shown_is_within_half_a_unit_of_its_last_digit(value):
    unit = 10.0 ** (math.floor(math.log10(value)) - 2)
    assert abs(float(efficiency.significant(value)) - value) <= 0.5001 * unit


def test_a_point_of_4330_iops_at_32_8_ms_is_invalid_under_20_ms():
    stage = plan().stages[1]
    made = Made([4330.0] * 30, [900.0] * 30, [32.8] * 30)
    run = run_of(stage, made, 0.0)
    own = minutes.of_table(run.table("intervals"), "IOPS")
    (finding,) = validity.response_mean(efficiency.means(own).response_ms, 20.0)
    assert finding.weight == "invalid"
    assert "32.8 ms" in finding.text
    assert "20 ms" in finding.text
    assert not list(validity.response_mean(20.0, 20.0))
