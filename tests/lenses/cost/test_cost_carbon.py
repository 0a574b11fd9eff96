"""Carbon by hand: of electricity, of drives by each estimate, and in dollars only where it has a price."""

from __future__ import annotations

import pytest

from cost_systems import NOTHING, book, case, priced, system, usd
from cost_systems import hdd as worn_hdd
from cost_systems import ssd as worn_ssd
from iowatt.lenses.cost.pricing import carbon
from iowatt.lenses.cost.pricing.case import Horizon
from refused import refused

YEAR_S = 365 * 86_400
ONE_YEAR = Horizon("time", 1.0)


IDLE = {"bytes_read": 0.0, "bytes_written": 0.0, "start_stops": 0.0, "load_unloads": 0.0}


def ssd(**more):
    """300 GB that nothing wears."""
    return worn_ssd(counts=dict(IDLE), **more)


def hdd(**more):
    """2,000 GB that nothing wears."""
    return worn_hdd(counts=dict(IDLE), **more)


def _case(*sets, drives=(), horizon=ONE_YEAR, preset="default", **more):
    return case(system("s", *drives, **more), book(*NOTHING, *sets, preset=preset), horizon)


def test_electricity_of_the_facility_times_the_grid():
    """8 W for a year are 70.08 kWh; with PUE 1.5 and 400 g/kWh 42.048 kg."""
    of = _case("cooling.pue=1.5", "carbon.grid=400")
    assert carbon.facility_kwh(of) == pytest.approx(8 * 8.76 * 1.5)
    assert carbon.operational_kg(of) == pytest.approx(42.048)
    assert carbon.embodied_kg(of) == 0.0


@pytest.mark.parametrize(
    ("estimate", "of_ssd", "of_hdd"),
    [
        ("survey", 0.16 * 300, 0.02 * 2000),
        ("vendor", 0.16 * 300, 0.00099 * 2000),
        ("pure", 0.00291 * 300, 0.00125 * 2000),
        ("act", 0.00395 * 300, 0.00475 * 2000),
        # 2.20 kg/cm2 / 48.5 GB/cm2 x 300 GB + 6.34 kg; 31.11 kg of any disk.
        ("boavizta", 2.20 / 48.5 * 300 + 6.34, 31.11),
    ],
)
def test_embodied_by_each_estimate(estimate, of_ssd, of_hdd):
    of = _case(f"carbon.estimate={estimate}", drives=(ssd(), hdd()))
    assert carbon.embodied_kg(of) == pytest.approx(of_ssd + of_hdd, rel=1e-5)
    shown = {choice.estimate: choice.embodied_kg for choice in carbon.choices(of)}
    assert sorted(shown) == ["act", "boavizta", "pure", "survey", "vendor"]
    assert shown[estimate] == carbon.embodied_kg(of)


def test_a_model_and_a_class_go_before_the_kind():
    of = _case("carbon.estimate=act", drives=(hdd(model="seagate-exos-2x14-14tb", capacity_gb=14_000.0),))
    assert carbon.embodied_kg(of) == pytest.approx(0.00165 * 14_000)
    of = _case("carbon.estimate=act", drives=(hdd(model="mine", based_on="seagate-exos-2x14-14tb"),))
    assert carbon.embodied_kg(of) == pytest.approx(0.00165 * 2000)
    of = _case("carbon.estimate=act", drives=(hdd(price_class="hdd-10k-15k"),))
    assert carbon.embodied_kg(of) == pytest.approx(0.0103 * 2000)
    of = _case("carbon.estimate=act", drives=(hdd(price_class="unheard-of"),))
    assert carbon.embodied_kg(of) == pytest.approx(0.00133 * 2000)


def test_replacements_are_made_too():
    """Service life 1 year over 3.5 years: 4 drives of 48 kg; where wear is not charged so, one."""
    horizon = Horizon("time", 3.5)
    of = _case("wear.service_life=1", drives=(ssd(),), horizon=horizon)
    assert carbon.embodied_kg(of) == pytest.approx(4 * 48)
    assert {c.embodied_kg for c in carbon.choices(of) if c.estimate == "survey"} == {carbon.embodied_kg(of)}
    of = _case("wear.service_life=1", "wear.charge=none", drives=(ssd(),), horizon=horizon)
    assert carbon.embodied_kg(of) == pytest.approx(48)


def test_only_used_gigabytes_count_where_only_they_are_charged():
    of = _case("purchase.charge=used", drives=(ssd(),))
    assert carbon.embodied_kg(of) == pytest.approx(48 * 75 / 300)


def test_no_dollars_without_a_price_of_carbon():
    of = system("s", ssd())
    costs = priced(of, book(*NOTHING), ONE_YEAR)
    assert sum(one.usd for one in costs.of("carbon")) == 0
    assert costs.embodied_kg == pytest.approx(48)
    assert costs.operational_kg == pytest.approx(70.08 * 0.481)


def test_dollars_of_carbon_add_up_and_are_due_when_it_is_emitted():
    """100 USD/t: 33.708 kg of electricity; 48 kg of the drive and 48 kg of one that replaces it in year 2."""
    sets = [one for one in NOTHING if not one.startswith("carbon.price")]
    made = book(*sets, "carbon.price=100", "wear.service_life=1")
    costs = priced(system("s", ssd()), made, Horizon("time", 2.0))
    assert usd(costs, "carbon:operational") == pytest.approx(2 * 70.08 * 0.481 / 10)
    assert usd(costs, "carbon:embodied") == pytest.approx(2 * 4.8)
    embodied = next(one for one in costs.components if one.key == "carbon:embodied")
    assert [(flow.usd, flow.at_s) for flow in embodied.flows] == [
        (pytest.approx(4.8), 0.0),
        (pytest.approx(4.8), pytest.approx(YEAR_S)),
    ]
    assert "carbon.embodied.survey.ssd" in embodied.rests_on


def test_an_estimate_that_is_not_there_is_refused_with_those_that_are():
    of = _case("carbon.estimate=servey", drives=(ssd(),))
    with refused("unknown-name", "carbon.estimate") as caught:
        carbon.embodied_kg(of)
    assert "boavizta" in caught.value.message and "survey" in caught.value.message
    assert "survey" in caught.value.hint


def test_an_estimate_of_ones_own_that_knows_ssds_only_is_no_sum_of_others():
    of = _case("carbon.embodied.mine.ssd=0.05", "carbon.estimate=mine", drives=(ssd(), hdd()))
    with refused("missing-figure", "carbon.estimate") as caught:
        carbon.embodied_kg(of)
    assert "test-hdd" in caught.value.message
    of = _case("carbon.embodied.mine.ssd=0.05", drives=(ssd(), hdd()))
    assert {c.estimate: c.embodied_kg for c in carbon.choices(of)}["mine"] is None


def test_estimates_that_are_only_shown_are_not_recorded_as_used():
    of = _case(drives=(ssd(),))
    carbon.result(of)
    used = [key for key in of.book.used if key.startswith(("carbon.embodied", "carbon.unit"))]
    assert used == ["carbon.embodied.survey.ssd"]


def test_embodied_carbon_of_unknown_drives_is_not_nothing():
    made = carbon.result(_case())
    assert made.embodied_kg is None
    assert {choice.embodied_kg for choice in made.choices} == {None}
    assert made.note


def test_the_document_says_what_is_left_out():
    made = carbon.result(_case(drives=(ssd(),), parts={"shelf": 1}))
    assert list(made.as_dict()) == [
        "grid", "operational_kg", "operational_expression", "operational_rests_on", "embodied_kg",
        "embodied_expression", "embodied_rests_on", "estimate", "choices", "note",
    ]  # fmt: skip
    assert "controllers" in made.note


def test_the_grid_is_that_of_the_tariff_s_country_unless_one_is_set():
    """decisions.md D9: 481 g/kWh of the world whatever the tariff's region."""
    of = system("x", ssd())
    usa, world = (case(of, book(), Horizon("time", 1.0), name) for name in ("lipa-281-2026", "flat:0.2"))
    assert (carbon.grid_of(usa).key, carbon.grid_of(world).key) == ("carbon.grid.usa", "carbon.grid.world")
    assert carbon.operational_kg(usa) / carbon.operational_kg(world) == pytest.approx(369 / 481)
    own = case(of, book("carbon.grid=50"), Horizon("time", 1.0), "lipa-281-2026")
    assert carbon.operational_kg(own) / carbon.operational_kg(world) == pytest.approx(50 / 481)
