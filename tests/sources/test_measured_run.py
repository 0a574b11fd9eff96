"""Measured Runs: figures follow from the observation, and what nobody knows is null."""

import math
from dataclasses import replace

import numpy as np
import pytest

from figures import figures
from iowatt.run.bundle import Run
from iowatt.run.histogram import Histogram
from iowatt.sources.measured import MeasuredAbout, measured_run
from iowatt.sources.meters.log.instrument import Instrument, InstrumentLog
from iowatt.sources.observation import Direction, Interval, Observation, ReportedTotals
from refused import refused

START = 1_790_000_000.0


def observation(minutes=10, width=60.0, **changes):
    made = [
        Interval(
            START + width * k,
            START + width * (k + 1),
            # The same set of means for ten minutes as 0.1 k, and no drift.
            Direction(700, 700 * 8192, 0.006 + 0.0001 * (3 * k % 10), 0.05),
            Direction(300, 300 * 8192, 0.004, 0.03),
        )
        for k in range(minutes)
    ]
    read = Histogram.of([5_000_000], [7_000_000], [700 * minutes])
    write = Histogram.of([3_000_000], [5_000_000], [300 * minutes])
    given = {"intervals": made, "read": read, "write": write, "asked_iops": 17.0} | changes
    return Observation("MW1", "fio", "fio-3.33", START, START + width * minutes, **given)


def meter(name="pdu1", watts=590.0, every=5.0, *, without=None, quantity="watts"):
    times = START - 20 + np.arange(0, 700.0, every)
    if without is not None:
        times = times[(times <= START + without[0]) | (times > START + without[1])]
    return InstrumentLog(
        Instrument(name, "snmp", "indicative", "a PDU"), times, {quantity: np.full(len(times), watts)}
    )


def test_figures_follow_from_counts_and_watts():
    summary = measured_run(
        MeasuredAbout("mw1", raw_bytes=7300 * 10**9), observation(), power=[meter()]
    ).summary
    assert summary["throughput"]["iops"] == pytest.approx(10_000 / 600)
    mean = (0.7 * np.mean([0.006 + 0.0001 * k for k in range(10)]) + 0.3 * 0.004) * 1e3
    assert summary["response_time_ms"]["all"]["mean"] == pytest.approx(mean)
    assert summary["response_time_ms"]["all"]["mean_ci95"] is not None
    assert summary["power_w"]["wall_mean"] == pytest.approx(590)
    assert summary["energy"]["total_j"] == pytest.approx(590 * 600)
    assert summary["efficiency"]["iops_per_w"] == pytest.approx(10_000 / 600 / 590)
    assert summary["efficiency"]["raw_gb_per_w"] == pytest.approx(7300 / 590)
    assert summary["power_basis"] == "wall"
    # Little's law.
    (workload,) = summary["workloads"]
    assert workload["in_flight_mean"] == pytest.approx(10_000 / 600 * mean / 1e3)
    assert summary["driver"]["achieved_iops"] == pytest.approx(10_000 / 600)
    assert summary["instruments"][0]["grade"] == "indicative"


def test_what_nobody_knows_is_null():
    summary = measured_run(MeasuredAbout("x"), observation()).summary
    assert summary["power_w"] == dict.fromkeys(("mean", "max", "wall_mean", "wall_max", "idle", "wall_idle"))
    assert summary["energy"]["total_j"] is None
    assert summary["capacity_gb"] == {"raw": None, "usable": None, "effective": None}
    assert any("meter" in note for note in summary["notes"])


def test_a_minute_that_a_meter_missed_has_no_power_and_is_not_filled_in():
    run = measured_run(
        MeasuredAbout("x"), observation(), power=[meter(), meter("pdu2", 10.0, without=(65, 110))]
    )
    watts = run.table("intervals")["wall_w"].to_list()
    assert watts[0] == pytest.approx(600)
    assert watts[1] is None
    assert run.summary["power_w"]["wall_mean"] is None
    assert run.summary["energy"]["total_j"] is None
    assert any("pdu2, interval 2" in note for note in run.summary["notes"])
    table = run.table("instruments")
    assert table.height == 20
    assert table.filter((table["instrument"] == "pdu2") & (table["start_s"] == 60.0))["samples"].item() < 12


def test_a_log_of_another_day_or_without_watts_is_refused():
    late = meter()
    late = InstrumentLog(late.instrument, late.time_s + 86_400, late.quantities)
    with refused("not-comparable", "pdu1"):
        measured_run(MeasuredAbout("x"), observation(), power=[late])
    with refused("missing-figure", "pdu1"):
        measured_run(MeasuredAbout("x"), observation(), power=[meter(quantity="celsius")])


def test_a_rest_is_a_run_without_requests(tmp_path):
    run = measured_run(
        MeasuredAbout("idle", raw_bytes=10**12),
        None,
        power=[meter()],
        temperature=[meter("probe", 22.5, 10.0, quantity="celsius")],
        start=START,
        end=START + 630,
        source="vdbench",
    )
    summary = run.summary
    assert summary["requests"]["count"] == 0
    assert summary["source"] == "vdbench"
    assert run.table("intervals")["end_s"].to_list()[-2:] == [600.0, 630.0]
    assert summary["power_w"]["wall_mean"] == pytest.approx(590)
    assert [one["role"] for one in summary["instruments"]] == ["power", "temperature"]
    again = Run.open(run.save(tmp_path / "idle").path)
    assert again.table("instruments").equals(run.table("instruments"))


def test_finer_intervals_are_joined_and_gaps_are_refused():
    run = measured_run(MeasuredAbout("x"), observation(120, width=5.0))
    table = run.table("intervals")
    assert table.height == 10
    assert table["completions"].to_list() == [12_000] * 10
    parts = list(observation().intervals)
    with refused("damaged", "MW1"):
        measured_run(MeasuredAbout("x"), observation(intervals=parts[:3] + parts[4:]))
    with refused("not-comparable", "MW1"):
        measured_run(MeasuredAbout("x"), observation(width=300.0))
    with refused("empty", "MW1"):
        measured_run(MeasuredAbout("x"), observation(intervals=[]))


def test_spread_comes_from_intervals_or_bins_or_is_unknown():
    nothing = Histogram.of([], [], [])
    unknown = measured_run(MeasuredAbout("x"), observation(read=nothing, write=nothing)).summary[
        "response_time_ms"
    ]
    assert unknown["all"]["std"] is None
    assert unknown["all"]["p99"] is None
    known = measured_run(MeasuredAbout("x"), observation()).summary["response_time_ms"]
    assert known["read"]["std"] == pytest.approx(math.sqrt((6.0 - known["read"]["mean"]) ** 2), rel=1e-6)


def test_a_rest_that_lasts_a_little_too_long_has_its_power_and_no_interval_more():
    run = measured_run(MeasuredAbout("x"), None, power=[meter()], start=START, end=START + 600.0004)
    table = run.table("intervals")
    assert table.height == 10
    assert table["end_s"][-1] == pytest.approx(600.0004, abs=1e-6)
    assert run.summary["energy"]["total_j"] == pytest.approx(590 * 600.0004)


def test_a_last_part_too_short_for_a_sample_is_counted_with_the_interval_before_and_said():
    part = observation(minutes=4, width=1.0)
    end = Interval(START + 4, START + 4.277, Direction(7, 7 * 8192, 0.006), Direction(3, 3 * 8192, 0.004))
    part = replace(part, intervals=[*part.intervals, end])
    run = measured_run(MeasuredAbout("x"), part, power=[meter(every=1.0)], interval_s=1.0)
    assert run.table("intervals").height == 4
    assert run.summary["energy"]["total_j"] == pytest.approx(590 * 4.277)
    assert any(0.277 in figures(note) for note in run.summary["notes"])


def test_one_meter_twice_is_refused(tmp_path):
    one, other = meter(), meter("copy")
    with refused("duplicate", "copy"):
        measured_run(MeasuredAbout("x"), observation(), power=[one, other])
    named = [
        replace(log, instrument=replace(log.instrument, serial="C1"))
        for log in (meter(), meter("b", 10.0, every=4.0))
    ]
    with refused("duplicate", "b") as caught:
        measured_run(MeasuredAbout("x"), observation(), power=named)
    assert "C1" in caught.value.message


def test_a_part_of_the_meters_is_not_the_power():
    run = measured_run(MeasuredAbout("x"), observation(), power=[meter(watts=300.0)], missing=["pdu2"])
    assert run.table("intervals")["wall_w"].null_count() == 10
    assert run.summary["power_w"]["wall_mean"] is None
    assert run.summary["energy"]["total_j"] is None
    assert run.table("energy").height == 0
    assert run.table("instruments")["mean"].to_list() == [300.0] * 10  # what the one said stays
    assert any("pdu2" in note for note in run.summary["notes"])


def test_the_tools_own_summary_is_kept_beside_the_counts():
    said = ReportedTotals(16.0, 0.125, 0.0054)
    driver = measured_run(MeasuredAbout("x"), observation(reported=said)).summary["driver"]
    assert driver["reported"] == {"iops": 16.0, "mib_per_s": 0.125, "response_mean_ms": pytest.approx(5.4)}
    assert driver["achieved_iops"] == pytest.approx(10_000 / 600)
    assert measured_run(MeasuredAbout("x"), observation()).summary["driver"]["reported"] is None
