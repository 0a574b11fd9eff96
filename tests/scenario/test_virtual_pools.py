"""Virtual pools: their keys, where their parts lie, their part of the plan, and what contradicts what."""

from __future__ import annotations

from pathlib import Path

import pytest

from iowatt.base.problems import DocumentError
from iowatt.model.scenario import compile_plan, load
from iowatt.model.scenario.describe import describe
from iowatt.model.scenario.system import resolve
from noted import noted
from refused import faults

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


def refusal(*parts: str) -> DocumentError:
    with pytest.raises(DocumentError) as error:
        load('name = "x"\n' + POOLS + "".join(parts) + END)
    return error.value


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
        "initial": {"placement": "empty"},
        "sector_bytes": 512,
        "allocate_on_write": True,
    }
    assert found["volumes"][-1]["capacity_bytes"] == DRIVE // KIB64 * KIB64


@pytest.mark.parametrize(
    ("keys", "initial", "sector", "allocates"),
    [
        ('initial = "hot"', "hot", 512, True),
        ("allocate_on_write = false", "empty", 512, False),
        ('write = "around"', "empty", 512, False),
        ('copy_unit = "extent"\ninitial = "first-touch"', "first-touch", None, False),
    ],
)
def test_what_a_cache_copies_at_the_start_and_of_writes(keys, initial, sector, allocates):
    scheme = plan(hybrid("caching", keys))["simulation"]["virtual_pools"][0]["scheme"]
    assert (scheme["initial"], scheme["sector_bytes"]) == ({"placement": initial}, sector)
    assert scheme["allocate_on_write"] is allocates


def test_a_cache_has_extents_of_64_kib_and_tiering_of_1_mib():
    def extent(scheme: str) -> int:
        text = hybrid(scheme).replace('extent = "64KiB"\n', "")
        return plan(text)["simulation"]["virtual_pools"][0]["scheme"]["extent_bytes"]

    assert (extent("caching"), extent("tiering")) == (KIB64, 2**20)


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
    ("parts", "fault", "figures"),
    [
        (
            [hybrid("tiering", fast='"sdd"')],
            "unknown-name @ array.virtual_pool.hybrid.fast.pool",
            ["'sdd'", "'ssd'"],
        ),
        ([hybrid("tiering", fast='"hdd"')], "duplicate @ array.virtual_pool.hybrid.slow.pool", ["'hdd'"]),
        ([hybrid("tiering", fast='"hybrid"')], "wrong-kind @ array.virtual_pool.hybrid.fast.pool", []),
        (
            [hybrid("tiering", fast='{ pool = "ssd", capacity = "90GB" }')],
            "out-of-range @ array.virtual_pool.hybrid.fast.capacity",
            ["90000000000"],
        ),
        (
            [hybrid("tiering", fast='"ssd"'), volume("log", "ssd")],
            "conflict @ array.volume.log",
            ["'fast'", "'hybrid'", "'ssd'"],
        ),
        (
            [hybrid("tiering"), virtual('scheme = "linear"\npart = ["hdd"]', "line")],
            "conflict @ array.virtual_pool.line.part.0",
            ["'slow'", "'hybrid'", "'hdd'"],
        ),
        (
            [virtual('scheme = "linear"\npart = ["ssd"]', "hdd")],
            "duplicate @ array.virtual_pool.hdd.name",
            [],
        ),
        (
            [hybrid("tiering"), hybrid("tiering")],
            "duplicate @ array.virtual_pool.hybrid.name & conflict @ array.virtual_pool.hybrid.slow",
            [],
        ),
        (
            [hybrid("linear")],
            (
                "missing @ array.virtual_pool.hybrid.part & "
                "not-applicable @ array.virtual_pool.hybrid.fast & "
                "not-applicable @ array.virtual_pool.hybrid.slow & "
                "not-applicable @ array.virtual_pool.hybrid.extent"
            ),
            ["'part'", '"ssd"', '"hdd"'],
        ),
        (
            [virtual('scheme = "reduced"', "saved")],
            "missing @ array.virtual_pool.saved.part",
            ["'part'"],
        ),
        (
            [virtual('scheme = "reduced"\npart = ["ssd", "hdd"]', "saved")],
            "wrong-type @ array.virtual_pool.saved.part",
            ['"ssd"', '"hdd"'],
        ),
        (
            [virtual('scheme = "pdc"\npart = ["ssd"]')],
            "out-of-range @ array.virtual_pool.hybrid.part",
            ["2", "1", "1024"],
        ),
        (
            [virtual('scheme = "tiered-pool"\ntier = ["ssd", "hdd", "old", "older"]')],
            "out-of-range @ array.virtual_pool.hybrid.tier",
            ["3", "4", "1"],
        ),
        ([virtual('scheme = "linear"\npart = []')], "missing @ array.virtual_pool.hybrid.part", []),
        (
            [hybrid("tiering").replace("64KiB", "2TiB")],
            "out-of-range @ array.virtual_pool.hybrid.extent",
            ["1", '"2TiB"'],
        ),
        (
            [hybrid("caching", 'initial = "cold"')],
            "not-accepted @ array.virtual_pool.hybrid.initial",
            ['"hot"', '"empty"'],
        ),
        (
            [hybrid("tiering", 'initial = "empty"')],
            "not-accepted @ array.virtual_pool.hybrid.initial",
            ['"hot"', '"cold"'],
        ),
        (
            [hybrid("tiering", "allocate_on_write = true")],
            "not-applicable @ array.virtual_pool.hybrid.allocate_on_write",
            ['"caching"'],
        ),
        (
            [hybrid("caching", 'copy_unit = "extent"\nallocate_on_write = true')],
            "not-applicable @ array.virtual_pool.hybrid.allocate_on_write",
            ['"sector"'],
        ),
        (
            [hybrid("caching", 'write = "around"\nallocate_on_write = true')],
            "not-applicable @ array.virtual_pool.hybrid.allocate_on_write",
            ['"through"'],
        ),
        (
            [hybrid("caching").replace("64KiB", "32MiB")],
            "out-of-range @ array.virtual_pool.hybrid.extent",
            ["32768", "512", "16", '"extent"'],
        ),
        (
            [hybrid("caching", "dirty_high = 0.1\ndirty_low = 0.2")],
            "conflict @ array.virtual_pool.hybrid.dirty_low",
            [],
        ),
        (
            [hybrid("tiering", "promotion_threshold = 0")],
            "out-of-range @ array.virtual_pool.hybrid.promotion_threshold",
            ["1"],
        ),
        (
            [hybrid("tiering").replace("64KiB", "1000B")],
            "not-accepted @ array.virtual_pool.hybrid.extent",
            ["1000", "512"],
        ),
        (
            [hybrid("tiering").replace("64KiB", "16GiB")],
            "out-of-range @ array.virtual_pool.hybrid.extent",
            ["'fast'", "7.451", "'ssd'"],
        ),
        (
            [
                hybrid("tiering", "max_migrations = 4000").replace(
                    '"hdd"', '{ pool = "hdd", capacity = "1MB" }'
                )
            ],
            "out-of-range @ array.virtual_pool.hybrid.max_migrations",
            ["15"],
        ),
        ([hybrid("tiering"), volume("db", "hybird")], "unknown-name @ array.volume.db.pool", ["'hybrid'"]),
        ([hybrid("tiering"), volume("db", "hybrid", "42TB")], "out-of-range @ array.volume.db.capacity", []),
    ],
)
def test_what_contradicts_what(parts, fault, figures):
    error = refusal(*parts)
    assert faults(error) == fault
    assert [figure for figure in figures if figure not in str(error)] == []


def test_a_virtual_pool_without_a_volume_is_noted():
    scenario = load('name = "x"\n' + POOLS + hybrid("tiering") + volume("db", "old") + END)
    note = noted(resolve(scenario, Path()).notes)["no-volume"]
    assert ("'hybrid'" in note, "'ssd'" in note) == (True, False)
    # Its fast part is 8 GB of a pool on which there is room for a volume.
    scenario = load('name = "x"\n' + POOLS + hybrid("tiering") + volume("db", "ssd") + END)
    note = noted(resolve(scenario, Path()).notes)["no-volume"]
    assert ("'hybrid'" in note, "'ssd'" in note) == (True, True)


def test_a_check_names_the_virtual_pool():
    found = describe(load('name = "x"\n' + POOLS + hybrid("caching") + volume("db", "hybrid") + END))
    assert [v.pool for v in found.volumes] == ["hybrid"]
    assert found.virtual_pools[0]["scheme"] == "caching"


def tiers(more: str = "", tier: str = '[{ pool = "ssd", capacity = "8GB" }, "hdd", "old"]') -> str:
    return virtual(f'scheme = "tiered-pool"\ntier = {tier}\n{more}', "tiers")


def tiered(*parts: str):
    return plan(*parts)["simulation"]["virtual_pools"][0]["scheme"]


def test_smart_tiers_are_the_default():
    found = tiered(tiers())
    page = 42 * 2**20
    # 2 % of each tier are for relocations only.
    slots = [8_000_000_000 // page, DRIVE // page, DRIVE // page]
    offered = sum(count - count * 2 // 100 for count in slots) * page
    assert found == {
        "kind": "tiered-pool",
        "page_bytes": page,
        "step_bytes": 2**20,
        "capacity_bytes": offered,
        "tiers": [
            {"performance_iops": None, "relocation_buffer": 0.02, "new_page_buffer": buffer}
            for buffer in (0.0, 0.08, 0.08)
        ],
        "cycle_s": 3600.0,
        "weight": 1.0,
        "new_pages": 1,
        "max_relocations": 1,
        "rate_bytes_per_s": None,
        "clock_s": 0.0,
        "window": None,
        "policies": [],
    }


def test_fast_vp_is_a_variant_of_which_every_key_may_be_given():
    more = (
        'variant = "fast-vp"\nmode = "continuous"\nweight = 0.3\nrate = "50MB/s"\nclock = "08:30"\n'
        'window = { start = "22:00", length = "8h" }\npage = "1GiB"\nnew_pages = "bottom"'
    )
    found = tiered(tiers(more))
    assert (found["page_bytes"], found["cycle_s"], found["weight"]) == (2**30, 86_400.0, 0.3)
    assert (found["new_pages"], found["clock_s"], found["rate_bytes_per_s"]) == (2, 30_600.0, 50e6)
    assert found["window"] == {"start_s": 79_200.0, "length_s": 28_800.0}
    assert [tier["new_page_buffer"] for tier in found["tiers"]] == [0.1, 0.1, 0.1]


def test_a_policy_is_about_the_place_of_its_volume():
    policy = 'policy = [{ volume = "b", most = { ssd = 0.1 } }]'
    found = tiered(tiers(policy), volume("a", "tiers", "1GB"), volume("b", "tiers", "2GB"))
    assert found["policies"] == [
        {
            "from_bytes": 1_000_000_000 // 512 * 512,
            "until_bytes": 3_000_000_000 // 512 * 512,
            "most": [0.1, 1.0, 1.0],
        }
    ]


@pytest.mark.parametrize(
    ("parts", "fault", "figures"),
    [
        (
            [tiers('window = { start = "25:00", length = "8h" }')],
            "bad-syntax @ array.virtual_pool.tiers.window.start",
            ["'25:00'"],
        ),
        ([tiers('capacity = "200GB"')], "out-of-range @ array.virtual_pool.tiers.capacity", []),
        ([tiers('page = "10GiB"')], "out-of-range @ array.virtual_pool.tiers.page", ["'ssd'"]),
        (
            [tiers('step = "1000B"')],
            "not-accepted @ array.virtual_pool.tiers.step & out-of-range @ array.virtual_pool.tiers.step",
            ["512"],
        ),
        (
            [tiers('policy = [{ volume = "db", most = { ssd = 0.1 } }]')],
            "unknown-name @ array.virtual_pool.tiers.policy.0.volume",
            ["'db'"],
        ),
        (
            [tiers('policy = [{ volume = "tiers", most = { sdd = 0.1 } }]')],
            "unknown-name @ array.virtual_pool.tiers.policy.0.most.sdd",
            ["'sdd'", "'ssd'"],
        ),
        (
            [tiers(tier='[{ pool = "ssd", relocation_buffer = 0.6, new_page_buffer = 0.6 }, "hdd"]')],
            "out-of-range @ array.virtual_pool.tiers.tier.0.new_page_buffer",
            ["1.2"],
        ),
        ([tiers(tier='["ssd", "hdd", "old", "ssd"]')], "out-of-range @ array.virtual_pool.tiers.tier", []),
    ],
)
def test_what_contradicts_what_in_a_pool_of_tiers(parts, fault, figures):
    error = refusal(*parts)
    assert faults(error) == fault
    assert [figure for figure in figures if figure not in str(error)] == []
