"""The answer in words and what stands out: computed, and absent where there is nothing to say."""

from __future__ import annotations

import polars as pl
import pytest

from iowatt.lenses.findings import findings
from iowatt.lenses.kept_up import backlog_growth, drain, kept_up
from iowatt.pages.run.answer import answer
from iowatt.render import numbers
from report.fixture import Recipe, build


def said(run):
    return " ".join(answer(run)).replace("\u00a0", " ")


def has(text, *parts):
    """Whether all figures and names are in a sentence."""
    return all(part in text for part in parts)


def warnings(run):
    return [finding.text.replace("\u00a0", " ") for finding in findings(run) if finding.decides]


def test_the_answer_says_what_was_simulated_and_what_it_costs(made):
    text = said(made)
    requests = made.summary["requests"]
    assert has(text, "8 arrays2002-disk", "RAID-5", "oltp (", "pg_tpcc_paced.parquet", "0.4 ×")
    assert has(text, f"{requests['count']:,}", f"{made.summary['power_w']['mean']:.0f} W", "60 min")
    # 80 % of the time at 12 W of 6 % at 14 W, 14 % at 16.5 W, 80 % at 12 W: 9.6 of 12.75 W
    assert "75.3 %" in text
    # idle would draw 12 W of the 12.75 W
    assert "5.9 %" in text


def test_a_quiet_run_says_so():
    text = said(build(Recipe(rate=0, busy=0, disks=1)))
    assert has(text, "1 arrays2002-disk", "RAID-5", "12.0 W", "100 %")
    assert "reads)" not in text and "oltp" not in text


def test_stopped_drives_and_what_they_save_are_told():
    run = build(Recipe(intervals=10))
    # 10 kJ when idle all the time; 4 kJ of idle, 1 kJ of work and 3 kJ of standby instead: 20 % less
    run.summary["energy"] |= {
        "total_j": 8e3,
        "above_idle_j": -2e3,
        "by_state_j": {"active": 400.0, "positioning": 600.0, "idle": 4e3, "standby": 3e3},
    }
    text = said(run)
    shares = ["50 %", "12.5 %", "37.5 %", "20 %"]
    assert has(text, *shares)
    assert sorted(shares, key=text.index) == shares


def test_a_busy_array_is_told_apart():
    assert has(said(build(Recipe(busy=0.93))), "69.4 %", "positioning")


def test_nothing_stands_out_in_a_calm_run(made):
    assert warnings(made) == []


def test_overload_stands_out():
    run = build(Recipe(busy=0.93, overload=True))
    found = warnings(run)
    assert any(has(text, "8 of 8", "90 %", "disks.0: 93 %") for text in found)
    queues = [numbers.significant(mean) for mean in kept_up(run).in_flight]
    assert any(has(text, *queues) for text in found)
    left = run.summary["requests"]["in_flight_at_end"]
    assert any(text.startswith(f"{left:,} ") for text in found)


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
    # No request took longer than 20 ms: so long after the last arrival all were done.
    assert drain(course([500], [100.0]), 0.25, 0.02) is None
    assert drain(course([500], [100.0]), 0.25, 0.5) == (0.25, 0.5)
    assert drain(course([0, 0], [0.0, 0.0]), None) is None


def test_overload_of_a_finite_replay_is_named_and_no_longer_run_advised():
    run = build(Recipe(intervals=40, interval_s=1.0))
    run.summary["window"]["last_arrival_s"] = 8.0
    run.summary["response_time_ms"]["all"] |= {"mean": 10.0, "mean_ci95": [8.0, 12.0], "max": 32e3}
    calm = warnings(run)
    assert len(calm) == 1 and "longer" in calm[0]
    run._tables["intervals"] = run.table("intervals").with_columns(
        OVERLOAD["arrivals"].cast(pl.UInt64), OVERLOAD["in_flight_mean"]
    )
    piles, drains, uncertain = warnings(run)
    assert has(piles, "30.0", "70.0")
    assert has(drains, "8 s", "32 s", "400 %")
    assert "95 %" in uncertain and "longer" not in uncertain
    # A closed loop has no queue of its own: the drain after its last request says nothing.
    run.plan["simulation"]["workloads"][0]["replay"] = {"mode": "closed", "outstanding": 64}
    assert not any("400 %" in text for text in warnings(run))


def test_an_uncertain_mean_stands_out():
    run = build(Recipe(intervals=10))
    run.summary["response_time_ms"]["all"]["mean_ci95"] = [8.0, 12.0]
    run.summary["response_time_ms"]["all"]["mean"] = 10.0
    assert any(has(text, "95 %", "8.00 to 12.0 ms", "20 %") for text in warnings(run))
    run.summary["response_time_ms"]["all"]["mean_ci95"] = [9.1, 10.9]
    assert warnings(run) == []
    run.summary["response_time_ms"]["all"]["mean_ci95"] = None
    assert len(warnings(run)) == 1


def test_thin_percentiles_are_called_anecdotes():
    # about 1 500 requests: 15 beyond p99, 1.5 beyond p99.9, 0.15 beyond p99.99
    texts = [finding.text for finding in findings(build(Recipe(intervals=5)))]
    assert any(has(text, "p99.9 and p99.99", "10") for text in texts)
    assert not any(text.startswith("p99 ") for text in texts)


def test_other_oddities_stand_out():
    run = build(Recipe(intervals=10))
    run.summary["requests"]["errors"] = 3
    run.summary["devices"][2]["utilisation"] = 0.6
    run.summary["devices"][2]["spin_ups"] = 4
    run.summary["window"]["warmup_s"] = 90.0
    run.summary["workloads"][0]["trace"] = {"skipped_bad": 2}
    texts = [finding.text.replace("\u00a0", " ") for finding in findings(run)]
    for parts in (("3 requests",), ("2 ", "oltp"), ("4 times",), ("90 s",)):
        assert sum(has(text, *parts) for text in texts) == 1, parts
    # seven at 20 % and one at 60 %: mean 25 %
    assert any(has(text, "disks.2", "60 %", "25 %") for text in texts)
    decides = [note.decides for note in findings(run)]
    assert decides == sorted(decides, reverse=True)
