"""Laws of figures against their closed forms, and draws that stratify them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cost_pricers import constant, figure, made_book, number, pricer
from iowatt.base.errors import Argument
from iowatt.lenses.cost.pricing.case import Horizon
from iowatt.lenses.cost.uncertainty.sampling import FigureDistribution, draws, law_of, strata, varied
from refused import refused

ONE_YEAR = Horizon("time", 1.0)


def law(low: float, mode: float, high: float) -> FigureDistribution:
    found = law_of(figure("cooling.pue", mode, low, high))
    assert found is not None
    return found


def test_a_triangle_has_its_quantiles() -> None:
    # F(4) = 3 / 8; F^-1(0.2) = 1 + sqrt(0.2 x 8 x 3); F^-1(0.8) = 9 - sqrt(0.2 x 8 x 5).
    got = law(1.0, 4.0, 9.0).quantile(np.array([0.0, 0.2, 0.375, 0.8, 1.0]))
    assert got == pytest.approx([1.0, 1.0 + math.sqrt(4.8), 4.0, 9.0 - math.sqrt(8.0), 9.0], rel=1e-12)


@pytest.mark.parametrize(("mode", "median"), [(0.0, 1.0 - math.sqrt(0.5)), (1.0, math.sqrt(0.5))])
def test_the_value_may_be_an_end_of_its_range(mode: float, median: float) -> None:
    assert law(0.0, mode, 1.0).quantile(np.array([0.5]))[0] == pytest.approx(median, rel=1e-12)


def test_a_range_of_more_than_ten_is_a_triangle_of_logarithms() -> None:
    wide = law(1.0, 10.0, 100.0)
    assert wide.kind == "log-triangular"
    assert wide.quantile(np.array([0.125, 0.5, 0.875])) == pytest.approx([10**0.5, 10.0, 10**1.5], rel=1e-12)
    assert law(1.0, 2.0, 10.0).kind == "triangular"
    assert law(0.0, 2.0, 100.0).kind == "triangular"


def test_words_and_figures_without_a_range_have_no_law() -> None:
    assert law_of(figure("wear.charge", "paper")) is None
    assert law_of(figure("cooling.pue", 1.5)) is None
    assert law_of(figure("cooling.pue", 1.5, 1.5, 1.5)) is None


def test_one_end_alone_is_a_range() -> None:
    assert law_of(figure("cooling.pue", 1.5, 1.1)) == FigureDistribution(
        "cooling.pue", "triangular", 1.1, 1.5, 1.5
    )


@given(
    low=st.floats(-1e3, 1e3), up=st.floats(1e-6, 1e3), more=st.floats(0.0, 1e3),
    shares=st.lists(st.floats(0.0, 1.0), min_size=2, max_size=20),
)  # fmt: skip
def test_quantiles_rise_and_stay_within_the_range(
    low: float, up: float, more: float, shares: list[float]
) -> None:
    mode, high = low + up, low + up + more
    found = law(low, mode, high)
    got = found.quantile(np.sort(shares))
    assert (got >= low).all()
    assert (got <= high).all()
    assert (np.diff(got) >= 0.0).all()


def test_each_stratum_is_drawn_from_once() -> None:
    got = strata("cooling.pue", 1000, 7)
    assert sorted(np.floor(got * 1000).astype(int)) == list(range(1000))
    assert abs(np.corrcoef(got, strata("energy.factor", 1000, 7))[0, 1]) < 0.1


def test_a_seed_gives_the_same_strata_for_ever() -> None:
    # Raw words of PCG-64 of the seed and the SHA-256 of the key, so no version of NumPy may change them.
    assert strata("cooling.pue", 4, 1) == pytest.approx(
        [0.7425643910950493, 0.3035681785097447, 0.7843076312635677, 0.1957830443400636], abs=1e-15
    )


def test_a_figure_more_reshuffles_no_other() -> None:
    few = [law(1.0, 1.5, 2.0)]
    more = [
        FigureDistribution("a.first", "triangular", 0.0, 1.0, 2.0),
        *few,
        FigureDistribution("z.last", "triangular", 0.0, 1.0, 2.0),
    ]
    alone = [one["cooling.pue"] for one in draws(few, 50, 3)]
    assert [one["cooling.pue"] for one in draws(more, 50, 3)] == alone
    assert [one["cooling.pue"] for one in draws(few, 50, 4)] != alone


def test_the_mean_of_draws_is_that_of_the_triangle() -> None:
    # (low + mode + high) / 3; a hypercube of 500 is within a thousandth of the range.
    got = [one["cooling.pue"] for one in draws([law(1.0, 1.2, 2.0)], 500, 1)]
    assert np.mean(got) == pytest.approx(1.4, abs=1e-3)


def test_too_few_draws_and_bad_seeds_are_refused() -> None:
    with refused("out-of-range", Argument("samples")):
        draws([law(1.0, 1.5, 2.0)], 19, 1)
    with refused("out-of-range", Argument("seed")):
        draws([law(1.0, 1.5, 2.0)], 20, -1)


def test_only_figures_that_a_system_asks_for_are_varied() -> None:
    book = made_book(figure("cooling.pue", 1.5, 1.1, 2.0), figure("energy.factor", 1.0, 0.5, 2.0))
    systems = {"a": pricer(cooling=number("cooling.pue")), "b": pricer(service=constant(1.0))}
    assert [one.key for one in varied(systems, book, ONE_YEAR, "paid")] == ["cooling.pue"]


def test_what_is_asked_for_only_at_the_end_of_a_range_is_varied_too() -> None:
    book = made_book(figure("carbon.price", 0.0, 0.0, 200.0), figure("carbon.grid", 481.0, 300.0, 713.0))
    priced = pricer(
        carbon=lambda book, years: (
            (price := book.number("carbon.price")) and price * book.number("carbon.grid")
        )
    )
    found = varied({"a": priced}, book, ONE_YEAR, "paid")
    assert [one.key for one in found] == ["carbon.grid", "carbon.price"]


def test_the_discount_rate_is_asked_for_where_dollars_are_present_ones() -> None:
    book = made_book(figure("discount.rate", 0.0, 0.0, 0.08))
    systems = {"a": pricer(service=constant(1.0))}
    assert [one.key for one in varied(systems, book, ONE_YEAR, "present")] == ["discount.rate"]
    assert varied(systems, book, ONE_YEAR, "paid") == ()
