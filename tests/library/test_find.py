"""Device files: the library's, one's own, and those that build on another."""

from __future__ import annotations

import pytest

from iowatt.base.errors import InputError
from iowatt.model.library import device_file, device_names, find_drive
from iowatt.model.library.find import merge, own_files

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
    ("old", "new", "words"),
    [
        ("rpm = 5400", "rpm = 0", "my.toml:6: rpm: must be at least 1, not 0"),
        ("rpm = 5400", "rmp = 5400", "my.toml:6: rmp: unknown key 'rmp'"),
        ('kind = "hdd"', 'kind = "sdd"', 'my.toml:2: kind: "sdd" is not accepted; expected "hdd", "ssd"'),
        ('kind = "hdd"', 'kind = "ssd"', 'kind = "ssd" goes without rpm, geometry, seek, head_switch'),
        ('"100GB"', '"100G"', "my.toml:4: capacity: '100G' is ambiguous"),
        (
            'outer_rate = "100MB/s"',
            'outer_rate = "10MB/s"',
            "outer_rate must be at least geometry.inner_rate",
        ),
        ("[[1, 1.0]", "[[2, 1.0]", "distances must start at 1 cylinder and increase"),
        ("[1000, 9.5]", "[1, 9.5]", "distances must start at 1 cylinder and increase"),
        ("[1000, 9.5]", "[1000]", "expected [cylinders, milliseconds]"),
        (
            "[1000, 9.5]",
            "[2147483648, 9.5]",
            "must be at most 10000000, not 2147483648",
        ),
        (
            # 24.4 thousand million sectors on 4 surfaces at 142 to 283 to a track.
            '"100GB"',
            '"100TB"',
            "cylinders with the capacity; at most 10,000,000 are accepted",
        ),
        (
            '"100MB/s"',
            '"500GB/s"',
            "sectors per track with the capacity; at most 1,000,000 are accepted",
        ),
        ("surfaces = 4", "surfaces = 4\nzones = [{ cylinders = 1, sectors_per_track = 9 }]", "outer_rate"),
    ],
)
def test_a_file_that_is_wrong(tmp_path, old, new, words):
    with pytest.raises(InputError) as error:
        find_drive("my.toml", write(tmp_path, OWN.replace(old, new)))
    assert words in str(error.value)


def test_zones_too_small_for_the_capacity(tmp_path):
    zoned = OWN.replace(
        'outer_rate = "100MB/s"\ninner_rate = "50MB/s"', "zones = [{ cylinders = 10, sectors_per_track = 9 }]"
    )
    with pytest.raises(InputError, match="24414062 sectors, but the zones hold only 360"):
        find_drive("my.toml", write(tmp_path, zoned))


@pytest.mark.parametrize(
    ("zones", "words"),
    [
        ("{ cylinders = 2147483648, sectors_per_track = 9 }", "cylinders: must be at most 10000000"),
        ("{ cylinders = 9, sectors_per_track = 16777216 }", "sectors_per_track: must be at most 1000000"),
        # Each zone within the bound, both together beyond it.
        (
            "{ cylinders = 6000000, sectors_per_track = 9 }, { cylinders = 6000000, sectors_per_track = 9 }",
            "12,000,000 cylinders with the capacity; at most 10,000,000 are accepted",
        ),
    ],
)
def test_a_geometry_beyond_all_drives(tmp_path, zones, words):
    zoned = OWN.replace('outer_rate = "100MB/s"\ninner_rate = "50MB/s"', f"zones = [{zones}]")
    with pytest.raises(InputError) as error:
        find_drive("my.toml", write(tmp_path, zoned))
    assert words in str(error.value)


def test_own_files_are_the_file_and_what_it_builds_on(tmp_path):
    (tmp_path / "sub").mkdir()
    write(tmp_path / "sub", 'name = "c"\ntitle = "C"\nbased_on = "arrays2002-disk"\n', "c.toml")
    write(tmp_path, 'name = "b"\ntitle = "B"\nbased_on = "sub/c.toml"\n', "b.toml")
    assert own_files("b.toml", tmp_path) == [tmp_path / "b.toml", tmp_path / "sub" / "c.toml"]
    assert own_files("arrays2002-disk", tmp_path) == []


def test_unknown_names_get_the_nearest():
    with pytest.raises(InputError) as error:
        find_drive("quantum-atlas-10")
    assert error.value.hint == "did you mean 'quantum-atlas-10k'?"
    with pytest.raises(InputError) as error:
        find_drive("Savvio-15k3")  # several names have it in them
    assert error.value.hint == "did you mean 'seagate-savvio-15k3-146gb' or 'seagate-savvio-15k3-300gb'?"
    with pytest.raises(InputError, match=rf"`iowatt devices list` prints the {len(device_names())} devices"):
        find_drive("zzz")


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
    with pytest.raises(InputError, match="leads back to itself"):
        find_drive("a.toml", tmp_path)
    with pytest.raises(InputError, match="the required key 'title' is missing"):
        find_drive("c.toml", write(tmp_path, 'name = "c"\nbased_on = "arrays2002-disk"\n', "c.toml"))
    with pytest.raises(InputError, match="unknown device 'nothing'"):
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
