"""What the simulator returns of paths and of response times over time gets its names back."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from iowatt.run.tables import SCHEMAS
from iowatt.sources.simulation import counts, remarks, tables

NAMES = {
    "workloads": ["oltp", "log"],
    "paths": [
        {
            "name": "san",
            "protocol": "fcp",
            "hops": ["HBA data", "link", "sw1"],
            "places": ["host", "fabric", "fabric"],
            "hba": "hba-8g",
            "port": "port-a",
        },
        {"name": "lan", "protocol": "iscsi", "hops": [], "hba": None, "port": None},
    ],
}


def columns(**values):
    return {name: np.array(value, dtype=np.uint64) for name, value in values.items()}


def test_rows_of_the_series_get_their_bins_back_and_empty_blocks_have_empty_lists():
    raw = columns(
        point=[0, 0, 2], workload=[0, 0, 1], way=[0, 0, 1], start_ns=[0, 2_000_000, 0],
        end_ns=[2_000_000, 3_000_000, 2],
        count=[3, 0, 2], sum_ns=[1_200, 0, 40], max_ns=[600, 0, 30], bins=[2, 0, 1],
    )  # fmt: skip
    bins = columns(low_ns=[300, 600, 10], high_ns=[300, 601, 30], count=[2, 1, 2])
    table = tables.series(raw, bins, NAMES["workloads"])
    assert dict(table.schema) == {
        key: kind if isinstance(kind, pl.DataType) else kind() for key, kind in SCHEMAS["series"].items()
    }
    assert table.rows() == [
        ("host", "oltp", "read", 0.0, 0.002, 3, 1_200, 600, [300, 600], [300, 601], [2, 1]),
        ("host", "oltp", "read", 0.002, 0.003, 0, 0, 0, [], [], []),
        ("array", "log", "write", 0.0, 2e-9, 2, 40, 30, [10], [30], [2]),
    ]


def test_a_run_without_requests_has_an_empty_series():
    keys = ("point", "workload", "way", "start_ns", "end_ns", "count", "sum_ns", "max_ns", "bins")
    table = tables.series(
        columns(**{key: [] for key in keys}), columns(low_ns=[], high_ns=[], count=[]), NAMES["workloads"]
    )
    assert table.height == 0
    assert list(table.columns) == list(SCHEMAS["series"])


def test_slots_are_named_from_the_host_to_the_drive():
    assert counts.slots(NAMES["paths"][0]) == [
        ("host queue", "host", ""),
        ("hba-8g", "host", ""),
        ("HBA data", "host", "out"),
        ("HBA data", "host", "in"),
        ("link", "fabric", "out"),
        ("link", "fabric", "in"),
        ("sw1", "fabric", "out"),
        ("sw1", "fabric", "in"),
        ("port-a", "port", ""),
        ("controller processors", "controller", ""),
        ("cache space", "controller", ""),
        ("mirror link", "controller", ""),
        ("storage", "storage", ""),
        ("drive", "drive", ""),
        ("quality of service", "port", ""),
        ("replication", "replication", ""),
    ]
    assert [name for name, _, _ in counts.slots(NAMES["paths"][1])][1:3] == ["HBA", "target port"]


def test_hops_are_named_by_the_slots_of_their_own_path():
    raw = columns(
        path=[0, 1], workload=[0, 1], way=[1, 0], low_ns=[64, 8], high_ns=[71, 8], slot=[8, 2],
        requests=[5, 7], wait_ns=[11, 0], service_ns=[300, 56],
    )  # fmt: skip
    table = tables.hops(raw, NAMES)
    assert dict(table.schema) == {key: kind() for key, kind in SCHEMAS["hops"].items()}
    assert table.rows() == [
        ("san", "oltp", "write", 64, 71, "port-a", "port", "", 5, 11, 300),
        ("lan", "log", "read", 8, 8, "target port", "port", "", 7, 0, 56),
    ]


def counted(classes):
    """One path's part of the simulator's summary: of 2 s, the HBA busy for 0.5 s."""
    return {
        "queue": {"visits": 100, "held": 4, "waited_ns": 8_000_000},
        "stations": [{"slot": 1, "visits": 250, "busy_ns": 500_000_000, "waited_ns": 0, "servers": 2}],
        "express": [{"taken": 30, "refused": 1} for _ in classes],
        "not_express": 9,
    }


@pytest.mark.parametrize("classes", [[], [{"up_to_bytes": 4096, "buffers": 8}]])
def test_counts_of_a_path(classes):
    simulation = {
        "workloads": [{"path": 0}, {}],
        "paths": [{"lanes": 2, "queue_depth": 30, "port": {"express": classes}}],
    }
    names = {**NAMES, "paths": NAMES["paths"][:1]}
    (found,) = counts.paths(names, simulation, {"paths": [counted(classes)]})
    assert (found.name, found.protocol, found.workloads, found.lanes) == ("san", "fcp", ["oltp"], 2)
    assert (found.queue_depth, found.queue_visits, found.queue_held, found.queue_wait_s) == (
        30,
        100,
        4,
        0.008,
    )
    (hba,) = found.hops
    assert (hba.hop, hba.place, hba.visits, hba.busy_s, hba.servers) == ("hba-8g", "host", 250, 0.5, 2)
    # Without classes there are no writes of no class.
    assert found.not_express == (9 if classes else None)
    assert [(one.up_to_bytes, one.taken, one.refused) for one in found.express] == [(4096, 30, 1)] * len(
        classes
    )


def test_a_summary_without_paths_has_none():
    assert counts.paths({"workloads": ["a"]}, {"workloads": [{}]}, json.loads("{}")) == []
    assert counts.response_at({}) == {}
    assert tables.path_tables({"workloads": ["a"]}, {}) == {"series": None, "hops": None}


@pytest.mark.parametrize(("asked_s", "said"), [(None, False), (1e-6, True), (2e-6, False)])
def test_wider_blocks_than_asked_for_are_said(asked_s, said):
    raw = {"series": columns(start_ns=[0, 2_000], end_ns=[2_000, 3_000])}
    assert bool(remarks.series_remarks(raw, asked_s)) == said
    assert remarks.series_remarks({"series": columns(start_ns=[], end_ns=[])}, 1.0) == []
