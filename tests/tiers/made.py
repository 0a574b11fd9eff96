"""Loads and technologies with round figures."""

from __future__ import annotations

import numpy as np

from iowatt.evaluate.tiers.benchmark import BenchmarkedDrive, Technology
from iowatt.evaluate.tiers.one_pool import ExtentLoad, Front

GB = 1_000_000_000
MIB = 1 << 20


def drive(**figures: float) -> BenchmarkedDrive:
    """A disk: 10 ms, 100 operations a second, 10 W, 10 mJ an operation."""
    plain: dict[str, float] = {
        "service_s": 0.01,
        "variation": 0.5,
        "saturated_iops": 100.0,
        "idle_w": 10.0,
        "operation_j": 0.01,
    }
    return BenchmarkedDrive(**(plain | figures), capacity_bytes=1000 * GB, usd=None, kind="hdd")  # type: ignore[arg-type]


def technology(
    name: str, *, capacity_gb: int = 1000, usd: float | None = 100.0, group: int = 1, **figures: float
):
    """RAID-0, so that room and work are those of the drives."""
    made = drive(**figures)
    object.__setattr__(made, "capacity_bytes", capacity_gb * GB)
    return Technology(name, name, 0, 64 * 1024, group, made, usd)


def load(
    rates: list[float], *, extent_gb: float = 1.0, cold_gb: float = 0.0, read_share: float = 1.0
) -> ExtentLoad:
    """Extents of the given requests per second, sorted."""
    hot = np.array(sorted(rates, reverse=True), dtype=float)
    return ExtentLoad(
        size=np.full(len(hot), extent_gb * GB),
        reads=hot * read_share,
        writes=hot * (1 - read_share),
        cold_bytes=cold_gb * GB,
        extent_bytes=MIB,
        read_bytes=8192.0,
        write_bytes=8192.0,
        peak=1.0,
    )


def front(**figures: object) -> Front:
    """Nothing before the back end."""
    plain: dict[str, object] = {
        "iops": 100.0,
        "read_share": 1.0,
        "read_miss": 1.0,
        "read_hit_s": 0.0,
        "write_waits": True,
        "write_hit_s": 0.0,
    }
    return Front(**(plain | figures))  # type: ignore[arg-type]
