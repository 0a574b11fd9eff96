"""Device files: the library's, one's own, and those that build on another."""

from __future__ import annotations

import re

import pytest

from iowatt.model.library import device_file, device_names, find_drive
from iowatt.model.library.find import merge, own_files
from refused import problems, refused

OWN = """\
name = "my-disk"
kind = "hdd"
title = "Mine"
capacity = "100GB"
sector_size = 4096
rpm = 5400
head_switch = "0.5ms"
write_settle = "-0.1ms"
read_overhead = "100us"
write_overhead = "200us"
[geometry]
surfaces = 4
outer_rate = "100MB/s"
inner_rate = "50MB/s"
[seek]
points_ms = [[1, 1.0], [1000, 9.5]]
"""


def write(tmp_path, text, name="my.toml"):
    (tmp_path / name).write_text(text)
    return tmp_path


def test_a_file_of_ones_own(tmp_path):
    drive = find_drive("my.toml", write(tmp_path, OWN))
    assert (drive.name, drive.sector_bytes, drive.sectors) == ("my-disk", 4096, 100_000_000_000 // 4096)
    assert (drive.write_settle_s, drive.controller.read_miss) == (-1e-4, (1e-4, 1e-4))
    # 5,400 rpm: 11.111 ms a turn, 11.611 ms with the head switch; 100 MB/s x 11.611 ms / 4096 = 283 sectors.
    assert drive.zones[0].sectors_per_track == 283
    assert drive.zones[-1].sectors_per_track == 142
    # The cylinder skew (1 ms) is longer than the head switch, once in four tracks.
    assert drive.sequential_rate(0) == pytest.approx(100e6, rel=0.02)
    # As measured; beyond the last point its time holds, for the simulator as for the average.
    assert drive.seek == ((1, 0.001), (1000, 0.0095))
    assert drive.cylinders > 1001
    # The longest distances cost 9.5 ms and no more, so the mean stays under it.
    assert 0.009 < drive.average_seek_s < 0.0095
    assert drive.power.idle is None


@pytest.mark.parametrize(
    ("old", "new", "code", "place"),
    [
        ("rpm = 5400", "rpm = 0", "out-of-range", ":6: rpm"),
        ("rpm = 5400", "rmp = 5400", "unknown-key", ":6: rmp"),
        ('kind = "hdd"', 'kind = "sdd"', "not-accepted", ":2: kind"),
        ('kind = "hdd"', 'kind = "ssd"', "not-applicable", ":1"),
        ('"100GB"', '"100G"', "ambiguous", ":4: capacity"),
        ('outer_rate = "100MB/s"', 'outer_rate = "10MB/s"', "conflict", ""),
        ("[[1, 1.0]", "[[2, 1.0]", "out-of-order", ":15: seek"),
        ("[1000, 9.5]", "[1, 9.5]", "out-of-order", ":15: seek"),
        ("[1000, 9.5]", "[1000]", "wrong-type", ":16: seek.points_ms.1"),
        # 24.4 thousand million sectors on 4 surfaces at 142 to 283 to a track.
        ('"100GB"', '"100TB"', "out-of-range", ""),
        ('"100MB/s"', '"500GB/s"', "out-of-range", ""),
    ],
)
def test_a_file_that_is_wrong(tmp_path, old, new, code, place):
    with refused(code, f"{tmp_path / 'my.toml'}{place}"):
        find_drive("my.toml", write(tmp_path, OWN.replace(old, new)))


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (
            "[1000, 9.5]",
            "[2147483648, 9.5]",
            [("out-of-range", ":16: seek.points_ms.1.0"), ("missing", ":16: seek.points_ms.1.2")],
        ),
        (
            "surfaces = 4",
            "surfaces = 4\nzones = [{ cylinders = 1, sectors_per_track = 9 }]",
            [("not-applicable", ":14: geometry.outer_rate"), ("not-applicable", ":15: geometry.inner_rate")],
        ),
    ],
)
def test_a_file_that_is_wrong_twice(tmp_path, old, new, found):
    with refused("several", str(tmp_path / "my.toml")) as error:
        find_drive("my.toml", write(tmp_path, OWN.replace(old, new)))
    assert problems(error.value) == [(code, f"{tmp_path / 'my.toml'}{place}") for code, place in found]


def test_zones_too_small_for_the_capacity(tmp_path):
    zoned = OWN.replace(
        'outer_rate = "100MB/s"\ninner_rate = "50MB/s"', "zones = [{ cylinders = 10, sectors_per_track = 9 }]"
    )
    with refused("conflict", str(tmp_path / "my.toml")) as error:
        find_drive("my.toml", write(tmp_path, zoned))
    assert "24414062" in error.value.message and "360" in error.value.message


@pytest.mark.parametrize(
    ("zones", "place", "named"),
    [
        ("{ cylinders = 2147483648, sectors_per_track = 9 }", ":13: geometry.zones.0.cylinders", "10000000"),
        (
            "{ cylinders = 9, sectors_per_track = 16777216 }",
            ":13: geometry.zones.0.sectors_per_track",
            "1000000",
        ),
        # Each zone within the bound, both together beyond it.
        (
            "{ cylinders = 6000000, sectors_per_track = 9 }, { cylinders = 6000000, sectors_per_track = 9 }",
            "",
            "12,000,000 cylinders",
        ),
    ],
)
def test_a_geometry_beyond_all_drives(tmp_path, zones, place, named):
    zoned = OWN.replace('outer_rate = "100MB/s"\ninner_rate = "50MB/s"', f"zones = [{zones}]")
    with refused("out-of-range", f"{tmp_path / 'my.toml'}{place}") as error:
        find_drive("my.toml", write(tmp_path, zoned))
    assert named in error.value.message


def test_own_files_are_the_file_and_what_it_builds_on(tmp_path):
    (tmp_path / "sub").mkdir()
    write(tmp_path / "sub", 'name = "c"\ntitle = "C"\nbased_on = "arrays2002-disk"\n', "c.toml")
    write(tmp_path, 'name = "b"\ntitle = "B"\nbased_on = "sub/c.toml"\n', "b.toml")
    assert own_files("b.toml", tmp_path) == [tmp_path / "b.toml", tmp_path / "sub" / "c.toml"]
    assert own_files("arrays2002-disk", tmp_path) == []


def test_unknown_names_get_the_nearest():
    with refused("unknown-name", None) as error:
        find_drive("quantum-atlas-10")
    assert re.findall("'(.*?)'", error.value.hint) == ["quantum-atlas-10k"]
    with refused("unknown-name", None) as error:
        find_drive("Savvio-15k3")  # several names have it in them
    assert re.findall("'(.*?)'", error.value.hint) == [
        "seagate-savvio-15k3-146gb",
        "seagate-savvio-15k3-300gb",
    ]
    with refused("unknown-name", None) as error:
        find_drive("zzz")
    assert str(len(device_names())) in error.value.hint


def test_a_file_that_builds_on_another(tmp_path):
    own = 'name = "faster"\ntitle = "F"\nbased_on = "quantum-atlas-10k"\nrpm = 20050\n[power]\nidle = "9W"\n'
    drive = find_drive("my.toml", write(tmp_path, own))
    base = find_drive("quantum-atlas-10k")
    assert (drive.name, drive.rpm, drive.power.idle) == ("faster", 20_050.0, 9.0)
    assert (drive.seek, drive.sectors) == (base.seek, base.sectors)
    # Twice the speed: the same time is twice as many sectors.
    assert drive.zones[0].track_skew == 2 * base.zones[0].track_skew


def test_a_file_may_build_on_a_file(tmp_path):
    write(tmp_path, OWN, "base.toml")
    write(tmp_path, 'name = "b"\ntitle = "B"\nbased_on = "base.toml"\ncapacity = "50GB"\n')
    assert find_drive("my.toml", tmp_path).raw_bytes == 50 * 10**9 // 4096 * 4096


def test_circles_and_missing_names(tmp_path):
    write(tmp_path, 'name = "a"\nbased_on = "b.toml"\n', "a.toml")
    write(tmp_path, 'name = "b"\nbased_on = "a.toml"\n', "b.toml")
    with refused("conflict", f"{tmp_path / 'b.toml'}: based_on"):
        find_drive("a.toml", tmp_path)
    with refused("missing", f"{tmp_path / 'c.toml'}:1: title"):
        find_drive("c.toml", write(tmp_path, 'name = "c"\nbased_on = "arrays2002-disk"\n', "c.toml"))
    with refused("unknown-name", None):
        find_drive("d.toml", write(tmp_path, 'name = "d"\nbased_on = "nothing"\n', "d.toml"))


def test_a_seek_curve_is_mixed_with_figures_only():
    figures = {"seek": {"average": "9ms", "average_write": "10ms"}}
    points = {"seek": {"points_ms": [[1, 1.0]]}}
    assert merge(figures, {"seek": {"full_stroke": "17ms"}})["seek"] == {
        "average": "9ms",
        "average_write": "10ms",
        "full_stroke": "17ms",
    }
    assert merge(points, figures)["seek"] == figures["seek"]
    assert merge(figures, points)["seek"] == points["seek"]


def test_sources_follow_the_figures_that_changed():
    base = {
        "rpm": 1,
        "power": {"idle": "1W", "active": "2W"},
        "source": [{"figures": ["rpm", "power.idle"], "text": "old"}],
    }
    changes = {"power": {"idle": "3W"}, "source": [{"figures": ["power.idle"], "text": "new"}]}
    merged = merge(base, changes)
    assert merged["power"] == {"idle": "3W", "active": "2W"}
    assert merged["source"] == [
        {"figures": ["power.idle"], "text": "new"},
        {"figures": ["rpm"], "text": "old"},
    ]
    assert base["power"] == {"idle": "1W", "active": "2W"}


def test_sources_of_figures():
    file = device_file("arrays2002-disk")
    own, inherited, assumed = (file.source_of(f) for f in ("power.idle", "seek.points_ms", "power.spin_down"))
    assert own is not None and inherited is not None and assumed is not None
    assert (own.quality, own.grade) == ("stated", "A")
    assert inherited.quality == "measured"
    assert assumed.quality == "assumed"
    assert file.source_of("nothing") is None


def test_names_are_sorted_and_files():
    assert list(device_names()) == sorted(device_names())
    assert len(device_names()) >= 4
