"""The same command on a simulated array: whole, stopped and gone on with."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from pathlib import Path

import conducted
import pytest

from iowatt.emerald.conduct.begin import read_plan
from iowatt.emerald.conduct.drivers.simulation import SimulationDriver
from iowatt.emerald.conduct.folder import MeasurementFolder
from iowatt.emerald.conduct.sequence import Stopped, conduct
from iowatt.run.bundle import Run

ROOT = Path(__file__).resolve().parents[2]
STAGES = [stage for stage in conducted.short(measured=4.0, warmup=2.0) if stage["id"] != "fill"]


@pytest.fixture
def path(tmp_path):
    shutil.copy(ROOT / "examples" / "emerald-small.toml", tmp_path / "array.toml")
    pdu = {"name": "pdu", "source": "snmp://no-such-host/1"}
    target = {"scenario": "array.toml"}
    return conducted.plan(tmp_path, STAGES, [pdu], source="simulation", target=target)


def test_a_simulated_array_is_measured_by_the_same_command(path, tmp_path):
    done = subprocess.run(conducted.command(path, "--json"), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["finished"] and found["source"] == "simulation" and found["deviations"] == []
    for stage in found["stages"]:
        run = Run.open(tmp_path / "out" / stage["attempts"][0]["folder"] / "run")
        assert run.summary["source"] == "simulation"
    before = json.loads((tmp_path / "out" / "settings-before.json").read_bytes())
    assert f"file {tmp_path / 'array.toml'}" in before["settings"]


def test_a_simulated_measurement_that_was_stopped_goes_on_and_lacks_nothing(path, tmp_path):
    plan = read_plan(path)
    stop = threading.Event()

    class Halting(SimulationDriver):
        def run(self, plan, stage, folder, stop):
            if stage.id == "RW":
                stop.set()
            super().run(plan, stage, folder, stop)

    folder = MeasurementFolder(tmp_path / "out", plan)
    with pytest.raises(Stopped):
        conduct(plan, Halting(), folder, stop=stop)
    folder.close()
    folder = MeasurementFolder(tmp_path / "out", plan, resume=True)
    state = conduct(plan, SimulationDriver(), folder)
    folder.close()
    assert state.finished and state.resumed == 1
    assert [d.text for d in state.deviations] == [], "a simulated array notices no break"
    assert [s.stage.id for s in state.stages if len(s.attempts) == 2] == ["RW"]


def test_a_scenario_that_was_changed_on_the_way_is_named(path, tmp_path):
    plan = read_plan(path)
    folder = MeasurementFolder(tmp_path / "out", plan)
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        conduct(plan, SimulationDriver(), folder, stop=stop)
    folder.close()
    with (tmp_path / "array.toml").open("a") as scenario:
        scenario.write("# another\n")
    folder = MeasurementFolder(tmp_path / "out", plan, resume=True)
    state = conduct(plan, SimulationDriver(), folder)
    folder.close()
    (changed,) = state.changes
    assert changed.startswith(f"file {tmp_path / 'array.toml'} was ")
