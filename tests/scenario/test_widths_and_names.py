"""Redundancy groups wider than practice are warned of with their place; names may begin with a digit."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from iowatt.api import run as simulate
from iowatt.base.problems import DocumentError
from iowatt.cli.main import app
from iowatt.lenses.findings import findings
from iowatt.model.scenario import load
from iowatt.model.scenario.describe import check
from iowatt.model.scenario.loading import read
from refused import faults

SCENARIO = """name = "n"
[[workload]]
name = "2oltp"
volume = "1db"
profile = { name = "uniform", requests = 50, rate_iops = 50 }
[[array.pool]]
name = "10k"
device = "arrays2002-disk"
count = 3
raid = { level = 5, stripe_unit = "64KiB" }
[[array.volume]]
name = "1db"
pool = "10k"
[[array.bus]]
name = "3gbit"
drives = ["10k[:50%]", "10k[50%:]"]
bandwidth = "160MB/s"
"""
runner = CliRunner()


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / "n.toml"
    path.write_text(SCENARIO)
    return path


@pytest.mark.parametrize(
    ("level", "count", "warned"),
    [(5, 12, False), (5, 13, True), (6, 24, False), (6, 25, True), (10, 40, False), (0, 40, False)],
)
def test_a_group_is_warned_of_beyond_its_usual_width(scenario, level, count, warned):
    sets = [f"array.pool.10k.count={count}", f"array.pool.10k.raid.level={level}"]
    _, system, document = read(scenario, sets)
    found = system.warnings
    assert [str(count) in one.message for one in found] == ([True] if warned else [])
    assert all(
        one.code == "out-of-range" and "array.pool.10k.count" in document.place(one.path) for one in found
    )


def test_check_and_run_warn_with_the_place_and_accept_it(scenario):
    scenario.write_text(SCENARIO.replace("count = 3", "count = 40"))
    shown = runner.invoke(app, ["check", str(scenario)])
    assert shown.exit_code == 0 and "n.toml:9: array.pool.10k.count" in shown.stdout
    found = json.loads(runner.invoke(app, ["check", str(scenario), "--json"]).stdout)
    assert found["ok"] and found["warnings"][0]["where"].endswith("n.toml:9: array.pool.10k.count")
    run = simulate(scenario)
    assert any("array.pool.10k.count" in one.text for one in findings(run) if one.decides)


def test_sets_over_chunklets_are_as_wide_as_a_set(scenario):
    sets = ["array.pool.10k.count=40", "array.pool.10k.chunklet=256MiB", "array.pool.10k.raid.set_size=4"]
    assert check(scenario, sets).warnings == []


def test_names_begin_with_a_digit_also_in_paths(scenario):
    found = load(scenario, ["array.pool.10k.count=4", "workload.2oltp.profile.rate_iops=60"])
    assert found.array.pool[0].count == 4 and found.workload[0].profile.rate_iops == 60
    assert [bus.drives for bus in found.array.bus] == [["10k[:50%]", "10k[50%:]"]]


def test_a_name_of_digits_alone_would_be_a_number_in_a_path(scenario):
    scenario.write_text(SCENARIO.replace('name = "10k"', 'name = "10"'))
    with pytest.raises(DocumentError) as caught:
        load(scenario)
    assert faults(caught.value).startswith("bad-syntax @ array.pool.")
