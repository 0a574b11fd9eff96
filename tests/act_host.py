"""ACT (Aerospike's certification tool): small reads at a rate beside large reads and writes."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from iowatt.evaluate.evaluation import run_scenario

LARGE_PER_READ = 23.53 / 2000
"""Reads of 128 KiB for each small one, and as many writes: ACT's defragmentation."""


@dataclass(frozen=True)
class Reads:
    """Latency of the small reads: mean and longest, and shares of them."""

    mean_us: float
    over_1ms: float
    to_1ms: float
    most_us: float
    amplification: float


def act(device: str, reads_per_s: float, seconds: float) -> Reads:
    """What the simulator says; large blocks have been written whole before."""
    large = reads_per_s * LARGE_PER_READ

    def work(name: str, rate: float, share: int, size: int, seed: int) -> str:
        return (
            f'[[workload]]\nname = "{name}"\nprofile = {{ name = "uniform", rate_iops = {rate}, '
            f"set = ['stream.uniform.read_share={share}', 'stream.uniform.size={size}', "
            f"'stream.uniform.align={512 if size < 4096 else size}'] }}\nreplay = {{ mode = \"open\" }}\n"
        )

    text = (
        'name = "act"\nseed = 1\n'
        + work("small", reads_per_s, 100, 1536, 1)
        + work("read", large, 100, 131_072, 2)
        + work("write", large, 0, 131_072, 3)
        + f'[[array.pool]]\nname = "drive"\ndevice = "{device}"\ncount = 1\n'
        'ssd = { initial = { state = "steady", run = "128KiB" } }\n'
        f'[observe]\nwarmup = "{0.2 * seconds}s"\nduration = "{1.2 * seconds}s"\n'
    )
    run = run_scenario(text)
    rows = run.table("latency").filter((pl.col("workload") == "small") & (pl.col("op") == "read"))
    high, count = rows["high_ns"].to_numpy() / 1e3, rows["count"].to_numpy()
    share = count / count.sum()
    return Reads(
        mean_us=float((high * share).sum()),
        over_1ms=float(share[high > 1024].sum()),
        to_1ms=float(share[(high > 256) & (high <= 1024)].sum()),
        most_us=float(high.max()),
        amplification=run.summary["devices"][0]["flash"]["write_amplification"],
    )
