"""Sweeps on a real Ray cluster of two nodes: nothing is lost and nothing comes twice, whatever dies."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

import iowatt
from iowatt.evaluate.search import ScenarioInput, run_sweep, sweep_request
from iowatt.evaluate.search.cluster import Cluster
from loopback.ray_nodes import started
from refused import printed_code, refused

pytestmark = pytest.mark.cluster

COMMAND = [sys.executable, "-c", "from iowatt.cli.main import main; main()"]
SPEED, SEED = "workload.oltp.replay.speed", "seed"
SCENARIO = """\
name = "tiny"
seed = 1

[[workload]]
name = "oltp"
trace = { path = "tiny.csv" }
replay = { mode = "open", speed = 1.0 }

[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 1
power = { policy = "never" }

[observe]
interval = "10s"
warmup = "0s"
"""
FLEET = """\
schema = "iowatt.fleet-plan/1"
name = "tiny"
years = 1
[[demand]]
name = "files"
stored = "100GB"
load = 500
[[class]]
name = "disks"
scenario = "tiny.toml"
count = 10
price = 900
loads = [20, 40, 80]
"""
REQUESTS = 200
#: Scenarios of the long sweep, all of them different; IOWATT_LONG=1 makes 500.
MANY = 500 if os.environ.get("IOWATT_LONG") else 200
OVER = {SPEED: [0.5 + number / 100 for number in range(MANY // 5)], SEED: list(range(1, 6))}


@pytest.fixture(scope="module")
def nodes():
    with started() as made:
        yield made


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_trace()
    Path("tiny.toml").write_text(SCENARIO)
    return tmp_path


def write_trace(step=7919):
    rows = (f"{i * 10_000},{'RRW'[i % 3]},{i * step % 100_000 * 4096},4096\n" for i in range(REQUESTS))
    Path("tiny.csv").write_text("time_us,op,offset,size\n" + "".join(rows))


def request(over, **options):
    return sweep_request(ScenarioInput(SCENARIO, Path(), "tiny.toml", ()), over, **options)


def keys(folder):
    return Counter(json.loads(line)["key"] for line in Path(folder, "points.jsonl").read_text().splitlines())


def wait_for_lines(journal, count, alive=lambda: True):
    deadline = time.monotonic() + 300
    while not (journal.exists() and journal.read_bytes().count(b"\n") >= count):
        assert alive()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_many_scenarios_while_a_node_dies(nodes, place):
    doomed = nodes.add()
    killed = []

    def kill():
        wait_for_lines(place / "there" / "points.jsonl", MANY // 4)
        nodes.kill(doomed)
        killed.append(len(keys("there")))

    with closing(Cluster(nodes.address)) as cluster:
        assert cluster.nodes == 2
        killer = threading.Thread(target=kill)
        killer.start()
        there = run_sweep(request(OVER), output=Path("there"), executor=cluster).frame
        killer.join()
    assert MANY // 4 <= killed[0] < MANY, "the node died too late to matter"
    assert there.height == MANY
    assert there["status"].to_list() == ["done"] * MANY
    found = keys("there")
    assert len(found) == MANY
    assert set(found.values()) == {1}
    run_sweep(request(OVER), output=Path("here"))
    for name in ("table.parquet", "table.csv"):
        assert Path("there", name).read_bytes() == Path("here", name).read_bytes()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_driver_that_ends_is_gone_on_with(nodes, place, number):
    over = ["--over", f"{SPEED}=0.50..1.29:0.01"]
    command = [*COMMAND, "sweep", "tiny.toml", *over, "-o", "out"]
    there = ["--cluster", nodes.address]
    journal = place / "out" / "points.jsonl"
    process = subprocess.Popen([*command, *there], cwd=place, stderr=subprocess.PIPE, text=True)
    try:
        wait_for_lines(journal, 5, lambda: process.poll() is None)
        process.send_signal(number)
        code = process.wait(timeout=60)
    finally:
        process.kill()
        process.wait()
    said = process.stderr.read()
    if number == signal.SIGINT:
        assert code == 130
        assert "--resume" in said
    kept = journal.read_bytes()
    kept = kept[: kept.rfind(b"\n") + 1]
    assert 5 <= kept.count(b"\n") < 80, "the sweep was over before it could be interrupted"
    assert not (place / "out" / "table.parquet").exists()

    done = subprocess.run(
        [*command, *there, "--resume", "--json"], cwd=place, check=True, capture_output=True, text=True
    )
    said = json.loads(done.stdout)
    assert said["resumed"] == kept.count(b"\n")
    assert said["failed"] == 0
    assert done.stderr == "", "Ray's own words are no business of ours"
    assert journal.read_bytes().startswith(kept)
    assert set(keys("out").values()) == {1}
    iowatt.sweep("tiny.toml", over[1:], output="here")
    assert Path("out", "table.parquet").read_bytes() == Path("here", "table.parquet").read_bytes()


class Meddled:
    """An executor of which something happens before its first task is submitted."""

    def __init__(self, executor, meddle):
        self._executor, self._meddle = executor, meddle

    def submit(self, work, argument):
        meddle, self._meddle = self._meddle, lambda: None
        meddle()
        return self._executor.submit(work, argument)

    def __getattr__(self, name):
        return getattr(self._executor, name)


@pytest.mark.parametrize(
    ("meddle", "code"),
    [
        (lambda: write_trace(step=7907), "changed"),
        (lambda: Path("tiny.csv").unlink(), "unreadable"),
    ],
    ids=["another file", "no file"],
)
def test_a_node_without_the_file_fails_the_point_for_now(nodes, place, meddle, code):
    wanted = request({SPEED: [1.0, 1.5]})
    found = run_sweep(wanted, output=Path("out"), executor=Meddled(Cluster(nodes.address), meddle))
    assert found.frame["status"].to_list() == ["failed"] * 2
    assert all(re.match(rf"\[{code}\] .*tiny\.csv: .*\(on ", error) for error in found.frame["error"])
    assert len(found.machines) == 2
    assert list(found.faults) == []
    # It is the node's fault, not the point's fate: nothing of it is kept.
    assert keys("out") == Counter()
    write_trace()
    found = run_sweep(wanted, output=Path("out"), resume=True, executor=Cluster(nodes.address))
    assert found.frame["status"].to_list() == ["done"] * 2
    assert list(found.machines) == []


def test_a_fleet_on_the_cluster_is_that_of_threads(nodes, place):
    """Its members are simulated there, with the trace that they replay."""
    Path("fleet.toml").write_text(FLEET)
    with closing(Cluster(nodes.address)) as cluster:
        there = iowatt.fleet("fleet.toml", output="there", executor=cluster)
        assert not there.faults and not there.machines
    here = iowatt.fleet("fleet.toml", output="here")
    assert there.document == here.document
    assert keys("there") == keys("here") and len(keys("there")) >= 3
    assert Path("there", "years.csv").read_bytes() == Path("here", "years.csv").read_bytes()


def test_bundles_come_to_the_sweep_s_folder_or_the_points_fail(nodes, place):
    wanted = request({SPEED: [1.0, 1.5]}, bundles=True)
    found = run_sweep(wanted, output=Path("out"), executor=Cluster(nodes.address))
    assert all((Path("out") / run / "run.json").is_file() for run in found.frame["run"])

    # A node without the shared folder may well have one of that name: not this sweep's.
    hidden = Meddled(Cluster(nodes.address), Path("other/sweep.json").unlink)
    found = run_sweep(wanted, output=Path("other"), executor=hidden)
    assert found.frame["status"].to_list() == ["failed"] * 2
    assert all(re.match(r"\[not-found\] .*other: ", error) for error in found.frame["error"])
    assert len(found.machines) == 2
    assert not (Path("other") / "runs").exists()


def test_the_command_says_what_a_node_lacked(place, capsys):
    from iowatt.cli import searching
    from iowatt.evaluate.search.tasks.executor import Threads

    found = run_sweep(
        request({SPEED: [1.0, 1.5]}), output=Path("out"), executor=Meddled(Threads(1), lambda: write_trace(1))
    )
    with refused("tool-failed") as caught:
        searching.show(found, Path("out"), as_json=True)
    assert caught.value.message.startswith("2 ")
    assert "resume" in caught.value.hint
    assert json.loads(capsys.readouterr().out)["failed"] == 2


def test_a_cluster_that_is_not_there_leaves_nothing(place):
    done = subprocess.run(
        [*COMMAND, "sweep", "tiny.toml", "--over", f"{SPEED}=1,2", "-o", "out", "--cluster", "127.0.0.1:1"],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert printed_code(done.stderr) == "unreachable"
    assert "127.0.0.1:1" in done.stderr and "--cluster" in done.stderr
    assert not Path("out").exists()
