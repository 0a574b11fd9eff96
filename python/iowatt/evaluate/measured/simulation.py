"""The work of a cell on the model of a drive.

A closed loop is ``processes`` loops of ``depth`` requests each. A process of the load generator handles its
requests one after another, ``host_s`` each: at depth 1 that is a think time, deeper a station that a request
passes once in each round, in front of the drive. The station belongs to the loop and not to the completion
time; waiting for it does, as in fio, which sees a completion when it gets to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import polars as pl

from iowatt.base.errors import InputError
from iowatt.evaluate.measured.cell import SHARES, Cell, Figures, SimulatedCell
from iowatt.model.library import Disk, find_device
from iowatt.model.library.ssd import Ssd
from iowatt.run.bundle import Run
from iowatt.run.histogram import Histogram

REQUESTS: Final = 200_000
"""Requests that are observed, for some 200 beyond p99.9."""
_PILOT: Final = 4_000
_MOST: Final = 3_000_000
_SUPERBLOCKS: Final = 1.5
_LAYOUT: Final = 128 * 1024


def simulate(
    device: str,
    cell: Cell,
    host_s: float = 0.0,
    seed: int = 1,
    *,
    requests: int = REQUESTS,
    rate: float | None = None,
) -> SimulatedCell:
    """Figures of a drive at a cell's work.

    Parameters
    ----------
    device:
        A name of the library or a device file.
    host_s:
        Processor time of the load generator for a request (:func:`host_seconds`).
    requests:
        Requests to observe, about; writes take what fills the buffer and starts collection as well.
    rate:
        Requests per second of a closed loop, about, where they are known; else short runs find them.

    Raises ``InputError``: there is no such device, it cannot be simulated, or the cell lies beyond its end.
    """
    bench = _Bench(device, find_device(device), cell, round(max(0.0, host_s), 9), seed)
    rate = cell.rate_per_s or rate or bench.rate()
    requests = max(requests, 20 * cell.outstanding)
    warmup_s, span_s = 0.2 * requests / rate, requests / rate
    filling, collecting = bench.until_steady(rate)
    warmup_s, span_s = warmup_s + filling, max(span_s, collecting)
    # A slow drive under few writes takes hours to collect: what is simulated has an end.
    every = rate + sum(one.rate_per_s or 0.0 for one in cell.beside)
    shrink = min(1.0, _MOST / (every * (warmup_s + span_s)))
    run = bench.run(rate, warmup_s * shrink, span_s * shrink)
    return _figures(run, cell, bench.host_s)


@dataclass(frozen=True)
class _Bench:
    """A drive under a cell's work."""

    device: str
    drive: Disk | Ssd
    cell: Cell
    host_s: float
    seed: int

    def rate(self) -> float:
        """Requests per second of a closed loop, from short runs."""
        guess = 10_000.0
        for _ in range(4):
            span_s = (_PILOT + 4 * self.cell.outstanding) / guess
            run = self.run(guess, 0.2 * span_s, span_s)
            found = float(run.summary["throughput"]["iops"])
            if 0.2 < found / guess < 5:
                return found
            guess = found or guess / 50
        return guess

    def until_steady(self, rate: float) -> tuple[float, float]:
        """Seconds until the write buffer is full, and in which superblocks are collected."""
        written = sum(
            (1 - one.read_share) * (one.rate_per_s or rate) * one.size_bytes
            for one in (self.cell, *self.cell.beside)
        )
        if written <= 0 or not isinstance(self.drive, Ssd):
            return 0.0, 0.0
        geometry = self.drive.geometry
        collecting = 0.0 if geometry is None else _SUPERBLOCKS * geometry.superblock_bytes / written
        return min(2.0 * self.drive.buffer_bytes / written, 5.0), collecting

    def run(self, rate: float, warmup_s: float, span_s: float) -> Run:
        """The Run; a profile's ``rate`` only orders the requests of a closed loop."""
        from iowatt.evaluate.evaluation import run_scenario

        texts = _workloads(self.cell, "cell", self.host_s, rate)
        for number, one in enumerate(self.cell.beside):
            texts += _workloads(one, f"beside{number}", self.host_s, rate)
        return run_scenario(
            f'name = "measured"\nseed = {self.seed}\n{"".join(texts)}'
            f"[[array.pool]]\nname = 'drive'\ndevice = {self.device!r}\ncount = 1\n{self._initial()}"
            f'[observe]\nwarmup = "{warmup_s:.9f}s"\nduration = "{warmup_s + span_s:.9f}s"\n',
            threads=1,
        )

    def _initial(self) -> str:
        """A full drive in steady state; data in order, as fio and ACT lay it out, unless writes are small.

        Writes in order alone find blocks that were written in order before them: nothing to move.
        """
        if not isinstance(self.drive, Ssd) or self.drive.geometry is None:
            return ""
        if all(one.op == "write" and one.pattern == "sequential" for one in (self.cell, *self.cell.beside)):
            return 'ssd = { initial = { state = "fresh" } }\n'
        small = any(
            one.op != "read" and one.pattern == "random" and one.size_bytes < _LAYOUT
            for one in (self.cell, *self.cell.beside)
        )
        run = "" if small else f', run = "{_LAYOUT}"'
        return f'ssd = {{ initial = {{ state = "steady"{run} }} }}\n'


def _workloads(cell: Cell, name: str, host_s: float, rate: float) -> list[str]:
    """Workloads of a scenario, and the paths before them."""
    keys = [
        f"stream.uniform.read_share={100 * cell.read_share:.6g}",
        f"stream.uniform.size={cell.size_bytes}",
    ]
    # ACT reads records anywhere: at multiples of the largest power of two in their size.
    keys.append(f"stream.uniform.align={cell.size_bytes & -cell.size_bytes}")
    if cell.pattern == "sequential":
        keys.append('stream.uniform.access={ pattern = "sequential" }')
    span = "" if cell.span_bytes is None else f", span = '{cell.span_bytes}B'"
    if cell.rate_per_s is not None:
        keys.append('arrivals.law="constant"')
        profile = f"name = 'uniform', rate_iops = {cell.rate_per_s!r}, set = {keys!r}{span}"
        return [f'[[workload]]\nname = "{name}"\nprofile = {{ {profile} }}\n']
    profile = f"name = 'uniform', rate_iops = {rate!r}, set = {keys!r}{span}"
    head = f'profile = {{ {profile} }}\nreplay = {{ mode = "closed", outstanding = '
    if cell.depth == 1:
        # Exponential: equal pauses and equal services would keep processes in step, and none would wait.
        think = f', think = "{host_s * 1e9:.0f}ns", think_law = "exponential"'
        return [f'[[workload]]\nname = "{name}"\n{head}{cell.processes}{think} }}\n']
    made = []
    for number in range(cell.processes):
        own = f"{name}p{number}"
        made.append(f'[[workload]]\nname = "{own}"\n{head}{cell.depth} }}\n')
        if host_s > 0:
            made.append(
                f'[[path]]\nname = "{own}"\nworkloads = ["{own}"]\n'
                'protocol = { name = "nvme-pcie", stack = "0s" }\n'
                f'port = {{ command = "{host_s * 1e9:.0f}ns" }}\n'
            )
    return made


def _figures(run: Run, cell: Cell, host_s: float) -> SimulatedCell:
    main = _of(run, "cell", cell, host_s)
    if main.samples == 0:
        raise InputError("empty", cell.source or cell.name, "the simulated drive completed no request")
    beside = tuple(_of(run, f"beside{number}", one, host_s) for number, one in enumerate(cell.beside))
    watts = run.summary["power_w"]["mean"]
    fields = {name: getattr(main, name) for name in Figures.__dataclass_fields__}
    return SimulatedCell(**{**fields, "watts": watts}, beside=beside)


def _of(run: Run, name: str, cell: Cell, host_s: float) -> Figures:
    """The figures of the workloads that are a cell's."""
    own_ns = round(host_s * 1e9) if cell.rate_per_s is None and cell.depth > 1 else 0
    parts = [one for one in run.summary["workloads"] if _belongs(one["name"], name)]
    rows = run.table("latency").filter(pl.col("workload").is_in([one["name"] for one in parts]))
    histograms = {
        op: _earlier(Histogram.from_table(rows.filter(pl.col("op") == op)), own_ns)
        for op in ("read", "write")
    }
    means, counts = {}, {}
    for op in ("read", "write", "all"):
        times = [one["response_time_ms"][op] for one in parts]
        counts[op] = sum(one["count"] for one in times)
        total_s = sum(one["count"] * one["mean"] / 1e3 for one in times if one["count"])
        means[op] = total_s / counts[op] - own_ns / 1e9 if counts[op] else None
    return Figures(
        iops=sum(one["throughput"]["iops"] for one in parts),
        mean_s=means["all"],
        reads=quantiles(histograms["read"]),
        writes=quantiles(histograms["write"]),
        read_mean_s=means["read"],
        write_mean_s=means["write"],
        read_histogram=histograms["read"] if counts["read"] else None,
        write_histogram=histograms["write"] if counts["write"] else None,
        samples=counts["all"],
    )


def _belongs(workload: str, name: str) -> bool:
    return workload == name or workload.startswith(f"{name}p")


def _earlier(histogram: Histogram, own_ns: int) -> Histogram:
    """Times without what the load generator spent on the request itself."""
    low, high = (
        (edges.astype("int64") - own_ns).clip(min=0).astype("uint64")
        for edges in (histogram.low_ns, histogram.high_ns)
    )
    return Histogram.of(low, high, histogram.count)


def quantiles(histogram: Histogram) -> Mapping[float, float]:
    """Seconds at each share of ``SHARES``; nothing where there are no requests."""
    found = {share: histogram.quantile(share) for share in SHARES.values()}
    return {share: value / 1e9 for share, value in found.items() if value is not None}
