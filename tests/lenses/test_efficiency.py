"""Work per watt, and over which power."""

from __future__ import annotations

import pytest

from iowatt.lenses.efficiency import capacity, efficiency, throughput
from iowatt.run import record
from iowatt.run.record import Completions, RequestFlow
from iowatt.run.summary_schema import CapacitySummary, Power, Throughput


def flow(completions, read, written):
    """A flow of which nothing arrived inside the window, so that only what completed there can count."""
    return RequestFlow(
        arrived=0, completed=0, in_flight_at_end=0, reads=0, writes=0, bytes_read=0, bytes_written=0,
        completions=Completions(completions, read, written), in_flight_mean=0.0, response={},
    )  # fmt: skip


def watts(mean, wall=None):
    return Power(mean=mean, max=mean, wall_mean=wall, wall_max=wall, idle=0.0)


STORAGE = CapacitySummary(raw=1000.0, usable=900.0, effective=900.0)


def test_throughput():
    # 100 requests of 3 MiB in 4 s.
    found = throughput(flow(100, 200 << 20, 100 << 20), 4.0)
    assert (found.completions, found.iops, found.mib_per_s) == (100, 25, 75)
    assert throughput(flow(0, 0, 0), 0.0).iops == 0


def test_gigabytes_are_decimal():
    found = capacity(record.StorageBytes(raw_bytes=2 * 10**9, usable_bytes=10**9, effective_bytes=10**9))
    assert (found.raw, found.usable, found.effective) == (2, 1, 1)


def test_work_and_capacity_per_watt():
    found = efficiency(Throughput(completions=2000, iops=500.0, mib_per_s=50.0), STORAGE, watts(250.0))
    assert (found.iops_per_w, found.mib_per_s_per_w, found.raw_gb_per_w) == (2, pytest.approx(0.2), 4)


def test_wall_power_is_taken_where_it_is_known():
    found = efficiency(
        Throughput(completions=2000, iops=500.0, mib_per_s=50.0), STORAGE, watts(250.0, wall=500.0)
    )
    assert found.iops_per_w == 1


def test_no_power_no_efficiency():
    found = efficiency(Throughput(completions=2000, iops=1.0, mib_per_s=1.0), STORAGE, watts(0.0))
    assert found.iops_per_w is None
