"""Instruments on a network: options of their addresses, secrets, time-outs, and connections by lines."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Final

from iowatt.base.errors import InputError
from iowatt.sources.meters.address import Address
from iowatt.sources.meters.log.instrument import Grade, Instrument, MeterError

#: How long to wait for an answer: an instrument is read every few seconds.
TIMEOUT_S: Final = 3.0
#: The key of an instrument's details for the length of its averages.
AVERAGED: Final = "averaged over"
#: The options of every module here.
COMMON: Final = {"timeout": f"seconds to wait for an answer, 0.1 to 60 (default {TIMEOUT_S:g})"}


def host(address: Address) -> str:
    """The host of an address; refuses one without."""
    if not address.host:
        raise address.error("missing", "the address has no host", f"write {address.scheme}://HOST/...")
    return address.host


def endpoint(address: Address, port: int) -> str:
    """Host and port as URLs have them."""
    name = host(address)
    return f"{f'[{name}]' if ':' in name else name}:{address.port or port}"


def timeout_s(address: Address, default: float = TIMEOUT_S) -> float:
    """The option ``timeout``."""
    return number_option(address, "timeout", default, 0.1, 60.0)


def number_option(address: Address, name: str, default: float, low: float, high: float) -> float:
    """An option that is a number in ``[low, high]``."""
    text = address.options.get(name)
    if text is None:
        return default
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not low <= value <= high:
        raise address.error("out-of-range", f"{name}={text!r} is not a number from {low:g} to {high:g}")
    return value


def word_option(address: Address, name: str, choices: Collection[str], default: str) -> str:
    """An option that is one of a few words."""
    value = address.options.get(name, default)
    if value not in choices:
        raise address.error("not-accepted", f"{name}={value!r} is not one of {', '.join(choices)}")
    return value


def secret(address: Address, text: str | None) -> str | None:
    """The text, or what the environment holds where it says ``env:NAME``.

    So neither a shell's history nor the record of a measurement keeps it.
    """
    if text is None or not text.startswith("env:"):
        return text
    try:
        return os.environ[text.removeprefix("env:")]
    except KeyError:
        name = text.removeprefix("env:")
        raise address.error("unknown-name", f"the environment variable {name} is not set") from None


def instrument(
    address: Address,
    *,
    why: str,
    details: Mapping[str, str],
    grade: Grade = "indicative",
    model: str | None = None,
    serial: str | None = None,
    sample_interval_s: float | None = None,
) -> Instrument:
    """The instrument at an address; details without a text are left out."""
    return Instrument(
        name=address.name,
        kind=address.scheme,
        grade=grade,
        why=why,
        model=model,
        serial=serial,
        sample_interval_s=sample_interval_s,
        details={name: text for name, text in details.items() if text},
    )


def missing_package(address: Address, package: str) -> InputError:
    """A package of the extra ``meters`` is not installed."""
    hint = "pip install 'iowatt[meters]'"
    return address.error("tool-missing", f"{address.scheme} needs the Python package {package}", hint)


LINE_TIMEOUT_S: Final = 5.0
_LONGEST: Final = 1 << 16


class LineConnection:
    """A TCP connection that speaks in lines. Raises ``MeterError`` where the other side fails."""

    def __init__(
        self,
        host: str,
        port: int,
        *,
        timeout_s: float = LINE_TIMEOUT_S,
        end: bytes = b"\r\n",
        place: str | None = None,
    ) -> None:
        self._place = place or f"{host}:{port}"
        self._timeout_s, self._end = timeout_s, end
        self._rest = b""
        try:
            self._socket = socket.create_connection((host, port), timeout=timeout_s)
        except OSError as error:
            raise self._unreachable(f"does not answer: {error.strerror or error}") from None

    def ask(self, command: str) -> str:
        """Send a command and wait for its line."""
        self.send(command)
        return self.line()

    def send(self, command: str) -> None:
        """Send a command."""
        try:
            self._socket.settimeout(self._timeout_s)
            self._socket.sendall(command.encode("utf-8", "replace") + self._end)
        except OSError as error:
            raise self._unreachable(f"the connection was lost: {error.strerror or error}") from None

    def line(self) -> str:
        """The next line, without its end."""
        until = time.monotonic() + self._timeout_s
        while b"\n" not in self._rest:
            left = until - time.monotonic()
            if len(self._rest) > _LONGEST:
                raise MeterError("tool-output", self._place, "the answer is not lines of text")
            try:
                self._socket.settimeout(max(left, 1e-3))
                more = self._socket.recv(4096)
            except TimeoutError:
                raise self._unreachable(f"sent no line within {self._timeout_s:g} s") from None
            except OSError as error:
                raise self._unreachable(f"the connection was lost: {error.strerror or error}") from None
            if not more:
                raise self._unreachable("closed the connection")
            if left <= 0:
                raise self._unreachable(f"sent no line within {self._timeout_s:g} s")
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode("utf-8", "replace").rstrip("\r")

    def close(self) -> None:
        """Close it; never raises."""
        with suppress(OSError):
            self._socket.close()

    def _unreachable(self, problem: str) -> MeterError:
        return MeterError("unreachable", self._place, problem)
