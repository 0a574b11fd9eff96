"""Dollars add up over components and drives, credits are named, and joules are those of the ledger."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cost_systems import NOTHING, START, book, case, hdd, priced, ssd, system, usd
from iowatt.lenses.cost.pricing.case import Horizon
from iowatt.lenses.cost.pricing.total import pricer
from iowatt.lenses.cost.systems.system import PricedDrive
from iowatt.lenses.cost.uncertainty import sample
from iowatt.tariffs.bill import bill
from iowatt.tariffs.find import find_tariff
from iowatt.tariffs.load import JOULES_PER_KWH, ElectricLoad
from iowatt.tariffs.structure import Tariff
from iowatt.tariffs.urdb import parse
from refused import refused

FIVE_YEARS = Horizon("time", 5.0)
#: Keys of components.
FAILURES, RESIDUAL, PURCHASE, WEAR = (f"{key}:ssd.0" for key in ("failures", "residual", "purchase", "wear"))
CONTROLLER = "purchase:head.controller"


def test_a_total_is_the_sum_of_its_components_and_of_its_groups() -> None:
    costs = priced(system("both", ssd(), hdd()), book(), FIVE_YEARS)
    assert costs.usd == pytest.approx(math.fsum(one.usd for one in costs.components), rel=1e-15)
    groups = {one.group for one in costs.components}
    assert costs.usd == pytest.approx(sum(one.usd for g in groups for one in costs.of(g)), rel=1e-12)


@pytest.mark.parametrize("charge", ["replacements", "depreciation", "paper", "none"])
def test_two_drives_cost_what_each_costs_by_itself(charge: str) -> None:
    assumed = book(f"wear.charge={charge}", "disposal.per_drive=3", "disposal.residual=0.1")
    both = priced(system("both", ssd(), hdd()), assumed, FIVE_YEARS)
    for drive in (ssd(), hdd()):
        alone = priced(system("one", drive), assumed, FIVE_YEARS)
        for one in alone.components:
            if one.device is not None:
                assert usd(both, one.key) == pytest.approx(one.usd, rel=1e-12), one.key
    assert {one.device for one in both.components} == {"ssd.0", "hdd.0", None}


def test_energy_is_additive_over_drives_where_a_kilowatt_hour_has_one_price() -> None:
    def energy(watts: float) -> float:
        return usd(priced(system("x", watts=watts), book(), FIVE_YEARS), "energy", "cooling")

    assert energy(8.0) == pytest.approx(energy(3.0) + energy(5.0), rel=1e-12)


@settings(max_examples=25, deadline=None)
@given(
    powers=st.lists(st.floats(0.0, 5e4), min_size=1, max_size=20),
    width=st.floats(0.001, 5e4),
    repeats=st.integers(1, 500),
)
def test_the_kilowatt_hours_of_a_bill_are_the_joules_of_the_load(
    powers: list[float], width: float, repeats: int
) -> None:
    load = ElectricLoad.of_powers(np.full(len(powers), width), np.array(powers))
    made = case(system(load=load, seconds=load.duration_s), book(), Horizon("work", repeats)).bills.of(
        repeats
    )
    kwh = math.fsum(item.quantity for item in made.items if item.kind == "energy")
    assert kwh * JOULES_PER_KWH == pytest.approx(load.repeated(repeats).total_j, rel=1e-11, abs=1e-6)
    assert made.energy_j == pytest.approx(math.fsum(p * width for p in powers) * repeats, rel=1e-9, abs=1e-6)


SHARES = st.floats(0.0, 1.0)


@settings(max_examples=40, deadline=None)
@given(
    charge=st.sampled_from(["replacements", "depreciation", "paper", "none"]),
    tariff=st.sampled_from(["flat:0.2", "flat:0.2,20"]), alpha=st.floats(1.0, 1e6),
    written=st.floats(0.0, 1e13), stops=st.integers(0, 5000), disposal__residual=SHARES,
    wear__price_decline=st.floats(0.0, 0.5), discount__rate=st.floats(0.0, 0.3),
    cooling__pue=st.floats(1.0, 3.0),
)  # fmt: skip
def test_only_credits_are_negative(
    charge: str, tariff: str, alpha: float, written: float, stops: int, **rates: float
) -> None:
    assumed = book(
        f"wear.charge={charge}", "carbon.price=100", "disposal.per_drive=5",
        *(f"{key.replace('__', '.')}={value}" for key, value in rates.items()),
    )  # fmt: skip
    of = system("x", ssd(counts={"bytes_written": written}), hdd(counts={"start_stops": stops}))
    costs = priced(of, assumed, Horizon("work", alpha), tariff)
    for one in costs.components:
        assert (one.usd <= 0) if one.group == "credit" else (one.usd >= 0), one.key
        assert abs(one.present(rates["discount__rate"])) <= abs(one.usd) * (1 + 1e-12)
        assert one.title
        assert one.formula
        assert one.source


def test_what_is_fed_back_and_what_is_left_are_named_credits() -> None:
    costs = priced(system("x", ssd()), book(*NOTHING, "disposal.residual=0.25"), Horizon("time", 0.2))
    (credit,) = costs.of("credit")
    assert credit.key == RESIDUAL
    assert credit.usd < 0


def test_cooling_is_the_bill_of_the_facility_less_that_of_the_system() -> None:
    of = system("x", ssd(), watts=1000.0)
    costs = priced(of, book(*NOTHING, "cooling.pue=1.5"), Horizon("time", 1.0), "flat:0.2,20")
    assert usd(costs, "energy") == pytest.approx(0.2 * 8760, rel=1e-9)
    assert usd(costs, "demand") == pytest.approx(20 * 12, rel=1e-9)
    assert usd(costs, "cooling") == pytest.approx(0.5 * (0.2 * 8760 + 20 * 12), rel=1e-9)


def test_a_site_is_billed_for_what_comes_on_top_only() -> None:
    of = system("x", watts=1000.0)
    alone = priced(of, book(*NOTHING), Horizon("time", 1.0), "flat:0.2,20")
    beside = priced(of, book(*NOTHING, "energy.site_kw=500"), Horizon("time", 1.0), "flat:0.2,20")
    assert beside.usd == pytest.approx(alone.usd, rel=1e-9)


@pytest.mark.parametrize("name", ["sdge-al-tou-2024", "lipa-294-2026", "wallingford-primary-2013"])
def test_what_comes_on_top_of_a_site_is_the_difference_of_two_bills(name: str) -> None:
    load = ElectricLoad.of_powers(np.full(48, 3600.0), np.linspace(2000.0, 9000.0, 48))
    of = system("x", load=load, seconds=load.duration_s)
    bills, years = case(of, book(), Horizon("time", 1.5), name).bills, 1.5 * 365 / 2
    found = sum(charge.usd for charge in bills.charges(years, 1.3, 200.0))
    site = ElectricLoad.constant(200_000.0, load.duration_s).repeated(years)
    both = load.repeated(years).scaled(1.3).plus(200_000.0)
    tariff = find_tariff(name)
    assert found == pytest.approx(bill(tariff, both, START).usd - bill(tariff, site, START).usd, rel=1e-9)


def test_failures_cost_labour_and_a_drive_beyond_its_warranty() -> None:
    assumed = book(*NOTHING, "failures.afr.ssd=0.02", "failures.labour=50", "failures.warranty=3")
    unworn = ssd(counts={"bytes_written": 0})
    costs = priced(system("x", unworn), assumed, FIVE_YEARS)
    assert usd(costs, FAILURES) == pytest.approx(0.02 * 5 * 50 + 0.02 * 2 * 450)
    # The work wears it out every four months: its successors are always within their warranty.
    worn = priced(system("x", ssd()), assumed, FIVE_YEARS)
    assert usd(worn, FAILURES) == pytest.approx(0.02 * 5 * 50)


def test_each_drive_in_a_place_has_a_warranty_of_its_own() -> None:
    """Ten years in lives of five, the last two of each beyond a warranty of three."""
    assumed = book(
        *NOTHING, "wear.service_life=5", "failures.afr.ssd=0.02", "failures.labour=50", "failures.warranty=3"
    )
    costs = priced(system("x", ssd(counts={"bytes_written": 0})), assumed, Horizon("time", 10.0))
    assert usd(costs, FAILURES) == pytest.approx(0.02 * (10 * 50 + 4 * 450))


def test_drives_too_many_to_list_cost_as_many_disposals_and_no_warranty() -> None:
    """3,000 lives of the SSD: 2,999 replacements, all within their warranty."""
    repeats = 3000 * 36.5e12 / 2e9
    of = system("x", ssd(), seconds=1.0)
    assumed = book(*NOTHING, "disposal.per_drive=2", "failures.afr.ssd=0.02", "failures.labour=50")
    costs = priced(of, assumed, Horizon("work", repeats))
    assert usd(costs, "disposal:ssd.0") == pytest.approx(3000 * 2)
    assert usd(costs, "wear:ssd.0") == pytest.approx(2999 * 450)
    years = repeats / (365 * 86_400)
    assert usd(costs, FAILURES) == pytest.approx(0.02 * years * 50)


def test_what_is_left_of_the_first_drive_s_life_is_worth_something() -> None:
    assumed = book(*NOTHING, "wear.service_life=5", "disposal.residual=0.25")
    still = ssd(counts={"bytes_written": 0})
    assert usd(priced(system("x", still), assumed, Horizon("time", 2.0)), RESIDUAL) == pytest.approx(
        -0.25 * 450 * 3 / 5
    )
    assert usd(priced(system("x", still), assumed, Horizon("time", 7.0)), RESIDUAL) == 0.0


@pytest.mark.parametrize("sets", [(), ("wear.price_decline=0.1",), ("disposal.per_drive=7",)])
def test_no_dollar_jumps_where_one_more_drive_begins_to_serve(sets: tuple[str, ...]) -> None:
    """decisions.md D6: at a service life of 4 years a fifth year cost as much as all four before."""
    still = ssd(counts={"bytes_written": 0})

    def total(service: float) -> float:
        assumed = book(*NOTHING, *sets, f"wear.service_life={service}")
        return priced(system("x", still, watts=0.001), assumed, FIVE_YEARS).usd

    assert total(4.999) == pytest.approx(total(5.001), rel=1e-3)
    assert total(4.0) < 1.25 * total(5.0) + 1e-6
    assert total(2.499) == pytest.approx(total(2.501), rel=2e-3)


def test_discounting_takes_from_later_dollars_only() -> None:
    costs = priced(system("x", ssd()), book(*NOTHING), Horizon("time", 3.0))
    bought = costs.of("purchase")[0]
    (energy,) = costs.of("energy")
    assert bought.present(0.05) == bought.usd
    by_year = sum(energy.usd / 3 * (1.05**-a - 1.05 ** -(a + 1)) / math.log(1.05) for a in range(3))
    assert energy.present(0.05) == pytest.approx(by_year, rel=1e-6)


def test_escalation_raises_each_year_by_the_same_factor() -> None:
    of = system("x", watts=1000.0)
    flat = priced(of, book(*NOTHING), Horizon("time", 3.0))
    risen = priced(of, book(*NOTHING, "energy.escalation=0.1"), Horizon("time", 3.0))
    assert risen.usd == pytest.approx(flat.usd * (1 + 1.1 + 1.21) / 3, rel=1e-3)


def test_a_drive_without_a_price_leaves_the_total_unknown_and_says_what_would_price_it() -> None:
    odd = replace(ssd(), price=None, price_class="optane")
    costs = priced(system("x", odd, hdd()), book("wear.service_life=4"), FIVE_YEARS)
    unknown = {one.key for one in costs.components if not one.known}
    assert unknown == {PURCHASE, WEAR}
    assert not costs.known
    assert [one.code for one in costs.cautions] == ["no-price"]
    assert priced(system("x", odd, hdd()), book("purchase.model.test-ssd=99"), FIVE_YEARS).known


def test_failures_beyond_the_warranty_are_unknown_without_a_price_and_labour_is_not() -> None:
    odd = hdd(price=None, price_class="drum", counts={"start_stops": 0, "load_unloads": 0})
    within, beyond = (
        priced(system("x", odd), book("wear.service_life=9", f"failures.warranty={years}"), FIVE_YEARS)
        for years in (5, 3)
    )
    assert [one.known for one in within.of("failures")] == [True]
    assert [one.known for one in beyond.of("failures")] == [False]


@pytest.mark.parametrize(
    ("drive", "per_gb"),
    [
        (ssd(price=None, capacity_gb=960.0), 0.114),
        (ssd(price=None, capacity_gb=240.0), 0.114),
        (ssd(price=None, capacity_gb=230.0), None),
        (ssd(price=None, capacity_gb=33_000.0), None),
        (ssd(price=None, price_class="ssd-u2", capacity_gb=15_360.0), 0.44),
        (ssd(price=None, price_class="ssd-u2", capacity_gb=61_440.0), 0.206),
        (hdd(price=None, capacity_gb=34.0, price_class="hdd-10k-15k"), None),
        (hdd(price=None, capacity_gb=600.0, price_class="hdd-10k-15k"), 0.16),
    ],
)
def test_a_price_per_gb_holds_for_capacities_like_those_that_it_was_taken_from(
    drive: PricedDrive, per_gb: float | None
) -> None:
    """decisions.md D2: 34 GB at 0.16 USD/GB made a disk of 5.38 USD."""
    found = case(system("x", drive), book(), FIVE_YEARS).price_of(drive)
    assert (found.per_gb if found.known else None) == per_gb
    assert found.extrapolated == (per_gb == 0.206)
    asked = book(f"purchase.price.{drive.price_class}=0.16")
    assert case(system("x", drive), asked, FIVE_YEARS).price_of(drive).per_gb == 0.16


def test_the_range_of_an_extrapolation_holds_the_prices_that_are_known() -> None:
    """The drive of 61.44 TB with a price (0.092 USD/GB), and the upper quartile of smaller ones (0.46)."""
    large = ssd(price=None, price_class="ssd-u2", capacity_gb=61_440.0)
    pricers = {"x": pricer(system("x", large), find_tariff("flat:0.1"), START)}
    found = sample(pricers, book(*NOTHING), Horizon("time", 0.01), samples=200)
    assert found is not None
    ends = found.systems[0].quantiles
    assert ends.p5 < 0.092 * 61_440 < 0.46 * 61_440 < ends.p95


def test_a_price_of_the_book_for_the_model_comes_before_the_drive_s_own_and_that_before_its_class() -> None:
    def purchase(assumed: object, drive: object) -> float:
        return usd(priced(system("x", drive), assumed, FIVE_YEARS), "purchase:ssd.0")

    assert purchase(book("purchase.model.test-ssd=99"), ssd()) == 99
    assert purchase(book("purchase.model.parent=98"), ssd(based_on="parent")) == 98
    assert purchase(book(), ssd()) == 450
    assert purchase(book("purchase.price.ssd-sata=0.1"), ssd(price=None)) == pytest.approx(30)


def test_a_part_without_a_price_is_named_and_not_taken_for_free() -> None:
    of = system("x", ssd(), parts={"head.controller": 2})
    costs = priced(of, book(), FIVE_YEARS)
    assert any(one.code == "unpriced-parts" and "head.controller" in one.text for one in costs.notes)
    said = priced(of, book("purchase.part.head.controller=1500"), FIVE_YEARS)
    assert usd(said, CONTROLLER) == 3000
    everywhere = priced(of, book("purchase.part.controller=1000"), FIVE_YEARS)
    assert usd(everywhere, CONTROLLER) == 2000
    both = priced(of, book("purchase.part.controller=1000", "purchase.part.head.controller=1500"), FIVE_YEARS)
    assert usd(both, CONTROLLER) == 3000


def test_a_horizon_beyond_what_is_billed_is_refused() -> None:
    with refused("out-of-range", None):
        priced(system("x", seconds=3e7), book(), Horizon("work", 1e4))


def test_drives_that_cost_the_same_may_be_priced_as_one() -> None:
    many = [hdd(name=f"hdd.{n}") for n in range(7)] + [ssd(), hdd(name="odd", counts={"start_stops": 9e5})]
    of = system("x", *many)
    assert [one.count for one in of.merged().drives] == [7, 1, 1]
    assumed = book("carbon.price=50", "disposal.per_drive=3", "disposal.residual=0.1")
    apart, joined = (priced(one, assumed, FIVE_YEARS) for one in (of, of.merged()))
    for group in {one.group for one in apart.components}:
        assert sum(one.usd for one in joined.of(group)) == pytest.approx(
            sum(one.usd for one in apart.of(group))
        )
    assert joined.embodied_kg == pytest.approx(apart.embodied_kg)


def _tariff(rate: float) -> Tariff:
    """Energy at ``rate`` USD/kWh, 30 USD a month, and at least 2,400 USD a year."""
    record = {
        "energyratestructure": [[{"rate": rate}]], "energyweekdayschedule": [[0] * 24] * 12,
        "energyweekendschedule": [[0] * 24] * 12, "fixedchargefirstmeter": 30,
        "fixedchargeunits": "$/month", "mincharge": 2400, "minchargeunits": "$/year",
        "iowatt": {"notes": ["a test; its rate may be negative"]},
    }  # fmt: skip
    return parse({key: value for key, value in record.items() if rate > 0 or "min" not in key}, "a test")


def test_a_factor_multiplies_the_whole_bill_its_minimum_too() -> None:
    of, tariff = system("x", watts=1000.0), _tariff(0.1)
    for factor in (1.0, 1.5):
        costs = pricer(of, tariff, START)(
            book(*NOTHING, "energy.fixed=months", f"energy.factor={factor}"), Horizon("time", 1.0)
        )
        assert costs.usd == pytest.approx(2400 * factor)
    none = pricer(of, tariff, START)(book(*NOTHING, "energy.fixed=none"), Horizon("time", 1.0))
    assert none.usd == pytest.approx(876)


def test_what_a_meter_costs_is_shared_by_power_or_named_and_left_out() -> None:
    """decisions.md D8: 360 USD a year for a meter, of which 1 kW beside 9 kW bears a tenth."""
    of = pricer(system("x", watts=1000.0), replace(_tariff(0.1), minimum=()), START)
    alone = of(book(*NOTHING), Horizon("time", 1.0))
    assert alone.usd == pytest.approx(876)
    assert [one.code for one in alone.cautions] == ["whole-meter"] and "360.00" in alone.cautions[0].text
    shared = of(book(*NOTHING, "energy.site_kw=9"), Horizon("time", 1.0))
    assert usd(shared, "fixed") == pytest.approx(36)
    assert shared.cautions == ()
    whole = of(book(*NOTHING, "energy.fixed=months"), Horizon("time", 1.0))
    assert (usd(whole, "fixed"), whole.cautions) == (pytest.approx(360), ())


def test_what_cooling_is_paid_at_negative_prices_is_a_credit() -> None:
    of = system("x", watts=1000.0)
    costs = pricer(of, _tariff(-0.02), START)(book(*NOTHING, "cooling.pue=1.5"), Horizon("time", 1.0))
    assert {one.key: one.group for one in costs.components if one.usd < 0} == {
        "sell": "credit",
        "cooling:sell": "credit",
    }
    assert usd(costs, "cooling:sell") == pytest.approx(-0.02 * 0.5 * 8760)
