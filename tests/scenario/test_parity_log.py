"""Logs of parity updates in scenarios: plans, usable bytes, notes, refusals, and what a Run says of them."""

from __future__ import annotations

import pytest

import iowatt
from iowatt.base.problems import DocumentError
from iowatt.evaluate.estimate.unknown import NotEstimated, check_modelled
from iowatt.evaluate.search.metrics.table import row_of_run
from iowatt.lenses.recovery import failures
from iowatt.model.scenario import compile_plan, load
from iowatt.model.scenario.describe import check
from iowatt.pages.run import outcome
from iowatt.pages.run.recovery import Recovery
from iowatt.render import numbers
from iowatt.sources.simulation.counts import capacity
from refused import faults

SCENARIO = """\
name = "logged"
{workload}
[[array.pool]]
name = "disks"
device = {{ name = "arrays2002-disk", capacity = "1GB" }}
count = {count}
raid = {{ level = {level}, {keys} }}
{more}
[observe]
{observe}
"""
UNIT = 65536
UNITS = 1_000_000_000 // UNIT
LOGGED = 'small_write = "parity-log", log_regions = 4'
LOG_UNITS = 50_000_000 // UNIT


def scenario(keys: str = LOGGED, more: str = "", *, level: str = "5", count: int = 5, load: str = "") -> str:
    observe = "" if load else 'duration = "1h"'
    return SCENARIO.format(keys=keys, more=more, level=level, count=count, workload=load, observe=observe)


@pytest.mark.parametrize(
    ("level", "keys", "count", "data"),
    [
        ("4", "", 5, 4),
        ("5", "", 5, 4),
        ("6", "", 6, 4),
        ('"ec"', "data = 8, parity = 3, ", 11, 8),
        ('"ec"', "data = 12, parity = 2, local_groups = 2, ", 16, 12),
    ],
)
def test_the_log_takes_its_share_of_each_drive(level, keys, count, data):
    text = scenario(keys + LOGGED, level=level, count=count)
    plan = compile_plan(load(text))
    (pool,) = plan["simulation"]["pools"]
    assert pool["raid"]["small_write"] == "parity-log"
    assert pool["raid"]["log"] == {
        "drive_bytes": LOG_UNITS * UNIT, "regions": 4, "run_stripes": 16, "buffer_bytes": 1 << 20,
    }  # fmt: skip
    usable = (UNITS - LOG_UNITS) * data * UNIT
    assert check(text).pools[0].usable_bytes == usable
    assert capacity({"devices": []}, plan["simulation"]).usable_bytes == usable
    # A log is reintegrated at the pace of a rebuild, without spares and failures, too.
    assert pool["recovery"]["rebuild"]["priority"] == "host-first"
    assert "parity-log" in [note["code"] for note in plan["notes"]]
    with pytest.raises(NotEstimated) as error:
        check_modelled(plan["simulation"], plan["names"])
    assert str(error.value.place).endswith("raid.small_write")


@pytest.mark.parametrize(("regions", "much"), [(8, True), (2000, False)])
def test_a_log_that_needs_much_memory_is_warned_of(regions, much):
    # Of 24 TB, 5 % in halves: 0.6 TB of 4 data drives in 8 regions are 279 GiB, in 2,000 regions 1.1 GiB.
    text = scenario(f'small_write = "parity-log", log_regions = {regions}')
    text = text.replace('{ name = "arrays2002-disk", capacity = "1GB" }', '"seagate-exos-x24-24tb"')
    decides = {note["code"]: note["decides"] for note in compile_plan(load(text))["notes"]}
    assert decides.get("parity-log-memory", False) is much
    assert ("parity-log" in decides) is not much


@pytest.mark.parametrize(
    ("keys", "level", "count"), [(LOGGED, "10", 4), (LOGGED, "0", 4), ("log_buffer = '2MiB'", "5", 5)]
)
def test_keys_without_effect_are_noted(keys, level, count):
    plan = compile_plan(load(scenario(keys, level=level, count=count)))
    raid = plan["simulation"]["pools"][0]["raid"]
    assert (raid["small_write"], raid.get("log")) == ("auto", None)
    assert [note["code"] for note in plan["notes"] if note["decides"]] == ["raid-key-unused"]


@pytest.mark.parametrize(
    ("keys", "more", "fault"),
    [
        (LOGGED, "chunklet = true", "unsupported @ raid.small_write"),
        (LOGGED + ", parity_check_on_read = true", "", "conflict @ raid.parity_check_on_read"),
        (LOGGED, "spares = 1\nsparing = 'distributed'", "unsupported @ sparing"),
        (LOGGED + ", log = 0.0001", "", "out-of-range @ raid.log"),
        (LOGGED + ", log = 1.0", "", "out-of-range @ raid.log"),
        (LOGGED + ", log_buffer = '4KiB'", "", "out-of-range @ raid.log_buffer"),
    ],
)
def test_what_contradicts_a_log_is_refused_in_its_place(keys, more, fault):
    with pytest.raises(DocumentError) as error:
        load(scenario(keys, more))
    assert faults(error.value) == fault.replace("@ ", "@ array.pool.disks.")


WRITES = """\
[[workload]]
name = "w"
profile = { name = "uniform", rate_iops = 50, requests = 4000, set = ["stream.uniform.read_share=0"] }
"""


def test_a_run_says_what_was_logged_and_what_is_left(tmp_path):
    """4,000 writes of 4 KiB: a read and a write of the drives, and an update, each."""
    (tmp_path / "s.toml").write_text(scenario(LOGGED + ", log = 0.003", load=WRITES))
    run = iowatt.run(tmp_path / "s.toml")
    (log,) = run.summary["parity_logs"]
    assert (log["pool"], log["updates"], log["update_bytes"]) == ("disks", 4000, 4000 * 4096)
    assert log["log_bytes"] == log["log_writes"] << 20
    assert log["reintegrations"] > 0 and 0 < log["pending_updates"] < 4000
    assert log["pending_bytes"] == log["pending_updates"] * 4096
    assert (log["waits"], log["wait_mean_ms"]) == (0, None)
    devices = run.summary["devices"]
    background = sum(device["background_accesses"] for device in devices)
    assert sum(device["accesses"] for device in devices) == 2 * 4000 + background
    written = sum(device["bytes_written"] for device in devices)
    assert written == 4000 * 4096 + log["log_bytes"] * 5 // 4 + log["parity_bytes"]
    assert run.summary["energy"]["by_cause_j"]["redundancy"] > 0
    titles = [title for title, _ in outcome.tables(run.summary)]
    assert "Parity log of disks" in titles
    assert row_of_run(run)["parity_logs.disks.updates"] == 4000
    assert any("log at the end" in note for note in run.notes)


@pytest.mark.parametrize(("seconds", "rebuilt"), [(30, False), (90, True)])
def test_after_a_failure_the_log_comes_first_and_the_run_says_who_waited(seconds, rebuilt, tmp_path):
    """A drive fails at 20 s of a log that takes longer than 10 s to reintegrate and less than 70 s."""
    load = WRITES.replace("requests = 4000", f'duration = "{seconds}s"')
    more = "spares = 1\nfailure = [{ drive = 1, at = '20s' }]\nrebuild = { rate = '8MB/s' }"
    text = scenario(LOGGED, more, load=load).replace("[observe]\n", f"[observe]\nduration = '{seconds}s'\n")
    (tmp_path / "s.toml").write_text(text)
    run = iowatt.run(tmp_path / "s.toml")
    (log,), (failed,) = run.summary["parity_logs"], failures(run)
    assert log["waits"] > 0
    assert failed.has_room and failed.log_first is not rebuilt
    assert (failed.started_s is not None) is rebuilt
    said = Recovery(run).sentences
    (waited,) = [one for one in said if "parity log of disks" in one]
    assert numbers.count(log["waits"]) in waited
    assert (numbers.with_unit(log["wait_mean_ms"], "ms") in waited) is rebuilt
