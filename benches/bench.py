"""Speed and memory: requests and drive operations per CPU second, two at once, peak memory, decoding.

``make bench`` runs it. Every figure is measured in a process of its own; speeds are the best of three, and
count the CPU time of all threads from opening the first input to the last completion, decoding included.
DiskSim's figures are its CPU seconds on the same trace and drives; ratios hold on a like machine only.
A calibration loop runs right before and after each speed. The last line names what became slower,
beside that loop, than in the last entry of ``history.toml``; ``--record`` adds an entry.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import estimator
import history
from measure import Figures, calibrated, in_own_process
from traces import FORMATS, random_trace, requests_of

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
EXCERPT = EXAMPLES / "traces" / "pg_tpcc_paced_excerpt.parquet"
ONE_DISK = ROOT / "benches" / "one-disk.toml"
ONE_SSD = ROOT / "benches" / "one-ssd.toml"
ONE_DISK_SECTORS = 65_000_000  # within the 33.6 GB of its drive

DISKSIM_REQUESTS = 300_000
# CPU seconds of DiskSim 4.0 for them, built for 64 bits with -O2, median of 5 (RAID-5) and 3 runs on a shared
# 2-core virtual machine: RAID-5 with its memory leak repaired, the others as published.
DISKSIM_CPU_S = {5: 11.09, 10: 8.23, 0: 7.84}
DISKSIM_TRACES = {5: "oltp300k", 10: "oltp300k_r10", 0: "oltp300k"}


@dataclass
class Bench:
    """How to measure, and what has been measured."""

    trace: Path
    repeat: int
    calibration_s: float
    random_requests: int
    long_requests: int
    decoded_requests: int | None
    quiet: bool
    folder: Path
    results: list[dict[str, Any]] = field(default_factory=list)
    speeds: dict[str, history.Speed] = field(default_factory=dict)
    base_mib: float = 0.0

    def say(self, text: str) -> None:
        """Print for people, at once."""
        if not self.quiet:
            print(text, flush=True)

    def keep(self, section: str, name: str, figures: Figures) -> None:
        """Record for ``--json``."""
        self.results.append({"section": section, "name": name, **figures})

    def best(self, name: str, key: str, call: str, *arguments: Any) -> Figures:
        """The repetition with the greatest ``key``; the history keeps that of all of them as ``name``."""
        passes, found = [calibrated(self.calibration_s)], []
        for _ in range(self.repeat):
            found.append(in_own_process(call, *arguments))
            passes.append(calibrated(self.calibration_s))
        self.speeds[name] = history.speed([figures[key] for figures in found], passes)
        return max(found, key=lambda figures: figures[key])

    def simulate(
        self, name: str, scenario: Path, *overrides: str, disksim_cpu_s: float | None = None
    ) -> None:
        """Measure a scenario and print its line."""
        overrides = ("observe.warmup=0s", *overrides)
        figures = self.best(name, "requests_per_cpu_s", "simulate", str(scenario), *overrides)
        figures["beyond_interpreter_mib"] = figures["peak_rss_mib"] - self.base_mib
        beside = ""
        if disksim_cpu_s is not None:
            figures["times_disksim"] = figures["requests_per_cpu_s"] / (DISKSIM_REQUESTS / disksim_cpu_s)
            beside = f", {figures['times_disksim']:.1f} x DiskSim"
        self.keep("simulation", name, figures)
        self.say(
            f"  {name:34} {figures['requests_per_cpu_s']:12,.0f} requests "
            f"{figures['drive_operations_per_cpu_s']:12,.0f} drive operations, "
            f"{figures['beyond_interpreter_mib']:4.0f} MiB{beside}"
        )


def set_path(workload: str, path: Path) -> str:
    """The override that gives a workload its trace."""
    return f"workload.{workload}.trace.path={json.dumps(str(path))}"


def memory_of_nothing(bench: Bench) -> None:
    """The interpreter alone, and with all libraries that a run loads."""
    bench.say("memory without work")
    bare = in_own_process("interpreter")
    bench.base_mib = bare["peak_rss_mib"]
    idle = in_own_process("simulate", str(EXAMPLES / "idle.toml"))["peak_rss_mib"]
    bench.keep("memory", "interpreter with iowatt imported", bare)
    bench.keep("memory", "run without requests", {"peak_rss_mib": idle})
    bench.say(
        f"  {bench.base_mib:.0f} MiB interpreter with iowatt imported, "
        f"{idle:.0f} MiB after a run without requests"
    )


def one_disk(bench: Bench) -> None:
    """One drive: first come first served, and the dearest discipline at depth."""
    trace = bench.folder / "random.trace"
    random_trace(trace, bench.random_requests, rate=100.0, sectors=ONE_DISK_SECTORS)
    path = set_path("random", trace)
    bench.simulate("one disk, FCFS, open", ONE_DISK, path)
    deep = ['workload.random.replay={mode="closed", outstanding=32}', "array.pool.disk.scheduler=sptf"]
    bench.simulate("one disk, SPTF, 32 outstanding", ONE_DISK, path, *deep)


def beside_disksim(bench: Bench) -> None:
    """The arrays of the benchmark with DiskSim, and two of them at once."""
    scenario = EXAMPLES / "disksim-raid5.toml"
    arrays = {}
    for level, name in DISKSIM_TRACES.items():
        path = bench.folder / f"{name}.trace"
        path.write_bytes(gzip.decompress((EXAMPLES / "disksim-bench" / f"{name}.trace.gz").read_bytes()))
        arrays[level] = [f"array.pool.disks.raid.level={level}", set_path("oltp", path)]
        bench.simulate(
            f"32 disks, RAID-{level}, DiskSim's", scenario, *arrays[level], disksim_cpu_s=DISKSIM_CPU_S[level]
        )
    figures = in_own_process("side_by_side", bench.repeat, str(scenario), *arrays[5])
    bench.keep("side by side", "two of RAID-5 in two threads, over one", figures)
    bench.say(f"  two of its RAID-5 at once: {figures['ratio']:.2f} times the throughput of one")


def tpcc(bench: Bench) -> None:
    """The captured TPC-C trace, as it came and as fast as it goes."""
    what = bench.trace.name
    if bench.trace == EXCERPT:
        what = f"the shipped excerpt, {what}; the whole capture is not shipped: --trace PATH measures it"
    bench.say(f"  TPC-C: {what}")
    path = set_path("oltp", bench.trace)
    bench.simulate("32 disks, RAID-5, TPC-C paced", EXAMPLES / "tpcc-raid5.toml", path)
    deep = ["workload.oltp.replay.outstanding=256"]
    bench.simulate("32 disks, RAID-5, 256 outstanding", EXAMPLES / "tpcc-closed.toml", *deep)


def flash_and_hybrids(bench: Bench) -> None:
    """An SSD that collects garbage all the time, without and with reads, and the hybrids of SSD and disk."""
    requests = f"profile.requests={bench.random_requests}"
    bench.simulate("one SSD, 4 KiB writes, collecting", ONE_SSD, f"workload.random.{requests}")
    mixed = 'workload.random.profile.set=["stream.uniform.read_share=70"]'
    bench.simulate("one SSD, 70 % reads, collecting", ONE_SSD, f"workload.random.{requests}", mixed)
    hybrid = EXAMPLES / "hybrid.toml"
    online = f"workload.online.{requests}"
    bench.simulate("SSD and disk, tiering", hybrid, online)
    caching = ["array.virtual_pool.hybrid.scheme=caching", "array.virtual_pool.hybrid.slow.capacity=1GiB"]
    bench.simulate("SSD and disk, caching", hybrid, online, *caching)


def decoding(bench: Bench) -> None:
    """Each trace format by itself."""
    bench.say("decoding")
    rows = requests_of(bench.trace, bench.decoded_requests)

    def show(name: str, call: str, *arguments: str) -> None:
        figures = bench.best(f"decoding, {name}", "mb_per_s", call, *arguments)
        bench.keep("decoding", name, figures)
        bench.say(
            f"  {name:34} {figures['requests_per_cpu_s']:12,.0f} requests {figures['mb_per_s']:12,.0f} MB/s"
        )

    for name, lines in FORMATS.items():
        path = bench.folder / f"trace.{name}"
        with path.open("w") as out:
            out.writelines(lines(rows))
        show(name, "decode", str(path), name)
        path.unlink()
    show("parquet", "decode_parquet", str(bench.trace))


def profiling(bench: Bench) -> None:
    """The description of the capture, and of random requests near each other and far apart."""
    bench.say("trace profile")

    def show(name: str, path: Path, form: str) -> None:
        figures = bench.best(f"profile, {name}", "requests_per_cpu_s", "profile", str(path), form)
        bench.keep("profile", name, figures)
        bench.say(
            f"  {name:34} {figures['requests_per_cpu_s']:12,.0f} requests "
            f"{figures['peak_rss_mib']:12,.0f} MiB, {100 * figures['sample_rate']:.3g} % followed"
        )

    show("TPC-C paced, parquet", bench.trace, "parquet")
    # 16 GiB are followed in whole, 8 TiB in part.
    for name, sectors in (("random, 16 GiB", 1 << 25), ("random, 8 TiB", 1 << 34)):
        path = bench.folder / "profiled.trace"
        random_trace(path, bench.long_requests, sectors=sectors)
        show(name, path, "disksim-ascii")
        path.unlink()


def dollars(bench: Bench) -> None:
    """What uncertainty and crossovers do thousands of times, under tariffs without and with tiers."""
    bench.say("prices over five years, each per CPU second")
    short = "workload.online.profile.requests=5000"
    for tariff in ("sdge-al-tou-2024", "south-central-ppd-lp1-2012"):
        what = (str(EXAMPLES / "hybrid.toml"), tariff, 20 * bench.repeat, short)
        figures = bench.best(f"prices, {tariff}", "prices_per_cpu_s", "prices", *what)
        bench.keep("prices", tariff, figures)
        bench.say(
            f"  {tariff:34} {figures['prices_per_cpu_s']:12,.0f} prices, "
            f"{figures['times_first']:.1f} times as fast as the first, which reads the meter"
        )


def caches_alone(bench: Bench) -> None:
    """Caches without drives and time, beside libCacheSim where there is one."""
    import caches
    import references

    bench.say("caches alone, references per CPU second")
    python = caches.peer()
    if python is None:
        bench.say("  libcachesim is not installed: nothing to compare with (benches/caches.py says how)")
    path = bench.folder / "references.oracleGeneral"
    for name, names, block in caches.traces(bench.trace, bench.decoded_requests):
        references.write(names, path, block)
        touched = len(set(names.tolist()))
        size = max(20, int(caches.SHARE * touched))
        for policy in caches.CLASSES if python else ():
            found = caches.beside_libcachesim(python or "", path, policy, size, bench.repeat)
            bench.keep("caches beside libCacheSim", f"{policy}, {name}", found)
            bench.say(
                f"  {policy:10} {name[:23]:23} {found['references_per_cpu_s']:12,.0f} "
                f"{found['times_libcachesim']:12.2f} x libCacheSim"
            )
        many = caches.many_at_once(path, [max(20, int(share * touched)) for share in (0.01, 0.1, 0.3)])
        bench.keep("caches in one pass", name, many)
        bench.say(
            f"  {many['caches']:.0f} at once {name[:23]:23} {many['lookups_per_cpu_s']:12,.0f} look-ups, "
            f"{many['peak_rss_mib']:.0f} MiB"
        )
        path.unlink()


def memory_of_much(bench: Bench) -> None:
    """A trace so long that anything kept for each request would show."""
    bench.say("memory with work")
    path = bench.folder / "long.trace"
    random_trace(path, bench.long_requests)
    scenario = str(EXAMPLES / "tpcc-raid5.toml")
    speed = "workload.oltp.replay.speed=1.0"
    figures = in_own_process("simulate", scenario, set_path("oltp", path), speed)
    figures["beyond_interpreter_mib"] = figures["peak_rss_mib"] - bench.base_mib
    bench.keep("memory", f"{bench.long_requests} requests", figures)
    bench.say(
        f"  {figures['peak_rss_mib']:.0f} MiB after {bench.long_requests:,} requests of DiskSim ASCII, "
        f"{figures['beyond_interpreter_mib']:.0f} MiB beyond the interpreter with iowatt imported"
    )


def estimates(bench: Bench, configurations: int) -> None:
    """The analytic estimator beside simulations: its error and its speed."""
    figures = estimator.measure(configurations, quiet=bench.quiet)
    bench.keep("estimator", f"{configurations} configurations", figures)


def since_last(bench: Bench, now: history.Entry, path: Path) -> list[str]:
    """Print what became of each speed since the last entry of this kind; the slower ones."""
    before = history.last_like(history.read(path), now)
    changes = history.compare(before.figures if before else {}, now.figures)
    bench.say("beside the calibration loop")
    for change in changes:
        bench.say(f"  {change}")
    bench.say(history.verdict(changes, before))
    return [change.name for change in changes if change.slower]


def main() -> None:
    """Measure everything."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--trace", type=Path, default=EXCERPT, help="TPC-C capture to use instead of the excerpt"
    )
    parser.add_argument("--quick", action="store_true", help="once, on small traces: does it work at all?")
    parser.add_argument("--no-memory", action="store_true", help="leave out the run of ten million requests")
    parser.add_argument("--speeds", action="store_true", help="only what the history keeps")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.add_argument("--record", action="store_true", help="add what was measured to the history")
    parser.add_argument("--note", default="", help="with --record: what is special about it")
    parser.add_argument("--history", type=Path, default=history.HISTORY, help="another file than the shipped")
    parser.add_argument("--strict", action="store_true", help="exit with 1 where something became slower")
    options = parser.parse_args()
    if not options.trace.is_file():
        parser.error(f"{options.trace}: no such trace; give a capture in Parquet")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(
            trace=options.trace.resolve(),
            repeat=1 if options.quick else 3,
            calibration_s=0.05 if options.quick else 0.3,
            random_requests=20_000 if options.quick else 1_000_000,
            long_requests=100_000 if options.quick else 10_000_000,
            decoded_requests=20_000 if options.quick else None,
            quiet=options.json,
            folder=Path(folder),
        )
        memory_of_nothing(bench)
        bench.say("simulation, each per CPU second; memory beyond the interpreter's own")
        one_disk(bench)
        beside_disksim(bench)
        tpcc(bench)
        flash_and_hybrids(bench)
        decoding(bench)
        profiling(bench)
        dollars(bench)
        if not options.speeds:
            caches_alone(bench)
            estimates(bench, 2 if options.quick else estimator.CONFIGURATIONS)
        if not (options.speeds or options.no_memory):
            memory_of_much(bench)
    inputs = f"{bench.trace.name}{', quick' if options.quick else ''}"
    now = history.this_version(inputs, options.note, bench.speeds)
    slower = since_last(bench, now, options.history)
    if options.record:
        history.append(options.history, now)
    if options.json:
        machine = {"machine": platform.machine(), "cpus": os.cpu_count(), "python": platform.python_version()}
        document = {"schema": "iowatt.bench/1", "machine": machine, "trace": bench.trace.name}
        document |= {"measurements": bench.results, "speeds": asdict(now)["figures"], "slower": slower}
        print(json.dumps(document, indent=2))
    sys.exit(1 if options.strict and slower else 0)


if __name__ == "__main__":
    main()
