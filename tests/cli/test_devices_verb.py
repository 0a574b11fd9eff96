"""``iowatt devices list`` and ``show`` as typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from iowatt.base.errors import InputError
from iowatt.cli import main
from iowatt.model.library import device_names


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
        found = listed("--needs", need)
        assert 0 < len(found) < len(device_names())
        assert all(need in device["good_for"] for device in found.values())
    assert "quantum-atlas-10k" in listed("--needs", "mechanics")
    assert "quantum-atlas-10k" not in listed("--needs", "simulation")
    flash = listed("--needs", "simulation", "--kind", "ssd")
    assert flash["intel-dc-s3700-800gb"]["simulated_by"] == "flash"
    assert flash["intel-optane-dc-p4800x-375gb"]["simulated_by"] == "data sheet"
    assert "intel-320-300gb" not in flash


def test_list_as_text():
    result = invoke("list", "--needs", "simulation")
    lines = result.stdout.splitlines()
    assert lines[0].split() == [
        "name",
        "kind",
        "capacity",
        "rpm",
        "idle",
        "W",
        "grade",
        "USD",
        "model",
        "good",
        "for",
    ]
    (line,) = [line for line in lines if line.startswith("toshiba-mg04sca500e")]
    assert line.split()[1:] == [
        "hdd",
        "5",
        "TB",
        "7200",
        "6.2",
        "B",
        "-",
        "mechanics",
        "simulation,",
        "mechanics,",
        "power",
    ]
    assert f"{len(lines) - 1} devices" in result.stderr


def test_list_of_ssds():
    result = invoke("list", "--needs", "simulation", "--kind", "ssd")
    assert result.stdout.startswith("name ")
    (line,) = [line for line in result.stdout.splitlines() if line.startswith("micron-5210-ion-1-92tb")]
    assert " flash " in line


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


def test_show_as_text():
    text = invoke("show", "seagate-constellation-es3-sas-2tb").stdout
    assert text.startswith("seagate-constellation-es3-sas-2tb (hdd): Seagate Constellation ES.3 SAS")
    assert "power.idle_c" in text and "3.48 W" in text
    assert "derived, grade A [2]" in text
    assert "[2] vendor manual copy: http" in text
    assert "derived 5V*A+12V*A from the manual's typical amps" in text
    assert "cycle limits reported by the drive (smartctl, SCSI log page 0x0E)" in text
    assert "for mechanics: seek.average, geometry.outer_rate" in text
    assert text.rstrip().endswith("good for: power")


def test_show_of_measured_drives_and_flash():
    text = invoke("show", "arrays2002-disk").stdout
    assert "a stand-in: watts, capacity and speed" in text
    assert "geometry.zones" in text and "24 entries" in text
    text = invoke("show", "intel-320-300gb").stdout
    assert "NOT FOR WORK: mean of a mobile workload" in text
    assert "for simulation of time and energy: power.active" in text
    text = invoke("show", "intel-dc-s3700-800gb").stdout
    assert "flash.over_provisioning = 0.2" in text
    assert "Xiang and Kurkoski's closed form" in text
    zones = json.loads(invoke("show", "arrays2002-disk", "--json").stdout)["figures"]
    (value,) = [figure["value"] for figure in zones if figure["figure"] == "geometry.zones"]
    assert value[0]["sectors_per_track"] == 334


def test_show_of_a_file(tmp_path):
    (tmp_path / "own.toml").write_text('name = "own"\nkind = "hdd"\ntitle = "Own"\nrpm = 5400\n')
    text = invoke("show", str(tmp_path / "own.toml")).stdout
    assert "no source" in text
    assert "good for: its figures only" in text


def test_unknown_names():
    result = invoke("show", "seagate-chetah-15k7-300gb")
    assert isinstance(result.exception, InputError)
    assert "did you mean 'seagate-cheetah-15k7-300gb'" in (result.exception.hint or "")
    assert result.stdout == ""


EXAMPLE = Path(__file__).parents[2] / "examples" / "tpcc-raid5.toml"


def checked(device):
    words = ["check", str(EXAMPLE), "--set", f"array.pool.disks.device={device}"]
    return CliRunner().invoke(main.app, words)


def test_a_scenario_with_a_data_sheet_drive_says_what_it_assumes():
    text = checked("hgst-ultrastar-c10k900-900gb").stdout
    # 32 x 3 W idle.
    assert "96 W idle" in text
    assert "note: hgst-ultrastar-c10k900-900gb: assumed, not published: sector_size = 512 B" in text
    assert "power.positioning = 5.8 W (taken as power.active)" in text


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
    assert f"{device!r} has no {lacking}, so it is simulated for time only" in result.stdout


def test_the_library_tells_time_only_from_time_and_energy():
    listed = json.loads(CliRunner().invoke(main.app, ["devices", "list", "--json"]).stdout)["devices"]
    counts = [sum(one["simulated_for"] == told for one in listed) for told in (["time"], ["time", "energy"])]
    # Those with energy are the ones that could be simulated at all before.
    assert counts[1] == sum("simulation" in one["good_for"] for one in listed)
    assert counts[0] >= 40
    assert sum(counts) == sum("mechanics" in one["good_for"] for one in listed)
    shown = CliRunner().invoke(main.app, ["devices", "show", "seagate-cheetah-15k5"]).stdout
    assert "a simulation tells: time only" in shown
