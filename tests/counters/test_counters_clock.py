"""Stamps in the orders of locales, and intervals between stamps in whole seconds."""

from __future__ import annotations

import math

import pytest

from iowatt.counters.clock import Stamp, lengths, stamp, time_of_day


@pytest.mark.parametrize(
    "text",
    [
        "11/21/26 14:58:05", "11/21/2026 02:58:05 PM", "21.11.2026 14:58:05", "21/11/2026 14:58:05",
        "2026-11-21T14:58:05+0000", "2026-11-21T14:58:05Z", "2026-11-21 14:58:05 UTC", "Time: 02:58:05 PM",
        "11/21/2026 14:58:05.000", "14:58:05", "21/11/26 02:58:05 PM UTC", "21.11.2026 14.58.05",
        "02:58:05 p.m.",
        "2026\u5e7411\u670821\u65e5 14\u65f658\u520605\u79d2",
        "2026\ub144 11\uc6d4 21\uc77c 14\uc2dc 58\ubd84 05\ucd08",
    ],
)  # fmt: skip
def test_every_way_to_write_a_stamp(text: str) -> None:
    found = stamp(text)
    assert found is not None
    assert found.seconds == 14 * 3600 + 58 * 60 + 5


@pytest.mark.parametrize(
    "text", ["", "vda", "25:00:00", "10:61:00", "13:00:00 PM", "14.58", "45/45/2020 10:00:00", "1" * 80]
)
def test_what_is_no_stamp(text: str) -> None:
    assert stamp(text) is None


def test_noon_and_midnight() -> None:
    assert time_of_day("12:00:01 AM") == 1
    assert time_of_day("12:00:01 PM") == 43_201


def test_days_are_read_so_that_stamps_are_close() -> None:
    def between(before: str, after: str) -> float:
        a, b = stamp(before), stamp(after)
        assert a is not None
        assert b is not None
        return b.since(a)

    assert between("03/04/2016 23:59:50", "03/05/2016 00:00:00") == 10  # month first
    assert between("04/03/2016 23:59:50", "05/03/2016 00:00:00") == 10  # day first
    assert between("31/03/2016 23:59:50", "01/04/2016 00:00:00") == 10
    assert between("23:59:50", "00:00:00") == 10
    assert between("2016-03-04 10:00:00", "2016-03-04 09:00:00") == -3600


def test_rounded_stamps_keep_the_length_and_leave_no_empty_interval() -> None:
    stamps = [Stamp(s) for s in (10.0, 12.0, 12.0, 13.0, 14.0)]
    assert lengths(Stamp(9.0), stamps) == [1.0] * 5
    assert lengths(None, stamps) == [1.0] * 5  # the first is as long as the others


def test_fine_stamps_and_changing_intervals_stay() -> None:
    assert lengths(Stamp(0.0), [Stamp(10.0), Stamp(70.0)]) == [10.0, 60.0]
    assert lengths(Stamp(0.0), [Stamp(1.25), Stamp(2.0)]) == [1.25, 0.75]


def test_one_stamp_alone_has_no_length() -> None:
    assert math.isnan(lengths(None, [Stamp(5.0)])[0])
    assert lengths(None, []) == []


def test_a_clock_that_was_set_back_is_told_by_its_place() -> None:
    with pytest.raises(ValueError) as raised:
        lengths(Stamp(100.0), [Stamp(200.0), Stamp(150.0)])
    assert raised.value.args == (1,)
