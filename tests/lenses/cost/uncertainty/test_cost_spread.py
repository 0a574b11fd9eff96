"""How totals spread under draws, against closed forms and against themselves."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cost_pricers import MadePricer, component, constant, figure, made_book, number, pricer
from iowatt.lenses.book.book import Book
from iowatt.lenses.book.keys import key_rule
from iowatt.lenses.cost.pricing.case import Horizon
from iowatt.lenses.cost.pricing.component import Costs
from iowatt.lenses.cost.result.uncertainty import Uncertainty
from iowatt.lenses.cost.uncertainty import sample
from iowatt.lenses.cost.uncertainty.spread import rank
from iowatt.lenses.wear import SECONDS_PER_YEAR

ONE_YEAR = Horizon("time", 1.0)
A, B, C = "purchase.price.a", "purchase.price.b", "failures.afr.c"


def three() -> Book:
    return made_book(figure(A, 10.0, 8.0, 14.0), figure(B, 11.0, 9.0, 12.0), figure(C, 1.0, 0.5, 3.0))


def spread_of(book: Book | None = None, **more: int) -> Uncertainty:
    systems = {"a": pricer(purchase=number(A), failures=number(C)), "b": pricer(purchase=number(B))}
    found = sample(systems, book or three(), ONE_YEAR, **more)
    assert found is not None
    return found


def triangle(share: float, low: float, mode: float, high: float) -> float:
    if share * (high - low) < mode - low:
        return low + math.sqrt(share * (high - low) * (mode - low))
    return high - math.sqrt((1 - share) * (high - low) * (high - mode))


def test_a_total_that_is_one_figure_has_the_quantiles_of_its_law() -> None:
    system = {"a": pricer(purchase=number(A))}
    found = sample(system, three(), ONE_YEAR, samples=1000)
    assert found is not None
    total = found.systems[0]
    for name, share in {"p5": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95}.items():
        # One draw in each thousandth of the law: a quantile is off by less than two of them.
        least, most = (triangle(share + off, 8.0, 10.0, 14.0) for off in (-0.002, 0.002))
        assert least <= getattr(total.quantiles, name) <= most, name
    assert total.mean == pytest.approx(32.0 / 3.0, rel=1e-4)
    assert total.sd == pytest.approx(math.sqrt((64 + 100 + 196 - 80 - 112 - 140) / 18.0), rel=5e-3)
    assert total.usd == 10.0


def test_a_log_triangle_has_its_quantiles() -> None:
    book = made_book(figure(A, 10.0, 1.0, 100.0))
    found = sample({"a": pricer(purchase=number(A))}, book, ONE_YEAR, samples=1000)
    assert found is not None
    assert found.systems[0].quantiles.p50 == pytest.approx(10.0, rel=0.01)
    assert found.systems[0].quantiles.p5 == pytest.approx(10 ** (2 * math.sqrt(0.05 / 2)), rel=0.01)
    assert found.figures[0].law == "log-triangular"


def test_the_share_of_the_cheapest_is_that_of_the_laws() -> None:
    # a is a triangle over 0 to 2 around 1, b 0.5 always, so a is cheaper where a < 0.5: 1/8.
    book = made_book(figure(A, 1.0, 0.0, 2.0))
    found = sample(
        {"a": pricer(purchase=number(A)), "b": pricer(purchase=constant(0.5))}, book, ONE_YEAR, samples=400
    )
    assert found is not None
    assert found.systems[0].cheapest_share == pytest.approx(0.125, abs=1 / 400)
    assert found.differences[0].share_b_cheaper == pytest.approx(0.875, abs=1 / 400)


def test_what_all_systems_share_moves_no_difference() -> None:
    systems = {"a": pricer(purchase=number(A)), "b": pricer(purchase=number(A), service=constant(3.0))}
    found = sample(systems, three(), ONE_YEAR, samples=50)
    assert found is not None
    apart = found.differences[0]
    assert apart.sd == pytest.approx(0.0, abs=1e-12)
    assert apart.quantiles.p5 == pytest.approx(3.0)
    assert found.systems[0].sd > 1.0


def test_systems_that_cost_the_same_share_the_draws() -> None:
    systems = {name: pricer(purchase=number(A)) for name in ("a", "b")}
    found = sample(systems, three(), ONE_YEAR, samples=50)
    assert found is not None
    assert [one.cheapest_share for one in found.systems] == [0.5, 0.5]


def test_rounding_makes_nobody_the_cheapest() -> None:
    parts = pricer(
        purchase=lambda book, years: 0.1 * book.number(A), service=lambda book, years: 0.2 * book.number(A)
    )
    whole = pricer(purchase=lambda book, years: 0.3 * book.number(A))
    found = sample({"parts": parts, "whole": whole}, three(), ONE_YEAR, samples=50)
    assert found is not None
    assert found.differences[0].curve[0] != found.differences[0].curve[-1]
    assert [one.cheapest_share for one in found.systems] == [0.5, 0.5]


def test_groups_add_up_to_the_total() -> None:
    found = spread_of(samples=100)
    assert [one.group for one in found.systems[0].groups] == ["purchase", "failures"]
    assert sum(one.usd for one in found.systems[0].groups) == pytest.approx(found.systems[0].usd, rel=1e-12)
    assert [one.group for one in found.systems[1].groups] == ["purchase"]


def test_the_same_seed_gives_the_same_and_another_one_another() -> None:
    assert spread_of(samples=60, seed=5).as_dict() == spread_of(samples=60, seed=5).as_dict()
    assert spread_of(samples=60, seed=5).as_dict() != spread_of(samples=60, seed=6).as_dict()


def test_the_order_of_figures_and_of_systems_does_not_matter() -> None:
    found = spread_of(samples=60)
    book = three()
    turned = made_book(*reversed(book.figures.values()))
    assert spread_of(turned, samples=60).as_dict() == found.as_dict()
    systems = {"b": pricer(purchase=number(B)), "a": pricer(purchase=number(A), failures=number(C))}
    other = sample(systems, book, ONE_YEAR, samples=60)
    assert other is not None
    assert {one.name: one for one in other.systems} == {one.name: one for one in found.systems}
    assert other.differences[0].mean == pytest.approx(-found.differences[0].mean)
    assert other.differences[0].share_b_cheaper == pytest.approx(1.0 - found.differences[0].share_b_cheaper)


def test_without_a_range_there_is_nothing_to_draw() -> None:
    assert sample({"a": pricer(purchase=number(A))}, made_book(figure(A, 10.0)), ONE_YEAR) is None


def test_later_dollars_count_less_where_they_are_present_ones() -> None:
    def priced(book: Book, horizon: Horizon) -> Costs:
        return Costs("later", (component("service", 100.0, 2 * SECONDS_PER_YEAR),), 0.0, 0.0)

    book = made_book(figure("discount.rate", 0.1, 0.0, 0.2))
    found = sample({"a": MadePricer(priced)}, book, ONE_YEAR, samples=20)
    assert found is not None
    assert found.systems[0].usd == pytest.approx(100.0 / 1.1**2)
    assert sample({"a": MadePricer(priced)}, book, ONE_YEAR, samples=20, dollars="paid") is None


def test_the_book_handed_in_is_not_marked_by_draws() -> None:
    book = three()
    spread_of(book, samples=20)
    assert book.used == {}


def test_ranks_are_those_of_all_of_iowatt() -> None:
    ordered = np.arange(1.0, 101.0)
    assert [rank(ordered, share) for share in (0.05, 0.5, 0.55, 0.951)] == [5.0, 50.0, 55.0, 96.0]
    assert rank(np.array([3.0]), 0.01) == 3.0


def test_the_document_is_json() -> None:
    rule = key_rule(A)
    assert rule is not None
    found = json.loads(json.dumps(spread_of(samples=30).as_dict(), allow_nan=False))
    assert found["samples"] == 30
    assert [one["key"] for one in found["figures"]] == [C, A, B]
    assert found["figures"][1] == {
        "key": A, "unit": "USD/GB", "text": rule.text, "law": "triangular",
        "low": 8.0, "mode": 10.0, "high": 14.0,
    }  # fmt: skip
    assert len(found["systems"][0]["curve"]) == 99
    assert set(found["systems"][0]["quantiles"]) == {"p5", "p25", "p50", "p75", "p95"}
    assert set(found["differences"][0]) == {
        "a", "b", "usd", "mean", "sd", "quantiles", "curve", "share_above", "share_b_cheaper",
    }  # fmt: skip


def test_the_place_of_a_figure_among_its_draws_is_that_of_its_law() -> None:
    book = made_book(figure(A, 10.0, 8.0, 14.0), figure(B, 9.0, 9.0, 12.0))
    systems = {"a": pricer(purchase=number(A)), "b": pricer(purchase=number(B))}
    found = sample(systems, book, ONE_YEAR, samples=1000)
    assert found is not None
    # Below the mode of a triangle is the share (mode - low) / (high - low): a third; at its low end, none.
    assert [one.share_above for one in found.systems] == pytest.approx([2.0 / 3.0, 1.0], abs=2e-3)
    fixed = sample(
        {"a": pricer(purchase=number(A)), "c": pricer(purchase=constant(5.0))}, three(), ONE_YEAR, samples=20
    )
    assert fixed is not None
    assert fixed.systems[1].share_above == 0.5


@settings(max_examples=30, deadline=None)
@given(
    low=st.floats(0.0, 100.0), up=st.floats(0.001, 100.0), more=st.floats(0.0, 100.0),
    seed=st.integers(0, 2**63), fixed=st.floats(0.0, 300.0),
)  # fmt: skip
def test_quantiles_are_in_order_and_within_the_range(
    low: float, up: float, more: float, seed: int, fixed: float
) -> None:
    book = made_book(figure(A, low + up, low, low + up + more))
    systems = {"a": pricer(purchase=number(A)), "b": pricer(purchase=constant(fixed))}
    found = sample(systems, book, ONE_YEAR, samples=25, seed=seed)
    assert found is not None
    curve = found.systems[0].curve
    assert list(curve) == sorted(curve)
    assert low <= curve[0]
    assert curve[-1] <= low + up + more
    assert sum(one.cheapest_share for one in found.systems) == pytest.approx(1.0)
