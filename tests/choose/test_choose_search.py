"""The search beside small questions: its verdict does not depend on how a question is put, and costs follow
what is asked."""

from __future__ import annotations

import pytest

import iowatt
from iowatt.evaluate.choose import choose_request
from iowatt.evaluate.choose.conduct import trials_of
from iowatt.evaluate.choose.families import families_of
from iowatt.evaluate.choose.result import Missed, shortfall
from iowatt.evaluate.choose.search import search
from iowatt.pages.choose import answer_sentences

QUESTION = """
schema = "iowatt.question/1"
name = "small"
usable = "30TB"
requests = 1000
families = ["flash-sata", "flash-qlc"]

[[workload]]
name = "files"
profile = { name = "uniform", rate_iops = 2000, set = ["stream.uniform.read_share=70"] }
p95 = "12ms"

[durability]
loss_per_year = 1e-3
"""


def best(*changes: str, text: str = QUESTION, jobs: int | None = None):
    """The cheapest system and its dollars; None where none meets the requirements."""
    request = choose_request(text, changes=changes)
    with trials_of(request, jobs) as trials:
        found = search(families_of(request.question), [], trials)
    kept = [one.best for one in found if one.best is not None]
    chosen = min(kept, key=lambda one: (one.usd, one.system.title), default=None)
    return None if chosen is None else (chosen.system.title, chosen.usd)


@pytest.fixture(scope="module")
def plain():
    """The answer to the question as it is."""
    return best()


@pytest.mark.parametrize(
    "changes",
    [
        ("usable=30000GB",),
        ("workload.files.p95=0.012s",),
        ("workload.files.p95=12000us",),
        ('families=["flash-qlc", "flash-sata"]',),
        ("workload.files.times=2", "workload.files.profile.rate_iops=1000"),
    ],
)
def test_how_a_question_is_put_changes_nothing(plain, changes):
    assert best(*changes) == plain


def test_the_number_of_jobs_changes_nothing(plain):
    assert best(jobs=1) == best(jobs=3) == plain


@pytest.mark.parametrize("seed", [2, 3])
def test_another_seed_has_the_same_verdict(plain, seed):
    title, usd = best(f"seed={seed}")
    assert title == plain[0]
    assert usd == pytest.approx(plain[1], rel=0.01)


@pytest.mark.parametrize(
    "more",
    [
        "usable=45TB",
        "usable=60TB",
        "workload.files.times=4",
        "years=7",
        "growth=0.2",
        "durability.loss_per_year=1e-5",
    ],
)
def test_more_is_never_cheaper(plain, more):
    found = best(more)
    assert found is None or found[1] >= plain[1]


@pytest.mark.parametrize("looser", ["workload.files.p95=100ms", "durability.loss_per_year=1e-2"])
def test_a_looser_limit_is_never_dearer(plain, looser):
    assert best(looser)[1] <= plain[1]


def test_a_budget_that_the_cheapest_keeps_changes_nothing():
    disks = ('families=["disks-10k"]', "usable=3TB", "workload.files.profile.rate_iops=900")
    request = choose_request(QUESTION, changes=disks)
    with trials_of(request) as trials:
        [family] = search(families_of(request.question), [], trials)
    budget = 1.001 * family.best.row["cost.purchase_usd"]
    assert best(*disks, f"limits.budget={budget:.2f}") == (family.best.system.title, family.best.usd)


def test_under_a_budget_that_nothing_keeps_the_nearest_misses_that_alone_and_least(plain):
    found = iowatt.choose(QUESTION, set=["limits.budget=1"]).document
    assert found.winner is None
    near = min((one.best for one in found.families), key=lambda one: shortfall(one.missed))
    assert [one.what for one in near.missed] == ["budget"]
    assert near.usd == pytest.approx(plain[1], rel=0.01)
    assert list(answer_sentences(found))[1].startswith(near.title)


def test_what_does_less_than_the_load_is_never_the_nearest():
    def missed(what: str, limit: float, found: float) -> Missed:
        return Missed(what=what, limit=limit, found=found, unit="")

    late = [missed("load", 1.0, 0.05), missed("files.p95", 5.0, 9e3)]
    lossy = [missed("loss_per_year", 1e-4, 1.02e-4)]
    slow = [missed("files.p95", 5.0, 9.0)]
    assert sorted([late, slow, lossy], key=shortfall) == [lossy, slow, late]


def test_where_nothing_can_be_built_the_answer_says_why():
    found = iowatt.choose(QUESTION, set=["limits.rack_units=3"]).document
    said = list(answer_sentences(found))
    assert "nearest" not in said[0]
    assert all("takes 4 rack units" in one for one in said[1:])


def test_a_level_that_nothing_keeps_is_no_verdict():
    assert best("workload.files.p95=1us") is None


@pytest.mark.parametrize(
    ("change", "family"),
    [
        ('limits.vendors=["WD"]', None),
        ('limits.form_factors=["3.5"]', None),
        ("limits.rack_units=3", None),
        ('without=["flash-sata"]', "flash-qlc"),
    ],
)
def test_limits_leave_families_out(change, family):
    request = choose_request(QUESTION, changes=[change])
    with trials_of(request) as trials:
        found = search(families_of(request.question), [], trials)
    kept = {one.name for one in found if one.best is not None}
    assert kept == (set() if family is None else {family})
    assert all(one.refused for one in found if one.best is None)


def test_prices_turn_the_verdict_where_the_answer_says(plain):
    found = iowatt.choose(QUESTION).document
    assert found.winner.title == plain[0]
    turns = [
        (one.of.removeprefix("purchase.model."), at, winner, side)
        for one in found.break_evens
        if one.of.startswith("purchase.model.")
        for at, winner, side in ((one.below, one.below_winner, -1), (one.above, one.above_winner, 1))
        if at is not None
    ]
    assert turns
    for model, at, winner, side in turns:
        assert best(f'prices={{"{model}"={at * (1 + 0.02 * side):.4f}}}')[0] == winner
        assert best(f'prices={{"{model}"={at * (1 - 0.02 * side):.4f}}}')[0] == found.winner.title
