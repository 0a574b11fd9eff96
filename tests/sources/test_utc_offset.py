"""Offsets from UTC: one reader for logs, options and vdbench."""

from __future__ import annotations

from datetime import UTC, timedelta, timezone

import pytest

from iowatt.sources import utc_offset
from iowatt.sources.meters import stamps
from iowatt.sources.vdbench.zones import Zones


@pytest.mark.parametrize(
    ("text", "minutes"),
    [("Z", 0), ("gmt", 0), ("+01:00", 60), ("-0800", -480), ("+5:30", 330), ("UTC+2", 120), ("-14", -840)],
)
def test_what_is_an_offset(text, minutes):
    expected = timezone(timedelta(minutes=minutes))
    assert utc_offset.parse(text) == expected == stamps.zone(text)
    Zones(text)


@pytest.mark.parametrize("text", ["", "+", "CET", "+15", "+14:30", "+01:60", "01:00", "+1:0", "+٠١:٠٠"])
def test_what_is_none(text):
    assert utc_offset.parse(text) is None


def test_utc_is_utc():
    assert utc_offset.parse("+00:00") == UTC
