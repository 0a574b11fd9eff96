"""Ctrl-C or SIGTERM in the middle of a run leaves neither a bundle nor a part of one."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import threading
import time

import pytest
import small_arrays


def feed_for_ever(pipe) -> None:
    """A trace without an end, so that the run is always in its middle."""
    with contextlib.suppress(BrokenPipeError, ValueError):
        pipe.write(small_arrays.HEADER.encode() + b"\n")
        at = 0
        while True:
            lines = (f"{at + i * 20_000},R,{(at + i * 7919) % 100_000 * 4096},4096\n" for i in range(1000))
            pipe.write("".join(lines).encode())
            at += 1000 * 20_000


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [
        (signal.SIGINT, 130, b"interrupted"),
        (signal.SIGTERM, 143, b"terminated"),
        (signal.SIGHUP, 129, b"the terminal was lost"),
    ],
)
def test_an_interrupted_run_leaves_nothing(tmp_path, number, code, said):
    small_arrays.one_pool(tmp_path, None, trace="-")
    before = sorted(tmp_path.iterdir())
    command = [
        sys.executable,
        "-c",
        "from iowatt.cli.main import main; main()",
        "run",
        "scenario.toml",
        "-o",
        "out",
    ]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    feeder = threading.Thread(target=feed_for_ever, args=(process.stdin,), daemon=True)
    feeder.start()
    try:
        # The folder aside exists from before the first request is read.
        deadline = time.monotonic() + 60
        while not list(tmp_path.glob(".iowatt-partial-*")):
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        time.sleep(0.5)
        assert process.poll() is None, process.stderr.read()
        process.send_signal(number)
        assert process.wait(timeout=60) == code
    finally:
        process.kill()
        process.wait()
    assert sorted(tmp_path.iterdir()) == before
    assert process.stderr.read().strip() == b"iowatt: " + said + b"; nothing half-written was left"
