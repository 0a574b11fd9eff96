"""A drive from its data sheet: what is derived, what is assumed, what is missing, and that it is said."""

from __future__ import annotations

import re

import pytest

from iowatt.base.errors import InputError
from iowatt.model.library import derive, device_file, find_drive
from iowatt.model.library.mechanics import seek_time
from refused import refused

SHEET = """\
name = "acme-9"
kind = "hdd"
title = "Acme 9"
capacity = "900GB"
rpm = 10000
[seek]
average = "4ms"
average_write = "4.4ms"
[performance]
sequential_read = "198MB/s"
"""
WATTS = '[power]\nidle = "3W"\nrandom_read = "6W"\nrandom_write = "5W"\nsequential_read = "5.5W"\n'


def drive(tmp_path, text):
    (tmp_path / "acme.toml").write_text(text)
    return find_drive("acme.toml", tmp_path)


def test_a_drive_from_its_data_sheet(tmp_path):
    made = drive(tmp_path, SHEET)
    assert (made.sector_bytes, made.sectors, made.surfaces) == (512, 900_000_000_000 // 512, 8)
    assert made.average_seek_s == pytest.approx(4e-3, rel=1e-3)
    # 0.155 and 1.91 times 4 ms.
    assert made.seek[0] == (1, pytest.approx(0.62e-3))
    assert seek_time(made.seek, made.cylinders - 1) == pytest.approx(7.64e-3, rel=1e-3)
    # A 6 ms turn and a 1 ms head switch: 198 MB/s x 7 ms / 512 B = 2707 sectors; 0.67 of it inside.
    assert (made.zones[0].sectors_per_track, made.zones[-1].sectors_per_track) == (2707, 1814)
    assert made.sequential_rate(0) == pytest.approx(198e6, rel=0.01)
    assert made.write_settle_s == pytest.approx(0.4e-3)
    assert (made.head_switch_s, made.controller.read_miss) == (1e-3, (0.0, 0.0))
    assert made.power.model_dump(exclude_defaults=True) == {}


def test_every_step_is_said(tmp_path):
    derived, assumed = drive(tmp_path, SHEET).notes
    assert derived.startswith("acme-9: ") and "geometry.outer_rate = 198 MB/s (" in derived
    assert "write_settle = 0.4 ms (" in derived and "seek.average_write" in derived
    assert assumed.startswith("acme-9: ") and "sector_size = 512 B" in assumed
    for key in (
        "head_switch = 1 ms",
        "geometry.inner_rate = 132.7 MB/s (0.67 ",
        "geometry.surfaces = 8",
        "geometry.zone_count = 16",
        "seek.single_cylinder = 620 us (0.155 ",
        "seek.full_stroke = 7.64 ms (1.91 ",
        "read_overhead = 0",
        "write_overhead = 0",
        "controller.sector = 0.8533 us, 600 MB/s",
        "buffer.segments = 32 of 2 MiB",
        "buffer.read_ahead = history",
        "buffer.fast_write = none",
        "command_queue.scheduler = spctf",
    ):
        assert key in assumed


def test_a_data_sheets_buffer_and_queue_are_assumed(tmp_path):
    made = drive(tmp_path, SHEET)
    buffer = made.buffer
    assert (buffer.segments, buffer.segment_sectors, buffer.read_ahead) == (32, 4096, "history")
    assert (made.write_cache, made.command_queue.depth, made.command_queue.scheduler) == (
        False,
        None,
        "spctf",
    )
    assert made.controller.sector == (pytest.approx(512 / 600e6),) * 2
    # The scenario's switch finds a buffer to turn on, with room for writes while others are written.
    cached = made.with_write_cache(True)
    assert cached.write_cache and cached.buffer.write_prebuffering and cached.buffer.write_segments == 16


@pytest.mark.parametrize(
    ("capacity", "mebibytes"),
    [("9GB", 2), ("36GB", 4), ("147GB", 8), ("300GB", 16), ("900GB", 64), ("6TB", 128), ("20TB", 256)],
)
def test_the_size_of_the_buffer_by_capacity(tmp_path, capacity, mebibytes):
    made = drive(tmp_path, SHEET.replace("900GB", capacity))
    assert made.buffer.segments * made.buffer.segment_sectors * 512 == mebibytes << 20


TWO_ARMS = SHEET.replace("rpm =", "actuators = 2\nrpm =")
SMR = SHEET.replace("rpm =", 'recording = "dm-smr"\nrpm =').replace("900GB", "8TB")


def test_two_actuators_share_surfaces_rate_and_addresses(tmp_path):
    one, two = drive(tmp_path, SHEET), drive(tmp_path, TWO_ARMS)
    assert (two.actuators, two.surfaces, two.sectors) == (2, one.surfaces // 2, one.sectors)
    # The rate of the data sheet is that of both arms.
    assert two.sequential_rate(0) == pytest.approx(one.sequential_rate(0) / 2, rel=0.01)
    plan = two.plan("random")
    assert plan["actuators"] == 2 and "shingled" not in plan and "actuators" not in one.plan("random")
    assert two.layout.held(two.surfaces) >= -(-two.sectors // 2)
    given = drive(tmp_path, TWO_ARMS + '[geometry]\nouter_rate = "198MB/s"\n')
    assert given.sequential_rate(0) == pytest.approx(198e6, rel=0.01)


def test_watts_of_one_of_two_arms(tmp_path):
    power = drive(tmp_path, TWO_ARMS + WATTS).power
    # 3 W idle; 5.5 W of random work and of sequential reads with both arms: 1.25 W an arm.
    assert (power.idle, power.positioning, power.active) == (3.0, 4.25, 4.25)
    given = drive(tmp_path, TWO_ARMS + WATTS + 'positioning = "5W"\n').power
    assert (given.positioning, given.active) == (5.0, 4.25)


def test_bands_and_media_cache_of_a_shingled_drive(tmp_path):
    made = drive(tmp_path, SMR)
    cache = 32_000_000_000 // 512
    assert made.plan("random")["shingled"] == {
        "band_sectors": 65_536, "cache_sectors": cache, "map_entries": 200_000, "idle_s": 1.0,
    }  # fmt: skip
    assert made.sectors == 8_000_000_000_000 // 512
    assert made.layout.held(made.surfaces) >= made.sectors + cache
    for figure in ("band = 32 MiB", "cache = 32 GB", "map_entries = 200,000", "idle = 1 s"):
        assert any(f"shingled.{figure} (" in note for note in made.notes), figure
    given = '[shingled]\nband = "16MiB"\ncache = "25GB"\nmap_entries = 9000\nidle = "2s"\n'
    made = drive(tmp_path, SMR + given)
    assert made.shingled.plan(512) == {
        "band_sectors": 32_768, "cache_sectors": 48_828_125, "map_entries": 9_000, "idle_s": 2.0,
    }  # fmt: skip
    assert not any("shingled." in note for note in made.notes)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (SHEET + '[shingled]\nband = "32MiB"\n', "conflict"),
        (SMR + '[shingled]\nband = "32MiB"\ncache = "16MiB"\n', "conflict"),
        (SMR + '[shingled]\nband = "1049kB"\n', "not-accepted"),
        (TWO_ARMS.replace("actuators = 2", "actuators = 3"), "out-of-range"),
    ],
)
def test_what_a_special_disk_cannot_be(tmp_path, text, code):
    with pytest.raises(InputError) as error:
        drive(tmp_path, text)
    assert error.value.code == code


def test_the_size_of_the_buffer_as_given(tmp_path):
    made = drive(tmp_path, SHEET.replace("rpm =", 'buffer_size = "512MiB"\nrpm ='))
    assert made.buffer.segments * made.buffer.segment_sectors * 512 == 512 << 20
    assert any("512 MiB, its buffer_size" in note for note in made.notes)


@pytest.mark.parametrize(
    ("capacity", "surfaces"),
    [("8TB", 8), ("10TB", 14), ("12TB", 14), ("14TB", 18), ("18TB", 18), ("20TB", 20), ("24TB", 20)],
)
def test_surfaces_by_capacity(tmp_path, capacity, surfaces):
    made = drive(tmp_path, SHEET.replace("900GB", capacity))
    assert made.surfaces == surfaces
    assert any(f"geometry.surfaces = {surfaces} (" in note for note in made.notes)


@pytest.mark.parametrize(
    ("interface", "megabytes", "depth"),
    [
        ("SATA 3G", 300, 32), ("SATA 6G", 600, 32), ("SATA 1.5G", 150, None), ("SAS 12G", 1200, None),
        ("FC 4G", 400, None), ("Ultra320 SCSI", 320, None), ("Ultra160 SCSI", 160, None),
    ],
)  # fmt: skip
def test_the_bus_and_the_queue_by_interface(tmp_path, interface, megabytes, depth):
    made = drive(tmp_path, SHEET.replace("rpm =", f'interface = "{interface}"\nrpm ='))
    assert made.controller.sector[0] == pytest.approx(512 / (megabytes * 1e6))
    assert made.command_queue.depth == depth


@pytest.mark.parametrize(
    ("given", "segments"),
    [
        ("[buffer]\nsegments = 0\n", 0),
        ("[buffer]\nsegments = 4\nsegment_sectors = 100\n", 4),
        ("[controller]\n", 0),
    ],
)
def test_electronics_that_are_given_are_not_assumed(tmp_path, given, segments):
    made = drive(tmp_path, SHEET + given)
    assert made.buffer.segments == segments
    assert (made.buffer.read_ahead, made.controller.sector) == ("none", (0.0, 0.0))
    assert (made.command_queue.depth, made.command_queue.scheduler) == (None, "fcfs")
    assert not any("buffer." in note or "command_queue." in note for note in made.notes)


def test_a_queue_that_is_given_is_not_assumed(tmp_path):
    made = drive(tmp_path, SHEET + "[command_queue]\ndepth = 8\n")
    assert (made.command_queue.depth, made.command_queue.scheduler) == (8, "fcfs")
    assert made.buffer.segments == 32


def test_what_is_given_is_not_assumed(tmp_path):
    given = SHEET.replace("rpm = 10000", 'rpm = 7200\nsector_size = 4096\nhead_switch = "0.5ms"').replace(
        'average_write = "4.4ms"', 'full_stroke = "8ms"\nsingle_cylinder = "0.7ms"'
    )
    made = drive(tmp_path, given + '[geometry]\nsurfaces = 4\nouter_rate = "200MB/s"\nzone_count = 8\n')
    assert (made.surfaces, len(made.zones), made.sector_bytes) == (4, 8, 4096)
    assert seek_time(made.seek, made.cylinders - 1) == pytest.approx(8e-3, rel=1e-3)
    # 7,200 rpm: half of the outer rate inside. 8.333 ms + 0.5 ms at 200 MB/s are 431 sectors of 4 KiB.
    assert (made.zones[0].sectors_per_track, made.zones[-1].sectors_per_track) == (431, 216)
    (note,) = made.notes
    assert "geometry.inner_rate = 100 MB/s (0.5 " in note
    assert "surfaces" not in note
    assert "write_settle = 0 (" in note


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ('capacity = "900GB"', "capacity"),
        ("rpm = 10000", "rpm"),
        ('average = "4ms"', "seek.average"),
        ('sequential_read = "198MB/s"', "geometry.outer_rate"),
    ],
)
def test_what_nothing_can_stand_for(tmp_path, line, key):
    with refused("missing-figure", re.compile(r"acme\.toml$")) as error:
        drive(tmp_path, SHEET.replace(line, ""))
    assert error.value.message.endswith(f": {key}")
    assert 'based_on = "acme-9"' in (error.value.hint or "")


def test_watts_of_states_follow_from_watts_of_work(tmp_path):
    made = drive(tmp_path, SHEET + WATTS)
    # Random work is positioning, nearly all of it: (6 + 5) / 2; transfers are sequential work.
    assert made.power.model_dump(exclude_defaults=True) == {"active": 5.5, "positioning": 5.5, "idle": 3.0}
    assert "power.active = 5.5 W (" in made.notes[0]
    assert "power.positioning = 5.5 W (" in made.notes[0]


@pytest.mark.parametrize(
    ("table", "active", "positioning"),
    [
        ('idle = "3W"\nactive = "7W"', 7.0, 7.0),
        ('idle = "3W"\nactive = "7W"\nseek = "8W"', 7.0, 8.0),
        ('idle = "3W"\nactive = "7W"\nseek = "8W"\npositioning = "9W"', 7.0, 9.0),
        ('idle = "3W"\nactive = "7W"\nrandom_write = "6W"\nseek = "8W"', 7.0, 6.0),
        ('idle = "3W"\nmax = "12W"', None, None),
        ('idle = "3W"\nspin_up_peak = "25W"', None, None),
    ],
)
def test_which_watts_stand_for_a_state(tmp_path, table, active, positioning):
    power = drive(tmp_path, f"{SHEET}[power]\n{table}\n").power
    assert (power.idle, power.active, power.positioning, power.spin_up) == (3.0, active, positioning, None)


def test_a_caution_keeps_a_figure_from_work(tmp_path):
    caution = '[[source]]\nfigures = ["power.active"]\nquality = "stated"\ncaution = "asleep"\ntext = "t"\n'
    power = drive(tmp_path, f'{SHEET}[power]\nidle = "3W"\nactive = "0.1W"\n{caution}').power
    assert (power.idle, power.active, power.positioning) == (3.0, None, None)


def test_a_library_drive_that_its_owner_completes(tmp_path):
    own = 'name = "mine"\ntitle = "Mine"\nbased_on = "seagate-cheetah-15k7-300gb"\n'
    own += '[seek]\naverage = "3.4ms"\n[geometry]\nouter_rate = "204MB/s"\n'
    made = drive(tmp_path, own)
    assert (made.rpm, made.raw_bytes) == (15_000.0, 300_000_000_000)
    assert made.average_seek_s == pytest.approx(3.4e-3, rel=1e-3)
    # 5 x A + 12 x A of the manual: idle 8.71; random (12.9 + 12.17) / 2, sequential (11.68 + 11.58) / 2.
    assert (made.power.idle, made.power.positioning, made.power.active) == (8.71, 12.535, 11.63)


def test_complete_files_take_no_steps():
    electronics = [
        "controller.sector", "buffer.segments", "buffer.read_ahead", "buffer.fast_write",
        "command_queue.scheduler",
    ]  # fmt: skip
    for name, taken in (
        ("quantum-atlas-10k", []),
        ("arrays2002-disk", []),
        ("hp-335h", []),
        ("toshiba-mg04sca500e", electronics),
    ):
        steps = derive.Steps()
        assert derive.mechanics(device_file(name), steps) is not None
        derive.state_watts(device_file(name), steps)
        assert [step.figure for step in steps.taken] == taken
