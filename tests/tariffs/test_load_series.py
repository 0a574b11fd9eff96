"""Loads of CSV files of time and watts."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iowatt.base.errors import InputError
from iowatt.tariffs.load import read_load
from refused import refused


def of(tmp_path, text):
    path = tmp_path / "power.csv"
    path.write_text(text)
    return read_load(path)


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
    ("text", "code", "line", "named"),
    [
        ("", "empty", "", ""),
        ("time,watts\n0,1\n", "empty", "", ""),
        ("0,1\n0,2\n", "out-of-order", ":2", ""),
        ("0,1\n5,x\n", "bad-syntax", ":2", "'x'"),
        ("0,1\n5,nan\n", "bad-syntax", ":2", "'nan'"),
        ("0,1\n5,1e300\n", "bad-syntax", ":2", "'1e300'"),
        ("0,1\nsoon,1\n", "bad-syntax", ":2", "'soon'"),
        ("0,1\ninf,1\n", "bad-syntax", ":2", "'inf'"),
        ("0,1\n1e308,1\n", "bad-syntax", ":2", "'1e308'"),
        ("0,1\n2026-01-01,1\n", "conflict", ":2", ""),
        ("0,1,2\n", "wrong-format", ":1", "3"),
        ("0;1\n1;2\n", "wrong-format", ":2", "1"),
    ],
)
def test_a_wrong_row_is_refused_with_its_line(tmp_path, text, code, line, named):
    with refused(code, f"{tmp_path / 'power.csv'}{line}") as raised:
        of(tmp_path, text)
    assert named in raised.value.message


def test_files_that_cannot_be_read(tmp_path):
    with refused("not-found", str(tmp_path / "none.csv")):
        read_load(tmp_path / "none.csv")
    (tmp_path / "b.csv").write_bytes(b"\xff\xfe")
    with refused("wrong-format", str(tmp_path / "b.csv")):
        read_load(tmp_path / "b.csv")


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet='0123456789.,-T:e"\n\rinfa', max_size=60) | st.text(max_size=40))
def test_any_text_is_a_load_or_an_input_error(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("series") / "x.csv"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        load, _ = read_load(path)
    except InputError:
        return
    assert load.duration_s > 0
