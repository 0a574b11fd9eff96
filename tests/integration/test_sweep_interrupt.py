"""Ctrl-C in the middle of a sweep keeps what is finished; --resume makes the same table of it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest
import small_arrays

COMMAND = [sys.executable, "-c", "from iowatt.cli.main import main; main()"]
# Points of very unlike length, so that some are finished and others are in their middle.
OVER = ["--over", "workload.oltp.trace.path=short.csv,long.csv", "--over", "array.pool.disks.count=4..9"]


@pytest.fixture
def place(tmp_path):
    small_arrays.one_pool(tmp_path, None, trace="short.csv")
    for name, requests in (("short.csv", 300), ("long.csv", 60_000)):
        rows = (f"{i * 20_000},R,{i * 7919 % 100_000 * 4096},4096\n" for i in range(requests))
        (tmp_path / name).write_text(small_arrays.HEADER + "\n" + "".join(rows))
    return tmp_path


def sweep(place, *options):
    return [*COMMAND, "sweep", "scenario.toml", *OVER, "--jobs", "2", *options]


@pytest.mark.parametrize(
    ("number", "code", "said"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_an_interrupted_sweep_goes_on_where_it_was(place, number, code, said):
    journal = place / "out" / "points.jsonl"
    process = subprocess.Popen(sweep(place, "-o", "out"), cwd=place, stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 120
        while not (journal.exists() and journal.read_bytes().count(b"\n") >= 2):
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(number)
        assert process.wait(timeout=60) == code
    finally:
        process.kill()
        process.wait()
    talk = process.stderr.read()
    assert said in talk
    assert "--resume" in talk
    kept = journal.read_bytes()
    assert kept.endswith(b"\n")
    assert 2 <= kept.count(b"\n") < 12, "the sweep was over before it could be interrupted"
    assert sorted(path.name for path in journal.parent.iterdir()) == [
        "points.jsonl",
        "scenario.toml",
        "sweep.json",
    ]

    subprocess.run(sweep(place, "-o", "out", "--resume"), cwd=place, check=True, capture_output=True)
    subprocess.run(sweep(place, "-o", "whole"), cwd=place, check=True, capture_output=True)
    assert journal.read_bytes().startswith(kept)
    for name in ("table.parquet", "table.csv"):
        assert (place / "out" / name).read_bytes() == (place / "whole" / name).read_bytes()
