"""Power analysers on loopback: what iowatt uses of the commands of a Yokogawa WT310E, a Rohde & Schwarz
HMC8015 and a Hioki PW3335 or PW3337, over a raw socket.

No analyser is to be had here; these servers stand for them, to the grammar of their manuals as far as it was
read: headers until they are switched off, items as they were asked for, NAN where there is no value, INF (or
Hioki's huge numbers) over range, and no answer to what they do not know.
"""

from __future__ import annotations

import re
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress


class Analyser:
    """The instrument. Change its attributes, and it answers accordingly."""

    def __init__(self) -> None:
        self.identity = "YOKOGAWA,WT310E,C2TE10041V,F1.04"
        self.values: dict[str, str] = {}
        self.set(240.0)
        #: Bits of what is clipped.
        self.peaks = 0
        #: Queries that this model does not have.
        self.unknown: set[str] = set()
        #: Seconds before it answers; more than a time-out hangs.
        self.delay_s = 0.0
        #: What it was told.
        self.heard: list[str] = []
        self._headers = True
        self._items = ["U,1", "I,1", "P,1"]
        self._server: _Server | None = None
        self.port = 0

    def set(self, watts: float) -> None:
        """From now on it measures this, at 230 V and a power factor of 0.95."""
        amperes = watts / (230.0 * 0.95)
        figures = {"P": watts, "U": 230.0, "I": amperes, "LAMBDA": 0.95, "FU": 50.0, "UTHD": 1.2}
        self.values = {name: f"{value:.5E}" for name, value in figures.items()}

    def address(self, element: str = "1", **options: object) -> str:
        """Its address, quick to give up."""
        query = "&".join(f"{key}={value}" for key, value in {"timeout": 3, **options}.items())
        return f"scpi://127.0.0.1:{self.port}/{element}?{query}"

    def start(self) -> None:
        """It answers, at the same port as before."""
        self._server = _Server(("127.0.0.1", self.port), _Handler)
        self._server.analyser = self
        self.port = self._server.server_address[1]
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        ).start()

    def stop(self) -> None:
        """Switched off: connections break, nobody listens."""
        server, self._server = self._server, None
        if server is not None:
            server.shutdown()
            server.server_close()
            for connection in server.connections:
                connection.close_now()

    def answer(self, line: str) -> str | None:
        """The answer to a line, where it has one."""
        self.heard.append(line)
        if line in self.unknown:
            return None
        if line == ":MEASURE:POWER?":  # as makers other than Yokogawa have it
            return f"+{self.values['P']}"
        if line == "*IDN?":
            return self.identity
        if line == ":COMMUNICATE:HEADER OFF":
            self._headers = False
        elif match := re.fullmatch(r":NUMERIC:NORMAL:NUMBER (\d+);(.+)", line):
            self._items = [item.partition(" ")[2] for item in match[2].split(";")][: int(match[1])]
        elif line == ":NUMERIC:NORMAL:VALUE?":
            return ",".join(
                self.values.get(name, "NAN") if element in ("1", "SIGMA") else "NAN"
                for name, _, element in (item.partition(",") for item in self._items)
            )
        settings = {
            ":RATE?": "250.0E-03",
            ":INPUT:VOLTAGE:RANGE?": "300.0E+00",
            ":INPUT:VOLTAGE:AUTO?": "0",
            ":INPUT:CURRENT:RANGE?": "5.0E+00",
            ":INPUT:CURRENT:AUTO?": "1",
            ":INPUT:POVER?": str(self.peaks),
        }
        if line not in settings:
            return None
        return f"{line[:-1]} {settings[line]}" if self._headers else settings[line]


class RohdeSchwarz(Analyser):
    """An HMC8015: functions are chosen, then their data asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.identity = "ROHDE&SCHWARZ,HMC8015,101234,1.403"
        self._functions = ["URMS", "IRMS", "P", "FPLL"]

    def answer(self, line: str) -> str | None:
        """The answer to a line, where it has one."""
        self.heard.append(line)
        if line == "*IDN?":
            return self.identity
        if match := re.fullmatch(r"CHANNEL1:MEASUREMENT:FUNCTIONS (.+)", line):
            self._functions = match[1].split(",")
        if line == "CHANNEL1:MEASUREMENT:DATA?":
            names = {"URMS": "U", "IRMS": "I", "LAMBDA": "LAMBDA"}
            return ",".join(self.values.get(names.get(one, one), "NAN") for one in self._functions)
        return None


class Hioki(Analyser):
    """A PW3335, or a PW3337 with three inputs: every query names its items; headers are on at first."""

    #: What it sends over range, and where a quantity has no value.
    OVER = "+9999.9E+99"
    NONE = "+7777.7E+99"

    def __init__(self, model: str = "PW3335") -> None:
        super().__init__()
        self.identity = f"HIOKI,{model},140912345,V1.20"
        self.inputs = "123" if model.startswith("PW3337") else ""
        self.keeps_headers = False

    def answer(self, line: str) -> str | None:
        """The answer to a line, where it has one."""
        self.heard.append(line)
        if line == "*IDN?":
            return self.identity
        if line == ":HEADER OFF" and not self.keeps_headers:
            self._headers = False
        match = re.fullmatch(r":MEASURE\? (.+)", line)
        return None if match is None else ";".join(map(self._item, match[1].split(",")))

    def _item(self, item: str) -> str:
        name, number = (item[:-1], item[-1]) if self.inputs else (item, "")
        known = {"PF": "LAMBDA", "FREQU": "FU"}.get(name, name)
        value = self.values.get(known, self.NONE) if number in (self.inputs or ("",)) else self.NONE
        return f"{item} {value}" if self._headers else value


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    analyser: Analyser

    def __init__(self, *arguments: object) -> None:
        self.connections: list[_Handler] = []
        super().__init__(*arguments)  # type: ignore[arg-type]


class _Handler(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        self.server.connections.append(self)
        try:
            for raw in self.rfile:
                answer = self.server.analyser.answer(raw.decode().strip())
                if answer is not None:
                    time.sleep(self.server.analyser.delay_s)
                    self.wfile.write(f"{answer}\n".encode())
        except (OSError, ValueError):
            pass

    def close_now(self) -> None:
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def analyser(kind: Callable[[], Analyser] = Analyser) -> Iterator[Analyser]:
    """The instrument on a free port."""
    instrument = kind()
    instrument.start()
    try:
        yield instrument
    finally:
        instrument.stop()
