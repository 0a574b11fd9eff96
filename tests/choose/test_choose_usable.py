"""Usable capacity of candidates: what the drives hold, however much of it the question takes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iowatt.evaluate.choose import choose_request
from iowatt.evaluate.choose.conduct import trials_of
from iowatt.evaluate.choose.design import Design, System
from iowatt.evaluate.choose.figures import figures

DISK, FLASH = "wd-ultrastar-dc-hc520-12tb", "solidigm-d7-ps1010-3-84tb"
QUESTION = """
schema = "iowatt.question/1"
name = "small"
usable = "10TB"
[[workload]]
name = "files"
profile = { name = "uniform", rate_iops = 100 }
p95 = "12ms"
"""
CACHED = Design("cache", "cache", DISK, 6, fast=FLASH, fast_count=4)


@pytest.fixture(scope="module")
def trials():
    with trials_of(choose_request(QUESTION)) as made:
        yield made


@pytest.mark.parametrize(
    ("design", "terabytes"),
    [
        (CACHED, 4 * 12),
        (replace(CACHED, family="tiers", kind="tiers"), 4 * 12 + 2 * 3.84),
        (replace(CACHED, level=10), 3 * 12),
    ],
    ids=["a cache holds nothing of its own", "tiers hold together", "mirrored"],
)
def test_drives_of_several_pools_count_whole(trials, design, terabytes):
    row = {"capacity_gb.usable": 10_000.0}  # the volume is cut to the question
    found = figures(trials, System(design, 6), row, [], confirmed=False)
    assert found.usable_tb == pytest.approx(terabytes, rel=1e-3)


def test_one_pool_has_the_capacity_of_its_run(trials):
    disks = Design("disks-7k", "disks", DISK, 6)
    assert trials.pooled_bytes(System(disks, 6)) is None
    found = figures(trials, System(disks, 6), {"capacity_gb.usable": 48_000.0}, [], confirmed=False)
    assert found.usable_tb == 48
