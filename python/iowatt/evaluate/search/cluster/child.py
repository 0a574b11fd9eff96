"""The process between the executor and the cluster: how it is started, joins, and ends."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any, Final

from iowatt.base.errors import InputError
from iowatt.evaluate.search.cluster import driver
from iowatt.evaluate.search.cluster.address import WHERE, Address, not_joined, probe

IMPORT_S: Final = 60.0
"""Most time that a process takes to load Ray, on a machine that is busy."""
JOIN_S: Final = 15.0
"""Within which the cluster must have let us in."""
READY_S: Final = driver.INTRODUCTION_S + 15.0
"""Within which its machines have said which versions they have."""
END_S: Final = 2 * driver.CANCEL_S + 10.0
"""Within which it ends once it was told to."""
MOST_LOG: Final = 1 << 20
"""Bytes of what it wrote that are looked at."""

_OUT_OF_MEMORY: Final = "RAY_task_oom_retries"  # Ray's own spelling


class Child:
    """Ray's driver as a process: ``connection`` speaks to it (``search.cluster.driver``)."""

    def __init__(self, address: Address) -> None:
        if importlib.util.find_spec("ray") is None:
            raise InputError(
                "tool-missing",
                WHERE,
                "Ray is not installed, and a cluster needs it",
                hint="pip install 'iowatt[cluster]', on every machine of the cluster",
            )
        probe(address)
        self._address = address
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by end()
        self.connection, theirs = Pipe()
        try:
            self._process = _start(address, theirs, self._log)
        finally:
            theirs.close()
        try:
            self.nodes, self.processors = self._join()
        except BaseException:
            self.end(0)
            raise

    def _join(self) -> tuple[int, float]:
        """Machines and processors of the cluster."""
        self._expect(driver.IMPORTED, IMPORT_S)
        self._expect(driver.JOINED, JOIN_S)
        _, nodes, processors = self._expect(driver.READY, READY_S)
        return nodes, processors

    def _expect(self, kind: str, within_s: float) -> Any:
        try:
            if not self.connection.poll(within_s):
                if driver.UNAUTHENTICATED in self._said():  # Ray goes on trying
                    raise InputError(
                        "access-denied", WHERE, f"{self._address.text}: {driver.NO_TOKEN}", hint=driver.TOKEN
                    )
                raise not_joined(self._address, f"not within {within_s:.0f} s")
            message = self.connection.recv()
        except (EOFError, OSError):
            raise not_joined(self._address, self.last_words()) from None
        if message[0] == driver.REFUSED:
            _, code, said, hint = message
            raise InputError(code, WHERE, f"{self._address.text}: {said}", hint=hint)
        assert message[0] == kind, message
        return message

    def last_words(self) -> str:
        """What the process ended with, in a line."""
        try:
            code: int | None = self._process.wait(5)
        except subprocess.TimeoutExpired:
            code = None
        lines = self._said().strip().splitlines()
        return f"its driver ended with code {code}" + (f": {lines[-1][-300:]}" if lines else "")

    def _said(self) -> str:
        """What it wrote; it may still write, at the place that both of us share."""
        return os.pread(self._log.fileno(), MOST_LOG, 0).decode(errors="replace")

    def end(self, within_s: float = END_S) -> None:
        """Wait for its end, and make it one where it does not come."""
        try:
            self._process.wait(within_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        finally:
            self.connection.close()
            self._log.close()


def _start(address: Address, theirs: Connection, log: IO[bytes]) -> subprocess.Popen[bytes]:
    program = f"import sys; from {driver.__name__} import main; main(*sys.argv[1:])"
    words = [sys.executable, "-c", program, str(theirs.fileno()), address.text]
    return subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        pass_fds=[theirs.fileno()],
        env=_environment(address),
        cwd="/",  # Ray has workers look for modules where its driver stands
        start_new_session=True,  # Ctrl-C is for us: we tell it to end
    )


def _environment(address: Address) -> dict[str, str]:
    package = str(Path(__file__).resolve().parents[4])
    paths = [package, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    found = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(str(Path(path).absolute()) for path in paths)),
        "RAY_USAGE_STATS_ENABLED": "0",
        # Without it a point that needs more memory than there is would be run again for ever.
        _OUT_OF_MEMORY: os.environ.get(_OUT_OF_MEMORY, str(driver.RETRIES)),
    }
    found.pop("RAY_ADDRESS", None)
    if address.loopback:
        # Ray replaces loopback addresses by the machine's own, unless it is told that there is no network.
        found["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    return found
