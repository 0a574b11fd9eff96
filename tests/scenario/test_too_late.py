"""Failures and moves of nodes after the end of a Run: `check` warns where the end is stated, a Run always."""

from __future__ import annotations

from pathlib import Path

import pytest

import iowatt
from iowatt.base.document import key_text
from iowatt.lenses.findings import findings
from iowatt.model.scenario.describe import check
from iowatt.model.scenario.loading import read
from iowatt.model.scenario.too_late import too_late

EXAMPLES = Path(__file__).parents[2] / "examples"
CLUSTER = (
    'cluster.ceph.failure=[{node="osd3", at="99s"}, {node="osd2", at="0.5s"}]',
    'cluster.ceph.pool.nvme.failure=[{node="osd1", drive=1, at="98s"}]',
    'cluster.ceph.node.osd.leaves="97s"',
)


@pytest.mark.parametrize(
    ("scenario", "changes", "warned"),
    [
        (
            "ceph-cluster.toml",
            CLUSTER,
            {"cluster.0.failure.0.at", "cluster.0.pool.0.failure.0.at", "cluster.0.node.0.leaves"},
        ),
        (
            "parity-log.toml",
            ['array.pool.disks.failure=[{drive=3,at="11min"}]'],
            {"array.pool.0.failure.0.at"},
        ),
        ("parity-log.toml", ['array.pool.disks.failure=[{drive=3,at="9min"}]'], set()),
        # After so many requests: when that is, only the Run knows.
        (
            "parity-log.toml",
            [
                'array.pool.disks.failure=[{drive=3,at="11min"}]',
                'workload.records.profile={name="uniform",rate_iops=150,requests=1000}',
            ],
            set(),
        ),
    ],
)
def test_a_check_warns_of_what_comes_after_the_stated_end(scenario, changes, warned):
    loaded, system, _ = read(EXAMPLES / scenario, changes)
    assert {key_text(one.path, {}) for one in too_late(loaded, system)} == warned
    assert len(check(EXAMPLES / scenario, changes).warnings) == len(warned)


@pytest.mark.parametrize(
    ("scenario", "changes", "keys"),
    [
        (
            "ceph-cluster.toml",
            [*CLUSTER[:2], "observe.duration=1s"],
            ["cluster.ceph.pool.nvme.failure", "cluster.ceph.failure"],
        ),
        (
            "parity-log.toml",
            [
                'array.pool.disks.failure=[{drive=3,at="11min"}]',
                'workload.records.profile={name="uniform",rate_iops=150,requests=100}',
            ],
            ["array.pool.disks.failure"],
        ),
    ],
)
def test_a_run_warns_of_what_came_after_its_end(scenario, changes, keys):
    run = iowatt.run(EXAMPLES / scenario, set=changes)
    late = [note for note in findings(run) if note.code == "after-the-end"]
    assert [note.text.partition(":")[0] for note in late] == keys and all(note.decides for note in late)
