"""Zoned drives from the scenario to run.json and the report: who amplifies, and what it costs."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

import iowatt
from iowatt.model.library.ssd.media import amplification
from iowatt.pages.run import outcome

SMR = '[[array.pool]]\nname = "drives"\ndevice = "wd-ultrastar-dc-hc680-28tb"\ncount = 1\n'
LOG = '[[array.virtual_pool]]\nname = "log"\nscheme = "zoned"\n'
ZNS = (
    'name = "own"\nkind = "ssd"\ntitle = "Own"\nbased_on = "intel-dc-p4510-1tb"\n'
    '[flash]\nzones = { size = "16MiB" }\n'
)


def scenario(pools: str, requests: int, *, read_share: int = 0, outstanding: int = 8) -> str:
    keys = f'"stream.uniform.read_share={read_share}"'
    return (
        'name = "zoned"\n[[workload]]\nname = "w"\n'
        f'profile = {{ name = "uniform", rate_iops = 100, set = [{keys}], requests = {requests} }}\n'
        f'replay = {{ mode = "closed", outstanding = {outstanding} }}\n{pools}'
    )


@functools.cache
def zns(folder: Path):
    """Five overwrites of zoned flash under fifo cleaning, half before the window."""
    (folder / "own.toml").write_text(ZNS)
    pool = '[[array.pool]]\nname = "drives"\ndevice = { name = "own.toml", capacity = "1GB" }\ncount = 1\n'
    log = f'{LOG}part = "drives"\nreserve = 0.2\ncleaning = {{ policy = "fifo", hot_cold = false }}\n'
    (folder / "s.toml").write_text(scenario(f"{pool}{log}", 600_000))
    return iowatt.run(folder / "s.toml")


@pytest.fixture(scope="module")
def flash_run(tmp_path_factory):
    return zns(tmp_path_factory.mktemp("zns"))


def counts(run):
    return run.summary["virtual_pools"][0]["data_movement"]


def test_zoned_flash_is_amplified_by_its_host_alone(flash_run):
    (device,) = flash_run.summary["devices"]
    assert device["flash"]["write_amplification"] == 1.0
    assert device["flash"]["gc_pages_moved"] == 0
    # The zones in rotation are a quarter more than the data.
    assert counts(flash_run)["host_write_amplification"] == pytest.approx(amplification(0.25), rel=0.05)


def test_what_the_host_writes_is_what_the_drive_writes(flash_run):
    (device,), moved = flash_run.summary["devices"], counts(flash_run)
    assert device["bytes_written"] == moved["written_bytes"] + moved["moved_bytes"]
    assert device["flash"]["trims"] == moved["zones_reset"] > 0


def test_joules_are_those_of_the_causes(flash_run):
    energy = flash_run.summary["energy"]
    assert sum(energy["by_cause_j"].values()) == pytest.approx(energy["total_j"])
    assert energy["by_cause_j"]["migration"] > 0


def test_small_writes_are_joined_on_a_disk():
    part = 'part = { pool = "drives", capacity = "32GiB" }\nunit = "4KiB"\n'
    log = iowatt.run(scenario(f"{SMR}{LOG}{part}", 4_000, outstanding=32))
    moved = counts(log)
    assert moved["zone_writes"] < 4_000 / 4
    (title, table), *_ = [one for one in outcome.tables(log.summary) if one[0].endswith(" log")]
    assert any(row[0] == outcome.MOVEMENT["zones_reset"] for row in table.rows), title


def test_copies_take_what_the_log_writes():
    part = 'part = { pool = "drives", capacity = "32GiB" }\nunit = "64KiB"\n'
    pool = SMR.replace("count = 1", "count = 2\nraid = { level = 1 }")
    log = iowatt.run(scenario(f"{pool}{LOG}{part}", 500, read_share=50))
    written = counts(log)["written_bytes"] + counts(log)["moved_bytes"]
    assert [device["bytes_written"] for device in log.summary["devices"]] == [written, written]
