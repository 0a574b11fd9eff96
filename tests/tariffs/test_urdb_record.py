"""Records of URDB as tariffs."""

from __future__ import annotations

import pytest
from made_tariffs import ALWAYS, BY_DAY, by_time, record, tariff

from iowatt.tariffs.structure import FixedCharge, TariffTier
from iowatt.tariffs.urdb import parse


def test_a_record_and_the_answer_of_the_api_are_the_same():
    alone = parse(record(name="A"), "rates/mine.json")
    assert parse({"items": [record(name="A")]}, "rates/mine.json") == alone
    assert (alone.key, alone.name) == ("mine", "A")
    assert parse(record(), "x.json", key="of-the-library").key == "of-the-library"


def test_who_and_when():
    made = parse(
        {
            "label": "62755b682cc3cc39af148889",
            "utility": "LIPA",
            "name": "285  -\nPrimary",
            "startdate": 1651363200,
            "enddate": "2024-04-30",
            "approved": True,
            "source": "book",
            "energyratestructure": [[{"rate": 0.1}]],
        },
        "x.json",
    )
    assert (made.name, made.utility, made.source, made.verified) == (
        "285 - Primary",
        "LIPA",
        "book",
        True,
    )
    assert made.effective == ("2022-05-01", "2024-04-30")


def test_what_is_ours_beside_the_record():
    made = tariff(
        approved=True,
        source="theirs",
        iowatt={"source": "ours", "date": "2026-06-03", "verified": False, "notes": ["a", "b"]},
    )
    assert (made.source, made.date, made.verified, made.notes) == ("ours", "2026-06-03", False, ("a", "b"))


def test_tiers():
    made = tariff(
        energyratestructure=[
            [
                {"max": 5, "rate": 0.1, "adj": -0.01, "unit": "kWh/kW daily"},
                {"max": 1e38, "rate": 0.2, "sell": 0.05},
            ]
        ]
    )
    assert made.energy is not None
    ((first, last),) = made.energy.periods
    assert first == TariffTier(0.1, -0.01, 5.0, None, "kWh/kW daily")
    assert last == TariffTier(0.2, 0.0, None, 0.05, "kWh")
    assert first.price == pytest.approx(0.09)


def test_one_period_needs_no_schedule():
    made = tariff(flatdemandstructure=[[{"rate": 3}]], demandratestructure=[[{"rate": 4}]])
    assert made.energy is not None and made.energy.weekdays == ((0,) * 24,) * 12
    assert made.flat_demand is not None and made.flat_demand.months == (0,) * 12
    assert made.demand is not None and made.demand.weekends == ((0,) * 24,) * 12


def test_schedules():
    made = tariff(**by_time("energy", BY_DAY, ALWAYS, [{"rate": 1}], [{"rate": 2}]))
    assert made.energy is not None
    assert made.energy.weekdays[3] == (0,) * 8 + (1,) * 12 + (0,) * 4
    assert made.energy.weekends[3] == (0,) * 24


def test_the_window_of_demand():
    assert tariff().demand_window_s == 900.0
    assert tariff(demandwindow=30).demand_window_s == 1800.0
    assert tariff(demandwindow=0).demand_window_s == 900.0


def test_ratchet_and_look_back():
    made = tariff(
        demandratchetpercentage=[0.35] * 12,
        lookbackPercent=0.8,
        lookbackRange=0,
        lookbackMonths=[0] * 6 + [1, 1] + [0] * 4,
    )
    assert made.ratchet.shares == (0.35,) * 12
    assert made.ratchet.lookback_flags == (False,) * 6 + (True, True) + (False,) * 4
    ranged = tariff(lookbackpercent=0.8, lookbackrange=11, lookbackmonths=[0] * 12)
    assert (ranged.ratchet.lookback_months, ranged.ratchet.lookback_flags) == (11, None)


@pytest.mark.parametrize(
    ("fields", "fixed", "minimum"),
    [
        ({"fixedchargefirstmeter": 2, "fixedchargeunits": "$/day"}, FixedCharge(2, "day"), None),
        ({"fixedchargefirstmeter": 2}, FixedCharge(2, "month"), None),
        ({"fixedmonthlycharge": 275}, FixedCharge(275, "month"), None),
        ({"fixedchargefirstmeter": 0, "fixedmonthlycharge": 275}, FixedCharge(275, "month"), None),
        ({"fixedchargefirstmeter": 270, "fixedmonthlycharge": 275}, FixedCharge(270, "month"), None),
        ({"mincharge": 9, "minchargeunits": "$/year"}, None, FixedCharge(9, "year")),
        ({"minmonthlycharge": 9}, None, FixedCharge(9, "month")),
        ({"annualmincharge": 9}, None, FixedCharge(9, "year")),
    ],
)
def test_fixed_and_minimum_charges(fields, fixed, minimum):
    made = tariff(**fields)
    assert made.fixed == (() if fixed is None else (fixed,))
    assert made.minimum == (() if minimum is None else (minimum,))


def test_what_is_not_billed_is_said():
    made = tariff(
        demandreactivepowercharge=0.25,
        fixedchargeeaaddl=3,
        energyattrs=[{"rider": "$0.01"}],
        demandratestructure=[[{"rate": 1}]],
        demandrateunit="kVA",
    )
    for part in ("$0.25/kVAR", "$3", "energyattrs", "demandrateunit"):
        assert any(part in note for note in made.notes), part


def test_whom_it_is_for():
    made = tariff(peakkwcapacitymin=10, peakkwcapacitymax=1e38, demandunits="hp", peakkwhusagemin=100)
    low, high = made.applicable_kw
    assert (low, high) == (pytest.approx(7.457, abs=1e-3), None)
    assert made.applicable_kwh == (100, None)


def test_names_of_the_export_of_the_database():
    made = tariff(
        mindemand=20,
        maxdemand=500,
        demandRateUnits="kW daily",
        demandratestructure=[[{"rate": 1}]],
        flatDemandUnits="kW",
        flatdemandstructure=[[{"rate": 1}]],
        demandReactPwrCharge=0.25,
        sourceReference="a book",
        startdate={"$date": "2024-10-01T00:00:00Z"},
    )
    assert (made.applicable_kw, made.source, made.effective) == ((20, 500), "a book", ("2024-10-01", None))
    assert made.demand is not None and made.demand.daily
    assert any("reactive" in note for note in made.notes)


@pytest.mark.parametrize(
    "saying",
    [
        {"iowatt": {"notes": ["adjustments are negative when fuel is cheap"]}},
        {"energycomments": "includes a Credit from the state"},
    ],
)
def test_a_negative_rate_that_is_meant(saying):
    made = tariff(energyratestructure=[[{"rate": -0.01}]], **saying)
    assert made.energy is not None and made.energy.periods[0][0].price == -0.01


def test_null_is_left_out():
    made = tariff(peakkwcapacitymax=None, demandratestructure=None, demandweekdayschedule=None, iowatt=None)
    assert made.demand is None
