"""Network client of SPEC PTDaemon: a line protocol on TCP port 8888.

Commands and replies are those that MLCommons' power-dev documents and checks: `Hello`, `Identify`, `RR`,
`SR,V,..`, `SR,A,..`, `Go,<ms>,0,<mark>`, `Watts` (`Temperature` of a sensor), `Uncertainty`, `Stop`. PTDaemon
itself is licensed with SPEC's benchmarks only and was not available here: this client was tried against a
server that speaks the protocol as described, never against the real one.
"""

from __future__ import annotations

import math
import re
import time
from typing import Final

from iowatt.sources.meters.address import SCHEMES, Address
from iowatt.sources.meters.log.instrument import Grade, Instrument, MeterError, Reading
from iowatt.sources.meters.network import LineConnection

OPTIONS: Final = {
    "interval": "milliseconds between PTDaemon's own samples; 1000",
    "volts-range": "voltage range that is set, in V, or Auto; left as it is without",
    "amperes-range": "current range that is set, in A, or Auto; left as it is without",
    "mark": "what its own log calls the measurement; iowatt",
    "measuring": "started: a measurement runs already and is neither started nor stopped",
}
PORT: Final = 8888
HELLO: Final = "Hello, PTDaemon here!"
_FIRST_SAMPLE_S: Final = 8.0
_NAMES: Final = {
    "Watts": "watts",
    "Volts": "volts",
    "Amps": "amperes",
    "PF": "power_factor",
    "Temperature": "celsius",
}
_NOT_AVAILABLE: Final = -1.0
_MISSED_CELSIUS: Final = -2.0


def create(address: Address) -> PtdaemonMeter:
    """A client for `ptdaemon://host:port`. Raises ``InputError`` where an option is wrong."""
    options = address.options
    if not address.host:
        raise address.error("missing", "the address has no host", "write ptdaemon://localhost:8888")
    for name in ("volts-range", "amperes-range"):
        value = options.get(name, "Auto")
        if value != "Auto" and not re.fullmatch(r"[0-9]{1,5}(\.[0-9]{1,3})?", value):
            raise address.error("bad-syntax", f"{name}={value!r} is neither Auto nor a number")
    interval = options.get("interval", "1000")
    if not re.fullmatch(r"[0-9]{1,6}", interval) or int(interval) < 1:
        raise address.error("bad-syntax", f"interval={interval!r} is not a number of milliseconds from 1")
    if not re.fullmatch(r"[\w.-]{1,64}", options.get("mark", "iowatt"), re.ASCII):
        raise address.error("bad-syntax", "mark takes up to 64 letters, digits, points and dashes")
    if options.get("measuring", "started") != "started":
        raise address.error("not-accepted", "measuring takes one value: started")
    return PtdaemonMeter(address, int(interval))


class PtdaemonMeter:
    """A measurement on a PTDaemon."""

    def __init__(self, address: Address, interval_ms: int) -> None:
        self._address, self._interval_ms = address, interval_ms
        self._lines: LineConnection | None = None
        self._identity = ""
        self._ranges: tuple[str, str] | None = None
        self._uncertainty: str | None = None

    def open(self) -> Instrument:
        """Connect, set ranges, start the measurement and wait for its first sample."""
        self._connect()
        scheme = SCHEMES["ptdaemon"]
        grade: Grade = scheme.grade
        why = scheme.why
        words = self._identity.split(",")
        if "dummy" in words[0].lower():
            grade, why = "indicative", "PTDaemon's dummy device: its figures are made up"
        details = {"identify": self._identity[:400]}
        for word in words[1:]:
            key, equals, value = word.partition("=")
            if equals and key in ("version", "OS", "mode"):
                details[key] = value
        percent = None
        if self._uncertainty is not None:
            details["uncertainty"] = self._uncertainty[:200]
            percent = _percent(self._uncertainty)
        return Instrument(
            name=self._address.name,
            kind="ptdaemon",
            grade=grade,
            why=why,
            model=words[0].strip() or None,
            sample_interval_s=self._interval_ms * 1e-3,
            uncertainty_percent=percent,
            details=details,
        )

    def read(self) -> Reading:
        """The newest sample; after a broken connection with a new one and a new measurement."""
        if self._lines is None:
            self._connect()
        return self._sampled()

    def close(self) -> None:
        """Stop the measurement, give back the ranges, let go."""
        lines, self._lines = self._lines, None
        if lines is None:
            return
        try:
            if not self._started_elsewhere:
                lines.ask("Stop")
            if self._ranges is not None:
                lines.ask(f"SR,A,{self._ranges[0]}")
                lines.ask(f"SR,V,{self._ranges[1]}")
        except MeterError:
            pass  # it is gone: nothing is left to give back
        finally:
            lines.close()

    @property
    def _started_elsewhere(self) -> bool:
        return "measuring" in self._address.options

    def _connect(self) -> None:
        self._drop()
        address = self._address
        lines = LineConnection(address.host, address.port or PORT)
        self._lines = lines
        try:
            hello = lines.ask("Hello")
            if hello != HELLO:
                raise MeterError(
                    "tool-output", address.public, f"not a PTDaemon: it answered {hello[:60]!r} to Hello"
                )
            self._identity = lines.ask("Identify")
            self._set_ranges(lines)
            if not self._started_elsewhere:
                mark = address.options.get("mark", "iowatt")
                reply = lines.ask(f"Go,{self._interval_ms},0,{mark}")
                if not reply.startswith("Starting"):
                    raise MeterError(
                        "tool-failed", address.public, f"it started no measurement: {reply[:120]!r}"
                    )
            self._first()
            if self._uncertainty is None:
                self._uncertainty = lines.ask("Uncertainty")
        except MeterError:
            self._drop()
            raise

    def _set_ranges(self, lines: LineConnection) -> None:
        options = self._address.options
        if "volts-range" not in options and "amperes-range" not in options:
            return
        if self._ranges is None:
            self._ranges = _ranges(lines.ask("RR"))
        for letter, name in (("V", "volts-range"), ("A", "amperes-range")):
            if name in options:
                reply = lines.ask(f"SR,{letter},{options[name]}")
                if reply != f"Range {letter} changed":
                    raise MeterError(
                        "tool-failed", self._address.public, f"it did not set {name}: {reply[:120]!r}"
                    )

    def _first(self) -> None:
        """Wait for the first sample: PTDaemon says "No data" until there is one."""
        until = time.monotonic() + _FIRST_SAMPLE_S + self._interval_ms * 1e-3
        while True:
            try:
                self._sampled()
                return
            except _NothingYetError:
                if time.monotonic() > until:
                    raise
                time.sleep(min(0.2, self._interval_ms * 1e-3))

    def _sampled(self) -> Reading:
        if self._lines is None:
            raise MeterError("unreachable", self._address.public, "not connected")
        try:
            reply = self._lines.ask("Temperature" if "mode=temperature" in self._identity else "Watts")
        except MeterError:
            self._drop()
            raise
        return self._reading(reply)

    def _reading(self, reply: str) -> Reading:
        words = [word.strip() for word in reply.split(",")]
        if reply.startswith("No data"):
            raise _NothingYetError("empty", self._address.public, "it has no sample yet")
        found: dict[str, float] = {}
        for name, value in zip(words[::2], words[1::2], strict=False):
            if name.startswith("Ch"):
                break  # the values in front are the sum
            if name in _NAMES:
                try:
                    figure = float(value)
                except ValueError:
                    figure = math.nan
                if (
                    math.isfinite(figure)
                    and figure != _NOT_AVAILABLE
                    and not (name == "Temperature" and figure == _MISSED_CELSIUS)
                ):
                    found[_NAMES[name]] = figure
        if "watts" not in found and "celsius" not in found:
            raise MeterError("tool-output", self._address.public, f"it gave no value: {reply[:120]!r}")
        return Reading(time.time(), found)

    def _drop(self) -> None:
        if self._lines is not None:
            self._lines.close()
            self._lines = None


class _NothingYetError(MeterError):
    """It measures, and has no sample yet."""


def _ranges(reply: str) -> tuple[str, str]:
    """Amperes and volts ranges to give back, of `Ranges,<A auto>,<A>,<V auto>,<V>`; Auto where not known."""
    words = [*reply.split(","), "", "", "", "", ""]

    def one(auto: str, value: str) -> str:
        return (
            value
            if auto == "0" and re.fullmatch(r"[0-9]+(\.[0-9]+)?", value) and float(value) > 0
            else "Auto"
        )

    return one(words[1], words[2]), one(words[3], words[4])


def _percent(reply: str) -> float | None:
    """The first percentage of a reply; how PTDaemon writes it is not documented publicly."""
    match = re.search(r"([0-9]{1,3}(?:\.[0-9]{1,8})?) ?%", reply)
    value = float(match[1]) if match else 0.0
    return value if 0 < value <= 100 else None
