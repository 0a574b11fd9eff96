"""The 13 equations of dollars2014, each figure worked out by hand."""

from __future__ import annotations

import pytest

from cost_systems import book, hdd, priced, ssd, system, usd
from iowatt.lenses.cost.pricing.case import Horizon

ALPHA = 100_000.0
#: 8 W for 600 s are 4,800 J; at 0.20 USD/kWh and 20 USD/kW.
KWH = 4800 / 3.6e6
TARIFF = "flat:0.2,20"
PAPER = "dollars2014"


def paper(alpha: float, *sets: str) -> object:
    return priced(system("hybrid", ssd(), hdd()), book(*sets, preset=PAPER), Horizon("work", alpha), TARIFF)


def test_purchase_is_price_per_gb_times_gb_used() -> None:
    """(4), (5): 1.5 x 75 of the SSD, 0.08 x 225 of the disk, whatever alpha is (2)."""
    for alpha in (1.0, ALPHA):
        costs = paper(alpha)
        assert usd(costs, "purchase:ssd.0") == pytest.approx(112.5)
        assert usd(costs, "purchase:hdd.0") == pytest.approx(18.0)


@pytest.mark.parametrize("alpha", [1.0, 7.0, ALPHA])
def test_energy_and_demand_are_those_of_one_run_times_alpha(alpha: float) -> None:
    """(6) to (8): 0.2 x 4,800 J in kWh; 20 x 0.008 kW for each repetition, as printed."""
    costs = paper(alpha)
    assert usd(costs, "energy") == pytest.approx(alpha * 0.2 * KWH, rel=1e-12)
    assert usd(costs, "demand") == pytest.approx(alpha * 20 * 0.008, rel=1e-12)


@pytest.mark.parametrize("alpha", [1.0, ALPHA])
def test_wear_is_price_times_wearout_over_limit(alpha: float) -> None:
    """(9) to (12): writes and a tenth of the reads against 36.5 TB; starts and stops against 300,000."""
    costs = paper(alpha)
    assert usd(costs, "wear:ssd.0") == pytest.approx(alpha * 112.5 * (2e9 + 0.1e9) / 36.5e12, rel=1e-12)
    assert usd(costs, "wear:hdd.0") == pytest.approx(alpha * 18.0 * 2 / 300_000, rel=1e-12)


def test_service_is_a_fixed_estimate_and_the_sum_is_all_there_is() -> None:
    """(3), (6), (13)."""
    costs = paper(ALPHA, "service.once=40")
    by_hand = (
        112.5 + 18.0
        + ALPHA * (0.2 * KWH + 20 * 0.008 + 112.5 * 2.1e9 / 36.5e12 + 18.0 * 2 / 300_000)
        + 40.0
    )  # fmt: skip
    assert costs.usd == pytest.approx(by_hand, rel=1e-12)
    paid = {one.group for one in costs.components if one.usd}
    assert paid == {"purchase", "energy", "demand", "wear", "service"}


def test_demand_by_months_is_charged_for_the_time_not_for_each_run() -> None:
    """100,000 runs of 600 s are 1.9 years: 22.8 months of 0.16 USD, not 100,000."""
    costs = paper(ALPHA, "energy.demand=months")
    months = ALPHA * 600 / (365 * 86_400) * 12
    assert usd(costs, "demand") == pytest.approx(0.16 * months, rel=0.01)


def test_alpha_scales_only_what_it_should() -> None:
    one, many = paper(1.0, "service.once=40"), paper(ALPHA, "service.once=40")
    for before, after in zip(one.components, many.components, strict=True):
        assert before.key == after.key
        factor = 1.0 if before.scales == "once" else ALPHA
        assert after.usd == pytest.approx(factor * before.usd, rel=1e-9), before.key


def test_the_wear_of_the_default_does_not_charge_a_drive_twice() -> None:
    """Half of the SSD's life is used: the paper charges 1.5 times its price, the default once."""
    repeats = 0.5 * 36.5e12 / 2e9
    of = system("hybrid", ssd())
    twice = priced(of, book("wear.reads=0", preset=PAPER), Horizon("work", repeats))
    once = priced(of, book("wear.service_life=1000"), Horizon("work", repeats))
    assert usd(twice, "purchase:ssd.0", "wear:ssd.0") == pytest.approx(1.5 * 112.5)
    assert usd(once, "purchase:ssd.0", "wear:ssd.0") == pytest.approx(450.0)
