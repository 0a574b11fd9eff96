"""Pools of chunklets: how drives are divided, which sets volumes take, and what is refused."""

from __future__ import annotations

import pytest

from iowatt.base.problems import DocumentError
from iowatt.model.scenario import compile_plan, load
from iowatt.model.scenario.describe import describe
from noted import noted
from refused import faults

MIB = 1 << 20

# Drives of 1 GB: 59 chunklets of 16 MiB.
TEXT = """
name = "small"
seed = 1

[[array.pool]]
name = "disks"
device = { name = "arrays2002-disk", capacity = "1GB" }
count = 12
chunklet = "16MiB"
MORE

VOLUMES

[observe]
duration = "1s"
"""


def plan(more="", volumes="", change=lambda text: text):
    return compile_plan(load(change(TEXT.replace("MORE", more).replace("VOLUMES", volumes))))


def chunklets(*args, **kwargs):
    return plan(*args, **kwargs)["simulation"]["pools"][0]["chunklets"]


def test_without_volumes_all_of_it_is_raid5_of_3_and_1():
    found = plan()
    divided = found["simulation"]["pools"][0]["chunklets"]
    assert (divided["bytes"], divided["spare"]) == (16 * MIB, 0)
    (region,) = divided["regions"]
    assert (region["raid"]["level"], region["set_size"], region["sets"]) == ("5", 4, 12 * 59 // 4)
    (volume,) = found["simulation"]["volumes"]
    assert volume["capacity_bytes"] == 12 * 59 // 4 * 3 * 16 * MIB
    assert found["names"]["volumes"] == ["disks"]


def test_true_is_256_mib():
    assert (
        chunklets(change=lambda text: text.replace('"16MiB"', "true").replace('"1GB"', '"9GB"'))["bytes"]
        == 256 * MIB
    )


def test_volumes_have_levels_of_their_own_one_behind_another():
    found = plan(
        volumes="""
[[array.volume]]
name = "log"
pool = "disks"
capacity = "100MB"
raid = { level = 10, stripe_unit = "64KiB" }

[[array.volume]]
name = "db"
pool = "disks"
raid = { level = 6, set_size = 5 }
"""
    )
    log, db = found["simulation"]["pools"][0]["chunklets"]["regions"]
    assert (log["raid"]["level"], log["set_size"], log["sets"]) == ("10", 2, 6)  # 100 MB in sets of 16 MiB
    left = 12 * 59 - 2 * 6
    assert (db["raid"]["level"], db["set_size"], db["sets"]) == ("6", 5, left // 5)
    first, second = found["simulation"]["volumes"]
    assert first["offset_bytes"] == 0
    assert first["capacity_bytes"] == 100_000_000 // 512 * 512
    assert second["offset_bytes"] == 6 * 16 * MIB
    assert second["capacity_bytes"] == left // 5 * 3 * 16 * MIB
    assert left % 5 < 4  # too little for a set of the pool's own kind


def test_what_volumes_leave_has_the_pools_own_kind():
    divided = chunklets(
        "raid = { level = 6, set_size = 6 }", '[[array.volume]]\nname = "v"\npool = "disks"\ncapacity = "1GB"'
    )
    volume, rest = divided["regions"]
    assert volume["sets"] == 15  # 4 x 16 MiB each
    assert rest["sets"] == (12 * 59 - 15 * 6) // 6
    assert volume["raid"] == rest["raid"]


@pytest.mark.parametrize(
    ("sparing", "spare", "sets"),
    [("distributed", 5, 13 * 54 // 4), ("adaptive", 5, 13 * 54 // 4), ("dedicated", 0, 12 * 59 // 4)],
)
def test_spare_space(sparing, spare, sets):
    found = plan(f'spares = 1\nsparing = "{sparing}"')["simulation"]["pools"][0]
    assert found["chunklets"]["spare"] == spare  # 59 / 13, rounded up
    assert found["chunklets"]["regions"][0]["sets"] == sets
    assert found["recovery"]["sparing"] == ("dedicated" if sparing == "dedicated" else "distributed")


def test_adaptive_sparing_trims_the_spare_chunklets_of_ssds():
    def ssds(sparing):
        text = TEXT.replace('{ name = "arrays2002-disk", capacity = "1GB" }', '"intel-dc-s4600-1-92tb"')
        text = text.replace('"16MiB"', '"1GiB"').replace("MORE", f'spares = 1\nsparing = "{sparing}"')
        return compile_plan(load(text.replace("VOLUMES", "")))

    adaptive, distributed = ssds("adaptive"), ssds("distributed")
    fill = adaptive["simulation"]["pools"][0]["device"]["media"]["initial"]["fill"]
    assert distributed["simulation"]["pools"][0]["device"]["media"]["initial"]["fill"] == 1.0
    # 1,788 chunklets, of which 138 are spare.
    assert fill == pytest.approx((1788 - 138) * 2**30 / 1.92e12, rel=1e-3)
    assert f"{1 - fill:.3g}" in noted(adaptive["notes"])["spare-as-flash"]
    assert "spare-as-flash" not in noted(distributed["notes"])


def test_usable_bytes_are_what_the_sets_hold():
    found = describe(load(TEXT.replace("MORE", "").replace("VOLUMES", "")))
    assert found.usable_bytes == 12 * 59 // 4 * 3 * 16 * MIB
    assert found.pools[0].raid_level == 5


VOLUME = '[[array.volume]]\nname = "v"\npool = "disks"\n'


@pytest.mark.parametrize(
    ("more", "volumes", "change", "fault", "figures"),
    [
        (
            "raid = { level = 5, set_size = 13 }",
            "",
            None,
            "out-of-range @ array.pool.disks.raid.set_size",
            ["12"],
        ),
        (
            "raid = { level = 10, set_size = 3 }",
            "",
            None,
            "not-accepted @ array.pool.disks.raid.set_size",
            [],
        ),
        (
            "raid = { level = 4 }",
            "",
            None,
            "not-accepted @ array.pool.disks.raid.level",
            ["0", "10", "5", "6"],
        ),
        (
            'raid = { level = 5, stripe_unit = "32MiB" }',
            "",
            None,
            "out-of-range @ array.pool.disks.raid.stripe_unit",
            [],
        ),
        (
            "",
            VOLUME + "raid = { level = 5, set_size = 2 }",
            None,
            "not-accepted @ array.volume.v.raid.set_size",
            ["3", "2"],
        ),
        (
            "",
            VOLUME + 'capacity = "11GB"',
            None,
            "out-of-range @ array.volume.v.capacity",
            ["11000000000", "708"],
        ),
        ("", VOLUME + VOLUME.replace('"v"', '"w"'), None, "conflict @ array.volume.w", []),
        ("", "", ('"16MiB"', '"1000001"'), "not-accepted @ array.pool.disks.chunklet", []),
        ("", "", ('"16MiB"', "false"), "not-accepted @ array.pool.disks.chunklet", []),
        (
            "",
            "",
            ('chunklet = "16MiB"', "raid = { level = 5, set_size = 4 }"),
            "not-applicable @ array.pool.disks.raid.set_size",
            [],
        ),
        (
            "",
            VOLUME + "raid = { level = 5 }",
            ('chunklet = "16MiB"', "raid = { level = 5 }"),
            "not-applicable @ array.volume.v.raid",
            [],
        ),
        (
            'spares = 1\nsparing = "adaptive"',
            "",
            ('chunklet = "16MiB"', "raid = { level = 5 }"),
            "not-applicable @ array.pool.disks.sparing",
            [],
        ),
        (
            "raid = { level = 0 }\nfailure = [{ drive = 0, at = '1s' }]",
            "",
            None,
            "not-applicable @ array.pool.disks.failure.0",
            [],
        ),
        (
            "failure = [{ drive = 12, at = '1s' }]",
            "",
            None,
            "unknown-name @ array.pool.disks.failure.0.drive",
            ["12"],
        ),
    ],
)
def test_what_is_refused(more, volumes, change, fault, figures):
    with pytest.raises(DocumentError) as error:
        plan(more, volumes, change=lambda text: text.replace(*change) if change else text)
    assert faults(error.value) == fault
    assert [figure for figure in figures if figure not in str(error.value)] == []
