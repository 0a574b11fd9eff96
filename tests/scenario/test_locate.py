"""Lines of keys: the locator against texts of every shape TOML has."""

from __future__ import annotations

import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from iowatt.base.keys import toml_text
from iowatt.base.locate import Lines

TEXT = '''\
# a comment = "with a quote
name = "x"
"quoted key" = 1
'single' = 2
dotted.key.deep = 3

[array]
[[array.pool]]
name = "a # no comment"   # but this is
raid = { level = 5, inner = { stripe = "16k" }, list = [1, { x = 2 }] }

[[array.pool]]
list = [
  "one",   # [ not a bracket
  [ 2, 3 ],
  { y = 4 },
]
[array.pool.device]
name = """
multi = "line"
[not.a.table]
"""
power = \'\'\'
[[nor.this]]\'\'\'
[[array.pool.device.zone]]
n = 1
[[array.pool.device.zone]]
n = 2
[ observe . "in.ner" ]
when = 1979-05-27T07:32:00Z
'''


def test_every_key_is_on_its_line():
    lines = Lines(TEXT)
    expected = {
        ("name",): 2,
        ("quoted key",): 3,
        ("single",): 4,
        ("dotted",): 5,
        ("dotted", "key", "deep"): 5,
        ("array",): 7,
        ("array", "pool", 0): 8,
        ("array", "pool", 0, "name"): 9,
        ("array", "pool", 0, "raid"): 10,
        ("array", "pool", 0, "raid", "inner", "stripe"): 10,
        ("array", "pool", 0, "raid", "list", 1, "x"): 10,
        ("array", "pool", 1): 12,
        ("array", "pool", 1, "list"): 13,
        ("array", "pool", 1, "list", 0): 14,
        ("array", "pool", 1, "list", 1, 1): 15,
        ("array", "pool", 1, "list", 2, "y"): 16,
        ("array", "pool", 1, "device"): 18,
        ("array", "pool", 1, "device", "name"): 19,
        ("array", "pool", 1, "device", "power"): 23,
        ("array", "pool", 1, "device", "zone", 0, "n"): 26,
        ("array", "pool", 1, "device", "zone", 1, "n"): 28,
        ("observe", "in.ner"): 29,
        ("observe", "in.ner", "when"): 30,
    }
    assert {path: lines.of(path) for path in expected} == expected


def test_a_key_that_is_not_there_is_where_its_table_is():
    lines = Lines(TEXT)
    assert lines.of(("array", "pool", 1, "device", "rpm")) == 18
    assert lines.of(("nothing", "like", "it")) == 1


def test_windows_line_ends():
    lines = Lines("a = 1\r\n[b]\r\nc = [\r\n  1,\r\n  2]\r\nd = 'x'\r\n")
    assert [lines.of(path) for path in [("a",), ("b",), ("b", "c", 1), ("b", "d")]] == [1, 2, 5, 6]


KEYS = st.sampled_from(["a", "b-c", "d_1", "name"])
SCALARS = st.one_of(st.integers(-9, 9), st.booleans(), st.text("ab#[]{}=,.'\\ ", max_size=6))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(KEYS, VALUES, min_size=1), st.integers(0, 3))
def test_documents_of_one_line_values(table: dict[str, Any], blank: int):
    # One key per line after `blank` comment lines: key number i stands on line blank + i + 1.
    text = "#\n" * blank + "".join(f"{key} = {toml_text(value)}\n" for key, value in table.items())
    assert tomllib.loads(text) == table
    lines = Lines(text)
    for index, (key, value) in enumerate(table.items()):
        for path in paths((key,), value):
            assert lines.of(path) == blank + index + 1
            assert path in lines._lines


def paths(path: tuple[str | int, ...], value: Any) -> list[tuple[str | int, ...]]:
    inside: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        inside = list(value.items())
    if isinstance(value, list):
        inside = list(enumerate(value))
    return [path, *(below for step, v in inside for below in paths((*path, step), v))]


@given(st.text(max_size=60))
def test_text_that_is_no_toml_does_not_hang_it(text: str):
    assert Lines(text).of(("a",)) >= 1
