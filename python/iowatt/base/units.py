"""Numbers with units, at the edge only: everything behind this module is in bytes, seconds, watts and hertz.

Two habits meet here and are kept apart on purpose. Sizes of *blocks* follow fio: ``16k``, ``16KB`` and
``16KiB`` all mean 16,384 bytes. *Capacities* must say which kind they mean, ``TB`` (decimal) or ``TiB``
(binary), because the two differ by 10 % and both are in daily use; a bare number or ``2T`` is refused.

Each parser takes what TOML gave (a string or a number), returns a number in SI units or bytes, and raises
``BadValueError`` with one sentence that says what would be accepted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from iowatt.base.errors import BadValueError

# Bounded, so that no hostile exponent reaches the arithmetic.
_NUMBER: Final = r"[0-9]{1,20}(?:\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,2})?"
_QUANTITY: Final = re.compile(rf"\s*({_NUMBER})\s*([^\s0-9.]?\S*)\s*", re.ASCII)

_PREFIXES: Final = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_BINARY: Final = {prefix: Decimal(1024) ** power for prefix, power in _PREFIXES.items()}
_DECIMAL: Final = {prefix: Decimal(1000) ** power for prefix, power in _PREFIXES.items()}

DURATION_UNITS: Final = {
    "ns": Decimal("1e-9"),
    "us": Decimal("1e-6"),
    "µs": Decimal("1e-6"),
    "ms": Decimal("1e-3"),
    "s": Decimal(1),
    "sec": Decimal(1),
    "min": Decimal(60),
    "h": Decimal(3600),
    "d": Decimal(86400),
}
DISTANCE_UNITS: Final = {"m": Decimal(1), "km": Decimal(1000)}
POWER_UNITS: Final = {"mW": Decimal("1e-3"), "W": Decimal(1), "kW": Decimal(1000)}

_MOST_SECONDS: Final = 9e9  # 285 years: what 64-bit nanoseconds hold, with a margin
_MOST_RATE: Final = 1e15

BLOCK_SIZE: Final = "a size in bytes such as 4096, '16k' or '16KiB' (k, m, g, t count in 1024s)"
CAPACITY: Final = "a capacity with its unit, such as '600GB', '2TB' or '1.5TiB'"
RATE: Final = "a rate such as '160MB/s', '215MiB/s' or '12Gbit/s'"
IOPS: Final = "requests per second, such as 500 or '500 IOPS'"
DURATION: Final = "a time with its unit, such as '500us', '26s', '10min' or '1h' (ns us ms s min h d)"
DISTANCE: Final = "a length of cable such as '300m' or '10km' (m, km)"
POWER: Final = "a power such as '22.3W' (mW, W, kW)"
SPEED: Final = "revolutions per minute, such as 7200 or '7200rpm'"


def _split(value: object, accepted: str) -> tuple[Decimal, str]:
    """The number and the unit of ``value``; numbers of TOML have the empty unit."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise BadValueError("wrong-type", None, f"expected {accepted}, not {_shown(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise BadValueError("out-of-range", None, f"expected {accepted}, not {value}")
    if isinstance(value, int | float):
        if value < 0:
            raise BadValueError("out-of-range", None, f"{value} is negative; expected {accepted}")
        if value > 1e30:
            raise BadValueError("out-of-range", None, f"{value:.3g} is too large; expected {accepted}")
        return Decimal(repr(value)), ""
    match = _QUANTITY.fullmatch(value)
    if match is None:
        if value.strip().startswith("-"):
            raise BadValueError("out-of-range", None, f"{value!r} is negative; expected {accepted}")
        raise BadValueError("bad-syntax", None, f"{value!r} is not accepted; expected {accepted}")
    return Decimal(match[1]), match[2]


def _finite(number: Decimal, most: float, value: object, accepted: str) -> float:
    if number > most:
        raise BadValueError("out-of-range", None, f"{value!r} is more than {most:g}; expected {accepted}")
    return float(number)


def _shown(value: object) -> str:
    return "a list" if isinstance(value, list) else "a table" if isinstance(value, dict) else repr(value)


def _whole(bytes_: Decimal, value: object) -> int:
    if bytes_ != bytes_.to_integral_value():
        message = f"{value!r} is {bytes_.normalize():f} bytes; expected a whole number of bytes"
        raise BadValueError("not-accepted", None, message)
    if bytes_ > 2**63 - 1:
        raise BadValueError("out-of-range", None, f"{value!r} is more than 8 EiB")
    return int(bytes_)


def parse_block_size(value: object) -> int:
    """Bytes of a block, a stripe unit, a sector: fio's habit, prefixes count in 1024s."""
    number, unit = _split(value, BLOCK_SIZE)
    factor = _BINARY.get(re.sub(r"(?i)(?<=[kmgtp])i?b$|^b$", "", unit).lower())
    if factor is None:
        raise BadValueError("bad-syntax", None, f"unknown unit {unit!r} in {value!r}; expected {BLOCK_SIZE}")
    return _whole(number * factor, value)


def parse_capacity(value: object) -> int:
    """Bytes of a drive or a volume: the unit must say TB or TiB."""
    number, unit = _split(value, CAPACITY)
    match = re.fullmatch(r"([kKMGTP]?)(i?)B", unit)
    if match is None or (match[2] and not match[1]):
        if unit == "":
            raise BadValueError("bad-syntax", None, f"{value!r} has no unit; expected {CAPACITY}")
        prefix = unit[0].upper()
        if unit.lower().rstrip("b").rstrip("i") in _PREFIXES and prefix in "KMGTP":
            message = f"{value!r} is ambiguous: write {prefix}B (decimal) or {prefix}iB (binary)"
            raise BadValueError("ambiguous", None, message)
        raise BadValueError("bad-syntax", None, f"unknown unit {unit!r} in {value!r}; expected {CAPACITY}")
    table = _BINARY if match[2] else _DECIMAL
    return _whole(number * table[match[1].lower()], value)


def parse_rate(value: object) -> float:
    """Bytes per second."""
    number, unit = _split(value, RATE)
    match = re.fullmatch(r"([kKMGT]?)(i?)(B|bit)/s", unit)
    if match is None or (match[2] and not match[1]):
        problem = "has no unit" if unit == "" else f"has the unknown unit {unit!r}"
        raise BadValueError("bad-syntax", None, f"{value!r} {problem}; expected {RATE}")
    table = _BINARY if match[2] else _DECIMAL
    factor = table[match[1].lower()] / (8 if match[3] == "bit" else 1)
    return _finite(number * factor, _MOST_RATE, value, RATE)


def _measure(value: object, factors: Mapping[str, Decimal], most: float, accepted: str) -> float:
    """A number with one of the units of ``factors``."""
    number, unit = _split(value, accepted)
    if unit not in factors:
        problem = "has no unit" if unit == "" else f"has the unknown unit {unit!r}"
        raise BadValueError("bad-syntax", None, f"{value!r} {problem}; expected {accepted}")
    return _finite(number * factors[unit], most, value, accepted)


def parse_duration(value: object) -> float:
    """Seconds."""
    return _measure(value, DURATION_UNITS, _MOST_SECONDS, DURATION)


def parse_signed_duration(value: object) -> float:
    """Seconds, negative allowed (two measured drives settle faster for writes than for reads)."""
    if isinstance(value, str) and value.strip().startswith("-"):
        return -parse_duration(value.strip()[1:])
    return parse_duration(value)


def parse_distance(value: object) -> float:
    """Metres."""
    return _measure(value, DISTANCE_UNITS, 1e9, DISTANCE)


def parse_power(value: object) -> float:
    """Watts."""
    return _measure(value, POWER_UNITS, 1e9, POWER)


def _counted(value: object, units: tuple[str, ...], most: float, accepted: str) -> float:
    """A number that needs no unit; ``units`` may stand behind it, in either case."""
    number, unit = _split(value, accepted)
    if unit.lower() not in ("", *units):
        raise BadValueError(
            "bad-syntax", None, f"{value!r} has the unknown unit {unit!r}; expected {accepted}"
        )
    return _finite(number, most, value, accepted)


def parse_iops(value: object) -> float:
    """Requests per second."""
    return _counted(value, ("iops", "/s"), 1e12, IOPS)


def parse_speed(value: object) -> float:
    """Revolutions per minute."""
    return _counted(value, ("rpm",), 1e6, SPEED)


def format_bytes(count: int, *, binary: bool = False) -> str:
    """``count`` for people, with three significant digits or exactly where it is a round number of units."""
    step, suffix = (1024, "iB") if binary else (1000, "B")
    for power, prefix in reversed(list(enumerate("KMGTP", start=1))):
        scale = step**power
        if count >= scale:
            return f"{count / scale:.4g} {prefix if binary or prefix != 'K' else 'k'}{suffix}"
    return f"{count} B"


def format_duration(seconds: float) -> str:
    """``seconds`` for people, in the largest unit that keeps it at least 1."""
    for unit in ("d", "h", "min", "s", "ms", "us"):
        scale = float(DURATION_UNITS[unit])
        if seconds >= scale:
            return f"{seconds / scale:.4g} {unit}"
    return f"{seconds * 1e9:.4g} ns" if seconds else "0 s"
