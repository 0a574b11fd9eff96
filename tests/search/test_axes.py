"""The grammar of ``--over``."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iowatt.base.errors import Argument, InputError
from iowatt.evaluate.search import axes
from refused import refused


def values(text):
    return [setting.values for setting in axes.parse(text).settings]


def overrides(text):
    return [setting.overrides for setting in axes.parse(text).settings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=1,2,5", [1, 2, 5]),
        ("a=24..38:2", [24, 26, 28, 30, 32, 34, 36, 38]),
        ("a=1..4", [1, 2, 3, 4]),
        ("a=1..4:2", [1, 3]),
        ("a=4..1:-1", [4, 3, 2, 1]),
        ("a=0.2..1.0:0.2", [0.2, 0.4, 0.6, 0.8, 1.0]),
        ("a=4KiB..64KiB:x2", ["4KiB", "8KiB", "16KiB", "32KiB", "64KiB"]),
        ("a=4..64KiB:x4", ["4KiB", "16KiB", "64KiB"]),
        ("a=10s..30s:10s", ["10s", "20s", "30s"]),
        ("a=1,4..8:x2,100", [1, 4, 8, 100]),
        ("a=fcfs,sstf", ["fcfs", "sstf"]),
        ("a=true,false", [True, False]),
        ('a="x,y",z', ["x,y", "z"]),
        ("a= 1 , 2", [1, 2]),
        ("a=../x.csv,y..z", ["../x.csv", "y..z"]),
    ],
)
def test_values_of_one_key(text, expected):
    assert values(text) == [(value,) for value in expected]
    assert [type(v) for (v,) in values(text)] == [type(v) for v in expected]


def test_commas_inside_brackets_do_not_separate():
    text = 'array.pool.disks.power={policy="never"},{policy="fixed-threshold", threshold="10s"}'
    assert overrides(text) == [
        ('array.pool.disks.power={policy="never"}',),
        ('array.pool.disks.power={policy="fixed-threshold", threshold="10s"}',),
    ]


def test_keys_that_change_together():
    assert axes.parse("a,b.c=(1,x),(2,y)").columns == ("a", "b.c")
    assert values("a,b.c=(1,x),(2,[3, 4])") == [(1, "x"), (2, "[3, 4]")]
    assert overrides("a,b.c=(1,x),(2,y)") == [("a=1", "b.c=x"), ("a=2", "b.c=y")]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a", "bad-syntax"),
        ("=1", "bad-syntax"),
        ("a=", "empty"),
        ("a=1,,2", "empty"),
        ("a=1,", "empty"),
        ("a=5..1", "empty"),
        ("a=1..5:0", "empty"),
        ("a=1..5:-1", "empty"),
        ("a=1..5:x1", "empty"),
        ("a=0..5:x2", "empty"),
        ("a=4KiB..1MiB:x2", "bad-syntax"),
        ("a=1..2000000", "too-large"),
        ("a=1,1", "duplicate"),
        ("a=(1,2", "bad-syntax"),
        ('a="x', "bad-syntax"),
        ("a,b=1,2", "bad-syntax"),
        ("a,b=(1,2,3)", "bad-syntax"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(text, code):
    with refused(code, Argument("over", text)) as caught:
        axes.parse(text)
    assert caught.value.exit_code == 2


def test_a_key_twice_is_refused():
    with refused("duplicate", Argument("over", "a")):
        axes.parse_axes(["a=1,2", "b,a=(1,2)"])


def test_nothing_is_refused():
    with refused("missing", Argument("over")):
        axes.parse_axes([])


def test_a_mapping_says_the_same():
    found = axes.parse_axes({"a": [1, 2], ("b", "c"): [("x", True), ("y", 0.5)], "d": np.arange(2)})
    assert [axis.columns for axis in found] == [("a",), ("b", "c"), ("d",)]
    assert [s.values for s in found[1].settings] == [("x", True), ("y", 0.5)]
    assert found[1].settings[0].overrides == ('b="x"', "c=true")
    assert [s.values for s in found[2].settings] == [(0,), (1,)]


@pytest.mark.parametrize(
    ("bad", "code", "keys"),
    [
        ({"a": []}, "empty", "a"),
        ({"a": 5}, "wrong-type", "a"),
        ({"a": "text"}, "wrong-type", "a"),
        ({("a", "b"): [(1, 2, 3)]}, "wrong-type", "a, b"),
    ],
)
def test_a_mapping_that_does_not_fit(bad, code, keys):
    with refused(code, Argument("over", keys)):
        axes.parse_axes(bad)


@given(st.text(max_size=40))
def test_any_text_parses_or_is_refused(text):
    try:
        axis = axes.parse(text)
    except InputError:
        return
    assert axis.settings
    assert all(len(s.values) == len(axis.columns) for s in axis.settings)


@given(
    st.decimals(-1000, 1000, places=2),
    st.decimals("0.01", 50, places=2),
    st.integers(0, 200),
)
def test_a_range_holds_its_arithmetic_progression(start, step, count):
    end = start + step * count
    words = axes.expanded(f"{start:f}..{end:f}:{step:f}", "here")
    assert [Decimal(word) for word in words] == [start + step * i for i in range(count + 1)]


def test_points_are_the_product_with_the_last_axis_fastest():
    varied = axes.parse_axes(["a=1,2", "b,c=(3,4),(5,6)"])
    points = axes.all_points(varied)
    assert [point.values for point in points] == [(1, 3, 4), (1, 5, 6), (2, 3, 4), (2, 5, 6)]
    assert [point.number for point in points] == [1, 2, 3, 4]
    assert points[1].overrides == ("a=1", "b=5", "c=6")
    assert axes.point_label(points[1], axes.swept_columns(varied)) == "a=1, b=5, c=6"


def test_short_names_tell_paths_apart():
    assert axes.short_names(["x.pool.a.count", "x.pool.b.count", "y.raid.level"]) == {
        "x.pool.a.count": "a.count",
        "x.pool.b.count": "b.count",
        "y.raid.level": "level",
    }


def test_too_many_points_are_refused():
    with refused("too-large", Argument("over")):
        axes.all_points(axes.parse_axes(["a=1..1001", "b=1..1000"]))


def test_an_own_seed_depends_on_the_values_alone():
    few, more = (axes.all_points(axes.parse_axes([text])) for text in ("a=1,2", "a=0,1,2"))
    assert axes.own_seed(7, few[0]) == axes.own_seed(7, more[1])
    assert len({axes.own_seed(7, p) for p in more} | {axes.own_seed(8, more[0])}) == 4
    assert all(0 <= axes.own_seed(1, p) < 2**63 for p in more)
