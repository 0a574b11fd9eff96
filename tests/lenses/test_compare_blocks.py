"""A series table as blocks of time: what is missing, what is merged, what is refused."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from iowatt.lenses.compare.blocks import Blocks
from refused import refused

COLUMNS = (
    "point",
    "workload",
    "op",
    "start_s",
    "end_s",
    "count",
    "sum_ns",
    "max_ns",
    "low_ns",
    "high_ns",
    "bin_count",
)


def series(*rows: tuple[object, ...]) -> pl.DataFrame:
    return pl.DataFrame([dict(zip(COLUMNS, row, strict=True)) for row in rows])


READS = ("host", "oltp", "read", 0.0, 1.0, 3, 330, 120, [100, 120], [109, 129], [2, 1])
WRITES = ("host", "oltp", "write", 0.0, 1.0, 1, 200, 200, [200], [209], [1])
LATER = ("host", "log", "write", 3.0, 4.0, 2, 220, 118, [100, 110], [109, 119], [1, 1])
AT_SWITCH = ("switch", "oltp", "read", 1.0, 2.0, 1, 50, 50, [50], [50], [1])


def test_operations_and_workloads_are_merged_on_one_grid_and_gaps_are_empty_blocks():
    blocks = Blocks.of_series(series(LATER, READS, WRITES, AT_SWITCH))
    assert blocks.start_s.tolist() == [0, 1, 2, 3]
    assert blocks.end_s.tolist() == [1, 2, 3, 4]
    assert blocks.count.tolist() == [4, 0, 0, 2]
    assert blocks.sum_ns.tolist() == [530, 0, 0, 220]
    assert blocks.max_ns.tolist() == [200, 0, 0, 118]
    assert blocks.low_ns.tolist() == [100, 110, 120, 200]
    assert blocks.bins.tolist() == [[2, 0, 1, 1], [0] * 4, [0] * 4, [1, 1, 0, 0]]


def test_one_operation_of_one_workload_keeps_the_blocks_of_all():
    blocks = Blocks.of_series(series(READS, WRITES, LATER), op="write", workload="oltp", window=(0.0, 6.0))
    assert blocks.count.tolist() == [1, 0, 0, 0, 0, 0]
    assert blocks.end_s[-1] == 6


def test_sums_without_bins_are_taken():
    blocks = Blocks.of_series(series((*READS[:8], [], [], [])).cast({"low_ns": pl.List(pl.UInt64)}))
    assert blocks.bins.shape == (1, 0)
    assert blocks.count.tolist() == [3]


@pytest.mark.parametrize(
    ("rows", "ask", "code", "column"),
    [
        ((READS,), {"point": "array"}, "unknown-name", "point"),
        ((READS,), {"op": "write"}, "empty", "op"),
        ((READS,), {"workload": "mail"}, "unknown-name", "workload"),
        ((READS, (*LATER[:3], 0.5, 1.5, *LATER[5:])), {}, "damaged", "start_s"),
        ((READS, (*LATER[:8], [105, 110], [109, 119], [1, 1])), {}, "damaged", "low_ns"),
        (((*READS[:5], 4, *READS[6:]),), {}, "damaged", "count"),
        (((*READS[:3], 1.0, 1.0, *READS[5:]),), {}, "damaged", "end_s"),
        (((*READS[:3], 0.0, float("nan"), *READS[5:]),), {}, "damaged", "end_s"),
        ((READS, (*LATER[:3], 1e9, 1e9 + 1, *LATER[5:])), {}, "too-large", ""),
    ],
)
def test_a_wrong_table_is_an_input_error(rows, ask, code, column):
    with refused(code, ": ".join(filter(None, ("series", column)))):
        Blocks.of_series(series(*rows), **ask)


def test_intervals_give_amounts_and_nobody_knows_joules_that_were_not_measured():
    table = pl.DataFrame(
        {
            "start_s": [0.0, 10.0], "end_s": [10.0, 20.0],
            "completions": [5, 7], "reads": [5, 0], "writes": [0, 7],
            "bytes_read": [50, 0], "bytes_written": [0, 70], "power_w": [2.0, None], "wall_w": [None, None],
        },
        schema_overrides={"wall_w": pl.Float64},
    )  # fmt: skip
    blocks = Blocks.of_intervals(table)
    assert blocks.amounts["device_j"][0] == 20
    assert np.isnan(blocks.amounts["device_j"][1])
    assert blocks.amounts["bytes"].tolist() == [50, 70]
    assert "wall_j" not in blocks.amounts
    assert blocks.bins.shape == (2, 0)
