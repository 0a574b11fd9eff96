"""A connection that speaks in lines: a command out, a line back, each within a few seconds."""

from __future__ import annotations

import socket
import time
from typing import Final

from iowatt.sources.meters.meter import MeterError

TIMEOUT_S: Final = 5.0
_LONGEST: Final = 1 << 16


class Lines:
    """A TCP connection. Raises ``MeterError`` whenever the other side does not do its part."""

    def __init__(self, host: str, port: int, *, timeout_s: float = TIMEOUT_S, end: bytes = b"\r\n") -> None:
        self._place = f"{host}:{port}"
        self._timeout_s, self._end = timeout_s, end
        self._rest = b""
        try:
            self._socket = socket.create_connection((host, port), timeout=timeout_s)
        except OSError as error:
            raise MeterError(
                "unreachable", self._place, f"does not answer: {error.strerror or error}"
            ) from None

    def ask(self, command: str) -> str:
        """Send a command and wait for its line."""
        self.send(command)
        return self.line()

    def send(self, command: str) -> None:
        """Send a command."""
        try:
            self._socket.settimeout(self._timeout_s)
            self._socket.sendall(command.encode("ascii", "replace") + self._end)
        except OSError as error:
            raise MeterError(
                "unreachable", self._place, f"the connection was lost: {error.strerror or error}"
            ) from None

    def line(self) -> str:
        """The next line, without its end."""
        until = time.monotonic() + self._timeout_s
        while b"\n" not in self._rest:
            left = until - time.monotonic()
            if left <= 0 or len(self._rest) > _LONGEST:
                raise MeterError("unreachable", self._place, f"sent no line within {self._timeout_s:g} s")
            try:
                self._socket.settimeout(left)
                more = self._socket.recv(4096)
            except TimeoutError:
                raise MeterError(
                    "unreachable", self._place, f"sent no line within {self._timeout_s:g} s"
                ) from None
            except OSError as error:
                raise MeterError(
                    "unreachable", self._place, f"the connection was lost: {error.strerror or error}"
                ) from None
            if not more:
                raise MeterError("unreachable", self._place, "closed the connection")
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode("utf-8", "replace").rstrip("\r")

    def close(self) -> None:
        """Let go of it; never raises."""
        try:
            self._socket.close()
        except OSError:
            return
