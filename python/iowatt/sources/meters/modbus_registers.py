"""Registers of a Modbus device as numbers: ``0x34:f32``, ``40:s32:0.1:little``.

``NUMBER:TYPE[:SCALE][:ORDER]``: the number as it is sent, counted from 0; the type; what a count of one is in
the quantity's unit; and which word of a value comes first. The bytes of a word are always big-endian (MODBUS
Application Protocol Specification V1.1b3, 4.2); the order of words is left to makers.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final, Literal, cast

#: Type -> its code in ``struct``.
TYPES: Final = {
    **{"u16": "H", "s16": "h", "u32": "I", "s32": "i", "u64": "Q", "s64": "q"},
    **{"f32": "f", "f64": "d"},
}
ORDERS: Final = ("big", "little")
FORM: Final = "NUMBER:TYPE[:SCALE][:ORDER]"
#: Registers of a device.
_ALL: Final = 1 << 16
_LONGEST: Final = 80


@dataclass(frozen=True)
class ModbusRegister:
    """A value in one to four registers."""

    number: int  #: Of the first register, as it is sent.
    type: str  #: A key of :data:`TYPES`.
    scale: Decimal = Decimal(1)  #: Watts, volts ... for a count of one.
    order: Literal["big", "little"] = "big"  #: Whether the high or the low word comes first.

    @property
    def count(self) -> int:
        """How many registers it has."""
        return struct.calcsize(TYPES[self.type]) // 2

    def value(self, data: bytes) -> float | None:
        """The value in the unit of its quantity; ``None`` where the device says that it has none.

        ``data``: the registers as they came, two bytes each. Devices say "no value" by NaN, by the ends of an
        integer's range (SunSpec, ABB), or by a top word of 7FFFh (Carlo Gavazzi): none of these is a reading.
        """
        if self.order == "little":
            data = b"".join(data[at : at + 2] for at in range(len(data) - 2, -1, -2))
        (raw,) = struct.unpack(f">{TYPES[self.type]}", data)
        if self.type.startswith("f"):
            found = raw * float(self.scale)
            return found if math.isfinite(found) else None
        bits = 8 * len(data)
        if self.type.startswith("s"):
            none = raw == -1 << bits - 1 or raw >> bits - 16 == 0x7FFF
        else:
            none = raw == (1 << bits) - 1
        return None if none else float(raw * self.scale)

    def __str__(self) -> str:
        scale = "" if self.scale == 1 else f":{self.scale}"
        return f"{self.number}:{self.type}{scale}{':little' if self.order == 'little' else ''}"


def parse_register(text: str) -> ModbusRegister:
    """A register as written. Raises ``ValueError`` with what is wrong and what would be accepted."""
    number, *rest = text.split(":") if len(text) <= _LONGEST else [""]
    if not rest or len(rest) > 3:
        raise ValueError(f"{text[:_LONGEST]!r} is not {FORM}, such as 0x34:f32")
    kind, *further = rest
    if kind not in TYPES:
        raise ValueError(f"the type {kind!r} is not one of {', '.join(TYPES)}")
    order = further.pop() if further and further[-1] in ORDERS else "big"
    if len(further) > 1:
        raise ValueError(f"the order {further[1]!r} is not one of {', '.join(ORDERS)}")
    found = ModbusRegister(
        _number(number), kind, _scale(further[0] if further else "1"), cast(Literal["big", "little"], order)
    )
    if found.number + found.count > _ALL:
        raise ValueError(f"a value of {found.count} registers does not end below {_ALL} from {number} on")
    return found


def _number(text: str) -> int:
    try:
        number = int(text, 16) if text.lower().startswith("0x") else int(text)
    except ValueError:
        number = -1
    if not (text.isascii() and text.isalnum() and 0 <= number < _ALL):
        raise ValueError(f"{text!r} is not the number of a register, 0 to {_ALL - 1} or 0x0 to 0xFFFF")
    return number


def _scale(text: str) -> Decimal:
    try:
        scale = Decimal(text)
    except InvalidOperation:
        scale = Decimal(0)
    if not scale.is_finite() or not Decimal("1e-12") <= abs(scale) <= Decimal("1e12"):
        raise ValueError(f"the scale {text!r} is not a number such as 0.1 or 1000")
    return scale
