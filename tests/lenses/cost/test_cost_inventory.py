"""Inventories: what they add to a Run, what they change of it, and what they leave unknown."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cost_systems import NOTHING, book, hdd, priced, ssd, usd
from iowatt.base.errors import InputError
from iowatt.lenses.cost.pricing.case import Horizon
from iowatt.lenses.cost.pricing.wear import wearout
from iowatt.lenses.cost.systems.inventory import added_drives, changed_drives, inventory_notes, read_inventory
from iowatt.lenses.cost.systems.of_run import observe
from iowatt.run.histogram import Histogram
from iowatt.sources.measured import MeasuredAbout, measured_run
from iowatt.sources.meters.log.instrument import Instrument, InstrumentLog
from iowatt.sources.observation import Direction, Interval, Observation
from refused import refused

START = 1_790_000_000.0
HEAD = 'schema = "iowatt.cost-inventory/1"\n'
EXAMPLE = Path("examples/cost/inventory.toml")


@pytest.fixture(scope="module")
def run():
    """600 s: 7,000 reads and 3,000 writes of 8,192 bytes, at 590 W."""
    made = [
        Interval(
            START + 60.0 * k, START + 60.0 * (k + 1), Direction(700, 700 * 8192, 0.006, 0.05),
            Direction(300, 300 * 8192, 0.004, 0.03),
        )
        for k in range(10)
    ]  # fmt: skip
    histogram = Histogram.of([5_000_000], [7_000_000], [7000])
    seen = Observation(
        "MW1", "fio", "fio-3.33", START, START + 600, intervals=made, read=histogram, write=histogram,
        asked_iops=17.0,
    )  # fmt: skip
    times = START - 20 + np.arange(0, 700.0, 5.0)
    log = InstrumentLog(
        Instrument("pdu", "snmp", "indicative", "a PDU"), times, {"watts": np.full(140, 590.0)}
    )
    return measured_run(MeasuredAbout("mw1"), seen, power=[log])


@pytest.fixture
def inventory(tmp_path):
    def read(text):
        path = tmp_path / "array.toml"
        path.write_text(HEAD + text)
        return read_inventory(path)

    return read


def test_the_example(run):
    found = read_inventory(EXAMPLE)
    made = added_drives(found, run)
    assert [d.name for d in made[:2]] == ["flash.0", "flash.1"]
    assert len(made) == 20
    flash, disk = made[0], made[-1]
    assert (flash.model, flash.kind, flash.pool, flash.capacity_gb, flash.used_gb) == (
        "intel-dc-s3700-800gb", "ssd", "fast", 800.0, 720.0,
    )  # fmt: skip
    assert (flash.price, flash.price_class) == ((410.0, "2026-02", "offer 4711"), "ssd-sata")
    # 10 drive writes a day for 5 years.
    assert flash.ratings["bytes_written"] == pytest.approx(800e9 * 10 * 365 * 5)
    part = 600 / (30 * 86_400)
    assert flash.counts.bytes_written == pytest.approx(9.2e12 * part)
    assert flash.counts.write_amplification == pytest.approx(14.1 / 9.2)
    assert (disk.name, disk.model, disk.price_class, disk.price) == (
        "nearline.7", "nearline", "hdd-to-12tb", None,
    )  # fmt: skip
    assert disk.ratings == {"start_stop_cycles": 50_000.0, "load_unload_cycles": 600_000.0}
    assert disk.counts.load_unloads == pytest.approx(210 * part)
    assert found.parts == {"controller": 2, "shelf": 1}
    assert found.capacity_gb(run, made) == (12 * 800 + 8 * 8000, 14_400.0, 21_600.0)


def test_a_measured_array_is_priced_by_its_inventory(run):
    """12 x 410 + 8 x 8,000 GB x 0.027 + 2 x 5,200 + 2,100 USD; 590 W for 5 years at 0.2 USD/kWh."""
    found = read_inventory(EXAMPLE)
    of = observe(run, found)
    costs = priced(of, found.priced(book(*NOTHING)), Horizon("time", 5.0))
    assert usd(costs, *(f"purchase:flash.{n}" for n in range(12))) == pytest.approx(12 * 410)
    assert usd(costs, *(f"purchase:nearline.{n}" for n in range(8))) == pytest.approx(8 * 8000 * 0.027)
    assert usd(costs, *(f"purchase:{part}" for part in ("controller", "shelf"))) == 2 * 5200 + 2100
    assert usd(costs, "energy") == pytest.approx(0.590 * 5 * 8760 * 0.2)
    # 9.2 TB in 30 days against 14.6 PB; by flash it would be 14.1 TB against those amplified by 2.13.
    assert usd(costs, "wear:flash.0") == 0.0
    worn = wearout(of.drives[0], book())
    assert worn.fraction == pytest.approx(9.2e12 / 14.6e15 * 600 / (30 * 86_400))
    assert worn.ratios["nand_bytes"] == pytest.approx(14.1e12 / (14.6e15 * 2.13) * 600 / (30 * 86_400))


def test_without_one_only_what_the_meter_saw_is_priced(run):
    costs = priced(observe(run), book(*NOTHING), Horizon("time", 5.0))
    assert {one.group for one in costs.components if one.usd} == {"energy"}
    assert not observe(run).drives and "drives-unknown" in {note.code for note in costs.notes}


def test_parts_have_prices_in_the_book_and_ranges(inventory):
    found = read_inventory(EXAMPLE)
    figure = found.priced(book()).figures["purchase.part.controller"]
    assert (figure.value, figure.low, figure.high, figure.source) == (5200.0, 4500.0, 6000.0, "offer 4711")
    assert found.priced(book("purchase.part.controller=1")).number("purchase.part.controller") == 1.0
    other = inventory('[[part]]\nname = "controller"\ncount = 1\nusd = 9\n')
    with refused("conflict", f"{other.where}: part.controller.usd") as caught:
        other.priced(found.priced(book()))
    assert "9 USD" in caught.value.message and "5200" in caught.value.message
    same = inventory('[[part]]\nname = "controller"\ncount = 1\nusd = 5200\n')
    assert same.priced(found.priced(book())).number("purchase.part.controller") == 5200.0
    assert inventory('[[part]]\nname = "rack"\ncount = 1\n').priced(book()).find("purchase.part.rack") is None


def test_a_device_brings_its_price_and_a_file_of_ones_own_its_base(inventory, tmp_path, run):
    (tmp_path / "mine.toml").write_text(
        'name = "mine"\nkind = "ssd"\ntitle = "Mine"\nbased_on = "intel-dc-s3700-800gb"\n'
    )
    one, two, other = added_drives(
        inventory(
            '[[drive]]\nname = "a"\ndevice = "intel-dc-s3700-800gb"\n'
            '[[drive]]\nname = "b"\ndevice = "mine.toml"\n'
            '[[drive]]\nname = "c"\ndevice = "intel-dc-s3700-800gb"\ncapacity = "400GB"\n'
        ),
        run,
    )
    assert one.price[:2] == (336, "2025-07-23")
    assert (two.price[:2], two.names) == ((336, "2025-07-23"), ("mine", "intel-dc-s3700-800gb"))
    assert (other.price, other.capacity_gb) == (None, 400.0)


def test_what_nothing_counted_wears_nothing_and_is_said(inventory, run):
    found = inventory('[[drive]]\nname = "a"\ndevice = "intel-dc-s3700-800gb"\n')
    (drive,) = added_drives(found, run)
    assert (drive.counts.bytes_written, drive.counts.start_stops) == (0.0, 0.0)
    assert (drive.counts.write_amplification, drive.counts.percentage_used) == (None, None)
    assert any(note.text.startswith("a: ") for note in inventory_notes(found))
    disk = inventory(
        '[[drive]]\nname = "d"\nkind = "hdd"\ncapacity = "4TB"\n[drive.counts]\nbytes_read = "1TB"\n'
    )
    assert [note.code for note in inventory_notes(disk)] == ["no-model", "wear-unknown"]
    told = inventory(
        '[[drive]]\nname = "d"\nkind = "hdd"\ncapacity = "4TB"\n[drive.counts]\nstart_stops = 0\n'
    )
    assert [note.code for note in inventory_notes(told)] == ["no-model"]


def test_bytes_of_hosts_spread_by_capacity_over_what_counted_none(inventory, run):
    """24,576,000 bytes written, with mirrors twice: a third to the small one, two thirds to the large one."""
    found = inventory(
        '[spread]\npools = ["data"]\nwrites = 2.0\n'
        '[[drive]]\nname = "a"\nkind = "ssd"\nprice_class = "ssd-sata"\ncapacity = "1TB"\n'
        '[[drive]]\nname = "b"\nkind = "ssd"\nprice_class = "ssd-sata"\ncapacity = "2TB"\n'
        '[[drive]]\nname = "c"\nkind = "ssd"\nprice_class = "ssd-sata"\ncapacity = "2TB"\npool = "boot"\n'
        '[[drive]]\nname = "d"\nkind = "ssd"\nprice_class = "ssd-sata"\ncapacity = "2TB"\n'
        '[drive.counts]\nbytes_written = "5GB"\n'
    )
    a, b, c, d = added_drives(found, run)
    assert a.counts.bytes_written == pytest.approx(3000 * 8192 * 2 / 3)
    assert b.counts.bytes_written == pytest.approx(3000 * 8192 * 4 / 3)
    assert a.counts.bytes_read + b.counts.bytes_read == pytest.approx(7000 * 8192)
    assert (c.counts.bytes_written, d.counts.bytes_written) == (0.0, 5e9)
    assert "bytes-spread" in {note.code for note in inventory_notes(found)}


@pytest.mark.parametrize(("after", "share"), [(7, 0.03), (4, 0.0)])
def test_the_drives_own_percentage(inventory, run, after, share):
    """3 % over 6,000 s of which the Run is a tenth; where it did not move, wear.life says so."""
    text = (
        '[[drive]]\nname = "a"\ndevice = "intel-dc-s3700-800gb"\n[drive.counts]\nover = "6000s"\n'
        f"percentage_used_before = 4\npercentage_used_after = {after}\n"
    )
    (drive,) = added_drives(inventory(text), run)
    assert drive.counts.percentage_used == pytest.approx(share / 10)


def test_changes_of_drives_that_the_run_knows(inventory, run):
    found = inventory(
        '[[change]]\ndrives = "ssd.*"\nused = 0.5\nprice_class = "ssd-u2"\n[change.price]\nusd = 99\n'
        '[change.ratings]\ntbw = "1PB"\n[change.counts]\nstart_stops = 3\n'
        '[[change]]\ndrives = "ssd.1"\n[change.price]\nusd = 11\nsource = "a list"\n'
    )
    one, two, disk = changed_drives(found, [ssd(), ssd(name="ssd.1"), hdd()], run)
    assert (one.price, two.price) == ((99.0, None, found.where), (11.0, None, "a list"))
    assert (one.used_gb, one.price_class, one.ratings) == (150.0, "ssd-u2", {"bytes_written": 1e15})
    assert (one.counts.start_stops, one.counts.bytes_written) == (3.0, 2e9)
    assert disk == hdd()


def test_changes_of_nothing_and_drives_twice_are_refused(inventory, run):
    nothing = inventory('[[change]]\ndrives = "sdd.*"\n')
    with refused("unknown-name", f"{nothing.where}: change.sdd.*") as caught:
        changed_drives(nothing, [ssd()], run)
    assert "ssd.0" in caught.value.message
    twice = inventory('[[drive]]\nname = "ssd.0"\nkind = "hdd"\ncapacity = "1TB"\n')
    with refused("duplicate", f"{twice.where}: drive.ssd.0"):
        changed_drives(twice, [ssd()], run)


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ('[[drive]]\nname = "a"\n', "missing", "2: drive.a.kind"),
        ('[[drive]]\nname = "a"\nkind = "ssd"\ncapacity = "1TB"\n', "missing", "2: drive.a.price_class"),
        ('[[drive]]\nname = "a"\ndevice = "intel-dc-s3700"\n', None, "4: drive.a.device"),
        (
            '[[drive]]\nname = "a"\ndevice = "intel-dc-s3700-800gb"\nkind = "hdd"\n',
            "conflict",
            "5: drive.a.kind",
        ),
        ('[[drive]]\nname = "a"\ndevice = "micron-5100-eco"\n', "missing", "2: drive.a.capacity"),
        (
            '[[drive]]\nname = "a"\nkind = "hdd"\ncapacity = "1TB"\nprice_class = "x"\n',
            "not-accepted",
            "6: drive.a.price_class",
        ),
        ('[[drive]]\nname = "a"\nkind = "hdd"\ncapacity = "1 T"\n', None, "5: drive.a.capacity"),
        ('[[drive]]\nname = "a"\nkind = "hdd"\ncapacity = "1TB"\nprise = 3\n', None, "6: drive.a.prise"),
        ('[[drive]]\nname = "a"\nkind = "hdd"\ncapacity = "1TB"\nused = 1.5\n', None, "6: drive.a.used"),
        (
            '[[drive]]\nname = "a"\nkind = "hdd"\ncapacity = "1TB"\n[drive.price]\nusd = -1\n',
            None,
            "7: drive.a.price.usd",
        ),
        (
            '[[part]]\nname = "a"\ncount = 1\n[[part]]\nname = "a"\ncount = 2\n',
            "duplicate",
            "6: part.a.name",
        ),
        ('[[part]]\nname = "a"\ncount = 1\nusd = 5\nlow = 6\n', "conflict", "5: part.a.usd"),
        ('[[part]]\nname = "a"\ncount = 1\nlow = 6\n', "missing", "2: part.a.usd"),
        ('[[part]]\nname = "a"\n', "missing", "2: part.a.count"),
        ('[spread]\npools = ["x"]\nwrites = 1\n', "unknown-name", "3: spread.pools.0"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(inventory, text, code, place):
    with pytest.raises(InputError) as caught:
        inventory(text)
    assert caught.value.place.endswith(f"array.toml:{place}")
    assert code is None or caught.value.code == code  # None: of a key's own type, or of the library


COUNTS = '[[drive]]\nname = "a"\nkind = "hdd"\ncapacity = "1TB"\n[drive.counts]\n'


@pytest.mark.parametrize(
    ("text", "code", "key"),
    [
        ("percentage_used_before = 3\n", "missing", "percentage_used_after"),
        ("percentage_used_before = 3\npercentage_used_after = 2\n", "conflict", "percentage_used_after"),
        ('flash_bytes_written = "1TB"\n', "missing", "bytes_written"),
        ("start_stops = -1\n", None, "start_stops"),
    ],
)
def test_counters_that_cannot_be(inventory, text, code, key):
    with pytest.raises(InputError) as caught:
        inventory(COUNTS + text)
    assert caught.value.place.endswith(f": drive.a.counts.{key}")
    assert code is None or caught.value.code == code  # None: of a key's own type


def test_names_of_several_drives_may_not_meet(inventory):
    with refused("duplicate", re.compile(r"array\.toml:8: drive\.a\.1\.name$")):
        inventory(
            '[[drive]]\nname = "a"\ncount = 2\nkind = "hdd"\ncapacity = "1TB"\n'
            '[[drive]]\nname = "a.1"\nkind = "hdd"\ncapacity = "1TB"\n'
        )


def test_a_file_that_is_not_there():
    with pytest.raises(InputError) as caught:
        read_inventory("nowhere.toml")
    assert caught.value.place == "nowhere.toml"


@given(st.binary(max_size=200), st.integers(0, 1500), st.integers(0, 60))
def test_whatever_stands_in_it_there_is_an_answer_or_an_error_of_input(tmp_path_factory, junk, at, cut):
    text = EXAMPLE.read_bytes()
    path = tmp_path_factory.getbasetemp() / "junk.toml"
    path.write_bytes(text[:at] + junk + text[at + cut :])
    try:
        read_inventory(path)
    except InputError as refused:
        assert "junk.toml" in str(refused)
