"""From the simulator's indices and nanoseconds to names and tables."""

from __future__ import annotations

import numpy as np
import pytest

import handmade
from figures import figures
from iowatt.sources.simulation import counts, remarks
from iowatt.sources.simulation.counts import capacity
from iowatt.sources.simulation.tables import devices, energy, intervals, latency


def test_intervals_in_the_units_of_their_names():
    table = intervals(handmade.intervals())
    assert table["start_s"].to_list() == [0, 50]
    assert table["response_mean_ms"].to_list() == [3, 15]  # 15 ms over 5, 30 ms over 2
    assert table["response_max_ms"].to_list() == [5, 20]
    # 150 + 500 + 1500 J and 150 + 1900 J in 50 s.
    assert table["power_w"].to_list() == [43, 41]
    assert table["positioning_j"].to_list() == [500, 0]


def test_an_interval_without_completions_has_no_response_time():
    raw = {name: column.copy() for name, column in handmade.intervals().items()}
    raw["completions"][1] = 0
    table = intervals(raw)
    for column in ("response_mean_ms", "response_p50_ms", "response_p99_ms", "response_max_ms"):
        assert table[column][1] is None
        assert table[column][0] is not None


def test_no_intervals_at_all():
    raw = {name: column[:0] for name, column in handmade.intervals().items()}
    assert intervals(raw).height == 0


def test_latency_rows_carry_names():
    raw = handmade.latency()
    raw["workload"] = np.array([0, 0, 0, 0, 0, 1, 1], dtype=np.uint32)
    table = latency(raw, ["a", "b"], ["data", "log"])
    assert table["workload"].to_list() == ["a"] * 5 + ["b"] * 2
    assert table["volume"].to_list() == ["data"] * 5 + ["log"] * 2
    assert table["op"].to_list() == ["read"] * 5 + ["write"] * 2


def test_energy_has_a_row_for_each_drive_and_state():
    table = energy(handmade.plan()["names"]["devices"], handmade.SUMMARY["devices"])
    assert table.height == 2 * 6
    active, positioning, idle, standby = table.head(4).iter_rows(named=True)
    assert (active["component"], active["kind"], active["power_w"], active["energy_j"]) == (
        "disks.0",
        "hdd",
        30,
        300,
    )
    assert (positioning["time_s"], idle["time_s"]) == (20, 70)
    # Never entered: no mean power of it.
    assert (standby["time_s"], standby["power_w"]) == (0, None)


def test_devices_have_their_own_joules_and_seconds():
    table = devices(handmade.plan()["names"]["devices"], handmade.SUMMARY)
    busy = table.row(0, named=True)
    assert (busy["seek_s"], busy["rotation_s"], busy["transfer_s"]) == (12, 8, 10)
    assert sum(busy[f"energy_{state}_j"] for state in handmade.STATES) == busy["energy_total_j"] == 2200


@pytest.mark.parametrize(
    ("level", "count", "usable"),
    # A drive of 1,000,000,000 bytes holds 62,500 whole units of 16,000: nothing is lost to rounding.
    [("0", 4, 4), ("1", 2, 1), ("10", 4, 2), ("4", 4, 3), ("5", 4, 3), ("6", 4, 2)],
)
def test_usable_capacity_of_a_level(level, count, usable):
    plan = handmade.plan()
    plan["simulation"]["pools"][0] |= {"count": count}
    plan["simulation"]["pools"][0]["raid"]["level"] = level
    assert capacity(plan["names"], plan["simulation"]).usable_bytes == usable * 10**9


def test_a_pool_without_a_volume_is_raw_capacity_only():
    plan = handmade.plan()
    plan["simulation"]["pools"].append(plan["simulation"]["pools"][0])
    plan["names"]["devices"] += plan["names"]["devices"]
    found = capacity(plan["names"], plan["simulation"])
    assert (found.raw_bytes, found.usable_bytes) == (4 * 10**9, 2 * 10**9)


def test_a_clean_trace_needs_no_remark():
    raw = handmade.decoded()
    raw["summary"]["sources"] = [None]
    assert len(remarks.remarks(handmade.plan()["names"], raw, 50.0)) == 2


def test_intervals_wider_than_asked_for_are_said():
    names, raw = handmade.plan()["names"], handmade.decoded()
    (note,) = set(remarks.remarks(names, raw, 25.0)) - set(remarks.remarks(names, raw, 50.0))
    assert figures(note) == [25, 50]


def test_a_window_without_arrivals_is_said():
    raw = handmade.decoded()
    names = handmade.plan()["names"]
    assert remarks.NO_ARRIVALS not in remarks.remarks(names, raw, 50.0)
    raw["summary"]["total"]["arrived"] = 0
    assert remarks.NO_ARRIVALS in remarks.remarks(names, raw, 50.0)
    # An idle array has no workload, and nothing to say.
    raw["summary"]["sources"] = []
    assert remarks.NO_ARRIVALS not in remarks.remarks({**names, "workloads": []}, raw, 50.0)


def test_the_last_arrival_is_none_where_nothing_arrived():
    summary = handmade.decoded()["summary"]
    assert counts.window(summary, 0.0).last_arrival_s == 99
    summary["window"]["last_arrival_ns"] = 0
    # A single request at time zero, or none at all.
    assert counts.window(summary, 0.0).last_arrival_s == 0
    assert counts.window({**summary, "requests_simulated": 0}, 0.0).last_arrival_s is None
