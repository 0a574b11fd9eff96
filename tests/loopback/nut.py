"""A UPS on loopback by Network UPS Tools: its daemon upsd, and its driver dummy-ups that reads a file."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import needs
from loopback.process import Server, free_port

_DRIVERS = "/lib/nut"


class Ups:
    """The daemon and the driver; ``set`` makes the UPS ``sim`` say other watts within about a second."""

    def __init__(self, daemon: Server, driver: Server, port: int, device: Path) -> None:
        self._daemon = daemon
        self.driver = driver
        self.port = port
        self._device = device

    def set(self, watts: float | str) -> None:
        """From now on it says this."""
        self.write(
            f"ups.realpower: {watts}\nups.realpower.nominal: 2700\nups.power: 400\nups.load: 12\n"
            "output.voltage: 230.1\noutput.current: 1.41\noutput.frequency: 50.0\n"
            "input.realpower: 350\ninput.voltage: 231\n"
        )

    def write(self, variables: str) -> None:
        """The variables besides its name, as ``NAME: VALUE`` lines."""
        names = "device.mfr: Contoso\ndevice.model: R3000\ndevice.serial: 00123\nups.status: OL\n"
        staging = self._device.with_suffix(".new")
        staging.write_text(names + variables)
        staging.replace(self._device)

    def address(self, ups: str = "sim", **options: object) -> str:
        """Its address, quick to give up."""
        query = "&".join(f"{key}={value}" for key, value in {"timeout": 2, **options}.items())
        return f"nut://127.0.0.1:{self.port}/{ups}?{query}"

    def stop(self) -> None:
        """The daemon answers no more."""
        self._daemon.stop()

    def start(self) -> None:
        """The daemon answers again."""
        self._daemon.start()

    def said(self) -> str:
        """What the UPS says of its watts now."""
        return _asked(self.port, "GET VAR sim ups.realpower")

    def freeze(self) -> None:
        """The driver hangs: what the daemon has grows stale."""
        self.driver.signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """The driver goes on."""
        self.driver.signal(signal.SIGCONT)


@contextmanager
def ups(folder: Path, watts: float = 321.5) -> Iterator[Ups]:
    """The daemon on a free port with two UPSs, ``sim`` and ``bare``, which says no watts."""
    daemon_path = needs.program("upsd", "nut-server")
    driver_path = needs.program("dummy-ups", "nut-server", _DRIVERS)
    real = Path(_DRIVERS, "upsd")  # Debian's /sbin/upsd is a script that starts it only where it is enabled
    port = free_port()
    device, bare = folder / "sim.seq", folder / "bare.dev"
    bare.write_text("ups.status: OL\nups.power: 400\nups.load: 12\n")
    (folder / "ups.conf").write_text(
        f"pollinterval = 1\n[sim]\ndriver = dummy-ups\nport = {device}\nmode = dummy-loop\ndesc = Simulated\n"
        f"[bare]\ndriver = dummy-ups\nport = {bare}\nmode = dummy-once\ndesc = Bare\n"
    )
    (folder / "upsd.conf").write_text(f"LISTEN 127.0.0.1 {port}\nMAXAGE 3\n")
    (folder / "upsd.users").write_text("[lab]\npassword = secret\n")
    for file in folder.iterdir():
        file.chmod(0o640)
    places = {name: str(folder) for name in ("NUT_CONFPATH", "NUT_STATEPATH", "NUT_ALTPIDPATH")}
    user = ["-u", "root"] if os.getuid() == 0 else []  # they would become the user nut otherwise
    drivers = [
        Server(
            [driver_path, "-a", name, "-F", *user],
            folder / f"{name}.log",
            lambda _, name=name: (folder / f"dummy-ups-{name}").exists(),  # type: ignore[misc]
            places,
        )
        for name in ("sim", "bare")
    ]
    daemon = Server(
        [str(real) if real.exists() else daemon_path, "-F", *user],
        folder / "upsd.log",
        lambda _: (
            _asked(port, "GET VAR sim ups.realpower").startswith("VAR sim ups.realpower")
            and _asked(port, "GET VAR bare ups.load").startswith("VAR")
        ),
        places,
    )
    unit = Ups(daemon, drivers[0], port, device)
    unit.set(watts)
    try:
        for driver in drivers:
            driver.start()
        daemon.start()
        yield unit
    finally:
        unit.thaw()
        daemon.stop()
        for driver in drivers:
            driver.stop()


def _asked(port: int, question: str) -> str:
    try:
        with socket.create_connection(("127.0.0.1", port), 1) as connection:
            connection.sendall(f"{question}\n".encode())
            return connection.recv(4096).decode()
    except OSError:
        return ""
