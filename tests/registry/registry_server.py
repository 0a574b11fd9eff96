"""`iowatt registry serve` in a process of its own."""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
import sys
import threading

SERVE = [sys.executable, "-c", "from iowatt.cli.main import main; main()", "registry", "serve"]


class RegistryServer:
    """The server in a process of its own."""

    def __init__(self, folder):
        self.process = subprocess.Popen(
            [*SERVE, str(folder), "--port", "0"], stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        for line in self.process.stderr:
            if found := re.search(r"http://\S+", line):
                self.url = found[0].rstrip("/")
                break
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@contextlib.contextmanager
def running(folder):
    """The address of a server that ends with the block."""
    server = RegistryServer(folder)
    try:
        yield server.url
    finally:
        server.kill()
