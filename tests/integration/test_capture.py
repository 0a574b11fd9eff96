"""What docs/howto/capture-trace.md records is read: recordings of a small fio job, where the tools are."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

import needs
from iowatt.trace.convert import convert
from iowatt.trace.measure import info

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "capture-trace.md").read_text("utf-8")
REQUESTS = 300
JOB = f"""[job]
filename=target.dat
direct=1
rw=randrw
bs=8k
size=16m
number_ios={REQUESTS}
randseed=1
thread=1
"""
needs_fio = needs.mark("fio")
needs_strace = needs.mark("strace")


def printed(start):
    """The command of the page that begins with these words."""
    found = re.search(rf"^    ({re.escape(start)}.*)$", PAGE, re.MULTILINE)
    assert found is not None, start
    return found[1].split()


def record(words, folder, engine):
    """Runs the job under a recorder."""
    (folder / "job.fio").write_text(f"{JOB}ioengine={engine}\n")
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if "Operation not permitted" in done.stderr or "direct" in done.stderr:
        pytest.skip(f"refused here: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr


def rows(path, target, **options):
    """Requests of a trace: op, offset, size, in the order of the trace, and the response times."""
    convert({"path": str(path), **options}, target)
    table = pl.read_parquet(target)
    table = table.filter(pl.col("op").cast(pl.String).is_in(["read", "write"]))
    return table.select(pl.col("op").cast(pl.String), "offset", "size").rows(), table["response_ns"]


@pytest.fixture
def logged(disk_folder):
    """The requests of the job as fio itself logs them."""
    record(printed("fio --write_iolog"), disk_folder, "psync")
    assert info({"path": str(disk_folder / "job.fiolog")}).format == "fio-iolog"
    requests, _ = rows(disk_folder / "job.fiolog", disk_folder / "logged.parquet")
    assert len(requests) == REQUESTS
    return requests


@needs_fio
@needs_strace
@pytest.mark.parametrize("engine", ["psync", "pvsync", "libaio"])
def test_strace_sees_the_requests_that_fio_logs(disk_folder, logged, engine):
    words = printed("strace ")
    assert words[-2:] == ["-p", "PID"]
    record([*words[:-2], "fio", "job.fio"], disk_folder, engine)
    target = str(disk_folder / "target.dat")
    requests, response = rows(disk_folder / "db.strace", disk_folder / "seen.parquet", device=target)
    assert requests == logged
    # io_submit only hands in: when a request is done it does not say.
    answered = response.is_not_null().sum()
    assert answered == (0 if engine == "libaio" else REQUESTS)


@needs_fio
def test_perf_sees_the_requests_that_fio_logs(disk_folder, logged):
    needs.program("perf", "linux-perf")
    words = [word if word != "600" else "1" for word in printed("perf record")]
    at = words.index("--")
    try:
        record([*words[: at + 1], "fio", "job.fio"], disk_folder, "psync")
    except AssertionError as refused:
        pytest.skip(f"perf may not record block tracepoints here: {str(refused).splitlines()[0][:100]}")
    text = subprocess.run(
        ["perf", "script", "-i", "oltp.perf", "--ns"],
        cwd=disk_folder,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    (disk_folder / "oltp.perf.txt").write_text(text)
    counted = info({"path": str(disk_folder / "oltp.perf.txt"), "device": "*"})
    assert counted.format == "perf"
    requests, response = rows(disk_folder / "oltp.perf.txt", disk_folder / "seen.parquet", device="*")
    # Others use the machine too, and the file system places the file: its requests are among all.
    for op in ("read", "write"):
        asked = sum(one[0] == op for one in logged)
        assert sum(one[0] == op and one[2] == 8192 for one in requests) >= asked
    # A kernel may record few completions, as they come in interrupts; flushes have no sectors, and some
    # completions are of what was issued before the recording.
    issued, completed = (
        re.findall(rf"block:block_rq_{event}: +(\d+,\d+) .*?(\d+) \+ [1-9]", text)
        for event in ("issue", "complete")
    )
    known = sum(min(count, issued.count(place)) for place, count in Counter(completed).items())
    assert response.is_not_null().sum() >= 0.9 * (known - 5)
