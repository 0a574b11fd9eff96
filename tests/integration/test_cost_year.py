"""Simulated Runs at several loads under a duty cycle: their joules, their drives, and what is one array."""

import json
from datetime import datetime
from types import SimpleNamespace

import numpy as np
import pytest

import iowatt
from iowatt.lenses.cost.request import CostRequest, price_runs
from iowatt.lenses.cost.systems.of_run import observe
from iowatt.lenses.cost.year import find_cycle, make_years
from iowatt.lenses.duty import analyse
from refused import refused

SCENARIO = """\
name = "small"
seed = 3

[[workload]]
name = "oltp"
profile = { name = "uniform", rate_iops = 100, duration = "20s" }

[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 4
raid = { level = 5, stripe_unit = "16KiB" }

[observe]
interval = "5s"
"""
START = datetime(2026, 1, 1)
YEAR_S = 8760 * 3600
WEEK = [0.0] * 8 + [150.0] * 10 + [40.0] * 6


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """An idle Run and three with requests, of one array; and a Run of it with another level."""
    folder = tmp_path_factory.mktemp("year")
    scenario = folder / "small.toml"
    scenario.write_text(SCENARIO, "utf-8")
    asleep = ["workload=[]", "observe.duration=20s"]
    made = {"idle": asleep, "other": ["array.pool.disks.raid.level=10"]}
    made |= {f"rate{rate}": [f"workload.oltp.profile.rate_iops={rate}"] for rate in (60, 120, 240)}
    for name, sets in made.items():
        iowatt.run(scenario, set=sets).save(folder / name)
    hours = f'load = "iops"\nweekday = {WEEK}\nsource = "made up"\nquality = "assumed"\n'
    head = 'schema = "iowatt.duty-cycle/1"\nname = "days"\ntitle = "Days"\n'
    (folder / "days.toml").write_text(head + hours, "utf-8")
    return folder


def runs(place, *names):
    found = [iowatt.open_run(place / name) for name in names]
    return [(run, observe(run)) for run in found]


ALL = ("idle", "rate60", "rate120", "rate240")


def test_the_joules_of_a_year_are_those_of_its_hours(place):
    observed = runs(place, *ALL)
    (year,) = make_years(observed, find_cycle(str(place / "days.toml")), START)
    rates = [run.summary["throughput"]["iops"] for run, _ in observed]
    watts = [run.summary["energy"]["total_j"] / run.summary["window"]["duration_s"] for run, _ in observed]
    hourly = np.interp(np.tile(WEEK, 365), rates, watts)
    assert year.system.work.load.total_j == pytest.approx(hourly.sum() * 3600, rel=1e-12)
    assert year.system.work.requests == pytest.approx(365 * sum(WEEK) * 3600, rel=1e-9)
    assert year.system.name == "small" and year.system.modelled
    # RAID 5 spreads requests, so that all drives of a year read, each by the Runs that it is made of.
    assert [drive.name for drive in year.system.drives] == [drive.name for drive in observed[0][1].drives]
    hours = dict(zip(ALL, year.curve.weights(year.loads) / 3600, strict=True))
    for at, drive in enumerate(year.system.drives):
        by_hand = sum(
            hours[name] * 3600 * system.drives[at].counts.bytes_read / system.work.duration_s
            for name, (_, system) in zip(ALL, observed, strict=True)
        )
        assert drive.counts.bytes_read == pytest.approx(by_hand)


def test_a_flat_year_is_its_run_all_year(place):
    observed = runs(place, "rate60", "rate240")
    (year,) = make_years(observed, find_cycle("flat"), START)
    run, system = observed[1]
    mean_w = run.summary["energy"]["total_j"] / run.summary["window"]["duration_s"]
    assert year.system.work.load.total_j == pytest.approx(mean_w * YEAR_S, rel=1e-12)
    scaled = system.drives[0].counts.scaled(YEAR_S / system.work.duration_s)
    assert year.system.drives[0].counts.bytes_written == pytest.approx(scaled.bytes_written, rel=1e-12)
    assert year.system.work.response_ms == system.work.response_ms


def test_another_level_is_another_array(place):
    observed = runs(place, *ALL, "other")
    with refused("missing-figure") as caught:
        make_years(observed, find_cycle(str(place / "days.toml")), START)
    assert "other" in str(caught.value)
    first, second = make_years(observed, find_cycle("flat"), START)
    assert first.system.name != second.system.name
    assert len(first.curve.systems) == 4 and len(second.curve.systems) == 1
    with refused("not-comparable"):
        analyse([run for run, _ in observed])


def test_a_year_is_priced_and_its_document_holds_the_week(place):
    found = price_runs(
        CostRequest([place / name for name in ALL], duty=str(place / "days.toml"), years=2.0, samples=0,
              tariff="flat:0.15")
    )  # fmt: skip
    (system,) = found.systems
    year = system.year
    assert year.years == 2 and system.years == pytest.approx(2.0)
    assert len(year.week.watts) == 7
    energy = sum(one.usd for one in system.components if one.group == "energy")
    assert energy == pytest.approx(year.energy_kwh * 0.15)
    assert found.modelled is True
    json.dumps(found.as_dict(), allow_nan=False)


def test_a_run_of_seconds_is_no_duty_cycle(place):
    with refused("missing-figure", place / "rate60") as caught:
        find_cycle(str(place / "rate60"))
    assert {"20", "0", "23"} <= set(caught.value.message.split())
    with refused("empty", place / "idle"):
        find_cycle(str(place / "idle"))


def test_measured_storage_is_told_apart_by_its_capacity():
    from iowatt.lenses.one_array import ArrayMeasurement, plan_of, same_array

    run = SimpleNamespace(plan={"measured": {"target": "/dev/sdb"}})
    assert plan_of(run) == ""
    one, other = (ArrayMeasurement(f"r{gb}", f"r{gb}", (), gb, "wall") for gb in (100.0, 200.0))
    same_array([one, one])
    with refused("not-comparable", "r200.0") as caught:
        same_array([one, other])
    assert "r100.0" in caught.value.message
