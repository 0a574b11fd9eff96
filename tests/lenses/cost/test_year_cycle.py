"""Duty cycles: files, envelopes and what a calendar makes of them, by hand."""

import contextlib
import re
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from iowatt.base.errors import Argument, InputError
from iowatt.lenses.cost.year import find_cycle
from iowatt.lenses.cost.year.cycle import hour_name
from iowatt.lenses.cost.year.file import holiday
from refused import check, refused

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples" / "cost"
START = datetime(2026, 1, 1)  # a Thursday

HEAD = 'schema = "iowatt.duty-cycle/1"\nname = "x"\ntitle = "X"\n'
TAIL = 'source = "made up"\nquality = "assumed"\n'


def hours(value):
    return str([float(value)] * 24)


def written(folder, body, name="cycle.toml"):
    path = folder / name
    path.write_text(HEAD + body, encoding="utf-8")
    return str(path)


def index(year, month, day, hour=0):
    return int((datetime(year, month, day, hour) - START) / timedelta(hours=1))


def test_hours_are_those_of_their_day_month_and_holiday(tmp_path):
    day = [hour / 100 for hour in range(24)]
    body = (
        f'load = "share"\nweekday = {day}\nweekend = {hours(0.5)}\nholiday = {hours(0.01)}\n'
        f"month = {[1.0] * 11 + [2.0]}\n"
        f'holidays = ["12-25", "2026-04-03"]\ngrowth_per_year = 0.1\n{TAIL}'
    )
    cycle = find_cycle(written(tmp_path, body))
    year = cycle.hours(START)
    assert year.shape == (8760,)
    assert year[:24] == pytest.approx(day)  # Thursday
    assert year[index(2026, 1, 3, 5)] == 0.5  # Saturday
    assert year[index(2026, 1, 5, 14)] == pytest.approx(0.14)  # Monday
    assert year[index(2026, 12, 1, 14)] == pytest.approx(0.28)  # December, twice
    assert year[index(2026, 12, 25, 14)] == pytest.approx(0.02)  # a holiday of every year, in December
    assert year[index(2026, 4, 3, 14)] == pytest.approx(0.01)
    # All hours of the year, counted by hand: 261 weekdays but for the two holidays, 104 days of weekends.
    december = 22 * sum(day) * 2 + 8 * 24 * 0.5 * 2 + 24 * 0.01 * 2
    others = (261 - 22 - 1 - 1) * sum(day) + (104 - 8) * 24 * 0.5 + 24 * 0.01
    assert year.sum() == pytest.approx(december + others)
    both = cycle.hours(START, 2)
    assert both.shape == (2 * 8760,)
    assert both[index(2027, 4, 5, 14)] == pytest.approx(0.14 * 1.1)  # not the holiday of 2026
    assert both[index(2027, 4, 3, 14)] == pytest.approx(0.5 * 1.1)  # a Saturday: the calendar goes on


def test_a_year_begins_at_any_hour():
    cycle = find_cycle(str(EXAMPLES / "office-hours.toml"))
    later = cycle.hours(datetime(2026, 3, 4, 13))
    assert later[0] == cycle.week[2, 13]
    assert later.shape == (8760,)
    assert hour_name(datetime(2026, 3, 4, 13), 12) == "Thursday 2026-03-05 01:00"
    leap = cycle.hours(datetime(2028, 1, 1))
    assert len(leap) == 8760  # until 30 December


@pytest.mark.parametrize("name", ["office-hours", "retail-year"])
def test_the_examples_are_marked_as_assumed_and_within_the_highest_load(name):
    cycle = find_cycle(str(EXAMPLES / f"{name}.toml"))
    assert cycle.quality == "assumed"
    assert cycle.source.startswith("assumed")
    year = cycle.hours(START)
    assert year.min() > 0 and year.max() <= 1.0
    assert cycle.highest == pytest.approx(year.max())


@pytest.mark.parametrize(
    ("body", "code", "key", "named"),
    [
        (f'load = "share"\nweekday = {hours(1.2)}\n{TAIL}', "several", None, "1.2"),
        (f'load = "share"\nweekday = {hours(0.6)}\nmonth = {[2.0] * 12}\n{TAIL}', "several", None, "times 2"),
        (f'load = "share"\nweekday = {hours(0)}\n{TAIL}', "out-of-range", "weekday", ""),
        (f'load = "iops"\nweekday = {hours(5)}\nmonth = {[0.0] * 12}\n{TAIL}', "out-of-range", "month", ""),
        (f'load = "iops"\nweekday = [1.0]\n{TAIL}', None, "weekday", ""),
        (f'load = "iops"\nweekday = {[-1.0] + [1.0] * 23}\n{TAIL}', None, "weekday.0", ""),
        (f'load = "watts"\nweekday = {hours(1)}\n{TAIL}', None, "load", "share"),
        (
            f'load = "iops"\nweekday = {hours(1)}\nholidays = ["02-30"]\n{TAIL}',
            "bad-syntax",
            "holidays.0",
            "02-30",
        ),
        (f'load = "iops"\nweekday = {hours(1)}\nweekdays = 3\n{TAIL}', None, "weekdays", ""),
        (f'load = "iops"\nweekday = {hours(1)}\n', "several", None, "source"),
        ('[measured]\npath = "none.txt"\n', "not-found", "measured.path", "none.txt"),
        (f'weekday = {hours(1)}\n[measured]\npath = "none.txt"\n', None, "weekday", ""),
        ('[measured]\npath = "none.txt"\nbegins = "tomorrow"\n', "bad-syntax", "measured.begins", "tomorrow"),
        (
            '[measured]\npath = "none.txt"\nbegins = "2026-01-01T00:00"\n',
            "not-found",
            "measured.path",
            "none.txt",
        ),
        (
            '[measured]\npath = "cycle.toml"\nbegins = "2026-01-01T00:00"\n',
            "not-applicable",
            "measured.begins",
            "",
        ),
        ('[measured]\npath = "."\nshift_hours = 2\n', "not-applicable", "measured.shift_hours", ""),
    ],
)
def test_what_is_wrong_in_a_file_is_named_with_its_place(tmp_path, body, code, key, named):
    with pytest.raises(InputError) as caught:
        find_cycle(written(tmp_path, body))
    assert "cycle.toml" in caught.value.place
    assert key is None or caught.value.place.endswith(f": {key}")
    assert code is None or caught.value.code == code  # None: of a key's own type
    assert named in caught.value.message


def test_holidays_are_days():
    assert str(holiday("12-25")) == "12-25"
    assert str(holiday("2026-04-03")) == "2026-04-03"
    assert holiday("02-29").year is None


@given(st.text(max_size=12))
def test_no_text_but_a_day_is_a_holiday(text):
    try:
        found = holiday(text)
    except InputError as error:
        check(error, "bad-syntax", None)
        return
    assert str(found) == text


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
@given(
    st.one_of(
        st.text(max_size=300),
        st.binary(max_size=300),
        st.lists(
            st.sampled_from(
                [
                    'load = "share"', f"weekday = {hours(0.5)}", f"weekend = {hours(1e300)}", TAIL,
                    "month = 3",
                    f"month = {[1e6] * 12}", 'holidays = ["2-2", "9999-12-31"]', "growth_per_year = inf",
                    "[measured]", 'path = "."', 'path = "\\u0000"', "highest = 0.5", "devices = [1]",
                    "growth_per_year = 10", 'load = "iops"', "weekday = nan", "[[weekday]]",
                ]
            ),
            max_size=8,
        ).map("\n".join),
    )
)  # fmt: skip
def test_hostile_files_raise_nothing_but_errors_of_input(tmp_path, body):
    path = tmp_path / "hostile.toml"
    path.write_bytes(body if isinstance(body, bytes) else (HEAD + body).encode("utf-8", "replace"))
    try:
        cycle = find_cycle(str(path))
    except InputError:
        return
    year = cycle.hours(START, 2)
    assert np.isfinite(year).all() and (year >= 0).all() and year.any()


@given(st.text(max_size=40))
def test_no_words_raise_anything_else(text):
    with contextlib.suppress(InputError):
        find_cycle(text)


def test_a_profile_is_its_envelopes_over_the_week():
    cycle = find_cycle("profile:server-volume")
    daily = [0.3] * 6 + [0.5, 0.8, 1.4, 2, 2, 2, 1.6, 2, 2, 2, 1.8, 1.2, 0.8, 0.6, 0.5, 0.4, 0.3, 0.3]
    weekly = [1.2] * 5 + [0.5] * 2
    day, week = np.array(daily) / np.mean(daily), np.array(weekly) / np.mean(weekly)
    assert cycle.measure == "iops"
    assert cycle.week == pytest.approx(0.3 * np.outer(week, day))  # 0.2 writes and 0.1 reads a second
    assert cycle.week.mean() == pytest.approx(0.3)
    assert cycle.quality == "assumed"
    shape = find_cycle("profile:server-volume@0.8")
    assert (shape.measure, shape.highest) == ("share", pytest.approx(0.8))
    assert shape.week / shape.week.max() == pytest.approx(cycle.week / cycle.week.max())
    assert "shape-alone" in {note.code for note in shape.notes}


def test_a_profile_without_an_envelope_is_flat_and_says_so():
    cycle = find_cycle("profile:websearch")
    assert cycle.week == pytest.approx(np.full((7, 24), 412.7))
    assert "flat-load" in {note.code for note in cycle.notes}
    shares = find_cycle("profile:tpce")  # nobody published its rate
    assert (shares.measure, shares.highest) == ("share", 1.0)
    assert "no-rate" in {note.code for note in shares.notes}


def test_a_profile_whose_daily_cycle_nobody_published_is_refused():
    with refused("missing-figure", re.compile(": envelope$")):
        find_cycle("profile:fiu-online")


PROFILE = """
schema = "iowatt.profile/1"
name = "p"
title = "P"
[arrivals]
law = "poisson"
rate = 100
[[stream]]
name = "s"
share = 100
read_share = 50
size = "4KiB"
access = { pattern = "uniform" }
"""


def test_short_envelopes_are_means_of_their_hours(tmp_path):
    path = tmp_path / "p.toml"
    path.write_text(PROFILE + '[[envelope]]\nperiod = "8h"\nfactors = [0, 1, 2, 3]\n', "utf-8")
    cycle = find_cycle(str(path))
    # Two hours each of 0, 1, 2, 3 with a mean of 1.5, three times a day.
    assert cycle.week[3] == pytest.approx(np.tile(np.repeat([0, 1, 2, 3], 2), 3) / 1.5 * 100)
    path.write_text(PROFILE + '[[envelope]]\nperiod = "90min"\nfactors = [1, 3]\n', "utf-8")
    # 45 min at 1/2, 45 min at 3/2: hours of 3/4 and 1/4, 1/2 and 1/2, 1/4 and 3/4.
    assert find_cycle(str(path)).week[0, :3] == pytest.approx([75.0, 100.0, 125.0])


@pytest.mark.parametrize(
    ("more", "code", "key"),
    [
        ('[[envelope]]\nperiod = "5h"\nfactors = [1, 2]\n', "not-accepted", "envelope[0].period"),
        ('[[envelope]]\nperiod = "10ms"\nfactors = [1, 2]\n', "too-large", "envelope[0].factors"),
        ('[[envelope]]\nperiod = "daily"\nfactors = [0, 0]\n', "out-of-range", "envelope[0].factors"),
        (
            '[[envelope]]\nperiod = "daily"\nfactors = [0, 1]\n'
            '[[envelope]]\nperiod = "daily"\nfactors = [1, 0]\n',
            "empty",
            "envelope",
        ),
    ],
)
def test_envelopes_that_are_no_week_are_refused(tmp_path, more, code, key):
    path = tmp_path / "p.toml"
    path.write_text(PROFILE + more, "utf-8")
    with refused(code, f"{path}: {key}"):
        find_cycle(str(path))
    closed = PROFILE.replace('law = "poisson"\nrate = 100', 'law = "closed"\noutstanding = 4')
    path.write_text(closed, "utf-8")
    with refused("not-applicable", f"{path}: arrivals"):
        find_cycle(str(path))


def test_words_of_the_command_line():
    assert find_cycle("flat").hours(START) == pytest.approx(np.ones(8760))
    assert find_cycle("flat@0.25").highest == 0.25
    for spec, code in (("flat@2", "out-of-range"), ("flat@", "out-of-range"), ("nothing", "not-found")):
        with refused(code, Argument("duty")):
            find_cycle(spec)
    with pytest.raises(InputError) as caught:
        find_cycle("profile:web")
    assert caught.value.hint


def test_a_document_holds_the_shape():
    told = find_cycle(str(EXAMPLES / "office-hours.toml")).result()
    assert len(told.week) == 7 and all(len(day) == 24 for day in told.week)
    assert told.mean_day[10] == pytest.approx((5 * 1.0 + 2 * 0.1) / 7)
    assert told.holidays == ["01-01", "05-01", "12-25", "12-26"]
    assert (told.quality, told.date, told.measure) == ("assumed", "2026-11", "share")


def test_the_examples_name_their_schema():
    for name in ("office-hours", "retail-year", "time-sharing"):
        key, path = (EXAMPLES / f"{name}.toml").read_text("utf-8").splitlines()[0].split(" ")
        assert key == "#:schema"
        assert Path(path).name == "iowatt.duty-cycle.schema.json" and (EXAMPLES / path).is_file()
