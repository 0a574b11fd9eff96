"""Memory does not grow with the length of a trace: millions of requests within 300 MiB of peak RSS."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IOWATT = Path(sys.executable).with_name("iowatt")
#: IOWATT_LONG=1 makes ten million.
REQUESTS = 10_000_000 if os.environ.get("IOWATT_LONG") else 4_000_000


def test_millions_of_requests_within_300_mib(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("traces", ROOT / "benches" / "traces.py")
    assert spec is not None and spec.loader is not None
    traces = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(traces)
    trace = tmp_path / "long.trace"
    traces.random_trace(trace, REQUESTS)

    override = f"workload.oltp.trace.path={json.dumps(str(trace))}"
    command = [IOWATT, "run", ROOT / "examples" / "tpcc-raid5.toml", "--set", override]
    command += ["--set", "workload.oltp.replay.speed=1.0", "-o", tmp_path / "run", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    trace.unlink()
    summary = json.loads(done.stdout)
    assert summary["requests"]["count"] == REQUESTS
    assert summary["simulation"]["peak_rss_mib"] < 300


def test_the_peak_is_that_of_the_process_itself() -> None:
    # A process that holds 300 MiB starts another: on Linux that one's ru_maxrss begins there.
    script = """
import subprocess, sys
held = bytearray(300 << 20)
code = "from iowatt.sources.simulation.simulator import peak_rss_mib; print(peak_rss_mib())"
print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert 10 < float(done.stdout) < 250
