"""Memory does not grow with the length of a trace: ten million requests within 300 MiB of peak RSS."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IOWATT = Path(sys.executable).with_name("iowatt")
REQUESTS = 10_000_000


def test_ten_million_requests_within_300_mib(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("bench", ROOT / "benches" / "bench.py")
    assert spec is not None and spec.loader is not None
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    trace = tmp_path / "long.trace"
    bench.long_trace(trace, REQUESTS)

    override = f"workload.oltp.trace.path={json.dumps(str(trace))}"
    command = [IOWATT, "run", ROOT / "examples" / "tpcc-raid5.toml", "--set", override]
    command += ["--set", "workload.oltp.replay.speed=1.0", "-o", tmp_path / "run", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    trace.unlink()
    summary = json.loads(done.stdout)
    assert summary["requests"]["count"] == REQUESTS
    assert summary["simulation"]["peak_rss_mib"] < 300
