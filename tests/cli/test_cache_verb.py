"""`iowatt cache`: text, JSON, the page; what it refuses, and with which exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import iowatt
from iowatt.base.errors import Argument
from iowatt.cli.main import app
from iowatt.pages.caches import document
from refused import check, faults, printed_code, refused

# Blocks of 4 KiB: 0, 1, 0, 0 and 1, 2, 0; two blocks hold 3 of 7 references and 3 of 6 requests.
CSV = """time_ms,op,offset,size
0,R,0,4096
1,R,4096,4096
2,R,0,512
3,W,0,8192
4,R,8192,4096
5,W,512,512
"""
runner = CliRunner()


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "trace.csv"
    path.write_text(CSV)
    return path


def invoke(*arguments: object, **options: Any) -> Result:
    return runner.invoke(app, ["cache", *map(str, arguments)], **options)


def test_json_has_requests_and_bytes_reads_and_writes(trace: Path) -> None:
    result = invoke(trace, "--sizes", "8KiB", "--policy", "lru", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["schema"] == "iowatt.cache/1"
    assert (found["footprint"], found["footprint_bytes"], found["span_bytes"]) == (3, 12288, 12288)
    [cache] = found["caches"]
    # The third request hits, and the fourth; block 2 pushes out block 0, so the last misses.
    assert (cache["hit_ratio"], cache["read_hit_ratio"], cache["write_hit_ratio"]) == (2 / 6, 1 / 4, 1 / 2)
    assert cache["hit_bytes_ratio"] == (512 + 8192) / (3 * 4096 + 512 + 8192 + 512)
    assert (cache["read_hit_bytes_ratio"], cache["evictions"]) == (512 / (3 * 4096 + 512), 2)


def test_text_has_a_line_for_each_cache(trace: Path) -> None:
    result = invoke(trace, "--sizes", "8KiB,100%", "--policy", "lru,clock:bits=2")
    assert result.exit_code == 0, result.output
    lines = [line.split() for line in result.stdout.splitlines() if line.strip()]
    (row,) = (line for line in lines if line[0] == "LRU" and line[2] == "8KiB")
    assert row == ["LRU", "0.007812", "8KiB", "33.3", "40.5", "25.0"]
    (figure,) = (one for one in document(iowatt.cache(trace, sizes="8KiB")).figures() if one.brief)
    ratios = [figure.table.rows[0][at] for at in range(2, 8)]
    assert ratios == pytest.approx([33.33, 40.48, 25.0, 4.0, 50.0, 94.12], abs=0.005)
    assert sum("100%" in line for line in lines) == 2
    clock = [line[3:] for line in lines if line[:3] == ["CLOCK", "(bits", "2)"] and len(line) == 8]
    assert [line[:2] for line in clock] == [["0.007812", "8KiB"], ["0.01172", "100%"]]
    assert all(len(line) <= 80 for line in result.stdout.splitlines() if "  " in line)


def test_the_frame_has_what_json_has(trace: Path) -> None:
    found = iowatt.cache(trace, policy=["lru", "s3-fifo:threshold=1"], sizes="100%", set=[])
    assert [cache.parameters for cache in found.caches] == [{}, {"threshold": 1}]
    frame = found.frame()
    assert frame["policy"].to_list() == ["lru", "s3-fifo"]
    assert frame["parameters"].to_list() == ["", "threshold=1"]
    assert frame["slots"].to_list() == [3, 3]
    assert frame.filter(policy="lru")["hit_ratio"].to_list() == [3 / 6]
    with refused("empty", Argument("warm_up")):
        iowatt.cache(trace, sizes="100%", warm_up="1h")


def test_standard_input_is_read_once(trace: Path) -> None:
    command = [sys.executable, "-c", "from iowatt.cli.main import main; main()", "cache", "-"]
    asked = [[*command, "--sizes", size, "--json"] for size in ("8KiB", "10%")]
    done = [subprocess.run(words, input=CSV, text=True, capture_output=True, check=False) for words in asked]
    assert json.loads(done[0].stdout)["caches"][0]["slots"] == 2
    assert done[1].returncode == 2
    assert printed_code(done[1].stderr) == "read-once"
    assert "--sizes 10%: " in done[1].stderr
    assert done[1].stdout == ""


def test_the_page_is_written_once(trace: Path, tmp_path: Path) -> None:
    page = tmp_path / "caches.html"
    assert invoke(trace, "--sizes", "50%,100%", "--policy", "all", "-o", page).exit_code == 0
    assert "W-TinyLFU" in page.read_text("utf-8")
    again = invoke(trace, "-o", page)
    check(again.exception, "exists", str(page))


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["--policy", "mru"], "unknown-name @ policy"),
        (["--sizes", "0%"], "out-of-range @ sizes"),
        (["--sizes", "1KiB"], "out-of-range @ sizes"),
        (["--block", "0"], "out-of-range @ block"),
        (["--writes", "back"], "not-accepted @ writes"),
        (["--warm-up", "soon"], "bad-syntax @ warm_up"),
        (["--span", "1GiB"], "not-applicable @ span"),
        (["--block", "none", "--percent-of", "span"], "conflict @ sizes"),
    ],
)
def test_what_is_wrong_is_said_with_what_is_accepted(trace: Path, arguments: list[str], fault: str) -> None:
    result = invoke(trace, *arguments)
    assert result.exception is not None
    assert faults(result.exception) == fault


def test_a_profile_needs_an_end_and_takes_no_columns() -> None:
    check(invoke("hot-band", "--span", "1GiB").exception, "missing", None)
    columns = invoke("hot-band", "--span", "1GiB", "-n", "10", "--columns", "time=t")
    check(columns.exception, "not-applicable", "hot-band")


def test_default_sizes_that_hold_no_block_are_left_out(trace: Path) -> None:
    result = invoke(trace, "--json")
    assert result.exit_code == 0, result.output
    # Of three blocks, half is one; the smaller shares hold none.
    assert [cache["slots"] for cache in json.loads(result.stdout)["caches"]] == [1]
