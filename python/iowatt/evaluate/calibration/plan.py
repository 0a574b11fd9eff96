"""The jobs of fio whose results a calibration takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from iowatt.base.units import format_bytes

DEPTHS: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256)
SIZES: Final = (4096, 8192, 16384, 131072)
_MOST_BYTES: Final = 16 << 20
"""Outstanding at most: beyond, response times only grow in proportion."""
_PLACES: Final = 64
"""Places that are read again and again: more than the segments of most buffers."""


def plan_text(kind: Literal["hdd", "ssd"], target: str, size: int | None, runtime_s: float) -> str:
    """A file of jobs for fio.

    Parameters
    ----------
    target:
        A file of its own, or a device: **its data are overwritten**.
    size:
        Bytes of it that are used; None: all of a device.
    runtime_s:
        Seconds of a job that are counted.
    """
    return "\n".join((_ssd if kind == "ssd" else _disk)(target, size, runtime_s)) + "\n"


def _head(target: str, size: int | None, runtime_s: float, *comments: str) -> Iterator[str]:
    yield from (f"# {text}" for text in comments)
    yield from ("", "[global]", f"filename={target}")
    if size is not None:
        yield f"size={size}"
    yield from (
        "direct=1", "ioengine=libaio", "group_reporting=0", "randrepeat=0", "norandommap=1", "time_based=1",
        f"runtime={runtime_s:g}s", f"ramp_time={max(1.0, runtime_s / 10):g}s",
    )  # fmt: skip


def _job(name: str, *options: str) -> Iterator[str]:
    yield from ("", f"[{name}]", "stonewall", *options)


def _ssd(target: str, size: int | None, runtime_s: float) -> Iterator[str]:
    yield from _head(
        target, size, runtime_s,
        f"It overwrites {target}.",
        "fio --output-format=json+ --output=cells.json THIS; then",
        "iowatt devices calibrate cells.json --based-on NAME -o DEVICE.toml",
        "Begin with a trimmed drive (blkdiscard). A meter beside: iowatt meter record ... -o watts",
    )  # fmt: skip
    whole = ("time_based=0", "ramp_time=0", "rw=write", "bs=1m", "iodepth=16")
    yield from _job("fill", *whole)
    for depth in (1, 4, 16):
        yield from _job(f"write-sequential-128k-{depth}", "rw=write", "bs=128k", f"iodepth={depth}")
    for block in SIZES:
        for depth in DEPTHS:
            if block * depth <= _MOST_BYTES:
                name = f"read-random-{_size(block)}-{depth}"
                yield from _job(name, "rw=randread", f"bs={block}", f"iodepth={depth}")
    for depth in (1, 8, 64):
        yield from _job(f"read-sequential-128k-{depth}", "rw=read", "bs=128k", f"iodepth={depth}")
    # Twice over its bytes at random: what then comes is steady.
    steady = ("time_based=0", "ramp_time=0", "rw=randwrite", "bs=4k", "iodepth=64", "loops=2")
    yield from _job("steady-precondition", *steady, "write_bw_log=precondition", "log_avg_msec=1000")
    for block in SIZES:
        for depth in DEPTHS[::2]:
            if block * depth <= _MOST_BYTES:
                name = f"steady-write-random-{_size(block)}-{depth}"
                yield from _job(name, "rw=randwrite", f"bs={block}", f"iodepth={depth}")
    for depth in (1, 4, 16, 64):
        name = f"steady-mixed-random-4k-{depth}"
        yield from _job(name, "rw=randrw", "rwmixread=70", "bs=4k", f"iodepth={depth}")


def _disk(target: str, size: int | None, runtime_s: float) -> Iterator[str]:
    yield from _head(
        target, size, runtime_s,
        f"It overwrites {target}. Record it with blktrace, for fio's logs have times in ms:",
        "blktrace -d DEVICE -o disk & fio THIS; kill -INT %1; wait; blkparse -i disk -d disk.bin; then",
        "iowatt devices calibrate disk.bin --based-on NAME -o DEVICE.toml",
    )  # fmt: skip
    yield "iodepth=1"
    span = size or (1 << 40)
    yield from _job("turn", "rw=randread", "bs=4k", f"blockalign={max(4096, span // _PLACES // 4096 * 4096)}")
    yield from _job("far-reads", "rw=randread", "bs=4k")
    for share in range(0, 100, 10):
        # Arrivals at random, so that the platter stands anywhere; downwards, for drives read ahead.
        yield from _job(
            f"near-{share}", f"offset={share}%", "rw=read:-40k", "bs=4k", "rate_iops=30",
            "rate_process=poisson", f"runtime={max(2.0, runtime_s / 10):g}s",
        )  # fmt: skip
        yield from _job(
            f"stream-{share}", f"offset={share}%", "rw=read", "bs=128k",
            f"runtime={max(1.0, runtime_s / 20):g}s",
        )  # fmt: skip
        yield from _job(
            f"slow-stream-{share}", f"offset={share}%", "rw=read", "bssplit=4k/34:16k/33:64k/33",
            "thinktime=8000", f"runtime={max(1.0, runtime_s / 20):g}s",
        )  # fmt: skip
    yield from _job("far-writes", "rw=randwrite", "bs=4k", "thinktime=6000")


def _size(block: int) -> str:
    return format_bytes(block, binary=True).replace(" KiB", "k")
