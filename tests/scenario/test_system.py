"""What can be wrong between keys, and what a right scenario amounts to."""

from __future__ import annotations

from pathlib import Path

import pytest

from iowatt.base.problems import DocumentError
from iowatt.model.raid import usable_bytes
from iowatt.model.scenario import load
from iowatt.model.scenario.system import resolve
from noted import noted
from refused import faults

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


def refusal(*parts: str, end: str = IDLE) -> DocumentError:
    with pytest.raises(DocumentError) as error:
        load('name = "x"\n' + "".join(parts) + end, traces_must_exist=False)
    return error.value


@pytest.mark.parametrize(
    ("raid", "count", "fault", "figures"),
    [
        ("level = 5", 2, "out-of-range @ array.pool.disks.count", ["5", "3", "2"]),
        ("level = 4", 2, "out-of-range @ array.pool.disks.count", ["4", "3", "2"]),
        ("level = 6", 3, "out-of-range @ array.pool.disks.count", ["6", "4", "3"]),
        ("level = 1", 1, "out-of-range @ array.pool.disks.count", ["1", "2"]),
        ("level = 10", 2, "out-of-range @ array.pool.disks.count", ["10", "4", "2"]),
        ("level = 10", 7, "out-of-range @ array.pool.disks.count", ["6", "8"]),
        (None, 2, "missing @ array.pool.disks.count", ["2"]),
    ],
)
def test_counts_that_do_not_fit_the_level(raid, count, fault, figures):
    error = refusal(pool(count=count, raid=raid))
    assert faults(error) == fault
    assert [figure for figure in figures if figure not in str(error)] == []


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
    error = refusal(pool(), volume("a"), volume("b"))
    assert faults(error) == "conflict @ array.volume.b"
    assert "'a'" in error.message and "'disks'" in error.message


def test_volumes_that_fill_the_pool_leave_no_rest():
    full = f"{7 * UNITS * UNIT}B"
    assert faults(refusal(pool(), volume("a", capacity=full), volume("b"))) == (
        "infeasible @ array.volume.b.pool"
    )


def test_a_pool_without_volume_is_noted():
    (note,) = (n for n in resolved(pool("a"), pool("b"), volume("v", "a")).notes if n.code == "no-volume")
    assert note.decides
    assert "'b'" in note.text


@pytest.mark.parametrize("group", ["pool", "volume", "workload", "bus"])
def test_names_are_unique(group):
    parts = {
        "pool": pool("a") + pool("a"),
        "volume": pool() + volume("a", capacity="1GB") + volume("a"),
        "workload": workload("a") + workload("a") + pool(),
        "bus": pool() + bus("a", "disks[:50%]") + bus("a", "disks[50%:]"),
    }
    place = "workload.a" if group == "workload" else f"array.{group}.a"
    assert faults(refusal(parts[group])).split(" & ")[0] == f"duplicate @ {place}.name"


def test_a_workload_needs_a_volume_where_there_are_several():
    error = refusal(workload("w"), pool("a"), pool("b"))
    assert faults(error) == "missing @ workload.w"
    assert "a, b" in (error.hint or "")
    assert faults(refusal(workload("w", "c"), pool("a"), pool("b"))) == "unknown-name @ workload.w.volume"
    assert resolved(workload("w", "b"), pool("a"), pool("b")).volume_of_workload == [1]


def test_standard_input_has_one_reader():
    two = workload("a", trace="-") + workload("b", trace="-")
    assert faults(refusal(two, pool())) == "read-once @ workload.b.trace.path"
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
    ("drives", "fault", "figures"),
    [
        (["disks", "disks.3"], "duplicate @ array.bus.a.drives.1", ["'a'"]),
        (["disks[0:4]"], "conflict @ array.pool.disks", ["4", "8"]),
        (["disks[0:9]"], "out-of-range @ array.bus.a.drives.0", ["'disks'", "0:8"]),
        (["disks[4:4]"], "out-of-range @ array.bus.a.drives.0", []),
        (["disks.8"], "out-of-range @ array.bus.a.drives.0", []),
        (["dsks"], "unknown-name @ array.bus.a.drives.0", ["'disks'"]),
        (["disks[a]"], "bad-syntax @ array.bus.a.drives.0", []),
        ([], "missing @ array.bus.a.drives", []),
    ],
)
def test_buses_that_do_not_fit(drives, fault, figures):
    error = refusal(pool(), bus("a", *drives))
    assert faults(error) == fault
    assert [figure for figure in figures if figure not in str(error)] == []


def test_a_drive_is_on_one_bus():
    error = refusal(pool(), bus("a", "disks"), bus("b", "disks[0:4]"))
    assert faults(error) == "duplicate @ array.bus.b.drives.0"
    assert "disks.0" in error.message and "'a'" in error.message


def test_spinning_down_needs_its_figures():
    spinning = 'power = { policy = "fixed-threshold", threshold = "10s" }'
    error = refusal(pool(more=spinning).replace("arrays2002-disk", "toshiba-mg04sca500e"))
    assert faults(error) == "missing-figure @ array.pool.disks.device"
    assert "standby, spin_up, spin_down, spin_up_time, spin_down_time" in error.message
    assert 'spin_up_time = "..s"' in (error.hint or "")


def test_the_fix_for_missing_power_works():
    table = f'device = {{ name = "quantum-atlas-10k", {POWER} }}'
    system = resolved(pool().replace('device = "arrays2002-disk"', table))
    assert system.pools[0].drive.power.idle == 8.0
    note = noted(system.notes)["drive"]
    assert all(key in note for key in ("active", "positioning", "idle"))


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
    error = refusal(pool().replace('device = "arrays2002-disk"', too_large))
    assert faults(error) == "out-of-range @ array.pool.disks.device.capacity"
    assert "33600000000" in error.message


def test_an_idle_array_needs_a_duration():
    assert faults(refusal(pool(), end="")) == "missing @ observe.duration"
    assert resolved(pool()).problems == []


def test_a_warmup_must_leave_something():
    error = refusal(pool(), end='[observe]\nduration="10s"\nwarmup="10s"\n')
    assert faults(error) == "out-of-range @ observe.warmup"


def test_large_sectors_are_said(tmp_path):
    (tmp_path / "large.toml").write_text(
        'name = "large"\ntitle = "L"\nbased_on = "arrays2002-disk"\nsector_size = 4096\ncapacity = "33GB"\n'
    )
    one = pool("p", 1, None)
    notes = [
        resolve(load('name = "x"\n' + text + IDLE, base_dir=tmp_path), tmp_path).notes
        for text in (one, one.replace("arrays2002-disk", "large.toml"))
    ]
    assert "whole-sectors" not in noted(notes[0])
    assert "4096" in noted(notes[1])["whole-sectors"]


def failing(*failures: tuple[int, str]) -> str:
    return "".join(f'[[array.pool.failure]]\ndrive = {drive}\nat = "{at}"\n' for drive, at in failures)


@pytest.mark.parametrize(
    ("level", "more", "failures", "fault", "figures"),
    [
        ("level = 0", "spares = 1", (), "not-applicable @ array.pool.disks.spares", []),
        ("level = 0", "", ((1, "0s"),), "not-applicable @ array.pool.disks.failure.0", []),
        (
            "level = 5",
            "",
            ((8, "0s"),),
            "unknown-name @ array.pool.disks.failure.0.drive",
            ["8", "'disks'", "7"],
        ),
        (
            "level = 5",
            "spares = 1",
            ((9, "0s"),),
            "unknown-name @ array.pool.disks.failure.0.drive",
            ["9", "'disks'", "8"],
        ),
        ("level = 6", "", ((1, "0s"), (1, "1h")), "duplicate @ array.pool.disks.failure.1.drive", []),
        (
            "level = 4",
            'spares = 1\nsparing = "distributed"',
            (),
            "not-applicable @ array.pool.disks.sparing",
            ["4"],
        ),
        (
            "level = 1",
            'spares = 1\nsparing = "distributed"',
            (),
            "not-applicable @ array.pool.disks.sparing",
            ["1"],
        ),
        (
            "level = 5",
            'spares = 2\nsparing = "distributed"',
            (),
            "out-of-range @ array.pool.disks.spares",
            ["1"],
        ),
        ("level = 5", 'sparing = "distributed"', (), "out-of-range @ array.pool.disks.spares", ["0"]),
        # What no rebuild can prevent: none without spares, none of two that fail together or within the
        # delay, no more than there are spares.
        ("level = 5", "", ((1, "1h"), (2, "9h")), "data-loss @ array.pool.disks.failure.1", ["5"]),
        (
            "level = 5",
            "spares = 2",
            ((1, "1h"), (2, "1h")),
            "data-loss @ array.pool.disks.failure.1",
            ["3600"],
        ),
        (
            "level = 5",
            'spares = 2\nrebuild = { delay = "1h" }',
            ((1, "1h"), (2, "90min")),
            "data-loss @ array.pool.disks.failure.1",
            ["5"],
        ),
        (
            "level = 6",
            "spares = 1",
            ((1, "1h"), (2, "2h"), (3, "3h"), (4, "4h")),
            "data-loss @ array.pool.disks.failure.3",
            ["6"],
        ),
        ("level = 10", "", ((1, "1h"), (5, "2h")), "data-loss @ array.pool.disks.failure.1", ["10"]),
        (
            "level = 10",
            'spares = 1\nsparing = "distributed"',
            ((0, "0s"), (5, "0s")),
            "data-loss @ array.pool.disks.failure.1",
            ["10"],
        ),
    ],
)
def test_failures_and_spares_that_cannot_be(level, more, failures, fault, figures):
    error = refusal(pool(raid=level, more=more) + failing(*failures))
    assert faults(error) == fault
    assert [figure for figure in figures if figure not in str(error)] == []


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
    ("rebuild", "fault", "figures"),
    [
        (
            'rate = "50"',
            "bad-syntax @ array.pool.disks.rebuild.rate",
            ["'50'", "'160MB/s'", "'215MiB/s'", "'12Gbit/s'"],
        ),
        ('rate = "0MB/s"', "out-of-range @ array.pool.disks.rebuild.rate", []),
        ("outstanding = 0", "out-of-range @ array.pool.disks.rebuild.outstanding", ["1"]),
        ('priority = "low"', "not-accepted @ array.pool.disks.rebuild.priority", ['"host-first"', '"equal"']),
        ("step = 0", "out-of-range @ array.pool.disks.rebuild.step", ["0"]),
    ],
)
def test_rebuilds_that_cannot_be(rebuild, fault, figures):
    error = refusal(pool(more=f"spares = 1\nrebuild = {{ {rebuild} }}"))
    assert faults(error) == fault
    assert [figure for figure in figures if figure not in str(error)] == []


def test_queues_that_cannot_be():
    deep = pool(count=1, raid=None, more='queue_depth = 2\nscheduler = "sptf"')
    error = refusal(deep)
    assert faults(error) == "conflict @ array.pool.disks.scheduler"
    assert 'drive_scheduler = "sptf"' in (error.hint or "")
    fifteen = pool(count=1, raid=None, more="queue_depth = 9").replace(
        '"arrays2002-disk"', f'{{ name = "seagate-cheetah-15k5", {POWER} }}'
    )
    error = refusal(fifteen)
    assert faults(error) == "out-of-range @ array.pool.disks.queue_depth"
    assert "8" in error.message and "9" in error.message


def test_a_write_cache_needs_a_buffer():
    bare = pool(count=1, raid=None, more="write_cache = true").replace(
        '"arrays2002-disk"', f'{{ name = "hp-335h", {POWER} }}'
    )
    assert faults(refusal(bare)) == "missing-figure @ array.pool.disks.write_cache"
    off = bare.replace("write_cache = true", "write_cache = false")
    assert resolved(off).problems == []
