"""The library's drives: sourced, consistent, and with the figures they are known by."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from iowatt.model.library import device_file, device_names, find_drive
from iowatt.model.library.describe import good_for, missing_figures
from iowatt.model.library.find import find_device
from refused import refused

DEVICES = resources.files("iowatt.model.library").joinpath("devices")
FILES = {name: device_file(name) for name in device_names()}
MECHANICAL = [
    name for name, file in FILES.items() if file.kind == "hdd" and not missing_figures(file)["mechanics"]
]
FLASH = [
    name for name, file in FILES.items() if file.kind == "ssd" and not missing_figures(file)["mechanics"]
]


def test_the_library_is_large():
    kinds = [file.kind for file in FILES.values()]
    assert (kinds.count("hdd") >= 75, kinds.count("ssd") >= 75) == (True, True)
    assert {"simulation", "mechanics", "power", "spin-down", "price"} == {
        use for file in FILES.values() for use in good_for(file)
    }
    assert {"arrays2002-disk", "hgst-ultrastar-c10k900-900gb", "intel-320-300gb"} <= set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_every_figure_has_a_source(name):
    file = FILES[name]
    assert file.name == name
    assert file.figures()
    assert [figure for figure in file.figures() if file.source_of(figure) is None] == []
    assert all(
        any(f == s or f.startswith(f"{s}.") for f in file.figures())
        for source in file.source
        for s in source.figures
    )


@pytest.mark.parametrize("name", FILES)
def test_watts_have_a_grade(name):
    watts = [f for f in FILES[name].figures() if f.startswith("power.") and not f.endswith("_time")]
    sources = [FILES[name].source_of(figure) for figure in watts]
    assert all(source.grade or source.quality == "assumed" for source in sources if source)


@pytest.mark.parametrize("name", sorted(set(FILES) - set(MECHANICAL) - set(FLASH)))
def test_what_is_missing_is_an_error(name):
    with refused("missing-figure", f"{name}.toml (library)") as error:
        find_device(name)
    keys = ", ".join(missing_figures(FILES[name])["mechanics"])
    assert error.value.message.endswith(f": {keys}")


def test_an_ssd_is_no_disk():
    with refused("not-accepted", "intel-dc-s3700-800gb.toml (library)"):
        find_drive("intel-dc-s3700-800gb")


@pytest.mark.parametrize("name", [*MECHANICAL, *FLASH])
def test_what_is_assumed_is_said(name):
    file = FILES[name]
    assumed = [source for source in file.source if source.quality == "assumed"]
    assert not assumed or file.assumptions
    assert all(note.startswith(name) for note in find_device(name).notes)


@pytest.mark.parametrize("name", MECHANICAL)
def test_a_drive_makes_mechanical_sense(name):
    drive = find_drive(name)
    held = drive.layout.held(drive.surfaces)
    # Each arm of two has half of the addresses.
    assert 0.95 * held < drive.sectors / drive.actuators <= held
    assert drive.seek[0][0] == 1
    assert drive.sequential_rate(0) >= drive.sequential_rate(-1) > 0
    assert drive.seek[0][1] < drive.average_seek_s < max(time_s for _, time_s in drive.seek)
    if FILES[name].controller is not None:
        return  # its seek times contain command processing, and its skews are what they are
    turn_s = 60 / drive.rpm
    for zone in drive.zones:
        # The next cylinder's first sector comes after the arm has arrived.
        assert zone.cylinder_skew / zone.sectors_per_track * turn_s >= drive.seek[0][1]
        assert zone.track_skew / zone.sectors_per_track * turn_s >= drive.head_switch_s


def test_the_stand_in():
    drive, base = find_drive("arrays2002-disk"), find_drive("quantum-atlas-10k")
    assert (drive.raw_bytes, drive.rpm, drive.surfaces) == (33_600_000_000, 12_000.0, 22)
    # 6 surfaces of the Atlas 10K hold 17,969,010 sectors; 22 hold 65,886,370, and 33.6 GB are 65,625,000.
    # Slips, spares and reserved sectors are the Atlas's 30,024, which leaves 65,856,346.
    assert (
        drive.surfaces * sum(z.cylinders * z.sectors_per_track for z in drive.zones) == 17_969_010 * 22 // 6
    )
    assert drive.seek == base.seek
    assert [z.sectors_per_track for z in drive.zones] == [z.sectors_per_track for z in base.zones]
    for ours, theirs in zip(drive.zones, base.zones, strict=True):
        assert ours.track_skew / 12_000 == pytest.approx(theirs.track_skew / 10_025, rel=1e-4)
    assert drive.average_seek_s == pytest.approx(5.599e-3, rel=1e-3)
    power = drive.power.model_dump()
    assert (power["idle"], power["active"], power["positioning"], power["standby"]) == (22.3, 39, 39, 12.72)
    # Break-even: (12.72 x 15 + 34.8 x 26 - 12.72 x 41) / (22.3 - 12.72) = 574.08 / 9.58 = 59.9 s.
    spent = 12.72 * 15 + 34.8 * 26 - 12.72 * 41
    assert spent / (22.3 - 12.72) == pytest.approx(59.9, abs=0.05)
    assert "is a stand-in" in drive.notes[0]


def test_break_even_of_the_36z15():
    power = device_file("ibm-ultrastar-36z15").power
    spent = power.spin_up * power.spin_up_time + power.spin_down * power.spin_down_time
    assert spent == pytest.approx(135 + 13)
    # (148 - 2.5 x 12.4) / (10.2 - 2.5) = 117 / 7.7.
    assert (spent - power.standby * 12.4) / (power.idle - power.standby) == pytest.approx(15.19, abs=0.005)


def test_figures_as_published():
    exos, optane = device_file("seagate-exos-x18-18tb"), device_file("intel-optane-dc-p4800x-375gb")
    assert (exos.power.spin_up_time, exos.performance.sequential_read) == (30.0, 270e6)
    assert (exos.price.usd, exos.price.date, exos.capacity) == (429.42, "2025-07-23", 18 * 10**12)
    assert (optane.endurance.dwpd, optane.media, optane.power.sequential_write) == (30.0, "3D XPoint", 13.0)
    assert device_file("seagate-constellation2-1tb").endurance.load_unload_cycles == 300_000
    assert device_file("micron-9200-eco-11tb").endurance.tbw == 80_300 * 10**12
    assert device_file("toshiba-mg10aca20te").endurance.workload_per_year == 550 * 10**12
    assert device_file("seagate-barracuda-xt-2tb").power.spin_up_peak_12v_amps == 2.8
    # 21 (inner) to 36 (outer) MB/s.
    assert find_drive("ibm-ultrastar-36lzx").sequential_rate(-1) == pytest.approx(21e6, rel=0.02)


def test_measured_drives():
    atlas, cheetah = find_drive("quantum-atlas-10k"), find_drive("seagate-cheetah-9lp")
    assert (atlas.sectors, atlas.cylinders, atlas.surfaces, atlas.rpm) == (17_938_986, 10_042, 6, 10_025)
    assert (cheetah.sectors, cheetah.surfaces, cheetah.rpm) == (17_783_240, 12, 10_045)
    assert (atlas.zones[0].sectors_per_track, atlas.zones[-1].sectors_per_track) == (334, 229)
    assert (cheetah.zones[0].sectors_per_track, cheetah.zones[-1].sectors_per_track) == (254, 167)
    assert dict(atlas.seek)[5000] == pytest.approx(7.0e-3, rel=0.1)
    assert (atlas.power.idle, cheetah.power.active) == (None, None)


def test_the_nearline_drive_meets_its_data_sheet():
    drive = find_drive("toshiba-mg04sca500e")
    assert drive.raw_bytes == 5 * 10**12
    assert drive.average_seek_s == pytest.approx(9e-3, rel=1e-3)
    assert drive.sequential_rate(0) == pytest.approx(215e6, rel=0.01)
    assert (drive.power.idle, drive.power.active, drive.power.standby) == (6.2, 11.3, None)


def test_the_licences_are_beside_the_data():
    names = {entry.name for entry in DEVICES.joinpath("licenses").iterdir()}
    assert {"COPYING.disksim", "COPYRIGHT.disksim"} <= names
    for name in ("quantum-atlas-10k", "seagate-cheetah-9lp"):
        assert "licenses/COPYING.disksim" in DEVICES.joinpath(f"{name}.toml").read_text("utf-8")


def test_no_machine_paths():
    for name in device_names():
        text = DEVICES.joinpath(f"{name}.toml").read_text("utf-8")
        assert re.search(r"/(work|root|home|tmp)/", text) is None
