"""The plan: shape, numbers, and what is not in it."""

from __future__ import annotations

import json

import pytest

from iowatt.base.problems import DocumentError
from iowatt.model.scenario import compile_plan, load, resolve_sources
from noted import noted
from refused import refused

TEXT = """\
name = "two"
seed = 7
[[workload]]
name = "a"
volume = "right"
replay = { mode = "closed", outstanding = 4, per = "stream" }
[workload.trace]
path = "in/t.csv"
format = "csv"
columns = { time = "T" }
time_unit = "us"
sector_size = "4k"
order_tolerance = "2s"
skip_bad = 3
[[workload]]
name = "b"
volume = "left"
trace = { path = "-", event = "D", device = "8,0" }
[[array.pool]]
name = "p"
device = "arrays2002-disk"
count = 4
raid = { level = 10, stripe_unit = "64k" }
scheduler = "c-look"
phase = "zero"
power = { policy = "fixed-threshold", threshold = "90s" }
[[array.pool]]
name = "q"
device = "toshiba-mg04sca500e"
count = 1
[[array.volume]]
name = "left"
pool = "p"
capacity = "1GiB"
[[array.volume]]
name = "right"
pool = "q"
[[array.bus]]
name = "bus"
drives = ["p"]
bandwidth = "160MB/s"
arbitration = "2us"
[observe]
warmup = "1min"
duration = "1h"
"""


@pytest.fixture
def plan():
    return compile_plan(load(TEXT, traces_must_exist=False))


def test_the_plan_is_json_and_the_same_each_time(plan):
    assert json.loads(json.dumps(plan, allow_nan=False)) == plan
    assert compile_plan(load(TEXT, traces_must_exist=False)) == plan
    assert list(plan) == ["schema", "name", "names", "notes", "sources", "warmup", "simulation"]
    assert (plan["schema"], plan["name"], plan["warmup"]) == ("iowatt.plan/1", "two", None)


def test_names(plan):
    names = plan["names"]
    assert (names["workloads"], names["volumes"], names["pools"], names["buses"]) == (
        ["a", "b"],
        ["left", "right"],
        ["p", "q"],
        ["bus"],
    )
    assert [d["name"] for d in names["devices"]] == ["p.0", "p.1", "p.2", "p.3", "q.0"]
    # 1 GiB of two mirrored pairs.
    raw = names["devices"][0]["raw_bytes"]
    assert names["devices"][0]["used_share"] == pytest.approx(2**30 / (2 * raw), rel=1e-3)
    assert names["devices"][4] == {
        "name": "q.0",
        "model": "toshiba-mg04sca500e",
        "pool": "q",
        "kind": "hdd",
        "raw_bytes": 5 * 10**12,
        "idle_w": 6.2,
        "ratings": {},
        "levels": [],
        "used_share": 1.0,
        "sold_bytes": 5 * 10**12,
        "price_class": "hdd-to-6tb",
        "reliability": {"class": "hdd-desktop"},
    }


def test_sources(plan):
    right = 5 * 10**12
    assert plan["sources"] == [
        {
            "path": "in/t.csv",
            "format": "csv",
            "columns": {"time": "T"},
            "time_unit": "us",
            "sector_bytes": 4096,
            "event": None,
            "device": None,
            "skip_bad": 3,
            "order_tolerance_s": 2.0,
            "limit_bytes": right,
            "limit_name": "right",
            "order_only": True,  # a closed replay
        },
        {
            "path": "-",
            "format": None,
            "columns": None,
            "time_unit": None,
            "sector_bytes": None,
            "event": "D",
            "device": "8,0",
            "skip_bad": 0,
            "order_tolerance_s": None,
            "limit_bytes": 2**30,
            "limit_name": "left",
        },
    ]


def test_trace_paths_are_found_at_run_time(plan, tmp_path):
    first, second = resolve_sources(plan, tmp_path)
    assert first["path"] == str(tmp_path / "in" / "t.csv")
    assert second["path"] == "-"
    assert plan["sources"][0]["path"] == "in/t.csv"


def test_the_simulation(plan):
    simulation = plan["simulation"]
    assert simulation["seed"] == 7
    assert simulation["workloads"] == [
        {"volume": 1, "replay": {"mode": "closed", "outstanding": 4, "per": "stream"}},
        {"volume": 0, "replay": {"mode": "open", "speed": 1.0}},
    ]
    assert simulation["volumes"] == [
        {"pool": 0, "offset_bytes": 0, "capacity_bytes": 2**30},
        {"pool": 1, "offset_bytes": 0, "capacity_bytes": 5 * 10**12},
    ]
    assert simulation["buses"] == [{"bandwidth_bytes_per_s": 160e6, "arbitration_s": 2e-6}]
    assert simulation["observe"] == {
        "warmup_s": 60.0,
        "end_s": 3600.0,
        "interval_s": None,
        "idle": False,
    }


def test_pools(plan):
    first, second = plan["simulation"]["pools"]
    assert first["raid"] == {
        "level": "10",
        "stripe_unit_bytes": 65536,
        "layout": "left-symmetric",
        "small_write": "auto",
        "parity_check_on_read": False,
    }
    assert (first["count"], first["scheduler"], first["bus_of_drive"]) == (4, "c-look", [0, 0, 0, 0])
    assert first["power_policy"] == {"policy": "fixed-threshold", "threshold_s": 90.0, "level": 1}
    assert (second["count"], second["scheduler"], second["bus_of_drive"]) == (1, "look", [])
    assert second["power_policy"] == {"policy": "never"}
    # One drive without raid is one unit, so that no request is split.
    assert (second["raid"]["level"], second["raid"]["stripe_unit_bytes"]) == ("0", 5 * 10**12)


def test_devices(plan):
    first, second = (pool["device"] for pool in plan["simulation"]["pools"])
    assert first["power"] == {
        "active_w": 39.0,
        "positioning_w": 39.0,
        "levels": {
            "idle_w": 22.3,
            "below": [
                {
                    "watts": 12.72,
                    "enter": {"seconds": 15.0, "joules": 15.0 * 12.72},
                    "leave": {"seconds": 26.0, "joules": 26.0 * 34.8},
                    "stopped": True,
                    "serves_at": None,
                }
            ],
        },
        "states": [3],
    }
    assert (first["kind"], first["phase"], first["rpm"], first["surfaces"]) == ("hdd", "zero", 12_000.0, 22)
    assert (first["sectors"], first["sector_bytes"]) == (65_625_000, 512)
    assert first["seek"]["points"][0] == [1, 0.001245, 0.001245]
    assert first["layout"]["zoned"]["mapping"] == "serpentine-by-zone"
    assert (first["buffer"]["segments"], first["buffer"]["fast_write"]) == (21, 0)
    assert second["phase"] == "random"
    assert (second["power"]["levels"], second["power"]["states"]) == ({"idle_w": 6.2, "below": []}, [])


def test_automatic_warmup():
    plan = compile_plan(load(TEXT, ["observe.warmup=auto"], traces_must_exist=False))
    assert plan["warmup"] == "auto"
    assert plan["simulation"]["observe"]["warmup_s"] == 0.0


def test_notes_say_what_is_a_stand_in(plan):
    assert plan["notes"][0]["code"] == "stand-in"
    assert noted(plan["notes"])["stand-in"].startswith("arrays2002-disk")
    assert "toshiba-mg04sca500e: geometry" in noted(plan["notes"])["drive"]
    assert len({note["text"] for note in plan["notes"]}) == len(plan["notes"])


def test_notes_say_that_a_trace_is_slowed_down(plan):
    slowed = compile_plan(
        load(TEXT, ["workload.b.replay={mode = 'open', speed = 0.4}"], traces_must_exist=False)
    )
    (note,) = (note for note in slowed["notes"] if note not in plan["notes"])
    assert (note["code"], note["decides"]) == ("replay-speed", True)
    assert "'b'" in note["text"] and "0.4" in note["text"]


def test_a_contradiction_in_a_scenario_made_in_python():
    scenario = load(TEXT, traces_must_exist=False)
    workload = scenario.workload[0].model_copy(update={"volume": "up"})
    with refused("unknown-name", "workload.0.volume", DocumentError):
        compile_plan(scenario.model_copy(update={"workload": [workload]}))


def test_missing_traces_can_be_asked_for(tmp_path):
    scenario = load(TEXT, traces_must_exist=False)
    with refused("not-found", "workload.0.trace.path", DocumentError):
        compile_plan(scenario, tmp_path, traces_must_exist=True)


def test_spares_failures_and_rebuild_go_into_the_plan():
    text = """
    name = "broken"
    [[array.pool]]
    name = "disks"
    device = "arrays2002-disk"
    count = 4
    spares = 1
    raid = { level = 5 }
    rebuild = { rate = "50MB/s", delay = "1min" }
    [[array.pool.failure]]
    drive = 2
    at = "10min"
    [observe]
    duration = "1h"
    """
    plan = compile_plan(load(text))
    assert [device["name"] for device in plan["names"]["devices"]] == [f"disks.{i}" for i in range(5)]
    (pool,) = plan["simulation"]["pools"]
    assert pool["count"] == 4
    assert pool["recovery"] == {
        "spares": 1,
        "sparing": "dedicated",
        "failures": [{"drive": 2, "at_s": 600.0}],
        "rebuild": {
            "delay_s": 60.0,
            "rate_bytes_per_s": 50e6,
            "outstanding": 1,
            "step_bytes": 1 << 20,
            "priority": "host-first",
        },
    }
    whole = compile_plan(
        load(
            text.replace("spares = 1", "").replace(
                '[[array.pool.failure]]\n    drive = 2\n    at = "10min"', ""
            )
        )
    )
    recovery = whole["simulation"]["pools"][0]["recovery"]
    assert (recovery["spares"], recovery["failures"], recovery["rebuild"]["delay_s"]) == (0, [], 60.0)
    plain = compile_plan(
        load(text.partition("spares")[0] + 'raid = { level = 5 }\n[observe]\nduration = "1h"')
    )
    assert plain["simulation"]["pools"][0]["recovery"] is None


def held(keys: str, device: str = '"arrays2002-disk"') -> dict:
    text = f"""
    name = "queued"
    [[array.pool]]
    name = "disks"
    device = {device}
    count = 1
    {keys}
    [observe]
    duration = "1h"
    """
    plan = compile_plan(load(text))
    return {**plan["simulation"]["pools"][0], "notes": plan["notes"]}


def test_commands_that_a_drive_holds():
    assert held("")["command_queue"] is None
    queued = held('queue_depth = 32\ndrive_scheduler = "elevator"')
    assert (queued["scheduler"], queued["command_queue"]) == ("look", {"depth": 32, "scheduler": "look"})
    # The drive's own order, where the scenario leaves it to the drive: the Cheetah 15K.5's is SPTF, of 8.
    watts = 'power = { active = "15W", positioning = "15W", idle = "10W" }'
    fifteen = f'{{ name = "seagate-cheetah-15k5", {watts} }}'
    assert held("queue_depth = 4", fifteen)["command_queue"] == {"depth": 4, "scheduler": "sptf"}
    assert held("queue_depth = 2")["command_queue"] == {"depth": 2, "scheduler": "fcfs"}
    alone = held('drive_scheduler = "sptf"')
    assert alone["command_queue"] is None
    assert "drive-scheduler-unused" in noted(alone["notes"])


def test_deadlines_of_both_queues():
    plain, late = held(""), held('scheduler_deadline = "500ms"')
    assert "deadline_s" not in plain and late["deadline_s"] == 0.5
    queued = held('queue_depth = 32\ndrive_scheduler = "sptf"\ndrive_deadline = "2s"')
    assert queued["command_queue"] == {"depth": 32, "scheduler": "sptf", "deadline_s": 2.0}


def test_the_write_cache_can_be_turned():
    def fast_write(keys: str, device: str) -> tuple[int, int]:
        """The level, and how many notes the key adds."""
        watts = 'power = { active = "9W", positioning = "9W", idle = "6W" }'
        plan, plain = (held(given, f'{{ name = "{device}", {watts} }}') for given in (keys, ""))
        added = [note for note in plan["notes"] if note not in plain["notes"]]
        assert all(note["code"] == "drive" and device in note["text"] for note in added)
        return plan["device"]["buffer"]["fast_write"], len(added)

    # 0 none, 1 contiguous, 2 across reads, by the files.
    for device, level in (("seagate-cheetah-4lp", 1), ("quantum-atlas-iii", 2)):
        assert fast_write("", device) == (level, 0)
        assert fast_write("write_cache = true", device) == (level, 0), "the level of its file"
        assert fast_write("write_cache = false", device) == (0, 1)
    assert fast_write("write_cache = true", "dec-rz26") == (2, 1)
    assert fast_write("write_cache = false", "dec-rz26") == (0, 0)


def test_the_read_ahead_can_be_turned():
    def read_ahead(keys: str, device: str) -> tuple[int, int]:
        """The policy by its number in the plan, and how many notes the key adds."""
        watts = 'power = { active = "9W", positioning = "9W", idle = "6W" }'
        plan, plain = (held(given, f'{{ name = "{device}", {watts} }}') for given in (keys, ""))
        added = [note for note in plan["notes"] if note not in plain["notes"]]
        return plan["device"]["buffer"]["read_ahead"], len(added)

    given = read_ahead("", "quantum-atlas-iii")
    assert read_ahead("read_ahead = true", "quantum-atlas-iii") == given, "the policy of its file"
    off = read_ahead("read_ahead = false", "quantum-atlas-iii")
    assert off == (read_ahead("", "arrays2002-disk")[0], 1)
    on = read_ahead("read_ahead = true", "arrays2002-disk")
    assert on == (read_ahead("", "arrays2002-disk-ahead")[0], 1)
