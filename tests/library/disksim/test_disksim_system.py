"""Systems: the benchmark's array, a controller with a cache, and what is refused."""

from __future__ import annotations

import re

import pytest
from disksim_files import RAID5, changed

from iowatt.model.library.disksim import import_drive, read_system
from iowatt.model.library.disksim.components import CacheDevice, CacheMemory, DriveParents, TraceDevice
from refused import refused


def test_the_raid5_of_the_benchmark():
    system = read_system(RAID5)
    assert len(system.drives) == 32
    assert system.drives["disk0"] is system.drives["disk31"]
    (array,) = system.arrays
    assert array.raid_level == 5
    assert (array.drives[0], array.drives[-1], len(array.drives)) == ("disk0", "disk31", 32)
    assert (array.stripe_unit_sectors, array.rotation, array.rmw_threshold) == (32, "left-symmetric", 0.5)
    assert not array.synchronous_writes
    assert system.places["disk9"] == DriveParents("driver0", ("bus0", "bus2"), ("ctlr1",))
    assert [sum(place.buses[-1] == f"bus{i}" for place in system.places.values()) for i in (1, 2, 3, 4)] == [
        8
    ] * 4
    assert system.driver is not None
    assert (system.driver.scheduler.policy, system.driver.uses_queues_below) == ("elevator-lbn", False)
    assert system.buses["bus3"].type == "tenured"
    assert system.controllers["ctlr2"].type == "pass-through"
    # 160 MB/s: 512 bytes in 3.2 us, on the bus and in the drive.
    assert import_drive(RAID5, "disk5").drive().controller.sector == (3.2e-6, 3.2e-6)
    passed_over = [line for line in system.ignored if ": disksim_" in line and "= " not in line]
    assert [line.split(": ")[1].split()[0] for line in passed_over] == [
        "disksim_global",
        "disksim_stats",
        "disksim_pf",
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("Read block transfer time = 0.0032", "Read block transfer time = 0.01", (10e-6, 3.2e-6)),
        ("Bulk sector transfer time = 0.0", "Bulk sector transfer time = 0.02", (20e-6, 20e-6)),
        ("Write block transfer time = 0.0032", "Write block transfer time = 0.0001", (3.2e-6, 3.2e-6)),
    ],
)
def test_the_slowest_of_bus_controller_and_drive(tmp_path, old, new, expected):
    path = changed(tmp_path, "raid5_32.parv", old, new)
    assert import_drive(path, "disk31").drive().controller.sector == pytest.approx(expected)
    with refused("unknown-name", str(path)) as error:
        import_drive(path, "disk32")
    assert "disk0" in error.value.message


@pytest.mark.parametrize(
    ("distribution", "redundancy", "addressing", "level"),
    [
        ("Striped", "Noredun", "Array", 0),
        ("Striped", "Shadowed", "Array", 10),
        ("Striped", "Parity_disk", "Array", 4),
        ("Asis", "Noredun", "Array", None),
        ("Asis", "Noredun", "Parts", None),
        ("Random", "Noredun", "Array", None),
    ],
)
def test_levels(tmp_path, distribution, redundancy, addressing, level):
    old = "Addressing mode = Array, Distribution scheme = Striped, Redundancy scheme = Parity_rotated"
    schemes = f"Distribution scheme = {distribution}, Redundancy scheme = {redundancy}"
    new = f"Addressing mode = {addressing}, {schemes}"
    assert read_system(changed(tmp_path, "raid5_32.parv", old, new)).arrays[0].raid_level == level


CACHE = """type = 3, Max per-disk pending count = 2,
Scheduler = disksim_ioqueue {
  Scheduling policy = 3, Cylinder mapping strategy = 1, Write initiation delay = 0.5,
  Read initiation delay = 0.25, Sequential stream scheme = 3, Maximum concat size = 128 },
Cache = disksim_cachemem {
  Cache size = 8192, SLRU segments = [ 0.5, 0.5 ], Line size = 64, Bit granularity = 1,
  Lock granularity = 64, Max request size = 512, Replacement policy = 2, Allocation policy = 0,
  Write scheme = 3, Flush policy = 0, Flush period = 0.0, Flush idle delay = -1.0,
  Flush max line cluster = 8, Read prefetch type = 3, Write prefetch type = 0,
  Line-by-line fetches = 0, Max gather = 7 }"""


def test_a_controller_with_a_cache(tmp_path):
    path = changed(tmp_path, "raid5_32.parv", "CTLR0 { type = 1", "CTLR0 { " + CACHE)
    system = read_system(path)
    controller = system.controllers["ctlr0"]
    assert (controller.type, controller.max_pending_per_drive) == ("smart", 2)
    assert controller.scheduler is not None
    assert (controller.scheduler.policy, controller.scheduler.write_initiation_s) == ("cycle-lbn", 0.5e-3)
    cache = controller.cache
    assert isinstance(cache, CacheMemory)
    assert (cache.sectors, cache.line_sectors, cache.lru_shares) == (8192, 64, (0.5, 0.5))
    assert (cache.replacement, cache.write_scheme, cache.flush_idle_s) == (
        "segmented-lru",
        "write-back",
        -1e-3,
    )
    assert cache.read_prefetch == "full-line"
    keys = ("Lock granularity", "Maximum concat size", "Max gather", "Sequential stream scheme")
    assert all(any(f": {key} = " in line for line in system.ignored) for key in keys)


def test_a_drive_that_caches_another(tmp_path):
    cache = (
        "Cache = disksim_cachedev { Cache size = 100, Max request size = 64, Write scheme = 2, "
        "Flush policy = 1, Flush period = 5, Flush idle delay = 100.0, "
        "Cache device = disk0, Cached device = disk1 }"
    )
    path = changed(tmp_path, "raid5_32.parv", "CTLR0 { type = 1", "CTLR0 { type = 3, " + cache)
    found = read_system(path).controllers["ctlr1"].cache
    assert found == CacheDevice(100, 64, "write-through", "periodic", 5e-3, 0.1, "disk0", "disk1")


def test_trace_mappings_and_phases(tmp_path):
    more = (
        "disksim_iosim IO { I/O Trace Time Scale = 0.5, I/O Mappings = [ disksim_iomap { tracedev = 0x0e, "
        "simdev = disk3, locScale = 512, sizeScale = 1 } ] }\n"
        "disksim_syncset S { devices = [ disk0 .. disk3 ] }\nmysterious_device M { a = 1 }\ndisksim_pf P"
    )
    system = read_system(changed(tmp_path, "raid5_32.parv", "disksim_pf P", more))
    assert system.trace.time_scale == 0.5
    assert system.trace.devices == (TraceDevice(14, "disk3", 512, 1),)
    assert system.in_phase == (("disk0", "disk1", "disk2", "disk3"),)
    assert any("mysterious_device M" in line for line in system.ignored)


@pytest.mark.parametrize(
    ("old", "new", "code", "named"),
    [
        ("as BENCHDISK", "as BENCHDISC", "unknown-name", "'BENCHDISC'"),
        ("[ bus0 ] as BUS0", "[ bus0, bus1 ] as BUS0", "duplicate", "'bus1'"),
        ("disksim_disk disk7 []", "disksim_disk disk77 []", "conflict", "'disk77'"),
        ("disksim_disk disk7 []", "disksim_bus disk7 []", "conflict", "'disk7' is a disksim_disk"),
        ("devices = [ disk0 .. disk31 ]", "devices = [ disk0 .. disk32 ]", "unknown-name", "'disk32'"),
        ("Parity rotation type = 1", "Parity rotation type = 5", "not-accepted", "1 (left-symmetric)"),
        ("Stripe unit = 32,", "", "missing", "'Stripe unit'"),
        ("Redundancy scheme = Parity_rotated", "Redundancy scheme = Raid7", "not-accepted", "Noredun, Sha"),
    ],
)
def test_systems_that_are_refused(tmp_path, old, new, code, named):
    path = changed(tmp_path, "raid5_32.parv", old, new)
    with refused(code, re.compile(rf"^{re.escape(str(path))}:\d+$")) as error:
        read_system(path)
    assert named in error.value.message
