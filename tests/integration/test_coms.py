"""The example of capacity optimisation: hotband2013's table of COMs, and what simulation says of it."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

import iowatt
from iowatt.pages.run import document
from refused import refused

EXAMPLES = Path(__file__).parents[2] / "examples"
SHORT = ("observe.duration=20s", "observe.warmup=5s")


@functools.cache
def summary(*changes):
    return iowatt.run(EXAMPLES / "coms.toml", set=[*SHORT, *changes]).summary


def iops(found):
    return found["throughput"]["iops"]


def back_end(found):
    return sum(device["accesses"] for device in found["devices"]) / found["throughput"]["completions"]


def test_parity_costs_what_theory_says():
    mirrored, parity = summary(), summary("array.pool.disks.raid.level=5")
    # 70/30: 1.3 operations a request against 1.9.
    assert back_end(mirrored) == pytest.approx(1.3, rel=0.02)
    assert back_end(parity) == pytest.approx(1.9, rel=0.02)
    # Not theory's 0.684 to the letter: mirrors choose the nearer copy, buffers take writes.
    assert iops(parity) / iops(mirrored) == pytest.approx(0.684, abs=0.06)
    assert parity["capacity_gb"]["usable"] / mirrored["capacity_gb"]["usable"] == pytest.approx(23 / 12)


def test_compression_doubles_capacity_and_not_iops():
    plain, halved = summary(), summary("array.virtual_pool.saved.compression=2")
    assert halved["capacity_gb"]["usable"] == plain["capacity_gb"]["usable"]
    assert halved["capacity_gb"]["effective"] == pytest.approx(2 * plain["capacity_gb"]["usable"], rel=1e-6)
    assert halved["efficiency"]["effective_gb_per_w"] == pytest.approx(
        2 * plain["efficiency"]["effective_gb_per_w"], rel=0.01
    )
    moved = [
        sum(device["bytes_read"] + device["bytes_written"] for device in run["devices"]) / iops(run)
        for run in (plain, halved)
    ]
    assert moved[1] == pytest.approx(moved[0] / 2, rel=0.03)
    assert 0.98 < iops(halved) / iops(plain) < 1.1  # the arm still travels
    assert any("assumed" in note for note in halved["notes"])


def test_duplicates_spare_writes_and_thin_volumes_spare_reads():
    shared = summary("array.virtual_pool.saved.duplicates=0.5")
    reduction = shared["virtual_pools"][0]["reduction"]
    assert reduction["duplicate_ratio"] == pytest.approx(0.5, abs=0.02)
    # 0.7 reads, and two copies of half of the writes.
    assert back_end(shared) == pytest.approx(0.7 + 0.3, rel=0.02)
    thin = summary("array.virtual_pool.saved.thin=true", "array.virtual_pool.saved.filled=0.4")
    assert back_end(thin) == pytest.approx(0.4 * 0.7 + 0.6, rel=0.05)
    assert thin["capacity_gb"]["effective"] == pytest.approx(2.5 * thin["capacity_gb"]["usable"], rel=1e-3)
    # Six reads of ten never reach the part: no share of it is a hit.
    (tier,) = thin["tiers"]
    read = thin["virtual_pools"][0]["bytes_read"]
    assert tier["bytes_read"] == pytest.approx(0.4 * read, rel=0.05)
    assert {value for key, value in tier.items() if key.startswith(("hit", "read_hit", "write_hit"))} == {
        None
    }


def test_snapshots_cost_copies_or_nothing_and_space():
    def taken(method):
        return summary(
            f"array.virtual_pool.saved.snapshots={{ interval = '5s', retain = 1, method = '{method}' }}"
        )

    copied, redirected = taken("copy-on-write"), taken("redirect-on-write")
    # A copy is a read and two writes (mirrored) more.
    assert back_end(copied) > 1.6
    assert back_end(redirected) == pytest.approx(1.3, rel=0.02)
    assert iops(copied) < 0.8 * iops(summary())
    for run in (copied, redirected):
        assert run["capacity_gb"]["effective"] < run["capacity_gb"]["usable"]
        assert run["virtual_pools"][0]["reduction"]["snapshots"] >= 3
    assert copied["energy"]["by_cause_j"]["migration"] > 0
    assert redirected["energy"]["by_cause_j"]["migration"] == 0


def test_a_volume_that_runs_out_of_space_is_an_error():
    with refused("infeasible"):
        summary(
            "array.virtual_pool.saved.reserve=0",
            "array.virtual_pool.saved.snapshots={ interval = '1s', retain = 100 }",
        )


def test_chunklets_of_the_example_are_rebuilt_from_many_onto_many():
    found = iowatt.run(EXAMPLES / "chunklets.toml").summary
    (rebuild,) = found["rebuilds"]
    assert rebuild["fraction"] == 1.0
    dedicated = iowatt.run(EXAMPLES / "chunklets.toml", set=["array.pool.disks.sparing=dedicated"]).summary
    took = [run["rebuilds"][0]["finished_s"] - run["rebuilds"][0]["started_s"] for run in (found, dedicated)]
    assert took[0] < took[1] / 2
    own = [device for device in found["devices"] if device["name"] != rebuild["drive"]]
    assert all(device["background_accesses"] > 0 for device in own)


def test_the_report_shows_capacity_and_wear():
    saved = iowatt.run(EXAMPLES / "coms.toml", set=[*SHORT, "array.virtual_pool.saved.compression=2"])
    figures = {figure.key: figure for figure in document(saved).figures()}
    assert figures["system-capacity-optimisation:-saved"].table.rows
    assert len(figures["system-capacity"].table.rows) == 3
    assert "wear" not in figures  # no rating of this drive is known
    rated = document(iowatt.run(EXAMPLES / "adaptive-sparing.toml"))
    assert "wear" in {figure.key for figure in rated.figures()}


def test_adaptive_sparing_lowers_write_amplification():
    def amplification(sparing):
        found = iowatt.run(EXAMPLES / "adaptive-sparing.toml", set=[f"array.pool.flash.sparing={sparing}"])
        drives = found.summary["devices"]
        return sum(drive["flash"]["write_amplification"] for drive in drives) / len(drives)

    assert amplification("adaptive") < 0.92 * amplification("distributed")
