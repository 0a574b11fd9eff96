"""The Python API: scenario in, Run out, in memory or on disk. The core is a hand-made one."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tomllib

import pytest

import handmade
import iowatt
from iowatt.base.errors import InputError
from iowatt.base.overrides import with_overrides
from iowatt.model.scenario import resolve_sources
from iowatt.run import provenance
from iowatt.run.bundle import OPTIONAL, TABLES, Run
from iowatt.run.index import Index
from iowatt.sources.simulation import simulator
from refused import refused

SCENARIO = """\
name = "handmade"
seed = 7

[[workload]]
name = "oltp"
trace = { path = "trace.csv" }

[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 2
raid = { level = 0 }
"""


SIMULATED = """\
name = "simulated"
observe = { SEEN, duration = "10s" }

[[workload]]
name = "oltp"
profile = { name = "skew", requests = 300, rate_iops = 50 }

[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 4
raid = { level = 5 }

[[array.volume]]
name = "all"
pool = "disks"
"""


def fitting(simulation, _sources, progress, **_options):
    """The run of ``handmade`` without its bus, which the scenario above does not have."""
    progress(0.5, 4)
    raw = handmade.decoded()
    raw["summary"]["buses"] = []
    return {**raw, "summary": handmade.json.dumps(raw["summary"])}


@pytest.fixture
def scenario(tmp_path, monkeypatch):
    monkeypatch.setattr(simulator, "run_core", fitting)
    monkeypatch.setattr(simulator, "_source", lambda trace: ("{}", None))
    monkeypatch.setattr(provenance, "_version", lambda: "0.0.0")
    (tmp_path / "trace.csv").write_text("time_us,op,offset,size\n0,R,0,4096\n")
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    return tmp_path / "scenario.toml"


def test_without_output_the_run_lives_in_memory(scenario, tmp_path):
    before = sorted(tmp_path.iterdir())
    run = iowatt.run(scenario)
    assert run.path is None
    assert run.summary["energy"]["total_j"] == 4200
    assert run.table("devices").height == 2
    assert sorted(tmp_path.iterdir()) == before


def test_with_output_it_is_a_bundle_with_a_row_in_the_index(scenario, tmp_path):
    run = iowatt.run(scenario, output=tmp_path / "runs" / "a", command="iowatt-run")
    assert run.path == tmp_path / "runs" / "a"
    again = iowatt.open_run(run.path)
    assert isinstance(again, Run)
    assert again.summary == run.summary
    assert again.summary["provenance"]["command"] == "iowatt-run"
    assert [row["path"] for row in Index(tmp_path / "runs").runs()] == ["a"]


def test_the_run_of_a_bundle_is_the_one_that_was_written(tmp_path):
    scenario = SIMULATED.replace("SEEN", "idle = true, heat = {}")
    run, other = (iowatt.run(scenario, output=tmp_path / "a"), Run.open(tmp_path / "a"))
    assert (run.path, run.summary, run.plan) == (other.path, other.summary, other.plan)
    assert run.scenario_text == other.scenario_text
    for name in (*TABLES, *OPTIONAL):
        assert run.has(name) == other.has(name)
        if run.has(name):
            assert run.table(name).schema == other.table(name).schema
            assert run.table(name).equals(other.table(name))


def test_inputs_are_listed_with_digests_under_the_names_given(scenario):
    inputs = iowatt.run(scenario).summary["provenance"]["inputs"]
    assert [entry["path"] for entry in inputs] == [str(scenario), str(scenario.parent / "trace.csv")]
    assert inputs[0]["size"] == len(SCENARIO.encode())
    assert all(len(entry["sha256"]) == 64 for entry in inputs)


DEVICE = 'name = "mine"\ntitle = "Mine"\nbased_on = "{base}"\n'


def test_device_files_are_inputs_and_every_path_is_from_here(scenario, tmp_path, monkeypatch):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "mine.toml").write_text(DEVICE.format(base="base.toml"))
    (tmp_path / "parts" / "base.toml").write_text(DEVICE.format(base="arrays2002-disk"))
    scenario.write_text(SCENARIO.replace('"arrays2002-disk"', '"parts/mine.toml"'))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    inputs = iowatt.run("../scenario.toml").summary["provenance"]["inputs"]
    assert [entry["path"] for entry in inputs] == [
        "../scenario.toml",
        "../trace.csv",
        "../parts/mine.toml",
        "../parts/base.toml",
    ]
    assert inputs[2]["sha256"] == hashlib.sha256(DEVICE.format(base="base.toml").encode()).hexdigest()


def test_files_in_overrides_are_meant_from_here(scenario, tmp_path, monkeypatch):
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    (tmp_path / "work" / "my.csv").write_text("time_us,op,offset,size\n0,R,0,4096\n")
    (tmp_path / "work" / "mine.toml").write_text(DEVICE.format(base="arrays2002-disk"))
    run = iowatt.run(
        "../scenario.toml",
        set={"workload.oltp.trace.path": "my.csv", "array.pool.disks.device": "mine.toml"},
    )
    assert [entry["path"] for entry in run.summary["provenance"]["inputs"]] == [
        "../scenario.toml",
        "my.csv",
        "mine.toml",
    ]
    # The plan stays relative to the scenario, so that it can be resolved from there.
    assert run.plan["sources"][0]["path"] == "work/my.csv"
    (source,) = resolve_sources(run.plan, tmp_path)
    assert source["path"] == str(tmp_path / "work" / "my.csv")
    assert run.plan["names"]["devices"][0]["model"] == "mine"


def test_overrides_as_strings_or_as_a_mapping(scenario):
    by_text = iowatt.run(scenario, set=["array.pool.disks.power={policy='never'}", "observe.interval=5s"])
    by_name = iowatt.run(scenario, set={"observe.interval": "5s"}, seed=9)
    assert by_text.plan["simulation"]["observe"]["interval_s"] == 5
    assert by_name.plan["simulation"]["observe"]["interval_s"] == 5
    assert by_name.summary["provenance"]["seed"] == 9
    added = by_name.scenario_text.removeprefix(SCENARIO).split()
    assert [word for word in added if "=" in word] == ["observe.interval=5s", "seed=9"]
    assert all(
        line.startswith("#") for line in by_name.scenario_text.removeprefix(SCENARIO).split("\n") if line
    )


def test_the_text_of_a_scenario_will_do(scenario, monkeypatch):
    monkeypatch.chdir(scenario.parent)
    run = iowatt.run(SCENARIO)
    assert run.scenario_text == SCENARIO
    assert [entry["path"] for entry in run.summary["provenance"]["inputs"]] == ["trace.csv"]


def test_the_kept_scenario_stays_toml_whatever_an_override_holds():
    kept = with_overrides(SCENARIO, ['name="x"\nseed = 99', "a=b"])
    assert tomllib.loads(kept) == tomllib.loads(SCENARIO)
    assert with_overrides(SCENARIO, []) == SCENARIO


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt, InputError("damaged", None, "the trace is wrong"), RuntimeError("a fault")]
)
def test_whatever_stops_the_simulation_leaves_nothing(scenario, tmp_path, monkeypatch, error):
    def fail(*_arguments, **_options):
        assert list(tmp_path.glob(".iowatt-partial-out-*"))
        raise error

    monkeypatch.setattr(simulator, "run_core", fail)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(BaseException) as caught:
        iowatt.run(scenario, output=tmp_path / "out")
    assert caught.value is error or caught.type is error
    assert sorted(tmp_path.iterdir()) == before


def test_existing_output_is_refused_before_anything_is_simulated(scenario, tmp_path, monkeypatch):
    iowatt.run(scenario, output=tmp_path / "out")
    monkeypatch.setattr(simulator, "run_core", lambda *_, **_options: pytest.fail("simulated"))
    with refused("exists", str(tmp_path / "out")):
        iowatt.run(scenario, output=tmp_path / "out")


def test_the_function_stays_a_function_when_its_package_is_imported():
    code = (
        "import sys, iowatt\n"
        "heavy = {'numpy', 'polars', 'pydantic', 'rich', 'typer', 'iowatt.core._native'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "from iowatt.run.bundle import Run\n"
        "import iowatt.run.index\n"
        "assert iowatt.run is iowatt.api.run\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
