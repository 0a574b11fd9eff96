"""`iowatt serve` as a process, and requests to it as a page makes them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from contextlib import contextmanager

import httpx

COMMAND = "from iowatt.cli.main import main; main()"


class Server:
    """A running server. ``http`` sends what its pages send; ``csrf`` is their token."""

    def __init__(self, process, address, workspace):
        self.process, self.address, self.workspace = process, address, workspace
        self.http = httpx.Client(base_url=address, timeout=60)
        self.csrf = None
        if process is not None:
            found = re.search(r'name="iowatt-csrf" content="([^"]+)"', self.http.get("/").text)
            if found:
                self.csrf = found[1]
                self.http.headers["x-iowatt-csrf"] = self.csrf

    def post(self, path, body=None):
        return self.http.post(path, json={} if body is None else body)

    def ended(self, job, seconds=120):
        """The job when it has ended."""
        for _ in range(seconds * 20):
            found = self.http.get(f"/api/jobs/{job['id']}").json()
            if found["state"] in ("done", "failed", "cancelled"):
                return found
            time.sleep(0.05)
        raise AssertionError(f"{job} does not end")

    def holds(self, count):
        """Wait until the catalogue has so many results; folders are looked at every few seconds."""
        for _ in range(400):
            if self.http.get("/api/workspace").json()["results"] == count:
                return
            time.sleep(0.05)
        raise AssertionError(f"the catalogue does not come to {count}")

    def settled(self):
        """The state of the catalogue once every Run is priced."""
        for _ in range(1200):
            found = self.http.get("/api/workspace").json()
            if found["results"] and not found["unpriced"]:
                return found
            time.sleep(0.05)
        raise AssertionError(found)


@contextmanager
def served(workspace, *options, environment=None):
    """A server of a workspace on a free port; what it wrote is in ``server.said`` afterwards."""
    arguments = [sys.executable, "-c", COMMAND, "serve", str(workspace), "--port", "0", *options]
    process = subprocess.Popen(
        arguments, stderr=subprocess.PIPE, text=True, env={**os.environ, **(environment or {})}
    )
    said = [process.stderr.readline()]
    address = re.search(r"http://\S+", said[0])
    assert address, said[0] + process.stderr.read()
    if "--bind" in options:
        said += [process.stderr.readline()]
        if not environment:
            said += [process.stderr.readline()]
    server = Server(process, address[0].rstrip("/"), workspace)
    server.said = said
    try:
        yield server
    finally:
        process.terminate()
        said += process.stderr.readlines()
        process.wait(20)
