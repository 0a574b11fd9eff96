"""A year on Runs at several loads: hours, joules, counts and response times by hand; what is refused."""

import itertools
import json
import re
from dataclasses import replace
from datetime import datetime
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from year_systems import changed, system

from iowatt.base.errors import Argument
from iowatt.lenses.cost.year import Cycle, find_cycle, make_year, make_years
from iowatt.lenses.cost.year.cycle import Holiday, weekday_and_weekend
from iowatt.tariffs.bill import bill
from iowatt.tariffs.find import find_tariff
from refused import refused

START = datetime(2026, 1, 1)
YEAR_S = 8760 * 3600.0
FIRST_HOUR = "made.toml: Thursday 2026-01-01 00:00"
RUNS = [system(0, 100), system(200, 140), system(600, 180), system(1000, 260)]


def cycle(weekday, weekend=None, *, measure="iops", **more):
    day = np.full(24, float(weekday)) if np.isscalar(weekday) else np.array(weekday, dtype=float)
    end = day if weekend is None else np.full(24, float(weekend))
    return Cycle(
        "made", "Made up", "made.toml", measure, weekday_and_weekend(day, end), "nobody", "assumed", **more
    )


def test_a_flat_year_at_a_runs_own_load_is_that_run_all_year():
    for run in RUNS[1:]:
        iops = run.work.requests / run.work.duration_s
        year = make_year(RUNS, cycle(iops), START)
        work, watts = year.system.work, run.work.load.total_j / run.work.duration_s
        assert work.duration_s == YEAR_S
        assert work.load.total_j == pytest.approx(watts * YEAR_S, rel=1e-12)
        assert set(year.watts) == {watts}
        assert work.requests == pytest.approx(iops * YEAR_S, rel=1e-12)
        assert work.bytes_moved == pytest.approx(iops * 8192 * YEAR_S, rel=1e-12)
        assert work.response_ms == pytest.approx(run.work.response_ms)
        scaled, counts = run.drives[0].counts.scaled(YEAR_S / 600.0), year.system.drives[0].counts
        assert counts.bytes_written == pytest.approx(scaled.bytes_written, rel=1e-12)
        assert counts.bytes_read == pytest.approx(scaled.bytes_read, rel=1e-12)


def test_a_year_with_no_requests_at_night_by_hand():
    # 8 h at 400, half way between 200 and 600; 4 h at 50, a quarter of the way from idle to 200; 12 h idle.
    day = [0.0] * 8 + [400.0] * 8 + [50.0] * 4 + [0.0] * 4
    year = make_year(RUNS, cycle(day), START)
    a_day = 8 * 160.0 + 4 * 110.0 + 12 * 100.0
    assert year.system.work.load.total_j == pytest.approx(365 * a_day * 3600)
    assert year.system.work.requests == pytest.approx(365 * 3600 * (8 * 400 + 4 * 50))
    # 200: 4 ms, 600: 8 ms; 400 is between, and below 200 it is that of 200.
    assert year.system.work.response_ms == pytest.approx((3200 * 6.0 + 200 * 4.0) / 3400)
    told = year.result()
    assert [level.hours for level in told.levels] == pytest.approx(
        [365 * (12 + 3), 365 * (4 + 1), 365 * 4, 0]
    )
    assert told.by_load[0].as_dict() == {
        "above": 0.0,
        "to": 0.0,
        "hours": 365 * 12,
        "kwh": pytest.approx(365 * 1.2),
    }
    assert told.by_load[1].hours == 365 * 4  # 5 % of the highest
    assert told.by_load[4].hours == 365 * 8  # 40 %: up to and with it
    assert sum(one.hours for one in told.by_load) == 8760
    assert sum(one.kwh for one in told.by_load) == pytest.approx(told.energy_kwh)
    assert sum(one.kwh for one in told.months) == pytest.approx(told.energy_kwh)
    assert told.months[1].hours == 28 * 24
    assert told.mean_day.watts == pytest.approx([100.0] * 8 + [160.0] * 8 + [110.0] * 4 + [100.0] * 4)
    assert told.highest_hour.response_ms == pytest.approx(6.0)
    assert any("1460 of 8760" in note.text for note in told.notes if note.code == "below-lowest-load")
    json.dumps(told.as_dict(), allow_nan=False)


def test_power_by_the_hour_of_the_week_has_its_weekends():
    year = make_year(RUNS, cycle(600, 200), datetime(2026, 7, 1, 9))
    watts = year.result().week.watts
    assert watts == [[pytest.approx(180.0)] * 24] * 5 + [[pytest.approx(140.0)] * 24] * 2
    assert year.result().week.days[5] == "Saturday"


def test_shares_are_of_the_highest_run_and_streams_count_by_bytes():
    half = make_year(RUNS, cycle(0.5, measure="share"), START)
    assert half.curve.measure == "iops"
    assert half.system.work.requests == pytest.approx(500 * YEAR_S)
    streams = [system(k, 100 + k, size=2**18) for k in (0, 40, 100)]
    year = make_year(streams, cycle(0.7, measure="share"), START)
    assert (year.curve.measure, year.curve.highest) == ("mib_per_s", 25.0)
    assert year.system.work.bytes_moved == pytest.approx(70 * 2**18 * YEAR_S)
    by_bytes = make_year(streams, cycle(17.5, measure="mib_per_s"), START)
    assert by_bytes.system.work.load.total_j == pytest.approx(year.system.work.load.total_j)


def test_counts_are_weighted_by_what_they_count():
    runs = [
        system(0, 100, stops=3.0, pe=0.0),
        system(200, 140, amplification=1.5, pe=1e-6),
        system(600, 180, amplification=3.0, pe=5e-6),
    ]
    # Half the hours at 200 and half at 400, so 3/4 of the year at 200 and 1/4 at 600.
    year = make_year(runs, cycle([200.0] * 12 + [400.0] * 12), START)
    counts = year.system.drives[0].counts
    runs_a_year = YEAR_S / 600
    assert counts.pe_fraction == pytest.approx((0.75 * 1e-6 + 0.25 * 5e-6) * runs_a_year)
    written_200, written_600 = (iops * 600 * 4096.0 for iops in (200, 600))
    assert counts.bytes_written == pytest.approx((0.75 * written_200 + 0.25 * written_600) * runs_a_year)
    programmed = 0.75 * written_200 * 1.5 + 0.25 * written_600 * 3.0
    assert counts.write_amplification == pytest.approx(programmed / (0.75 * written_200 + 0.25 * written_600))
    assert counts.start_stops == 0.0
    asleep = make_year(runs, cycle([0.0] * 12 + [200.0] * 12), START)
    assert asleep.system.drives[0].counts.start_stops == pytest.approx(1.5 * runs_a_year)
    # What one Run that stands for any hour does not know is not known of the year.
    unknown = [runs[0], runs[1], system(600, 180)]
    assert make_year(unknown, cycle(400.0), START).system.drives[0].counts.write_amplification is None
    assert make_year(unknown, cycle(400.0), START).system.drives[0].counts.pe_fraction is None
    assert make_year(unknown, cycle(200.0), START).system.drives[0].counts.pe_fraction is not None


LOADS = st.lists(st.floats(0, 1000), min_size=24, max_size=24)


@settings(max_examples=60, deadline=None)
@given(LOADS, LOADS)
def test_energy_is_conserved_whatever_the_hours(weekday, weekend):
    made = replace(cycle(weekday), week=weekday_and_weekend(np.array(weekday), np.array(weekend)))
    year = make_year(RUNS, made, START)
    load = year.system.work.load
    # The sum over hours, of which each is on the line between its neighbours.
    by_hand = 0.0
    points = [(0.0, 100.0), (200.0, 140.0), (600.0, 180.0), (1000.0, 260.0)]
    for rate in made.hours(START):
        for (a, p), (b, q) in itertools.pairwise(points):
            if a <= rate <= b:
                by_hand += (p + (q - p) * (rate - a) / (b - a)) * 3600
                break
    assert load.total_j == pytest.approx(by_hand, rel=1e-9)
    weights = year.curve.weights(year.loads)
    assert weights.sum() == pytest.approx(YEAR_S)
    assert float(weights @ year.curve.watts) == pytest.approx(load.total_j, rel=1e-9)
    assert year.system.work.requests == pytest.approx(made.hours(START).sum() * 3600)
    edges = np.linspace(0.0, YEAR_S, 50)
    assert load.between(edges).sum() == pytest.approx(load.total_j)


def test_the_bill_of_a_year_is_that_of_its_hours():
    year = make_year(RUNS, cycle([0.0] * 12 + [1000.0] * 12), START)
    made = bill(find_tariff("flat:0.15,12"), year.system.work.load, START)
    assert made.of("energy") == pytest.approx(365 * 12 * (0.1 + 0.26) * 0.15)
    assert made.of("demand") == pytest.approx(12 * 0.26 * 12)


def test_growth_needs_all_years_and_says_so():
    grows = cycle(500.0, growth=0.2)
    one = make_year(RUNS, grows, START)
    assert one.system.work.requests == pytest.approx(500 * YEAR_S)
    assert "growth-left-out" in {note.code for note in one.system.notes}
    three = make_year(RUNS, grows, START, years=3)
    assert three.system.work.duration_s == 3 * YEAR_S
    assert three.system.work.requests == pytest.approx(500 * (1 + 1.2 + 1.44) * YEAR_S)
    assert three.result().months[0].hours == 3 * 31 * 24
    with refused("missing-figure", re.compile(r"^made\.toml: .*2029-12-31 00:00$")) as caught:
        make_year(RUNS, grows, START, years=5)
    assert all(part in caught.value.message for part in ("1036.8 IOPS", "runs/rate1000", "1000"))


def test_a_part_of_years_has_the_work_of_its_own_hours():
    """Two years of which the second has twice the requests, cut after a year and a half."""
    runs = [system(500.0, 100.0), system(1000.0, 200.0)]
    half = make_year(runs, cycle(500.0, growth=1.0), START, years=2, hours=8760 + 4380)
    work = half.system.work
    assert work.duration_s == 13_140 * 3600
    assert work.requests == pytest.approx((500 * 8760 + 1000 * 4380) * 3600)
    assert work.load.total_j == pytest.approx((100 * 8760 + 200 * 4380) * 3600)
    written = half.system.drives[0].counts.bytes_written
    assert written == pytest.approx(work.requests * 4096)
    assert half.result().energy_kwh == pytest.approx((100 + 200) * 8760 / 1000)


def test_within_two_percent_the_highest_run_stands_for_it():
    year = make_year(RUNS, cycle(1015.0), START)
    assert year.system.work.requests == pytest.approx(1000 * YEAR_S)
    lowest = make_year(RUNS[1:], cycle(199.0), START)
    assert set(lowest.watts) == {140.0}


OTHER = system(400, 150, name="other")


@pytest.mark.parametrize(
    ("runs", "load", "code", "place", "named"),
    [
        (RUNS, 1100.0, "missing-figure", FIRST_HOUR, "runs/rate1000"),
        (RUNS[1:], 100.0, "missing-figure", FIRST_HOUR, "runs/rate200"),
        (RUNS[1:], 0.0, "missing-figure", FIRST_HOUR, "runs/rate200"),
        (RUNS[:1], 0.0, "missing", "runs/rate0", ""),
        ([], 0.0, "missing", None, ""),
        ([*RUNS, system(0, 90, name="asleep")], 500.0, "ambiguous", "runs/asleep", "runs/rate0"),
        ([*RUNS, system(600, 170, name="again")], 500.0, "ambiguous", "runs/again", "600 IOPS"),
        (
            [*RUNS, changed(OTHER, power_basis="device")],
            500.0,
            "not-comparable",
            f"{OTHER.where}: power_basis",
            "",
        ),
        ([*RUNS, changed(OTHER, raw_gb=5.0, drives=())], 500.0, "not-comparable", OTHER.where, ""),
        ([*RUNS, changed(OTHER, usable_gb=5.0)], 500.0, "not-comparable", OTHER.where, "drives"),
        ([*RUNS, changed(OTHER, parts={})], 500.0, "not-comparable", OTHER.where, ""),
        ([*RUNS, system(700, float("nan"), name="dark")], 500.0, "missing-figure", "runs/dark", ""),
    ],
)
def test_what_no_year_can_be_made_of_is_refused(runs, load, code, place, named):
    with refused(code, place) as caught:
        make_year(runs, cycle(load), START)
    assert named in caught.value.message


def test_years_beyond_reason_are_refused():
    for years in (0, 201):
        with refused("out-of-range", Argument("years")):
            make_year(RUNS, cycle(500.0), START, years=years)
    with refused("out-of-range", Argument("start")):
        make_year(RUNS, cycle(500.0), datetime(9990, 1, 1), years=20)


def run(name, folder=None, simulation=None):
    return SimpleNamespace(name=name, path=folder, plan=simulation or {}, summary={"name": name})


def test_runs_are_put_together_by_array(tmp_path):
    plans = [{"simulation": {"pools": [{"level": level}], "workloads": [level]}} for level in (5, 10)]
    for number, plan in enumerate(plans):  # what differs by load only is the same array
        plan["simulation"]["seed"] = number
    five, ten = plans
    light = {"simulation": {**five["simulation"], "workloads": ["another"], "seed": 9}}
    folders = [tmp_path / "small" / "runs" / "a", tmp_path / "large" / "runs" / "b"]
    observed = [
        (run("raid", folders[0], light), RUNS[0]),
        (run("raid", folders[1], ten), system(0, 50)),
        (run("raid", folders[0], five), RUNS[3]),
        (run("raid", folders[1], ten), system(900, 100)),
    ]
    first, second = make_years(observed, cycle(450.0), START)
    assert (first.system.name, second.system.name) == ("small", "large")
    assert first.system.work.load.total_j == pytest.approx((100 + 0.45 * 160) * YEAR_S)
    assert second.system.work.load.total_j == pytest.approx(75 * YEAR_S)
    (only,) = make_years(observed[::2], cycle(450.0), START)
    assert only.system.name == "raid"
    assert only.system.where == "runs/rate0, runs/rate1000"
    with refused("missing"):
        make_years([observed[0], observed[3]], cycle(450.0), START)


def test_holidays_have_their_own_power():
    off = cycle(600, holiday=np.zeros(24), holidays=(Holiday(5, 1),))
    year = make_year(RUNS, off, START)
    assert year.system.work.load.total_j == pytest.approx(3600 * 24 * (364 * 180 + 100))
    assert find_cycle("flat").holidays == ()
