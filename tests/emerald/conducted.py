"""A small measurement on a file, and what looks after its processes."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from pathlib import Path

from iowatt.emerald.measurement import events
from iowatt.emerald.plan.model import Plan

COMMAND = [sys.executable, "-c", "from iowatt.cli.main import main; main()", "emerald", "run"]
BYTES = 8 * 1024 * 1024


def stage(name, phase, role, workload, seconds, **keys):
    return {
        "id": name,
        "phase": phase,
        "role": role,
        "workload": workload,
        "seconds": seconds,
        "rule_seconds": None,
        "interval_s": 0.5,
        **keys,
    }


def short(measured=1.0, warmup=0.5):
    """Fill, conditioning, two phases and the rest."""
    return [
        stage("fill", "fill", "prefill", "fill", None, closed=True),
        stage("conditioning", "RR", "conditioning", "RR", 0.5, rate_iops=100.0),
        stage("RR-warmup", "RR", "warmup", "RR", warmup, rate_iops=100.0),
        stage("RR", "RR", "measurement", "RR", measured, rate_iops=100.0),
        stage("RW-warmup", "RW", "warmup", "RW", warmup, rate_iops=100.0),
        stage("RW", "RW", "measurement", "RW", measured, rate_iops=100.0),
        stage("ready-idle", "RI", "idle", None, 0.5),
    ]


def plan(folder, stages=None, instruments=(), **keys):
    """A plan in a file; its path."""
    document = {
        "schema": "iowatt.emerald-plan/1",
        "name": "small",
        "category": "online",
        "class": 2,
        "rules": {"profile": "emerald-4.0.0", "sha256": "0" * 64, "version": "4.0.0"},
        "source": "fio",
        "target": {"path": str(folder / "target.bin"), "size_bytes": BYTES},
        "time_scale": 0.001,
        "instruments": list(instruments),
        "stages": short() if stages is None else stages,
        **keys,
    }
    path = folder / "plan.json"
    path.write_text(json.dumps(document))
    return path


def load(path) -> Plan:
    return Plan.model_validate_json(path.read_bytes())


def command(path, *options):
    return [*COMMAND, str(path), "-o", str(path.parent / "out"), *options]


def run(path, *options):
    return subprocess.run(command(path, *options), capture_output=True, text=True, check=False)


def start(path, *options):
    return subprocess.Popen(
        command(path, *options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def journal(path):
    """Events so far; none where there is no journal yet."""
    folder = path.parent / "out"
    return list(events(folder)) if (folder / "journal.jsonl").exists() else []


def wait_for(process, path, name):
    """Wait until a stage has begun, and its load generator works."""
    deadline = time.monotonic() + 60
    while not any(e.event == "stage-started" and e.values["stage"] == name for e in journal(path)):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    while not (found := programs(path)):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    return found


def mark(path):
    return json.loads((path.parent / "out" / "measurement.json").read_bytes())["id"]


def programs(path):
    """The processes of a measurement that are fio."""
    return marked(mark(path))


def marked(name, program="fio"):
    """Processes that have the mark of a measurement and run a program of this name."""
    from iowatt.sources.process import child

    found = []
    for pid in child.left_over(name):
        try:
            if Path(f"/proc/{pid}/comm").read_text().strip() == program:
                found.append(pid)
        except OSError:
            continue
    return found


def wait_until_working(pid, done=lambda: False):
    """Wait until a load generator, past its start, has completed requests (its logs it writes at its end)."""

    def moved():
        counts = dict(line.split(": ") for line in Path(f"/proc/{pid}/io").read_text().splitlines())
        return int(counts["read_bytes"]) + int(counts["write_bytes"])

    deadline = time.monotonic() + 60
    while not any("target" in link for link in _open(pid)):
        assert not done() and time.monotonic() < deadline
        time.sleep(0.02)
    before = moved()
    while moved() == before:
        assert not done() and time.monotonic() < deadline
        time.sleep(0.02)


def _open(pid):
    found = []
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            found.append(str(link.readlink()))
    return found


def parent(pid):
    """The process that started another one."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def left(path, seconds=30.0):
    """Processes of this measurement that are there after so long at most."""
    from iowatt.sources.process import child

    deadline = time.monotonic() + seconds
    while (found := child.left_over(mark(path))) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found
