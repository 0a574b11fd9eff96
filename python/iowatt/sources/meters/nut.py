"""A UPS or power distribution unit by Network UPS Tools: ``nut://HOST/UPS``.

Its daemon upsd (port 3493) speaks lines of text. Real power only: apparent power (VA) and the load in
percent are not watts, and no watts are made of them.
"""

from __future__ import annotations

import math
import re
import time
from typing import Final

from iowatt.sources.meters import network
from iowatt.sources.meters.address import Address
from iowatt.sources.meters.log.instrument import Instrument, MeterError, Reading

OPTIONS: Final = {
    **network.COMMON,
    "variable": "which variable is the watts; the first there is of ups., output., outlet., input.realpower",
}
WHY: Final = (
    "a UPS's or power distribution unit's own meter: its accuracy and how often it is read are unstated over "
    "NUT, and it is no analyser of the accepted lists"
)
_PORT: Final = 3493
#: What is taken where the address names no variable, the first that there is.
_WATTS: Final = ("ups.realpower", "output.realpower", "outlet.realpower", "input.realpower")
#: What else is read: by the group of the variable that is the watts, names in that group.
_BESIDE: Final = {
    "volts": "voltage",
    "amperes": "current",
    "hertz": "frequency",
    "power_factor": "powerfactor",
}
_MOST: Final = 10_000
_NAME: Final = re.compile(r"[\w.-]{1,128}", re.ASCII)


class NutMeter:
    """A ``Meter``: one connection, each variable asked for by a line."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._who = f"nut://{network.endpoint(address, _PORT)}"
        self._timeout_s = network.timeout_s(address)
        self._ups = address.path.strip("/")
        self._wanted = address.options.get("variable")
        for name in (self._ups or "any", self._wanted or "any"):
            if not _NAME.fullmatch(name):
                raise address.error(
                    "bad-syntax", f"{name!r} is not the name of a UPS or variable", "write nut://HOST/UPS"
                )
        self._variables: dict[str, str] = {}
        self._connection: network.LineConnection | None = None

    def open(self) -> Instrument:
        """Find the UPS and its variables."""
        self.close()
        self._variables = {}
        ups = self._find()
        said = self._list("VAR", ups)
        watts = self._watts(ups, said)
        group = "output" if watts.startswith("ups.") else watts.rpartition(".")[0]
        beside = {name: f"{group}.{word}" for name, word in _BESIDE.items()}
        self._ups = ups
        self._variables = {"watts": watts} | {
            name: variable for name, variable in beside.items() if _is_number(said.get(variable))
        }
        details = {
            "address": self._address.public,
            "variable": watts,
            "driver": said.get("driver.name", ""),
            "polled every": f"{said['driver.parameter.pollinterval']} s"
            if "driver.parameter.pollinterval" in said
            else "",
            "status": said.get("ups.status", ""),
        }
        names = [said.get(f"device.{key}") or said.get(f"ups.{key}") or "" for key in ("mfr", "model")]
        return network.instrument(
            self._address,
            why=WHY,
            model=" ".join(name for name in names if name) or None,
            serial=said.get("device.serial") or said.get("ups.serial") or None,
            sample_interval_s=_seconds(said.get("driver.parameter.pollinterval")),
            details=details,
        )

    def read(self) -> Reading:
        """All variables, one after another, at the time when the last answer came."""
        if not self._variables:
            self.open()
        quantities = {}
        for name, variable in self._variables.items():
            text = self._ask(f"GET VAR {self._ups} {variable}", f"VAR {self._ups} {variable} ")
            if not _is_number(text):
                raise MeterError(
                    "tool-output", f"{self._who}/{self._ups}", f"{variable} is {text!r}, not a number"
                )
            quantities[name] = float(text)
        return Reading(time.time(), quantities)

    def close(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _find(self) -> str:
        there = self._list("UPS")
        if self._ups in there:
            return self._ups
        if not self._ups and len(there) == 1:
            return next(iter(there))
        problem = f"there is no UPS {self._ups!r}" if self._ups else "the address names no UPS"
        names = ", ".join(f"{name} ({text})" for name, text in there.items()) or "none"
        code = "unknown-name" if self._ups or not there else "ambiguous"
        raise MeterError(code, self._who, f"{problem}; there are: {names}", hint="write nut://HOST/UPS")

    def _watts(self, ups: str, said: dict[str, str]) -> str:
        if self._wanted is not None:
            if self._wanted in said:
                return self._wanted
            problem = f"it has no variable {self._wanted}"
        else:
            found = [name for name in _WATTS if name in said]
            if found:
                return found[0]
            problem = f"it has none of {', '.join(_WATTS)}"
        others = [name for name in said if name.endswith("realpower")] or sorted(
            name for name in said if "power" in name
        )
        raise MeterError(
            "unknown-name" if self._wanted is not None else "missing-figure",
            f"{self._who}/{ups}",
            f"{problem}; its variables of power: {', '.join(others) or 'none'}",
            hint=f"nut://HOST/{ups}?variable={others[0]}"
            if others and others[0].endswith("realpower")
            else None,
        )

    def _list(self, *what: str) -> dict[str, str]:
        head = " ".join(what)
        self._ask(f"LIST {head}", f"BEGIN LIST {head}")
        found = {}
        lines, end = 0, time.monotonic() + 4 * self._timeout_s
        while (line := self._line()) != f"END LIST {head}":
            name, _, text = line.removeprefix(f"{head} ").partition(" ")
            found[name] = _unquoted(text)
            lines += 1
            if time.monotonic() > end:
                self.close()
                raise MeterError("tool-output", self._who, f"the list of {head} does not end")
            if lines > _MOST or not line.startswith(f"{what[0]} "):
                self.close()
                raise MeterError("tool-output", self._who, f"{line[:100]!r} in a list is not NUT's protocol")
        return found

    def _ask(self, question: str, answer: str) -> str:
        """The rest of the answer's first line, which must begin with ``answer``."""
        self._send(question)
        line = self._line()
        if line.startswith(answer):
            return _unquoted(line[len(answer) :])
        if line.startswith("ERR "):
            code = "access-denied" if "ACCESS-DENIED" in line else "tool-failed"
            raise MeterError(code, self._who, f"{line[4:]} (to {question!r})", hint=_hint(line))
        self.close()
        raise MeterError("tool-output", self._who, f"it answers {line[:100]!r}, which is not NUT's protocol")

    def _send(self, question: str) -> None:
        if self._connection is None:
            host, port = network.host(self._address), self._address.port or _PORT
            self._connection = network.LineConnection(
                host, port, timeout_s=self._timeout_s, end=b"\n", place=self._who
            )
            self._log_in()
        try:
            self._connection.send(question)
        except MeterError:
            self.close()
            raise

    def _log_in(self) -> None:
        """Only where the address has a user: reading needs none."""
        for word, text in (("USERNAME", self._address.user), ("PASSWORD", self._address.password)):
            secret = network.secret(self._address, text)
            if secret is not None:
                self._ask(f"{word} {_quoted(secret)}", "OK")

    def _line(self) -> str:
        if self._connection is None:
            raise MeterError("unreachable", self._who, "not connected")
        try:
            return self._connection.line().strip()
        except MeterError:
            self.close()
            raise


create = NutMeter


def _unquoted(text: str) -> str:
    """A value as NUT quotes it: within double quotes, a backslash before a quote or backslash."""
    text = text.strip()
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text


def _quoted(text: str) -> str:
    return '"' + re.sub(r'(["\\\\])', r"\\\1", text.replace("\n", " ")) + '"'


def _is_number(text: str | None) -> bool:
    try:
        return text is not None and math.isfinite(float(text))
    except ValueError:
        return False


def _seconds(text: str | None) -> float | None:
    """How often the driver asks the device, in s: in between upsd repeats what it has."""
    return float(text) if text is not None and _is_number(text) and float(text) > 0 else None


def _hint(line: str) -> str | None:
    if "DATA-STALE" in line or "DRIVER-NOT-CONNECTED" in line:
        return "upsd has lost its driver or the device"
    return "the address needs USER:PASSWORD" if "ACCESS-DENIED" in line else None
