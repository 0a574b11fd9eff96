"""A power meter on loopback that speaks Modbus TCP, and does what meters and gateways do wrong.

It answers functions 3 and 4 for the registers that it has, and exception 2 for any other; what it says
instead is up to the test: an exception, nothing, other bytes, its answer in pieces.
"""

from __future__ import annotations

import socket
import socketserver
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

WATTS = 0x34
"""Where the default meter has its watts, as a big-endian float, in input registers (an SDM630's place)."""

_CODES = {"u16": "H", "s16": "h", "u32": "I", "s32": "i", "u64": "Q", "s64": "q", "f32": "f", "f64": "d"}


class ModbusDevice:
    """The meter. Change its attributes, and it answers accordingly."""

    def __init__(self) -> None:
        #: Words by function (3, 4) and number.
        self.words: dict[tuple[int, int], int] = {}
        self.unit = 1
        #: An exception that it answers to everything.
        self.exception: int | None = None
        #: Bytes that it answers to everything.
        self.instead: bytes | None = None
        #: Added to the transaction, the unit and the count of bytes of its answers.
        self.off = (0, 0, 0)
        #: Seconds before each byte of an answer.
        self.delay_s = 0.0
        self.silent = False
        #: Function, number and count of what it was asked.
        self.asked: list[tuple[int, int, int]] = []
        #: How many connections were made to it.
        self.connections = 0
        self.port = 0
        self._server: _Server | None = None
        self.set(240.0)

    def set(self, watts: float) -> None:
        """From now on it measures this, at 230 V."""
        self.put(4, WATTS, "f32", watts)
        self.put(4, 0x2A, "f32", 230.0)

    def put(self, function: int, number: int, kind: str, raw: float, *, little: bool = False) -> None:
        """A value in its registers; ``raw`` as it is counted there."""
        data = struct.pack(f">{_CODES[kind]}", raw)
        words = list(struct.unpack(f">{len(data) // 2}H", data))
        for place, word in enumerate(reversed(words) if little else words):
            self.words[function, number + place] = word

    def address(self, unit: str = "1", **options: object) -> str:
        """Its address, quick to give up."""
        query = "&".join(
            f"{key.replace('_', '-')}={value}" for key, value in {"timeout": 1, **options}.items()
        )
        return f"modbus://127.0.0.1:{self.port}/{unit}?{query}"

    def start(self) -> None:
        """It answers, at the same port as before."""
        self._server = _Server(("127.0.0.1", self.port), _Handler)
        self._server.device = self
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

    def answer(self, request: bytes) -> bytes | None:
        """The frame that answers a frame; None: silence."""
        transaction, _, _, unit, function, number, count = struct.unpack(">HHHBBHH", request)
        self.asked.append((function, number, count))
        if self.silent or unit != self.unit:
            return None
        if self.instead is not None:
            return self.instead
        places = [(function, number + place) for place in range(count)]
        exception = self.exception or (None if all(place in self.words for place in places) else 2)
        if exception is not None:
            body = bytes([function | 0x80, exception])
        else:
            data = b"".join(self.words[place].to_bytes(2) for place in places)
            body = bytes([function, len(data) + self.off[2]]) + data
        head = struct.pack(">HHHB", transaction + self.off[0], 0, len(body) + 1, unit + self.off[1])
        return head + body


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    device: ModbusDevice

    def __init__(self, *arguments: object) -> None:
        self.connections: list[_Handler] = []
        super().__init__(*arguments)  # type: ignore[arg-type]


class _Handler(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        self.server.connections.append(self)
        device = self.server.device
        device.connections += 1
        with suppress(OSError, ValueError):
            while len(request := self.rfile.read(12)) == 12:
                answer = device.answer(request)
                if answer is None:
                    continue
                step = 1 if device.delay_s else max(1, len(answer))
                for at in range(0, len(answer), step):
                    time.sleep(device.delay_s)
                    self.wfile.write(answer[at : at + step])
                if device.instead is not None:
                    return  # it has lost its place

    def close_now(self) -> None:
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def modbus_device() -> Iterator[ModbusDevice]:
    """The meter on a free port."""
    device = ModbusDevice()
    device.start()
    try:
        yield device
    finally:
        device.stop()
