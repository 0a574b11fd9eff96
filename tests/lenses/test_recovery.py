"""Failures from the rebuilds of a Run, and its response times split at their times, by hand."""

from __future__ import annotations

from types import SimpleNamespace

import polars as pl
import pytest

from iowatt.lenses.recovery import failures, phases
from iowatt.run.tables import SERIES

GB = 10**9
MS = 10**6


def rebuild(drive, failed, started=None, finished=None, done=0, **more):
    return {
        "pool": "nvme", "drive": drive, "spare": None, "failed_s": failed, "started_s": started,
        "finished_s": finished, "rebuilt_bytes": done, "lost_bytes": 100 * GB, "fraction": done / (100 * GB),
        **more,
    }  # fmt: skip


def made(*rebuilds, units=(), blocks=(), end=100.0):
    """A Run of a cluster of two racks with two nodes each; ``blocks`` are start, end, op and bins by ms."""
    rows = [
        ("host", "w", op, low, high, sum(bins.values()), 0, 0, *columns(bins))
        for low, high, op, bins in blocks
    ]
    nodes = [{"name": f"osd{number}", "rack": number // 2} for number in range(4)]
    return SimpleNamespace(
        summary={
            "window": {"start_s": 0.0, "end_s": end},
            "rebuilds": list(rebuilds),
            "clusters": [{"name": "ceph", "nodes": nodes}],
        },
        plan={
            "names": {"pools": ["nvme"]},
            "simulation": {
                "pools": [
                    {"recovery": {"spares": 0, "rebuild": {"delay_s": 30.0}}, "chunklets": {"spare": 4}}
                ],
                "clusters": [{"failures": list(units)}],
            },
        },
        series=pl.DataFrame(rows, schema=SERIES, orient="row") if blocks else None,
    )


def columns(bins):
    ends = [ms * MS for ms in bins]
    return ends, ends, list(bins.values())


def test_drives_of_a_node_and_of_a_rack_fail_as_one():
    units = [{"unit": "node", "index": 0, "at_s": 10.0}, {"unit": "rack", "index": 1, "at_s": 20.0}]
    drives = [
        rebuild(f"ceph.osd{node}.{slot}", 10.0 if node == 0 else 20.0)
        for node in (0, 2, 3)
        for slot in (0, 1)
    ]
    found = failures(made(*drives, rebuild("ceph.osd1.0", 5.0), units=units))
    assert [(one.what, one.drives, one.failed_s) for one in found] == [
        ("drive ceph.osd1.0", 1, 5.0), ("node osd0 (2 drives)", 2, 10.0), ("rack 1 (4 drives)", 4, 20.0),
    ]  # fmt: skip
    assert {(one.started_s, one.share, one.left_s, one.delay_s, one.has_room) for one in found} == {
        (None, 0.0, None, 30.0, True)
    }


def test_what_is_left_takes_as_long_at_the_rate_so_far():
    begun = rebuild("ceph.osd0.0", 10.0, started=40.0, done=60 * GB)
    waiting = rebuild("ceph.osd0.1", 10.0)
    unit = {"unit": "node", "index": 0, "at_s": 10.0}
    (one,) = failures(made(begun, waiting, units=[unit]))
    # 60 GB in the 60 s to the end, 1 GB/s: 140 of 200 GB are left.
    assert (one.recovered_bytes, one.lost_bytes, one.share) == (60 * GB, 200 * GB, 0.3)
    assert (one.bytes_per_s, one.left_s) == (GB, 140.0)
    done = [rebuild(f"ceph.osd0.{slot}", 10.0, 40.0, 60.0 + slot, 100 * GB) for slot in (0, 1)]
    (one,) = failures(made(*done, units=[unit]))
    assert (one.finished_s, one.share, one.left_s) == (61.0, 1.0, None)


def test_what_was_lost_is_found_by_the_share_in_older_runs():
    row = rebuild("ceph.osd0.0", 10.0, 10.0, done=25 * GB)
    del row["lost_bytes"]
    (one,) = failures(made(row))
    assert one.lost_bytes == 100 * GB
    (one,) = failures(made({**row, "rebuilt_bytes": 0, "fraction": 0.0, "started_s": None}))
    assert (one.lost_bytes, one.share) == (None, None)


def test_percentiles_of_each_phase_are_those_of_its_own_blocks():
    blocks = [
        (0.0, 10.0, "read", {1: 99, 2: 1}),
        (10.0, 40.0, "read", {3: 100}),
        (38.0, 42.0, "read", {500: 100}),  # recovery began within it
        (40.0, 60.0, "read", {4: 50}),
        (40.0, 60.0, "write", {9: 50}),
        (60.0, 100.0, "write", {1: 10, 7: 10}),
    ]
    run = made(rebuild("ceph.osd0.0", 10.0, 40.0, 60.0, 100 * GB), blocks=blocks)
    found = phases(run, failures(run))
    assert [(one.kind, one.seconds, one.requests) for one in found] == [
        ("before", 10.0, 100), ("degraded", 30.0, 100), ("recovering", 20.0, 100), ("after", 40.0, 20),
    ]  # fmt: skip
    assert [(one.p50_ms, one.p95_ms, one.p99_ms) for one in found] == [
        (1, 1, 1),
        (3, 3, 3),
        (4, 9, 9),
        (1, 7, 7),
    ]
    assert [(one.read_p95_ms, one.write_p95_ms) for one in found] == [(1, None), (3, None), (4, 9), (None, 7)]


def test_a_second_failure_before_the_first_is_recovered_ends_after_both():
    first, second = rebuild("ceph.osd0.0", 10.0, 10.0, 50.0), rebuild("ceph.osd1.0", 30.0, 60.0, 80.0)
    run = made(first, second, blocks=[(0.0, 10.0, "read", {1: 1})])
    spans = {one.kind: one.seconds for one in phases(run, failures(run))}
    # From 50 to 60 s only the second is lost, and does not recover yet.
    assert spans == {"before": 10.0, "recovering": 60.0, "degraded": 10.0, "after": 20.0}


@pytest.mark.parametrize("blocks", [(), [(0.0, 1.0, "read", {1: 1})]])
def test_nothing_failed_or_no_series_gives_no_phases(blocks):
    run = made(blocks=blocks)
    assert phases(run, failures(run)) == []
    run = made(rebuild("ceph.osd0.0", 10.0))
    assert phases(run, failures(run)) == []
