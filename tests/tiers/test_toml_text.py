"""What is written as TOML is read back as it was."""

from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from iowatt.base import toml_writer
from iowatt.counters import profile
from iowatt.evaluate.fit import build

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
PLAIN = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | TEXT,
    lambda part: st.lists(part, max_size=4) | st.dictionaries(TEXT, part, max_size=4),
    max_leaves=12,
)


@given(PLAIN)
def test_a_value_comes_back(value):
    again = tomllib.loads(f"v = {toml_writer.inline(value)}")["v"]
    assert again == value
    assert repr(again) == repr(value)  # 1 is not 1.0, nor true


@given(TEXT, TEXT)
def test_keys_and_comments_stay_what_they_are(name, text):
    read = tomllib.loads(f"{toml_writer.comment(text)}\n{toml_writer.key(name)} = 1\n")
    assert read == {name: 1}


def test_half_of_a_surrogate_pair_is_no_toml():
    text = toml_writer.quoted("a\ud800b")
    assert tomllib.loads(f"v = {text}")["v"] == "a\N{REPLACEMENT CHARACTER}b"


def test_profiles_are_written_by_the_same_rules():
    told = {"name": 'a "b"\n\x7f', "on": True, "a.b": [1, 2.5]}
    for inline in (build.inline, profile._text):
        assert tomllib.loads(f"v = {inline(told)}")["v"] == told
    assert build.inline(1 / 3) == "0.333333333"
    assert profile._text(3.0) == "3"
