"""The controller and cache blocks of run.json, and what a report says of them, from counts by hand."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import jsonschema
import pytest

import handmade
from iowatt.lenses.findings import findings
from iowatt.lenses.summary import summarise
from iowatt.pages.run import outcome
from iowatt.pages.system import controller_table
from iowatt.render import numbers
from iowatt.run.record import SimulationCost
from iowatt.sources.simulation.record import build_record

SCHEMA_FILE = Path(__file__).parents[2] / "schema" / "results" / "iowatt.run.schema.json"

CACHE = {
    "reads": 5, "read_hits": 2, "delayed_hits": 1, "writes": 3, "write_hits": 3,
    "read_bytes": 20480, "read_hit_bytes": 10240, "write_bytes": 24576, "write_hit_bytes": 24576,
    "fetches": 2, "fetched_bytes": 32768, "destages": 4, "destaged_bytes": 65536, "evictions": 9,
    "waits_for_space": 2, "space_wait_ns": 30 * handmade.MS, "dirty_bytes_at_end": 8192,
    "overwritten_bytes": 4096, "kept_back": 3,
    "ahead_bytes": 65536, "ahead_used_bytes": 49152, "ahead_wasted_bytes": 8192,
}  # fmt: skip
HITS = {
    "reads": 4, "read_hits": 1, "writes": 0, "write_hits": 0,
    "read_bytes": 16384, "read_hit_bytes": 8192, "write_bytes": 0, "write_hit_bytes": 0,
}  # fmt: skip
LOST = {
    "of": "controller", "at_ns": 2 * handmade.S, "back_ns": None, "dirty_bytes": 16384,
    "flushed_ns": 2 * handmade.S + 500 * handmade.MS, "written_through": 7,
}  # fmt: skip
CONTROLLER = {
    "processors": {"visits": 8, "utilisation": 0.25, "wait_ns": 4 * handmade.MS},
    "link": None,
    "mirror": {"visits": 4, "utilisation": 0.5, "wait_ns": 0},
    "cache": CACHE,
    "zeros": {"written_bytes": 12288, "read_bytes": 4096, "given_up_bytes": 512},
    "losses": [LOST, {**LOST, "of": "battery", "at_ns": None, "flushed_ns": None}],
}
PLAN = {
    "processing": {"read_s": 20e-6, "write_s": 30e-6, "processors": 2},
    "host_bandwidth_bytes_per_s": 4e8,
    "cache": {
        "capacity_bytes": 2**32, "line_bytes": 16384, "replacement": "lru", "read": False, "write": "back",
        "high_watermark": 0.8, "low_watermark": 0.6, "destage_bytes": 2**18, "destage_outstanding": 16,
        "destage": "watermark", "transfers": "needed",
        "mirror": {"bandwidth_bytes_per_s": 2e9, "latency_s": 5e-6},
        "read_ahead": {"streams": 32, "after": 2, "least_bytes": 2**17, "most_bytes": 2**21, "share": 0.25},
    },
    "split": {"bytes": 32768, "outstanding": 8},
    "zero_detect": True,
    "losses": [{"of": "controller", "at_s": 2.0, "back_s": 60.0}],
}  # fmt: skip


def record(found):
    raw, plan = handmade.decoded(), copy.deepcopy(handmade.plan())
    if found is not None:
        workloads = [HITS, {**HITS, "reads": 1, "writes": 3}][: len(plan["simulation"]["workloads"])]
        raw["summary"]["controller"] = {**found, "cache": {**found["cache"], "by_workload": workloads}}
        plan["simulation"]["controller"] = PLAN
    return build_record(plan, raw, [], "", SimulationCost(wall_s=1, cpu_s=1, requests=8, peak_rss_mib=1))


@pytest.fixture
def summary(provenance):
    return summarise(record(CONTROLLER), provenance).as_dict()


def test_shares_and_means(summary):
    # 2 of 5 reads, 10,240 of 20,480 bytes, all writes; 5 of 8 and 34,816 of 45,056 together.
    assert summary["cache"] == {
        "read_hit_ratio": 0.4, "read_hit_bytes_ratio": 0.5, "write_hit_ratio": 1, "write_hit_bytes_ratio": 1,
        "hit_ratio": 0.625, "hit_bytes_ratio": 34816 / 45056, "delayed_hit_ratio": 0.2, "fetches": 2,
        "fetched_bytes": 32768, "destages": 4, "destaged_bytes": 65536, "evictions": 9,
        "waits_for_space": 2, "space_wait_mean_ms": 15, "dirty_bytes_at_end": 8192,
        "overwritten_bytes": 4096, "kept_back_lines": 3,
        "read_ahead": {"bytes": 65536, "used_bytes": 49152, "wasted_bytes": 8192, "used_ratio": 0.75},
    }  # fmt: skip
    # 4 ms over 8 requests; the link takes no time.
    part = {"requests": 8, "utilisation": 0.25, "wait_mean_ms": 0.5}
    lost = {
        "of": "controller", "at_s": 2, "back_s": None, "dirty_bytes": 16384,
        "flushed_s": 2.5, "written_through": 7,
    }  # fmt: skip
    assert summary["controller"] == {
        "processors": part,
        "host_link": None,
        "mirror_link": {"requests": 4, "utilisation": 0.5, "wait_mean_ms": 0},
        "zeros": {"written_bytes": 12288, "read_bytes": 4096, "given_up_bytes": 512},
        "losses": [lost, {**lost, "of": "battery", "at_s": None, "flushed_s": None}],
    }
    assert summary["workloads"][0]["cache"]["read_hit_ratio"] == 0.25
    assert summary["workloads"][0]["cache"]["read_hit_bytes_ratio"] == 0.5
    assert summary["workloads"][0]["cache"]["write_hit_ratio"] is None
    jsonschema.validate(summary, json.loads(SCHEMA_FILE.read_text("utf-8")))
    assert [note for note in summary["notes"] if "8 KiB" in note]
    (lost_note,) = [note for note in summary["notes"] if note.startswith("controller")]
    assert all(figure in lost_note for figure in ("2 s", "16 KiB", "0.5 s"))
    assert [note for note in summary["notes"] if "battery" in note]


def test_nothing_of_nothing_is_null(provenance):
    nothing = {**CONTROLLER, "cache": dict.fromkeys(CACHE, 0)}
    cache = summarise(record(nothing), provenance).as_dict()["cache"]
    for key in ("read_hit_ratio", "write_hit_bytes_ratio", "hit_ratio", "space_wait_mean_ms"):
        assert cache[key] is None


def test_without_a_controller_there_is_no_block(provenance):
    summary = summarise(record(None), provenance).as_dict()
    assert not {"cache", "controller"} & set(summary)
    assert outcome.tables(summary) == []
    assert controller_table(None).rows == []


def test_a_controller_of_a_cache_alone_has_no_controller_block(provenance):
    alone = {"processors": None, "link": None, "cache": CACHE}
    summary = summarise(record(alone), provenance).as_dict()
    assert "cache" in summary
    assert "controller" not in summary


def plain(tables):
    return {title: [[str(c).replace("\u00a0", " ") for c in row] for row in t.rows] for title, t in tables}


def test_the_report_shows_both(summary):
    work, losses, zeros, hits, back_end = plain(outcome.tables(summary)).values()
    assert [row[1:] for row in work] == [["8", "25 %", "0.500 ms"], ["4", "50 %", "0 ms"]]
    assert losses[0] == ["controller", "2 s", numbers.NO_VALUE, "16.4 kB", "2.5 s", "7"]
    assert [row[1] for row in zeros] == ["12.3 kB", "4.10 kB", "512 B"]
    assert hits[0] == ["Reads", "40 %", "50 %"]
    assert all(figure in back_end[2][1] for figure in ("65.5 kB", "75 %", "8.19 kB"))
    assert back_end[5][1].startswith("2, 15.0 ms")
    described = dict(plain([("c", controller_table(PLAN))])["c"])
    assert described["Processors"].startswith("2; ")
    figures = ("4 GiB", "16 KiB", "LRU", "write-back", "80 %", "60 %", "256 KiB")
    assert all(figure in described["Cache"] for figure in figures)
    (split,) = [text for text in described.values() if "32 KiB" in text]
    assert "8" in split.split()
    assert [word for word in described["Read-ahead"].split() if word.isdecimal()] == ["128", "2", "32"]
    assert [text for text in described.values() if text.startswith("2.00 GB/s, ")]
    assert {"controller", "2"} <= set(described["Loss"].split())


def test_writes_that_wait_for_space_are_a_warning(run, summary):
    run.summary["cache"] = summary["cache"]
    texts = [f.text.replace("\u00a0", " ") for f in findings(run) if f.decides]
    assert any("2 writes" in text and "15.0 ms" in text for text in texts)
