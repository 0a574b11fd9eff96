"""Virtual pools: their keys, where their parts lie, their part of the plan, and what contradicts what."""

from __future__ import annotations

from pathlib import Path

import pytest

from iowatt.scenario import ScenarioError, compile_plan, load
from iowatt.scenario.describe import describe
from iowatt.scenario.system import resolve

POOLS = "".join(
    f'[[array.pool]]\nname = "{name}"\ndevice = "arrays2002-disk"\ncount = 1\n'
    for name in ("ssd", "hdd", "old")
)
END = '[observe]\nduration = "1h"\n'
# What a drive offers.
DRIVE = 33_600_000_000
KIB64 = 64 * 1024


def virtual(keys: str, name: str = "hybrid") -> str:
    return f'[[array.virtual_pool]]\nname = "{name}"\n{keys}\n'


def hybrid(scheme: str, more: str = "", fast: str = '{ pool = "ssd", capacity = "8GB" }') -> str:
    return virtual(f'scheme = "{scheme}"\nfast = {fast}\nslow = "hdd"\nextent = "64KiB"\n{more}')


def volume(name: str, on: str, capacity: str | None = None) -> str:
    return f'[[array.volume]]\nname = "{name}"\npool = "{on}"\n' + (
        f'capacity = "{capacity}"\n' if capacity else ""
    )


def plan(*parts: str):
    return compile_plan(load('name = "x"\n' + POOLS + "".join(parts) + END))


def complaints(*parts: str) -> str:
    with pytest.raises(ScenarioError) as error:
        load('name = "x"\n' + POOLS + "".join(parts) + END)
    return "\n".join(str(problem) for problem in error.value.problems)


def test_a_plan_without_virtual_pools_has_none():
    assert "virtual_pools" not in plan()["simulation"]
    assert "virtual_pools" not in plan()["names"]


def test_tiering_offers_both_parts():
    simulation = plan(hybrid("tiering", 'promotion_threshold = 16\nmax_migrations = 2\ninitial = "cold"'))
    assert simulation["simulation"]["virtual_pools"] == [
        {
            "parts": [
                {"pool": 0, "offset_bytes": 0, "capacity_bytes": 8_000_000_000},
                {"pool": 1, "offset_bytes": 0, "capacity_bytes": DRIVE},
            ],
            "scheme": {
                "kind": "tiering",
                "extent_bytes": KIB64,
                "promotion_threshold": 16,
                "max_migrations": 2,
                "initial": {"placement": "cold"},
            },
        }
    ]
    extents = 8_000_000_000 // KIB64 + DRIVE // KIB64 - 2  # two slots stay free for two migrations
    # The third pool is in no virtual pool, and has a volume of its own, before those of virtual pools.
    assert simulation["simulation"]["volumes"] == [
        {"pool": 2, "offset_bytes": 0, "capacity_bytes": DRIVE},
        {"pool": 3, "offset_bytes": 0, "capacity_bytes": extents * KIB64},
    ]
    assert simulation["names"]["volumes"] == ["old", "hybrid"]
    assert simulation["names"]["virtual_pools"] == [
        {
            "name": "hybrid",
            "scheme": "tiering",
            "capacity_bytes": extents * KIB64,
            "parts": [{"name": "fast", "pool": "ssd"}, {"name": "slow", "pool": "hdd"}],
        }
    ]


def test_caching_offers_the_slow_part():
    found = plan(hybrid("caching", 'write = "through"\ndirty_high = 0.5'))["simulation"]
    assert found["virtual_pools"][0]["scheme"] == {
        "kind": "caching",
        "extent_bytes": KIB64,
        "promotion_threshold": 4,
        "max_migrations": 4,
        "write": "through",
        "dirty_high": 0.5,
        "dirty_low": 0.5,
        "dirty_age_s": 0.0,
    }
    assert found["volumes"][-1]["capacity_bytes"] == DRIVE // KIB64 * KIB64


def test_linear_offers_all_of_its_parts():
    found = plan(virtual('scheme = "linear"\npart = ["ssd", { pool = "hdd", capacity = "1GB" }]'))[
        "simulation"
    ]
    assert found["virtual_pools"][0]["scheme"] == {"kind": "linear"}
    assert found["volumes"][-1]["capacity_bytes"] == DRIVE + 1_000_000_000


def test_parts_and_volumes_lie_one_after_another():
    two = virtual('scheme = "linear"\npart = [{ pool = "ssd", capacity = "1GB" }, "old"]', "line")
    found = plan(hybrid("tiering"), two, volume("log", "ssd", "2GB"), volume("db", "hybrid"))["simulation"]
    first, second = found["virtual_pools"]
    assert [p["offset_bytes"] for p in first["parts"]] == [0, 0]
    assert second["parts"][0] == {"pool": 0, "offset_bytes": 8_000_000_000, "capacity_bytes": 1_000_000_000}
    assert found["volumes"][0] == {"pool": 0, "offset_bytes": 9_000_000_000, "capacity_bytes": 2_000_000_000}
    assert found["volumes"][1]["pool"] == 3


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (
            [hybrid("tiering", fast='"sdd"')],
            ["virtual_pool.0.fast.pool", "no pool 'sdd'", "did you mean 'ssd'?"],
        ),
        ([hybrid("tiering", fast='"hdd"')], ["virtual_pool.0.slow.pool", "'hdd' is already a part"]),
        ([hybrid("tiering", fast='"hybrid"')], ["fast.pool", "is a virtual pool; parts are ranges of pools"]),
        (
            [hybrid("tiering", fast='{ pool = "ssd", capacity = "90GB" }')],
            ["fast.capacity", "90000000000 bytes do not fit", "leave capacity out"],
        ),
        (
            [hybrid("tiering", fast='"ssd"'), volume("log", "ssd")],
            ["volume.0", "part 'fast' of 'hybrid' already takes the rest of pool 'ssd'"],
        ),
        (
            [hybrid("tiering"), virtual('scheme = "linear"\npart = ["hdd"]', "line")],
            ["virtual_pool.1.part.0", "part 'slow' of 'hybrid' already takes the rest of pool 'hdd'"],
        ),
        ([virtual('scheme = "linear"\npart = ["ssd"]', "hdd")], ["virtual_pool.0.name", "taken by a pool"]),
        ([hybrid("tiering"), hybrid("tiering")], ["virtual_pool.1.name", "taken by another virtual_pool"]),
        ([hybrid("linear")], ["the required key 'part' is missing"]),
        ([hybrid("caching", 'initial = "cold"')], ["initial", 'goes only with scheme = "tiering"']),
        ([hybrid("caching", "dirty_high = 0.1\ndirty_low = 0.2")], ["dirty_low", "above dirty_high"]),
        ([hybrid("tiering", "promotion_threshold = 0")], ["promotion_threshold", "at least 1"]),
        (
            [hybrid("tiering").replace("64KiB", "1000B")],
            ["virtual_pool.0.extent", "1000 bytes", "sectors of 512 bytes", "multiple of 512"],
        ),
        (
            [hybrid("tiering").replace("64KiB", "16GiB")],
            ["virtual_pool.0.extent", "part 'fast' (8000000000 B of pool 'ssd') holds none"],
        ),
        (
            [
                hybrid("tiering", "max_migrations = 4000").replace(
                    '"hdd"', '{ pool = "hdd", capacity = "1MB" }'
                )
            ],
            ["virtual_pool.0.max_migrations", "the slow part holds 15 extents"],
        ),
        ([hybrid("tiering"), volume("db", "hybird")], ["volume.0.pool", "did you mean 'hybrid'?"]),
        ([hybrid("tiering"), volume("db", "hybrid", "42TB")], ["volume.0.capacity", "do not fit"]),
    ],
)
def test_what_contradicts_what(parts, words):
    found = complaints(*parts)
    assert [word for word in words if word not in found] == [], found


def test_a_virtual_pool_without_a_volume_is_noted():
    scenario = load('name = "x"\n' + POOLS + hybrid("tiering") + volume("db", "old") + END)
    notes = resolve(scenario, Path()).notes
    assert "virtual pool 'hybrid' has no volume: its drives only idle" in notes


def test_a_check_names_the_virtual_pool():
    found = describe(load('name = "x"\n' + POOLS + hybrid("caching") + volume("db", "hybrid") + END))
    assert [v["pool"] for v in found["volumes"]] == ["hybrid"]
    assert found["virtual_pools"][0]["scheme"] == "caching"
