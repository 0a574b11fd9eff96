"""The server under load: 20 browsers with 4 jobs under way; a workspace of 10,000 Runs.

    python benches/serve.py

Prints the 95th percentile of the time to page data (bar: 300 ms), the first page of 10,000 Runs (bar: 1 s)
and the server's memory with them (bar: 500 MB), the time of an estimate (150 ms) and of the simulated answer
of the TPC-C array (3 s).
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx

import iowatt
from iowatt.model.scenario import EXAMPLES

BROWSERS, JOBS, SECONDS, RUNS = 20, 4, 20.0, 10_000
COMMAND = "from iowatt.cli.main import main; main()"
DATA = (
    "/api/workspace", "/api/points", "/api/results?limit=100", "/api/results?text=raid&sort=p95_ms",
    "/api/jobs?limit=100", "/api/whatif/design?of=example:oltp-raid5.toml",
)  # fmt: skip


@contextmanager
def server(workspace: Path) -> Iterator[tuple[httpx.Client, subprocess.Popen[str]]]:
    """A server and a client with the token of its pages."""
    command = [sys.executable, "-c", COMMAND, "serve", str(workspace), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = re.search(r"http://[^/]+", process.stderr.readline())
        assert address
        client = httpx.Client(base_url=address[0], timeout=60)
        token = re.search(r'iowatt-csrf" content="([^"]+)"', client.get("/").text)
        assert token
        client.headers["x-iowatt-csrf"] = token[1]
        try:
            yield client, process
        finally:
            process.terminate()


def timed(ask: Callable[[], httpx.Response]) -> float:
    """Milliseconds of an answer."""
    begun = time.perf_counter()
    answer = ask()
    assert answer.status_code < 300, answer.text
    return 1e3 * (time.perf_counter() - begun)


def settled(client: httpx.Client) -> None:
    """Wait until every Run is priced."""
    while True:
        state = client.get("/api/workspace").json()
        if state["results"] and not state["unpriced"]:
            return
        time.sleep(0.2)


def what_if(client: httpx.Client) -> None:
    """An estimate, and the simulated answer of the TPC-C array."""
    asked: dict[str, Any] = {"of": "example:tpcc-raid5.toml", "set": ["array.pool.disks.count=30"]}
    times = []
    for count in (31, 30, 29, 28, 27):
        change = {**asked, "set": [f"array.pool.disks.count={count}"]}
        times.append(timed(partial(client.post, "/api/whatif/estimate", json=change)))
    print(f"estimate: first {times[0]:.0f} ms, then {statistics.median(times[1:]):.0f} ms (bar 150)")
    begun = time.perf_counter()
    job = client.post("/api/whatif/simulate", json=asked).json()
    while client.get(f"/api/jobs/{job['id']}").json()["state"] != "done":
        time.sleep(0.02)
    print(f"simulated answer of tpcc-raid5: {time.perf_counter() - begun:.2f} s (bar 3)")


def browsers(client: httpx.Client) -> None:
    """Page data for many browsers while jobs run."""
    question = (EXAMPLES / "questions" / "architect.toml").read_text("utf-8")
    for number in range(JOBS):
        body = {"kind": "choose", "title": f"question {number}"}
        body["request"] = {"question": question, "base": "example:questions"}  # type: ignore[assignment]
        assert client.post("/api/jobs", json=body).status_code == 202
    times: list[float] = []
    until = time.perf_counter() + SECONDS

    def browse(number: int) -> None:
        with httpx.Client(base_url=client.base_url, timeout=60) as own:
            turn = number
            while time.perf_counter() < until:
                times.append(timed(partial(own.get, DATA[turn % len(DATA)])))
                turn += 1
                time.sleep(0.5)  # a person looks at what came

    threads = [threading.Thread(target=browse, args=(number,)) for number in range(BROWSERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times.sort()
    running = [job for job in client.get("/api/jobs").json()["jobs"] if job["state"] in ("running", "queued")]
    print(
        f"{BROWSERS} browsers, {len(running)} jobs under way: {len(times)} answers, median "
        f"{times[len(times) // 2]:.0f} ms, p95 {times[int(0.95 * len(times))]:.0f} ms (bar 300)"
    )
    for job in running:
        client.post(f"/api/jobs/{job['id']}/cancel")


def many(folder: Path, run: Path) -> None:
    """A workspace of many Runs, which share their files."""
    for number in range(RUNS):
        target = folder / f"{number // 100:03}" / f"{number:05}"
        target.mkdir(parents=True)
        for file in run.iterdir():
            os.link(file, target / file.name)
    with server(folder) as (client, process):
        while client.get("/api/workspace").json()["results"] < RUNS:
            time.sleep(0.2)
        page = [timed(partial(client.get, "/")), *(timed(partial(client.get, one)) for one in DATA[:3])]
        status = Path(f"/proc/{process.pid}/status").read_text("utf-8")
        memory = re.search(r"VmRSS:\s+(\d+)", status)
        assert memory
        print(
            f"{RUNS:,} Runs: first page {sum(page):.0f} ms while they are priced (bar 1,000), server "
            f"{int(memory[1]) / 1e3:.0f} MB (bar 500)"
        )


def main() -> None:
    """Measure all of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run = folder / "work" / "runs" / "raid5"
        iowatt.run(EXAMPLES / "oltp-raid5.toml", set={"workload.oltp.trace.end": "20s"}, output=run)
        begun = time.perf_counter()
        with server(folder / "work") as (client, _):
            print(f"first page after {time.perf_counter() - begun:.1f} s")
            settled(client)
            what_if(client)
            browsers(client)
        many(folder / "many", run)


if __name__ == "__main__":
    main()
