"""Traces to measure with: the capture in the text formats, and random requests of any number."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import polars as pl

CHUNK = 250_000
"""Requests generated at a time."""


def requests_of(path: Path, limit: int | None = None) -> pl.DataFrame:
    """The first ``limit`` requests of a capture (examples/traces/README.md): ns, LBN in sectors."""
    import polars as pl

    rows = pl.scan_parquet(path).select(
        time_ns=(pl.col("time_s") * 1e9).round().cast(pl.Int64),
        read=pl.col("op") == "R",
        lbn=pl.col("lba").cast(pl.Int64),
        size=pl.col("size").cast(pl.Int64),
    )
    return (rows if limit is None else rows.head(limit)).collect()


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


def random_trace(path: Path, requests: int, rate: float = 500.0, sectors: int = 1_000_000_000) -> None:
    """DiskSim ASCII: uniformly random 8 KiB requests below ``sectors``, ``rate`` a second, 70 % reads."""
    import numpy as np

    random = np.random.default_rng(1)
    start = 0.0
    with path.open("w") as out:
        for first in range(0, requests, CHUNK):
            n = min(CHUNK, requests - first)
            times = start + np.cumsum(random.exponential(1e3 / rate, n))
            start = float(times[-1])
            lbns = random.integers(0, sectors // 16, n) * 16
            reads = random.random(n) < 0.7
            out.writelines(
                f"{t:.6f} 0 {lbn} 16 {int(r)}\n" for t, lbn, r in zip(times, lbns, reads, strict=True)
            )
