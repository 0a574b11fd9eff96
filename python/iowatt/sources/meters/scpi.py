"""A power analyser by SCPI: ``scpi://HOST:PORT/ELEMENT``, or ``scpi:VISA-RESOURCE?element=1`` (PyVISA).

Analysers whose words are known (``scpi_dialects``: Yokogawa, Rohde & Schwarz, Hioki) are set to send volts,
amperes, watts, power factor and hertz of one element, all of one update of the instrument; ranges and
everything else that it measures with stay as they were set. Any other analyser that answers a query with its
watts is read with the option ``watts``, as indicative.
"""

from __future__ import annotations

import math
import re
import time
from contextlib import suppress
from typing import Any, Final

from iowatt.sources.meters import network, scpi_dialects
from iowatt.sources.meters.address import Address
from iowatt.sources.meters.log.instrument import Grade, Instrument, MeterError, Reading

OPTIONS: Final = {
    **network.COMMON,
    "element": "input element: 1 (default) to 7, or sigma for the sum of a wiring unit (Yokogawa)",
    "thd": "yes: the voltage's harmonic distortion too (an option of the instrument)",
    "watts": "query that a foreign analyser answers with its watts, such as :MEASURE:POWER?",
}
_WT300: Final = re.compile(r"WT3[13]\d(E|EH|HC)?")
#: Bytes of an answer; those that are asked for have some hundred.
_LONGEST: Final = 16_384
_FOREIGN: Final = "no analyser that iowatt knows: its accuracy is not known from the protocol; declare it"


class ScpiMeter:
    """A ``Meter``: one session, all quantities by one query."""

    def __init__(self, address: Address) -> None:
        self._address = address
        options = address.options
        self._own = options.get("watts")
        element = options.get("element")
        if address.host:
            element = element or address.path.strip("/") or None
            #: The VISA resource.
            self.resource = (
                f"TCPIP::{address.host}::{address.port}::SOCKET"
                if address.port
                else f"TCPIP::{address.host}::INSTR"
            )
        else:
            self.resource = address.path
        if not self.resource:
            raise address.error("missing", "the address names no instrument", "write scpi://HOST:PORT/1")
        if self._own is not None and (element or "thd" in options):
            raise address.error(
                "conflict", "element and thd are for analysers that iowatt knows, watts=... is for others"
            )
        self._element = (element or "1").upper()
        if not re.fullmatch(r"[1-7]|SIGMA[AB]?", self._element):
            raise address.error("not-accepted", f"element={element!r} is not 1 to 7 or sigma")
        self._thd = network.word_option(address, "thd", ("yes", "no"), "no") == "yes"
        self._dialect: scpi_dialects.ScpiDialect | None = None
        self._items: dict[str, str] = {}
        self._timeout_s = network.timeout_s(address)
        self._session: Any = None
        self._peaks = False

    def open(self) -> Instrument:
        """Connect, identify, say which quantities to send."""
        self.close()
        maker, model, serial, firmware = self._identify()
        details = {"address": self._address.public, "resource": self.resource, "firmware": firmware}
        grade: Grade = "indicative"
        why = _FOREIGN
        if self._own is None:
            own = self._choose(maker, model)
            details |= {"channel": self._element.lower()}
            if own is scpi_dialects.YOKOGAWA:
                details |= self._settings(model)
            self._set_up(own)
            if own.is_accepted(model):
                grade = "emerald"
                why = (
                    f"a {model}, of SPEC's accepted analysers; its ranges and calibration decide its accuracy"
                )
            else:
                why = f"a {model} is not in SPEC's list of accepted analysers, as far as it is known"
        self.read()
        return network.instrument(
            self._address,
            grade=grade,
            why=why,
            model=f"{maker} {model}".strip() or None,
            serial=serial or None,
            sample_interval_s=_positive(details.get("update interval, s")),
            details=details,
        )

    def read(self) -> Reading:
        """The latest update of the instrument, at the time when it came."""
        if self._session is None:
            maker, model, *_ = self._identify()
            if self._own is None:
                self._set_up(self._choose(maker, model))
        if self._own is not None:
            answer = self._ask(self._own)
            watts = _number(answer)
            if not math.isfinite(watts):
                raise MeterError("tool-output", self.resource, f"{self._own} is {answer!r}, not a number")
            return Reading(time.time(), {"watts": watts})
        own = self._dialect
        assert own is not None
        answer = self._ask(own.query(list(self._items.values()), self._element))
        now = time.time()
        # Where headers are on, a value stands behind its name: `P +100.0E+0`.
        fields = [field.strip().rpartition(" ")[2] for field in answer.split(own.separator)]
        if len(fields) != len(self._items):
            self.close()  # somebody else has set other items
            message = f"it sends {len(fields)} values instead of {len(self._items)}: {answer[:100]!r}"
            raise MeterError("tool-output", self.resource, message)
        values = dict(zip(self._items, map(_number, fields), strict=True))
        if math.isinf(values["watts"]):
            raise MeterError(
                "clipped", self.resource, "over range: the samples of this range must not be used"
            )
        if math.isnan(values["watts"]):
            raise MeterError("missing-figure", self.resource, f"no watts (it answers {fields[0]})")
        if self._peaks and (peaks := _number(self._ask(":INPUT:POVER?"))) != 0:
            raise MeterError("clipped", self.resource, f"peaks exceed the range (POVER {peaks:g})")
        return Reading(now, {name: value for name, value in values.items() if math.isfinite(value)})

    def close(self) -> None:
        """Close the session; never raises."""
        session, self._session = self._session, None
        if session is not None:
            with suppress(Exception):
                session.close()

    def _connect(self) -> None:
        try:
            import pyvisa
            import pyvisa_py  # noqa: F401  # what pyvisa is to take, so that its absence is said here
        except ImportError:
            raise network.missing_package(self._address, "pyvisa, with pyvisa-py") from None
        milliseconds = int(self._timeout_s * 1000)
        try:
            # The manager is shared by all sessions of this process: it is not ours to close.
            session: Any = pyvisa.ResourceManager("@py").open_resource(
                self.resource, open_timeout=milliseconds
            )
            session.timeout = milliseconds
            if self.resource.endswith("::SOCKET"):
                session.read_termination = session.write_termination = "\n"
        except Exception as error:  # pyvisa's, pyvisa-py's and the socket's own
            raise MeterError("unreachable", self.resource, _words(error)) from error
        self._session = session

    def _identify(self) -> tuple[str, str, str, str]:
        """Connect; maker, model, serial number and firmware, as ``*IDN?`` has them."""
        self._connect()
        fields = [field.strip() for field in self._ask("*IDN?").split(",")]
        if len(fields) < 2:
            self.close()
            message = f"it does not identify itself (*IDN? is {','.join(fields)[:100]!r})"
            raise MeterError("tool-output", self.resource, message)
        maker, model, serial, firmware = (*fields, "", "")[:4]
        return maker, model, serial, firmware

    def _choose(self, maker: str, model: str) -> scpi_dialects.ScpiDialect:
        """The dialect of the instrument that answers. Raises ``MeterError`` where it has none."""
        own = scpi_dialects.dialect(maker, model)
        if own is None:
            self.close()
            message = f"{maker} {model} is not {scpi_dialects.titles()}"
            hint = "the option watts=QUERY reads other analysers"
            raise MeterError("unsupported", self.resource, message, hint=hint)
        if own.elements.fullmatch(self._element) is None:
            self.close()
            message = f"{own.title} has no element {self._element.lower()}"
            raise MeterError("unsupported", self.resource, message)
        self._dialect = own
        left_out = () if self._thd else ("thd_percent",)
        self._items = {name: item for name, item in own.items.items() if name not in left_out}
        return own

    def _set_up(self, own: scpi_dialects.ScpiDialect) -> None:
        for command in own.set_up(list(self._items.values()), self._element):
            self._send(command)

    def _settings(self, model: str) -> dict[str, str]:
        """Ranges and update interval, for the record; which models have which queries differs."""
        self._send(":COMMUNICATE:HEADER OFF")
        said = {"update interval, s": self._try(":RATE?")}
        if _WT300.fullmatch(model.upper()):
            for name, word in (("volts", "VOLTAGE"), ("amperes", "CURRENT")):
                said[f"range, {name}"] = self._try(f":INPUT:{word}:RANGE?")
                said[f"range of {name} automatic"] = {"1": "yes", "0": "no"}.get(
                    self._try(f":INPUT:{word}:AUTO?"), ""
                )
        self._peaks = _number(self._try(":INPUT:POVER?")) >= 0
        return said | {"clipped peaks": "" if self._peaks else "not reported by this model"}

    def _try(self, query: str) -> str:
        """The answer, or nothing where the instrument does not know the question."""
        try:
            return self._ask(query)
        except MeterError:
            self._connect()
            self._send("*CLS")
            return ""

    def _send(self, command: str) -> None:
        try:
            self._session.write(command)
        except Exception as error:
            self.close()
            raise MeterError("unreachable", self.resource, _words(error)) from error

    def _ask(self, query: str) -> str:
        try:
            self._session.write(query)
            return self._answer().decode("ascii").strip()
        except Exception as error:
            self.close()  # what comes late must not answer the next question
            raise MeterError("unreachable", self.resource, f"{_words(error)} (to {query})") from error

    def _answer(self) -> bytes:
        """A line, or a message of an interface that marks its end; bounded, as PyVISA's own reading is not.

        Over a socket byte by byte (PyVISA-py keeps what came): its timeout is that of a silence, so that a
        server that never ends its line would be listened to for ever.
        """
        step = 1 if self.resource.upper().endswith("::SOCKET") else _LONGEST
        answer = bytearray()
        end = time.monotonic() + self._timeout_s
        while True:
            more = self._session.read_bytes(step, break_on_termchar=True)
            answer += more
            if answer.endswith(b"\n") or len(more) < step:
                return bytes(answer)
            if len(answer) >= _LONGEST:
                raise ValueError(f"its answer is longer than {_LONGEST} bytes, and not a line of SCPI")
            if time.monotonic() > end:
                raise TimeoutError(f"its answer did not end in {self._timeout_s:g} s")


create = ScpiMeter


def _number(text: str) -> float:
    """A number of SCPI; NaN where it is none, infinite where it is over range (9.9E+37 by the standard)."""
    try:
        value = float(text)
    except ValueError:
        return math.nan
    return math.copysign(math.inf, value) if abs(value) >= 9.9e37 else value


def _positive(text: str | None) -> float | None:
    value = _number(text or "")
    return value if 0 < value < math.inf else None


def _words(error: Exception) -> str:
    """The message of a VISA error, without its code."""
    return str(error).rpartition("): ")[2].strip() or type(error).__name__
