"""Power that a management controller reports by IPMI's DCMI: ``ipmi://USER:PASSWORD@HOST``, here ``ipmi:``.

``ipmitool`` does the talking, a process for each sample. The password goes to it in its environment, where
other users of this host do not see it.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import threading
import time
from contextlib import suppress
from typing import Final

from iowatt.sources.meters import network
from iowatt.sources.meters.address import Address
from iowatt.sources.meters.log.instrument import Instrument, MeterError, Reading

OPTIONS: Final = {
    **network.COMMON,
    "timeout": "seconds to wait for an answer, 0.1 to 60 (default 5)",
    "interface": "lanplus (IPMI 2.0, default with a host), lan (1.5) or open (this host's, default without)",
    "cipher": "cipher suite of lanplus, 0 to 17; ipmitool's own choice",
    "privilege": "user (default), operator or administrator",
}
WHY: Final = (
    "a management controller's own sensor in whole watts: an average over a period that it chooses, of "
    "unstated accuracy"
)
_TIMEOUT_S: Final = 5.0
#: Bytes of an answer; those that are asked for have some hundred.
_LONGEST: Final = 1 << 16
_PORT: Final = 623
_READING: Final = re.compile(r"Instantaneous power reading:\s*(\d+)\s*Watts")
_STATE: Final = re.compile(r"Power reading state is:\s*(\w+)")
_PERIOD: Final = re.compile(r"Sampling period:\s*(\d+)\s*Seconds")
_NAMED: Final = re.compile(r"^(Manufacturer Name|Product Name|Firmware Revision)\s*:\s*(.+)$", re.MULTILINE)


class IpmiMeter:
    """A ``Meter``; there is no connection to keep."""

    def __init__(self, address: Address) -> None:
        self._address = address
        if address.path.strip("/"):
            raise address.error("not-applicable", "nothing follows the host", "write ipmi://USER@HOST")
        self._interface = network.word_option(
            address, "interface", ("lanplus", "lan", "open"), "lanplus" if address.host else "open"
        )
        if (self._interface == "open") == bool(address.host):
            raise address.error(
                "conflict",
                f"interface={self._interface} excludes a host"
                if address.host
                else f"interface={self._interface} needs a host",
            )
        cipher = network.number_option(address, "cipher", -1, 0, 17)
        privilege = network.word_option(address, "privilege", ("user", "operator", "administrator"), "user")
        self._who = f"ipmi://{network.endpoint(address, _PORT)}" if address.host else "ipmi:"
        self._timeout_s = network.timeout_s(address, _TIMEOUT_S)
        self._arguments = ["-I", self._interface]
        if address.host:
            self._arguments += ["-H", address.host, "-p", str(address.port or _PORT), "-E"]
            self._arguments += ["-L", privilege.upper(), "-N", "1", "-R", "2"]
            if cipher >= 0:
                self._arguments += ["-C", str(int(cipher))]

    def open(self) -> Instrument:
        """Ask who it is and for a first reading."""
        said = dict(_NAMED.findall(self._ask("mc", "info")))
        answer = self._ask("dcmi", "power", "reading")
        self._watts(answer)
        period = _PERIOD.search(answer)
        details = {
            "address": self._address.public,
            "firmware": said.get("Firmware Revision", "").strip(),
            network.AVERAGED: f"{int(period[1])} s" if period else "",
        }
        names = [said.get(key, "").strip() for key in ("Manufacturer Name", "Product Name")]
        model = " ".join(name for name in names if name and not name.startswith("Unknown"))
        return network.instrument(
            self._address,
            why=WHY,
            model=model or None,
            details=details,
        )

    def read(self) -> Reading:
        """One sample, at the time when the answer came."""
        watts = self._watts(self._ask("dcmi", "power", "reading"))
        return Reading(time.time(), {"watts": watts})

    def close(self) -> None:
        """There is nothing to close."""

    def _watts(self, answer: str) -> float:
        state = _STATE.search(answer)
        if state is not None and state[1] != "activated":
            message = f"power readings are {state[1]}"
            raise MeterError("missing-figure", self._who, message, hint="ipmitool dcmi power activate")
        reading = _READING.search(answer)
        if reading is None:
            raise MeterError("tool-output", self._who, f"no reading in {answer.strip()[:200]!r}")
        return float(reading[1])

    def _ask(self, *command: str) -> str:
        program = shutil.which("ipmitool")
        if program is None:
            raise self._address.error("tool-missing", "ipmitool is not installed", "apt install ipmitool")
        environment = {name: text for name, text in os.environ.items() if name != "IPMITOOL_PASSWORD"}
        arguments = list(self._arguments)
        if self._address.host:
            user = network.secret(self._address, self._address.user)
            arguments += ["-U", user] if user else []
            environment["IPMITOOL_PASSWORD"] = network.secret(self._address, self._address.password) or ""
        try:
            code, said = _said([program, *arguments, *command], environment, self._timeout_s)
        except subprocess.TimeoutExpired:
            raise MeterError("unreachable", self._who, f"no answer in {self._timeout_s:g} s") from None
        except OSError as error:
            raise MeterError("tool-failed", self._who, f"{program}: {error}") from None
        if len(said) > _LONGEST:
            raise MeterError("too-large", self._who, f"{program} answers more than {_LONGEST >> 10} KiB")
        text = said.decode("utf-8", "replace")
        if code != 0:
            reason = " ".join(text.split())
            raise MeterError("tool-failed", self._who, reason[:300] or f"ipmitool ended with {code}")
        return text


create = IpmiMeter


def _said(command: list[str], environment: dict[str, str], timeout_s: float) -> tuple[int, bytes]:
    """The exit code of a command and its output on both streams, up to one byte more than ``_LONGEST``.

    Raises ``subprocess.TimeoutExpired`` and ``OSError``.
    """
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment | {"LC_ALL": "C"},
        start_new_session=True,  # what it has started holds the pipe, too
    ) as process:
        assert process.stdout is not None
        late = threading.Event()

        def end() -> None:
            late.set()
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

        clock = threading.Timer(timeout_s, end)
        clock.start()
        try:
            said = process.stdout.read(_LONGEST + 1)
            if len(said) > _LONGEST:
                process.kill()
            code = process.wait()
        except BaseException:
            process.kill()
            raise
        finally:
            clock.cancel()
        if late.is_set():
            raise subprocess.TimeoutExpired(command, timeout_s)
    return code, said
