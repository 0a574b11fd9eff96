"""The tariffs of the library, and what else a name may stand for."""

from __future__ import annotations

import json
import math
from importlib import resources

import pytest
from made_tariffs import DAY, billed

from iowatt.pages.tariff import document
from iowatt.render import terminal
from iowatt.tariffs import result
from iowatt.tariffs.bill import OF_TARIFF
from iowatt.tariffs.find import find_tariff, tariff_names
from iowatt.tariffs.load import ElectricLoad
from iowatt.tariffs.result import TariffDocument
from refused import refused

YEAR = 365 * DAY

CHARGES = ["energy", "energy by time", "demand", "ratchet", "fixed"]
TIERED = ["energy", "energy tiers"]


@pytest.mark.parametrize("name", tariff_names())
def test_a_tariff_says_where_it_is_from(name):
    made = find_tariff(name)
    assert made.key == name
    assert made.name and made.utility and made.source
    assert made.date is not None
    assert made.notes
    assert made.effective[0] is not None


@pytest.mark.parametrize("name", tariff_names())
def test_a_tariff_bills_a_year(name):
    low, high = find_tariff(name).applicable_kw
    kw = 200.0 if high is None else high / 2
    kw = max(kw, low or 0.0)
    found = billed(find_tariff(name), ElectricLoad.constant(1e3 * kw, YEAR), "2026-01-01")
    each = found.usd / (kw * 8760)
    assert 0.02 < each < 0.5, f"${each:.3f} a kWh"
    assert {note.code for note in found.notes} <= {OF_TARIFF, "rates-ended", "rates-begin-later"}


def test_files_are_records_of_the_database_and_nothing_else():
    folder = resources.files("iowatt.model.library").joinpath("tariffs")
    ours = {"source", "date", "verified", "notes"}
    for name in tariff_names():
        document = json.loads(folder.joinpath(f"{name}.json").read_text("utf-8"))
        assert set(document["iowatt"]) == ours, name


def test_long_island_by_the_figures_of_its_pages():
    large = billed(find_tariff("lipa-281-2026"), ElectricLoad.constant(100e3, 31 * DAY), "2026-07-01")
    kwh = 100 * 744
    assert large.of("energy") == pytest.approx(0.0375 * kwh)
    assert large.of("fuel") == pytest.approx(0.090217 * kwh)
    assert large.of("demand") == pytest.approx(22.22 * 100)
    assert large.of("fixed") == pytest.approx(2.92 * 31)
    home = billed(
        find_tariff("lipa-180-2011"), ElectricLoad.constant(1e3 * 775 / (365 * 24 / 12), YEAR), "2011-01-01"
    )
    # what the page says that a kWh costs with all charges
    assert home.usd / (775 * 12) == pytest.approx(0.21, abs=0.003)
    four = find_tariff("lipa-294-2026")
    assert four.demand is not None
    assert four.demand.weekdays[6] == (0,) * 15 + (2,) * 4 + (0,) * 5


def test_averages():
    for name, usd in (("us-average-commercial-2011", 0.1029), ("us-average-industrial-2011", 0.0688)):
        assert billed(find_tariff(name), ElectricLoad.constant(1e3, 3600.0)).usd == pytest.approx(usd)


@pytest.mark.parametrize(
    ("name", "energy", "demand"), [("flat:0.15", 0.15, 0.0), ("flat:0.15,12", 0.15, 12.0), ("flat:0", 0, 0)]
)
def test_a_flat_price(name, energy, demand):
    found = billed(find_tariff(name), ElectricLoad.constant(2e3, 31 * DAY))
    assert found.of("energy") == pytest.approx(energy * 2 * 744)
    assert found.of("demand") == pytest.approx(demand * 2)
    assert found.tariff.key == name


@pytest.mark.parametrize(
    "name", ["flat:", "flat:x", "flat:-1", "flat:nan", "flat:1,2,3", "flat:1e9", "flat:0.1,inf"]
)
def test_a_flat_price_that_is_none(name):
    with refused("bad-syntax", None):
        find_tariff(name)


def test_a_name_that_is_none():
    with refused("unknown-name", None) as raised:
        find_tariff("lipa-281-2025")
    assert "'lipa-281-2026'" in raised.value.hint


def test_documents_are_plain_json():
    listing = result.tariff_list(map(find_tariff, tariff_names()))
    assert listing.schema_id == "iowatt.tariffs/1"
    plain = json.loads(json.dumps(listing.as_dict(), allow_nan=False))
    by_key = {one["key"]: one for one in plain["tariffs"]}
    assert by_key["wallingford-primary-2013"]["charges"] == CHARGES
    assert by_key["lipa-180-2011"]["charges"][:2] == TIERED
    for name in tariff_names():
        found = result.tariff_document(find_tariff(name))
        json.dumps(found.as_dict(), allow_nan=False)
        assert TariffDocument.model_validate(found.as_dict()) == found
        for part in terminal.parts(document(found)):
            assert isinstance(part, str) or part.row_count


def test_months_hold_the_bill():
    found = billed(find_tariff("smud-ci-tod3-2025"), ElectricLoad.constant(600e3, 100 * DAY), "2026-05-20")
    rows = result.billed_months(found)
    assert [row.month for row in rows] == ["2026-05", "2026-06", "2026-07", "2026-08"]
    assert math.fsum(row.usd for row in rows) == pytest.approx(found.usd)
    assert math.fsum(row.kwh for row in rows) == pytest.approx(found.energy_j / 3.6e6)
    assert rows[1].demand_usd == pytest.approx(600 * (5.539 + 11.609))
    assert (rows[1].share, rows[1].peak_kw) == (1.0, pytest.approx(600.0))
