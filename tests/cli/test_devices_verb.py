"""``iowatt devices list`` and ``show`` as typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from iowatt.base.errors import InputError
from iowatt.cli import main
from iowatt.model.library import (
    assumed,
    describe_device,
    device_file,
    device_names,
    find_drive,
    list_devices,
)
from iowatt.pages import library as page
from refused import check


def invoke(*words):
    return CliRunner().invoke(main.app, ["devices", *words])


def listed(*words):
    document = json.loads(invoke("list", "--json", *words).stdout)
    assert document["schema"] == "iowatt.devices/1"
    return {device["name"]: device for device in document["devices"]}


def test_list_has_all():
    found = listed()
    assert tuple(found) == device_names()
    cheetah = found["seagate-cheetah-15k7-300gb"]
    assert (cheetah["kind"], cheetah["capacity_bytes"], cheetah["rpm"]) == ("hdd", 300 * 10**9, 15_000)
    assert (cheetah["idle_w"], cheetah["power_grade"], cheetah["good_for"]) == (8.71, "A", ["power"])
    assert found["wd-red-4tb"]["idle_w"] is None


def test_list_filters():
    disks, flash = listed("--kind", "hdd"), listed("--kind", "ssd")
    assert {d["kind"] for d in disks.values()} == {"hdd"}
    assert {d["kind"] for d in flash.values()} == {"ssd"}
    assert len(disks) + len(flash) == len(device_names())
    for need in ("power", "mechanics", "price", "simulation"):
        names = {device.name: device.good_for for device in list_devices(needs=[need]).devices}
        assert 0 < len(names) < len(device_names())
        assert all(need in uses for uses in names.values())
        assert ("quantum-atlas-10k" in names) == (need == "mechanics")
    flash = listed("--simulatable", "--kind", "ssd")
    assert flash["intel-dc-s3700-800gb"]["simulated_by"] == "flash"
    assert flash["intel-optane-dc-p4800x-375gb"]["simulated_by"] == "data sheet"
    assert "intel-320-300gb" not in flash


def test_list_on_a_terminal():
    found = list_devices(needs=["simulation"])
    (figure,) = page.devices(found).figures()
    rows = {row[0]: row[1:] for row in figure.table.rows}
    assert list(rows) == [device.name for device in found.devices]
    toshiba = rows["toshiba-mg04sca500e"]
    assert toshiba[:-1] == [
        "hdd", None, 5e12, "sheet only", None, "mechanics", 7200.0, 6.2, "B", None,
    ]  # fmt: skip
    assert toshiba[-1].split(", ") == ["simulation", "mechanics", "power"]
    assert rows["micron-5210-ion-1-92tb"][5] == "flash"
    # All of them are printed, however long the list.
    everything = invoke("list").stdout.splitlines()
    assert [name for name in device_names() if not any(line.startswith(name) for line in everything)] == []


def test_show_as_json():
    found = json.loads(invoke("show", "hgst-ultrastar-c10k900-900gb", "--json").stdout)
    assert found["schema"] == "iowatt.device/1"
    figures = {figure["figure"]: figure for figure in found["figures"]}
    idle = figures["power.idle"]
    assert (idle["value"], idle["unit"], idle["text"], idle["quality"], idle["grade"]) == (
        3.0,
        "W",
        "3 W",
        "stated",
        "B",
    )
    assert "CloudSimDisk" in idle["source"]
    assert all(figure["source"] for figure in found["figures"])
    derived = {step["figure"]: step for step in found["derived"]}
    assert derived["power.positioning"]["quality"] == "derived"
    assert derived["seek.full_stroke"]["value"] == pytest.approx(1.91 * 4e-3)
    assert derived["geometry.surfaces"]["quality"] == "assumed"
    assert found["missing"]["price"] == ["price.usd"]
    assert "simulation" not in found["missing"]


def shown(name):
    """A device's description, its document, and the tables of this by key."""
    found = describe_device(device_file(name))
    document = page.device(found)
    return found, document, {figure.key: figure.table for figure in document.figures()}


def test_show_on_a_terminal():
    found, document, tables = shown("seagate-constellation-es3-sas-2tb")
    figures = dict(zip(tables["figures"].column("Figure"), tables["figures"].rows, strict=True))
    assert figures["power.idle_c"][1] == "3.48 W"
    assert figures["power.idle_c"][2].endswith("grade A [2]")
    (sources,) = [section.sentences for section in document.sections if section.key == "sources"]
    assert sources[1] == f"[2] {next(f.source for f in found.figures if f.figure == 'power.idle_c')}"
    assert any("5V*A+12V*A" in (f.basis or "") for f in found.figures)
    assert len(document.caveats) == len({f.basis for f in found.figures if f.basis}) + len(found.notes)
    assert found.missing["mechanics"] == ["seek.average", "geometry.outer_rate"]
    assert dict(tables["missing"].rows)["mechanics"] == "seek.average, geometry.outer_rate"
    assert found.good_for == ["power"]
    printed = invoke("show", found.name, "--notes").stdout
    assert found.title in printed
    assert [f.figure for f in found.figures if f.figure not in printed] == []


def test_show_of_measured_drives_and_flash():
    found, document, _ = shown("arrays2002-disk")
    assert found.stand_in in document.verdict[-2]
    zones = next(figure for figure in found.figures if figure.figure == "geometry.zones")
    assert (zones.text, zones.value[0]["sectors_per_track"]) == ("24 entries", 334)
    found, document, _ = shown("intel-320-300gb")
    (caution,) = {figure.caution for figure in found.figures if figure.caution}
    assert [caveat.decides for caveat in document.caveats if caution in caveat.text] == [True]
    assert found.missing["simulation"] == ["power.active"]
    found, _, tables = shown("intel-dc-s3700-800gb")
    (spare,) = [step for step in found.derived if step.figure == "flash.over_provisioning"]
    assert spare.text.startswith("0.2")
    assert spare.quality == "derived" and "Kurkoski" in spare.rule
    assert any(spare.rule in text for text in tables["derived"].column("Value and rule"))


def test_show_of_a_file(tmp_path):
    (tmp_path / "own.toml").write_text('name = "own"\nkind = "hdd"\ntitle = "Own"\nrpm = 5400\n')
    found = json.loads(invoke("show", str(tmp_path / "own.toml"), "--json").stdout)
    assert [(figure["figure"], figure["source"]) for figure in found["figures"]] == [("rpm", None)]
    assert found["good_for"] == []


def test_unknown_names():
    result = invoke("show", "seagate-chetah-15k7-300gb")
    check(result.exception, "unknown-name", None)
    assert "'seagate-cheetah-15k7-300gb'" in result.exception.hint
    assert result.stdout == ""


EXAMPLE = Path(__file__).parents[2] / "examples" / "tpcc-raid5.toml"


def checked(device):
    words = ["check", str(EXAMPLE), "--set", f"array.pool.disks.device={device}"]
    return CliRunner().invoke(main.app, words)


def test_a_scenario_with_a_data_sheet_drive_says_what_it_assumes():
    text = checked("hgst-ultrastar-c10k900-900gb").stdout
    # 32 x 3 W idle.
    assert "96 W" in text
    drive = find_drive("hgst-ultrastar-c10k900-900gb")
    assert [note for note in drive.notes if note not in text] == []
    assert assumed(drive.notes) == [drive.name]
    assert any("power.positioning = 5.8 W" in note for note in drive.notes)


@pytest.mark.parametrize(
    ("device", "code", "named"),
    [
        (
            "seagate-cheetah-15k7-300gb",
            "missing-figure",
            "seek.average, geometry.outer_rate",
        ),
        ("seagate-cheetah-15k-300gb", "unknown-name", "'seagate-cheetah-15k-300gb'"),
    ],
)
def test_a_scenario_with_a_device_that_will_not_do(device, code, named):
    error = checked(device).exception
    assert isinstance(error, InputError)
    assert (error.code, named in error.message) == (code, True)
    assert error.place.endswith("array.pool.disks.device")


@pytest.mark.parametrize(
    ("device", "lacking"),
    [("ibm-ultrastar-36lzx", "power.active, power.positioning, power.idle")],
)
def test_a_scenario_with_a_drive_without_watts_is_checked_and_says_so(device, lacking):
    result = checked(device)
    assert result.exit_code == 0
    assert repr(device) in result.stdout
    assert lacking in result.stdout


def test_the_library_tells_time_only_from_time_and_energy():
    devices = list_devices().devices
    counts = [sum(one.simulated_for == told for one in devices) for told in (["time"], ["time", "energy"])]
    # Those with energy are the ones that could be simulated at all before.
    assert counts[1] == sum("simulation" in device.good_for for device in devices)
    assert counts[0] >= 40
    assert sum(counts) == sum("mechanics" in device.good_for for device in devices)
    assert describe_device(device_file("seagate-cheetah-15k5")).simulated_for == ["time"]
