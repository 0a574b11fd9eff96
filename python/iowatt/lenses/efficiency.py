"""What a watt buys: work and capacity over mean power.

IOPS/W, MiB/s/W and GB/W are those of SNIA Emerald; power is the devices' unless the wall's is known.
"""

from __future__ import annotations

from iowatt.run import record
from iowatt.run.record import RequestFlow
from iowatt.run.summary_schema import CapacitySummary, Efficiency, Power, Throughput

BYTES_PER_MIB = 1 << 20
BYTES_PER_GB = 1e9


def throughput(flow: RequestFlow, duration_s: float) -> Throughput:
    """All completions inside the window, whenever they arrived, and their bytes, per second of the window."""
    done = flow.completions
    if duration_s <= 0:
        return Throughput(completions=done.requests, iops=0.0, mib_per_s=0.0)
    moved = done.bytes_read + done.bytes_written
    return Throughput(
        completions=done.requests,
        iops=done.requests / duration_s,
        mib_per_s=moved / BYTES_PER_MIB / duration_s,
    )


def capacity(bytes_: record.StorageBytes) -> CapacitySummary:
    """Capacity in decimal gigabytes."""
    return CapacitySummary(
        raw=_over(bytes_.raw_bytes, BYTES_PER_GB),
        usable=_over(bytes_.usable_bytes, BYTES_PER_GB),
        effective=_over(bytes_.effective_bytes, BYTES_PER_GB),
    )


def _over(value: float | None, divisor: float) -> float | None:
    return None if value is None else value / divisor


def efficiency(work: Throughput, storage: CapacitySummary, drawn: Power) -> Efficiency:
    """Work and capacity per watt, over wall power where known, else device power."""
    watts = drawn.mean if drawn.wall_mean is None else drawn.wall_mean
    if watts is None or watts <= 0:
        return Efficiency(iops_per_w=None, mib_per_s_per_w=None, raw_gb_per_w=None)
    return Efficiency(
        iops_per_w=work.iops / watts,
        mib_per_s_per_w=work.mib_per_s / watts,
        raw_gb_per_w=_over(storage.raw, watts),
        usable_gb_per_w=_over(storage.usable, watts),
        effective_gb_per_w=_over(storage.effective, watts),
    )
