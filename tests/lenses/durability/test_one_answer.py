"""Every verb that judges a system by its durability has the same figure for it."""

from __future__ import annotations

import pytest

import iowatt
from iowatt.evaluate import rebuild
from iowatt.evaluate.search.metrics import basis_line
from iowatt.pages.optimize import document
from iowatt.render.numbers import probability, rounded_to, significant

SCENARIO = """name = "n"
[[workload]]
name = "w"
profile = { name = "uniform", requests = 200, rate_iops = 100 }
[[array.pool]]
name = "p"
device = "arrays2002-disk"
count = 6
raid = { level = 5 }
"""
PRICE = "purchase.model.arrays2002-disk=100"
LOSS = "durability.loss_over_horizon"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "n.toml"
    path.write_text(SCENARIO)
    return path


def test_durability_cost_and_optimize_agree_to_the_last_digit(path):
    said = iowatt.durability(path)
    assert said.rebuilds[0].basis == "simulated"
    run = iowatt.run(path)
    assert iowatt.durability(run).loss_over_horizon == said.loss_over_horizon
    (priced,) = iowatt.cost(run, assume=[PRICE], samples=0).systems
    assert (priced.loss_over_horizon, priced.loss_per_year) == (
        said.loss_over_horizon.value,
        said.loss_per_year.value,
    )
    assert priced.rebuilds == said.rebuilds
    found = iowatt.optimize(
        path, ["array.pool.p.count=6,7"], minimize=LOSS, subject_to=f"{LOSS} <= 0.5", method="exact"
    )
    six = found.frame.filter(found.frame["array.pool.p.count"] == 6).to_dicts()[0]
    assert six[LOSS] == said.loss_over_horizon.value
    assert (six["durability.rebuild"], six["durability.rebuild_s"]) == (
        "simulated",
        said.rebuilds[0].seconds,
    )
    # A page has the same notation for it, and no percentage of the limit.
    page = document(found.document, found.frame)
    winner = next(one for one in page.sections[0].figures if one.key == "winner").table
    limit = next(row for row in winner.rows if str(row[0]).startswith(LOSS))
    assert limit[1] == probability(said.loss_over_horizon.value)
    assert f"{significant(rounded_to(0.5 / six[LOSS], 3))} times" in limit[2]


def test_what_is_not_simulated_says_so(path):
    run = iowatt.run(path)
    (stated,) = iowatt.cost(run, assume=[PRICE], samples=0, rebuild="stated").systems
    assert stated.rebuilds[0].basis == "stated"
    rows = iowatt.sweep(path, over=["array.pool.p.count=6"]).to_dicts()
    assert rows[0]["durability.rebuild"] == "stated"
    assert rows[0]["durability.loss_per_year"] == stated.loss_per_year
    assert basis_line(rows) != basis_line([{**rows[0], "durability.rebuild": "simulated"}])


def test_an_overloaded_scenario_and_its_run_have_one_rebuild(path):
    # A loop of many requests keeps its drives busy, and nothing is rebuilt beside it.
    starved = ["workload.w.replay={ mode = 'closed', outstanding = 64 }", "workload.w.profile.requests=2000"]
    said = iowatt.durability(path, set=starved)
    assert said.overload
    assert said.rebuilds[0].basis == "stated"
    of_run = iowatt.durability(iowatt.run(path, set=starved))
    assert (of_run.overload, of_run.rebuilds) == (said.overload, said.rebuilds)


def test_the_cost_of_a_run_with_a_failure_says_first_that_it_is_repeated(path):
    failed = iowatt.run(path, set=["array.pool.p.failure=[{drive=1, at='0s'}]", "array.pool.p.spares=1"])
    (priced,) = iowatt.cost(failed, assume=[PRICE], samples=0).systems
    assert (priced.cautions[0].code, priced.cautions[0].decides) == ("failure-repeated", True)
    (sound,) = iowatt.cost(iowatt.run(path), assume=[PRICE], samples=0).systems
    assert "failure-repeated" not in {note.code for note in sound.cautions}


def test_a_rebuild_is_simulated_once(path, monkeypatch):
    made = []
    simulate = rebuild.simulate
    monkeypatch.setattr(rebuild, "simulate", lambda *args, **more: made.append(1) or simulate(*args, **more))
    rebuild._kept.clear()
    first, run = iowatt.durability(path), iowatt.run(path)
    assert iowatt.durability(run).rebuilds == first.rebuilds
    iowatt.cost(run, assume=[PRICE], samples=0)
    assert len(made) == 1
