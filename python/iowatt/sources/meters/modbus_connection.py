"""Modbus over TCP, the reading half: functions 3 (holding registers) and 4 (input registers).

Frames by the MODBUS Messaging on TCP/IP Implementation Guide V1.0b, 3.1.3; functions and exceptions by the
MODBUS Application Protocol Specification V1.1b3, 6.3, 6.4 and 7.

Two functions are less than a dependency: pymodbus asks again and connects again by itself, which would turn a
missing sample into a late one, and renames arguments between minor versions. It is the device in a test.
"""

from __future__ import annotations

import socket
import struct
import time
from contextlib import suppress
from typing import Final

from iowatt.sources.meters.log.instrument import MeterError

FUNCTIONS: Final = {"holding": 3, "input": 4}
#: Exceptions: their names, and the code of the error that each becomes.
EXCEPTIONS: Final = {
    1: ("illegal function", "unsupported"),
    2: ("illegal data address", "unknown-name"),
    3: ("illegal data value", "not-accepted"),
    4: ("server device failure", "tool-failed"),
    5: ("acknowledge", "tool-failed"),
    6: ("server device busy", "tool-failed"),
    7: ("negative acknowledge", "tool-failed"),
    8: ("memory parity error", "tool-failed"),
    10: ("gateway path unavailable", "unreachable"),
    11: ("gateway target device failed to respond", "unreachable"),
}
_HINTS: Final = {
    1: "the option function: holding or input",
    2: "registers are counted from 0, as they are sent: a maker's 30053 or 40053 is mostly 52",
    10: "the gateway does not know this unit: modbus://HOST/UNIT",
    11: "is this the unit of the meter behind the gateway? modbus://HOST/UNIT",
}
#: Transaction, protocol (0), bytes that follow, unit.
_HEADER: Final = struct.Struct(">HHHB")
_REQUEST: Final = struct.Struct(">HHHBBHH")
#: Bytes behind the length of a frame: unit, function and one more at least.
_BYTES: Final = range(3, 255)
_FAULT: Final = 0x80


class ModbusConnection:
    """A connection to a device or gateway; one request at a time. Raises ``MeterError``.

    An exception that the device answers leaves it usable. After any other failure it is closed, so that no
    late answer is taken for that of a later request.
    """

    def __init__(self, host: str, port: int, *, timeout_s: float, place: str) -> None:
        self._place, self._timeout_s = place, timeout_s
        self._transaction = 0
        try:
            self._socket: socket.socket | None = socket.create_connection((host, port), timeout=timeout_s)
        except OSError as error:
            raise self._failed("unreachable", f"does not answer: {error.strerror or error}") from None

    @property
    def closed(self) -> bool:
        """Whether it can be used no more."""
        return self._socket is None

    def read(self, function: str, unit: int, number: int, count: int) -> bytes:
        """``count`` registers from ``number`` on, two bytes each. ``function``: ``holding`` or ``input``."""
        if self._socket is None:
            raise MeterError("unreachable", self._place, "the connection is closed")
        code = FUNCTIONS[function]
        self._transaction = self._transaction % 0xFFFF + 1
        until = time.monotonic() + self._timeout_s
        try:
            return self._exchange(self._socket, code, unit, (number, count), until)
        except _AnsweredException as answer:
            raise self._refused(answer.number, number) from None
        except MeterError:
            self.close()
            raise
        except TimeoutError:
            self.close()
            hint = "a gateway is silent where its meter has another unit: modbus://HOST/UNIT"
            raise self._failed("unreachable", f"no answer within {self._timeout_s:g} s", hint) from None
        except OSError as error:
            self.close()
            raise self._failed("unreachable", f"the connection was lost: {error.strerror or error}") from None

    def close(self) -> None:
        """Close it; never raises."""
        held, self._socket = self._socket, None
        if held is not None:
            with suppress(OSError):
                held.close()

    def _exchange(
        self, held: socket.socket, code: int, unit: int, place: tuple[int, int], until: float
    ) -> bytes:
        held.settimeout(self._timeout_s)
        held.sendall(_REQUEST.pack(self._transaction, 0, 6, unit, code, *place))
        transaction, protocol, length, answered = _HEADER.unpack(self._exactly(held, _HEADER.size, until))
        if protocol != 0 or length not in _BYTES:
            raise self._failed("tool-output", "the answer is not Modbus TCP")
        answer = self._exactly(held, length - 1, until)
        if (transaction, answered) != (self._transaction, unit):
            message = (
                f"the answer is of transaction {transaction}, unit {answered}; asked was "
                f"transaction {self._transaction}, unit {unit}"
            )
            raise self._failed("tool-output", message)
        if answer[0] == code | _FAULT and len(answer) == 2:
            raise _AnsweredException(answer[1])
        if answer[0] != code or answer[1] != 2 * place[1] or len(answer) != 2 + answer[1]:
            message = f"the answer {answer[:8].hex(' ')} has not the {place[1]} registers that were asked for"
            raise self._failed("tool-output", message)
        return answer[2:]

    def _exactly(self, held: socket.socket, count: int, until: float) -> bytes:
        data = b""
        while len(data) < count:
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError
            held.settimeout(left)
            more = held.recv(count - len(data))
            if not more:
                raise self._failed("unreachable", "closed the connection before its answer was complete")
            data += more
        return data

    def _refused(self, exception: int, number: int) -> MeterError:
        name, code = EXCEPTIONS.get(exception, ("not one of the protocol's", "tool-failed"))
        message = f"exception {exception} ({name}) for register {number}"
        return self._failed(code, message, _HINTS.get(exception))

    def _failed(self, code: str, problem: str, hint: str | None = None) -> MeterError:
        return MeterError(code, self._place, problem, hint=hint)


class _AnsweredException(Exception):
    """The device answered an exception."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(number)
