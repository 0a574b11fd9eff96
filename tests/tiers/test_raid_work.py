"""Operations that a RAID level makes of a request: by hand, and as the simulator makes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import iowatt
from iowatt.evaluate.estimate.operations import raid_work
from iowatt.model.raid import LEAST_DRIVES, count_problem

KIB = 1024


@pytest.mark.parametrize(
    ("level", "count", "size", "write", "expected"),
    [
        (0, 4, 8, False, (1, 0, 1)),
        (0, 4, 8, True, (0, 1, 1)),
        (10, 4, 8, True, (0, 2, 1)),
        (1, 3, 8, True, (0, 3, 1)),
        (5, 5, 8, True, (2, 2, 2)),  # old data and parity, new data and parity
        (6, 8, 8, True, (3, 3, 2)),
        (5, 3, 8, True, (1, 2, 2)),  # the one unit that stays is less to read
        (5, 5, 256, False, (4, 0, 1)),
        (10, 4, 256, True, (0, 4, 1)),  # two units after one another on each of four drives
    ],
)
def test_small_requests_by_hand(level, count, size, write, expected):
    work = raid_work(level, count, 64 * KIB, size * KIB, write=write)
    assert (work.reads, work.writes, work.phases) == pytest.approx(expected)


def test_a_full_stripe_needs_no_reads():
    # RAID-4 of 3: stripes of 128 KiB, to which a request of 128 KiB is aligned only as to units.
    work = raid_work(4, 3, 128 * KIB, 256 * KIB, write=True)
    assert work.operations < raid_work(4, 3, 128 * KIB, 128 * KIB, write=True).operations * 2


@pytest.mark.parametrize("level", [0, 1, 10, 5, 6])
@pytest.mark.parametrize("size", ["8KiB", "64KiB", "256KiB"])
@pytest.mark.parametrize("read_share", [0, 100])
def test_the_simulator_makes_as_many(level, size, read_share):
    count = {0: 4, 1: 2, 10: 4, 5: 5, 6: 6}[level]
    run = iowatt.run(
        f"""
name = "work"
[[workload]]
name = "w"
profile = {{ name = "uniform", rate_iops = 20, requests = 500, set = [
    "stream.uniform.read_share={read_share}", "stream.uniform.size={size}"] }}
[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = {count}
raid = {{ level = {level}, stripe_unit = "64KiB" }}
"""
    )
    accesses = sum(one["accesses"] for one in run.summary["devices"])
    moved = sum(one["bytes_read"] + one["bytes_written"] for one in run.summary["devices"])
    told = raid_work(level, count, 64 * KIB, int(size[:-3]) * KIB, write=read_share == 0)
    assert told.operations == pytest.approx(accesses / 500, rel=0.06)
    assert told.operations * told.bytes == pytest.approx(moved / 500, rel=0.06)


@given(
    st.sampled_from([0, 1, 4, 5, 6, 10]),
    st.integers(1, 40),
    st.sampled_from([4 * KIB, 64 * KIB, 1024 * KIB]),
    st.floats(1, 3e7),
    st.booleans(),
)
def test_never_less_than_the_request_itself(level, count, unit, size, write):
    if count < LEAST_DRIVES[level] or count_problem(level, count) is not None:
        return
    work = raid_work(level, count, unit, size, write=write)
    assert work.operations >= 1 - 1e-9
    assert work.operations * work.bytes >= max(1.0, round(size / 4096) * 4096) * (1 - 1e-9) or size < 4096
    assert work.abreast >= 1
    assert 1 <= work.phases <= 2
