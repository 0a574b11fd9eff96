"""Who serves in a drive's place, and what wear costs in each of the four ways."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cost_systems import NOTHING, book, case, hdd, priced, ssd, system, usd
from iowatt.lenses.cost.pricing import wear
from iowatt.lenses.cost.pricing.case import CostCase, Horizon
from iowatt.lenses.cost.pricing.wear.charge import INSTEAD, TWICE
from iowatt.lenses.cost.pricing.wear.replacement_schedule import LISTED
from iowatt.pages.cost.expression import evaluate
from refused import refused

YEAR = 365 * 86_400.0
#: The SSD writes 2 GB of 36.5 TB in 600 s: a life is 18,250 Works, 0.3472 years.
LIFE = 18_250.0
HOST = "wear.ssd_basis=host"


def of(horizon: Horizon, *sets: str, drive: object = None) -> CostCase:
    return case(system("x", drive or ssd()), book(HOST, *sets), horizon)  # type: ignore[arg-type]


def test_a_worn_drive_is_replaced_at_each_multiple_of_its_life() -> None:
    found = wear.schedule(of(Horizon("work", 2.5 * LIFE)), ssd())
    assert [one.at_s for one in found] == pytest.approx([LIFE * 600, 2 * LIFE * 600])
    assert {(one.reason, one.usd, one.count, one.until_s) for one in found} == {("worn", 450.0, 1, None)}
    assert found[0].result().as_dict() == {
        "at_years": pytest.approx(LIFE * 600 / YEAR), "reason": "worn", "usd": 450.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("lives", "bought"), [(0.2, 0), (1.0, 0), (1.001, 1), (3.0, 2), (3.0000001, 3), (7.0, 6)]
)
def test_a_drive_that_ends_with_the_horizon_has_no_successor(lives: float, bought: int) -> None:
    assert (
        len(wear.schedule(of(Horizon("work", max(1.0, lives * LIFE)), "wear.service_life=1000"), ssd()))
        == bought
    )


def test_a_drive_at_rest_is_replaced_when_its_service_life_is_over() -> None:
    still = hdd(counts={"start_stops": 0, "load_unloads": 0})
    found = wear.schedule(of(Horizon("time", 12.0), "wear.service_life=5", drive=still), still)
    assert [(one.at_s / YEAR, one.reason) for one in found] == [(5.0, "service_life"), (10.0, "service_life")]
    assert wear.schedule(of(Horizon("time", 10.0), "wear.service_life=5", drive=still), still) != ()
    assert len(wear.schedule(of(Horizon("time", 10.0), "wear.service_life=5", drive=still), still)) == 1


def test_the_price_of_replacements_falls_by_years() -> None:
    still = hdd(counts={"start_stops": 0, "load_unloads": 0})
    there = of(Horizon("time", 12.0), "wear.service_life=5", "wear.price_decline=0.1", drive=still)
    assert [one.usd for one in wear.schedule(there, still)] == pytest.approx([160 * 0.9**5, 160 * 0.9**10])


def test_thousands_of_replacements_come_in_groups_that_add_up() -> None:
    """10,000.5 lives: 10,000 replacements, each at 450 x 0.98^(k x 0.3472 years / ...), in closed form."""
    busy = ssd(counts={"bytes_written": 20e12})
    sets = (HOST, "wear.price_decline=0.02", "wear.service_life=1000")
    there = case(system("x", busy), book(*sets), Horizon("work", 10_000.5 * 36.5 / 20))
    found = wear.schedule(there, busy)
    each_s = 600 * 36.5 / 20
    assert len(found) == LISTED
    assert sum(one.count for one in found) == 10_000
    exact = math.fsum(450 * 0.98 ** (k * each_s / YEAR) for k in range(1, 10_001))
    assert math.fsum(one.usd for one in found) == pytest.approx(exact, rel=1e-9)
    assert all(one.until_s is not None and one.at_s < one.until_s <= there.seconds for one in found)
    assert [one.at_s for one in found[1:]] == pytest.approx([one.until_s for one in found[:-1]])
    assert found[0].result().count == 10


def test_a_horizon_of_a_billion_replacements_takes_no_longer() -> None:
    mad = ssd(counts={"bytes_written": 36.5e12 * 1e6})
    there = case(system("x", mad), book(HOST), Horizon("work", 1e6))
    found = wear.schedule(there, mad)
    assert sum(one.count for one in found) == pytest.approx(1e12, rel=1e-9)
    (component,) = wear.wear_costs(there)
    assert component.usd == pytest.approx(450e12, rel=1e-9)
    assert len(component.flows) == LISTED


def test_all_drives_that_served_are_disposed_of_however_many() -> None:
    busy = ssd(counts={"bytes_written": 20e12})
    sets = (*NOTHING, HOST, "disposal.per_drive=3")
    costs = priced(system("x", busy), book(*sets), Horizon("work", 10_000.5 * 36.5 / 20))
    assert usd(costs, "disposal:ssd.0") == pytest.approx(3 * 10_000.5)


def test_the_last_drive_counts_by_the_part_of_its_life_within_the_horizon() -> None:
    """2.5 lives: the second drive whole and half of the third, at the prices of then; no residual value."""
    falling = (HOST, "disposal.residual=0.3", "wear.price_decline=0.1", "wear.service_life=1000")
    costs = priced(system("x", ssd()), book(*NOTHING, *falling), Horizon("work", 2.5 * LIFE))
    years = LIFE * 600 / YEAR
    assert usd(costs, "wear:ssd.0") == pytest.approx(450 * (0.9**years + 0.5 * 0.9 ** (2 * years)))
    assert usd(costs, "residual:ssd.0") == 0.0
    part = priced(
        system("x", ssd()), book(*NOTHING, *falling, "purchase.charge=used"), Horizon("work", LIFE / 2)
    )
    assert usd(part, "residual:ssd.0") == pytest.approx(-0.3 * 0.5 * 112.5)


def test_depreciation_leaves_nothing_to_be_sold_that_was_paid_for() -> None:
    sets = (*NOTHING, HOST, "disposal.residual=0.3", "wear.charge=depreciation")
    assert not priced(system("x", ssd()), book(*sets), Horizon("work", 100.0)).of("credit")


def test_prices_that_rise_beyond_all_numbers_are_refused() -> None:
    still = hdd(counts={"start_stops": 0, "load_unloads": 0})
    there = of(Horizon("time", 1e5), "wear.service_life=10", "wear.price_decline=-0.5", drive=still)
    with refused("out-of-range", "wear.price_decline"):
        wear.schedule(there, still)


def test_paper_is_equations_9_to_12_of_a_drive_by_its_used_gigabytes() -> None:
    """1,000 runs: 112.5 x 1000 x 2.1e9 / 36.5e12 = 6.4726 USD; 18 x 1000 x 2 / 300,000 = 0.12 USD."""
    there = case(system("x", ssd(), hdd()), book(preset="dollars2014"), Horizon("work", 1000.0))
    of_ssd, of_hdd = wear.wear_costs(there)
    assert of_ssd.usd == pytest.approx(6.472602739726)
    assert of_hdd.usd == pytest.approx(0.12)
    assert (of_ssd.quantity, of_ssd.unit, of_ssd.unit_price) == (
        pytest.approx(1000 * 2.1e9 / 36.5e12), "lives", 112.5,
    )  # fmt: skip
    assert of_ssd.note == TWICE
    assert {"wear.charge", "wear.reads", "wear.ssd_tbw", "purchase.charge"} <= set(of_ssd.rests_on)
    (flow,) = of_ssd.flows
    assert (flow.at_s, flow.until_s) == (0.0, there.seconds)


def test_depreciation_is_paid_in_place_of_the_purchase() -> None:
    """Half a life by wear, and 0.17 of 5 years: the faster of the two counts."""
    sets = (*NOTHING, HOST, "wear.charge=depreciation", "wear.service_life=5")
    costs = priced(system("x", ssd()), book(*sets), Horizon("work", 0.5 * LIFE))
    assert usd(costs, "purchase:ssd.0") == 0.0
    assert usd(costs, "wear:ssd.0") == pytest.approx(225.0)
    long = priced(
        system("x", hdd(counts={"start_stops": 0, "load_unloads": 0})), book(*sets), Horizon("time", 4.0)
    )
    assert usd(long, "wear:hdd.0") == pytest.approx(160 * 4 / 5)


def test_depreciation_follows_a_falling_price_drive_by_drive() -> None:
    """12 years of drives that serve 5: 160 at once, 160 x 0.9^5, and two fifths of 160 x 0.9^10."""
    still = hdd(counts={"start_stops": 0, "load_unloads": 0})
    there = of(
        Horizon("time", 12.0), "wear.service_life=5", "wear.price_decline=0.1", "wear.charge=depreciation",
        drive=still,
    )  # fmt: skip
    (component,) = wear.wear_costs(there)
    assert [flow.usd for flow in component.flows] == pytest.approx([160, 160 * 0.9**5, 0.4 * 160 * 0.9**10])
    assert [flow.at_s / YEAR for flow in component.flows] == pytest.approx([0, 5, 10])
    assert component.flows[-1].until_s == there.seconds


def test_without_anything_that_ends_a_life_depreciation_says_so() -> None:
    still = hdd(counts={"start_stops": 0, "load_unloads": 0})
    made = book(HOST, "wear.charge=depreciation")
    figures = {key: figure for key, figure in made.figures.items() if key != "wear.service_life"}
    there = case(system("x", still), type(made)("own", "", ("own",), (), figures), Horizon("time", 4.0))
    (component,) = wear.wear_costs(there)
    assert component.usd == 0.0
    assert component.note.startswith(INSTEAD) and component.note != INSTEAD
    assert wear.schedule(there, still) == ()


def test_none_charges_nothing() -> None:
    assert list(wear.wear_costs(of(Horizon("work", 1e6), "wear.charge=none"))) == []


def test_a_drive_without_a_rating_is_named_not_silently_free() -> None:
    (component,) = wear.wear_costs(of(Horizon("time", 3.0), drive=ssd(ratings={})))
    assert component.usd == 0.0
    assert "wear.ssd_tbw" in component.note
    assert component.unit_price is None or component.usd == 0.0


WORK = st.fixed_dictionaries(
    {
        "alpha": st.floats(1.0, 1e6),
        "written": st.floats(0.0, 1e14),
        "stops": st.integers(0, 10_000),
        "service": st.floats(0.5, 50.0),
        "decline": st.just(0.0) | st.floats(1e-3, 0.5) | st.floats(-0.1, -1e-3),
        "used": st.booleans(),
    }
)
#: Made once: reading a book takes longer than pricing by it.
BY_HOST, OF_THE_PAPER = book(HOST), book(preset="dollars2014")
EXACT = {"alpha": 3 * LIFE, "written": 2e9, "stops": 0, "service": 50.0, "decline": 0.0, "used": True}


def _case(work: Mapping[str, Any], charge: str) -> CostCase:
    drives = (ssd(counts={"bytes_written": work["written"]}), hdd(counts={"start_stops": work["stops"]}))
    made = BY_HOST.changed(
        {
            "wear.charge": charge, "wear.service_life": work["service"],
            "wear.price_decline": work["decline"], "purchase.charge": "used" if work["used"] else "device",
        }
    )  # fmt: skip
    return case(system("x", *drives), made, Horizon("work", work["alpha"]))


@settings(max_examples=60, deadline=None)
@given(work=WORK)
@example(work=EXACT)
def test_replacements_are_lives_rounded_up_less_the_first_drive_and_charged_as_they_are_used(
    work: Mapping[str, Any],
) -> None:
    there = _case(work, "replacements")
    for drive, component in zip(there.system.drives, wear.wear_costs(there), strict=True):
        worn = wear.wearout(drive, there.book).fraction * there.repeats
        lives = max(worn, there.years / work["service"])
        found = wear.schedule(there, drive)
        count = sum(one.count for one in found)
        assert count == max(1, math.ceil(lives - 1e-9)) - 1
        used = min(lives, count + 1.0) - 1.0 if count else 0.0
        assert component.quantity == pytest.approx(used, abs=1e-9)
        bought = math.fsum(one.usd for one in found)
        last = there.charged(drive) * (1 - work["decline"]) ** (there.years / lives * count) if count else 0.0
        assert component.usd == pytest.approx(bought - last * (count - used), abs=1e-9 * bought)
        assert component.usd >= 0
        assert all(0 < one.at_s <= there.seconds for one in found)


@settings(max_examples=60, deadline=None)
@given(work=WORK)
@example(work=EXACT)
def test_depreciation_is_within_what_the_drives_that_it_stands_for_cost(work: Mapping[str, Any]) -> None:
    """No more than all of them, and no less than all but the last."""
    bought, spread = _case(work, "replacements"), _case(work, "depreciation")
    pairs = zip(bought.system.drives, wear.wear_costs(bought), wear.wear_costs(spread), strict=True)
    for drive, later, used_up in pairs:
        first = bought.charged(drive)
        replaced = wear.schedule(bought, drive)
        assert -1e-9 <= used_up.usd <= (first + later.usd) * (1 + 1e-9)
        if replaced and replaced[-1].count == 1:
            assert used_up.usd >= (first + later.usd - replaced[-1].usd) * (1 - 1e-9)


@settings(max_examples=60, deadline=None)
@given(charge=st.sampled_from(["replacements", "depreciation", "paper"]), work=WORK)
@example(charge="replacements", work=EXACT)
@example(charge="replacements", work={**EXACT, "decline": 0.2, "service": 0.1})
@example(charge="replacements", work={**EXACT, "decline": 0.2, "written": 0.0, "service": 0.1})
def test_the_expression_of_a_component_is_its_dollars(charge: str, work: Mapping[str, Any]) -> None:
    there = _case(work, charge)
    for drive, component in zip(there.system.drives, wear.wear_costs(there), strict=True):
        if component.expression is None:
            assert work["decline"] != 0.0
            continue
        horizon = {"repeats": there.repeats, "years": there.years, "price": there.price_of(drive).usd}

        def value(name: str, known: Mapping[str, float] = horizon) -> float:
            return known[name] if name in known else there.book.number(name)

        lives = evaluate(wear.lives_expression(there, drive), value)
        assert lives == pytest.approx(wear.place(there, drive).lives, rel=1e-12)
        horizon |= {"lives": lives, "served": max(1, math.ceil(lives - wear.ROUNDING))}
        assert evaluate(component.expression, value) == pytest.approx(component.usd, rel=1e-9, abs=1e-12)


@given(alpha=st.floats(1.0, 1e6), times=st.floats(1.0, 50.0))
def test_what_the_paper_charges_is_proportional_to_the_work(alpha: float, times: float) -> None:
    one, many = (
        case(system("x", ssd(), hdd()), OF_THE_PAPER.changed({}), Horizon("work", a))
        for a in (alpha, alpha * times)
    )
    for before, after in zip(wear.wear_costs(one), wear.wear_costs(many), strict=True):
        assert after.usd == pytest.approx(times * before.usd, rel=1e-12)


def test_drives_cost_the_same_together_as_alone() -> None:
    for charge in ("replacements", "depreciation", "paper"):
        made = (f"wear.charge={charge}", HOST)
        both = wear.wear_costs(case(system("x", ssd(), hdd()), book(*made), Horizon("work", 1e5)))
        alone = [
            component
            for drive in (ssd(), hdd())
            for component in wear.wear_costs(case(system("x", drive), book(*made), Horizon("work", 1e5)))
        ]
        assert [one.usd for one in both] == [one.usd for one in alone]
