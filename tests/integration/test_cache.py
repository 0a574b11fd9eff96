"""The array cache from the scenario to ``run.json``, against a cache written in six lines."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path

import polars as pl
import pytest

import iowatt
from iowatt.base.units import format_bytes

EXAMPLES = Path(__file__).parents[2] / "examples"
TRACE = EXAMPLES / "traces" / "pg_tpcc_paced_excerpt.parquet"
LINE = 4096


def run(*sets):
    return iowatt.run(EXAMPLES / "cached-raid5.toml", set=sets).summary


@pytest.mark.parametrize("lines", [500, 20_000])
def test_hits_on_the_shipped_trace_are_those_of_a_naive_lru(lines):
    # One request at a time, so that every miss has arrived before the next request asks for it.
    summary = run(
        f'array.controller.cache={{ size = "{lines * LINE}B", line = "4KiB", write = "through" }}',
        'workload.oltp.replay={ mode = "closed", outstanding = 1 }',
    )
    hits = {"R": [0, 0], "W": [0, 0]}
    cache: OrderedDict[int, None] = OrderedDict()
    for op, lba, size in pl.read_parquet(TRACE).select("op", "lba", "size").iter_rows():
        assert lba % 8 == 0
        assert size % LINE == 0
        found = 0
        for line in range(lba // 8, lba // 8 + size // LINE):
            found += line in cache
            cache[line] = None
            cache.move_to_end(line)
            if len(cache) > lines:
                cache.popitem(last=False)
        hits[op][0] += found == size // LINE
        hits[op][1] += found * LINE
    requests, cached = summary["requests"], summary["cache"]
    for op, way, count, bytes_ in (
        ("R", "read", requests["reads"], requests["bytes_read"]),
        ("W", "write", requests["writes"], requests["bytes_written"]),
    ):
        assert cached[f"{way}_hit_ratio"] == hits[op][0] / count
        assert cached[f"{way}_hit_bytes_ratio"] == hits[op][1] / bytes_
    assert cached["delayed_hit_ratio"] == 0


def test_the_cache_spares_the_disks_and_the_host():
    cached, bare = run(), run("array.controller.cache.size=0B")
    assert "cache" not in bare
    assert cached["controller"]["processors"]["requests"] == cached["requests"]["count"]
    # A write is answered after 30 us of processing and its transfer at 400 MB/s: 8 KiB take 20 us.
    assert cached["response_time_ms"]["write"]["p50"] < 0.06
    assert cached["response_time_ms"]["all"]["mean"] < bare["response_time_ms"]["all"]["mean"]
    for key in ("bytes_read", "bytes_written"):
        assert sum(d[key] for d in cached["devices"]) < sum(d[key] for d in bare["devices"])
    assert cached["energy"]["above_idle_j"] < bare["energy"]["above_idle_j"]
    written = cached["requests"]["bytes_written"]
    assert cached["cache"]["destaged_bytes"] + cached["cache"]["dirty_bytes_at_end"] <= written
    dirty = format_bytes(cached["cache"]["dirty_bytes_at_end"], binary=True)
    assert any(note.startswith(dirty) for note in cached["notes"])


def test_a_cache_without_size_changes_nothing():
    with_it = run("array.controller.cache.size=0B")
    without = run('array.controller={ processing = { read = "20us", write = "30us", processors = 2 }, '
                  'host_bandwidth = "400MB/s" }')  # fmt: skip
    for summary in (with_it, without):
        del summary["provenance"], summary["simulation"]
    assert with_it == without
