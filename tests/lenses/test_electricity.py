"""What is billed: powers, files, Runs; for how long."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest

import iowatt
from iowatt.base.errors import Argument, InputError
from iowatt.lenses.electricity import billed, find_load
from iowatt.tariffs.find import find_tariff
from refused import refused

YEAR_S = 365 * 86_400.0


def test_a_constant_power_lasts_a_year():
    what = find_load("5kW", None, None)
    assert (what.start, what.title) == (datetime(2026, 1, 1), "5kW")
    assert what.load.duration_s == YEAR_S
    assert what.load.total_j == pytest.approx(5000 * YEAR_S)


@pytest.mark.parametrize(
    ("start", "months", "days"),
    [("2028-01-01", 12, 366), ("2026-01-31", 1, 28), ("2026-02-15", 3, 89), ("2027-12-01T12:00", 1, 31)],
)
def test_months_are_those_of_the_calendar(start, months, days):
    assert find_load("1W", start, months).load.duration_s == days * 86_400.0


def test_a_file_is_as_long_as_it_is_or_repeated(tmp_path):
    path = tmp_path / "power.csv"
    path.write_text("2026-03-01T00:00,100\n2026-03-01T12:00,300\n")
    once = find_load(str(path), None, None)
    assert (once.start, once.load.duration_s, once.title) == (datetime(2026, 3, 1), 86_400.0, "power.csv")
    month = find_load(str(path), None, 1)
    assert month.load.total_j == pytest.approx(200 * 31 * 86_400)
    assert find_load(str(path), "2027-01-01", None).start == datetime(2027, 1, 1)


def test_a_run_is_billed_by_its_intervals(tmp_path):
    scenario = tmp_path / "s.toml"
    scenario.write_text(
        'name = "s"\n[[array.pool]]\nname = "disks"\ndevice = "arrays2002-disk"\ncount = 1\n'
        '[[workload]]\nname = "w"\n'
        'profile = { name = "uniform", rate_iops = 20, duration = "2min", span = "10GB" }\n'
        '[observe]\ninterval = "20s"\n'
    )
    run = iowatt.run(scenario, output=tmp_path / "run")
    what = find_load(str(tmp_path / "run"), None, 2)
    found = billed(find_tariff("flat:0.15,12"), what)
    mean_w = run.summary["energy"]["total_j"] / run.summary["window"]["duration_s"]
    hours = 59 * 24
    # the last of some 42,000 repetitions is cut, and so not at the mean
    assert found.load.energy_kwh == pytest.approx(mean_w * hours / 1000, rel=1e-5)
    assert found.by_kind["energy"] == pytest.approx(0.15 * mean_w * hours / 1000, rel=1e-5)
    highest = run.table("intervals")["power_w"].to_numpy().max()
    assert mean_w / 1000 <= found.load.peak_kw <= highest / 1000
    assert np.isclose(found.usd, sum(month.usd for month in found.months))


def test_beside_a_site_notes_are_of_both():
    tariff = find_tariff("lipa-285-2026")
    alone = billed(tariff, find_load("5kW", None, 1))
    beside = billed(tariff, find_load("5kW", None, 1), 200e3)
    assert "peak-too-low" in [note.code for note in alone.notes]
    assert "peak-too-low" not in [note.code for note in beside.notes]
    assert beside.load.site_kw == 200.0
    assert "fixed" not in beside.by_kind


def test_a_file_of_centuries_is_refused(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("0,1\n99000000000,1\n")
    with refused("out-of-range", Argument("load", path)):
        find_load(str(path), None, None)


@pytest.mark.parametrize(
    ("text", "start", "months", "code", "place"),
    [
        ("5", None, None, "bad-syntax", "load"),
        ("fast", None, None, "bad-syntax", "load"),
        ("f" * 5000, None, None, "bad-syntax", "load"),
        ("5kW", "soon", None, "bad-syntax", "start"),
        ("5kW", "2026-01-01T00:00+01:00", None, "not-accepted", "start"),
        ("5kW", "9998-01-01", 24, "out-of-range", "start"),
        ("5kW", None, 100_000, "out-of-range", "months"),
    ],
)
def test_what_is_no_load_is_refused(text, start, months, code, place):
    with refused(code, Argument(place)):
        find_load(text, start, months)


def test_a_file_that_is_not_there_is_named():
    with pytest.raises(InputError) as caught:
        find_load("nowhere.csv", None, None)
    assert caught.value.place == "nowhere.csv"
