"""A request log of language-model serving becomes the trace of its storage tier, by stated arithmetic."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from iowatt.cli.main import app
from iowatt.trace.kv_cache import KvCacheRequest, convert_log, model_names, shape_of
from refused import refused

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "examples" / "traces" / "kv-cache-chat.jsonl.gz"
KIB = 1024
TOKEN = 4 * KIB  # so that a block of 16 tokens has 64 KiB
BLOCK = 16 * TOKEN


def line(ms, tokens, ids, **more):
    return json.dumps({"timestamp": ms, "input_length": tokens, "output_length": 5, "hash_ids": ids, **more})


@pytest.fixture
def converted(tmp_path):
    def made(lines, **options):
        (tmp_path / "log.jsonl").write_text("\n".join(lines) + "\n")
        given = {"memory_bytes": 3 * BLOCK, "block_tokens": 16, "io_bytes": BLOCK} | options
        request = KvCacheRequest(tmp_path / "log.jsonl", TOKEN, "as given", "as given", **given)
        found = convert_log(request, tmp_path / "kv.parquet", force=True)
        trace = pl.read_parquet(tmp_path / "kv.parquet")
        rows = list(
            zip(*(trace[name].to_list() for name in ("time_ns", "op", "offset", "size")), strict=True)
        )
        return found, rows

    return made


def test_bytes_of_a_token():
    """2 x layers x kv_heads x head_dim x bytes: PagedAttention has 800 KB for OPT 13B."""
    assert shape_of("opt-13b").bytes_per_token("fp16") == 2 * 40 * 40 * 128 * 2 == 819_200
    assert shape_of("llama-3.1-70b").bytes_per_token("bf16") == 327_680
    assert shape_of("deepseek-v3").bytes_per_token("fp8") == 61 * 576
    assert shape_of("llama-3.1-8b").bytes_per_token("int4") == 32 * 1024
    assert all(shape_of(name).source for name in model_names())
    with refused("unknown-name", re.compile("^llm")):
        shape_of("llama-3.1-8")


def test_what_memory_drops_is_written_and_what_comes_back_is_read(converted):
    """Memory has three blocks. The second prompt drops 1 and 2, the third finds them on storage."""
    found, rows = converted([
        line(0, 48, [1, 2, 3]),
        line(1000, 32, [7, 8]),
        line(2500, 48, [1, 2, 3]),
    ])  # fmt: skip
    # At 2.5 s: 1 is read and drops 3, so that 3 is written; 2 is read and drops 7; 3 is read and drops 8.
    assert rows == [
        (10**9, "write", 0, BLOCK), (10**9, "write", BLOCK, BLOCK),
        (2_500_000_000, "read", 0, BLOCK), (2_500_000_000, "write", 2 * BLOCK, BLOCK),
        (2_500_000_000, "read", BLOCK, BLOCK), (2_500_000_000, "write", 3 * BLOCK, BLOCK),
        (2_500_000_000, "read", 2 * BLOCK, BLOCK), (2_500_000_000, "write", 4 * BLOCK, BLOCK),
    ]  # fmt: skip
    assert (found.blocks.memory, found.blocks.storage, found.blocks.computed) == (0, 3, 5)
    assert (found.read.bytes, found.written.bytes) == (3 * BLOCK, 5 * BLOCK)
    assert found.used_bytes == 5 * BLOCK
    assert found.written_per_day_bytes == pytest.approx(5 * BLOCK / 2.5 * 86_400)
    assert (found.read.peak_bytes_per_s, found.written.peak_bytes_per_s) == (3 * BLOCK, 3 * BLOCK)


def test_a_prefix_ends_at_the_first_block_that_is_nowhere(converted):
    """4 is unknown, so that 2 behind it is computed again, although it is in memory."""
    found, _ = converted([line(0, 48, [1, 2, 3]), line(1, 48, [1, 4, 2])], write="compute")
    assert (found.blocks.memory, found.blocks.storage, found.blocks.computed) == (1, 0, 5)
    # Written when computed, once each: 1, 2, 3, 4.
    assert found.written.bytes == 4 * BLOCK


def test_storage_forgets_what_was_used_longest_ago(converted):
    """Two slots: 3 takes the place of 1, which is computed again and takes that of 2."""
    lines = [line(0, 16, [1]), line(1, 16, [2]), line(2, 16, [3]), line(3, 16, [1])]
    found, rows = converted(lines, storage_bytes=2 * BLOCK + 1, memory_bytes=0, write="compute")
    assert [(op, offset) for _, op, offset, _ in rows] == [
        ("write", 0), ("write", BLOCK), ("write", 0), ("write", BLOCK),
    ]  # fmt: skip
    assert found.dropped_blocks == 2
    with refused("out-of-range", "storage"):
        converted(lines, storage_bytes=BLOCK - 1)


def test_blocks_are_cut_into_requests_and_come_at_the_prefill_rate(converted):
    """A last block of 3 tokens has 12 KiB: one request of 8 KiB and one of 4."""
    found, rows = converted([line(0, 19, ["a", "b"])], memory_bytes=0, io_bytes=8 * KIB, write="compute",
                            prefill_per_s=16.0)  # fmt: skip
    assert [size for _, _, _, size in rows] == [8 * KIB] * 8 + [8 * KIB, 4 * KIB]
    assert [when for when, *_ in rows] == [10**9] * 8 + [2 * 10**9] * 2
    assert [offset for _, _, offset, _ in rows[8:]] == [BLOCK, BLOCK + 8 * KIB]
    assert found.written.requests == 10


@pytest.mark.parametrize(
    ("lines", "code", "place"),
    [
        (["{"], "wrong-format", ":1"),
        (["[1]"], "wrong-type", ":1"),
        (
            [line(0, 16, [1]), json.dumps({"timestamp": 1, "input_length": 5})],
            "missing-figure",
            ":2: hash_ids",
        ),
        ([line(5, 16, [1]), line(4, 16, [1])], "out-of-order", ":2"),
        ([line(0, 160, [1])], "not-comparable", ":1"),
        ([line(-1, 16, [1])], "out-of-range", ":1: timestamp"),
        ([line(0, True, [1])], "out-of-range", ":1: input_length"),
        ([line(0, 16, [[1]])], "wrong-type", ":1: hash_ids"),
        ([line(0, 16, [1])], "empty", "log.jsonl"),
        ([""], "empty", "log.jsonl"),
    ],
)
def test_a_wrong_log_is_refused_with_its_line(converted, lines, code, place, tmp_path):
    with refused(code, re.compile(re.escape(place) + "$")):
        converted(lines)
    assert not (tmp_path / "kv.parquet").exists()


def test_the_sample_as_typed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["trace", "kv-cache", str(SAMPLE), "--memory", "40GiB", "-o", "kv.parquet", "--json"]
    done = CliRunner().invoke(
        app, [*words, "--llm", "llama-3.1-8b", "--storage", "400GB", "--prefill-rate", "10000"]
    )
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    with gzip.open(SAMPLE) as file:
        prompts = [json.loads(one) for one in file]
    assert found["prompts"] == len(prompts)
    assert found["blocks"]["count"] == sum(len(one["hash_ids"]) for one in prompts)
    # The example's trace is this one.
    made, shipped = pl.read_parquet("kv.parquet"), pl.read_parquet(SAMPLE.with_name("kv-cache-chat.parquet"))
    assert made.drop("device", "stream").equals(shipped.drop("device", "stream"))
    assert CliRunner().invoke(app, words).exception.code == "missing"
    both = [*words, "--llm", "opt-13b", "--bytes-per-token", "4KiB"]
    assert CliRunner().invoke(app, both).exception.code == "conflict"
    assert (
        CliRunner().invoke(app, [*words, "--llm", "opt-13b", "--element", "fp3"]).exception.place == "element"
    )
