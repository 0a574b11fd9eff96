"""Placement handles from the scenario to run.json: a hot and a cold volume on one drive, apart and mixed."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

import iowatt

#: Superblocks of 24 MiB, so that a drive of 2 GB has about a hundred of them.
SSD = (
    'name = "own"\nkind = "ssd"\ntitle = "Own"\nbased_on = "intel-dc-p4510-1tb"\n'
    "[flash]\nplacement_handles = 4\npages_per_block = 16\n"
)
#: The hot fifth takes five sixths of the bytes written, at random; the cold rest is rewritten in order.
HOT = '"stream.uniform.read_share=0", "stream.uniform.size=16KiB", "stream.uniform.align=16KiB"'
COLD = '"stream.sw.size=64KiB", "stream.sw.align=64KiB"'


def scenario(placement: str) -> str:
    ssd = 'ssd = { over_provisioning = 0.12, initial = { state = "fresh" } }\n'
    pool = f'device = {{ name = "own.toml", capacity = "2GB" }}\n{ssd}'
    hot = f'profile = {{ name = "uniform", rate_iops = 8000, duration = "80s", set = [{HOT}] }}\n'
    cold = f'profile = {{ name = "emerald-1.0-sw", rate_iops = 400, duration = "80s", set = [{COLD}] }}\n'
    return (
        f'name = "fdp"\n[[workload]]\nname = "hot"\nvolume = "hot"\n{hot}'
        f'[[workload]]\nname = "cold"\nvolume = "cold"\n{cold}'
        f'[[array.pool]]\nname = "ssds"\ncount = 1\n{pool}{placement}'
        '[[array.volume]]\nname = "hot"\npool = "ssds"\ncapacity = "400MB"\n'
        '[[array.volume]]\nname = "cold"\npool = "ssds"\n[observe]\nwarmup = "50s"\n'
    )


@functools.cache
def run(folder: Path, placement: str):
    (folder / "own.toml").write_text(SSD)
    (folder / "s.toml").write_text(scenario(placement))
    return iowatt.run(folder / "s.toml")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fdp")
    return run(folder, ""), run(folder, 'placement = "by-volume"\n')


def device(one):
    (found,) = one.summary["devices"]
    return found


def amplification(one):
    return device(one)["flash"]["write_amplification"]


def test_a_handle_for_each_volume_moves_far_less(runs):
    mixed, apart = map(amplification, runs)
    assert mixed > 2.5
    assert apart < 0.6 * mixed


def test_the_same_is_written_and_less_erased(runs):
    mixed, apart = map(device, runs)
    assert apart["bytes_written"] == mixed["bytes_written"]
    assert apart["flash"]["gc_pages_moved"] < mixed["flash"]["gc_pages_moved"]
    assert apart["flash"]["erases"] < mixed["flash"]["erases"]


def test_what_moves_less_draws_less(runs):
    mixed, apart = (one.summary["energy"] for one in runs)
    assert apart["total_j"] < mixed["total_j"]
    for energy in (mixed, apart):
        assert sum(energy["by_cause_j"].values()) == pytest.approx(energy["total_j"])


def test_the_host_policy_is_noted(runs):
    said = [any("initially isolated" in note for note in one.summary["notes"]) for one in runs]
    assert said == [False, True]
