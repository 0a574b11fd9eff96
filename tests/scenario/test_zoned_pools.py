"""Zoned virtual pools in a scenario: the plan, what lies on zoned drives, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from iowatt.base.errors import InputError
from iowatt.model.scenario import compile_plan, load
from refused import faults

GIB = 1 << 30
ZONE_BYTES = 256 << 20
HEAD = 'name = "s"\n[observe]\nduration = "1s"\n'
SMR = '[[array.pool]]\nname = "disks"\ndevice = "wd-ultrastar-dc-hc680-28tb"\n'
LOG = '[[array.virtual_pool]]\nname = "log"\nscheme = "zoned"\n'
ONE = f'{LOG}part = {{ pool = "disks", capacity = "64GiB" }}\n'
ZNS = (
    'name = "own"\nkind = "ssd"\ntitle = "Own"\nbased_on = "intel-dc-p4510-1tb"\n'
    '[flash]\nzones = { size = "1GiB" }\n'
)


def plan_of(text: str, folder: Path | None = None) -> dict:
    if folder is None:
        return compile_plan(load(text))["simulation"]
    (folder / "s.toml").write_text(text)
    (folder / "own.toml").write_text(ZNS)
    return compile_plan(load(folder / "s.toml"), folder)["simulation"]


def test_the_zones_of_a_host_managed_disk():
    plan = plan_of(f"{HEAD}{SMR}count = 1\n{ONE}unit = '64KiB'\nreserve = 0.25\n")
    scheme = plan["virtual_pools"][0]["scheme"]
    # 256 zones less 3 free and 2 being written rotate, of which three quarters are offered.
    assert scheme["capacity_bytes"] == (256 - 5) * ZONE_BYTES * 3 // 4 // 65_536 * 65_536
    assert plan["volumes"][0]["capacity_bytes"] == scheme["capacity_bytes"]
    assert scheme == {
        "kind": "zoned", "capacity_bytes": scheme["capacity_bytes"], "unit_bytes": 65_536,
        "zone_bytes": ZONE_BYTES, "free_zones": 3, "policy": "greedy", "hot_cold": True, "in_step": True,
        "write_bytes": 1 << 20, "step_bytes": 1 << 20, "steps_at_once": 2, "reads_through": True,
        "initial": {"fill": 1.0, "run_bytes": 65_536},
    }  # fmt: skip


@pytest.mark.parametrize(("count", "level", "zones"), [(4, 0, 4), (2, 1, 1), (4, 10, 2)])
def test_the_zones_of_a_pool_are_those_of_its_drives_side_by_side(count, level, zones):
    text = f"{HEAD}{SMR}count = {count}\nraid = {{ level = {level} }}\n{ONE}"
    assert plan_of(text)["virtual_pools"][0]["scheme"]["zone_bytes"] == zones * ZONE_BYTES


def test_units_grow_until_they_can_be_numbered():
    plan = plan_of(f'{HEAD}{SMR}count = 1\n{LOG}part = "disks"\n')
    scheme, part = plan["virtual_pools"][0]["scheme"], plan["virtual_pools"][0]["parts"][0]
    assert scheme["unit_bytes"] == 16_384  # 28 TB are 6.8e9 units of 4 KiB, 3.4e9 of 8 KiB
    assert part["capacity_bytes"] // 16_384 < 2**31


def test_a_zone_of_an_ssd_is_a_superblock(tmp_path):
    pool = '[[array.pool]]\nname = "disks"\ndevice = "own.toml"\ncount = 1\n'
    plan = plan_of(f"{HEAD}{pool}{ONE}", tmp_path)
    drive, scheme = plan["pools"][0]["device"], plan["virtual_pools"][0]["scheme"]
    flash = drive["media"]
    row = flash["channels"] * flash["dies_per_channel"] * flash["planes"] * flash["page_bytes"]
    assert scheme["zone_bytes"] == row * flash["pages_per_block"] == round(GIB / row) * row
    assert (flash["zoned"], flash["map_entry_bytes"]) == (True, 0)
    assert drive["sectors"] * drive["sector_bytes"] % scheme["zone_bytes"] == 0
    assert not scheme["reads_through"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (f"{SMR}count = 1\n", "unsupported @ array.pool.disks.device"),
        (f"{SMR}count = 1\n{ONE}[[array.volume]]\nname = 'v'\npool = 'disks'\n",
         "unsupported @ array.pool.disks.device"),
        (f"{SMR}count = 1\n[[array.virtual_pool]]\nname = 'l'\nscheme = 'linear'\npart = ['disks']\n",
         "unsupported @ array.pool.disks.device"),
        (f"{SMR}count = 4\nraid = {{ level = 5 }}\n{ONE}", "unsupported @ array.pool.disks.raid.level"),
        (f"{SMR}count = 4\nraid = {{ level = 10 }}\nspares = 1\n{ONE}",
         "unsupported @ array.pool.disks.spares"),
        (f"{SMR}count = 1\n{ONE}zone = '300MiB'\n", "not-accepted @ array.virtual_pool.log.zone"),
        (f"{SMR}count = 1\n{ONE}unit = '3KiB'\n", "not-accepted @ array.virtual_pool.log.unit"),
        (f"{SMR}count = 1\n{LOG}part = {{ pool = 'disks', capacity = '1GiB' }}\n",
         "out-of-range @ array.virtual_pool.log.part.capacity"),
        (f"{SMR}count = 1\n{ONE}initial = {{ state = 'fresh', fill = 0.5 }}\n",
         "not-applicable @ array.virtual_pool.log.initial.fill"),
        (f"{SMR}count = 1\n{ONE}cleaning = {{ free_zones = 1 }}\n",
         "out-of-range @ array.virtual_pool.log.cleaning.free_zones"),
    ],
)  # fmt: skip
def test_what_is_refused(text, fault):
    with pytest.raises(InputError) as error:
        plan_of(f"{HEAD}{text}")
    assert faults(error.value) == fault


@pytest.mark.parametrize("key", ["gc = { policy = 'fifo' }", "over_provisioning = 0.1", "model = 'flash'"])
def test_a_zoned_ssd_has_nothing_to_collect(tmp_path, key):
    pool = '[[array.pool]]\nname = "disks"\ndevice = "own.toml"\ncount = 1\n'
    with pytest.raises(InputError) as error:
        plan_of(f"{HEAD}{pool}ssd = {{ {key} }}\n{ONE}", tmp_path)
    assert faults(error.value) == f"not-applicable @ array.pool.disks.ssd.{key.split()[0]}"


def test_the_policy_of_the_host_is_stated():
    notes = compile_plan(load(f"{HEAD}{SMR}count = 1\n{ONE}"))["notes"]
    assert "host-policy" in [note["code"] for note in notes]


def test_a_zone_less_than_a_page_of_all_dies_is_refused(tmp_path):
    text = "[[array.pool]]\nname = 'd'\ndevice = 'own.toml'\ncount = 1\n"
    (tmp_path / "own.toml").write_text(ZNS.replace("1GiB", "4KiB"))
    (tmp_path / "s.toml").write_text(HEAD + text)
    with pytest.raises(InputError) as error:
        compile_plan(load(tmp_path / "s.toml"), tmp_path)
    assert faults(error.value) == "out-of-range @ array.pool.d.device"
    assert "flash.zones.size" in str(error.value)
