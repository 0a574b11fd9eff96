"""A plan over its years: what is bought, stored and paid, by hand and by what must hold of any plan."""

from __future__ import annotations

import pytest
from fleets import drives, followed, plan
from hypothesis import given, settings
from hypothesis import strategies as st

from refused import refused


def broken(found):
    return {(one.code, one.what, one.year) for one in found.broken}


def test_one_class_that_grows_by_half_a_year():
    # 1 PB x 1.5 at the end of the first year, members of 100 TB at most 80 % full: 1500 / 80 = 18.75, so 19.
    # Then 2250 / 80 = 28.1, 3375 / 80 = 42.2, 5062.5 / 80 = 63.3.
    found = followed(plan(demand={"growth": 0.5}))
    assert [one.classes[0].members for one in found.years] == [19, 29, 43, 64]
    assert [one.classes[0].bought for one in found.years] == [9, 10, 14, 21]
    assert [one.usd["purchase"] for one in found.years] == [9000.0, 10000.0, 14000.0, 21000.0]
    assert [one.demands[0].stored_tb for one in found.years] == pytest.approx([1500, 2250, 3375, 5062.5])
    assert found.broken == []


def test_what_is_bought_by_quarters_comes_later_and_is_no_less():
    made = plan(demand={"growth": 0.5}, purchases={"every": "quarter"})
    found = followed(made)
    assert [one.classes[0].members for one in found.years] == [19, 29, 43, 64]
    # 1 PB x 1.5^(1/4) = 1107 TB at the end of the first quarter: 13.8 members.
    first = [one for one in found.purchases if one.delivery == "2026-01-01"]
    assert [(one.count, one.order_by) for one in first] == [(4, "2026-01-01")]
    assert len({one.delivery for one in found.purchases}) > 4


def test_watts_and_dollars_of_a_year_that_does_not_grow():
    # 10 members of 100 TB hold 1 PB at 100 %; 1000 requests a second are 100 each: 110 W, 1.1 kW for 8760 h.
    made = plan(years=1, demand={"most_fill": 1.0}, member={"service": 7.0},
                racks={"units": 10, "cost": 50.0}, site={"pue": 1.5})  # fmt: skip
    (year,) = followed(made, assume=["energy.fixed=none"]).years
    assert year.watts.expected == pytest.approx(1100.0)
    assert year.kwh.expected == pytest.approx(1.1 * 8760 * 1.5)
    assert year.usd["energy"] == pytest.approx(0.10 * 1.1 * 8760 * 1.5)
    assert year.usd["service"] == pytest.approx(70.0)
    assert (year.racks, year.usd["space"]) == (2, pytest.approx(100.0))  # five of 2 U in 10 U
    assert year.operational_kg == pytest.approx(0.4 * 1.1 * 8760 * 1.5)
    assert (year.watts.low, year.watts.high) == pytest.approx((1100.0, 1100.0))


def test_prices_fall_from_the_day_of_the_order_and_are_discounted_from_that_of_delivery():
    made = plan(demand={"growth": 0.5}, purchases={"lead_time": "365d", "price_decline": 0.2})
    found = followed(made, assume=["discount.rate=0.1"])
    # The first stage at which anything can arrive is the second year's: 29 members less the 10 there are.
    assert [one.classes[0].bought for one in found.years] == [0, 19, 14, 21]
    assert found.years[1].usd["purchase"] == pytest.approx(19_000.0)  # ordered at the start
    assert found.years[2].usd["purchase"] == pytest.approx(14_000 * 0.8)
    energy = found.years[2].usd["energy"]
    paid = found.years[2].present_usd
    assert 14_000 * 0.8 / 1.1**2 < paid < 14_000 * 0.8 / 1.1**2 + energy
    assert {("over-capacity", "files", 2026), ("delivery-late", "files", 2026)} <= broken(found)
    assert found.purchases[0].order_by == "2026-01-01"


def test_members_are_retired_at_their_age_and_draw_nothing_after():
    # Five are 3.5 years old at the start: at most 4, so they leave at the second stage (4.5 years).
    bought = [{"count": 5, "date": "2022-07-01"}, {"count": 10, "date": "2025-12-31"}]
    made = plan(member={"count": 0, "bought": bought, "refresh_after": 4, "residual": 0.1})
    found = followed(made)
    assert [one.classes[0].retired for one in found.years] == [0, 5, 0, 0]
    assert [one.classes[0].members for one in found.years] == [15, 13, 13, 13]
    assert found.years[1].usd["residual"] == pytest.approx(-5 * 0.1 * 1000.0)
    # 100 W idle each, and 100 W more in all for 1000 requests a second.
    assert [one.watts.expected for one in found.years] == pytest.approx([1600.0, 1400.0, 1400.0, 1400.0])


def test_load_asks_for_members_where_capacity_does_not():
    # 12,000 requests a second; one keeps 20 ms up to 1000 of them: 12 members, whose data would fit into 2.
    found = followed(plan(demand={"stored": "100TB", "load": 12_000.0}, member={"count": 2}))
    assert found.years[0].classes[0].members == 12
    # In a busy hour of twice as much, 24; where only 500 keep 10 ms, 48.
    tight = {"stored": "100TB", "load": 12_000.0, "busy_hour": 2.0, "most_load": {"p95": "10ms"}}
    found = followed(plan(demand=tight, member={"count": 2}))
    assert (found.years[0].classes[0].members, found.years[0].classes[0].busy_iops) == (
        48,
        pytest.approx(500.0),
    )
    assert found.broken == []


def test_members_beyond_their_load_are_said():
    # Nothing can arrive for two years, so that ten members have 1500 requests a second each: 500 beyond.
    made = plan(demand={"load": 15_000.0}, purchases={"lead_time": "730d"})
    found = followed(made)
    assert ("over-load", "array", 2026) in broken(found)
    assert found.years[0].classes[0].members_beyond == 10.0
    assert found.years[0].classes[0].busy_p95_ms is None
    # They draw what they draw at their highest load, and no more is made up.
    assert found.years[0].classes[0].member_w == pytest.approx(200.0)


def test_a_load_that_no_member_keeps_is_refused():
    with refused("infeasible", "class.array"):
        followed(plan(demand={"most_load": {"utilisation": 0.1}}))
    with refused("too-large", "class"):
        followed(plan(demand={"growth": 10.0}, years=30))


def test_racks_and_their_power():
    # Ten members of 2 U, which peak at 114 W with 100 requests a second. Six units hold three: 342 W.
    racks = {"units": 6, "power_cap": "340W", "available": 3}
    found = followed(plan(years=1, demand={"most_fill": 1.0}, racks=racks | {"by": "units"}))
    assert broken(found) == {("rack-power", "array", 2026), ("racks", "racks", 2026)}
    assert found.years[0].rack_peak_w == pytest.approx(342.0)
    # Its power carries two, so that there are five racks.
    found = followed(plan(years=1, demand={"most_fill": 1.0}, racks=racks))
    assert (broken(found), found.years[0].racks) == ({("racks", "racks", 2026)}, 5)
    assert (found.racks.by_units["array"], found.racks.by_power["array"]) == (3, 2)
    # Not even one fits: each has a rack of its own, and the limit is broken.
    found = followed(plan(years=1, demand={"most_fill": 1.0}, racks={"units": 6, "power_cap": "110W"}))
    assert (broken(found), found.years[0].racks) == ({("rack-power", "array", 2026)}, 10)
    # By nameplate it is the plate that counts.
    racks |= {"available": 4, "basis": "nameplate"}
    member = {"nameplate": "100W"}
    plated = plan(years=1, demand={"most_fill": 1.0}, member=member, racks=racks, site={"power_cap": "1kW"})
    assert broken(followed(plated)) == {("site-power", "site", 2026)}


def test_failures_by_age_and_what_they_cost():
    # 10 members x 10 drives: 2 % fail in their first year, 10 % from the second on; the warranty is a year.
    made = plan(years=2, demand={"most_fill": 1.0}, spares={"lead_time": "365d", "service_level": 0.9})
    found = followed(
        made, drives=drives(afr=(0.02, 0.1)), assume=["failures.warranty=1", "failures.labour=50"]
    )
    assert [one.failures.expected for one in found.years] == pytest.approx([2.0, 10.0])
    assert [one.usd["failures"] for one in found.years] == pytest.approx([2 * 50.0, 10 * 150.0])
    # P(N <= 4) = 0.947 at a mean of 2, P(N <= 3) = 0.857; P(N <= 14) = 0.917 at 10, P(N <= 13) = 0.864.
    assert [one.drives[0].stock for one in found.years] == [4, 14]
    assert [one.usd["spares"] for one in found.years] == pytest.approx([400.0, 1000.0])
    assert [one.drives[0].bought for one in found.years] == pytest.approx([4.0, 20.0])
    # At a mean of 10, P(N <= 4) = 0.029, P(N <= 5) = 0.067, P(N <= 15) = 0.951.
    assert (found.years[1].drives[0].failures.low, found.years[1].drives[0].failures.high) == (5.0, 15.0)
    assert found.totals.failures.expected == pytest.approx(12.0)


def test_loss_of_data_is_that_of_all_members():
    made = plan(years=2, demand={"most_fill": 1.0}, member={"loss_probability": 0.001})
    found = followed(made)
    assert [one.loss_probability for one in found.years] == pytest.approx([1 - 0.999**10] * 2, rel=1e-12)
    assert found.totals.loss_probability == pytest.approx(1 - 0.999**20, rel=1e-12)
    aged = plan(years=2, demand={"most_fill": 1.0}, member={"loss_probability": [0.001, 0.01], "age": 0.5})
    # Half of the first year at the first rate, the other half at that of the second year of age.
    assert followed(aged).years[0].loss_probability == pytest.approx(1 - (0.999 * 0.99) ** 5, rel=1e-9)
    assert followed(plan()).totals.loss_probability is None


def test_a_second_class_is_bought_from_its_year_on():
    later = {"name": "later", "scenario": "later.toml"}
    buys = [{"class": "array"}, {"class": "later", "from": 2028}]
    found = followed(plan(demand={"growth": 0.5, "buys": buys}, others=[later]))
    assert [[one.bought for one in year.classes] for year in found.years] == [
        [9, 0],
        [10, 0],
        [0, 14],
        [0, 21],
    ]


@settings(max_examples=15)
@given(
    growth=st.lists(st.floats(-0.4, 1.5), min_size=1, max_size=4),
    load=st.floats(1.0, 40_000.0),
    age=st.floats(0.0, 6.0),
    refresh=st.none() | st.floats(1.0, 6.0),
    quarterly=st.booleans(),
    spread=st.sampled_from([0.0, 0.4, [1.0, 2.0, 5.0]]),
)
def test_members_and_data_are_conserved(*, growth, load, age, refresh, quarterly, spread):
    made = plan(
        demand={"growth": growth, "load": load, "load_spread": spread, "busy_hour": 1.3},
        member={"age": age, "refresh_after": refresh},
        purchases={"every": "quarter" if quarterly else "year"},
    )
    found = followed(made)
    before = 10
    for year in found.years:
        (one,) = year.classes
        assert one.members == before + one.bought - one.retired
        assert year.demands[0].fill <= made.demand[0].most_fill + 1e-6
        assert year.demands[0].usable_tb == pytest.approx(100.0 * one.members)
        assert one.busy_iops <= 1000.0 * (1 + 1e-9)
        assert sum(year.usd.values()) == pytest.approx(year.total_usd.expected)
        assert year.total_usd.low <= year.total_usd.expected <= year.total_usd.high
        before = one.members
    total = found.totals
    assert sum(one.count for one in found.purchases) == sum(total.bought.values())
    assert sum(total.usd.values()) == pytest.approx(total.total_usd.expected)
    assert found.broken == []


@settings(max_examples=8)
@given(
    growth=st.floats(-0.3, 0.8),
    more=st.floats(0.0, 0.7),
    decline=st.floats(0.0, 0.3),
    falls=st.floats(0.0, 0.3),
)
def test_more_growth_is_never_cheaper_and_falling_prices_never_dearer(growth, more, decline, falls):
    def dollars(rate, fall):
        made = plan(years=2, demand={"growth": rate}, purchases={"price_decline": fall})
        return followed(made).totals.total_usd.expected

    assert dollars(growth + more, decline) >= dollars(growth, decline) - 1e-6
    assert dollars(growth, decline + falls) <= dollars(growth, decline) + 1e-6


def test_curves_end_where_members_no_longer_keep_up():
    found = followed(
        plan(demand={"stored": "100TB", "load": 12_000.0}, member={"count": 2}), bad=(750.0, 1000.0)
    )
    assert found.years[0].classes[0].members == 24  # 500 each
