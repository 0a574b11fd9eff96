"""One figure at a time: exact of linear costs."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cost_pricers import constant, figure, made_book, number, pricer
from iowatt.lenses.book.book import Book
from iowatt.lenses.book.keys import key_rule
from iowatt.lenses.cost.pricing.case import Horizon
from iowatt.lenses.cost.uncertainty import tornado

ONE_YEAR = Horizon("time", 1.0)
A, B, C = "purchase.price.a", "purchase.price.b", "failures.afr.c"


def three() -> Book:
    return made_book(figure(A, 10.0, 8.0, 14.0), figure(B, 11.0, 9.0, 12.0), figure(C, 1.0, 0.5, 3.0))


def test_bars_of_a_linear_total_are_exact_and_the_largest_comes_first() -> None:
    system = pricer(
        purchase=lambda book, years: 2.0 * book.number(A) + 5.0 * book.number(C), fixed=constant(1.0)
    )
    (found,) = tornado({"a": system}, three(), ONE_YEAR)
    assert (found.of, found.system, found.usd) == ("total", "a", 26.0)
    assert [(bar.key, bar.usd_low, bar.usd_high, bar.swing) for bar in found.bars] == [
        (C, 23.5, 36.0, 12.5), (A, 22.0, 34.0, 12.0),
    ]  # fmt: skip
    assert found.without_effect == []
    assert not any(bar.flips for bar in found.bars)


def test_figures_without_effect_are_dropped_and_named() -> None:
    systems = {
        "a": pricer(purchase=number(A), failures=number(C)),
        "b": pricer(purchase=number(B), failures=number(C)),
    }
    total, _, apart = tornado(systems, three(), ONE_YEAR)
    assert [bar.key for bar in total.bars] == [A, C]
    assert total.without_effect == [B]
    assert (apart.of, apart.a, apart.b, apart.usd) == ("difference", "a", "b", 1.0)
    assert [(bar.key, bar.usd_low, bar.usd_high) for bar in apart.bars] == [(A, 3.0, -3.0), (B, -1.0, 2.0)]
    assert [bar.flips for bar in apart.bars] == [True, True]
    assert apart.without_effect == [C]


def test_a_figure_that_moves_both_ways_swings_as_far_as_it_does() -> None:
    system = pricer(purchase=lambda book, years: (book.number(A) - 10.0) ** 2)
    (found,) = tornado({"a": system}, three(), ONE_YEAR)
    assert (found.bars[0].usd_low, found.bars[0].usd_high, found.bars[0].swing) == (4.0, 16.0, 16.0)


def test_without_ranges_there_are_no_bars() -> None:
    (found,) = tornado({"a": pricer(purchase=number(A))}, made_book(figure(A, 1.0)), ONE_YEAR)
    assert (found.bars, found.without_effect, found.usd) == ([], [], 1.0)


def test_the_document_is_json() -> None:
    rule = key_rule(A)
    assert rule is not None
    shown = [one.as_dict() for one in tornado({"a": pricer(purchase=number(A))}, three(), ONE_YEAR)]
    (found,) = json.loads(json.dumps(shown, allow_nan=False))
    assert found["bars"] == [
        {
            "key": A, "unit": "USD/GB", "text": rule.text, "low": 8.0, "value": 10.0,
            "high": 14.0, "usd_low": 8.0, "usd_high": 14.0, "swing": 6.0, "flips": False,
        }
    ]  # fmt: skip


RANGES = st.tuples(st.floats(0.0, 1e3), st.floats(0.001, 1e3), st.floats(0.0, 1e3))


@settings(max_examples=40, deadline=None)
@given(
    ranges=st.lists(RANGES, min_size=1, max_size=5),
    slopes=st.lists(st.floats(-50.0, 50.0), min_size=5, max_size=5),
)
def test_swings_of_a_linear_total_are_slope_times_range(
    ranges: list[tuple[float, float, float]], slopes: list[float]
) -> None:
    figures = [
        figure(f"purchase.price.{i}", low + up, low, low + up + more)
        for i, (low, up, more) in enumerate(ranges)
    ]
    keys = [one.key for one in figures]
    system = pricer(
        purchase=lambda book, years: 1e3 + sum(s * book.number(k) for s, k in zip(slopes, keys, strict=False))
    )
    (found,) = tornado({"a": system}, made_book(*reversed(figures)), ONE_YEAR)
    wanted = {k: abs(s) * (up + more) for k, s, (_, up, more) in zip(keys, slopes, ranges, strict=False)}
    for bar in found.bars:
        assert bar.swing == pytest.approx(wanted[bar.key], rel=1e-6, abs=1e-6)
    assert [bar.swing for bar in found.bars] == sorted((bar.swing for bar in found.bars), reverse=True)
    assert {bar.key for bar in found.bars} | set(found.without_effect) == set(keys)
