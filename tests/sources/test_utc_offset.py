"""Offsets from UTC: one reader for logs, options and vdbench."""

from __future__ import annotations

from datetime import UTC, timedelta, timezone

import pytest

from iowatt.sources import stamps, time_zones
from iowatt.sources.time_zones import StampZones


@pytest.mark.parametrize(
    ("text", "minutes"),
    [("Z", 0), ("gmt", 0), ("+01:00", 60), ("-0800", -480), ("+5:30", 330), ("UTC+2", 120), ("-14", -840)],
)
def test_what_is_an_offset(text, minutes):
    expected = timezone(timedelta(minutes=minutes))
    assert time_zones.parse_utc_offset(text) == expected == stamps.zone(text)
    StampZones(text)


@pytest.mark.parametrize("text", ["", "+", "CET", "+15", "+14:30", "+01:60", "01:00", "+1:0", "+٠١:٠٠"])
def test_what_is_none(text):
    assert time_zones.parse_utc_offset(text) is None


def test_utc_is_utc():
    assert time_zones.parse_utc_offset("+00:00") == UTC
