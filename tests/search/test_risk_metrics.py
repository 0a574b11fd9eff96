"""Durability as a metric: a column of every point, a constraint and an objective of an optimization."""

from __future__ import annotations

from pathlib import Path

import pytest

import iowatt
from iowatt.evaluate.search.risk import RiskBasis
from refused import refused

SCENARIO = """name = "n"
[[workload]]
name = "w"
profile = { name = "uniform", requests = 100, rate_iops = 50 }
[[array.pool]]
name = "p"
device = "arrays2002-disk"
count = 6
raid = { level = 5 }
"""
LOSS = "durability.loss_over_horizon"


def test_every_point_of_a_sweep_has_the_loss_of_a_year():
    frame = iowatt.sweep(SCENARIO, over=["array.pool.p.raid.level=5,6"])
    five, six = frame["durability.loss_per_year"].to_list()
    assert five > 50 * six > 0


def test_a_limit_of_loss_leaves_out_what_loses_more_and_assumptions_move_it():
    over = ["array.pool.p.raid.level=5,6"]
    found = iowatt.optimize(
        SCENARIO, over, minimize="response_time_ms.all.mean", subject_to=f"{LOSS} <= 1e-3", method="exact"
    )
    kept = found.frame.filter(found.frame[LOSS] <= 1e-3)
    assert kept["array.pool.p.raid.level"].to_list() == [6]
    assert found.document.winner is not None
    with refused("not-applicable", "tariff"):
        iowatt.optimize(SCENARIO, over, minimize=LOSS, tariff="flat:0.1")
    rates = [RiskBasis.of(assume=(f"failures.afr.hdd={rate}",)) for rate in (0.01, 0.02)]
    run = iowatt.run(SCENARIO)
    low, high = (one.columns(run, Path())[LOSS] for one in rates)
    assert high > 1.9 * low
    assert rates[0].digest != rates[1].digest
    assert rates[0].expected(run.plan)[LOSS] == pytest.approx(low, rel=0.2)
