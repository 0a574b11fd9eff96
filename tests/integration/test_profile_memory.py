"""Millions of requests are described within 1 GiB of memory, sampled where they touch too much."""

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
LAUNCH = """
import resource, subprocess, sys
with open(sys.argv[1], "wb") as out:
    subprocess.run(sys.argv[2:], stdout=out, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
SECTORS = 1 << 34  # 8 TiB: nearly every request is in a region of its own


def test_millions_of_requests_within_one_gib(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("traces", ROOT / "benches" / "traces.py")
    assert spec is not None and spec.loader is not None
    traces = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(traces)
    trace = tmp_path / "long.trace"
    traces.random_trace(trace, REQUESTS, sectors=SECTORS)

    out = tmp_path / "out.json"
    # By a small process between: what a process had at its most counts for the children that it forks.
    command = [sys.executable, "-c", LAUNCH, str(out), IOWATT, "trace", "profile", trace, "--json"]
    most_kib = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    trace.unlink()
    (found,) = json.loads(out.read_bytes())["traces"]
    assert found["requests"]["count"] == REQUESTS
    assert found["reuse"]["sample"]["method"] == "sampled"
    # Nearly all blocks are new: 2 blocks of 4 KiB each, of 2^31 that there are.
    blocks = 2 * REQUESTS * (1 - REQUESTS / (SECTORS / 16) / 2)
    footprint = found["footprint"]
    assert abs(footprint["total_bytes"] - blocks * 4096) < 5 * footprint["standard_error_bytes"]
    assert most_kib / 1024 < 1024  # MiB
