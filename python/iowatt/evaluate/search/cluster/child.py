"""The process between the executor and a cluster: which cluster, and how the process starts, joins and
ends."""

from __future__ import annotations

import importlib.util
import ipaddress
import os
import re
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any, Final

from iowatt.base.errors import Argument, InputError
from iowatt.evaluate.search.cluster import driver

AUTO: Final = "auto"
WHERE: Final = Argument("cluster")
ANSWER_S: Final = 5.0
"""Seconds within which an address must take a connection."""

_ACCEPTED: Final = "HOST:PORT as `ray start --head` printed it, or auto"
_HOST_PORT: Final = re.compile(r"(\[[0-9A-Fa-f:.%]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})")


@dataclass(frozen=True)
class ClusterAddress:
    """Where the cluster's head listens; no host for the cluster that runs on this machine."""

    text: str
    host: str | None = None
    port: int = 0

    @property
    def loopback(self) -> bool:
        """Whether it is this machine's own address that no other machine has."""
        if self.host is None:
            return False
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def parse(text: str) -> ClusterAddress:
    """An address of a cluster. Raises ``InputError``; a local cluster is never what is meant."""
    given = text.strip()
    if given == AUTO:
        # As Ray does; RAY_ADDRESS may be anything that an address may be here.
        named = os.environ.get("RAY_ADDRESS", "").strip()
        return parse(named) if named and named != AUTO else ClusterAddress(AUTO)
    if given.startswith("ray://"):
        message = (
            "Ray Client addresses (ray://) are not supported: this machine has to be a node of the cluster"
        )
        hint = "join it with `ray start --address=HOST:PORT --num-cpus=0`, and give that HOST:PORT"
        raise InputError("unsupported", WHERE, message, hint=hint)
    found = _HOST_PORT.fullmatch(given)
    if found is None or not 0 < int(found[2]) < 1 << 16:
        raise InputError(
            "bad-syntax", WHERE, f"{given[:80]!r} is not the address of a Ray cluster; expected {_ACCEPTED}"
        )
    return ClusterAddress(given, found[1].strip("[]"), int(found[2]))


def probe(address: ClusterAddress) -> None:
    """Raise ``InputError`` where nothing takes a connection at the address."""
    if address.host is None:
        return
    try:
        socket.create_connection((address.host, address.port), timeout=ANSWER_S).close()
    except OSError as error:
        reason = "no answer" if isinstance(error, TimeoutError) else (error.strerror or str(error))
        raise _no_answer(address, reason) from None


def not_joined(address: ClusterAddress, reason: str) -> InputError:
    """The error where something answers, but does not let this machine in."""
    message = f"this machine could not join the cluster at {address.text}: {reason}"
    hint = (
        "see that Ray's head listens there, that this machine is a node of its cluster (`ray start "
        "--address=...`, with --num-cpus=0 if it shall not compute), and that RAY_AUTH_MODE is set as there"
    )
    return InputError("unreachable", WHERE, message, hint=hint)


def _no_answer(address: ClusterAddress, reason: str) -> InputError:
    listens = (
        "; a head that was started without --node-ip-address listens on the machine's own address"
        if address.loopback
        else ""
    )
    message = f"no Ray cluster answers at {address.text} ({reason})"
    hint = (
        f"start one with `ray start --head`, and give the address that it prints{listens}. "
        "Nothing was written; without a cluster the points run on this machine"
    )
    return InputError("unreachable", WHERE, message, hint=hint)


IMPORT_S: Final = 60.0
"""Most time that a process takes to load Ray, on a machine that is busy."""
JOIN_S: Final = 15.0
"""Within which the cluster must have let us in."""
READY_S: Final = driver.INTRODUCTION_S + 15.0
"""Within which the machines report their versions."""
END_S: Final = 2 * driver.CANCEL_S + 10.0
"""Within which it ends after CLOSE."""
MOST_LOG: Final = 1 << 20
"""Bytes of its output that are read."""

_OUT_OF_MEMORY: Final = "RAY_task_oom_retries"  # Ray's own spelling


class Child:
    """Ray's driver as a process: ``connection`` speaks to it (``search.cluster.driver``)."""

    def __init__(self, address: ClusterAddress) -> None:
        if importlib.util.find_spec("ray") is None:
            message = "Ray is not installed, and a cluster needs it"
            hint = "pip install 'iowatt[cluster]', on every machine of the cluster"
            raise InputError("tool-missing", WHERE, message, hint=hint)
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
        """How the process ended, in a line."""
        try:
            code: int | None = self._process.wait(5)
        except subprocess.TimeoutExpired:
            code = None
        lines = self._said().strip().splitlines()
        return f"its driver ended with code {code}" + (f": {lines[-1][-300:]}" if lines else "")

    def _said(self) -> str:
        """Its output so far; it may still write."""
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


def _start(address: ClusterAddress, theirs: Connection, log: IO[bytes]) -> subprocess.Popen[bytes]:
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


def _environment(address: ClusterAddress) -> dict[str, str]:
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
