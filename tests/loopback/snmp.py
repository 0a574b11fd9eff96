"""SNMP devices on loopback, served by snmpsim: power distribution units whose watts follow a file.

snmpsim serves one device for each community, so one server is all of them: ``public`` is an APC rack PDU.

    with pdu(tmp_path) as unit:
        unit.set(240)                       # steps of 10 W, as the unit has them
        unit.follow(lambda t: 200 + 10 * t)  # or watts by seconds from now
        ... unit.url ...
        unit.stop()                         # as if its network had gone
"""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import needs
from loopback.process import Server, free_port

# Type tags of snmprec files.
INTEGER, STRING, GAUGE = "2", "4", "66"

# What snmpsim loads to let a value follow a file: `TAG:follow|FILE`, or `FILE*FACTOR`.
_FOLLOW = """
from pathlib import Path


def init(**context):
    pass


def variate(oid, tag, value, **context):
    name, _, factor = str(value).partition("*")
    return oid, tag, str(round(float(Path(name).read_text()) * float(factor or 1)))


def shutdown(**context):
    pass
"""

_APC = "1.3.6.1.4.1.318.1.1"
_RARITAN = "1.3.6.1.4.1.13742.6"
_UPS = "1.3.6.1.2.1.33.1"
_SENSOR = "1.3.6.1.2.1.99.1.1.1"

Devices = Mapping[str, Mapping[str, tuple[str, str]]]


def devices(watts: Path, valid: Path) -> Devices:
    """The objects of every device by community; power follows the file ``watts``, and what tells whether it
    may be used ``valid``: 1 while it may.
    """
    followed = f"{GAUGE}:follow"
    return {
        "public": {
            "1.3.6.1.2.1.1.1.0": (STRING, "APC Web/SNMP Management Card (simulated by snmpsim)"),
            f"{_APC}.26.2.1.8.1": (STRING, "AP8853"),
            f"{_APC}.26.2.1.9.1": (STRING, "5A1234E00874"),
            f"{_APC}.26.4.3.1.5.1": (followed, f"{watts}*0.1"),
            f"{_APC}.26.9.4.3.1.6.3": (GAUGE, "17"),
            f"{_APC}.26.9.4.3.1.7.3": (followed, f"{watts}"),
        },
        "raritan": {
            "1.3.6.1.2.1.1.1.0": (STRING, "PX2 (simulated by snmpsim)"),
            **{f"{_RARITAN}.3.3.4.1.7.1.1.{kind}": (GAUGE, digits) for kind, digits in _DIGITS.items()},
            **{f"{_RARITAN}.5.2.3.1.2.1.1.{kind}": (f"{INTEGER}:follow", f"{valid}") for kind in (1, 5)},
            f"{_RARITAN}.5.2.3.1.4.1.1.1": (GAUGE, "1052"),
            f"{_RARITAN}.5.2.3.1.4.1.1.4": (GAUGE, "230"),
            f"{_RARITAN}.5.2.3.1.4.1.1.5": (followed, f"{watts}*10"),
            f"{_RARITAN}.5.2.3.1.4.1.1.7": (GAUGE, "98"),
        },
        "ups": {
            f"{_UPS}.1.2.0": (STRING, "Some UPS 3000"),
            f"{_UPS}.4.2.0": (INTEGER, "500"),
            f"{_UPS}.4.4.1.2.1": (INTEGER, "231"),
            f"{_UPS}.4.4.1.3.1": (INTEGER, "11"),
            f"{_UPS}.4.4.1.4.1": (followed.replace(GAUGE, INTEGER), f"{watts}"),
        },
        "sensors": {  # RFC 3433: sensor 7 is watts(6), scale milli(8), precision 0; sensor 9 is broken
            **{f"{_SENSOR}.{column}.7": (INTEGER, value) for column, value in _WATT_SENSOR.items()},
            f"{_SENSOR}.5.7": (f"{INTEGER}:follow", f"{valid}"),
            f"{_SENSOR}.4.7": (followed.replace(GAUGE, INTEGER), f"{watts}*1000"),
            **{f"{_SENSOR}.{column}.8": (INTEGER, value) for column, value in _CELSIUS_SENSOR.items()},
            **{f"{_SENSOR}.{column}.9": (INTEGER, value) for column, value in _BROKEN_SENSOR.items()},
        },
        "nopower": {
            f"{_APC}.26.4.3.1.5.1": (INTEGER, "-1"),  # how a unit says that it does not measure it
            "1.3.6.1.4.1.99999.1": (STRING, "plenty"),
            "1.3.6.1.4.1.99999.2": (STRING, " 12.5 "),
        },
    }


_DIGITS = {1: "3", 4: "0", 5: "1", 7: "2", 23: "1"}
_WATT_SENSOR = {1: "6", 2: "8", 3: "0"}
_CELSIUS_SENSOR = {1: "8", 2: "9", 3: "1", 4: "245", 5: "1"}
_BROKEN_SENSOR = {1: "6", 2: "9", 3: "0", 4: "0", 5: "3"}


class Pdu:
    """The simulated devices, and the file that their watts follow."""

    def __init__(self, server: Server, port: int, watts: Path) -> None:
        self._server = server
        self.port = port
        #: Write a number into it (at one go), and the next reading is that.
        self.file = watts
        self._following: tuple[threading.Thread, threading.Event] | None = None

    @property
    def url(self) -> str:
        """The address of the APC unit."""
        return self.address("apc-rpdu2")

    def address(self, path: str, community: str = "public", **options: object) -> str:
        """The address of any of the devices, quick to give up."""
        said = {"community": community, "timeout": 0.5, "retries": 2, **options}
        query = "&".join(f"{key.replace('_', '-')}={value}" for key, value in said.items())
        return f"snmp://127.0.0.1:{self.port}/{path}?{query}"

    def set(self, watts: float) -> None:
        """From now on it draws this."""
        _put(self.file, watts)

    def doubt(self, valid: int = 2) -> None:
        """From now on the Raritan and the sensors say that their figures may not be used; 1 ends it."""
        _put(self.file.with_name("valid"), valid)

    def follow(self, watts: Callable[[float], float], every_s: float = 0.1) -> None:
        """From now on it draws what the function says of the seconds since now."""
        self.leave()
        done, start = threading.Event(), time.monotonic()

        def keep() -> None:
            while not done.wait(every_s):
                self.set(watts(time.monotonic() - start))

        self.set(watts(0.0))
        thread = threading.Thread(target=keep, daemon=True)
        thread.start()
        self._following = (thread, done)

    def leave(self) -> None:
        """Follow no function any more."""
        if self._following is not None:
            thread, done = self._following
            done.set()
            thread.join()
            self._following = None

    def stop(self) -> None:
        """It answers no more."""
        self._server.stop()

    def start(self) -> None:
        """It answers again, at the same address."""
        self._server.start()


@contextmanager
def pdu(folder: Path, watts: float = 100.0) -> Iterator[Pdu]:
    """snmpsim with all the devices, on a free port, its files in ``folder``."""
    needs.modules("snmpsim", "pysmi", "pysnmp")
    data, modules, cache = (folder / name for name in ("snmp-data", "snmp-modules", "snmp-cache"))
    for made in (data, modules, cache):
        made.mkdir(parents=True)
    file = folder / "watts"
    (modules / "follow.py").write_text(_FOLLOW)
    for community, objects in devices(file, file.with_name("valid")).items():
        (data / f"{community}.snmprec").write_text(_records(objects))
    port = free_port(socket.SOCK_DGRAM)
    command = [
        *(sys.executable, "-c", "from snmpsim.commands.responder import main; main()"),
        f"--data-dir={data}",
        f"--variation-modules-dir={modules}",
        f"--cache-dir={cache}",
        f"--agent-udpv4-endpoint=127.0.0.1:{port}",
        "--v3-user=lab",
        "--v3-auth-key=a-passphrase",
        "--v3-auth-proto=SHA256",
        "--v3-priv-key=another-one",
        "--v3-priv-proto=AES",
    ]
    # It would want to become another user where the tests run as root; it serves loopback only.
    server = Server(command, folder / "snmpsim.log", lambda _: _answers(port), {"SNMPSIM_ALLOW_ROOT": "true"})
    unit = Pdu(server, port, file)
    unit.set(watts)
    unit.doubt(1)
    server.start()
    try:
        yield unit
    finally:
        unit.leave()
        server.stop()


# A GET of version 1 for sysDescr.0 by the community public, as it goes over the wire.
_HELLO = bytes.fromhex(
    "3026020100 04067075626c6963 a019 020101 020100 020100 300e300c 06082b06010201010100 0500"
)


def _answers(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.settimeout(0.5)
        probe.connect(("127.0.0.1", port))
        try:
            probe.send(_HELLO)
            return bool(probe.recv(1500))
        except OSError:  # refused while nobody listens
            return False


def _put(file: Path, number: float) -> None:
    """At one go: snmpsim may read it at any time."""
    staging = file.with_suffix(".new")
    staging.write_text(f"{number}\n")
    staging.replace(file)


def _records(objects: Mapping[str, tuple[str, str]]) -> str:
    ordered = sorted(objects.items(), key=lambda item: [int(part) for part in item[0].split(".")])
    return "".join(f"{oid}|{tag}|{value}\n" for oid, (tag, value) in ordered)
