"""What is measured, each in a process of its own.

``python measure.py '["simulate", "scenario.toml"]'`` prints the figures of that call as JSON.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from threading import Thread
from typing import Any

Figures = dict[str, float]


def cpu_s() -> float:
    """CPU time of all threads of this process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def simulate(scenario: str, *overrides: str) -> Figures:
    """Run a scenario; the warm-up must be 0, so that the window holds all requests and drive operations."""
    import iowatt

    with tempfile.TemporaryDirectory() as folder:
        run = iowatt.run(scenario, set=list(overrides), output=Path(folder) / "run", threads=1)
    cost = run.summary["simulation"]
    operations = sum(drive["accesses"] for drive in run.summary["devices"])
    per_cpu_s = operations / cost["cpu_s"] if cost["cpu_s"] > 0 else 0.0
    return {
        "requests": run.summary["requests"]["count"],
        "requests_per_cpu_s": cost["requests_per_cpu_s"] or 0.0,
        "drive_operations_per_cpu_s": per_cpu_s,
        "cpu_s": cost["cpu_s"],
        "peak_rss_mib": cost["peak_rss_mib"],
    }


def interpreter() -> Figures:
    """Memory of an interpreter that has imported iowatt and its native module, and has done nothing."""
    import iowatt  # noqa: F401
    from iowatt import core  # noqa: F401
    from iowatt.sources.simulation.simulator import peak_rss_mib

    return {"peak_rss_mib": peak_rss_mib()}


def side_by_side(times: int, scenario: str, *overrides: str) -> Figures:
    """Throughput of two simulations at once, in two threads, over one alone; each the best of ``times``."""
    import iowatt

    def once() -> None:
        iowatt.run(scenario, set=list(overrides))

    def wall_s(threads: int) -> float:
        workers = [Thread(target=once) for _ in range(threads)]
        began = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return time.perf_counter() - began

    once()  # loads what is loaded once
    alone = min(wall_s(1) for _ in range(times))
    return {"ratio": 2 * alone / min(wall_s(2) for _ in range(times))}


def decode(path: str, name: str) -> Figures:
    """Decode one text file; MB/s (10^6 bytes of text) and requests per CPU second."""
    from iowatt import core

    spec = json.dumps({"path": path, "format": name})
    core.open_trace(spec).read(1)  # loads what is loaded once
    before, count = cpu_s(), 0
    reader = core.open_trace(spec)
    while (rows := reader.read(65_536)) is not None:
        count += len(rows["size"])
    return _decoded(path, count, cpu_s() - before)


def decode_parquet(path: str) -> Figures:
    """Decode a Parquet file through Polars."""
    from iowatt.trace.parquet import batches

    next(batches(Path(path), rows=1))  # loads what is loaded once
    before, count = cpu_s(), 0
    for rows in batches(Path(path)):
        count += len(rows["size"])
    return _decoded(path, count, cpu_s() - before)


def _decoded(path: str, count: int, spent: float) -> Figures:
    spent = max(spent, 1e-6)
    return {"mb_per_s": Path(path).stat().st_size / 1e6 / spent, "requests_per_cpu_s": count / spent}


def profile(path: str, name: str) -> Figures:
    """Describe a trace (``iowatt trace profile``): requests per CPU second, decoding included, and memory."""
    from iowatt.sources.simulation.simulator import peak_rss_mib
    from iowatt.trace.measure import describe

    before = cpu_s()
    found = describe({"path": path, "format": name}).as_dict()
    spent = max(cpu_s() - before, 1e-6)
    requests = found["requests"]["count"]
    return {
        "requests": requests,
        "requests_per_cpu_s": requests / spent,
        "cpu_s": spent,
        "sample_rate": found["reuse"]["sample"]["rate"],
        "peak_rss_mib": peak_rss_mib(),
    }


def caches(path: str, policy: str, size: str) -> Figures:
    """Simulate caches alone over a file of references; CPU time from opening the trace to the last hit."""
    from iowatt.evaluate.caches.simulate import parse_size, simulate
    from iowatt.model import cache_policies
    from iowatt.sources.simulation.simulator import peak_rss_mib

    chosen = [cache_policies.policy(name) for name in policy.split(",")]
    wanted = [parse_size(text, objects=True) for text in size.split(",")]
    before = cpu_s()
    found = simulate({"path": path, "format": "oracle-general"}, chosen, wanted, block_bytes=None).as_dict()
    spent = max(cpu_s() - before, 1e-6)
    count = found["references"]["all"]
    return {
        "references": count,
        "caches": len(found["caches"]),
        "hits": found["caches"][0]["hits"]["references"]["all"],
        "cpu_s": spent,
        "lookups_per_cpu_s": count * len(found["caches"]) / spent,
        "peak_rss_mib": peak_rss_mib(),
    }


def prices(scenario: str, tariff: str, times: int, *overrides: str) -> Figures:
    """Price a Run over five years: with its bill, then ``times`` over with other figures in the book."""
    from datetime import datetime

    import iowatt
    from iowatt.lenses.book import find_book
    from iowatt.lenses.cost import Horizon
    from iowatt.lenses.cost.pricing.total import pricer
    from iowatt.lenses.cost.systems.of_run import observe
    from iowatt.tariffs.find import find_tariff

    system = observe(iowatt.run(scenario, set=list(overrides)))
    price = pricer(system, find_tariff(tariff), datetime(2026, 1, 1))
    book, horizon = find_book("default"), Horizon("time", 5.0)
    before = cpu_s()
    price(book, horizon)
    first = max(cpu_s() - before, 1e-6)
    before = cpu_s()
    for number in range(times):
        price(book.changed({"cooling.pue": 1.0 + number / times}), horizon)
    spent = max(cpu_s() - before, 1e-6)
    return {
        "prices": times,
        "cpu_s": spent,
        "prices_per_cpu_s": times / spent,
        "first_s": first,
        "times_first": first * times / spent,
    }


MEASURED = (simulate, interpreter, side_by_side, decode, decode_parquet, profile, caches, prices)
CALLS = {f.__name__: f for f in MEASURED}


def in_own_process(call: str, *arguments: Any) -> Figures:
    """The figures of one of :data:`CALLS` in a fresh interpreter."""
    command = [sys.executable, __file__, json.dumps([call, *arguments])]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    figures: Figures = json.loads(done.stdout.splitlines()[-1])
    return figures


def calibrated(seconds: float) -> float:
    """Passes of the calibration loop per CPU second, in a fresh interpreter without iowatt."""
    command = [sys.executable, "-I", str(Path(__file__).with_name("calibrate.py")), str(seconds)]
    return float(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)


def main() -> None:
    """Evaluate the call given as JSON."""
    call, *arguments = json.loads(sys.argv[1])
    print(json.dumps(CALLS[call](*arguments)))


if __name__ == "__main__":
    main()
