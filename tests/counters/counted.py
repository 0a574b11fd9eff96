"""Traces counted as iostat would count them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from iowatt.trace.generate import generate, prepare


def made(
    profile: Path | str, target: Path, *, seconds: float, seed: int = 1, **options: object
) -> pl.DataFrame:
    """A trace of a profile, with ``interval`` (seconds, whole) and ``reads`` (whether it does)."""
    prepared = prepare(str(profile), seed=seed, duration_s=seconds, span=1 << 36, **options)  # type: ignore[arg-type]
    generate(prepared, target, force=True)
    return pl.read_parquet(target).with_columns(
        interval=(pl.col("time_ns") // 1_000_000_000).cast(pl.Int64),
        reads=pl.col("op").cast(pl.String) == "read",
    )


def counts(trace: pl.DataFrame, seconds: int) -> np.ndarray:
    """Requests of each second."""
    return np.bincount(trace["interval"].to_numpy(), minlength=seconds)[:seconds].astype(float)


def iostat(trace: pl.DataFrame, seconds: int) -> str:
    """What `iostat -xty 1` would have printed, second by second."""
    lines = ["Linux 6.1.0 (host) \t2026-01-01 \t_x86_64_\t(2 CPU)", "", ""]
    sums = {
        (row["interval"], row["reads"]): (row["n"], row["bytes"])
        for row in trace.group_by("interval", "reads").agg(n=pl.len(), bytes=pl.col("size").sum()).to_dicts()
    }
    for second in range(seconds):
        (r, rb), (w, wb) = (sums.get((second, reads), (0, 0)) for reads in (True, False))
        hour, rest = divmod(second + 1, 3600)
        lines += [
            f"2026-01-01T{hour:02d}:{rest // 60:02d}:{rest % 60:02d}+0000",
            "Device            r/s     rkB/s     w/s     wkB/s  aqu-sz  %util",
            f"sda {r:.2f} {rb / 1024:.2f} {w:.2f} {wb / 1024:.2f} 0.10 5.00",
            "",
        ]
    return "\n".join(lines) + "\n"
