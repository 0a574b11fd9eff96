"""Whatever bytes stand in vdbench's reports, they are read or refused with an InputError."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from iowatt.base.errors import InputError
from iowatt.sources.vdbench import read

SAMPLE = Path(__file__).parents[1] / "data" / "vdbench"
REPORTS = ["flatfile", "summary", "totals", "status", "skew", "histogram", "parmfile", "HB_hot1"]


def attempt(path):
    try:
        found = read(path)
    except InputError as error:
        assert str(error)
        return
    for run in found:
        assert run.intervals
        assert all(part.end > part.start and part.read.requests >= 0 for part in run.intervals)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(REPORTS), seed=st.integers(0, 2**32))
def test_damaged_reports(tmp_path, name, seed):
    rng = random.Random(seed)
    for report in REPORTS:
        data = bytearray((SAMPLE / f"concat_{report}.html").read_bytes())
        if report == name:
            for _ in range(rng.randint(1, 30)):
                at = rng.randrange(len(data))
                kind = rng.randrange(4)
                if kind == 0:
                    data[at] = rng.randrange(256)
                elif kind == 1:
                    del data[at : at + rng.randrange(1, 200)]
                elif kind == 2:
                    data[at:at] = bytes(
                        rng.choices(b"0123456789.,-% \t\n<>avgnNaE:/_", k=rng.randrange(1, 40))
                    )
                else:
                    data[at:at] = data[rng.randrange(len(data)) :][: rng.randrange(1, 300)]
                if not data:
                    data = bytearray(b"\n")
        (tmp_path / f"x_{report}.html").write_bytes(bytes(data))
    attempt(tmp_path / "x_flatfile.html")
    attempt(tmp_path / "x_summary.html")
    attempt(tmp_path / "x_HB_hot1.html")


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=400), main=st.sampled_from(["flatfile.html", "summary.html"]))
def test_any_bytes(tmp_path, data, main):
    (tmp_path / "flatfile.html").unlink(missing_ok=True)
    (tmp_path / main).write_bytes(data)
    with pytest.raises(InputError):
        read(tmp_path / main)


def test_a_huge_interval_number_costs_nothing(tmp_path):
    text = (SAMPLE / "concat_flatfile.html").read_text()
    (tmp_path / "flatfile.html").write_text(
        text.replace("      hband          7 ", "      hband  999999999 ")
    )
    hot = read(tmp_path)[1]
    assert any("intervals 7-999999998:" in said for said in hot.warnings)
