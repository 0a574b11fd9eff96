"""The answer in words and what stands out: computed, and absent where there is nothing to say."""

from __future__ import annotations

import polars as pl
import pytest

from iowatt.lenses.backlog import backlog_growth, drain
from iowatt.lenses.findings import findings
from iowatt.pages.run.story import answer
from report.fixture import Recipe, build


def said(run):
    return " ".join(answer(run)).replace("\u00a0", " ")


def warnings(run):
    return [finding.text.replace("\u00a0", " ") for finding in findings(run) if finding.weight == "warning"]


def test_the_answer_says_what_was_simulated_and_what_it_costs(made):
    text = said(made)
    requests = made.summary["requests"]
    assert text.startswith("This run simulates 8 arrays2002-disk drives in RAID-5 serving oltp (")
    assert "pg_tpcc_paced.parquet; " in text
    assert "open, 0.4 × recorded speed): " in text
    assert f"{requests['count']:,} requests" in text
    assert f"{made.summary['power_w']['mean']:.0f} W on average" in text
    assert "in 60 min" in text
    # 80 % of the time at 12 W of 6 % at 14 W, 14 % at 16.5 W, 80 % at 12 W: 9.6 of 12.75 W
    assert "75.3 % of the energy keeps drives spinning that have nothing to do" in text
    # idle would draw 12 W of the 12.75 W
    assert "the work costs 5.9 % of the energy" in text


def test_a_quiet_run_says_so():
    text = said(build(Recipe(rate=0, busy=0, disks=1)))
    assert text.startswith("This run simulates 1 arrays2002-disk drive in RAID-5 without any request for ")
    assert "12.0 W on average" in text
    assert "100 % of the energy" in text


def test_stopped_drives_and_what_they_save_are_told():
    run = build(Recipe(intervals=10))
    # 10 kJ when idle all the time; 4 kJ of idle, 1 kJ of work and 3 kJ of standby instead: 20 % less
    run.summary["energy"] |= {
        "total_j": 8e3,
        "above_idle_j": -2e3,
        "by_state_j": {"active": 400.0, "positioning": 600.0, "idle": 4e3, "standby": 3e3},
    }
    text = said(run)
    assert "50 % of the energy keeps drives spinning that have nothing to do; " in text
    assert "moving heads and data takes 12.5 % and stopped drives take 37.5 %." in text
    assert "In all, the drives use 20 % less than if they spun idle all the time." in text


def test_a_busy_array_is_told_apart():
    assert "Most of the energy, 69.4 %, goes into drives that are positioning their heads" in said(
        build(Recipe(busy=0.93))
    )


def test_nothing_stands_out_in_a_calm_run(made):
    assert warnings(made) == []


def test_overload_stands_out():
    found = warnings(build(Recipe(busy=0.93, overload=True)))
    assert any("8 of 8 drives are busy more than 90 % of the time (disks.0: 93 %)" in text for text in found)
    assert any("Work piles up" in text for text in found)
    assert any("still in flight at the end" in text for text in found)


def quarters(*in_flight):
    """Eight intervals, two for each quarter."""
    values = [value for value in in_flight for _ in range(2)]
    return pl.DataFrame(
        {
            "start_s": [float(i) for i in range(8)],
            "end_s": [i + 1.0 for i in range(8)],
            "in_flight_mean": values,
        }
    )


@pytest.mark.parametrize(
    ("in_flight", "growth"),
    [
        ((0.0, 5.0, 8.0, 12.0), (5.0, 12.0)),
        ((0.0, 5.0, 8.0, 9.0), None),  # less than twice as many
        ((0.0, 0.1, 0.2, 0.9), None),  # ten times as many, but not a backlog
        ((0.0, 50.0, 50.0, 50.0), None),  # filling up at the start is no growth
    ],
)
def test_a_backlog_is_growth_in_proportion_and_in_number(in_flight, growth):
    assert backlog_growth(quarters(*in_flight), 8.0) == growth


def course(arrivals, in_flight):
    """Intervals of 1 s."""
    return pl.DataFrame(
        {
            "start_s": [float(i) for i in range(len(arrivals))],
            "end_s": [i + 1.0 for i in range(len(arrivals))],
            "arrivals": arrivals,
            "in_flight_mean": in_flight,
        }
    )


# 8 s of arrivals in which the queue grows by 10 a second, then 32 s in which it only empties.
OVERLOAD = course([20] * 8 + [0] * 32, [5.0 + 10 * i for i in range(8)] + [80 - 2.5 * i for i in range(32)])


def test_a_backlog_is_looked_for_while_requests_arrive():
    # Quarters of 40 s: seconds 10 to 20 hold 62 on average, the last ten hold 11: no growth is seen.
    assert backlog_growth(OVERLOAD, None) is None
    # Quarters of the 8 s: 25 and 35, then 65 and 75.
    assert backlog_growth(OVERLOAD, 8.0) == (30, 70)


def test_a_long_drain_is_overload():
    assert drain(OVERLOAD, 8.0) == (8, 32)
    # 20 s of arrivals, done 1 s later: less than a tenth.
    assert drain(course([20] * 20 + [0], [30.0] * 21), 20.0) is None
    # A drive that spins up for the last request: long, but nothing is piled up.
    assert drain(course([20] * 10 + [0] * 26, [1.0] * 36), 10.0) is None
    # The window goes on with nothing to do: what counts is when the work ended.
    assert drain(course([20] * 20 + [0] * 40, [30.0] * 21 + [0.0] * 39), 20.0) is None
    # Coarse intervals: everything in one.
    assert drain(course([500], [100.0]), 0.25) == (0.25, 0.75)
    assert drain(course([0, 0], [0.0, 0.0]), None) is None


def test_overload_of_a_finite_replay_is_named_and_no_longer_run_advised():
    run = build(Recipe(intervals=40, interval_s=1.0))
    run.summary["window"]["last_arrival_s"] = 8.0
    run.summary["response_time_ms"]["all"] |= {"mean": 10.0, "mean_ci95": [8.0, 12.0]}
    calm = warnings(run)
    assert len(calm) == 1 and "A longer run would narrow it." in calm[0]
    run._tables["intervals"] = run.table("intervals").with_columns(
        OVERLOAD["arrivals"].cast(pl.UInt64), OVERLOAD["in_flight_mean"]
    )
    found = " ".join(warnings(run))
    assert "Work piles up: 30.0 requests were in flight" in found
    assert "requests arrived for 8 s, and completing what had queued up by then took another 32 s" in found
    assert "(400 % of that)" in found
    assert "the half-width of its 95 % interval" in found
    assert "longer run" not in found
    # A closed loop has no queue of its own: the drain after its last request says nothing.
    run.plan["simulation"]["workloads"][0]["replay"] = {"mode": "closed", "outstanding": 64}
    assert "could not keep up" not in " ".join(warnings(run))


def test_an_uncertain_mean_stands_out():
    run = build(Recipe(intervals=10))
    run.summary["response_time_ms"]["all"]["mean_ci95"] = [8.0, 12.0]
    run.summary["response_time_ms"]["all"]["mean"] = 10.0
    assert any("95 % interval (8.00 to 12.0 ms) is 20 % of the mean" in text for text in warnings(run))
    run.summary["response_time_ms"]["all"]["mean_ci95"] = [9.1, 10.9]
    assert warnings(run) == []
    run.summary["response_time_ms"]["all"]["mean_ci95"] = None
    assert warnings(run) == ["There were too few requests to say how certain the mean response time is."]


def test_thin_percentiles_are_called_anecdotes():
    # about 1 500 requests: 15 beyond p99, 1.5 beyond p99.9, 0.15 beyond p99.99
    texts = [finding.text for finding in findings(build(Recipe(intervals=5)))]
    assert "p99.9 and p99.99 rest on fewer than 10 requests; take them as anecdotes." in texts


def test_other_oddities_stand_out():
    run = build(Recipe(intervals=10))
    run.summary["requests"]["errors"] = 3
    run.summary["devices"][2]["utilisation"] = 0.6
    run.summary["devices"][2]["spin_ups"] = 4
    run.summary["window"]["warmup_s"] = 90.0
    run.summary["workloads"][0]["trace"] = {"skipped_bad": 2}
    texts = [finding.text.replace("\u00a0", " ") for finding in findings(run)]
    assert "3 requests ended in an error." in texts
    assert "2 malformed records of the trace of oltp were skipped." in texts
    assert "Drives spun up 4 times; requests waited for that." in texts
    assert "The first 90 s were cut as warm-up and are in no figure." in texts
    # seven at 20 % and one at 60 %: mean 25 %
    assert "The load is uneven: disks.2 is busy 60 % of the time, the mean drive 25 %." in texts
    assert [f.weight for f in findings(run)] == sorted((f.weight for f in findings(run)), reverse=True)
