"""What drives are bought as: classes, own prices, and what becomes of both in files built on others."""

from __future__ import annotations

import pytest

from iowatt.model.library.find import device_file, device_names, find_device
from iowatt.model.library.price_class import PRICE_CLASSES, price_class_of
from iowatt.model.scenario import compile_plan, load

TB = 10**12


@pytest.mark.parametrize(
    ("drive", "expected"),
    [
        (("hdd", "SATA 6G", "3.5", 7200, 4 * TB), "hdd-to-6tb"),
        (("hdd", "SATA 6G", "3.5", 7200, 6_001_175_126_016), "hdd-to-6tb"),
        (("hdd", "SATA 6G", "3.5", 5400, 8 * TB), "hdd-to-12tb"),
        (("hdd", "SAS 12G", "3.5", 7200, 12_000_138_625_024), "hdd-to-12tb"),
        (("hdd", "SAS 12G", "3.5", 7200, 14 * TB), "hdd-to-18tb"),
        (("hdd", "SATA 6G", "3.5", 7200, 18_000_207_937_536), "hdd-to-18tb"),
        (("hdd", "SATA 6G", "3.5", 7200, 20 * TB), "hdd-over-18tb"),
        (("hdd", "Ultra320 SCSI", "3.5", 10045, TB // 7), "hdd-10k-15k"),
        (("hdd", None, None, 15000, TB // 3), "hdd-10k-15k"),
        (("hdd", None, None, None, 300 * 10**9), "hdd-to-6tb"),
        (("ssd", "SATA 6G", "2.5", None, TB), "ssd-sata"),
        (("ssd", "SATA 6G/SAS 12G", "2.5", None, TB), "ssd-sata"),
        (("ssd", "SAS 12G", "2.5", None, TB), "ssd-u2"),
        (("ssd", "PCIe 4.0 x4 NVMe", "M.2 22110", None, TB), "ssd-nvme"),
        (("ssd", "PCIe 4.0 x4 NVMe", None, None, TB), "ssd-nvme"),
        (("ssd", "PCIe 4.0 x4 NVMe", "U.3/E1.S/M.2", None, TB), "ssd-u2"),
        (("ssd", "PCIe 3.0 x4 NVMe", "AIC/U.2", None, TB), "ssd-u2"),
        (("ssd", None, None, None, TB), "ssd-sata"),
    ],
)
def test_classes(drive, expected):
    """Of (kind, interface, form factor, rpm, bytes)."""
    assert price_class_of(*drive) == expected


def test_the_library_is_of_classes_that_the_book_prices():
    from iowatt.lenses.book.find import find_book

    book = find_book("default")
    files = [file for name in device_names() if (file := device_file(name)).capacity is not None]
    found = {price_class_of(f.kind, f.interface, f.form_factor, f.rpm, f.capacity) for f in files}
    assert found == set(PRICE_CLASSES)
    assert all(f"purchase.price.{name}" in book.figures for name in PRICE_CLASSES)
    assert all(
        f"wear.amplification.{name}" in book.figures for name in PRICE_CLASSES if name.startswith("ssd")
    )


def test_a_price_keeps_its_date_and_source():
    sold = find_device("intel-dc-s3700-800gb").sold
    assert (sold.capacity_bytes, sold.price_class) == (8 * TB // 10, "ssd-sata")
    assert (sold.usd, sold.date) == (336, "2025-07-23")
    assert "PCPartPicker" in sold.source


BASED = 'name = "mine"\nkind = "ssd"\ntitle = "Mine"\nbased_on = "intel-dc-s3700-800gb"\n'


def _mine(tmp_path, text):
    (tmp_path / "mine.toml").write_text(BASED + text)
    return device_file("mine.toml", tmp_path)


def test_a_price_is_inherited_whole(tmp_path):
    same = _mine(tmp_path, '[power]\nidle = "5W"\n')
    assert (same.price.usd, same.price.date) == (336, "2025-07-23")
    assert "PCPartPicker" in same.source_of("price.usd").text


def test_a_price_of_ones_own_has_no_date_and_source_of_anothers(tmp_path):
    own = _mine(tmp_path, "[price]\nusd = 400\n")
    assert (own.price.usd, own.price.date, own.source_of("price.usd")) == (400, None, None)
    assert own.source_of("capacity") is not None
    assert find_device("mine.toml", tmp_path).sold.source.endswith(" mine")


def test_a_drive_of_another_capacity_inherits_no_price(tmp_path):
    smaller = _mine(tmp_path, 'capacity = "700GB"\n')
    assert smaller.price.usd is None
    assert smaller.source_of("price.usd") is None
    same = _mine(tmp_path, 'capacity = "800000MB"\n')
    assert same.price.usd == 336


SCENARIO = """\
name = "two"
[[workload]]
name = "a"
volume = "v"
trace = { path = "-" }
[[array.pool]]
name = "p"
count = 1
device = DEVICE
[[array.volume]]
name = "v"
pool = "p"
"""


def _named(device, base_dir="."):
    text = SCENARIO.replace("DEVICE", device)
    plan = compile_plan(load(text, base_dir=base_dir, traces_must_exist=False), base_dir)
    return plan["names"]["devices"][0]


def test_a_plan_names_what_the_drives_are_bought_as():
    named = _named('"intel-dc-s3700-800gb"')
    assert (named["price_class"], named["price"]["usd"]) == ("ssd-sata", 336)
    assert set(named["price"]) == {"usd", "date", "source"}
    assert not {"price", "based_on"} & set(_named('"toshiba-mg04sca500e"'))


def test_a_plan_names_the_drive_that_one_of_ones_own_is_in_all_but_name(tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text(BASED + '[power]\nidle = "1W"\n')
    assert _named('"mine.toml"', tmp_path)["based_on"] == "intel-dc-s3700-800gb"
    mine.write_text(BASED.replace("[power]", "") + 'capacity = "700GB"\n')
    assert "based_on" not in _named('"mine.toml"', tmp_path)


@pytest.mark.parametrize("name", ["toshiba-mg04sca500e", "intel-dc-s3700-800gb"])
def test_what_a_scenario_leaves_of_a_drive_is_bought_whole(name):
    whole = find_device(name)
    named = _named(f'{{ name = "{name}", capacity = "300GB" }}')
    assert named["raw_bytes"] == 300 * 10**9
    assert (named["sold_bytes"], named["price_class"]) == (whole.sold.capacity_bytes, whole.sold.price_class)


def test_a_price_that_a_file_notes_in_another_currency_is_a_price() -> None:
    """decisions.md D2: EUR 5,190 stood in a note, and 27,034 USD in the bill."""
    drive = find_device("solidigm-d5-p5336-61-44tb").sold
    assert (drive.usd, drive.date) == (5657, "2024-01")
    assert drive.usd == pytest.approx(5190 * 1.09, abs=1)
    assert "EUR 5,190" in drive.source


def test_no_note_of_a_drive_holds_a_price_of_it_that_is_no_price():
    for name in device_names():
        said = " ".join(device_file(name).notes)
        assert "EUR" not in said and not said.startswith("price:"), name
