"""Quantities: what each parser takes, refuses, and says."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from iowatt.base import quantity, units
from refused import faults, refused


@pytest.mark.parametrize(
    ("text", "size"),
    [
        (4096, 4096),
        ("4096", 4096),
        ("512B", 512),
        ("16k", 16 * 1024),
        ("16K", 16 * 1024),
        ("16kb", 16 * 1024),
        ("16KB", 16 * 1024),
        ("16KiB", 16 * 1024),
        (" 1.5 MiB ", 1536 * 1024),
        ("2g", 2 * 1024**3),
        ("1t", 1024**4),
        ("1e3", 1000),
    ],
)
def test_block_sizes_follow_fio(text, size):
    assert units.parse_block_size(text) == size


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("33.6GB", 33_600_000_000),
        ("2TB", 2 * 10**12),
        ("2TiB", 2 * 2**40),
        ("500 GiB", 500 * 2**30),
        ("9184760832B", 9184760832),
        ("1PB", 10**15),
        ("100kB", 100_000),
    ],
)
def test_capacities_say_their_kind(text, size):
    assert units.parse_capacity(text) == size


@pytest.mark.parametrize(
    ("text", "fault", "figures"),
    [
        (5_000_000_000, "bad-syntax", []),
        ("5000", "bad-syntax", []),
        ("2T", "ambiguous", []),
        ("2t", "ambiguous", []),
        ("2Ti", "ambiguous", []),
        ("600gb", "ambiguous", []),
        ("2 parsecs", "bad-syntax", ["'parsecs'"]),
        ("-2TB", "out-of-range", []),
        ("TB", "bad-syntax", []),
        ("1.5B", "not-accepted", []),
        ("99999999PB", "out-of-range", ["8"]),
        (True, "wrong-type", []),
        (None, "wrong-type", []),
        (["2TB"], "wrong-type", []),
    ],
)
def test_capacities_that_are_refused(text, fault, figures):
    with pytest.raises(ValueError) as error:
        units.parse_capacity(text)
    assert faults(error.value) == fault
    assert [figure for figure in figures if figure not in str(error.value)] == []


@pytest.mark.parametrize(
    ("parse", "text", "value"),
    [
        (units.parse_rate, "160MB/s", 160e6),
        (units.parse_rate, "1MiB/s", 2.0**20),
        (units.parse_rate, "12Gbit/s", 1.5e9),
        (units.parse_iops, 500, 500.0),
        (units.parse_iops, "500 IOPS", 500.0),
        (units.parse_duration, "10ns", 1e-8),
        (units.parse_duration, "500us", 5e-4),
        (units.parse_duration, "500µs", 5e-4),
        (units.parse_duration, "1.245ms", 1.245e-3),
        (units.parse_duration, "10min", 600.0),
        (units.parse_duration, "1h", 3600.0),
        (units.parse_duration, "2d", 172_800.0),
        (units.parse_signed_duration, "-0.642ms", -0.642e-3),
        (units.parse_power, "22.3W", 22.3),
        (units.parse_power, "900mW", 0.9),
        (units.parse_power, "1.2kW", 1200.0),
        (units.parse_speed, 7200, 7200.0),
        (units.parse_speed, "12000 rpm", 12_000.0),
    ],
)
def test_other_quantities(parse, text, value):
    assert parse(text) == value


@pytest.mark.parametrize(
    ("parse", "text", "fault", "figures"),
    [
        (units.parse_rate, 160, "bad-syntax", []),
        (units.parse_rate, "160MB", "bad-syntax", ["'MB'"]),
        (units.parse_duration, 10, "bad-syntax", []),
        (units.parse_duration, "10", "bad-syntax", []),
        (units.parse_duration, "10 fortnights", "bad-syntax", []),
        (units.parse_duration, "-1s", "out-of-range", []),
        (units.parse_duration, -1, "out-of-range", []),
        (units.parse_duration, float("nan"), "out-of-range", []),
        (units.parse_duration, float("inf"), "out-of-range", []),
        (units.parse_duration, "9e99d", "out-of-range", ["9e+09"]),
        (units.parse_power, 22.3, "bad-syntax", []),
        (units.parse_power, "22.3w", "bad-syntax", ["'w'"]),
        (units.parse_speed, "7200 Hz", "bad-syntax", ["'Hz'"]),
        (units.parse_iops, "5 W", "bad-syntax", ["'W'"]),
        (units.parse_block_size, "16 kW", "bad-syntax", ["'kW'"]),
        (units.parse_block_size, 1e300, "out-of-range", []),
        (units.parse_block_size, 0.5, "not-accepted", []),
    ],
)
def test_what_is_refused_and_why(parse, text, fault, figures):
    with pytest.raises(ValueError) as error:
        parse(text)
    assert faults(error.value) == fault
    assert [figure for figure in figures if figure not in str(error.value)] == []


@given(
    st.integers(0, 2**53),
    st.sampled_from(["", "k", "M", "GiB", "tb", "KB"]),
    st.sampled_from(["", " ", "  "]),
)
def test_block_sizes_are_number_times_unit(number, unit, space):
    factor = 1024 ** ("kmgt".index(unit[0].lower()) + 1 if unit else 0)
    text = f"{number}{space}{unit}"
    if number * factor > 2**63 - 1:
        with refused("out-of-range", None):
            units.parse_block_size(text)
    else:
        assert units.parse_block_size(text) == number * factor


@given(st.integers(0, 9_000_000_000_000_000_000))
def test_durations_round_trip_through_nanoseconds(ns):
    # Below 2**53 ns a float of seconds still tells neighbouring nanoseconds apart after rounding.
    seconds = units.parse_duration(f"{ns}ns")
    assert abs(seconds * 1e9 - ns) <= ns * 2.0**-52


@given(st.integers(1, 2**62), st.booleans())
def test_format_bytes_reads_back_to_four_digits(count, binary):
    number, unit = units.format_bytes(count, binary=binary).split()
    scale = units.parse_capacity(f"1{unit}")
    assert float(number) * scale == pytest.approx(count, rel=6e-4)
    assert (unit == "B") or unit.endswith("iB") == binary


@given(st.floats(1e-9, 1e9))
def test_format_duration_reads_back_to_four_digits(seconds):
    assert units.parse_duration(units.format_duration(seconds)) == pytest.approx(seconds, rel=6e-4)


QUANTITIES = [
    (quantity.BlockSize, units.parse_block_size),
    (quantity.Capacity, units.parse_capacity),
    (quantity.Rate, units.parse_rate),
    (quantity.Duration, units.parse_duration),
    (quantity.SignedDuration, units.parse_signed_duration),
    (quantity.Power, units.parse_power),
    (quantity.Speed, units.parse_speed),
]
SIZES = ["k", "K", "m", "M", "g", "G", "t", "T", "kb", "KB", "KiB", "B", "ki", "TB", "TiB", "GB"]
TIMES = ["ns", "us", "µs", "ms", "s", "sec", "min", "h", "d"]
SOME_UNITS = [*SIZES, *TIMES, "MB/s", "MiB/s", "Gbit/s", "W", "mW", "kW", "rpm", "RPM", "x"]


@pytest.mark.parametrize(("kind", "parse"), QUANTITIES)
@given(number=st.integers(0, 4096), unit=st.sampled_from(["", *SOME_UNITS]), space=st.sampled_from(["", " "]))
def test_the_schema_accepts_what_the_parser_accepts(kind, parse, number, unit, space):
    schema = TypeAdapter(kind).json_schema()
    pattern = next(s["pattern"] for s in [schema, *schema.get("anyOf", [])] if "pattern" in s)
    text = f"{number}{space}{unit}"
    try:
        parse(text)
        accepted = True
    except ValueError:
        accepted = False
    assert (re.search(pattern, text) is not None) == accepted


@given(st.text(max_size=30))
def test_no_text_breaks_a_parser(text):
    for _, parse in QUANTITIES:
        try:
            assert parse(text) is not None
        except ValueError as error:
            assert "expected" in str(error) or "bytes" in str(error) or "ambiguous" in str(error)
