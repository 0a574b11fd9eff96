"""Numbers as a reader sees them."""

from __future__ import annotations

import math

import pytest

from iowatt.render import numbers
from iowatt.render.figure import Column
from iowatt.render.phrases import between, listed

NBSP = "\u00a0"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (0.012345, "0.0123"),
        (9.996, "10.0"),
        (99.96, "100"),
        (387.4, "387"),
        (12345.6, "12,346"),
        (-0.5, "-0.500"),
        (None, "–"),
        (math.nan, "–"),
        (math.inf, "–"),
    ],
)
def test_three_digits_and_no_integer_digit_lost(value, shown):
    assert numbers.significant(value) == shown


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (0.02, "ms", "20.0 µs"),
        (13.66, "ms", "13.7 ms"),
        (10_223.0, "ms", "10.2 s"),
        (3.67e6, "J", "3.67 MJ"),
        (0.0012, "J", "1.20 mJ"),
        (0.0, "J", "0 J"),
        (6195.0, "W", "6,195 W"),
        (61_950.0, "W", "62.0 kW"),
        (1.0752e12, "B", "1.08 TB"),
        (0.0491, "IOPS/W", "0.0491 IOPS/W"),
    ],
)
def test_units_scale_to_the_value(value, unit, shown):
    assert numbers.with_unit(value, unit) == shown.replace(" ", NBSP)


def test_a_small_share_is_not_called_nothing():
    assert numbers.percent(0.0001) == f"<{NBSP}0.1{NBSP}%"
    assert numbers.percent(0.0) == f"0{NBSP}%"
    assert numbers.percent(0.649) == f"64.9{NBSP}%"
    assert numbers.percent(59.74) == f"5,974{NBSP}%"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.5, "500 ms"), (45, "45 s"), (600, "10 min"), (9000, "2.5 h"), (3 * 86400, "3 days")],
)
def test_durations(seconds, shown):
    assert numbers.duration(seconds) == shown.replace(" ", NBSP)


def test_cells_of_a_table():
    assert Column("Requests").show(1234567) == "1,234,567"
    assert Column("Mean", "ms").show(13.6612) == "13.66"
    assert Column("Mean", "ms").show(None) == "–"
    assert Column("Mean", "ms").heading.split() == ["Mean", "(ms)"]


def test_phrases():
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert between([0.9, 1.25]) == f"0.900 to 1.25{NBSP}ms"
    assert between([900.0, 1500.0]) == f"0.900 to 1.50{NBSP}s"
