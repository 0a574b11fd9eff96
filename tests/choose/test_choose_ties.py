"""Near-ties of an answer: what is about as dear and better in another respect."""

from __future__ import annotations

import pytest

from iowatt.evaluate.choose.result import Choose, SystemFigures, TooClose
from iowatt.evaluate.choose.ties import near_ties
from iowatt.pages.choose import answer_sentences


def _system(title: str, usd: float, watts: float, p95_ms: float, loss: float) -> SystemFigures:
    return SystemFigures(
        family=title, title=title, devices=[], count=4, unit="drives", confirmed=True, usd=usd, by_group={},
        purchase_usd=usd, watts=watts, p50_ms=None, p95_ms=p95_ms, p99_ms=None, levels=[], usable_tb=10.0,
        rack_units=4, loss_per_year=loss, carbon_kg=None, utilisation=None, evidence="A", missed=[],
    )  # fmt: skip


SATA = _system("sata", 21_300.0, 320.0, 0.2, 7e-5)
DISKS = _system("disks", 25_501.0, 539.0, 19.4, 7e-6)
TLC = _system("tlc", 25_538.0, 339.0, 0.137, 3e-6)


def _close(family: str) -> TooClose:
    return TooClose(title=family, family=family, share=0.3, decides=None, text="", at=None, unit="")


def _answer(ranked, close=()) -> Choose:
    return Choose(
        name="small", asked="2 TB", years=5, winner=ranked[0], next=ranked[1], too_close=list(close),
        near_ties=near_ties(ranked, close), families=[], systems=[], errors=[], break_evens=[], relaxed=[],
        what_if=[], footprints=[], cost=None, scenarios=[], simulations=3, notes=[],
    )  # fmt: skip


def test_what_costs_as_much_as_the_next_and_does_better_is_a_near_tie():
    [tie] = near_ties([SATA, DISKS, TLC], [])
    assert (tie.title, tie.beside) == ("tlc", "disks")
    assert {one.of: (one.value, one.beside) for one in tie.better} == {
        "watts": (339.0, 539.0),
        "p95_ms": (0.137, 19.4),
        "loss_per_year": (3e-6, 7e-6),
    }
    assert tie.worse == []


def test_what_is_worse_of_it_is_told_as_well():
    lossy = TLC.model_copy(update={"loss_per_year": 7e-5})
    [tie] = near_ties([SATA, DISKS, lossy], [])
    assert [(one.of, one.value, one.beside) for one in tie.worse] == [("loss_per_year", 7e-5, 7e-6)]


@pytest.mark.parametrize(
    "third",
    [
        TLC.model_copy(update={"usd": 27_000.0}),
        TLC.model_copy(update={"watts": 530.0, "p95_ms": 19.0, "loss_per_year": 7e-6}),
        TLC.model_copy(update={"usd": None}),
    ],
    ids=["dear", "no better", "without a price"],
)
def test_others_are_none(third):
    assert near_ties([SATA, DISKS, third], []) == []


def test_prices_that_do_not_tell_it_from_the_cheapest_make_one():
    [tie] = near_ties([SATA, DISKS.model_copy(update={"usd": 24_000.0}), TLC], [_close("tlc")])
    assert (tie.beside, [one.of for one in tie.better]) == ("sata", ["loss_per_year"])


def test_the_verdict_names_it_after_the_next_once():
    lines = list(answer_sentences(_answer([SATA, DISKS, TLC])))
    assert "tlc" in lines[2]
    assert "19.4" in lines[2]
    found = [line for line in answer_sentences(_answer([SATA, DISKS, TLC], [_close("tlc")])) if "tlc" in line]
    assert len(found) == 1
