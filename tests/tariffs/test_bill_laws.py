"""What holds for every bill."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_tariffs import ALWAYS, BY_DAY, SUMMER, by_time, tariff

from iowatt.tariffs.bill import KnownMonths, bill
from iowatt.tariffs.find import find_tariff, tariff_names
from iowatt.tariffs.load import JOULES_PER_KWH, ElectricLoad, sequence

TARIFFS = [
    tariff(),
    tariff(energyratestructure=[[{"max": 100, "rate": 0.1}, {"max": 300, "rate": 0.2}, {"rate": 0.05}]]),
    tariff(**by_time("energy", BY_DAY, SUMMER, [{"max": 5, "rate": 0.1, "unit": "kWh daily"}, {"rate": 0.2}],
                     [{"max": 50, "rate": 0.3, "unit": "kWh/kW"}, {"rate": 0.1}])),
    *map(find_tariff, tariff_names()),
]  # fmt: skip
STARTS = st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)).map(lambda d: d.replace(microsecond=0))


@st.composite
def made_loads(draw, least_w=0.0):
    count = draw(st.integers(1, 12))
    widths = draw(st.lists(st.floats(1.0, 20 * 86_400.0), min_size=count, max_size=count))
    watts = draw(st.lists(st.floats(least_w, 5e5), min_size=count, max_size=count))
    return ElectricLoad.of_powers(np.array(widths), np.array(watts)).repeated(draw(st.floats(0.3, 4.0)))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([one for one in TARIFFS if one.energy]), made_loads(), STARTS)
def test_the_energy_of_the_items_is_that_of_the_joules(made, load, start):
    found = bill(made, load, start)
    kwh = math.fsum(item.quantity for item in found.items if item.kind == "energy")
    assert kwh * JOULES_PER_KWH == pytest.approx(load.total_j, rel=1e-12, abs=1e-3)
    assert math.fsum(month.energy_j for month in found.months) == pytest.approx(
        load.total_j, rel=1e-12, abs=1e-3
    )


def test_ten_years_of_quarters_keep_their_joules():
    watts = np.random.default_rng(3).uniform(100, 5000, 3653 * 96)
    load = ElectricLoad.of_powers(np.full(watts.size, 900.0), watts)
    for name in ("smud-ci-tod3-2025", "lipa-180-2011"):
        found = bill(find_tariff(name), load, datetime(2026, 1, 1))
        kwh = math.fsum(item.quantity for item in found.items if item.kind == "energy")
        assert kwh * JOULES_PER_KWH == pytest.approx(load.total_j, rel=1e-12)
        assert len(found.months) == 121


@settings(max_examples=40, deadline=None)
@given(made_loads(least_w=-5e5), STARTS)
def test_what_is_taken_less_what_is_fed_back_is_the_energy(load, start):
    made = tariff(energyratestructure=[[{"rate": 0.1, "sell": 0.05}]])
    found = bill(made, load, start)
    taken, fed = (math.fsum(i.quantity for i in found.items if i.kind == kind) for kind in ("energy", "sell"))
    assert (taken - fed) * JOULES_PER_KWH == pytest.approx(load.total_j, rel=1e-9, abs=1.0)


@settings(max_examples=40, deadline=None)
@given(made_loads(), made_loads(), STARTS)
def test_energy_alone_adds_up_over_a_cut_load(first, second, start):
    made = tariff(**by_time("energy", BY_DAY, ALWAYS, [{"rate": 0.1, "adj": 0.02}], [{"rate": 0.3}]),
                  fueladjustmentsmonthly=[0.01 * month for month in range(12)])  # fmt: skip
    whole = bill(made, sequence([first, second]), start)
    then = start + timedelta(seconds=first.duration_s)
    parts = bill(made, first, start).usd + bill(made, second, then).usd
    # the second part begins on a microsecond
    assert whole.usd == pytest.approx(parts, rel=1e-7, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(TARIFFS), made_loads(), STARTS, st.floats(0.01, 100.0))
def test_twice_the_load_is_twice_the_energy_of_a_tariff_without_tiers(made, load, start, factor):
    if made.energy is None or any(len(tiers) > 1 for tiers in made.energy.periods):
        return
    once, scaled = bill(made, load, start), bill(made, load.scaled(factor), start)
    assert scaled.of("energy", "fuel") == pytest.approx(
        factor * once.of("energy", "fuel"), rel=1e-9, abs=1e-9
    )
    assert scaled.peak_kw == pytest.approx(factor * once.peak_kw, rel=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(TARIFFS), made_loads(least_w=-5e5), STARTS)
def test_only_credits_are_negative(made, load, start):
    found = bill(made, load, start)
    for item in found.items:
        assert (item.usd <= 0) if item.kind == "sell" else (item.usd >= 0), item
        assert item.quantity >= 0
        assert 0 < item.share <= 1
    assert found.usd == pytest.approx(math.fsum(item.usd for item in found.items))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(TARIFFS), made_loads(), STARTS)
def test_more_load_never_costs_less_demand(made, load, start):
    assert bill(made, load.plus(100.0), start).of("demand") >= bill(made, load, start).of("demand") - 1e-9


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(TARIFFS), made_loads(), STARTS)
def test_the_parts_of_months_add_up_to_the_load(made, load, start):
    """Shares of months add up to the length of the load."""
    found = bill(made, load, start)
    seconds = math.fsum(month.share * 86_400 * days(month.month) for month in found.months)
    assert seconds == pytest.approx(load.duration_s, rel=1e-9)


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(TARIFFS), made_loads(), STARTS, st.floats(0.2, 5.0))
def test_months_that_are_known_are_as_if_they_were_read(made, load, start, times):
    known: KnownMonths = {}
    bill(made, load, start, known)
    longer = load.repeated(times)
    assert bill(made, longer, start, known) == bill(made, longer, start)


def days(month: str) -> int:
    import calendar

    return calendar.monthrange(int(month[:4]), int(month[5:]))[1]
