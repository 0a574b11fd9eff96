"""A server of somebody else's as a child process: started, waited for, stopped."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

_START_S = 30.0
_STOP_S = 5.0
# So that servers end with the tests where these are killed (Linux).
_END_WITH_PARENT = ["setpriv", "--pdeathsig", "TERM", "--"] if shutil.which("setpriv") else []


def free_port(kind: socket.SocketKind = socket.SOCK_STREAM) -> int:
    """A port of loopback that nobody has just now."""
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """A child process in a group of its own, with what it says in a file."""

    def __init__(
        self,
        command: list[str],
        log: Path,
        ready: Callable[[str], bool],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.command = command
        self.log = log
        #: Given what it has said so far: whether it serves.
        self.ready = ready
        self.environment = {**os.environ, **(environment or {})}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and come back when it serves; nothing where it runs."""
        if self._process is not None and self._process.poll() is None:
            return
        with self.log.open("wb") as said:
            self._process = subprocess.Popen(
                [*_END_WITH_PARENT, *self.command],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                env=self.environment,
                start_new_session=True,
            )
        end = time.monotonic() + _START_S
        while not self.ready(self.log.read_text(errors="replace")):
            if self._process.poll() is not None or time.monotonic() > end:
                self.stop()
                raise RuntimeError(f"{self.command[0]} does not serve: {self.log.read_text()[-2000:]}")
            time.sleep(0.02)

    def signal(self, number: int) -> None:
        """Send it a signal, where it runs."""
        if self._process is not None:
            self._process.send_signal(number)

    def stop(self) -> None:
        """End it; may be called twice."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def answers(port: int) -> Callable[[str], bool]:
    """A server that serves when its TCP port accepts."""

    def ready(_: str) -> bool:
        with socket.socket() as probe:
            probe.settimeout(1)
            return probe.connect_ex(("127.0.0.1", port)) == 0

    return ready
