"""The script that made most of the library, on a table of drives that do not exist."""

from __future__ import annotations

import csv
import importlib.util
import re
import sys
from pathlib import Path

import pytest

from iowatt.model.library import device_file, find_drive
from refused import refused

SCRIPT = Path(__file__).parents[2] / "scripts" / "import_devices_csv.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("import_devices_csv", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


DISK = {
    "vendor": "Acme",
    "model": "Anvil 10K.3",
    "variant": "ANV-900 (blue)",
    "kind": "HDD",
    "interface": "SAS 6G",
    "year": "2011",
    "year_basis": "launch",
    "capacity_gb": "900",
    "rpm": "10000",
    "idle_w": "3.5",
    "rand_read_w": "6.25",
    "spinup_s": "7.9",
    "power_basis": "derived 5V*A+12V*A",
    "power_grade": "B",
    "source_kind": "manual; SMART field data",
    "source": "Acme manual page 3; field reports",
    "notes": 'says "typical"',
}
# The same drive from a second place: mechanics, and the idle watts again.
AGAIN = {
    "vendor": "Acme",
    "model": "Anvil 10K.3",
    "variant": "ANV-900 (blue)",
    "kind": "HDD",
    "capacity_gb": "900",
    "idle_w": "3.5",
    "seek_read_ms": "4",
    "seek_write_ms": "4.4",
    "seq_read_mbps": "198",
    "power_grade": "C",
    "source_kind": "review",
    "source": "a magazine",
}
FLASH = {
    "vendor": "Acme",
    "model": "Spark",
    "kind": "SSD",
    "media": "TLC",
    "capacity_gb": "7680",
    "max_w": "25",
    "endurance_tbw": "14000",
    "dwpd": "1",
    "rand_read_iops": "1000000",
    "mtbf_h": "2000000",
    "price_usd": "999.5",
    "price_date": "2016 launch",
    "price_source": "a shop",
    "power_basis": "stated upper bound",
    "power_grade": "C",
    "source_kind": "vendor data sheet",
    "source": "acme.example/spark",
}


def write_table(script, path, *rows, columns=()):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*script.WORDS, *script.COLUMNS, *columns], restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path


def run(script, tmp_path, *rows):
    folder = tmp_path / "devices"
    folder.mkdir(exist_ok=True)
    return script.main([str(write_table(script, tmp_path / "t.csv", *rows)), "--into", str(folder)]), folder


def test_round_trip(script, tmp_path, capsys):
    code, folder = run(script, tmp_path, DISK, FLASH)
    assert code == 0
    assert re.findall(r"\d+", capsys.readouterr().err) == ["2", "0"]
    assert sorted(p.name for p in folder.iterdir()) == [
        "acme-anvil-10k3-900gb.toml",
        "acme-spark-7-68tb.toml",
    ]

    disk = device_file("acme-anvil-10k3-900gb.toml", folder)
    title = f"{DISK['vendor']} {DISK['model']}, {DISK['variant']}"
    assert (disk.title, disk.vendor, disk.year) == (title, "Acme", 2011)
    assert disk.figures() == {
        "year": 2011,
        "interface": "SAS 6G",
        "capacity": 900 * 10**9,
        "rpm": 10_000.0,
        "power.spin_up_time": 7.9,
        "power.idle": 3.5,
        "power.random_read": 6.25,
    }
    assert disk.notes == [DISK["notes"]]
    sources = {path: disk.source_of(path) for path in disk.figures()}
    assert all(sources.values())
    idle, ready = sources["power.idle"], sources["power.spin_up_time"]
    assert (idle.quality, idle.grade, idle.basis) == ("derived", "B", "derived 5V*A+12V*A")
    kinds, texts = (DISK[name].split("; ") for name in ("source_kind", "source"))
    assert idle.text == f"{kinds[0]}: {texts[0]}"
    assert (ready.quality, ready.text) == ("measured", f"{kinds[1]}: {texts[1]}")
    assert (sources["year"].quality, sources["rpm"].quality) == ("stated", "common-knowledge")

    flash = device_file("acme-spark-7-68tb.toml", folder)
    figures = flash.figures()
    assert (figures["capacity"], figures["endurance.tbw"]) == (7_680 * 10**9, 14_000 * 10**12)
    assert (figures["performance.random_read_iops"], figures["endurance.mtbf_hours"]) == (1e6, 2e6)
    assert (figures["price.usd"], figures["price.date"], flash.grade()) == (999.5, "2016", "C")
    (note,) = flash.notes
    assert note.endswith(f": {FLASH['price_date']}")
    assert flash.source_of("price.usd").text == "a shop"


def test_rows_of_one_drive_complement_each_other(script, tmp_path):
    code, folder = run(script, tmp_path, DISK, AGAIN)
    assert code == 0
    disk = device_file("acme-anvil-10k3-900gb.toml", folder)
    assert (disk.power.random_read, disk.seek.average, disk.performance.sequential_read) == (
        6.25,
        4e-3,
        198e6,
    )
    texts = {source.text for source in disk.source if source.covers("power.idle")}
    manual = (DISK[name].split("; ")[0] for name in ("source_kind", "source"))
    review = f"{AGAIN['source_kind']}: {AGAIN['source']}"
    assert texts == {": ".join(manual), review}
    assert disk.source_of("power.idle").grade == "B"
    assert disk.source_of("seek.average").text == review
    drive = find_drive("acme-anvil-10k3-900gb.toml", folder)
    assert drive.write_settle_s == pytest.approx(0.4e-3)


def test_rows_that_contradict_each_other(script, tmp_path, capsys):
    code, folder = run(script, tmp_path, DISK, {**AGAIN, "idle_w": "4"})
    assert (code, list(folder.iterdir())) == (2, [])
    said = capsys.readouterr().err
    assert all(word in said for word in ("acme-anvil-10k3-900gb", "power.idle", '"3.5W"', '"4W"'))


def test_files_edited_by_hand_are_left_alone(script, tmp_path, capsys):
    _, folder = run(script, tmp_path, FLASH)
    target = folder / "acme-spark-7-68tb.toml"
    generated = target.read_text()
    assert generated.startswith(script.MARK)
    run(script, tmp_path, {**FLASH, "dwpd": "3"})
    assert "dwpd = 3\n" in target.read_text()  # still the script's own: replaced
    edited = generated.removeprefix(script.MARK)
    target.write_text(edited)
    run(script, tmp_path, {**FLASH, "dwpd": "3"})
    assert target.read_text() == edited
    last = capsys.readouterr().err.splitlines()[-1]
    assert re.findall(r"\b\d+ ", last) == ["0 ", "1 "]
    assert "acme-spark-7-68tb" in last


def test_tables_that_are_wrong(script, tmp_path):
    with refused("wrong-format", str(tmp_path / "t.csv")) as error:
        script.read(write_table(script, tmp_path / "t.csv", FLASH, columns=["colour"]))
    assert "colour" in error.value.message
    with refused("bad-syntax", "Acme Spark, 7.68 TB: max_w"):
        script.read(write_table(script, tmp_path / "t.csv", {**FLASH, "max_w": "<25"}))


@pytest.mark.parametrize(
    ("vendor", "model", "gigabytes", "name"),
    [
        ("Seagate", "Cheetah 15K.7", "300", "seagate-cheetah-15k7-300gb"),
        ("Intel", "SSD 320", "300", "intel-320-300gb"),
        ("Intel/Solidigm", "D5-P5316", "30720", "intel-d5-p5316-30-72tb"),
        ("Toshiba", "MG08ACA16TE", "16000", "toshiba-mg08aca16te"),
        ("WD", "Gold 20TB", "20000", "wd-gold-20tb"),
        ("WD", "SN720", "1024", "wd-sn720-1024gb"),
        ("Seagate", "Barracuda 7200.8", "400", "seagate-barracuda-7200-8-400gb"),
        ("Seagate", "Exos 2X14 (dual actuator)", "14000", "seagate-exos-2x14-14tb"),
        ("Samsung", "950 PRO", "", "samsung-950-pro"),
    ],
)
def test_names(script, vendor, model, gigabytes, name):
    row = {"vendor": vendor, "model": model, "variant": "", "capacity_gb": gigabytes}
    assert script.device_name(row) == name
