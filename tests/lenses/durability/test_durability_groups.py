"""Redundancy groups of a plan: one for each kind of pool, with what it survives and what users have of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from iowatt.evaluate.rebuild import degraded
from iowatt.lenses.book import find_book
from iowatt.lenses.durability import RebuildTime, groups_of
from iowatt.lenses.durability.drives import drive_risk
from iowatt.lenses.durability.engine import RiskyGroup
from iowatt.lenses.durability.redundancy import with_more
from iowatt.model.scenario import compile_plan, load

TB = 10**12
BOOK = find_book("default")
REBUILD = RebuildTime(
    pool="p", seconds=3600.0, bytes_per_s=1e8, basis="stated", text="made up", simulated_share=0.0
)


def plan_of(tmp_path, pool, rest="", volume=""):
    path = tmp_path / "n.toml"
    path.write_text(
        f'name = "n"\n[[workload]]\nname = "w"\n{volume}'
        'profile = { name = "uniform", requests = 50, rate_iops = 50 }\n'
        f'[[array.pool]]\nname = "p"\ndevice = "seagate-exos-x24-24tb"\n{pool}\n{rest}'
    )
    return compile_plan(load(path, []), tmp_path)


@pytest.mark.parametrize(
    ("keys", "members", "code", "data_drives"),
    [
        ("count = 1", 1, {"code": "any", "losses": 0}, 1),
        ("count = 5\nraid = { level = 0 }", 5, {"code": "any", "losses": 0}, 5),
        ("count = 3\nraid = { level = 1 }", 3, {"code": "any", "losses": 2}, 1),
        ("count = 8\nraid = { level = 10 }", 8, {"code": "spans", "width": 2, "losses": 1}, 4),
        ("count = 8\nraid = { level = 5 }\nspares = 2", 8, {"code": "any", "losses": 1}, 7),
        ("count = 8\nraid = { level = 6 }", 8, {"code": "any", "losses": 2}, 6),
        (
            'count = 8\nraid = { level = 6 }\nspares = 1\nsparing = "distributed"',
            9,
            {"code": "any", "losses": 2},
            6,
        ),
    ],
)
def test_whole_drives(tmp_path, keys, members, code, data_drives):
    (group,) = groups_of(plan_of(tmp_path, keys))
    assert (group.members, group.code, group.survives) == (members, code, code["losses"])
    assert group.drive_bytes == pytest.approx(24 * TB, rel=1e-3)
    assert group.user_bytes == pytest.approx(data_drives * 24 * TB, rel=1e-3)


def test_sets_over_chunklets_are_declustered_and_share_the_drives(tmp_path):
    volumes = "".join(
        f'[[array.volume]]\nname = "{name}"\npool = "p"\ncapacity = "10TB"\nraid = {{ level = {level} }}\n'
        for name, level in (("a", 5), ("b", 6))
    )
    groups = groups_of(plan_of(tmp_path, "count = 10\nchunklet = true", volumes, 'volume = "a"\n'))
    kinds = {(one.code["code"], one.code["width"], one.code["losses"]) for one in groups}
    assert kinds == {("declustered", 4, 1), ("declustered", 8, 2)}, "what is left holds no data"
    raw = (10 * TB * 4 / 3 + 10 * TB * 8 / 6) / 10
    assert sum(one.filled * one.drive_bytes for one in groups) == pytest.approx(raw, rel=0.01)
    assert sum(one.user_bytes for one in groups) == pytest.approx(20 * TB, rel=0.01)


def test_errors_count_where_there_is_data(tmp_path):
    one = '[[array.volume]]\nname = "a"\npool = "p"\ncapacity = "64TB"\nraid = { level = 6 }\n'
    found = []
    for volumes in (one, one + one.replace('"a"', '"b"')):
        groups = groups_of(plan_of(tmp_path, "count = 10\nchunklet = true", volumes, 'volume = "a"\n'))
        risk = drive_risk(groups[0].drive, BOOK)
        plans = [RiskyGroup(group, risk, REBUILD).plan(BOOK, 5.0) for group in groups]
        found.append(sum(plan["errors"]["latent_per_s"] for plan in plans) / risk.errors()["latent_per_s"])
    # Six of eight chunklets hold data, of 240 TB in all.
    assert found == pytest.approx([64 * 8 / 6 / 240, 128 * 8 / 6 / 240], rel=0.01)


def test_erasure_codes_over_drives_and_over_chunklets(tmp_path):
    (code,) = groups_of(plan_of(tmp_path, 'count = 11\nraid = { level = "ec", data = 8, parity = 3 }'))
    assert (code.members, code.code, code.survives) == (11, {"code": "any", "losses": 3}, 3)
    keys = 'count = 16\nraid = { level = "ec", data = 12, parity = 2, local_groups = 2 }'
    (local,) = groups_of(plan_of(tmp_path, keys))
    assert (local.code["code"], local.members, local.code["global_parities"]) == ("lrc", 16, 2)
    assert with_more(local, 1) is None
    wide = 'count = 20\nchunklet = true\nraid = { level = "ec", data = 8, parity = 3 }'
    (sets,) = groups_of(plan_of(tmp_path, wide))
    assert (sets.code["code"], sets.code["width"], sets.code["losses"]) == ("declustered", 11, 3)
    assert sets.user_bytes == pytest.approx(20 * 24 * TB * 8 / 11, rel=0.01)


def test_how_drives_are_rebuilt_holds_without_spares(tmp_path):
    keys = 'count = 8\nraid = { level = 6 }\nrebuild = { outstanding = 16, step = "4MiB" }'
    plan = degraded(plan_of(tmp_path, keys), {"p"}, 10.0)
    recovery = plan["simulation"]["pools"][0]["recovery"]
    assert (recovery["rebuild"]["outstanding"], recovery["rebuild"]["step_bytes"]) == (16, 4 << 20)
    assert (recovery["spares"], len(recovery["failures"])) == (1, 1)


def test_drives_of_a_cluster_are_in_nodes_and_racks():
    path = Path(__file__).parents[3] / "examples" / "ceph-cluster.toml"
    (group,) = groups_of(compile_plan(load(path, []), path.parent))
    assert [(domain.kind, domain.units) for domain in group.domains] == [("node", 6), ("rack", 3)]
    assert (group.code["width"], group.code["losses"], group.code["apart"]) == (3, 2, 0)
    assert group.user_bytes == pytest.approx(10e12, rel=0.01)


@pytest.mark.parametrize("capacity", ["100GB", "10TB"])
def test_a_drive_of_a_cluster_is_rebuilt_as_far_as_volumes_take_it(capacity):
    path = Path(__file__).parents[3] / "examples" / "ceph-cluster.toml"
    plan = compile_plan(load(path, [f'cluster.ceph.volume.images.capacity="{capacity}"']), path.parent)
    (group,) = groups_of(plan)
    # Three copies on 24 drives.
    assert group.rebuild_bytes == pytest.approx(3 * group.user_bytes / 24, rel=1e-6)
    risk = drive_risk(group.drive, BOOK)
    plan = RiskyGroup(group, risk, REBUILD).plan(BOOK, 5.0)
    errors, each = plan["errors"], risk.errors()
    share = group.rebuild_bytes / group.drive["raw_bytes"]
    assert errors["latent_per_s"] == pytest.approx(share * each["latent_per_s"])
    read = plan["drive_bytes"] * errors["unrecoverable_per_byte"]
    assert read == pytest.approx(group.rebuild_bytes * each["unrecoverable_per_byte"])
    four = with_more(group, 1)
    assert four.rebuild_bytes == pytest.approx(4 / 3 * group.rebuild_bytes), "the same data in four copies"


def test_another_parity_or_copy_is_what_one_would_build(tmp_path):
    (five,) = groups_of(plan_of(tmp_path, "count = 8\nraid = { level = 5 }"))
    six, none = with_more(five, 1), with_more(five, -1)
    assert (six.scheme, six.survives, six.code["losses"], six.members) == ("RAID-6", 2, 2, 8)
    assert six.user_bytes == pytest.approx(five.user_bytes * 6 / 7)
    assert (none.survives, none.user_bytes) == (0, pytest.approx(five.user_bytes * 8 / 7))
    assert with_more(none, -1) is None
    # An erasure code and copies keep their data: a drive more, or space of the pool.
    (code,) = groups_of(plan_of(tmp_path, 'count = 6\nraid = { level = "ec", data = 4, parity = 2 }'))
    wider = with_more(code, 1)
    assert (wider.scheme, wider.members, wider.code["losses"]) == ("EC 4+3", 7, 3)
    assert wider.user_bytes == code.user_bytes
    (pairs,) = groups_of(plan_of(tmp_path, "count = 8\nraid = { level = 10 }"))
    triples, single = with_more(pairs, 1), with_more(pairs, -1)
    assert (triples.members, triples.code) == (12, {"code": "spans", "width": 3, "losses": 2})
    assert (single.members, single.code) == (4, {"code": "any", "losses": 0})
    assert [len(domain.unit_of) for domain in triples.domains] == [12]
    path = Path(__file__).parents[3] / "examples" / "ceph-cluster.toml"
    (copies,) = groups_of(compile_plan(load(path, []), path.parent))
    four = with_more(copies, 1)
    assert (four.scheme, four.code["width"], four.survives) == ("4 copies", 4, 3)
    assert four.usable_bytes == pytest.approx(copies.usable_bytes * 3 / 4)
    assert (four.user_bytes, four.filled) == (copies.user_bytes, pytest.approx(copies.filled * 4 / 3))
    # What does not fit is not kept.
    full = with_more(replace(copies, user_bytes=0.9 * copies.usable_bytes, filled=0.9), 1)
    assert (full.user_bytes, full.filled) == (full.usable_bytes, 1.0)
    racks = compile_plan(load(path, ["cluster.ceph.pool.nvme.failure_domain=rack"]), path.parent)
    assert with_more(groups_of(racks)[0], 1) is None, "three racks hold no four copies"


def test_a_pool_of_copies_and_a_cache_that_writes_through_hold_no_data_of_their_own(tmp_path):
    virtual = (
        '[[array.pool]]\nname = "f"\ndevice = "intel-dc-p3700-2tb"\ncount = 1\n'
        '[[array.virtual_pool]]\nname = "v"\nscheme = "caching"\nfast = "f"\nslow = "p"\n'
        'write = "{write}"\nextent = "1MiB"\n'
    )
    keys = "count = 8\nraid = { level = 5 }"
    through = groups_of(plan_of(tmp_path, keys, virtual.format(write="through")))
    back = groups_of(plan_of(tmp_path, keys, virtual.format(write="back")))
    assert [one.pool for one in through] == ["p"]
    assert [(one.pool, one.survives) for one in back] == [("p", 1), ("f", 0)]


def test_the_degraded_plan_has_a_failed_drive_a_spare_and_the_load_alone(tmp_path):
    plan = plan_of(tmp_path, "count = 8\nraid = { level = 5 }")
    changed = degraded(plan, {"p"}, 30.0)
    (pool,) = changed["simulation"]["pools"]
    assert pool["recovery"]["failures"] == [{"drive": 0, "at_s": 0.0}]
    assert pool["recovery"]["spares"] == 1
    assert [one["name"] for one in changed["names"]["devices"]] == [f"p.{n}" for n in range(9)]
    assert changed["simulation"]["workloads"][0]["end_s"] == 30.0
    assert plan["simulation"]["pools"][0]["recovery"] is None
