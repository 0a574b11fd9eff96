"""Costs by what is got for them, each quotient worked out by hand."""

from __future__ import annotations

import json

import pytest

from cost_systems import NOTHING, book, case, hdd, ssd, system
from iowatt.lenses.cost.pricing.case import Horizon
from iowatt.lenses.cost.pricing.total import price
from iowatt.lenses.cost.ratios import ratios
from iowatt.lenses.cost.systems.system import PricedWork
from iowatt.tariffs.load import ElectricLoad


def _views(of, *sets, horizon=None):
    made = case(of, book(*NOTHING, "wear.charge=none", *sets), horizon or Horizon("time", 2.0))
    costs = price(made)
    return costs, {ratio.key: ratio for ratio in ratios(made, costs)}


def _value(found, key):
    assert found[key].note is not None
    return found[key].value


def test_each_quotient():
    """Two years; 610 USD of drives and 8 W at 0.2 USD/kWh: 2 x 70.08 x 0.2 = 28.032 USD."""
    costs, found = _views(system("s", ssd(), hdd()))
    total = 610 + 28.032
    assert costs.usd == pytest.approx(total)
    assert _value(found, "usd_per_effective_tb_month") == pytest.approx(total / (0.3 * 24))
    assert _value(found, "usd_per_usable_gb_year") == pytest.approx(total / (300 * 2))
    # 60,000 requests in 600 s; 2.4e8 bytes.
    assert _value(found, "usd_per_iops") == pytest.approx(total / 100)
    repeats = 2 * 365 * 86_400 / 600
    assert _value(found, "usd_per_million_requests") == pytest.approx(total / (0.06 * repeats))
    assert _value(found, "usd_per_tb_moved") == pytest.approx(total / (2.4e-4 * repeats))
    assert _value(found, "usd_per_tbw") == pytest.approx(450 / 36.5)
    assert _value(found, "kwh_per_tb_year") == pytest.approx(70.08 / 0.3)
    assert _value(found, "j_per_gb_moved") == pytest.approx(4800 / 0.24)
    kg = 2 * 70.08 * 0.481 + 0.16 * 300 + 0.02 * 2000
    assert _value(found, "kg_per_tb_year") == pytest.approx(kg / (0.3 * 2))


def test_effective_is_after_data_reduction_and_usable_before():
    costs, found = _views(system("s", ssd(), effective_gb=600.0))
    assert found["usd_per_effective_tb_month"].value == pytest.approx(costs.usd / (0.6 * 24))
    _, unreduced = _views(system("s", ssd()))
    notes = [set(one["usd_per_effective_tb_month"].note.split("; ")) for one in (found, unreduced)]
    assert notes[0] < notes[1]
    assert "rack" in found["usd_per_effective_tb_month"].note


def test_pue_counts_for_the_facility_and_not_for_the_system():
    _, found = _views(system("s"), "cooling.pue=1.5")
    assert found["kwh_per_tb_year"].value == pytest.approx(1.5 * 70.08 / 0.3)
    assert found["j_per_gb_moved"].value == pytest.approx(4800 / 0.24)


def test_what_is_not_known_has_no_value_and_says_why():
    silent = PricedWork(600.0, ElectricLoad.constant(8.0, 600.0), 0.0, 0.0, None)
    _, found = _views(
        system("s", ssd(ratings={}), usable_gb=None, effective_gb=None, raw_gb=None, work=silent)
    )
    assert {key for key, view in found.items() if view.value is not None} == set()
    for view in found.values():
        assert view.note
    assert "ssd.0" in found["usd_per_tbw"].note


def test_no_ssd_no_price_of_endurance():
    _, found = _views(system("s", hdd()))
    assert found["usd_per_tbw"].value is None and found["usd_per_tbw"].note


def test_endurance_by_the_book_where_the_book_says_so():
    _, found = _views(system("s", ssd()), "wear.limits=book", "wear.ssd_tbw=73")
    assert found["usd_per_tbw"].value == pytest.approx(450 / 73)


def test_they_are_plain_data():
    _, found = _views(system("s", ssd()))
    rows = [view.as_dict() for view in found.values()]
    assert json.loads(json.dumps(rows, allow_nan=False)) == rows
