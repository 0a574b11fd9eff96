"""Drives: two real ones to the figure, the overrides, the errors, and text that is none."""

from __future__ import annotations

import re

import pytest
from disksim_files import CHEETAH, DATA, FIFTEEN, RAID5, changed, locate
from hypothesis import given, settings
from hypothesis import strategies as st

from iowatt.base.errors import InputError
from iowatt.model.library.disksim import read_drive
from iowatt.model.library.disksim.layout import G1Layout, G4Layout, TrackPattern
from refused import refused


def test_the_cheetah_9lp():
    drive = read_drive(CHEETAH)
    model = drive.model
    assert drive.name == "SEAGATE_ST39102LW_validate"
    assert drive.raw_bytes == 17_783_240 * 512
    assert (model.surfaces, model.cylinders) == (12, 6962)
    assert isinstance(model.layout, G1Layout)
    assert (model.layout.mapping, model.layout.sparing) == ("normal", "per-zone")
    assert len(model.layout.zones) == 11
    zone = model.layout.zones[1]
    assert (zone.first_cylinder, zone.last_cylinder) == (848, 1643)
    assert (zone.sectors_per_track, zone.track_skew, zone.cylinder_skew, zone.spares) == (245, 97, 133, 980)
    assert zone.slips[:3] == (17579, 17580, 17581)
    assert sum(len(zone.slips) for zone in model.layout.zones) == 594
    mechanics = model.mechanics
    assert (mechanics.rpm, mechanics.head_switch_s, mechanics.write_settle_s) == (10045, 30e-6, 461e-6)
    assert mechanics.turn_s == pytest.approx(5.97312e-3)
    assert mechanics.access_time == "rotating"
    assert drive.overheads.write_hit_after_read_s == 748e-6
    assert drive.overheads.read_miss_after_write_s == 86.73e-6
    assert drive.interface.sector_s == 105e-6
    buffer = drive.buffer
    assert (buffer.segments, buffer.segment_sectors, buffer.read_ahead) == (3, 561, "track-ahead")
    assert (buffer.fast_write, buffer.zero_latency_read) == ("across-reads", False)
    assert drive.scheduler.policy == "fcfs"
    assert drive.notes == ()
    assert [line.split(": ")[0] for line in drive.ignored] == [
        *(f"{CHEETAH}:{line}" for line in (16, 17, 41)),
        *(f"{CHEETAH.with_suffix('.model')}:{line}" for line in (752, 754)),
    ]


def test_the_cheetah_15k5():
    drive = read_drive(FIFTEEN)
    layout, seek = drive.model.layout, drive.model.mechanics.seek
    assert isinstance(layout, G4Layout)
    assert (len(layout.patterns), len(layout.nodes), len(layout.slips), layout.remaps) == (31, 34, 3361, ())
    assert layout.patterns[1] == TrackPattern(0, 1198, 1199)
    run = layout.nodes[0][1]
    assert (run.lbn, run.cylinder, run.angle, run.sectors, run.cylinders) == (78000, 64, 0.2562, 1200, 1)
    assert (run.angle_step, run.run_sectors, run.run_cylinders, run.head, run.child) == (
        0.141666,
        78000,
        -65,
        1,
        5,
    )
    assert seek["points_ms"][0] == [1, 0.5525]
    assert drive.interface.sector_s == -15e-6


@pytest.mark.parametrize(
    ("lbn", "place"),
    [  # as DIXtrac read them from the drive
        (0, (0, 0, 0)),
        (9600, (8, 0, 0)),
        (7_228_785, (1538, 3, 1196)),
        (17_621_930, (3644, 1, 0)),
        (82_436_623, (17610, 3, 0)),
        (117_422_372, (25539, 0, 0)),
        (163_280_946, (36459, 3, 0)),
        (278_760_104, (69367, 1, 0)),
        (286_749_286, (72134, 0, 0)),
    ],
)
def test_blocks_of_the_cheetah_15k5_are_where_the_drive_has_them(lbn, place, fifteen):
    assert locate(fifteen.model.layout, lbn)[:3] == place


@pytest.fixture(scope="module")
def fifteen():
    return read_drive(FIFTEEN)


def test_the_angle_of_a_block(fifteen):
    # The root and its first child start at 0; the ninth track of it: its node's entry 8.
    cylinder, head, sector, angle = locate(fifteen.model.layout, 9600 + 300)
    assert (cylinder, head, sector) == (8, 0, 300)
    start = locate(fifteen.model.layout, 9600)[3]
    assert (angle - start) % 1 == pytest.approx(300 / 1200)


def test_overrides_are_those_of_disksims_command_line():
    given = {"Fast write level": 0, "Buffer continuous read": 1}
    drive = read_drive(CHEETAH, overrides=given)
    assert (drive.buffer.fast_write, drive.buffer.read_ahead) == ("none", "track")
    with refused("unknown-name", f"{CHEETAH}:1") as error:
        read_drive(CHEETAH, overrides={"Fast write": 1})
    assert repr(next(iter(given))) in error.value.hint
    with refused("not-accepted", f"{CHEETAH}:49"):
        read_drive(CHEETAH, overrides={"Fast write level": 7})


def test_a_drive_is_chosen_by_name():
    assert read_drive(RAID5).name == "BENCHDISK"
    assert read_drive(RAID5, "disk17") == read_drive(RAID5, "BENCHDISK")
    with refused("unknown-name", str(RAID5)) as error:
        read_drive(RAID5, "disk32")
    assert "BENCHDISK" in error.value.message
    with refused("empty", str(DATA / "cheetah9LP.model")) as error:
        read_drive(DATA / "cheetah9LP.model")
    assert ".diskspecs" in error.value.hint


def test_several_drives_need_a_name(tmp_path):
    path = changed(tmp_path, "raid5_32.parv", "source bench", "source cheetah9LP.diskspecs\nsource bench")
    with refused("ambiguous", str(path)) as error:
        read_drive(path)
    assert "SEAGATE_ST39102LW_validate, BENCHDISK" in error.value.message
    assert read_drive(path, "BENCHDISK").interface.sector_s == 3.2e-6


def test_overheads_are_scaled(tmp_path):
    path = changed(tmp_path, "cheetah9LP.diskspecs", "overheads = 1.0", "overheads = 2.0")
    assert read_drive(path).overheads.read_hit_after_read_s == 2 * 66e-6


def test_skews_in_revolutions(tmp_path):
    changed(
        tmp_path,
        "cheetah9LP.model",
        "Skew for track switch = 97.000000,",
        "Skew units = revolutions, Skew for track switch = 0.25,",
    )
    layout = read_drive(tmp_path / "cheetah9LP.diskspecs").model.layout
    assert isinstance(layout, G1Layout)
    assert layout.zones[0].track_skew == 254 / 4
    assert layout.zones[1].track_skew == 97


def test_defects_are_pairs(tmp_path):
    changed(tmp_path, "cheetah9LP.model", "defects = []", "defects = [5, 900, 7, 901]")
    layout = read_drive(tmp_path / "cheetah9LP.diskspecs").model.layout
    assert isinstance(layout, G1Layout)
    assert layout.zones[0].remaps == ((5, 900), (7, 901))


def test_what_the_files_contradict_is_noted(tmp_path):
    changed(tmp_path, "cheetah9LP.model", "Block count = 17783240", "Block count = 99999999")
    drive = read_drive(tmp_path / "cheetah9LP.diskspecs")
    zones = drive.model.layout.zones
    held = sum(12 * (z.last_cylinder - z.first_cylinder + 1) * z.sectors_per_track for z in zones)
    assert drive.model.sectors == held
    assert {str(held), "99999999"} <= set(re.findall(r"\d+", drive.notes[0]))
    changed(tmp_path, "cheetah9LP.model", "cylinders = 6962", "cylinders = 6000")
    drive = read_drive(tmp_path / "cheetah9LP.diskspecs")
    assert drive.model.cylinders == zones[-1].last_cylinder + 1
    assert {"6000", str(zones[-1].last_cylinder + 1)} <= set(re.findall(r"\d+", drive.notes[0]))


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        (
            "diskspecs",
            "Preseeking level = 0",
            "Preseeking level = 1",
            "Preseeking level = 1",
        ),
        (
            "diskspecs",
            "Never disconnect",
            "Newer disconnect = 0, Never disconnect",
            "'Never disconnect'",
        ),
        (
            "diskspecs",
            "Scheduling timeout scheme = 0",
            "Scheduling timeout scheme = 1",
            "Timeout time/weight = 0",
        ),
        (
            "diskspecs",
            "sneaky partial read hits = 0",
            "sneaky partial read hits = 1",
            "Allow sneaky partial read hits = 1",
        ),
        (
            "model",
            "Percent error in rpms = 0.000000",
            "Percent error in rpms = 1",
            "Percent error in rpms = 1",
        ),
    ],
)
def test_what_is_not_used_is_named(tmp_path, file, old, new, words):
    changed(tmp_path, f"cheetah9LP.{file}", old, new)
    ignored = read_drive(tmp_path / "cheetah9LP.diskspecs").ignored
    assert [line for line in ignored if words in line]
    assert len(ignored) > len(read_drive(CHEETAH).ignored)


@pytest.mark.parametrize(
    ("file", "change", "code", "named"),
    [
        ("diskspecs", ("Fast write level = 2,", ""), "missing", "'Fast write level'"),
        ("diskspecs", ("caching in buffer = 1", "caching in buffer = yes"), "not-accepted", "yes"),
        ("diskspecs", ("Scheduling policy = 1", "Scheduling policy = 99"), "not-accepted", "1 (fcfs)"),
        ("diskspecs", ("after read = 0.066", "after read = -1"), "out-of-range", "-1"),
        ("diskspecs", ("disksim_ioqueue {", "disksim_ctlr {"), "unsupported", "disksim_ctlr"),
        ("diskspecs", ("source cheetah9LP.model", "7"), "wrong-type", "dm_disk"),
        ("diskspecs", ("segments = 3", "segments = 2.5"), "out-of-range", "2.5"),
        ("model", ("Blocks per track = 254", "Blocks per track = 0"), "out-of-range", "'Blocks per track'"),
        ("model", ("First cylinder number = 848", "First cylinder number = 5"), "out-of-order", "5 to 1643"),
        ("model", ("dm_layout_g1 {", "dm_layout_g2 {"), "unsupported", "dm_layout_g1 or dm_lay"),
        ("model", ("defects = []", "defects = [3]"), "wrong-type", "'defects'"),
        ("model", ("slips = [", "slips = [ x, "), "wrong-type", "'slips'"),
        ("model", ("Zones = [", "Zones = [ 3, "), "wrong-type", "dm_layout_g1_zone"),
        ("model", ("Seek type = extracted", "Seek type = curve"), "missing", "'Average seek time'"),
        ("model", ("Seek type = extracted", "Seek type = quick"), "not-accepted", "hplplus10"),
        ("model", ("trackSwitchPlusRotation", "constant"), "missing", "'Constant access time'"),
        ("model", ("= cheetah9LP.seek", "= gone.seek"), "not-found", "'gone.seek'"),
        ("model", ("(in rpms) = 10045", "(in rpms) = 0"), "out-of-range", "'Rotation speed (in rpms)'"),
    ],
)
def test_drives_that_are_refused(tmp_path, file, change, code, named):
    path = changed(tmp_path, f"cheetah9LP.{file}", *change)
    with refused(code, re.compile(rf"^{re.escape(str(path))}:\d+$")) as error:
        read_drive(tmp_path / "cheetah9LP.diskspecs")
    assert named in error.value.message


@given(data=st.data())
@settings(max_examples=120, deadline=None)
def test_any_damage_gives_a_drive_or_an_error(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("damaged")
    file = data.draw(st.sampled_from(["cheetah9LP.diskspecs", "cheetah9LP.model", "cheetah9LP.seek"]))
    path = changed(folder, file, "", "")
    text = path.read_text()
    start = data.draw(st.integers(0, len(text)))
    filling = data.draw(st.one_of(st.text(max_size=8), st.sampled_from(["-1", "1e300", "9" * 30, "[]", "x"])))
    path.write_text(text[:start] + filling + text[start + data.draw(st.integers(0, 30)) :], encoding="utf-8")
    try:
        read_drive(folder / "cheetah9LP.diskspecs")
    except InputError as error:
        assert error.place
