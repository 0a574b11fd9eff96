"""Reduced virtual pools: what they offer at which ratios, what is said to be assumed, and what is refused."""

from __future__ import annotations

import pytest

from iowatt.base.problems import DocumentError
from iowatt.model.scenario import compile_plan, load
from noted import noted
from refused import faults

PAGE = 16 * 1024
#: RAID-0 of two drives of 1 GB, in whole stripe units.
PART = 2 * (1_000_000_000 // 65_536 * 65_536)

TEXT = """
name = "small"
seed = 1

[[array.pool]]
name = "disks"
device = { name = "arrays2002-disk", capacity = "1GB" }
count = 2
raid = { level = 0 }

[[array.virtual_pool]]
name = "saved"
scheme = "reduced"
part = "disks"
KEYS

[observe]
duration = "1s"
"""


def plan(keys=""):
    return compile_plan(load(TEXT.replace("KEYS", keys)))


def scheme(keys=""):
    return plan(keys)["simulation"]["virtual_pools"][0]["scheme"]


def test_without_any_method_it_offers_the_part():
    found = scheme()
    assert found["capacity_bytes"] == PART // PAGE * PAGE
    assert (found["stored_bytes"], found["filled"], found["duplicates"]) == (PAGE, 1.0, 0.0)
    assert found["snapshots"] is None
    assert "assumed-ratios" not in noted(plan()["notes"])


@pytest.mark.parametrize(
    ("keys", "factor", "assumed"),
    [
        ("compression = 2", 2.0, ["compression", "16,384", "8,192", "2 : 1"]),
        ("compression = 3", 3.0, ["compression", "16,384", "5,632", "2.91 : 1"]),
        ("duplicates = 0.5", 2.0 * 0.9, ["duplicates (0.5, 2 : 1)"]),
        ("thin = true\nfilled = 0.25", 4.0 * 0.9, ["filled (0.25"]),
        (
            "compression = 2\nduplicates = 0.5\nthin = true\nfilled = 0.5\nreserve = 0.2",
            8.0 * 0.8,
            ["filled"],
        ),
    ],
)
def test_ratios_multiply_what_is_offered(keys, factor, assumed):
    found = plan(keys)
    offered = found["simulation"]["virtual_pools"][0]["scheme"]["capacity_bytes"]
    assert offered == pytest.approx(PART * factor, rel=0.05)
    text = noted(found["notes"])["assumed-ratios"]
    assert [figure for figure in assumed if figure not in text] == []
    (name,) = found["names"]["virtual_pools"]
    assert name["usable_bytes"] == PART


def test_the_page_takes_whole_sectors_and_no_more_than_itself():
    assert scheme("compression = 1.01")["stored_bytes"] == PAGE
    assert scheme("compression = 100")["stored_bytes"] == 512


def test_snapshots():
    found = scheme('snapshots = { interval = "1h", retain = 24, method = "copy-on-write" }')["snapshots"]
    assert found == {"interval_s": 3600.0, "retain": 24, "method": "copy-on-write"}


@pytest.mark.parametrize(
    ("keys", "fault", "figures"),
    [
        ("thin = true", "missing @ array.virtual_pool.saved.filled", []),
        ("filled = 0.5", "not-applicable @ array.virtual_pool.saved.filled", []),
        ('page = "1000"', "not-accepted @ array.virtual_pool.saved.page", []),
        ('capacity = "3GB"', "infeasible @ array.virtual_pool.saved.capacity", []),
        # 51 % of it is filled, but nearly all of the last, partial group may be.
        (
            'page = "512KiB"\nthin = true\nfilled = 0.51\ncapacity = "3.66GB"',
            "infeasible @ array.virtual_pool.saved.capacity",
            [],
        ),
        ("compression = 0.5", "out-of-range @ array.virtual_pool.saved.compression", ["1"]),
        ("duplicates = 1.0", "out-of-range @ array.virtual_pool.saved.duplicates", ["0.99"]),
        ("reserve = 5", "out-of-range @ array.virtual_pool.saved.reserve", ["1", "5"]),
        ("snapshots = { retain = 2 }", "missing @ array.virtual_pool.saved.snapshots.interval", []),
        ('page = "1GiB"\ncapacity = "1MB"', "out-of-range @ array.virtual_pool.saved.page", []),
    ],
)
def test_what_is_refused(keys, fault, figures):
    with pytest.raises(DocumentError) as error:
        plan(keys)
    assert faults(error.value) == fault
    assert [figure for figure in figures if figure not in str(error.value)] == []


def test_overprovisioned_thin_volumes_are_welcome():
    found = scheme('thin = true\nfilled = 0.1\ncapacity = "10GB"')
    assert found["capacity_bytes"] == 10_000_000_000 // PAGE * PAGE
