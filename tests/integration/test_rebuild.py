"""Failed drives through the whole of iowatt: what the bundle says of them, and what is refused when."""

from __future__ import annotations

import re

import pytest

import iowatt
from iowatt.lenses.findings import findings
from iowatt.sources.simulation.remarks import FAILED_IS_STANDBY
from refused import refused

SCENARIO = """
name = "broken"

[[array.pool]]
name = "disks"
device = { name = "arrays2002-disk", capacity = "1GB" }
count = 5
spares = 1
raid = { level = 5, stripe_unit = "64KiB" }
rebuild = { rate = "10MB/s" }
failure = [{ drive = 1, at = "10s" }]

[observe]
duration = "3min"
"""


@pytest.fixture
def run(tmp_path):
    def run(*overrides, text=SCENARIO):
        file = tmp_path / "broken.toml"
        file.write_text(text, "utf-8")
        return iowatt.run(file, set=overrides)

    return run


def test_a_rebuild_is_reported(run):
    found = run()
    (rebuild,) = found.summary["rebuilds"]
    lost = 1_000_000_000 // 65_536 * 65_536
    assert (rebuild["pool"], rebuild["drive"], rebuild["spare"]) == ("disks", "disks.1", "disks.5")
    assert (rebuild["failed_s"], rebuild["started_s"]) == (10, 10)
    assert (rebuild["rebuilt_bytes"], rebuild["fraction"]) == (lost, 1)
    # 1 GB at 10 MB/s: 100 s.
    assert rebuild["finished_s"] - rebuild["started_s"] == pytest.approx(100, rel=0.01)
    for device in found.summary["devices"]:
        assert device["background_accesses"] == device["accesses"]
        moved = {"disks.1": (0, 0), "disks.5": (0, lost)}.get(device["name"], (lost, 0))
        assert (device["bytes_read"], device["bytes_written"]) == moved
    dead = found.summary["devices"][1]
    # 10 s at 22.3 W, then nothing.
    assert dead["state_time_s"]["standby"] == 170
    assert sum(dead["energy_j"].values()) == pytest.approx(223)
    assert FAILED_IS_STANDBY in found.summary["notes"]


def test_an_unfinished_rebuild_and_a_failure_that_never_comes_are_said(run):
    notes = run("array.pool.disks.rebuild.rate=1MB/s").summary["notes"]
    assert any(re.search(r"disks\.1 .* 10 s; 17\.", note) for note in notes)
    found = run('array.pool.disks.failure.0.at="5min"')
    [late] = [note for note in findings(found) if note.code == "after-the-end"]
    assert late.decides


def test_data_loss_that_only_the_run_can_know(run):
    failures = 'failure=[{ drive = 1, at = "10s" }, { drive = 3, at = "30s" }]'
    with refused("data-loss") as caught:
        run(f"array.pool.disks.{failures}")
    assert "30 s" in caught.value.message and "disks.3" in caught.value.message
    later = failures.replace("30s", "150s")
    assert len(run(f"array.pool.disks.{later}").summary["rebuilds"]) == 2


def test_distributed_spare_space(run):
    (rebuild,) = run("array.pool.disks.sparing=distributed").summary["rebuilds"]
    assert (rebuild["spare"], rebuild["fraction"]) == (None, 1)
    # 5 of 6 stripes have a unit on the failed drive.
    assert rebuild["rebuilt_bytes"] == pytest.approx(1e9 * 5 / 6, rel=1e-3)
