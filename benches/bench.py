"""Speed and memory as ratios: requests per CPU second, decoding in MB/s by format, peak RSS.

``make bench`` runs it; every figure is measured in a process of its own, the best of three.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import polars as pl

ROOT = Path(__file__).resolve().parent.parent
EXCERPT = ROOT / "examples" / "traces" / "pg_tpcc_paced_excerpt.parquet"
SCENARIO = ROOT / "examples" / "tpcc-raid5.toml"
DISKSIM = ROOT / "examples" / "disksim-raid5.toml"
DISKSIM_CPU_S = 11.09  # of DiskSim 4.0, repaired, -O2, on the RAID-5 benchmark (docs/validation.md)
LONG = 10_000_000  # requests of the memory run


def cpu_s() -> float:
    """CPU time of all threads of this process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def requests_of(path: Path) -> pl.DataFrame:
    """The excerpt's requests, with time in ns and LBN in sectors."""
    import polars as pl

    return pl.read_parquet(path).select(
        time_ns=(pl.col("time_s") * 1e9).round().cast(pl.Int64),
        read=pl.col("op") == "R",
        lbn=pl.col("lba").cast(pl.Int64),
        size=pl.col("size").cast(pl.Int64),
    )


def disksim(rows: pl.DataFrame) -> Iterator[str]:
    """DiskSim ASCII: ms, device, LBN, sectors, flags."""
    for t, read, lbn, size in rows.iter_rows():
        yield f"{t / 1e6:.6f} 0 {lbn} {size // 512} {1 if read else 0}\n"


def spc(rows: pl.DataFrame) -> Iterator[str]:
    """SPC: ASU, LBA, bytes, opcode, seconds."""
    for t, read, lbn, size in rows.iter_rows():
        yield f"0,{lbn},{size},{'R' if read else 'W'},{t / 1e9:.6f}\n"


def msr(rows: pl.DataFrame) -> Iterator[str]:
    """MSR Cambridge: filetime ticks, host, disk, type, offset, size, response."""
    for t, read, lbn, size in rows.iter_rows():
        kind = "Read" if read else "Write"
        yield f"{128166372003061629 + t // 100},pg,0,{kind},{lbn * 512},{size},1000\n"


def blkparse(rows: pl.DataFrame) -> Iterator[str]:
    """Text of blkparse, Q events only."""
    for i, (t, read, lbn, size) in enumerate(rows.iter_rows()):
        stamp = f"{t // 10**9}.{t % 10**9:09d}"
        way = "R" if read else "W"
        yield f"  7,0    1 {i:8d} {stamp:>14} 4711  Q {way} {lbn} + {size // 512} [postgres]\n"


def native_csv(rows: pl.DataFrame) -> Iterator[str]:
    """CSV with our own header."""
    yield "time_ns,device,op,offset,size\n"
    for t, read, lbn, size in rows.iter_rows():
        yield f"{t},0,{'read' if read else 'write'},{lbn * 512},{size}\n"


FORMATS: dict[str, Callable[[pl.DataFrame], Iterator[str]]] = {
    "disksim-ascii": disksim,
    "spc": spc,
    "msr": msr,
    "blkparse": blkparse,
    "csv": native_csv,
}


def decode(path: str, name: str) -> dict[str, float]:
    """Decode one file; MB/s (10^6 bytes of text) and requests per CPU second."""
    from iowatt import _core

    spec = json.dumps({"path": path, "format": name})
    _core.open_trace(spec).read(1)  # loads what is loaded once
    before, count = cpu_s(), 0
    reader = _core.open_trace(spec)
    while (rows := reader.read(65_536)) is not None:
        count += len(rows["size"])
    spent = cpu_s() - before
    return {"mb_per_s": Path(path).stat().st_size / 1e6 / spent, "requests_per_cpu_s": count / spent}


def decode_parquet(path: str) -> dict[str, float]:
    """Decode a Parquet file through Polars."""
    from iowatt.trace.parquet import batches

    next(batches(Path(path), rows=1))  # loads what is loaded once
    before, count = cpu_s(), 0
    for rows in batches(Path(path)):
        count += len(rows["size"])
    spent = cpu_s() - before
    return {"mb_per_s": Path(path).stat().st_size / 1e6 / spent, "requests_per_cpu_s": count / spent}


def simulate(scenario: str, *overrides: str) -> dict[str, float]:
    """Run a scenario in this process."""
    import iowatt

    with tempfile.TemporaryDirectory() as folder:
        run = iowatt.run(scenario, set=list(overrides), output=Path(folder) / "run")
    figures: dict[str, float] = run.summary["simulation"]
    return figures


def side_by_side(scenario: str, *overrides: str) -> dict[str, float]:
    """Two runs at once in two threads, against one after the other."""
    from threading import Thread

    import iowatt

    def once() -> None:
        iowatt.run(scenario, set=list(overrides))

    once()
    began = time.perf_counter()
    once()
    one = time.perf_counter() - began
    threads = [Thread(target=once) for _ in range(2)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"ratio": 2 * one / (time.perf_counter() - began)}


def in_own_process(call: str) -> dict[str, Any]:
    """Evaluate one of the functions above in a fresh interpreter."""
    folder = str(ROOT / "benches")
    code = f"import sys, json; sys.path.insert(0, {folder!r}); import bench; print(json.dumps(bench.{call}))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def best(call: str, key: str) -> dict[str, Any]:
    """The best of three."""
    return max((in_own_process(call) for _ in range(3)), key=lambda r: r[key])


def long_trace(path: Path, requests: int) -> None:
    """A DiskSim ASCII file of uniformly random 8 KiB requests, 500 a second, 70 % reads."""
    import numpy as np

    random = np.random.default_rng(1)
    start = 0.0
    with path.open("w") as out:
        for first in range(0, requests, 250_000):
            n = min(250_000, requests - first)
            times = start + np.cumsum(random.exponential(2.0, n))
            start = float(times[-1])
            lbns = random.integers(0, 1_000_000_000 // 16, n) * 16
            reads = random.random(n) < 0.7
            out.writelines(
                f"{t:.6f} 0 {lbn} 16 {int(r)}\n" for t, lbn, r in zip(times, lbns, reads, strict=True)
            )


def show_decoding(name: str, call: str) -> None:
    """Print one format's decoding figures."""
    figures = best(call, "mb_per_s")
    print(f"  {name:14} {figures['mb_per_s']:8.0f} MB/s {figures['requests_per_cpu_s']:14,.0f} requests/s")


def show_disksim(folder: Path) -> None:
    """Print the side-by-side benchmark with DiskSim, on plain ASCII."""
    print(f"simulation, {DISKSIM.name}, 300,000 requests of plain DiskSim ASCII")
    for level, name in ((5, "oltp300k"), (10, "oltp300k_r10"), (0, "oltp300k")):
        path = folder / f"{name}.trace"
        path.write_bytes(
            gzip.decompress((DISKSIM.parent / "disksim-bench" / f"{name}.trace.gz").read_bytes())
        )
        overrides = f"'array.pool.disks.raid.level={level}', {f'workload.oltp.trace.path={path}'!r}"
        call = f"{str(DISKSIM)!r}, {overrides}"
        figures = best(f"simulate({call})", "requests_per_cpu_s")
        rate = figures["requests_per_cpu_s"]
        beside = f", {rate / (300_000 / DISKSIM_CPU_S):.0f} x DiskSim" if level == 5 else ""
        memory = figures["peak_rss_mib"]
        print(f"  RAID-{level:<3} {rate:12,.0f} requests per CPU second, {memory:.0f} MiB{beside}")
        if level == 5:
            ratio = best(f"side_by_side({call})", "ratio")["ratio"]
            print(f"  two at once: {ratio:.2f} times the throughput of one")


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trace", type=Path, default=EXCERPT, help="capture to use instead of the excerpt")
    parser.add_argument("--no-memory", action="store_true", help=f"leave out the run of {LONG:,} requests")
    options = parser.parse_args()
    trace = options.trace.resolve()

    def run_on(path: Path) -> str:
        override = f"workload.oltp.trace.path={json.dumps(str(path))}"
        return f"simulate({str(SCENARIO)!r}, {override!r})"

    print(f"simulation, {SCENARIO.name} on {trace.name}")
    figures = best(run_on(trace), "requests_per_cpu_s")
    rate, memory = figures["requests_per_cpu_s"], figures["peak_rss_mib"]
    print(f"  {rate:12,.0f} requests per CPU second, {memory:.0f} MiB peak RSS")

    with tempfile.TemporaryDirectory() as folder:
        show_disksim(Path(folder))

    print("decoding")
    with tempfile.TemporaryDirectory() as folder:
        rows = requests_of(trace)
        for name, lines in FORMATS.items():
            path = Path(folder) / f"trace.{name}"
            with path.open("w") as out:
                out.writelines(lines(rows))
            show_decoding(name, f"decode({str(path)!r}, {name!r})")
        show_decoding("parquet", f"decode_parquet({str(trace)!r})")

        if not options.no_memory:
            path = Path(folder) / "long.trace"
            long_trace(path, LONG)
            began = time.perf_counter()
            figures = in_own_process(run_on(path))
            print(f"memory, {LONG:,} requests of DiskSim ASCII in {time.perf_counter() - began:.0f} s")
            print(f"  {figures['peak_rss_mib']:12,.0f} MiB peak RSS of the whole process")


if __name__ == "__main__":
    main()
