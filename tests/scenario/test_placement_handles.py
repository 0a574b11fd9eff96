"""Placement handles in a scenario: who writes with which, where that is on a drive, and what is refused."""

from __future__ import annotations

import pytest

from iowatt.base.errors import InputError
from iowatt.model.library.ssd import FREE_BLOCKS
from iowatt.model.scenario import compile_plan, load
from refused import faults

HEAD = 'name = "s"\n[observe]\nduration = "1s"\n'
SSD = 'name = "own"\nkind = "ssd"\ntitle = "Own"\nbased_on = "intel-dc-p4510-1tb"\n[flash]\n'
POOL = '[[array.pool]]\nname = "ssds"\nplacement = "by-volume"\n'
OWN = f'{POOL}device = "own.toml"\n'
UNIT = 64 << 10


def compiled(folder, text, flash="placement_handles = 4\n"):
    (folder / "own.toml").write_text(f"{SSD}{flash}")
    (folder / "s.toml").write_text(f"{HEAD}{text}")
    return compile_plan(load(folder / "s.toml"), folder)


def volumes(*sizes):
    named = enumerate(sizes)
    return "".join(f'[[array.volume]]\nname = "v{i}"\npool = "ssds"\ncapacity = "{s}"\n' for i, s in named)


def flash(plan):
    device = plan["simulation"]["pools"][0]["device"]
    return device["media"], device["sector_bytes"]


def test_each_volume_of_a_drive_has_its_handle(tmp_path):
    plan = compiled(tmp_path, f"{OWN}count = 1\n{volumes('100GB', '7GB', '50GB')}")
    media, sector = flash(plan)
    offsets = [volume["offset_bytes"] // sector for volume in plan["simulation"]["volumes"]]
    assert media["placement"] == [{"from_sector": s, "handle": h} for h, s in enumerate(offsets)]
    assert media["placement_handles"] == 4
    assert "host-policy" in [note["code"] for note in plan["notes"]]


@pytest.mark.parametrize(("level", "count", "data"), [(0, 4, 4), (1, 2, 1), (10, 4, 2), (5, 5, 4), (6, 6, 4)])
def test_a_volume_over_several_drives_begins_at_one_sector_of_each(tmp_path, level, count, data):
    # 10 whole stripes and a half: the half counts to the first volume.
    size = data * UNIT * 10 + UNIT // 2
    joined = f"count = {count}\nraid = {{ level = {level}, stripe_unit = '64KiB' }}\n"
    media, sector = flash(compiled(tmp_path, f"{OWN}{joined}{volumes(f'{size}B', '1GB')}"))
    second = 10 * UNIT + UNIT // 2 if data == 1 else 11 * UNIT
    assert [place["from_sector"] * sector for place in media["placement"]] == [0, second]


def test_a_part_of_a_virtual_pool_has_a_handle(tmp_path):
    part = 'part = [{ pool = "ssds", capacity = "9GB" }]\n'
    virtual = f'[[array.virtual_pool]]\nname = "joint"\nscheme = "linear"\n{part}'
    media, _ = flash(compiled(tmp_path, f"{OWN}count = 1\n{virtual}{volumes('100GB')}"))
    assert [place["handle"] for place in media["placement"]] == [0, 1]


def test_handles_take_flash_and_are_off_without_a_policy(tmp_path):
    plain, _ = flash(compiled(tmp_path, OWN.replace('placement = "by-volume"\n', "") + "count = 1\n", ""))
    off, _ = flash(compiled(tmp_path, OWN.replace('placement = "by-volume"\n', "") + "count = 1\n"))
    assert "placement" not in off and "placement_handles" not in off
    assert off["gc"]["free_blocks"] == FREE_BLOCKS
    # Three more open superblocks, and one for moved data.
    assert off["blocks_per_plane"] == plain["blocks_per_plane"] + 4


@pytest.mark.parametrize(
    ("text", "flash", "fault"),
    [
        (f"{OWN}count = 1\n{volumes(*['1GB'] * 5)}", "placement_handles = 4\n",
         "out-of-range @ array.pool.ssds.placement"),
        (f"{OWN}count = 1\n", "", "missing-figure @ array.pool.ssds.placement"),
        (f"{POOL}device = 'arrays2002-disk'\ncount = 1\n", "",
         "not-applicable @ array.pool.ssds.placement"),
        (f"{OWN}count = 1\nssd = {{ model = 'data-sheet' }}\n", "placement_handles = 4\n",
         "not-applicable @ array.pool.ssds.placement"),
        (f"{OWN}count = 4\nraid = {{ level = 5 }}\nchunklet = '1GiB'\n", "placement_handles = 4\n",
         "unsupported @ array.pool.ssds.placement"),
        (f"{OWN}count = 4\nraid = {{ level = 5 }}\nspares = 1\nsparing = 'distributed'\n",
         "placement_handles = 4\n", "unsupported @ array.pool.ssds.placement"),
        (f"{OWN}count = 1\nssd = {{ write_buffer = '64KiB' }}\n", "placement_handles = 4\n",
         "conflict @ array.pool.ssds.device"),
        (f"{OWN}count = 1\n", "placement_handles = 4\nzones = { size = '1GiB' }\n",
         "out-of-range @ array.pool.ssds.device"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path, text, flash, fault):
    with pytest.raises(InputError) as error:
        compiled(tmp_path, text, flash)
    assert faults(error.value) == fault


@pytest.mark.parametrize("handles", [0, 65])
def test_a_drive_has_1_to_64_handles(tmp_path, handles):
    with pytest.raises(InputError) as error:
        compiled(tmp_path, f"{OWN}count = 1\n", f"placement_handles = {handles}\n")
    assert "out-of-range" in faults(error.value)


def test_too_many_volumes_are_counted(tmp_path):
    with pytest.raises(InputError) as error:
        compiled(tmp_path, f"{OWN}count = 1\n{volumes(*['1GB'] * 5)}")
    assert "5 volumes" in str(error.value) and "has 4" in str(error.value)
