"""Every figure of run.json against the run worked out in ``handmade``."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from pydantic import ValidationError

from iowatt.lenses.summary import summarise
from iowatt.run.record import Completions

SCHEMA_FILE = Path(__file__).parents[2] / "schema" / "results" / "iowatt.run.schema.json"

# What applies to a simulation of plain disks.
KEYS = {
    "schema": None,
    "name": None,
    "source": None,
    "provenance": {"version", "seed", "inputs", "host", "started_at", "python", "command"},
    "window": {"start_s", "end_s", "duration_s", "warmup_s", "last_arrival_s"},
    "requests": {
        "count",
        "reads",
        "writes",
        "bytes_read",
        "bytes_written",
        "errors",
        "in_flight_at_end",
        "completed",
    },
    "throughput": {"completions", "iops", "mib_per_s"},
    "response_time_ms": {"all", "read", "write"},
    "energy": {"total_j", "per_request_j", "energy_delay_js", "by_state_j", "by_component_j", "above_idle_j"},
    "power_w": {"mean", "max", "wall_mean", "wall_max", "idle", "wall_idle"},
    "power_basis": None,
    "capacity_gb": {"raw", "usable", "effective"},
    "efficiency": {"iops_per_w", "mib_per_s_per_w", "raw_gb_per_w"},
    "devices": None,
    "volumes": None,
    "workloads": None,
    "notes": None,
    "simulation": {"wall_s", "cpu_s", "requests_per_cpu_s", "peak_rss_mib", "threads", "serial"},
}


@pytest.fixture
def summary(run):
    return run.summary


def test_every_key_of_the_contract_is_there(summary):
    for key, parts in KEYS.items():
        assert key in summary
        if parts is not None:
            assert parts <= set(summary[key])
    percentiles = {"count", "mean", "std", "p50", "p90", "p95", "p99", "p999", "p9999", "max", "mean_ci95"}
    assert set(summary["response_time_ms"]["all"]) == percentiles


def test_requests_in_are_completed_and_in_flight(summary):
    requests = summary["requests"]
    assert requests["count"] == requests["reads"] + requests["writes"] == 8
    assert requests["count"] == requests["completed"] + requests["in_flight_at_end"]
    assert (requests["bytes_read"], requests["bytes_written"]) == (20480, 16384)


def test_work_and_energy_are_of_the_same_span(record, provenance):
    # Three stragglers of the warm-up completed inside the window: 10 completions, 4200 J, 42 W, 100 s.
    done = Completions(requests=10, bytes_read=8 * 4096, bytes_written=16384)
    found = summarise(replace(record, total=replace(record.total, completions=done)), provenance).as_dict()
    assert found["throughput"] == {
        "completions": 10,
        "iops": 0.1,
        "mib_per_s": pytest.approx(49152 / 2**20 / 100),
    }
    assert found["energy"]["per_request_j"] == 420
    assert found["energy"]["energy_delay_js"] == pytest.approx(420 * 45e-3 / 7)
    assert found["efficiency"]["iops_per_w"] == pytest.approx(0.1 / 42)
    # Requests and response times stay those of the arrivals.
    assert (found["requests"]["completed"], found["response_time_ms"]["all"]["count"]) == (7, 7)


def test_throughput_counts_completed_work(summary):
    # 7 requests and 20480 + 16384 bytes in 100 s.
    assert summary["throughput"]["iops"] == pytest.approx(0.07)
    assert summary["throughput"]["mib_per_s"] == pytest.approx(36864 / 2**20 / 100)


def test_response_times_in_ms(summary):
    times = summary["response_time_ms"]
    assert times["all"]["mean"] == pytest.approx(45 / 7)
    assert times["read"]["mean"] == pytest.approx(3)
    assert times["read"]["std"] == pytest.approx(math.sqrt(2))
    assert times["write"]["max"] == pytest.approx(20)
    # Ranks of 7: ceil(3.5) = 4, ceil(6.3) = 7; of 5 reads: ceil(2.5) = 3.
    assert times["all"]["p50"] == pytest.approx(4)
    assert times["all"]["p90"] == pytest.approx(20)
    assert times["read"]["p50"] == pytest.approx(3)
    # Seven batches are too few for an interval.
    assert times["all"]["mean_ci95"] is None


def test_energy_adds_up(summary):
    energy = summary["energy"]
    assert energy["total_j"] == 4200
    assert energy["by_state_j"] == {
        "active": 300, "positioning": 500, "idle": 3400, "standby": 0, "spin_up": 0, "spin_down": 0,
    }  # fmt: skip
    assert energy["by_component_j"] == {"disks.0": 2200, "disks.1": 2000}
    assert energy["per_request_j"] == 600
    # 600 J x 45/7 ms.
    assert energy["energy_delay_js"] == pytest.approx(600 * 45e-3 / 7)
    # Two drives of 20 W for 100 s would have used 4000 J.
    assert energy["above_idle_j"] == 200


def test_power_is_of_the_drives(summary):
    # The first half used 2150 J in 50 s.
    wall = dict.fromkeys(("wall_mean", "wall_max", "wall_idle"))
    assert summary["power_w"] == {"mean": 42, "max": 43, "idle": 40, **wall}
    assert summary["power_basis"] == "device"
    assert any(" 50 s (" in note for note in summary["notes"])


def test_efficiency_is_over_mean_power(summary):
    assert summary["capacity_gb"] == {"raw": 2, "usable": 2, "effective": 2}
    assert summary["efficiency"]["iops_per_w"] == pytest.approx(0.07 / 42)
    assert summary["efficiency"]["raw_gb_per_w"] == pytest.approx(2 / 42)


def test_a_device_entry(summary):
    busy, idle = summary["devices"]
    assert busy["utilisation"] == pytest.approx(0.3)  # 10 s active and 20 s positioning of 100 s
    assert busy["queue_length_seen"] == pytest.approx(12 / 8)
    assert busy["seek_distance_mean_cylinders"] == pytest.approx(1000 / 4)
    assert busy["service_time_mean_ms"] == pytest.approx(4)
    assert busy["response_time_mean_ms"] == pytest.approx(6)
    assert busy["wear_fraction"] is None
    assert sum(busy["state_time_s"].values()) == summary["window"]["duration_s"]
    assert sum(busy["energy_j"].values()) == 2200
    # Nothing arrived at the other: no mean of nothing.
    assert idle["queue_length_seen"] is None
    assert idle["seek_distance_mean_cylinders"] is None
    assert idle["utilisation"] == 0


def test_volumes_and_workloads_have_the_same_figures(summary):
    (volume,), (workload,) = summary["volumes"], summary["workloads"]
    for part in (volume, workload):
        for key in ("requests", "throughput", "response_time_ms"):
            assert part[key] == summary[key]
    assert (volume["name"], volume["pool"], workload["volume"]) == ("db", "disks", "db")
    # What the reader counted: one record was read ahead and never issued.
    assert (workload["trace"]["records_read"], workload["requests"]["count"]) == (9, 8)
    assert workload["trace"]["skipped_bad"] == 1


def test_a_bus_entry(summary):
    # 2 s of the window's 100 s; 4 ms over 8 transfers.
    assert summary["buses"] == [{"name": "scsi0", "transfers": 8, "utilisation": 0.02, "wait_mean_ms": 0.5}]


def test_a_bus_is_busy_for_a_share_of_the_window(record, provenance):
    # The window starts at 50 s: 2 s of its 50 s.
    found = summarise(replace(record, window=replace(record.window, start_s=50.0)), provenance)
    assert found.buses[0].utilisation == 0.04


def test_the_last_arrival_is_in_the_window(summary):
    assert summary["window"]["last_arrival_s"] == 99


def test_notes_say_what_was_left_out_of_the_trace(summary):
    notes = "\n".join(summary["notes"])
    assert "test-disk is a stand-in" in notes
    assert "1 malformed" in notes
    assert "1 trims" in notes and "0 flushes" in notes


def test_simulation_cost(summary):
    assert summary["simulation"]["requests_per_cpu_s"] == pytest.approx(8 / 4)


def test_a_measured_run_has_no_simulation(record, provenance):
    measured = summarise(replace(record, source="fio", simulation=None), provenance)
    assert "simulation" not in measured.as_dict()


def test_a_figure_that_is_no_number_is_not_written(record, provenance):
    wrong = replace(record, total=replace(record.total, in_flight_mean=0.0, bytes_read=math.nan))
    with pytest.raises(ValidationError):
        summarise(wrong, provenance)


def test_the_schema_accepts_what_is_written_and_refuses_an_unknown_key(summary):
    schema = json.loads(SCHEMA_FILE.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(json.dumps(summary)), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**summary, "watts": 1}, schema)
