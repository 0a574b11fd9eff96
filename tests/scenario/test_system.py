"""What can be wrong between keys, and what a right scenario amounts to."""

from __future__ import annotations

from pathlib import Path

import pytest

from iowatt.base.problems import ScenarioError
from iowatt.model.scenario import load
from iowatt.model.scenario.raid import usable_bytes
from iowatt.model.scenario.system import resolve

POWER = 'power = { active = "12W", positioning = "12W", idle = "8W" }'
# 33.6 GB in sectors of 512 bytes, and in whole units of 16 KiB: 2,050,781 of them.
DRIVE = 33_600_000_000
UNIT = 16 * 1024
UNITS = DRIVE // UNIT


def pool(name: str = "disks", count: int = 8, raid: str | None = "level = 5", more: str = "") -> str:
    text = f'[[array.pool]]\nname = "{name}"\ndevice = "arrays2002-disk"\ncount = {count}\n{more}\n'
    return text if raid is None else text + f'raid = {{ {raid}, stripe_unit = "16KiB" }}\n'


def volume(name: str, on: str = "disks", capacity: str | None = None) -> str:
    return f'[[array.volume]]\nname = "{name}"\npool = "{on}"\n' + (
        f'capacity = "{capacity}"\n' if capacity else ""
    )


def workload(name: str, on: str | None = None, trace: str = "t.csv") -> str:
    return f'[[workload]]\nname = "{name}"\ntrace = {{ path = "{trace}" }}\n' + (
        f'volume = "{on}"\n' if on else ""
    )


def bus(name: str, *drives: str) -> str:
    return f'[[array.bus]]\nname = "{name}"\ndrives = {list(drives)}\nbandwidth = "160MB/s"\n'


IDLE = '[observe]\nduration = "1h"\n'


def resolved(*parts: str):
    scenario = load('name = "x"\n' + "".join(parts) + IDLE, traces_must_exist=False)
    return resolve(scenario, Path(), traces_must_exist=False)


def complaints(*parts: str, end: str = IDLE) -> str:
    with pytest.raises(ScenarioError) as error:
        load('name = "x"\n' + "".join(parts) + end, traces_must_exist=False)
    return "\n".join(str(problem) for problem in error.value.problems)


@pytest.mark.parametrize(
    ("raid", "count", "words"),
    [
        ("level = 5", 2, "RAID-5 needs at least 3 drives, not 2"),
        ("level = 4", 2, "RAID-4 needs at least 3 drives, not 2"),
        ("level = 6", 3, "RAID-6 needs at least 4 drives, not 3"),
        ("level = 1", 1, "RAID-1 needs at least 2 drives, not 1"),
        ("level = 10", 2, "RAID-10 needs at least 4 drives, not 2"),
        ("level = 10", 7, "set count to 6 or 8"),
        (None, 2, "2 drives need the key `raid`"),
    ],
)
def test_counts_that_do_not_fit_the_level(raid, count, words):
    assert words in complaints(pool(count=count, raid=raid))


@pytest.mark.parametrize(
    ("raid", "count", "data"),
    [
        ("level = 0", 1, 1),
        ("level = 0", 5, 5),
        ("level = 4", 3, 2),
        ("level = 5", 32, 31),
        ("level = 6", 4, 2),
        ("level = 10", 4, 2),
    ],
)
def test_usable_bytes_are_whole_units_of_the_data_drives(raid, count, data):
    assert resolved(pool(count=count, raid=raid)).pools[0].usable_bytes == data * UNITS * UNIT


def test_mirrors_and_single_drives_lose_nothing_to_stripes():
    assert resolved(pool(count=3, raid="level = 1")).pools[0].usable_bytes == DRIVE
    alone = resolved(pool(count=1, raid=None)).pools[0]
    assert (alone.usable_bytes, alone.level, alone.stripe_unit) == (DRIVE, 0, DRIVE)
    assert usable_bytes(5, 3, 1000, 2500) == 2 * 2000


def test_volumes_left_out_are_one_per_pool():
    system = resolved(pool("a"), pool("b", 4, "level = 10"))
    assert [(v.name, v.pool, v.offset, v.capacity) for v in system.volumes] == [
        ("a", 0, 0, 7 * UNITS * UNIT),
        ("b", 1, 0, 2 * UNITS * UNIT),
    ]


def test_volumes_lie_one_after_another():
    # 100,000,000,001 bytes are rounded down to 195,312,500 sectors.
    system = resolved(
        pool(), volume("a", capacity="100000000001B"), volume("b", capacity="1GiB"), volume("c")
    )
    starts = [0, 10**11, 10**11 + 2**30]
    assert [v.offset for v in system.volumes] == starts
    assert [v.capacity for v in system.volumes] == [10**11, 2**30, 7 * UNITS * UNIT - starts[2]]


def test_a_volume_after_the_rest_has_no_room():
    words = complaints(pool(), volume("a"), volume("b"))
    assert "volume 'a' already takes the rest of pool 'disks'" in words
    assert "give volume 'a' a capacity, or put it last" in words


def test_volumes_that_fill_the_pool_leave_no_rest():
    full = f"{7 * UNITS * UNIT}B"
    assert "no room for it: 0 of the" in complaints(pool(), volume("a", capacity=full), volume("b"))


def test_a_pool_without_volume_is_noted():
    assert (
        "pool 'b' has no volume: its drives only idle"
        in resolved(pool("a"), pool("b"), volume("v", "a")).notes
    )


@pytest.mark.parametrize("group", ["pool", "volume", "workload", "bus"])
def test_names_are_unique(group):
    parts = {
        "pool": pool("a") + pool("a"),
        "volume": pool() + volume("a", capacity="1GB") + volume("a"),
        "workload": workload("a") + workload("a") + pool(),
        "bus": pool() + bus("a", "disks[:50%]") + bus("a", "disks[50%:]"),
    }
    assert f"the name 'a' is taken by another {group}" in complaints(parts[group])


def test_a_workload_needs_a_volume_where_there_are_several():
    words = complaints(workload("w"), pool("a"), pool("b"))
    assert "the key `volume` is missing" in words
    assert "one of a, b" in words
    assert "there is no volume 'c'" in complaints(workload("w", "c"), pool("a"), pool("b"))
    assert resolved(workload("w", "b"), pool("a"), pool("b")).volume_of_workload == [1]


def test_standard_input_has_one_reader():
    two = workload("a", trace="-") + workload("b", trace="-")
    assert "workload 'a' already reads standard input" in complaints(two, pool())
    scenario = load('name = "x"\n' + workload("a", trace="-") + pool())
    assert scenario.workload[0].trace.path == "-"


def test_halves_on_two_buses_whatever_the_count():
    for count in (8, 9):
        system = resolved(pool(count=count), bus("a", "disks[:50%]"), bus("b", "disks[50%:]"))
        assert system.bus_of_drive == [[0] * 4 + [1] * (count - 4)]
    every_other = resolved(pool(), bus("a", "disks[::2]"), bus("b", "disks[1::2]"))
    assert every_other.bus_of_drive == [[0, 1] * 4]


def test_drives_one_by_one_and_pools_without_buses():
    system = resolved(pool("a", 3), pool("b"), bus("x", "a.0", "a[1:3]"))
    assert system.bus_of_drive == [[0, 0, 0], []]


@pytest.mark.parametrize(
    ("drives", "words"),
    [
        (["disks", "disks.3"], "drive disks.3 is already on bus 'a'"),
        (["disks[0:4]"], "4 of the 8 drives are on no bus, the first is disks.4"),
        (["disks[0:9]"], "not within pool 'disks', whose drives are disks[0:8]"),
        (["disks[4:4]"], "not within pool"),
        (["disks.8"], "not within pool"),
        (["dsks"], "did you mean 'disks'?"),
        (["disks[a]"], "must match"),
        ([], "an empty list; name at least one drive"),
    ],
)
def test_buses_that_do_not_fit(drives, words):
    assert words in complaints(pool(), bus("a", *drives))


def test_a_drive_is_on_one_bus():
    words = complaints(pool(), bus("a", "disks"), bus("b", "disks[0:4]"))
    assert "drive disks.0 is already on bus 'a'" in words


def test_spinning_down_needs_its_figures():
    spinning = 'power = { policy = "fixed-threshold", threshold = "10s" }'
    words = complaints(pool(more=spinning).replace("arrays2002-disk", "toshiba-mg04sca500e"))
    assert "the policy 'fixed-threshold' needs power figures" in words
    assert "standby, spin_up, spin_down, spin_up_time, spin_down_time" in words
    assert 'spin_up_time = "..s"' in words


def test_the_fix_for_missing_power_works():
    table = f'device = {{ name = "quantum-atlas-10k", {POWER} }}'
    system = resolved(pool().replace('device = "arrays2002-disk"', table))
    assert system.pools[0].drive.power.idle == 8.0
    assert any(
        "the scenario gives its own power figures (active, positioning, idle)" in n for n in system.notes
    )


def test_figures_that_differ():
    table = 'device = { name = "arrays2002-disk", rpm = 15000, capacity = "18GB", power = { idle = "10W" } }'
    drive = resolved(pool().replace('device = "arrays2002-disk"', table)).pools[0].drive
    assert (drive.rpm, drive.raw_bytes, drive.power.idle, drive.power.active) == (
        15_000,
        18 * 10**9,
        10.0,
        39.0,
    )
    # 75.411 sectors of skew at 12,000 rpm take as long as 75.411 x 15/12 at 15,000 rpm.
    assert drive.zones[0].track_skew == pytest.approx(75.411 * 15 / 12)
    too_large = table.replace("18GB", "34GB")
    words = complaints(pool().replace('device = "arrays2002-disk"', too_large))
    assert "the drive has 33600000000 bytes" in words


def test_an_idle_array_needs_a_duration():
    assert "observe.duration must say how long" in complaints(pool(), end="")
    assert resolved(pool()).problems == []


def test_a_warmup_must_leave_something():
    words = complaints(pool(), end='[observe]\nduration = "10s"\nwarmup = "10s"\n')
    assert "the warm-up (10 s) leaves nothing of the duration (10 s)" in words


def test_large_sectors_are_said(tmp_path):
    (tmp_path / "large.toml").write_text(
        'name = "large"\ntitle = "L"\nbased_on = "arrays2002-disk"\nsector_size = 4096\ncapacity = "33GB"\n'
    )
    one = pool("p", 1, None)
    notes = [
        resolve(load('name = "x"\n' + text + IDLE, base_dir=tmp_path), tmp_path).notes
        for text in (one, one.replace("arrays2002-disk", "large.toml"))
    ]
    said = "requests are rounded out to whole sectors of 4096 bytes; a write of part of a sector costs no"
    assert [any(said in note for note in found) for found in notes] == [False, True]


def failing(*failures: tuple[int, str]) -> str:
    return "".join(f'[[array.pool.failure]]\ndrive = {drive}\nat = "{at}"\n' for drive, at in failures)


@pytest.mark.parametrize(
    ("level", "more", "failures", "words"),
    [
        ("level = 0", "spares = 1", (), "a spare has nothing to be rebuilt from"),
        ("level = 0", "", ((1, "0s"),), "without redundancy a failure loses data"),
        ("level = 5", "", ((8, "0s"),), "there is no drive 8: pool 'disks' has the drives 0 to 7"),
        ("level = 5", "spares = 1", ((9, "0s"),), "there is no drive 9: pool 'disks' has the drives 0 to 8"),
        ("level = 6", "", ((1, "0s"), (1, "1h")), "drive 1 fails twice"),
        ("level = 4", 'spares = 1\nsparing = "distributed"', (), "RAID-4 keeps parity on one drive"),
        ("level = 1", 'spares = 1\nsparing = "distributed"', (), "RAID-1 has no stripes"),
        ("level = 5", 'spares = 2\nsparing = "distributed"', (), "set spares to 1"),
        ("level = 5", 'sparing = "distributed"', (), "one drive's worth of space, not 0"),
        # What no rebuild can prevent: none without spares, none of two that fail together or within the
        # delay, no more than there are spares.
        ("level = 5", "", ((1, "1h"), (2, "9h")), "RAID-5 loses data with these drives failed"),
        ("level = 5", "spares = 2", ((1, "1h"), (2, "1h")), "disks.1 at 3600 s, disks.2 at 3600 s"),
        ("level = 5", 'spares = 2\nrebuild = { delay = "1h" }', ((1, "1h"), (2, "90min")), "RAID-5 loses"),
        ("level = 6", "spares = 1", ((1, "1h"), (2, "2h"), (3, "3h"), (4, "4h")), "RAID-6 loses data"),
        ("level = 10", "", ((1, "1h"), (5, "2h")), "RAID-10 loses data"),
        ("level = 10", 'spares = 1\nsparing = "distributed"', ((0, "0s"), (5, "0s")), "RAID-10 loses data"),
    ],
)
def test_failures_and_spares_that_cannot_be(level, more, failures, words):
    assert words in complaints(pool(raid=level, more=more) + failing(*failures))


@pytest.mark.parametrize(
    ("level", "more", "failures"),
    [
        ("level = 5", "", ((1, "0s"),)),
        ("level = 5", "spares = 1", ((1, "0s"), (2, "1h"))),  # the rebuild may be through by then
        ("level = 5", "spares = 1", ((1, "0s"), (8, "0s"))),  # the spare itself
        ("level = 6", "", ((1, "0s"), (2, "0s"))),
        ("level = 10", "", ((0, "0s"), (1, "0s"), (2, "0s"), (3, "0s"))),
        ("level = 1", "", tuple((drive, "0s") for drive in range(7))),
    ],
)
def test_failures_that_a_level_survives(level, more, failures):
    assert resolved(pool(raid=level, more=more) + failing(*failures)).problems == []


def test_spares_are_drives_of_the_pool():
    system = resolved(pool(more="spares = 2"), bus("all", "disks"))
    assert system.pools[0].raw_bytes == 10 * DRIVE
    assert system.pools[0].usable_bytes == 7 * UNITS * UNIT
    assert system.bus_of_drive == [[0] * 10]


@pytest.mark.parametrize(
    ("rebuild", "words"),
    [
        ('rate = "50"', "'50' has no unit; expected a rate such as '160MB/s', '215MiB/s' or '12Gbit/s', or"),
        ('rate = "0MB/s"', "would never end"),
        ("outstanding = 0", "must be at least 1"),
        ('priority = "low"', 'expected "host-first", "equal"'),
        ("step = 0", "must be greater than 0"),
    ],
)
def test_rebuilds_that_cannot_be(rebuild, words):
    assert words in complaints(pool(more=f"spares = 1\nrebuild = {{ {rebuild} }}"))


def test_queues_that_cannot_be():
    deep = pool(count=1, raid=None, more='queue_depth = 2\nscheduler = "sptf"')
    said = complaints(deep)
    assert "array.pool.disks.scheduler: with queue_depth = 2 the host does not know" in said
    assert 'drive_scheduler = "sptf"' in said
    fifteen = pool(count=1, raid=None, more="queue_depth = 9").replace(
        '"arrays2002-disk"', f'{{ name = "seagate-cheetah-15k5", {POWER} }}'
    )
    assert (
        "array.pool.disks.queue_depth: 'seagate-cheetah-15k5' holds at most 8 commands, not 9"
        in complaints(fifteen)
    )


def test_a_write_cache_needs_a_buffer():
    bare = pool(count=1, raid=None, more="write_cache = true").replace(
        '"arrays2002-disk"', f'{{ name = "hp-335h", {POWER} }}'
    )
    said = complaints(bare)
    assert "array.pool.disks.write_cache: 'hp-335h' has no on-board buffer" in said
    off = bare.replace("write_cache = true", "write_cache = false")
    assert resolved(off).problems == []
