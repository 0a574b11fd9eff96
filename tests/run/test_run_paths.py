"""Paths, hops and response times over time in a Run: in run.json, on disk, and where a Run has none."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from iowatt.lenses.summary import summarise
from iowatt.run import summary_schema
from iowatt.run.bundle import REASONS_MISSING, Run
from iowatt.run.record import HopCounts, PathCounts, ResponseMoments
from iowatt.run.summary_parts import PathExpress
from iowatt.run.tables import frame
from refused import refused


def block(**changes):
    """A row of the series: two requests of 100 and 200 ns, unless changed."""
    row = {
        "point": "host", "workload": "oltp", "op": "read", "start_s": 0.0, "end_s": 1.0, "count": 2,
        "sum_ns": 300, "max_ns": 200, "low_ns": [100, 200], "high_ns": [100, 200], "bin_count": [1, 1],
    }  # fmt: skip
    return row | changes


SERIES = [
    block(),
    block(start_s=1.0, end_s=2.0, count=0, sum_ns=0, max_ns=0, low_ns=[], high_ns=[], bin_count=[]),
    block(point="array"),
    block(point="array", op="write", count=4, sum_ns=40_000, low_ns=[9_984], high_ns=[10_015], bin_count=[4]),
]
HOPS = {
    "path": "san", "workload": "oltp", "op": "read", "low_ns": 100, "high_ns": 111, "hop": "link",
    "place": "fabric", "way": "out", "requests": 2, "wait_ns": 40, "service_ns": 60,
}  # fmt: skip
PATH = PathCounts(
    name="san",
    protocol="fcp",
    workloads=["oltp"],
    lanes=2,
    queue_depth=None,
    queue_visits=4,
    queue_held=1,
    queue_wait_s=0.002,
    hops=[
        HopCounts("link", "fabric", "out", visits=8, busy_s=1.0, wait_s=0.004, servers=2),
        HopCounts("10 km", "fabric", "out", visits=0, busy_s=0.0, wait_s=0.0, servers=0),
    ],
    express=[PathExpress(up_to_bytes=4096, buffers=8, taken=3, refused=1)],
    not_express=5,
)


@pytest.fixture
def with_path(record, provenance):
    def columns(rows):
        return {key: [row[key] for row in rows] for key in rows[0]}

    tables = replace(
        record.tables, series=frame("series", columns(SERIES)), hops=frame("hops", columns([HOPS]))
    )
    nothing = ResponseMoments(0, 0.0, 0.0, 0.0)
    array = {
        "all": ResponseMoments(6, 6_717e-9, 4_600e-9, 10_020e-9),
        "read": ResponseMoments(2, 150e-9, 50e-9, 200e-9),
        "write": ResponseMoments(4, 10_000e-9, 10e-9, 10_020e-9),
    }
    seen = {"array": array, "switch": dict.fromkeys(("all", "read", "write"), nothing)}
    changed = replace(record, tables=tables, paths=[PATH], response_at=seen)
    return Run.of(changed, summarise(changed, provenance).as_dict())


def test_a_path_in_run_json(with_path):
    span_s = with_path.summary["window"]["duration_s"]
    (path,) = with_path.summary["paths"]
    assert path["queue"] == {"depth": None, "held": 1, "wait_mean_ms": 0.5}
    link, distance = path["hops"]
    # Busy for 1 s of two servers.
    assert link == {
        "hop": "link", "place": "fabric", "way": "out", "visits": 8, "utilisation": 0.5 / span_s,
        "wait_mean_ms": 0.5, "service_mean_ms": 125.0,
    }  # fmt: skip
    assert (distance["utilisation"], distance["wait_mean_ms"], distance["service_mean_ms"]) == (None,) * 3
    assert path["express"] == [{"up_to_bytes": 4096, "buffers": 8, "taken": 3, "refused": 1}]
    assert (path["lanes"], path["not_express"]) == (2, 5)


def test_response_times_at_the_array_are_of_its_own_bins(with_path):
    seen = with_path.summary["response_time_at"]
    assert list(seen) == ["switch", "array"]
    assert seen["switch"]["all"]["p50"] is None
    array = seen["array"]
    assert array["read"]["p50"] == 100e-6
    # Ranks 1 and 2 of 6 are reads: the third, the median, is a write, said by the upper end of its bin.
    assert array["all"]["p50"] == pytest.approx(10_015e-6)
    assert array["write"]["mean"] == pytest.approx(10_000e-6)
    assert array["all"]["count"] == 6


def test_what_is_written_is_of_the_schema(with_path):
    schema = Path(__file__).parents[2] / "schema" / "results" / "iowatt.run.schema.json"
    jsonschema.validate(with_path.summary, json.loads(schema.read_text("utf-8")))
    assert summary_schema.RunSummary.model_validate(with_path.summary).as_dict() == with_path.summary


def test_both_tables_come_back_as_they_were_saved_with_the_same_bytes(with_path, tmp_path):
    for name in ("a", "b"):
        with_path.save(tmp_path / name)
    for file in ("series.parquet", "hops.parquet", "run.json"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    again = Run.open(tmp_path / "a")
    assert again.series.equals(with_path.series)
    assert again.hops.equals(with_path.hops)
    assert again.series["low_ns"].to_list() == [[100, 200], [], [100, 200], [9_984]]
    assert (again.has("series"), again.has("hops")) == (True, True)


def test_an_older_run_has_neither_and_says_why(run, tmp_path):
    again = Run.open(run.save(tmp_path / "out").path)
    assert (again.series, again.hops) == (None, None)
    assert {"paths", "response_time_at"}.isdisjoint(again.summary)
    for name, hint in (("series", REASONS_MISSING["series"][1]), ("hops", REASONS_MISSING["hops"][1])):
        with refused("missing-figure", str(tmp_path / "out")) as caught:
            again.table(name)
        assert caught.value.exit_code == 2
        assert f"'{name}'" in caught.value.message
        assert caught.value.hint == hint
