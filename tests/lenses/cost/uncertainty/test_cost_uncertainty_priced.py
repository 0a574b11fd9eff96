"""Uncertainty, tornado, crossovers of real pricings: a disk that draws more, an SSD that costs more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from cost_systems import NOTHING, START, book, hdd, ssd, system
from iowatt.lenses.book.book import Book
from iowatt.lenses.cost.pricing.case import Horizon
from iowatt.lenses.cost.pricing.total import Pricer, pricer
from iowatt.lenses.cost.uncertainty import crossovers, sample, tornado
from iowatt.tariffs.find import find_tariff

FIVE_YEARS = Horizon("time", 5.0)
#: kWh of a watt in a year of 365 days.
KWH = 8.76
WORK_S = {"hdd": 600.0, "ssd": 300.0}


def systems(tariff: str = "flat:0.2") -> Mapping[str, Pricer]:
    """A disk for 160 USD at 28 W, an SSD for 450 USD at 3 W that does the work in half the time."""
    still: dict[str, Any] = {"bytes_written": 0.0, "bytes_read": 0.0}
    of = {
        "hdd": system("hdd", hdd(counts={"start_stops": 0, "load_unloads": 0}), watts=28.0, seconds=600.0),
        "ssd": system("ssd", ssd(counts=still), watts=3.0, seconds=300.0),
    }
    return {name: pricer(one, find_tariff(tariff), START) for name, one in of.items()}


def nothing_else(*sets: str) -> Book:
    """Only purchase and energy cost anything."""
    return book(*NOTHING, *sets)


#: Years after which 25 W less have paid for 290 USD more.
EVEN = 290.0 / (25.0 * KWH * 0.2)


def test_equal_time_crosses_where_energy_has_paid_for_the_purchase() -> None:
    (found,) = crossovers(systems(), nothing_else(), FIVE_YEARS, ["years"], draws=0, work_s=WORK_S)
    (crossing,) = found.pairs[0].crossings
    assert crossing.at == pytest.approx(EVEN, rel=1e-8)
    assert (crossing.cheaper_below, crossing.cheaper_above, crossing.kind) == ("hdd", "ssd", "cross")


def test_equal_work_crosses_where_the_joules_have() -> None:
    (found,) = crossovers(systems(), nothing_else(), Horizon("work", 1e4), ["alpha"], draws=0, work_s=WORK_S)
    (crossing,) = found.pairs[0].crossings
    kwh = (28.0 * 600.0 - 3.0 * 300.0) / 3.6e6
    assert crossing.at == pytest.approx(290.0 / (kwh * 0.2), rel=1e-8)
    took = [said.value for said in crossing.also]
    assert took == pytest.approx([crossing.at * seconds / 31_536_000 for seconds in (600.0, 300.0)])


def test_the_price_of_a_kilowatt_hour_is_told() -> None:
    (found,) = crossovers(systems(), nothing_else(), FIVE_YEARS, ["energy.factor"], draws=0)
    (crossing,) = found.pairs[0].crossings
    wanted = 290.0 / (25.0 * KWH * 5.0)
    assert crossing.at == pytest.approx(wanted / 0.2, rel=1e-8)
    assert [said.value for said in crossing.also] == pytest.approx([wanted, wanted], rel=1e-8)


def test_a_price_that_only_the_drive_had_can_be_varied() -> None:
    (found,) = crossovers(systems(), nothing_else(), FIVE_YEARS, ["purchase.model.test-ssd"], draws=0)
    (crossing,) = found.pairs[0].crossings
    assert crossing.at == pytest.approx(160.0 + 25.0 * KWH * 0.2 * 5.0, rel=1e-8)
    assert (found.value, found.unit) == (None, "USD")


def test_the_range_of_the_crossing_is_that_of_the_price_of_energy() -> None:
    made = nothing_else("energy.factor=1:0.5..2", "discount.rate=0")
    (found,) = crossovers(systems(), made, FIVE_YEARS, ["years"], draws=100)
    places = found.pairs[0].range
    assert places is not None
    assert places.share_crossing == 1.0
    assert places.p5 is not None
    assert places.p95 is not None
    # Ranks 95 and 5 of 100 places are between the 5 and 6 % and the 95 and 96 % of the factor.
    assert (
        EVEN / (0.5 + (0.06 * 0.75) ** 0.5) * 0.99 < places.p95 < EVEN / (0.5 + (0.05 * 0.75) ** 0.5) * 1.01
    )
    assert EVEN / (2.0 - (0.04 * 1.5) ** 0.5) * 0.99 < places.p5 < EVEN / (2.0 - (0.05 * 1.5) ** 0.5) * 1.01


def test_a_replacement_is_charged_as_it_is_used_and_is_no_jump() -> None:
    # Rated for 50,000 starts and stops, ten in 600 s: the second disk (160 USD) falls due after 34.7 days,
    # and what 90 USD the SSD costs more are used up of it after 90/160 of that.
    busy = system("hdd", hdd(counts={"start_stops": 10, "load_unloads": 10}), watts=3.0, seconds=600.0)
    calm = system("ssd", ssd(price=(250.0, "2011", "a test")), watts=3.0, seconds=600.0)
    pricers = {one.name: pricer(one, find_tariff("flat:0.2"), START) for one in (busy, calm)}
    made = nothing_else("wear.ssd_basis=host", "wear.endurance_factor=1000000")
    (found,) = crossovers(pricers, made, FIVE_YEARS, ["years"], draws=0, bounds={"years": (0.01, 0.3)})
    (crossing,) = found.pairs[0].crossings
    assert crossing.kind == "cross"
    assert crossing.at == pytest.approx((1 + 90 / 160) * 5000 * 600 / 31_536_000, rel=1e-6)


def test_a_tornado_of_a_real_pricing_is_exact_in_the_price_of_energy() -> None:
    made = nothing_else("energy.factor=1:0.5..2")
    total, _, apart = tornado(systems(), made, FIVE_YEARS, dollars="paid")
    energy = 28.0 * KWH * 0.2 * 5.0
    (bar,) = [one for one in total.bars if one.key == "energy.factor"]
    assert (bar.usd_low, bar.usd_high) == pytest.approx((160 + 0.5 * energy, 160 + 2 * energy), rel=1e-9)
    (bar,) = [one for one in apart.bars if one.key == "energy.factor"]
    saved = 25.0 * KWH * 0.2 * 5.0
    assert (bar.usd_low, bar.usd_high) == pytest.approx((290 - 0.5 * saved, 290 - 2 * saved), rel=1e-9)
    assert bar.flips


@pytest.mark.parametrize("preset", ["default", "dollars2014"])
def test_a_shipped_book_can_be_drawn_from(preset: str) -> None:
    drawn = book(preset=preset)
    found = sample(systems("flat:0.2,12"), drawn, Horizon("work", 1e4), samples=20)
    assert found is not None
    keys = [one.key for one in found.figures]
    assert "energy.factor" in keys
    assert keys == sorted(keys)
    for one in found.systems:
        assert one.quantiles.p5 < one.quantiles.p50 < one.quantiles.p95
    assert drawn.used == {}


def test_write_amplification_and_failures_are_propagated() -> None:
    made = book("wear.ssd_basis=nand")
    busy = system("ssd", ssd(), hdd(), watts=3.0, seconds=600.0)
    found = sample(
        {"ssd": pricer(busy, find_tariff("flat:0.2"), START)},
        made,
        FIVE_YEARS,
        samples=20,
    )
    assert found is not None
    assert {"wear.amplification.ssd-sata", "failures.afr.ssd", "failures.afr.hdd", "energy.factor"} <= {
        one.key for one in found.figures
    }
