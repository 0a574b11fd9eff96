"""A management controller on loopback that speaks IPMI 2.0 over LAN, by pyghmi, with DCMI power readings.

pyghmi's own controller knows no DCMI; the answer to "Get Power Reading" is added here as the DCMI 1.5
specification, section 6.6.1, lays it out. It runs in a process of its own, as pyghmi keeps global state.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import needs
from loopback.process import Server, free_port

USER, PASSWORD = "lab", "let me in"

_CONTROLLER = """
import struct, sys, time, uuid
from pathlib import Path
from pyghmi.ipmi import bmc

port, file = int(sys.argv[1]), Path(sys.argv[2])


class Controller(bmc.Bmc):
    def get_system_guid(self):
        return uuid.UUID(int=7)

    def get_power_state(self):
        return "on"

    def handle_raw_request(self, request, session):
        if (request["netfn"], request["command"]) != (0x2C, 2):
            return super().handle_raw_request(request, session)
        text = file.read_text().strip()
        if text == "refused":  # "command not supported in present state"
            return session.send_ipmi_response(code=0xD5)
        active = text != "off"
        watts = int(float(text)) if active else 0
        state = 0x40 if active else 0
        figures = struct.pack("<HHHHIIB", watts, 0, 65535, watts, int(time.time()), 1000, state)
        session.send_ipmi_response(data=[0xDC, *figures])


Controller({"lab": "let me in"}, port=port, address="127.0.0.1").listen()
"""


class Controller:
    """The controller; ``set`` makes it say other watts, ``"off"`` that its readings are not active."""

    def __init__(self, server: Server, port: int, watts: Path) -> None:
        self._server = server
        self.port = port
        self._file = watts

    def set(self, watts: float | str) -> None:
        """From now on it says this."""
        staging = self._file.with_suffix(".new")
        staging.write_text(f"{watts}\n")
        staging.replace(self._file)

    def address(self, password: str = PASSWORD, **options: object) -> str:
        """Its address, quick to give up."""
        query = "&".join(f"{key}={value}" for key, value in {"cipher": 3, "timeout": 2, **options}.items())
        return f"ipmi://{USER}:{password.replace(' ', '%20')}@127.0.0.1:{self.port}?{query}"

    def stop(self) -> None:
        """It answers no more."""
        self._server.stop()

    def start(self) -> None:
        """It answers again."""
        self._server.start()


@contextmanager
def controller(folder: Path, watts: float = 278.0) -> Iterator[Controller]:
    """pyghmi's controller on a free port."""
    needs.program("ipmitool", "ipmitool")
    needs.modules("pyghmi")
    port = free_port(socket.SOCK_DGRAM)
    file = folder / "watts"
    command = [sys.executable, "-c", _CONTROLLER, str(port), str(file)]
    server = Server(command, folder / "ipmi.log", lambda _: _listens(port), {"PYTHONUNBUFFERED": "1"})
    unit = Controller(server, port, file)
    unit.set(watts)
    server.start()
    try:
        yield unit
    finally:
        server.stop()


def _listens(port: int) -> bool:
    """Whether somebody has the UDP port, by the kernel's table (there is nothing to connect to)."""
    wanted = f":{port:04X} "
    tables = [Path(f"/proc/{os.getpid()}/net/{name}") for name in ("udp", "udp6")]
    return any(wanted in table.read_text() for table in tables if table.exists())
