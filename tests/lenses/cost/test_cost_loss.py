"""The expected cost of lost data: a component where it is priced; its probability is told beside dollars."""

from __future__ import annotations

import pytest

import iowatt
from iowatt.evaluate.rebuild import with_rebuilds
from iowatt.lenses.book import find_book
from iowatt.lenses.durability import DurableSystem, expected_loss

SCENARIO = """name = "n"
[[workload]]
name = "w"
profile = { name = "uniform", requests = 200, rate_iops = 100 }
[[array.pool]]
name = "p"
device = "arrays2002-disk"
count = 8
raid = { level = 5 }
"""


@pytest.fixture(scope="module")
def run():
    return iowatt.run(SCENARIO)


def test_only_a_priced_loss_costs_anything_and_it_is_its_expected_value(run):
    assume = ["purchase.model.arrays2002-disk=100"]
    (free,) = iowatt.cost(run, assume=assume, samples=0).systems
    assert "loss" not in free.by_group
    assert free.loss_over_horizon > free.loss_per_year > 0
    prices = {"usd_per_loss": 5000.0, "usd_per_lost_gb": 40.0, "usd_per_unavailable_hour": 3.0}
    priced = iowatt.cost(
        run, assume=[*assume, *(f"durability.{k}={v}" for k, v in prices.items())], samples=0
    )
    (system,) = priced.systems
    losses = {one.key: one for one in system.components if one.group == "loss"}
    expected = expected_loss(with_rebuilds(DurableSystem.of_run(run)), find_book("default"), 5.0, hours=True)
    # The probability of a loss is the one that durability and the table of totals tell.
    assert free.loss_over_horizon == expected.loss_over_horizon
    over_horizon = {
        "usd_per_loss": expected.loss_over_horizon,
        "usd_per_lost_gb": 5 * expected.bytes_lost_per_year / 1e9,
        "usd_per_unavailable_hour": 5 * expected.unavailable_hours_per_year,
    }
    for name, usd in prices.items():
        assert losses[f"loss:{name}"].usd == pytest.approx(over_horizon[name] * usd)
    assert system.usd - free.usd == pytest.approx(sum(one.usd for one in losses.values()))
    assert {"durability.usd_per_loss", "failures.afr.hdd", "durability.scrub_days"} <= {
        one.key for one in priced.assumptions
    }


def test_what_a_loss_rests_on_varies_with_the_other_assumptions(run):
    assume = ["purchase.model.arrays2002-disk=100", "durability.usd_per_loss=1e6"]
    found = iowatt.cost(run, assume=assume, samples=20)
    assert "durability.latent.hdd-enterprise" in {one.key for one in found.uncertainty.figures}
