"""Registers as written and as numbers; the shipped profiles."""

from __future__ import annotations

import math
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iowatt.sources.meters.log.instrument import QUANTITIES
from iowatt.sources.meters.modbus_profiles import FILE, profiles
from iowatt.sources.meters.modbus_registers import TYPES, parse_register


@pytest.mark.parametrize(
    ("text", "words", "value"),
    [
        # ABB A43/A44 user manual 2CMC48001M0201 rev. C, p. 170: W, A, Hz, power factor, var
        ("0x5B14:s32:0.01", "0001 E8E4", 1251.56),
        ("0x5B0C:u32:0.01", "0000 0065", 1.01),
        ("0x5B2C:u16:0.01", "1383", 49.95),
        ("0x5B3A:s16:0.001", "03CC", 0.972),
        ("0x5B20:s32:0.01", "FFFF D04A", -122.14),
        # a meter's own words: 230.2 V of an Eastron SDM, 221.9954 V of a Schneider iEM3155
        ("0:f32", "4366 3334", 230.2),
        ("3035:f32", "435D FED4", 221.9954),
        ("40:s32:0.1:little", "0965 0000", 240.5),
        ("40:s32:0.1:little", "FFFE FFFF", -0.2),
        ("1:u64:little", "0003 0002 0001 0000", 0x1_0002_0003),
        ("1:s64", "FFFF FFFF FFFF FFFE", -2.0),
        ("1:f64:1000", "3FF8 0000 0000 0000", 1500.0),
        ("1:f64:little", "0000 0000 0000 3FF8", 1.5),
        ("1:u16", "0000", 0.0),
        ("1:s16", "8001", -32767.0),
    ],
)
def test_words_are_values(text: str, words: str, value: float) -> None:
    register = parse_register(text)
    data = bytes.fromhex(words)
    assert register.count == len(data) // 2
    assert register.value(data) == pytest.approx(value, rel=1e-6)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1:f32", "7FC0 0000"),
        ("1:f32", "FF80 0000"),
        ("1:f64", "7FF8 0000 0000 0000"),
        ("1:u16", "FFFF"),
        ("1:s16", "8000"),
        ("1:s16", "7FFF"),
        ("1:u32", "FFFF FFFF"),
        ("1:s32", "8000 0000"),
        ("1:s32", "7FFF FFFF"),
        ("1:s32:0.1:little", "1234 7FFF"),
        ("1:u64", "FFFF FFFF FFFF FFFF"),
    ],
)
def test_what_says_no_value_is_none(text: str, words: str) -> None:
    assert parse_register(text).value(bytes.fromhex(words)) is None


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "''"),
        ("52", "'52'"),
        ("52:f32:1:big:1", "'52:f32:1:big:1'"),
        (":f32", "''"),
        ("-1:f32", "'-1'"),
        ("65536:u16", "'65536'"),
        ("65535:f32", "65535"),
        ("0x:f32", "'0x'"),
        ("1_0:f32", "'1_0'"),
        ("52:float", "'float'"),
        ("52:f32:0", "'0'"),
        ("52:f32:nan", "'nan'"),
        ("52:f32:ten", "'ten'"),
        ("52:f32:1:middle", "'middle'"),
        ("1" * 100 + ":f32", "1" * 40),
    ],
)
def test_what_is_no_register_is_named(text: str, named: str) -> None:
    with pytest.raises(ValueError) as caught:  # its words are the message of an address's error
        parse_register(text)
    assert named in str(caught.value)


@given(st.sampled_from(sorted(TYPES)), st.binary(min_size=8, max_size=8), st.sampled_from(["big", "little"]))
def test_any_words_are_a_value_or_none(kind: str, data: bytes, order: str) -> None:
    register = parse_register(f"0:{kind}:{order}")
    value = register.value(data[: 2 * register.count])
    assert value is None or math.isfinite(value)


@pytest.mark.parametrize("text", ["52:f32", "40:s32:0.1:little", "23316:s32:0.01", "7:u64:little"])
def test_a_register_is_written_as_it_is_read(text: str) -> None:
    assert str(parse_register(text)) == text


def test_every_profile_says_where_its_registers_are_from() -> None:
    for name, profile in profiles().items():
        assert profile.function in ("holding", "input"), name
        assert "watts" in profile.total and next(iter(profile.total)) == "watts", name
        assert len(profile.phases) in (0, 3), name
        for registers in (profile.total, *profile.phases):
            assert set(registers) <= set(QUANTITIES), name
            assert registers["watts"].count >= 1
        assert len(profile.source) > 60 and "Not tried on the instrument" in profile.checked, name


def test_phases_of_a_profile_have_different_registers() -> None:
    for table in tomllib.loads(FILE.read_text("utf-8")).values():
        for texts in table.get("phases", {}).values():
            assert len(texts) == len(set(texts)) == 3


def test_words_of_a_value_do_not_overlap_with_those_of_another() -> None:
    for name, profile in profiles().items():
        registers = {r for each in (profile.total, *profile.phases) for r in each.values()}
        words = [word for one in registers for word in range(one.number, one.number + one.count)]
        assert len(words) == len(set(words)), name
