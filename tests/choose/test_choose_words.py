"""How an answer is said: what is close, what a looser limit admits, what prices rest on."""

from __future__ import annotations

import pytest
from test_choose_ties import SATA, TLC

import iowatt
from iowatt.evaluate.choose.result import Choose, FamilyAnswer, Missed, OtherFootprint, Relaxed, TooClose
from iowatt.pages.choose import answer_sentences, document

LOSS = Relaxed(
    what="loss_per_year", limit=1e-4, needed=1.016e-4, unit="probability", title="tiered", family="tiers",
    usd=20_000.0, default=True,
)  # fmt: skip
LATE = Missed(what="load", limit=1.0, found=0.58, unit="share of the load")
SLOW = Missed(what="load.p95", limit=5.0, found=9e3, unit="ms")


def _answer(*, close: list[TooClose] | None = None, relaxed: Relaxed = LOSS, otherwise: str = "tiered"):
    other = OtherFootprint(title=otherwise, footprint="stretch", p95_ms=9e3, usd=2e4, missed=[LATE, SLOW])
    tiers = FamilyAnswer(
        name="tiers", title="Tiers", best=None, designs=1, simulated=1, refused=None, otherwise=other
    )
    return Choose(
        name="small", asked="2 TB", years=5, winner=SATA, next=TLC, too_close=close or [], families=[tiers],
        systems=[], errors=[], break_evens=[], relaxed=[relaxed], what_if=[], footprints=[], cost=None,
        scenarios=[], simulations=3, notes=[],
    )  # fmt: skip


def _said(found: Choose) -> str:
    return "\n".join(answer_sentences(found)).replace("\u00a0", " ")


def test_a_limit_that_nobody_stated_is_called_the_default_and_both_figures_read_alike():
    assert "data loss of 1.02e-4 is acceptable (the default: 1.00e-4)" in _said(_answer())
    asked = LOSS.model_copy(update={"default": False})
    assert "(asked: 1.00e-4)" in _said(_answer(relaxed=asked))


def test_two_amounts_that_would_read_alike_keep_their_unit():
    budget = LOSS.model_copy(
        update={"what": "budget", "limit": 20_000.0, "needed": 20_004.0, "unit": "USD", "default": False}
    )
    assert "$20,004 is acceptable (asked: $20,000)" in _said(_answer(relaxed=budget))


def test_the_other_footprint_is_told_of_the_system_that_had_it_without_times_of_an_overload():
    said = _said(_answer())
    assert 'with footprint = "stretch" instead, it does only 58 % of the load.' in said
    assert "load.p95" not in said
    assert "stretch" not in _said(_answer(otherwise="another"))


def test_the_price_that_decides_is_said_beside_its_break_even():
    close = TooClose(
        title="tlc", family="tlc", share=0.3, decides="purchase.model.x", text="Price of x", now=5660.0,
        at=5430.0, unit="USD",
    )  # fmt: skip
    assert "Price of x (now $5.66k) decides: break-even at $5.43k." in _said(_answer(close=[close]))


def test_the_table_of_the_other_footprint_names_its_system():
    [section] = [one for one in document(_answer()).sections if one.key == "footprint"]
    assert section.figures[-1].table.rows[0][1] == "tiered"


QUESTION = """
schema = "iowatt.question/1"
name = "small"
usable = "4TB"
requests = 1000
families = ["flash-sata", "disks-7k"]

[[workload]]
name = "files"
profile = { name = "uniform", rate_iops = 20 }
p95 = "1s"
"""


@pytest.fixture(scope="module")
def notes():
    """Notes of a small answer, by code."""
    return {one.code: one.text for one in iowatt.choose(QUESTION).document.notes}


def test_prices_say_how_old_they_are(notes):
    assert "(20" in notes["price-dates"]


def test_controllers_that_cost_more_than_the_drives_are_said_with_the_way_out(notes):
    assert "of what the cheapest system costs" in notes["parts"]
    assert 'chassis = "nas"' in notes["parts"]


def test_one_box_says_nothing_of_controllers():
    codes = {one.code for one in iowatt.choose(QUESTION, set=['chassis="nas"']).document.notes}
    assert "parts" not in codes
