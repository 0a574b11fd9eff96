"""Figures beside a limit: what is printed compares as the figures do."""

from __future__ import annotations

import math

from hypothesis import example, given
from hypothesis import strategies as st

from iowatt.base.digits import apart

NUMBERS = st.floats(1e-6, 1e12)


@given(NUMBERS, NUMBERS, st.integers(1, 5))
@example(1199.7, 1200.0, 4)
@example(14.96, 15.0, 3)
@example(20.0, 15.0, 3)
def test_what_is_printed_compares_as_the_figures_do(value, limit, digits):
    shown = float(apart(value, limit, digits).replace(",", ""))
    assert (shown < limit, shown > limit) == (value < limit, value > limit)


@given(NUMBERS, st.integers(1, 5))
def test_no_more_digits_than_it_takes(value, digits):
    """Far from the limit, the digits asked for; integer digits are all kept."""
    shown = float(apart(value, 10 * value, digits).replace(",", ""))
    assert math.isclose(shown, value, rel_tol=0.51 * 10 ** (1 - digits))
