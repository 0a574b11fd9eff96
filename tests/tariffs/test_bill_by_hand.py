"""Bills worked out by hand."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest
from made_tariffs import ALWAYS, BY_DAY, DAY, HOUR, billed, by_time, hourly, tariff

from iowatt.tariffs.bill import bill, incremental_items
from iowatt.tariffs.find import find_tariff
from iowatt.tariffs.load import ElectricLoad, sequence
from refused import refused

JANUARY = 31 * DAY


def kinds(made):
    return {item.kind for item in made.items}


def test_the_record_of_long_island():
    """285 - Primary of 2022: p2 200 x 28.65176925, p3 200 x 7.0215509; nothing at weekends."""
    made = find_tariff("lipa-285-primary-2022")
    flat = ElectricLoad.constant(200e3, JANUARY)
    assert billed(made, flat, "2022-07-01").usd == pytest.approx(5730.35385 + 1404.31018)
    assert billed(made, flat, "2022-07-01").usd == pytest.approx(7134.66, abs=0.005)
    assert billed(made, flat, "2023-01-01").usd == pytest.approx(1404.31, abs=0.005)
    weekend = np.array([(datetime(2022, 7, 1).weekday() + day) % 7 >= 5 for day in range(31)])
    weekends = hourly(np.repeat(np.where(weekend, 200.0, 0.0), 24))
    assert billed(made, weekends, "2022-07-01").usd == 0.0


def test_tiers_of_a_month():
    made = tariff(energyratestructure=[[{"max": 250, "rate": 0.08}, {"rate": 0.10}]])
    # 1 kW for 31 days: 744 kWh
    found = billed(made, ElectricLoad.constant(1e3, JANUARY))
    assert [(item.tier, item.quantity) for item in found.items] == [
        (0, pytest.approx(250)),
        (1, pytest.approx(494)),
    ]
    assert found.usd == pytest.approx(250 * 0.08 + 494 * 0.10)


def test_a_bill_that_reopt_publishes():
    """REopt's test of its tiers: 24,000 kWh a year, 12,000 in each tier, $2,342.88."""
    made = tariff(energyratestructure=[[{"max": 1000, "rate": 0.07531, "adj": 0.0119},
                                        {"rate": 0.09613, "adj": 0.0119}]])  # fmt: skip
    found = billed(made, ElectricLoad.constant(24e6 / 8760, 365 * DAY), "2017-01-01")
    assert found.usd == pytest.approx(2342.88, abs=0.005)


def test_the_last_tier_takes_the_rest_whatever_its_end():
    made = tariff(
        energyratestructure=[[{"max": 250, "rate": 0.08}, {"max": 300, "rate": 0.10}]],
        flatdemandstructure=[[{"max": 0.25, "rate": 1}, {"max": 0.5, "rate": 2}]],
    )
    found = billed(made, ElectricLoad.constant(1e3, JANUARY))
    assert found.of("energy") == pytest.approx(250 * 0.08 + 494 * 0.10)
    assert found.of("demand") == pytest.approx(0.25 * 1 + 0.75 * 2)


def test_demand_of_a_part_of_a_month_is_charged_in_part():
    made = tariff(flatdemandstructure=[[{"rate": 10}]], demandratestructure=[[{"rate": 4}]])
    assert billed(made, ElectricLoad.constant(2e3, 7 * DAY), "2026-02-10").of("demand") == pytest.approx(
        2 * 14 / 4
    )


def test_tiers_of_a_part_of_a_month_are_as_large_a_part():
    made = tariff(energyratestructure=[[{"max": 310, "rate": 0.08}, {"rate": 0.10}]])
    # ten of 31 days: 100 kWh in the first tier
    found = billed(made, ElectricLoad.constant(1e3, 10 * DAY), "2026-01-05")
    assert found.usd == pytest.approx(100 * 0.08 + 140 * 0.10)


def test_tiers_go_on_through_the_periods():
    """12 kW in the night hours only, then by day: a kWh has the tier that the month has reached."""
    made = tariff(**by_time("energy", BY_DAY, BY_DAY, [{"max": 96, "rate": 0.1}, {"rate": 0.2}],
                            [{"max": 96, "rate": 0.3}, {"rate": 0.5}]))  # fmt: skip
    # of the first day 8 h of night make 96 x share of the month; the month's share is 1/31
    night = np.r_[np.full(8, 12.0), np.zeros(12), np.zeros(4)]
    day = np.r_[np.zeros(8), np.full(12, 12.0), np.zeros(4)]
    load = hourly(np.tile(np.r_[night, day], 15)[: 31 * 24 - 24])
    full = sequence([load, ElectricLoad.constant(0.0, JANUARY - load.duration_s)])
    found = billed(made, full)
    # first night 8 x 12 = 96 kWh: tier 0 is full, and all else costs the second tier of its period
    assert found.usd == pytest.approx(96 * 0.1 + 14 * 96 * 0.2 + 15 * 144 * 0.5)


def test_demand_is_the_mean_of_a_window():
    burst = ElectricLoad(
        np.array([0.0, 300.0, 900.0, JANUARY]), np.array([0.0, 300e3 * 3, 300e3 * 3, 300e3 * 3])
    )
    # 3 kW for five minutes of a quarter of an hour: 1 kW
    made = tariff(flatdemandstructure=[[{"rate": 10}]])
    assert billed(made, burst).of("demand") == pytest.approx(10.0)
    hour = tariff(flatdemandstructure=[[{"rate": 10}]], demandwindow=60)
    assert billed(hour, burst).of("demand") == pytest.approx(2.5)
    assert billed(hour, burst).peak_kw == pytest.approx(0.25)


def test_a_window_that_the_load_begins_in_is_not_held_against_it():
    """Ten seconds of 100 kW at the end of a window, then 1 kW."""
    made = tariff(flatdemandstructure=[[{"rate": 10}]])
    load = ElectricLoad(np.array([0.0, 10.0, 10.0 + 9 * DAY]), np.array([0.0, 1e6, 1e6 + 9 * DAY * 1e3]))
    found = billed(made, load, "2026-01-01T00:14:50")
    assert found.peak_kw == pytest.approx(1.0)
    # a load shorter than a window has no other
    assert billed(made, ElectricLoad.constant(5e3, 60.0), "2026-01-01T00:14:50").peak_kw == pytest.approx(5.0)


def test_tiers_of_demand():
    made = tariff(flatdemandstructure=[[{"max": 10, "rate": 5, "adj": 1}, {"rate": 3}]])
    assert billed(made, ElectricLoad.constant(25e3, JANUARY)).of("demand") == pytest.approx(10 * 6 + 15 * 3)


def test_a_ratchet_holds_demand_up_for_eleven_months():
    made = tariff(energyratestructure=[[{"rate": 0}]], flatdemandstructure=[[{"rate": 1}]],
                  demandratchetpercentage=[0.5] * 12, demandwindow=60)  # fmt: skip
    # 100 kW in January, then 10 kW for 13 months: 50 kW from February to December, 10 kW from then on
    load = sequence([ElectricLoad.constant(100e3, JANUARY), ElectricLoad.constant(10e3, 396 * DAY)])
    found = billed(made, load)
    by_month = [item.quantity for item in found.items if item.kind == "demand"]
    assert by_month == pytest.approx([100, *[50] * 11, 10, 10, 10], rel=1e-9)


def test_a_ratchet_is_a_look_back_over_eleven_months():
    watts = np.random.default_rng(5).uniform(1e3, 9e4, 800)
    load = ElectricLoad.of_powers(np.full(800, DAY), watts)
    fields = {"flatdemandstructure": [[{"rate": 7}]]}
    ratchet = billed(tariff(demandratchetpercentage=[0.8] * 12, **fields), load)
    back = billed(tariff(lookbackpercent=0.8, lookbackrange=11, **fields), load)
    assert ratchet.items == back.items


def test_a_ratchet_of_some_months_only():
    shares = [0.0] * 11 + [0.8]
    made = tariff(energyratestructure=[[{"rate": 0}]], flatdemandstructure=[[{"rate": 1}]],
                  demandratchetpercentage=shares)  # fmt: skip
    load = sequence([ElectricLoad.constant(100e3, JANUARY), ElectricLoad.constant(10e3, 334 * DAY)])
    by_month = [item.quantity for item in billed(made, load).items if item.kind == "demand"]
    assert by_month == pytest.approx([100, *[10] * 10, 80])


def test_look_back_over_some_months_before():
    made = tariff(energyratestructure=[[{"rate": 0}]], flatdemandstructure=[[{"rate": 1}]],
                  lookbackPercent=0.9, lookbackRange=2)  # fmt: skip
    load = sequence([ElectricLoad.constant(100e3, JANUARY), ElectricLoad.constant(10e3, 150 * DAY)])
    by_month = [item.quantity for item in billed(made, load).items if item.kind == "demand"]
    assert by_month[:5] == pytest.approx([100, 90, 90, 10, 10])


def test_look_back_over_named_months():
    """80 % of July's and August's peak, until eleven months have gone."""
    flags = [1 if month in (6, 7) else 0 for month in range(12)]
    made = tariff(energyratestructure=[[{"rate": 0}]], flatdemandstructure=[[{"rate": 1}]],
                  lookbackpercent=0.8, lookbackmonths=flags)  # fmt: skip
    parts = [(100e3, 181), (60e3, 31), (10e3, 153 + 243)]
    load = sequence([ElectricLoad.constant(watts, count * DAY) for watts, count in parts])
    by_month = [item.quantity for item in billed(made, load).items if item.kind == "demand"]
    # January to June 100 (not looked back at), July 60, then 48 until June, July and August themselves again
    assert by_month == pytest.approx([100] * 6 + [60] + [48] * 11 + [10, 10], rel=1e-9)


def test_a_ratchet_is_of_flat_demand_where_there_is_some():
    demand = by_time("demand", ALWAYS, ALWAYS, [{"rate": 1}])
    load = sequence([ElectricLoad.constant(100e3, JANUARY), ElectricLoad.constant(10e3, 28 * DAY)])
    alone = tariff(energyratestructure=[[{"rate": 0}]], demandratchetpercentage=[1.0] * 12, **demand)
    assert [item.quantity for item in billed(alone, load).items if item.kind == "demand"] == pytest.approx(
        [100, 100]
    )
    both = tariff(energyratestructure=[[{"rate": 0}]], demandratchetpercentage=[1.0] * 12,
                  flatdemandstructure=[[{"rate": 2}]], **demand)  # fmt: skip
    quantities = [(item.price, item.quantity) for item in billed(both, load).items if item.kind == "demand"]
    assert quantities == [
        (2, pytest.approx(100)),
        (1, pytest.approx(100)),
        (2, pytest.approx(100)),
        (1, pytest.approx(10)),
    ]


def test_demand_by_the_day():
    """$2 for each day's kW: 3 kW on the first two days, 1 kW on eight more."""
    made = tariff(flatdemandstructure=[[{"rate": 2}]], flatdemandunit="kW daily")
    load = sequence([ElectricLoad.constant(3e3, 2 * DAY), ElectricLoad.constant(1e3, 8 * DAY)])
    assert billed(made, load).of("demand") == pytest.approx(2 * (2 * 3 + 8 * 1))


def test_horsepower():
    made = tariff(
        flatdemandstructure=[[{"max": 10, "rate": 1, "adj": 0.5}, {"rate": 2}]], flatdemandunit="hp"
    )
    load = ElectricLoad.constant(20 * 745.69987158227, JANUARY)
    assert billed(made, load).of("demand") == pytest.approx(10 * 1.5 + 10 * 2)


def test_coincident_demand():
    """The utility peaks from 17 to 18 h in July; 5 kW then, 9 kW at other times."""
    hours = [[0] * 24 for _ in range(12)]
    hours[6] = [0] * 17 + [1] + [0] * 6
    made = tariff(energyratestructure=[[{"rate": 0}]], coincidentratestructure=[[{"rate": 0}], [{"rate": 7}]],
                  coincidentrateschedule=hours)  # fmt: skip
    day = np.full(24, 9.0)
    day[17] = 5.0
    load = hourly(np.tile(day, 62))
    found = billed(made, load, "2026-07-01")
    assert kinds(found) == {"energy", "coincident"}
    assert found.usd == pytest.approx(7 * 5)


@pytest.mark.parametrize(
    ("fields", "usd"),
    [
        ({"fixedchargefirstmeter": 2.0, "fixedchargeunits": "$/day"}, 2.0 * 28),
        ({"fixedchargefirstmeter": 30.0, "fixedchargeunits": "$/month"}, 30.0),
        ({"fixedchargefirstmeter": 1200.0, "fixedchargeunits": "$/year"}, 100.0),
        ({"fixedmonthlycharge": 45.0}, 45.0),
    ],
)
def test_fixed_charges(fields, usd):
    made = tariff(energyratestructure=[[{"rate": 0}]], **fields)
    assert billed(made, ElectricLoad.constant(1.0, 28 * DAY), "2026-02-01").of("fixed") == pytest.approx(usd)
    # a quarter of the month
    assert billed(made, ElectricLoad.constant(1.0, 7 * DAY), "2026-02-08").of("fixed") == pytest.approx(
        usd / 4
    )


def test_leap_days_are_billed():
    made = tariff(fixedchargefirstmeter=1.0, fixedchargeunits="$/day")
    leap = billed(made, ElectricLoad.constant(1e3, 29 * DAY), "2028-02-01")
    assert len(leap.months) == 1
    assert leap.of("fixed") == pytest.approx(29)
    assert leap.of("energy") == pytest.approx(29 * 24 * 0.10)
    plain = billed(made, ElectricLoad.constant(1e3, 29 * DAY), "2026-02-01")
    assert [month.share for month in plain.months] == pytest.approx([1.0, 1 / 31])


def test_minimum_of_a_month():
    made = tariff(mincharge=100, minchargeunits="$/month", fixedchargefirstmeter=10)
    found = billed(made, ElectricLoad.constant(1e3, JANUARY))
    assert found.of("minimum") == pytest.approx(100 - 10 - 74.4)
    assert found.usd == pytest.approx(100)
    assert billed(made, ElectricLoad.constant(2e3, JANUARY)).of("minimum") == 0.0


def test_minimum_by_day_and_by_its_older_name():
    by_day = tariff(mincharge=2, minchargeunits="$/day")
    assert billed(by_day, ElectricLoad.constant(0.0, 10 * DAY)).usd == pytest.approx(20)
    older = tariff(minmonthlycharge=31)
    assert billed(older, ElectricLoad.constant(0.0, 10 * DAY)).usd == pytest.approx(10)


def test_minimum_of_a_year_is_made_up_for_at_its_end():
    made = tariff(annualmincharge=1000)
    # 876 dollars in 2026, 876 in 2027; half of 2028
    found = billed(made, ElectricLoad.constant(1e3, (730 + 183) * DAY))
    least = [(item.month, item.usd) for item in found.items if item.kind == "minimum"]
    assert least == [("2026-12", pytest.approx(124)), ("2027-12", pytest.approx(124)),
                     ("2028-07", pytest.approx(500 - 183 * 2.4))]  # fmt: skip


def test_what_was_made_up_for_in_months_counts_for_the_year():
    """SAM leaves it out there, and so bills both minimums in part."""
    made = tariff(mincharge=80, minchargeunits="$/month", annualmincharge=1000)
    found = billed(made, ElectricLoad.constant(1e3, 365 * DAY))
    # 74.40 dollars in long months, 72 in short ones, 67.20 in February: each is made up to 80
    assert found.usd == pytest.approx(1000)
    assert found.of("minimum") == pytest.approx(1000 - 876)


def test_fuel_adjustments_by_month():
    made = tariff(fueladjustmentsmonthly=[0.01, 0.02, *[0.0] * 10])
    found = billed(made, ElectricLoad.constant(1e3, 90 * DAY))
    assert found.of("fuel") == pytest.approx(744 * 0.01 + 672 * 0.02)


def test_negative_adjustments_are_credits():
    made = tariff(fueladjustmentsmonthly=[-0.01] * 12, iowatt={"notes": ["the adjustment is a credit"]})
    found = billed(made, ElectricLoad.constant(1e3, JANUARY))
    assert found.of("sell") == pytest.approx(-7.44)
    assert found.of("fuel") == 0.0
    assert all(item.usd >= 0 for item in found.items if item.kind != "sell")


def test_energy_fed_back():
    made = tariff(energyratestructure=[[{"rate": 0.2, "sell": 0.05}]])
    kw = np.r_[np.full(24, 2.0), np.full(24, -1.0)]
    found = billed(made, hourly(kw))
    assert (found.of("energy"), found.of("sell")) == (pytest.approx(9.6), pytest.approx(-1.2))
    unpaid = tariff(energyratestructure=[[{"rate": 0.2}]])
    assert billed(unpaid, hourly(kw)).usd == pytest.approx(9.6)


def test_beside_a_site_only_what_is_added_is_charged():
    """With the site's 100 kW the load's kWh are in the dear tier, its kW in the cheap one."""
    made = tariff(energyratestructure=[[{"max": 1000, "rate": 0.1}, {"rate": 0.3}]],
                  flatdemandstructure=[[{"max": 50, "rate": 9}, {"rate": 4}]],
                  fixedchargefirstmeter=500)  # fmt: skip
    load = ElectricLoad.constant(1e3, JANUARY)
    items = incremental_items(made, load, 100e3, datetime(2026, 1, 1))
    assert {item.kind: item.usd for item in items} == {
        "energy": pytest.approx(744 * 0.3), "demand": pytest.approx(4.0)
    }  # fmt: skip
    whole = billed(made, load.plus(100e3)).usd - billed(made, load.scaled(0).plus(100e3)).usd
    assert sum(item.usd for item in items) == pytest.approx(whole)


def test_beside_a_site_that_is_billed_a_minimum():
    made = tariff(mincharge=10_000, minchargeunits="$/month")
    items = incremental_items(made, ElectricLoad.constant(1e3, JANUARY), 100e3, datetime(2026, 1, 1))
    assert sum(item.usd for item in items) == pytest.approx(0.0, abs=1e-9)
    assert [item.kind for item in items] == ["energy", "sell"]


def test_periods_of_weekdays_and_weekends():
    """2026-01-03 is a Saturday: 1 kW from Friday noon to Saturday noon."""
    made = tariff(**by_time("energy", ALWAYS, [[1] * 24] * 12, [{"rate": 1.0}], [{"rate": 2.0}]))
    assert billed(made, ElectricLoad.constant(1e3, DAY), "2026-01-02T12:00").usd == pytest.approx(
        12 * 1 + 12 * 2
    )


def test_hours_of_a_period():
    """8 to 20 h; the load begins at 7.30 h and ends at 8.15 h."""
    made = tariff(**by_time("energy", BY_DAY, BY_DAY, [{"rate": 1.0}], [{"rate": 2.0}]))
    assert billed(made, ElectricLoad.constant(4e3, 45 * 60), "2026-01-05T07:30").usd == pytest.approx(
        2 * 1 + 1 * 2
    )


def test_a_run_is_repeated_end_to_end():
    run = ElectricLoad.of_powers(np.array([30.0, 60.0]), np.array([900.0, 1200.0]))
    found = billed(tariff(), run.repeated(JANUARY / 90.0))
    assert found.of("energy") == pytest.approx(744 * 1.1 * 0.10)
    assert found.peak_kw == pytest.approx(1.1)


def test_rounding_of_a_duration_makes_no_month():
    load = ElectricLoad.constant(1e3, 0.1).repeated(JANUARY * 10 * (1 + 1e-12))
    found = billed(tariff(fixedchargefirstmeter=10), load)
    assert [month.month for month in found.months] == ["2026-01"]
    assert found.of("fixed") == pytest.approx(10)


def test_nothing_costs_nothing():
    found = bill(
        tariff(fixedchargefirstmeter=10), ElectricLoad.constant(1.0, 1.0).repeated(0.0), datetime(2026, 1, 1)
    )
    assert (found.usd, found.items, found.energy_j) == (0.0, (), 0.0)


def test_beyond_the_calendar_is_an_error():
    with refused("out-of-range", None):
        bill(tariff(), ElectricLoad.constant(1.0, DAY * 400), datetime(9998, 12, 15))


def test_a_tariff_for_others_says_so():
    made = tariff(peakkwcapacitymin=50, peakkwcapacitymax=100, peakkwhusagemax=500, startdate="2020-01-01",
                  enddate="2021-12-31")  # fmt: skip
    small, large = (
        billed(made, ElectricLoad.constant(1e3, HOUR)),
        billed(made, ElectricLoad.constant(150e3, JANUARY), "2021-01-01"),
    )
    assert [note.code for note in small.notes] == ["peak-too-low", "use-too-high", "rates-ended"]
    assert [note.code for note in large.notes] == ["peak-too-high", "use-too-high"]
    assert all(note.decides for note in (*small.notes, *large.notes))
    assert {"50", "1"} <= set(small.notes[0].text.split())
    assert "2021-12-31" in small.notes[2].text
    assert "2026-01-01" in small.notes[2].text
    early = billed(made, ElectricLoad.constant(60e3, HOUR), "2019-01-01")
    assert [note.code for note in early.notes] == ["use-too-high", "rates-begin-later"]
    assert "2020-01-01" in early.notes[1].text
