"""Drives without watts: simulated for time, their energy null with its reason; what needs it refuses."""

import polars as pl
import pytest
from typer.testing import CliRunner

import iowatt
from iowatt.base.errors import InputError
from iowatt.cli import main

SCENARIO = """
name = "mixed"
seed = 1
[observe]
duration = "20s"
[[workload]]
name = "a"
volume = "known"
profile = { name = "hot-band", rate_iops = 50, span = "1GiB" }
[[workload]]
name = "b"
volume = "unknown"
profile = { name = "hot-band", rate_iops = 50, span = "1GiB" }
[[array.pool]]
name = "known"
count = 1
device = "toshiba-mg04sca500e"
[[array.pool]]
name = "unknown"
count = 1
device = "seagate-cheetah-15k5"
"""
LACKING = "power.active, power.positioning, power.idle"
WATTS = (
    'array.pool.unknown.device={name="seagate-cheetah-15k5",power={active="12W",positioning="11W",idle="9W"}}'
)


@pytest.fixture(scope="module")
def scenario(tmp_path_factory):
    file = tmp_path_factory.mktemp("without-watts") / "mixed.toml"
    file.write_text(SCENARIO)
    return file


@pytest.fixture(scope="module")
def run(scenario):
    return iowatt.run(scenario, output=scenario.parent / "run")


def verb(*words):
    return CliRunner().invoke(main.app, [str(word) for word in words])


def refused(result):
    assert isinstance(result.exception, InputError), result.output
    said = f"{result.exception.message} {result.exception.place}"
    assert "seagate-cheetah-15k5" in said
    return said


def test_time_is_what_it_is_with_watts(scenario, run):
    known = iowatt.run(scenario, set=[WATTS])
    for part in ("requests", "throughput", "response_time_ms", "window", "workloads"):
        assert run.summary[part] == known.summary[part]
    for one, other in zip(run.summary["devices"], known.summary["devices"], strict=True):
        assert one["state_time_s"] == other["state_time_s"]
    assert known.summary["energy"]["unknown"] is None
    # The drive with watts keeps its joules, to the last digit.
    assert run.summary["devices"][0]["energy_j"] == known.summary["devices"][0]["energy_j"]
    by_component = run.summary["energy"]["by_component_j"]
    assert by_component["known.0"] == known.summary["energy"]["by_component_j"]["known.0"]


def test_what_rests_on_unknown_watts_is_null_and_says_why(run):
    energy = run.summary["energy"]
    assert LACKING in energy["unknown"] and "seagate-cheetah-15k5" in energy["unknown"]
    for key in ("total_j", "per_request_j", "energy_delay_js", "above_idle_j"):
        assert energy[key] is None
    assert [energy["by_state_j"][state] for state in ("active", "positioning", "idle")] == [None] * 3
    assert energy["by_component_j"]["unknown.0"] is None
    assert set(run.summary["power_w"].values()) == {None}
    assert set(run.summary["efficiency"].values()) == {None}
    unknown = run.table("devices").row(1, named=True)
    assert unknown["energy_total_j"] is None and unknown["energy_idle_j"] is None
    assert unknown["energy_standby_j"] == 0.0 and unknown["time_idle_s"] > 0
    intervals = run.table("intervals")
    assert intervals["power_w"].null_count() == intervals.height == intervals["idle_j"].null_count()
    assert any("unknown" in note and LACKING in note for note in run.summary["notes"])


@pytest.mark.parametrize("name", ["report.html", "report.xlsx"])
def test_reports_are_written(run, name, tmp_path):
    assert verb("report", run.path, "-o", tmp_path / name).exit_code == 0
    assert (tmp_path / name).stat().st_size > 10_000


def test_verbs_that_need_no_energy_work(run, scenario, tmp_path):
    assert verb("compare", run.path, run.path).exit_code == 0
    swept = verb("sweep", scenario, "--over", "seed=1,2", "-o", tmp_path / "sweep")
    assert swept.exit_code == 0
    table = pl.read_parquet(tmp_path / "sweep" / "table.parquet")
    assert table["energy.total_j"].to_list() == [None, None]
    assert all(LACKING in why for why in table["energy.unknown"])
    over = ("--over", "array.pool.known.scheduler=fcfs,elevator", "-o", tmp_path / "best")
    assert verb("optimize", scenario, *over, "--minimize", "response_time_ms.all.p95").exit_code == 0


def test_verbs_that_need_energy_name_the_drive_and_the_figures(run, scenario, tmp_path):
    assert LACKING in refused(verb("cost", run.path))
    over = ("--over", "seed=1,2", "-o", tmp_path / "best")
    assert LACKING in refused(verb("optimize", scenario, *over, "--minimize", "power_w.mean"))


@pytest.mark.parametrize(
    "change",
    [
        'array.pool.unknown.power={policy="fixed-threshold",threshold="2s"}',
        'array.power={enclosure=[{name="e",slots=4,pools=["known","unknown"]}]}',
    ],
)
def test_a_scenario_that_asks_for_energy_is_refused_at_the_drive(scenario, change):
    with pytest.raises(InputError) as error:
        iowatt.run(scenario, set=[change])
    said = str(error.value)
    assert "array.pool.unknown.device" in said
    assert all(figure in said for figure in ("active", "positioning", "idle"))


@pytest.mark.parametrize("device", ["intel-320-300gb", "micron-9300-pro-3-84tb", "wd-4tb-g4"])
def test_every_kind_of_model_runs_without_watts(scenario, device):
    found = iowatt.run(scenario, set=[f'array.pool.unknown.device="{device}"', "observe.duration=2s"]).summary
    assert found["energy"]["total_j"] is None and device in found["energy"]["unknown"]
    assert found["response_time_ms"]["all"]["mean"] > 0
