"""Power policies from scenario to Run: levels by name, batching, stagger, oracles, joules by cause."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

import iowatt
from iowatt.model.library.find import find_drive
from iowatt.pages.run import energy
from iowatt.render.palette import CAUSE_NAMES
from refused import refused

# Bursts of ten requests a second apart, then rests of 30, 90, 300 and 20 s.
RESTS = (30, 90, 300, 20)
LEVELS = (
    '{ name = "arrays2002-disk", power = { level = ['
    '{ name = "idle_b", power = "18W", enter_time = "0s", leave_time = "500ms", leave_power = "22.3W" }, '
    '{ name = "idle_c", power = "15W", enter_time = "1s", enter_power = "15W", leave_time = "2s", '
    'leave_power = "30W" }], '
    'speeds = { rpm = [9000, 6000], electronics = "5W", step_time = "500ms", step_power = "25W" } } }'
)
POLICIES = {
    "never": '{ policy = "never" }',
    "fixed": '{ policy = "fixed-threshold", threshold = "10s" }',
    "two-competitive": '{ policy = "two-competitive" }',
    "randomised": '{ policy = "two-competitive", randomised = true }',
    "adaptive": '{ policy = "adaptive", initial = "5s" }',
    "share": '{ policy = "share" }',
    "arima": '{ policy = "arima", certainty = 0.9, autoregressive = 3, differences = 0 }',
    "law-driven": '{ policy = "law-driven", law = "observed", certainty = 0 }',
    "oracle": '{ policy = "oracle-energy" }',
    "oracle-any": '{ policy = "oracle-energy", to = "any" }',
    "oracle-latency": '{ policy = "oracle-latency" }',
    "multi-level": '{ policy = "multi-level", timers = { idle_b = "2s", idle_c = "10s", standby = "60s" } }',
    "envelope": '{ policy = "multi-level" }',
    "multi-speed": '{ policy = "multi-speed", timers = { rpm_9000 = "2s", rpm_6000 = "5s" } }',
}


def scenario(folder, power, *, device='"arrays2002-disk"', count=4, every_s=None):
    rows, time = ["time,op,offset,size"], 0.0
    for burst, rest in enumerate((*RESTS, *RESTS)):
        for number in range(10):
            at = (burst * 7919 + number * 104_729) % 100_000 * 65_536
            rows.append(f"{time:.6f},{'W' if number % 3 == 0 else 'R'},{at},4096")
            time += 1.0
        time += rest
    if every_s is not None:
        rows[1:] = [f"{number * every_s},R,{number * 65_536},4096" for number in range(100)]
    (folder / "bursts.csv").write_text("\n".join(rows) + "\n")
    text = f"""
name = "managed"
[[workload]]
name = "bursts"
trace = {{ path = "bursts.csv", format = "csv", time_unit = "s" }}
[[array.pool]]
name = "disks"
device = {device}
count = {count}
raid = {{ level = 5, stripe_unit = "64KiB" }}
power = {power}
"""
    path = folder / "managed.toml"
    path.write_text(text)
    return path


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("policies")
    return {name: iowatt.run(scenario(folder, power, device=LEVELS)) for name, power in POLICIES.items()}


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_keeps_the_books(runs, name):
    run = runs[name]
    found = run.summary
    energy, window = found["energy"], found["window"]
    assert found["requests"]["completed"] == 80
    assert math.fsum(energy["by_cause_j"].values()) == energy["total_j"]
    assert math.fsum(energy["by_state_j"].values()) == pytest.approx(energy["total_j"], rel=1e-12)
    for device in found["devices"]:
        assert math.fsum(device["state_time_s"].values()) == pytest.approx(window["duration_s"], rel=1e-12)
        by_cause = math.fsum(device["energy_by_cause_j"].values())
        assert by_cause == pytest.approx(math.fsum(device["energy_j"].values()), rel=1e-12)
    intervals = run.table("intervals")
    columns = [f"{state}_j" for state in energy["by_state_j"]]
    assert intervals.select(columns).sum().row(0) == pytest.approx(
        [energy["by_state_j"][column.removesuffix("_j")] for column in columns], rel=1e-9
    )


def test_oracles_change_no_response_and_the_one_by_energy_is_not_beaten_without_delay(runs):
    never = runs["never"].summary
    for name in ("oracle", "oracle-any", "oracle-latency"):
        found = runs[name].summary
        assert found["response_time_ms"] == never["response_time_ms"]
        assert found["power_management"]["added_wait_mean_ms"] == 0
    joules = {name: run.summary["energy"]["total_j"] for name, run in runs.items()}
    assert joules["oracle-any"] <= joules["oracle"] <= joules["never"]
    assert joules["oracle"] <= joules["oracle-latency"]
    # The end is cut for all alike: no rest of 20 s follows the last burst.
    for name in ("fixed", "two-competitive", "randomised", "adaptive", "share"):
        assert joules["oracle"] <= joules[name] * (1 + 1e-9), name


def test_only_what_changes_levels_has_power_management(runs):
    assert "power_management" not in runs["never"].summary
    found = runs["multi-level"].summary["power_management"]
    assert found["spin_downs"] == found["spin_ups"] > 0
    assert found["level_changes"] > found["spin_downs"]
    assert found["added_wait_mean_ms"] > 0 == found["batching_wait_mean_ms"]
    assert list(found["spinning_up_most"]) == ["disks"]


def test_the_report_has_energy_by_cause(runs):
    shown = energy.by_cause(runs["multi-level"])
    assert shown.key == "energy-by-cause"
    causes = shown.table.column("Cause")
    used = ("host_read", "redundancy", "power_management", "low_power")
    assert {CAUSE_NAMES[cause] for cause in used} <= set(causes)
    assert CAUSE_NAMES["rebuild"] not in causes
    assert sum(shown.table.column("Share of energy")) == pytest.approx(100)
    assert CAUSE_NAMES["low_power"] not in energy.by_cause(runs["never"]).table.column("Cause")


def test_levels_have_their_names_and_speeds_serve(runs):
    device = runs["multi-level"].summary["devices"][0]
    assert device["state_time_s"]["idle_b"] > 0 < device["state_time_s"]["idle_c"]
    rows = runs["multi-level"].table("energy").rows_by_key("state")
    assert {"idle_b", "idle_c", "rpm_9000", "standby"} <= set(rows)
    slow = runs["multi-speed"].summary
    # Only what comes while the speed changes waits.
    assert slow["power_management"]["added_wait_mean_ms"] < 500
    assert slow["response_time_ms"]["all"]["mean"] > runs["never"].summary["response_time_ms"]["all"]["mean"]
    # P(n) = 5 W + 17.3 W (n / 12,000 rpm)^2.8
    watts = 5 + 17.3 * 0.5**2.8
    device = slow["devices"][0]
    assert device["energy_j"]["rpm_6000"] == pytest.approx(watts * device["state_time_s"]["rpm_6000"])


def test_batching_saves_spin_ups_and_states_its_price(tmp_path):
    fixed = POLICIES["fixed"]
    plain = iowatt.run(scenario(tmp_path, fixed, every_s=30)).summary
    held = fixed.replace(" }", ', batching = { max_wait = "10min", max_requests = 8 } }')
    batched = iowatt.run(scenario(tmp_path, held, every_s=30)).summary
    assert plain["power_management"]["batching_wait_mean_ms"] == 0
    assert batched["power_management"]["batching_wait_mean_ms"] > 100
    assert batched["power_management"]["spin_ups"] < plain["power_management"]["spin_ups"] / 2
    assert batched["power_w"]["mean"] < plain["power_w"]["mean"]
    assert batched["response_time_ms"]["all"]["mean"] > plain["response_time_ms"]["all"]["mean"]


def test_staggered_spin_ups_are_never_more_than_asked(tmp_path):
    fixed = POLICIES["fixed"]
    most = {}
    for limit in (1, 2):
        staggered = fixed.replace(" }", f", stagger = {{ at_once = {limit} }} }}")
        found = iowatt.run(scenario(tmp_path, staggered)).summary
        most[limit] = found["power_management"]["spinning_up_most"]["disks"]
    assert most == {1: 1, 2: 2}


def check(path, code, place, *named):
    """The scenario at ``path`` is refused with this code, at this key; the message names these."""
    with refused(code, re.compile(rf"\.toml:\d+: {re.escape(place)}$")) as caught:
        iowatt.run(path)
    assert all(one in caught.value.message for one in named), caught.value.message
    return caught.value


def test_unknown_and_incomplete_levels_are_named(tmp_path):
    timers = '{ policy = "multi-level", timers = { idle_b = "2s" } }'
    power, device = "array.pool.disks.power", "array.pool.disks.device"
    check(scenario(tmp_path, timers), "unknown-name", power, "'idle_b'")
    gap = (
        '{ name = "arrays2002-disk", power = { level = ['
        '{ name = "idle_b", power = "18W", enter_time = "0s" }] } }'
    )
    error = check(scenario(tmp_path, timers, device=gap), "missing-figure", device, "leave_time", "idle_b")
    assert 'leave_time = "..s"' in error.hint
    high = gap.replace('"18W"', '"30W"').replace('"0s"', '"0s", leave_time = "0s"')
    check(scenario(tmp_path, timers, device=high), "conflict", power, "'idle_b'", "22.3 W")
    standing = '{ policy = "multi-speed", timers = { idle_b = "2s" } }'
    still = gap.replace('"0s"', '"0s", leave_time = "0s"')
    check(scenario(tmp_path, standing, device=still), "conflict", f"{power}.timers", "'idle_b'")
    named = gap.replace("idle_b", "standby")
    check(scenario(tmp_path, timers, device=named), "not-accepted", f"{device}.power.level.standby.name")
    check(scenario(tmp_path, '{ policy = "multi-level", timers = {} }'), "missing", f"{power}.timers")
    late = '{ policy = "oracle-energy", stagger = { at_once = 1 } }'
    check(scenario(tmp_path, late), "not-applicable", f"{power}.stagger")


def test_predictions_that_cannot_be_are_refused(tmp_path):
    power = "array.pool.disks.power"
    long = '{ policy = "arima", autoregressive = 9, moving_average = 4 }'
    check(scenario(tmp_path, long), "out-of-range", power, "`autoregressive`", "12")
    sure = '{ policy = "law-driven", certainty = 1 }'
    check(scenario(tmp_path, sure), "out-of-range", f"{power}.certainty")
    other = '{ policy = "law-driven", law = "gamma" }'
    check(scenario(tmp_path, other), "not-accepted", f"{power}.law", "weibull")


def test_timers_that_never_act_are_refused(tmp_path):
    timers = "array.pool.disks.power.timers"
    early = '{ policy = "multi-level", timers = { idle_b = "10min", standby = "10s" } }'
    check(scenario(tmp_path, early, device=LEVELS), "conflict", f"{timers}.idle_b", "'idle_b'", "'standby'")
    # Standby of this drive draws 12.72 W, 6000 rpm 7.5 W.
    passed = '{ policy = "multi-speed", timers = { rpm_6000 = "10s", standby = "60s" } }'
    check(
        scenario(tmp_path, passed, device=LEVELS), "conflict", f"{timers}.standby", "'standby'", "'rpm_6000'"
    )


def test_levels_and_speeds_that_cannot_be_are_refused(tmp_path):
    b = '{ name = "idle_b", power = "18W", enter_time = "0s", leave_time = "0s" }'
    device = "array.pool.disks.device"

    def wrong(power, code, place, *named):
        text = '{ name = "arrays2002-disk", power = { ' + power + " } }"
        check(scenario(tmp_path, '{ policy = "never" }', device=text), code, place, *named)

    wrong(f"level = [{b}, {b}]", "duplicate", f"{device}.power.level", "'idle_b'")
    speeds = 'speeds = { rpm = [9000], electronics = "5W", step_time = "1s", step_power = "25W" }'
    wrong(speeds.replace("9000", "15000, 9000"), "conflict", device, "15000 rpm", "12000 rpm")
    wrong(speeds.replace('"5W"', '"25W"'), "conflict", device, "25 W", "22.3 W")
    wrong(f"level = [{b.replace('idle_b', 'rpm_9000')}], {speeds}", "conflict", device, "'rpm_9000'")
    fast = b.replace("leave_time", "speed = 15000, leave_time")
    wrong(f"level = [{fast}]", "conflict", device, "'idle_b'", "15000 rpm", "12000 rpm")


def test_the_evaluator_agrees_with_the_simulator(tmp_path):
    """One drive, whose rests are the only idle periods that matter: the same joules saved by both."""
    from iowatt import core

    never, oracle = (
        iowatt.run(scenario(tmp_path, POLICIES[name], count=3)).summary for name in ("never", "oracle")
    )
    drive = find_drive("arrays2002-disk", tmp_path)
    levels, policy = json.dumps(drive.ladder.plan), json.dumps({"policy": "oracle-energy", "level": 1})
    assert core.break_even(levels) == [pytest.approx(59.9, abs=0.05)]
    saved = never["energy"]["total_j"] - oracle["energy"]["total_j"]
    # Every drive rests at least as long as the array does, 90 and 300 s twice, and at most two bursts longer.
    bounds = []
    for longer in (0, 20):
        lengths = np.array([(rest + longer) * 10**9 for rest in (90, 300, 90, 300)], dtype=np.uint64)
        found = core.evaluate_policy(lengths, levels, policy)
        bounds.append(3 * (found["baseline_j"] - found["energy_j"]))
    assert bounds[0] < saved < bounds[1]
