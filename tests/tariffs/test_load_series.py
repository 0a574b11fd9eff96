"""Loads of CSV files of time and watts."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iowatt.base.errors import InputError
from iowatt.tariffs.series import read


def of(tmp_path, text):
    path = tmp_path / "power.csv"
    path.write_text(text)
    return read(path)


def test_seconds(tmp_path):
    load, start = of(tmp_path, "time_s,watts\n0,100\n60,200\n120,50\n")
    assert start is None
    assert load.duration_s == 180.0
    assert list(load.joules) == [0.0, 6000.0, 18_000.0, 21_000.0]


def test_dates(tmp_path):
    load, start = of(tmp_path, "2026-01-01T00:00,100\n2026-01-01T00:15,-20\n2026-01-01T01:00,0\n")
    assert start == datetime(2026, 1, 1)
    assert (load.duration_s, load.total_j) == (900 + 2700 + 2700, 100 * 900 - 20 * 2700)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "fewer than two rows"),
        ("time,watts\n0,1\n", "fewer than two rows"),
        ("0,1\n0,2\n", ":2: is not later than the row before"),
        ("0,1\n5,x\n", ":2: 'x' is no power in watts"),
        ("0,1\n5,nan\n", ":2: 'nan' is no power"),
        ("0,1\n5,1e300\n", ":2: '1e300' is no power"),
        ("0,1\nsoon,1\n", ":2: 'soon' is no time"),
        ("0,1\ninf,1\n", ":2: 'inf' is no time"),
        ("0,1\n1e308,1\n", ":2: '1e308' is no time"),
        ("0,1\n2026-01-01,1\n", "is a date where the row before has seconds"),
        ("0,1,2\n", ":1: has 3 values"),
        ("0;1\n1;2\n", "fewer than two rows"),
    ],
)
def test_what_is_wrong_is_said_with_the_line(tmp_path, text, said):
    if text == "0;1\n1;2\n":
        said = "has 1 values"
    with pytest.raises(InputError) as raised:
        of(tmp_path, text)
    assert said in str(raised.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path / "none.csv")
    (tmp_path / "b.csv").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="no text in UTF-8"):
        read(tmp_path / "b.csv")


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet='0123456789.,-T:e"\n\rinfa', max_size=60) | st.text(max_size=40))
def test_any_text_is_a_load_or_an_input_error(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("series") / "x.csv"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        load, _ = read(path)
    except InputError:
        return
    assert load.duration_s > 0
