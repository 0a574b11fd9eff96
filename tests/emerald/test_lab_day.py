"""A lab's day, unattended: classified, planned, measured on two load hosts, judged and reported.

Two meters and an inlet sensor are read on loopback; one load host is killed in the middle of a phase, with
all that runs on it. The day goes on to its report, and the judgement names the host. Times are a thousandth.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import conducted
import pytest

import needs
from iowatt.emerald.measurement import events
from loopback import modbus, namespaces, scpi, snmp

pytestmark = needs.mark("fio")

IOWATT = [sys.executable, "-c", "from iowatt.cli.main import main; main()"]
PRODUCT = Path(__file__).parents[2] / "examples" / "products" / "midrange-array.toml"
VICTIM = "RR"


@pytest.fixture
def tmp_path(disk_folder):
    """fio's direct I/O wants a file system on a block device."""
    return disk_folder


def iowatt(folder, *words, accept=(0,)):
    """A command of the day; its output as JSON, or as text."""
    done = subprocess.run([*IOWATT, *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in accept, f"{shlex.join(words)}\n{done.stdout}{done.stderr}"
    return json.loads(done.stdout) if "--json" in words else done.stdout


def kill_host(folder, name):
    """Kill everything that runs on a load host: agent, guard and load generator."""
    mark = json.loads((folder / "measured" / "measurement.json").read_bytes())["id"]
    deadline = time.monotonic() + 60
    while not (running := conducted.marked(f"{mark}/{name}")):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    guard = conducted.parent(running[0])
    for pid in (conducted.parent(guard), guard, *running):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def wait_for_stage(process, folder, name):
    deadline = time.monotonic() + 120
    journal = folder / "measured" / "journal.jsonl"
    while not (
        journal.exists()
        and any(e.event == "stage-started" and e.values["stage"] == name for e in events(folder / "measured"))
    ):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_day_from_classification_to_report_names_the_host_that_died(tmp_path):
    classified = iowatt(tmp_path, "emerald", "classify", str(PRODUCT), "--json")
    with (
        namespaces.two_hosts() as (left, right),
        modbus.modbus_device() as pdu,
        scpi.analyser() as analyser,
        snmp.pdu(tmp_path / "agent", 240.0) as sensors,
    ):
        pdu.set(120.0)
        analyser.set(130.0)
        iowatt(
            tmp_path, "emerald", "plan", "--driver", "fio", "--product", str(PRODUCT),
            "--host", f"left={left}", "--host", f"right={right}", "--target", str(tmp_path / "lun.dat"),
            "--size", "16MiB", "--raw-capacity", "1TB", "--time-scale", "0.001", "--conditioning", "10min",
            "--phase-rate", "HB=400", "--phase-rate", "RR=200", "--phase-rate", "RW=200",
            "--meter", f"supply1={pdu.address(profile='sdm630')}", "--meter", f"supply2={analyser.address()}",
            "--thermometer", f"inlet={sensors.address('entity-sensor/8', 'sensors')}", "-o", "plan",
        )  # fmt: skip
        words = [*IOWATT, "emerald", "run", "plan", "-o", "measured", "--json"]
        with subprocess.Popen(
            words,
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(tmp_path)},  # what is killed leaves its folder
        ) as process:
            wait_for_stage(process, tmp_path, VICTIM)
            kill_host(tmp_path, "right")
            said, talk = process.communicate(timeout=300)
        assert process.returncode == 0, talk
        state = json.loads(said)
        mark = json.loads((tmp_path / "measured" / "measurement.json").read_bytes())["id"]
        assert [conducted.marked(f"{mark}/{host}") for host in ("left", "right")] == [[], []]
    assert state["finished"] and not state["compliant"]
    lost = [one for one in state["host_failures"] if one["event"] == "host-lost"]
    assert [one["host"] for one in lost] == ["right"]
    stage = lost[0]["stage"]
    victim = stage.removesuffix("-warmup")  # on a busy machine it may be hit in the next stage

    judged = iowatt(tmp_path, "emerald", "analyze", "measured", "--json", accept=(1,))
    assert judged["status"] == "invalid"
    assert f"{judged['category']}-{judged['class']}" == classified["id"]
    phases = {phase["phase"]: phase for phase in judged["phases"]}
    finding = next(one for one in phases[victim]["findings"] if one["code"] == "host-lost")
    assert finding["weight"] == "invalid" and finding["values"]["host"] == "right"
    assert phases[victim]["ep_shown"] is None
    assert not any(one["code"] == "host-lost" for one in phases["HB"]["findings"]), "HB had both hosts"
    assert ("right", stage) in [
        (one["values"]["host"], one["values"]["stage"])
        for one in judged["findings"]
        if one["code"] == "host-lost"
    ]
    # Both meters and the sensor recorded, and the power is that of both.
    names = {one["name"] for one in phases["HB"]["instruments"]}
    assert names == {"supply1", "supply2", "inlet"}
    for name, watts in (("supply1", 120.0), ("supply2", 130.0)):
        readings = [
            one["readings"]["watts"]["mean"] for one in phases["HB"]["instruments"] if one["name"] == name
        ]
        assert readings == [pytest.approx(watts, rel=1e-3)]

    report = iowatt(
        tmp_path, "emerald", "report", "measured", "--product", str(PRODUCT), "-o", "tdr.html", "--json"
    )
    assert report["schema"] == "iowatt.emerald-report/1"
    assert "right" in (tmp_path / "tdr.html").read_text() and victim in (tmp_path / "tdr.html").read_text()
